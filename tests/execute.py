"""Execute a page's cells in this process, with other parameters, and return what they show."""

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import myst_nb
import nbformat

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
#: Pages that show the episodes of a source; others make their own, or read a log.
PAGES = tuple(
    sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb") if '"source = ' in path.read_text("utf-8"))
)


@dataclass
class Page:
    """What became of a page.

    Attributes
    ----------
    shown : list
        The value of each cell that ends in one.
    glued : dict
        What was pasted under a name.
    names : dict
        The page's variables.
    """

    shown: list[Any] = field(default_factory=list)
    glued: dict[str, Any] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """Return everything the page shows, as HTML."""
        bundles = [value._repr_mimebundle_() for value in self.shown if hasattr(value, "_repr_mimebundle_")]
        return "\n".join(bundle["text/html"] for bundle in bundles)


def execute(name: str, **parameters: object) -> Page:
    """Run a page's code with parameters in place of its defaults; an unknown one is an error."""
    page = Page()
    # What is pasted is kept here, not sent to a kernel that does not exist.
    myst_nb.glue = lambda key, value, display=False: page.glued.__setitem__(key, value)
    path = NOTEBOOKS / f"{name}.ipynb"
    notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        body = ast.parse(cell.source, filename=f"{name}, cell {number}").body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        where = f"{name}, cell {number}"
        exec(compile(ast.Module(body, []), where, "exec"), page.names)
        if "parameters" in cell.metadata.get("tags", []):
            unknown = set(parameters) - set(page.names)
            if unknown:
                raise KeyError(f"{name} has no parameter {', '.join(sorted(unknown))}")
            page.names.update(parameters)
        if isinstance(last, ast.Expr):
            page.shown.append(eval(compile(ast.Expression(last.value), where, "eval"), page.names))
    return page
