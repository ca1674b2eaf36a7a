"""Draw the rooms of the two packages from their imports.

Prints a Mermaid graph, an arrow for each room that imports another; arrows that follow from others are left
out. With ``--write FILE`` it replaces the graph there, with ``--check FILE`` it fails if it has another.
"""

import argparse
import re
import sys
from pathlib import Path

import grimp

#: Where in a file the graph stands.
FENCE = re.compile(r"```mermaid\n.*?```\n", re.DOTALL)
PACKAGES = ("judged_useless", "paper_book")


def room_of(module: str) -> str:
    """Return the room that a module lies in: the folder below its package, or the package itself."""
    return ".".join(module.split(".")[:2])


def edges() -> dict[str, set[str]]:
    """Return each room with the rooms that it imports from, inside functions too."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True)
    rooms: dict[str, set[str]] = {}
    for module in graph.modules:
        own = rooms.setdefault(room_of(module), set())
        own |= {room_of(each) for each in graph.find_modules_directly_imported_by(module)} - {room_of(module)}
    # The packages' own __init__ hands names on, and is no room.
    return {room: below - set(PACKAGES) for room, below in rooms.items() if room not in PACKAGES}


def reachable(rooms: dict[str, set[str]], start: str) -> set[str]:
    """Return the rooms that one rests on, directly or not."""
    seen: set[str] = set()
    waiting = list(rooms[start])
    while waiting:
        room = waiting.pop()
        if room not in seen:
            seen.add(room)
            waiting += rooms[room]
    return seen


def draw() -> str:
    """Return the Mermaid graph."""
    rooms = edges()
    lines = ["```mermaid", "graph TD"]
    for package in PACKAGES:
        lines.append(f"  subgraph {package}")
        lines += [f"    {room}[{room.split('.')[1]}]" for room in sorted(rooms) if room.startswith(package)]
        lines.append("  end")
    for room in sorted(rooms):
        through = set().union(*(reachable(rooms, each) for each in rooms[room]))
        lines += [f"  {room} --> {each}" for each in sorted(rooms[room] - through)]
    return "\n".join([*lines, "```", ""])


def main() -> int:
    """Print, write or check the graph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="replace the graph in this file")
    parser.add_argument("--check", type=Path, metavar="FILE", help="fail if this file has another graph")
    given = parser.parse_args()
    drawn = draw()
    if given.check:
        same = drawn in given.check.read_text(encoding="utf-8")
        sys.stdout.write("" if same else f"{given.check}: the rooms have changed; see make rooms\n")
        return int(not same)
    if given.write:
        text = FENCE.sub(lambda _: drawn, given.write.read_text(encoding="utf-8"), count=1)
        given.write.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
