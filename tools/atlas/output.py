"""Write the files, each to a temporary name first, with no time stamp in any of them."""

import gzip
import io
import json
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from judged_useless._io.files import sha256, write_atomically
from judged_useless.tasks.atlas import CLAIMS, QUESTIONS

CHECKSUMS = "SHA256SUMS"


def write_all(
    folder: Path,
    rows: list[dict[str, object]],
    splits: Mapping[str, Iterable[str]],
    claims: list[dict[str, object]],
) -> None:
    """Write every file of the two tasks.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    rows : list of dict
        Questions; written in the order of their identifiers.
    splits : mapping of str to iterable of str
        Split -> identifiers, in order.
    claims : list of dict
        Claims, in order.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = [_json(row) for row in sorted(rows, key=lambda row: str(row["id"]))]
    contents = {
        QUESTIONS: _gzipped("".join(f"{line}\n" for line in lines)),
        CLAIMS: _gzipped("[\n" + ",\n".join(_json(claim) for claim in claims) + "\n]\n"),
        "atlas_claims.txt": _lines(str(claim["id"]) for claim in claims),
        **{f"atlas_{name}.txt": _lines(members) for name, members in splits.items()},
    }
    for name, data in contents.items():
        write_atomically(folder / name, partial(_fill, data))
    sums = _lines(f"{sha256(folder / name)}  {name}" for name in sorted(contents))
    write_atomically(folder / CHECKSUMS, partial(_fill, sums))


def _fill(data: bytes, target: Path) -> None:
    target.write_bytes(data)


def _json(record: Mapping[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False)


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _gzipped(text: str) -> bytes:
    # GzipFile writes its own header; that of gzip.compress differs between versions of Python.
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=9, mtime=0) as file:
        file.write(text.encode())
    return buffer.getvalue()
