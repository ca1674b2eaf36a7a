"""The two streams of labels, the rubric that explains them, and how a model is asked by it.

Paper, Appendix B.2; wording ours.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from judged_useless._io.paths import data_dir
from judged_useless._io.strict_json import reply_object
from judged_useless.models.base import Message, Model
from judged_useless.protocol.vocabulary import STATED_LABELS

#: Most new tokens of a label. Ours.
LABEL_TOKENS = 60


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
    """Return a stream by its name; ValueError if there is none."""
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
        labels = ", ".join(get_stream(stream).labels)
        return (
            f"{self.general}\n\n{self.sections[stream]}\n\n"
            f'Reply with a single JSON object and nothing else: {{"label": one of {labels}}}'
        )


@cache
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
        for label in stream.labels:
            if f"- `{label}`:" not in sections.get(name, ""):
                raise ValueError(f"{path}, section {name}: label {label} is not explained")
    return Rubric(version[1], head[version.end() :].strip(), {name: sections[name] for name in STREAMS})


def label_request(
    model: Model, stream: str, shown: str, rubric: Rubric, *, constrain: bool
) -> tuple[list[Message], dict[str, Any]]:
    """Return what is sent to have a record labelled: messages, and options of the request."""
    messages: list[Message] = [
        {"role": "system", "content": rubric.instructions(stream)},
        {"role": "user", "content": shown},
    ]
    form = rf'\{{"label": "({"|".join(get_stream(stream).labels)})"\}}'
    budget = None if model.decoding.thinking else LABEL_TOKENS
    return messages, {"max_new_tokens": budget, "regex": form if constrain else None}


def read_label(reply: str, stream: str) -> str | None:
    """Read an annotator's reply.

    Parameters
    ----------
    reply : str
        As generated.
    stream : str
        S1 or S2.

    Returns
    -------
    str or None
        One of the stream's labels; None if the reply is anything else, which is no label.

    Examples
    --------
    >>> read_label('{"label": "off_topic"}', "S1"), read_label("It is off_topic.", "S1")
    ('off_topic', None)
    """
    label = reply_object(reply).get("label")
    return label if isinstance(label, str) and label in get_stream(stream).labels else None
