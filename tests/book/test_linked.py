"""Tables with links: their cells are text, whatever stands in them."""

import pandas as pd
from paper_book.tables.linked import LinkedTable


def test_linked_cells_are_escaped() -> None:
    frame = pd.DataFrame({"a": ["<b>"], "links": [[("<i>", 'x" onclick="y')]]})
    bundle = LinkedTable(frame, "c", "", (("<b>", 'i" x'),))._repr_mimebundle_()
    assert '<span id="i&quot; x">&lt;b&gt;</span>' in bundle["text/html"]
    assert '<a href="x&quot; onclick=&quot;y">&lt;i&gt;</a>' in bundle["text/html"]
    assert "<i>" in bundle["text/plain"]
