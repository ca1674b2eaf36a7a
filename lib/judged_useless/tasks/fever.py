"""FEVER claims with their knowledge bases: the paper's second task (Thorne et al., 2018)."""

import os
from collections import Counter
from pathlib import Path

from judged_useless.tasks.downloads import AUTHORS_FILES, download
from judged_useless.tasks.question import Question
from judged_useless.tasks.question_files import read_questions

#: Where another copy of the file is, when `load` is not told.
SOURCE_VARIABLE = "JUDGED_USELESS_FEVER"
#: The authors' file, at one commit of their repository.
RELEASED_URL = f"{AUTHORS_FILES}/dfb2814a39907f80dd103f5c125ecb4d13d90da8/experiments/fever_data.json"
#: Split -> how often each verdict must occur; None for a file of any make-up.
SPLITS: dict[str, dict[str, int] | None] = {"fever292": {"SUPPORTS": 146, "REFUTES": 146}, "all": None}


def load(split: str = "fever292", *, source: str | Path | None = None) -> list[Question]:
    """Load the claims, in the order of the file.

    Parameters
    ----------
    split : str, default "fever292"
        ``fever292`` is the released file of 292 claims, half of them true; ``all`` takes whatever a file in
        its form holds.
    source : str or Path, optional
        Path or ``http(s)`` address of the JSON file, an address with ``#sha256=...`` behind it if it is to be
        verified. By default what the environment variable ``JUDGED_USELESS_FEVER`` says, or else the authors'
        file, fetched once from their public repository.

    Raises
    ------
    ValueError
        If the split is unknown, or the file is malformed, not the split, or not as when it first came.
    FileNotFoundError, ConnectionError
        If there is no such file, or no network.
    """
    if split not in SPLITS:
        raise ValueError(f"unknown split {split!r}; known are {', '.join(SPLITS)}")
    path = _local(str(source or os.environ.get(SOURCE_VARIABLE) or RELEASED_URL))
    claims = read_questions(path)
    other = next((claim for claim in claims if claim.kind != "claim"), None)
    if other is not None:
        raise ValueError(f"{path}: record {other.id!r} is a question, expected a claim with a knowledge_base")
    expected, found = SPLITS[split], dict(Counter(claim.answer for claim in claims))
    if expected is not None and found != expected:
        raise ValueError(
            f"{path}: {found} claims, but {split} has {expected}; use split 'all' for another file"
        )
    return claims


def _local(source: str) -> Path:
    if not source.startswith(("http://", "https://")):
        return Path(source)
    url, _, fragment = source.partition("#")
    name, _, checksum = fragment.partition("=")
    if fragment and (name != "sha256" or not checksum):
        raise ValueError(
            f"{source}: expected #sha256=<hexadecimal digits> after the address, found #{fragment}"
        )
    return download(url, sha256=checksum or None)
