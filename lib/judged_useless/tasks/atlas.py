"""The embedded tasks *atlas* and *atlas-claims*: questions and claims about geography, in our own words.

Not in the paper. They have the form of HotpotQA and of the released FEVER file, and need no network;
``data/questions/README.md`` says what they cannot measure. `tools/build_atlas.py` makes them.
"""

from pathlib import Path

from judged_useless._io.paths import data_dir
from judged_useless.tasks.question import Question
from judged_useless.tasks.question_files import read_questions
from judged_useless.tasks.splits import select, split_ids

QUESTIONS = "atlas.jsonl.gz"
CLAIMS = "atlas_claims.json.gz"
#: Splits of the questions, which are disjoint, and of the claims, half of which are true.
SPLITS = ("dev100", "test300", "fresh300")
CLAIM_SPLITS = ("claims",)


def load(split: str, *, source: str | Path | None = None) -> list[Question]:
    """Load the questions of a split, in the order of its manifest.

    Parameters
    ----------
    split : str
        One of `SPLITS`.
    source : str or Path, optional
        Folder with ``atlas.jsonl.gz`` and the manifests; the project's own by default.

    Raises
    ------
    ValueError, FileNotFoundError
        If the split is unknown, or a file is missing, malformed or does not fit the others.
    """
    return _load(QUESTIONS, split, SPLITS, source)


def load_claims(split: str = "claims", *, source: str | Path | None = None) -> list[Question]:
    """Load the claims, in the order of their manifest; parameters and errors as for `load`."""
    return _load(CLAIMS, split, CLAIM_SPLITS, source)


def _load(name: str, split: str, known: tuple[str, ...], source: str | Path | None) -> list[Question]:
    if split not in known:
        raise ValueError(f"unknown split {split!r}; known are {', '.join(known)}")
    folder = data_dir() / "questions" if source is None else Path(source)
    ids = split_ids(split, folder=folder, prefix="atlas_")
    return select(read_questions(folder / name), ids, source=folder / name)
