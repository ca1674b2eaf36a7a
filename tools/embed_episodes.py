"""Turn released JSON lines into the embedded Parquet cells: ``python tools/embed_episodes.py FILE …``.

Each file is one cell, named ``<model>__<condition>__<split>.jsonl``.
"""

import sys
from pathlib import Path

from judged_useless._io.files import sha256, write_atomically
from judged_useless._io.paths import data_dir
from judged_useless.episodes.formats import load_jsonl, write_parquet
from judged_useless.sources.readers import derive_termination


def main(files: list[str]) -> int:
    """Write the cells and their checksums."""
    if not files:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    folder = data_dir() / "episodes"
    written = [
        write_parquet(derive_termination(load_jsonl(file)), folder / f"{Path(file).stem}.parquet")
        for file in files
    ]
    sums = "".join(f"{sha256(path)}  {path.name}\n" for path in sorted(written))
    write_atomically(folder / "SHA256SUMS", lambda target: target.write_text(sums, encoding="ascii"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
