"""The two streams of labels, and the rubric that explains them (paper, Appendix B.2; wording ours)."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from judged_useless._io.paths import data_dir
from judged_useless.protocol.vocabulary import STATED_LABELS


@dataclass(frozen=True)
class Stream:
    """One kind of label.

    Attributes
    ----------
    name : str
        S1 or S2.
    labels : tuple of str
        The five of them.
    positive : tuple of str
        Those of the binary agreement: useful new or not; says useless or not.
    judgments : dict of str to (str or None)
        What each label adds to a count of useless results in a row: USELESS one, USEFUL ends it, None makes
        it unknown.
    """

    name: str
    labels: tuple[str, ...]
    positive: tuple[str, ...]
    judgments: dict[str, str | None]


#: Name -> stream.
STREAMS: dict[str, Stream] = {
    "S1": Stream(
        "S1",
        ("useful_new", "related", "redundant", "off_topic", "unclear"),
        ("useful_new",),
        {"useful_new": "USEFUL", "related": "USELESS", "redundant": "USELESS", "off_topic": "USELESS",
         "unclear": None},
    ),
    "S2": Stream(
        "S2",
        STATED_LABELS,
        ("says_useless",),
        {"says_useless": "USELESS", "partly_useful": "USEFUL", "useful": "USEFUL", "no_judgment": None,
         "unclear": None},
    ),
}  # fmt: skip


def get_stream(name: str) -> Stream:
    """Look a stream up.

    Parameters
    ----------
    name : str
        A key of `STREAMS`.

    Returns
    -------
    Stream

    Raises
    ------
    ValueError
        If there is none of that name; the message lists those there are.
    """
    if name not in STREAMS:
        raise ValueError(f"unknown stream {name!r}; known are {', '.join(STREAMS)}")
    return STREAMS[name]


class Ruling(NamedTuple):
    """What was decided on one item.

    Attributes
    ----------
    label : str
        One of its stream's.
    note : str
        Why, in the words of whoever decided; may be empty.
    """

    label: str
    note: str = ""


@dataclass(frozen=True)
class Rubric:
    """The rubric as annotators read it.

    Attributes
    ----------
    version : str
        Stated in its head.
    general : str
        What holds for both streams.
    sections : dict of str to str
        Stream -> its section.
    """

    version: str
    general: str
    sections: dict[str, str]

    def asks(self, stream: str) -> str:
        """Return what a stream's section asks, as its heading has it."""
        return self.sections[stream].partition("\n")[0].partition(":")[2].strip()

    def instructions(self, stream: str) -> str:
        """Return what an annotator of one stream is told."""
        wanted = ", ".join(get_stream(stream).labels)
        return (
            f"{self.general}\n\n{self.sections[stream]}\n\n"
            f'Reply with a single JSON object and nothing else: {{"label": one of {wanted}}}'
        )


def load_rubric(path: Path | None = None) -> Rubric:
    """Read the rubric.

    Parameters
    ----------
    path : pathlib.Path, optional
        A file in the form of ``data/rubric.md``; that one by default.

    Returns
    -------
    Rubric

    Raises
    ------
    ValueError
        If the version or a section is missing, or a section does not explain one of its labels.
    """
    path = data_dir() / "rubric.md" if path is None else path
    head, *parts = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    version = re.search(r"^version: (\S+)$", head, re.MULTILINE)
    if version is None:
        raise ValueError(f"{path}: no line 'version: …' before the first section")
    sections = {part.partition(":")[0].strip(): part.strip() for part in parts}
    for name, stream in STREAMS.items():
        if name not in sections:
            raise ValueError(f"{path}: section {name} is missing; expected a heading '## {name}: …'")
        for label in stream.labels:
            if f"- `{label}`:" not in sections[name]:
                raise ValueError(f"{path}, section {name}: label {label} is not explained")
    return Rubric(version[1], head[version.end() :].strip(), {name: sections[name] for name in STREAMS})
