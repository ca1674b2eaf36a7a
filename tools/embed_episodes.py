"""Embed released cells as Parquet files with their checksums: ``python tools/embed_episodes.py [FILE …]``.

Without a FILE all that was fetched (``make data``), and only if every cell equals the paper's in Δ and mean6.
A FILE is one cell's released JSON lines.
"""

import re
import sys
from pathlib import Path

from judged_useless._io.files import sha256, write_atomically
from judged_useless._io.paths import data_dir
from judged_useless.episodes.formats import load_jsonl, write_parquet
from judged_useless.sources.hub import with_endings
from judged_useless.sources.readers import load_episodes
from judged_useless.sources.released import compare_cells, summary


def main(files: list[str], folder: Path) -> int:
    """Write the cells, their checksums, and the list of them in the folder's README."""
    frames = [with_endings(load_jsonl(file)) for file in files]
    if not files:
        fetched = load_episodes("hub")
        compared = compare_cells(fetched)
        sys.stdout.write(f"{summary(compared)}\n")
        if not (compared["equal"].fillna(False).all() and compared["missing"].eq("").all()):
            sys.stderr.write("nothing is embedded: a cell is not the paper's, or not whole\n")
            return 1
        frames = [frame for _, frame in fetched.groupby(["model", "condition", "split"], sort=False)]
    sums, rows = [], []
    for frame in frames:
        model, condition, split = frame[["model", "condition", "split"]].iloc[0]
        name = f"{model}__{condition}__{split}.parquet"
        sums.append(f"{sha256(write_parquet(frame, folder / name))}  {name}\n")
        rows.append(
            f"| `{name}` | {model} | {condition} | {split} | {frame['regime'].nunique()} | {len(frame):,} |\n"
        )
    write_atomically(
        folder / "SHA256SUMS", lambda target: target.write_text("".join(sorted(sums)), encoding="ascii")
    )
    readme = folder / "README.md"
    listed = re.sub(
        r"(?m)(^\|[-|]+\|\n)(?:^\|.*\n)*",
        lambda found: found[1] + "".join(sorted(rows)),
        readme.read_text("utf-8"),
    )
    write_atomically(readme, lambda target: target.write_text(listed, encoding="utf-8"))
    sys.stdout.write(f"{folder}: {len(rows)} cells embedded\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], data_dir() / "episodes"))
    except (OSError, ValueError) as error:
        sys.exit(f"embed: {error}")
