"""In what two specifications differ: values in full, hashes by what they are of."""

from collections.abc import Iterator, Mapping
from typing import Any

#: Entry that holds hashes -> what to say where they differ; ``{names}`` are the entries in it.
_HASHES = {
    "trajectories_sha256": "the run's trajectories in {names} are not the ones that were asked",
    "prompts_sha256": "the prompts have another wording ({names})",
    "rubric_sha256": "the rubric of {names} has another wording",
    "data_sha256": "the questions are not the same",
    "items_sha256": "the records to label are not the same (other runs, or another sample)",
}

_Leaf = tuple[str, Any, Any]


def _leaves(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> Iterator[_Leaf]:
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from _leaves(before, after, f"{prefix}{name}.")
        elif before != after:
            yield f"{prefix}{name}", before, after


def _shown(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else repr(value)


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return in what two specifications differ.

    Parameters
    ----------
    old, new : mapping
        JSON values, possibly nested.

    Returns
    -------
    list of str
        ``name: value there, value now``; for a hash, in words, what it is of.

    Examples
    --------
    >>> differences({"k": 5, "data_sha256": "a1"}, {"k": 3, "data_sha256": "b2"})
    ['k: 5 there, 3 now', 'the questions are not the same']
    """
    said, hashed = [], dict[str, list[str]]()
    for name, before, after in _leaves(old, new):
        kind, _, entry = name.partition(".")
        if kind not in _HASHES:
            said.append(f"{name}: {_shown(before)} there, {_shown(after)} now")
        elif kind != "trajectories_sha256" or None not in (before, after):
            # A regime that only one of them has is told by the regimes.
            hashed.setdefault(kind, []).append(entry)
    return said + [_HASHES[kind].format(names=", ".join(names)) for kind, names in hashed.items()]
