"""Turn released JSON lines into the embedded Parquet cells: ``python tools/embed_episodes.py FILE …``.

Each file is one cell, named ``<model>__<condition>__<split>.jsonl``.
"""

import sys
from pathlib import Path

import pandas as pd
from judged_useless._io.files import sha256, write_atomically
from judged_useless._io.paths import data_dir
from judged_useless.episodes.formats import load_jsonl, write_parquet


def _terminations(frame: pd.DataFrame) -> list[str | None]:
    """Return how each episode ended, as far as its actions tell."""
    spent = ["budget_exhausted" if len(actions) >= 8 else None for actions in frame["actions"]]
    ends = [len(actions) > 0 and actions[-1] == "finish" for actions in frame["actions"]]
    return ["answered" if end else word for end, word in zip(ends, spent, strict=True)]


def main(files: list[str]) -> int:
    """Write the cells and their checksums."""
    if not files:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    folder = data_dir() / "episodes"
    written = []
    for file in files:
        frame = load_jsonl(file)
        frame["termination"] = pd.Series(_terminations(frame), index=frame.index, dtype=object)
        written.append(write_parquet(frame, folder / f"{Path(file).stem}.parquet"))
    sums = "".join(f"{sha256(path)}  {path.name}\n" for path in sorted(written))
    write_atomically(folder / "SHA256SUMS", lambda target: target.write_text(sums, encoding="ascii"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
