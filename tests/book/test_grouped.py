"""Tables in foldable groups: every row is there, named, and text."""

import re

from paper_book.tables.grouped import Cell, Group, GroupedTable

HOSTILE = '"><script>alert(1)</script>'


def table(text: str = "x") -> GroupedTable:
    rows = ((Cell(text), Cell(text, text)), (Cell("second"), Cell("b")))
    return GroupedTable(
        text,
        (
            Group(text, text, (text, text), rows, ("k1", "k2"), opened=True),
            Group("empty", "0 rows", (), (), ()),
        ),
        note=text,
        anchors={"k2": text},
    )


def test_text_is_never_markup() -> None:
    html = table(HOSTILE)._repr_mimebundle_()["text/html"]
    assert "<script>" not in html
    assert re.findall(r'id="([^"]*)"', html) == ["&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"]


def test_cells_keep_their_roles_and_headings_when_a_row_becomes_a_block() -> None:
    html = table()._repr_mimebundle_()["text/html"]
    assert html.count('role="table"') == 2
    assert html.count('role="row"') == 2 + 2  # heads, and the rows of the first group
    assert html.count('scope="row" role="rowheader"') == 2
    assert html.count('scope="col" role="columnheader"') == 2
    assert html.count('role="cell" data-column="x"') == 2


def test_only_an_opened_group_is_open_and_only_wanted_rows_have_anchors() -> None:
    html = table()._repr_mimebundle_()["text/html"]
    assert re.findall(r"<details[^>]*>", html) == [
        '<details class="ju-fold" open>', '<details class="ju-fold">',
    ]  # fmt: skip
    assert html.count(" id=") == 1


def test_the_plain_form_has_every_row() -> None:
    plain = table()._repr_mimebundle_()["text/plain"]
    assert plain.splitlines() == [
        "Table: x", "", "x: x", "x | x (x)", "second | b", "", "empty: 0 rows", "x",
    ]  # fmt: skip
