"""What an episode is: its fields, what each may hold, and the one check where episodes enter."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from types import NoneType
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import FailFast, Field, Strict, TypeAdapter, ValidationError

from judged_useless._io.messages import shown
from judged_useless.protocol.vocabulary import ACTIONS, JUDGMENTS, PREFERENCES, STATED_LABELS, USEFULNESS

#: Fields that every stored episode has.
REQUIRED = ("model", "condition", "split", "question_id", "regime", "actions", "judgments", "success")
#: Fields that an episode may have.
OPTIONAL = (
    "termination", "task", "budget", "answer", "failed", "stated", "n_judgment_calls", "n_discarded", "seed",
    "simulated",
)  # fmt: skip
#: Fields that every stopping measure needs.
MINIMUM = ("question_id", "actions", "judgments")
#: What makes an episode one episode.
KEY = ("model", "condition", "split", "question_id", "regime")
#: Whole numbers, kept so beside nulls: a seed beyond 2**53 would not survive a column of floats.
WHOLE = ("budget", "seed", "n_judgment_calls", "n_discarded")
#: Actions an episode may take when it does not say so itself (paper §2).
DEFAULT_BUDGET = 8
#: How an episode ended; null where it cannot be known.
TERMINATIONS = ("answered", "budget_exhausted", "format_failure", "generation_truncated")

Episodes = pd.DataFrame | Iterable[Mapping[str, Any]]

#: A bound on the length makes pydantic look into the text: half of a surrogate pair could not be written.
_Text = Annotated[str, Field(strict=True, min_length=0)]
_Name = Annotated[str, Field(strict=True, pattern=r"\S")]
#: With blanks around it, a regime would pass for one of the reader's own.
_Regime = Annotated[str, Field(strict=True, pattern=r"^\S(.*\S)?$")]
_Truth = Annotated[bool, Strict()]
_Whole = Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]
_Count = Annotated[int, Field(strict=True, ge=0, lt=2**63)]
_Probability = Annotated[float, Field(strict=True, ge=0, le=1)]


def _one_of(words: tuple[str, ...]) -> Any:  # noqa: ANN401 - a type
    return Literal[words]


def _listed(kind: Any) -> Any:  # noqa: ANN401 - a type
    return Annotated[list[kind], Strict()]


#: Probe -> field of its results at one observation -> what it holds.
PROBE_FIELDS: dict[str, dict[str, Any]] = {
    "judgments": {"judgment": _one_of(JUDGMENTS)},
    "answer-now": {
        # Any word: an action that is none is what the agent wrote all the same.
        "action": _Text | None, "answer": _Text | None, "success": _Truth, "placeholder": _Truth,
        "repaired_answer": _Text | None, "repaired_success": _Truth,
    },
    "beliefs": {
        "usefulness": _one_of(USEFULNESS) | None, "p_continue": _Probability | None,
        "p_answer_now": _Probability | None, "prefer": _one_of(PREFERENCES) | None,
    },
    "repair": {"repaired_answer": _Text | None, "repaired_success": _Truth},
    "stated": {
        "label": _one_of(STATED_LABELS) | None, "judgment": _one_of(("USELESS", "USEFUL")) | None,
    },
}  # fmt: skip
#: Probe -> column of the episodes -> field of its results. One entry an observation, None where not asked.
LISTS: dict[str, dict[str, str]] = {
    "answer-now": {"answer_now": "success", "answer_now_repaired": "repaired_success"},
    "beliefs": {name: name for name in ("usefulness", "p_continue", "p_answer_now", "prefer")},
    "stated": {"stated_label": "label", "stated_by_label": "judgment"},
}
_ASKED = {column: PROBE_FIELDS[probe][field] for probe, of in LISTS.items() for column, field in of.items()}
#: What probes and a run's log add to episodes.
PROBED = (*_ASKED, "pages", "gold_titles", "repaired_answer", "repaired_success")

#: Field -> what it holds. Where an optional field is null, it says nothing.
FIELDS: dict[str, Any] = {
    **dict.fromkeys(KEY, _Name), "regime": _Regime,
    "actions": _listed(_one_of(ACTIONS)), "judgments": _listed(_one_of(JUDGMENTS) | None),
    "success": _Truth, "termination": _one_of(TERMINATIONS) | None, "task": _Text | None,
    "answer": _Text | None, "budget": _Whole | None, "seed": _Whole | None,
    "n_judgment_calls": _Count | None, "n_discarded": _Count | None, "simulated": _Truth | None,
    "failed": _listed(_Truth) | None, "stated": _listed(_Text | None) | None,
    **{name: _listed(kind | None) | None for name, kind in _ASKED.items()},
    "pages": _listed(_Text | None) | None, "gold_titles": _listed(_Text) | None,
    "repaired_answer": _Text | None, "repaired_success": _Truth | None,
}  # fmt: skip
#: Lists of one entry an observation: just as many, or at most.
_EXACT, _AT_MOST = ("failed", "pages"), ("judgments", "stated", *_ASKED)
#: Type of pydantic's error -> how a message says it, where its own words are a programmer's.
_WORDING = {
    "string_pattern_mismatch": "expected a text with something in it, and no blanks around a regime",
    "string_unicode": "half of a surrogate pair, expected a text",
    "string_type": "expected a text",
    "bool_type": "expected true or false",
    "list_type": "expected a list",
    **dict.fromkeys(("int_type", "less_than"), "expected a whole number of 64 bits"),
    "float_type": "expected a number",
}


class EpisodeError(ValueError):
    """An episode that is not what the schema says; the message names the place and the field."""


class NoEpisodesError(EpisodeError):
    """A source without an episode, or with none of those that were asked for."""


def missing(value: object) -> bool:
    """Return whether a value says nothing: null, or what a table has for it."""
    return value is None or value is pd.NA or (isinstance(value, float) and value != value)


def encodable(text: str) -> bool:
    """Return whether a text can be written: half of a surrogate pair cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@cache
def _adapter(kind: Any) -> "TypeAdapter[Any]":  # noqa: ANN401 - a type
    return TypeAdapter(Annotated[list[kind], FailFast()])


def fault_of(kind: Any, value: object) -> str:  # noqa: ANN401 - a type
    """Return what is wrong with a value of a kind (see :data:`PROBE_FIELDS`), or an empty text."""
    return _faults(kind, [value]).get(0, "")


def _faults(kind: Any, values: list[Any]) -> dict[int, str]:  # noqa: ANN401 - a type
    """Return the fault of the first wrong value, by its place."""
    try:
        _adapter(kind).validate_python(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        row, *entry = first["loc"]
        text = _WORDING.get(first["type"]) or first["msg"].replace("Input should be", "expected")
        place = f"entry {int(entry[0]) + 1}: " if entry else ""
        return {int(row): f"{place}{text}, found {shown(first['input'])}"}
    return {}


def plain(value: object) -> Any:  # noqa: ANN401 - whatever a record holds
    """Return a table's value as JSON has it: None for missing, lists for arrays, Python's own numbers."""
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if missing(value) else value


def _raw(column: "pd.Series[Any]") -> list[Any]:
    if isinstance(column.dtype, pd.StringDtype):
        return list(column.array.to_numpy(dtype=object, na_value=None))
    return column.tolist()


def _sound(kind: Any, values: list[Any]) -> bool:  # noqa: ANN401 - a type
    """Return whether all values are of a kind, each looked at once; False also where a set does not help."""
    types = set(map(type, values))
    lists = not types.isdisjoint((list, np.ndarray))
    if lists and types - {list, np.ndarray, NoneType}:
        return False
    entries: Any = values
    if lists:
        given = [value for value in values if value is not None]
        entries = [*chain.from_iterable(given)] if list in types else np.concatenate(given)
    # To a set, true and 1 are the same.
    if pd.api.types.infer_dtype(entries) not in ("string", "boolean", "integer", "empty"):
        return False
    few = list(set(entries))
    return not _faults(kind, [few, *[None] * (NoneType in types)] if lists else few)


def _of_kind(column: "pd.Series[Any]") -> tuple[list[Any], dict[int, str]]:
    """Return a field's values, and what is wrong with the first that is not of its kind."""
    values, kind = _raw(column), FIELDS[str(column.name)]
    if _sound(kind, values):
        return values, {}
    if column.name in WHOLE and column.dtype.kind == "f":  # a table of the reader's own, with nulls
        values = [int(value) if value.is_integer() else value for value in values]
    values = [plain(value) for value in values]
    return values, _faults(kind, values)


def _misfits(
    name: str, values: list[Any], taken: NDArray[np.int64], answered: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], str]:
    """Return which values of a field do not fit the actions, and what was expected."""
    if name == "actions":
        finishes = np.array([row.count("finish") for row in values])
        return finishes > answered, "finish at its end only"
    if name == "termination":
        given = np.array([value is not None for value in values])
        return given & (np.array([value == "answered" for value in values]) != answered), (
            "'answered' just where the last action is finish"
        )
    if name == "budget":
        budgets = np.array([np.inf if value is None else value for value in values])
        return budgets < np.maximum(taken, 1), "at least the actions taken"
    lengths = np.array([-1 if value is None else len(value) for value in values])
    observations = taken - answered
    wrong = (lengths >= 0) & (lengths != observations) if name in _EXACT else lengths > observations
    return wrong, f"{'one' if name in _EXACT else 'at most one'} entry for each action other than finish"


def validate(
    frame: pd.DataFrame,
    *,
    source: str = "episodes",
    lines: Sequence[int] | None = None,
    required: Sequence[str] = REQUIRED,
) -> pd.DataFrame:
    """Return the episodes unchanged, or refuse them with the place and the field of the first fault.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row an episode.
    source : str
        Name of the file or folder, for the message.
    lines : sequence of int, optional
        1-based line of each row, for the message; row numbers are given without it.
    required : sequence of str
        Columns that must be there (default: the released ones).

    Raises
    ------
    EpisodeError
        If a field is missing or has a wrong value, or if one question and regime of a cell occurs twice.
    """

    def place(row: int) -> str:
        return f"{source}, line {lines[row]}" if lines is not None else f"{source}, row {row + 1}"

    require_columns(frame, required, source)
    actions: list[Any] | None = None
    taken, answered = np.empty(0, np.int64), np.empty(0, bool)
    for name in [name for name in FIELDS if name in frame]:
        column = frame[name]
        texts = isinstance(column.dtype, pd.StringDtype) and name != "termination"
        if texts and not _faults(FIELDS[name], [*map(plain, column.unique().tolist())]):
            continue
        values, faults = _of_kind(column)
        for row, fault in faults.items():
            raise EpisodeError(f"{place(row)}: field {name!r}: {fault}")
        if name == "actions":
            values = [row if type(row) is list else row.tolist() for row in values]
            actions, taken = values, np.array([len(row) for row in values])
            answered = np.array([bool(row) and row[-1] == "finish" for row in values], dtype=bool)
        if actions is not None and name in ("actions", "termination", "budget", *_EXACT, *_AT_MOST):
            wrong, expected = _misfits(name, values, taken, answered)
            if wrong.any():
                row = int(wrong.argmax())
                raise EpisodeError(
                    f"{place(row)}: field {name!r}: expected {expected}, found {shown(plain(values[row]))} "
                    f"for the {len(actions[row])} actions {shown(actions[row])}"
                )
    refuse_repeated(frame, place)
    return frame


def require_columns(frame: pd.DataFrame, required: Sequence[str], source: str = "episodes") -> None:
    """Refuse a table that lacks a column or has one twice."""
    if not frame.columns.is_unique:
        name = frame.columns[frame.columns.duplicated()][0]
        raise EpisodeError(f"{source}: field {name!r}: the column occurs twice, expected once")
    for name in required:
        if name not in frame:
            raise EpisodeError(f"{source}: field {name!r} is missing; an episode has {', '.join(required)}")


def with_task(frame: pd.DataFrame) -> pd.DataFrame:
    """Return episodes whose ``task``, where some leave it out, is the paper's: HotpotQA, or FEVER."""
    if "task" not in frame or "split" not in frame or not frame["task"].isna().any():
        return frame
    fever = frame["split"].str.startswith("fever")
    return frame.assign(task=frame["task"].where(frame["task"].notna(), np.where(fever, "fever", "hotpotqa")))


def refuse_repeated(frame: pd.DataFrame, place: Callable[[int], str]) -> None:
    """Refuse an episode that is, or could be, one that came before, in a table whose fields are sound.

    What an episode leaves out is what the paper has: eight actions, and the task of :func:`with_task`.
    Without a seed it could be any of those with one. `place` says where the episode of a row is.
    """
    group = np.zeros(len(frame), dtype=np.int64)
    for name in [name for name in (*reversed(KEY), "task", "budget") if name in frame]:
        column = (with_task(frame) if name == "task" else frame)[name]
        if name == "budget":
            column = pd.to_numeric(column).fillna(DEFAULT_BUDGET)
        codes, values = pd.factorize(column, use_na_sentinel=False)
        # Numbered anew each time, so that products stay small.
        group, groups = pd.factorize(group * len(values) + codes)
        if len(groups) == len(frame):
            return
    same = pd.Series(group, index=frame.index).duplicated()
    if "seed" in frame:
        seed, unknown = frame["seed"], frame["seed"].isna()
        known_before = pd.DataFrame({"group": group, "seed": seed}).duplicated()
        same &= known_before | unknown.groupby(group).cummax()
    if same.any():
        row = int(same.to_numpy().argmax())
        alike = group == group[row]
        if "seed" in frame and not unknown.iloc[row]:
            alike = alike & (seed.isna() | (seed == seed.iloc[row])).to_numpy(dtype=bool)
        names = [name for name in (*KEY, "task", "budget", "seed") if name in frame]
        what = ", ".join(f"{name}={shown(plain(frame[name].iloc[row]))}" for name in names)
        raise EpisodeError(
            f"{place(row)}: field 'question_id': a second episode with {what}, beside the one in "
            f"{place(int(alike.argmax()))}; expected one for each question and regime of a cell"
        )
