"""Say how many notebooks and cells the notebook tests compare: ``python tools/count_cells.py``."""

import sys
from pathlib import Path

import nbformat


def main() -> int:
    """Print one line."""
    books = [
        nbformat.reads(path.read_text(encoding="utf-8"), 4) for path in Path("notebooks").glob("*.ipynb")
    ]
    cells = [cell for book in books for cell in book.cells if cell.cell_type == "code"]
    stored = sum(bool(cell.outputs) for cell in cells)
    sys.stdout.write(
        f"{len(books)} notebooks: {len(cells)} cells executed again, the outputs of {stored} compared\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
