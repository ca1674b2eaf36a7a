"""The two streams of labels, the rubric that explains them, and how a model is asked by it.

Paper, Appendix B.2; wording ours.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd

from judged_useless._io.messages import shown
from judged_useless._io.paths import data_dir
from judged_useless._io.strict_json import reply_object
from judged_useless.models.base import Message, Model

#: Most new tokens of a label. Ours.
LABEL_TOKENS = 60


@dataclass(frozen=True)
class Stream:
    """One kind of label."""

    #: S1 or S2.
    name: str
    #: Those of the binary agreement: useful new or not; says useless or not.
    positive: tuple[str, ...]
    #: What each label adds to a count of useless results in a row: USELESS one, USEFUL ends it, None makes it
    #: unknown.
    judgments: dict[str, str | None]

    @property
    def labels(self) -> tuple[str, ...]:
        """All five."""
        return tuple(self.judgments)


#: Name -> stream.
STREAMS: dict[str, Stream] = {
    "S1": Stream(
        "S1",
        ("useful_new",),
        {"useful_new": "USEFUL", "related": "USELESS", "redundant": "USELESS", "off_topic": "USELESS",
         "unclear": None},
    ),
    "S2": Stream(
        "S2",
        ("says_useless",),
        {"says_useless": "USELESS", "partly_useful": "USEFUL", "useful": "USEFUL", "no_judgment": None,
         "unclear": None},
    ),
}  # fmt: skip


def checked_labels(stream: str, labels: "pd.Series[Any]", whose: str) -> "pd.Series[Any]":
    """Return labels, None where there is none; ValueError if one is not the stream's."""
    known, given = STREAMS[stream].labels, labels.astype(object).where(labels.notna(), None)
    for item, label in given.items():
        if label not in (None, *known):
            raise ValueError(
                f"{whose}, item {item!r}: label {shown(label)}, expected one of {', '.join(known)}"
            )
    return given


@dataclass(frozen=True)
class Rubric:
    """The rubric as annotators read it."""

    #: Stated in its head.
    version: str
    #: What holds for both streams.
    general: str
    #: Stream -> its section.
    sections: dict[str, str]

    def asks(self, stream: str) -> str:
        """Return what a stream's section asks, as its heading has it."""
        return self.sections[stream].partition("\n")[0].partition(":")[2].strip()

    def instructions(self, stream: str) -> str:
        """Return what an annotator of one stream is told."""
        labels = ", ".join(STREAMS[stream].labels)
        return (
            f"{self.general}\n\n{self.sections[stream]}\n\n"
            f'Reply with a single JSON object and nothing else: {{"label": one of {labels}}}'
        )


@cache
def load_rubric() -> Rubric:
    """Read the rubric, ``data/rubric.md``."""
    text = (data_dir() / "rubric.md").read_text(encoding="utf-8")
    head, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    _, version, general = re.split(r"^version: (\S+)$", head, flags=re.MULTILINE)
    sections = {part.partition(":")[0].strip(): part.strip() for part in parts}
    return Rubric(version, general.strip(), {name: sections[name] for name in STREAMS})


def label_request(
    model: Model, stream: str, record: str, rubric: Rubric, *, constrain: bool
) -> tuple[list[Message], dict[str, Any]]:
    """Return what is sent to have a record labelled: messages, and options of the request."""
    messages: list[Message] = [
        {"role": "system", "content": rubric.instructions(stream)},
        {"role": "user", "content": record},
    ]
    form = rf'\{{"label": "({"|".join(STREAMS[stream].labels)})"\}}'
    budget = None if model.decoding.thinking else LABEL_TOKENS
    return messages, {"max_new_tokens": budget, "regex": form if constrain else None}


def read_label(reply: str, stream: str) -> str | None:
    """Return the label that an annotator replied with, one of the stream's; None if it is anything else.

    Examples
    --------
    >>> read_label('{"label": "off_topic"}', "S1"), read_label("It is off_topic.", "S1")
    ('off_topic', None)
    """
    label = reply_object(reply).get("label")
    return label if isinstance(label, str) and label in STREAMS[stream].labels else None
