"""Lay the book's source together: ``python -m paper_book.assemble SECTIONS GENERATED TARGET``.

The built book shows freshly executed copies of the sections, so its source is a folder of its own.
"""

import filecmp
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

_TOP = ("_config.yml", "_toc.yml")
_PAGES = (".md", ".ipynb")


def _wanted(sections: Path, generated: Path) -> Iterator[tuple[Path, Path]]:
    """Yield each file of the book's source, and where it belongs in the target."""
    for name in _TOP:
        yield Path(name), Path(name)
    for path in sorted(Path("book").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path, path
    for path in sorted(generated.rglob("*")):
        if path.is_file():
            yield path, Path("book") / path.relative_to(generated)
    for path in sorted(sections.glob("*.ipynb")):
        if not path.name.endswith(".failed.ipynb"):
            yield path, Path("notebooks") / path.name


def _refuse_foreign(target: Path, *sources: Path) -> None:
    place = target.resolve()
    if any(each.resolve().is_relative_to(place) for each in (Path.cwd(), Path("book"), *sources)):
        raise ValueError(f"{target} holds what the book is made from; expected a folder of its own")
    if target.exists() and not (target / _TOP[0]).is_file() and any(target.iterdir()):
        raise ValueError(
            f"{target} holds other files and no {_TOP[0]}; expected a new or an assembled folder"
        )


def assemble(sections: Path, generated: Path, target: Path) -> list[Path]:
    """Copy what changed, so that the builder rebuilds only those pages, and remove what is gone.

    Parameters
    ----------
    sections : pathlib.Path
        Folder of executed notebooks.
    generated : pathlib.Path
        Folder of computed parts of prose pages, laid out as below ``book/``.
    target : pathlib.Path
        Source folder of the book.

    Returns
    -------
    list of pathlib.Path
        Files that were copied, relative to `target`.

    Raises
    ------
    OSError
        If a file cannot be read or written.
    ValueError
        If `target` holds the project or what is put into it, or files of something else: what is stale in the
        target is deleted, so a mistyped one must not be touched.
    """
    _refuse_foreign(target, sections, generated)
    copied, kept = [], set()
    for origin, place in _wanted(sections, generated):
        goal = target / place
        kept.add(goal)
        if not goal.exists() or not filecmp.cmp(origin, goal, shallow=False):
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(origin, goal)
            copied.append(place)
    if any(place.suffix not in _PAGES for place in copied):
        # The builder looks at pages only: a changed style sheet or extension would otherwise not arrive.
        for page in kept:
            if page.suffix in _PAGES:
                page.touch()
    for stale in [path for path in target.rglob("*") if path.is_file() and path not in kept]:
        stale.unlink()
    return copied


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        Exit status.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) != 3:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    try:
        assemble(*map(Path, given))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
