"""Build the embedded tasks *atlas* and *atlas-claims* from their packages.

Run ``python tools/build_atlas.py`` to rewrite ``data/questions/``; ``--out DIR`` writes elsewhere.
The same packages give the same bytes.
"""

import argparse
import sys
from pathlib import Path

from atlas.choose import choose, shared_out
from atlas.claims import choose_claims, claim_rows
from atlas.contexts import Library, row
from atlas.output import CHECKSUMS, write_all
from atlas.pages import build_pages
from atlas.sources import read_world
from judged_useless._io.paths import data_dir


def build(folder: Path) -> None:
    """Write questions, claims, manifests and checksums into a folder."""
    world = read_world()
    pages = build_pages(world)
    library = Library(pages)
    chosen = choose(world, pages)
    claims = claim_rows(choose_claims(world, pages), pages)
    write_all(folder, [row(candidate, library) for candidate in chosen], shared_out(chosen), claims)


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=data_dir() / "questions", help="folder to write into")
    folder = parser.parse_args().out
    build(folder)
    sys.stdout.write((folder / CHECKSUMS).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
