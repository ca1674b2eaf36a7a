"""What is checked before labels are counted: of which items they are, and that they are labels at all."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from judged_useless._io.strict_json import shown
from judged_useless.afterwards.items import KEY
from judged_useless.afterwards.labels import STREAMS, Stream, get_stream
from judged_useless.episodes.schema import missing

#: What tells the episode of an item.
EPISODE = tuple(name for name in KEY if name != "t")
_NUMBERS = ("budget", "seed")


def stream_of(key: pd.DataFrame) -> Stream:
    """Return the stream whose items a key has.

    Parameters
    ----------
    key : pandas.DataFrame
        As `judged_useless.afterwards.key_table` returns it.

    Returns
    -------
    Stream

    Raises
    ------
    ValueError
        If it is not one stream, or an item occurs twice.
    """
    names = key["stream"].unique()
    if len(names) != 1:
        raise ValueError(f"items of {len(names)} streams; expected those of one")
    repeated = key.index[key.index.duplicated()]
    if len(repeated):
        raise ValueError(f"the key has item {repeated[0]!r} twice, expected each once")
    return get_stream(str(names[0]))


def checked_labels(
    kind: Stream, items: Collection[str], labels: "pd.Series[Any]", whose: str
) -> dict[str, str]:
    """Return the labels that some items have.

    Parameters
    ----------
    kind : Stream
        Whose labels they have to be.
    items : collection of str
        Ids of the items.
    labels : pandas.Series
        Label by item id, which may have other items too.
    whose : str
        For messages.

    Returns
    -------
    dict of str to str
        Without the items that have no label, or a missing one.

    Raises
    ------
    ValueError
        If an item has two labels, or one that is none of the stream's.
    """
    if not labels.index.is_unique:
        repeated = labels.index[labels.index.duplicated()][0]
        raise ValueError(f"{whose}: item {repeated!r} has two labels, expected at most one")
    found = {}
    for name in items:
        label = labels.get(name)
        if missing(label):
            continue
        if not (isinstance(label, str) and label in kind.labels):
            raise ValueError(
                f"{whose}, item {name!r}: label {shown(label)}, expected one of {', '.join(kind.labels)}"
            )
        found[name] = label
    return found


def n_right(first: "pd.Series[Any]", rulings: Mapping[str, str]) -> int:
    """Return how many rulings have the label that the primary annotator gave.

    Parameters
    ----------
    first : pandas.Series
        Label of the primary annotator by item id; a missing one is not right.
    rulings : mapping of str to str
        Item id -> label.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If a ruling is of an item that the primary annotator has not, or labels are not those of one stream.
    """
    if unknown := [name for name in rulings if name not in first.index]:
        raise ValueError(f"adjudicated {unknown[0]!r}: no item of the primary annotator")
    # A label can be one of both streams, so all of them together tell which it is.
    given = [*rulings.values(), *first[first.index.isin(list(rulings))]]
    kind = max(STREAMS.values(), key=lambda stream: sum(label in stream.labels for label in given))
    labels = checked_labels(kind, rulings, first, "primary annotator")
    decided = checked_labels(kind, rulings, pd.Series(rulings, dtype=object), "adjudicated")
    if lacking := [name for name in rulings if name not in decided]:
        raise ValueError(f"adjudicated {lacking[0]!r}: no label, expected one of {', '.join(kind.labels)}")
    return sum(labels.get(name) == label for name, label in decided.items())


def episode_of(fields: Sequence[Any]) -> tuple[Any, ...]:
    """Return what tells an episode, equal however a table holds it.

    Parameters
    ----------
    fields : sequence
        Values of `EPISODE`. Where a seed is missing, a table holds all of them as fractions.

    Returns
    -------
    tuple
    """
    return tuple(
        None if missing(value) else int(value) if name in _NUMBERS else value
        for name, value in zip(EPISODE, fields, strict=True)
    )
