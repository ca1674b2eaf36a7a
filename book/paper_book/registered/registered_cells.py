"""Which cells of episodes there are, and exactly what is missing for a measurement."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import pandas as pd
from judged_useless._io.paths import data_dir
from judged_useless.episodes.schema import REQUIRED, EpisodeError, validate

from paper_book.measures.recompute import with_cell_labels
from paper_book.registered.rules import REGIME_SETS
from paper_book.registered.test_measures import STATED

_FIELD_NAMES = {
    STATED: "labelled stated judgments (replay --probe stated)",
    "n_discarded": "discarded turns (n_discarded)",
}
_FIELDS = ["model", "condition", "split", "task", "budget"]


class Cell(NamedTuple):
    """One model in one condition on one split, task and budget."""

    model: str
    condition: str
    split: str = "test300"
    task: str = "hotpotqa"
    budget: int = 8


@dataclass(frozen=True)
class Need:
    """Something that a measurement lacks.

    Attributes
    ----------
    what : str
        "episodes", or what of them is missing ("judgments", "n_discarded", …); "annotations" of any cell.
    cell : Cell or None
        Where; None for what belongs to no cell.
    regimes : tuple of str
        Regimes that lack it.
    """

    what: str
    cell: Cell | None = None
    regimes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return describe([self])


def _regimes_text(regimes: Sequence[str]) -> str:
    for name, members in REGIME_SETS.items():
        if set(members) == set(regimes):
            return name
    return ", ".join(regimes)


def describe(needs: Iterable[Need]) -> str:
    """Return what is missing in words: conditions, regimes and models, as few words as it takes.

    Parameters
    ----------
    needs : iterable of Need
        What is missing.

    Returns
    -------
    str

    Examples
    --------
    >>> describe([Need("episodes", Cell(model, "budget"), ("clean",)) for model in ("m1", "m2")])
    'budget on test300, clean (m1, m2)'
    """
    models: dict[tuple[object, ...], list[str]] = {}
    for need in merge(needs):
        place = (need.what, need.regimes, need.cell[1:] if need.cell else None)
        models.setdefault(place, []).append(need.cell.model if need.cell else "")
    return "; ".join(_phrase(place, names) for place, names in models.items())


def _phrase(place: tuple[object, ...], models: Sequence[str]) -> str:
    what, regimes, cell = place
    if not isinstance(cell, tuple) or not isinstance(regimes, tuple):
        return str(what)
    condition, split, task, budget = cell
    text = f"{condition} on {split}" if task in ("hotpotqa", "fever") else f"{condition} on {task} {split}"
    if budget != 8:
        text += f" with {budget} actions"
    text += f", {_regimes_text(regimes)} ({', '.join(models)})"
    return text if what == "episodes" else f"{_FIELD_NAMES.get(str(what), what)} of {text}"


def merge(needs: Iterable[Need]) -> list[Need]:
    """Return needs without repetition, the regimes of one cell together.

    Parameters
    ----------
    needs : iterable of Need
        What is missing.

    Returns
    -------
    list of Need
        In order of first appearance.
    """
    regimes: dict[tuple[str, Cell | None], dict[str, None]] = {}
    for need in needs:
        regimes.setdefault((need.what, need.cell), {}).update(dict.fromkeys(need.regimes))
    return [Need(what, cell, tuple(names)) for (what, cell), names in regimes.items()]


@cache
def manifest(split: str) -> tuple[str, ...]:
    """Return the question ids of a split in order; empty for a split without a manifest."""
    path = data_dir() / "manifests" / f"{split}.txt"
    return tuple(path.read_text(encoding="utf-8").split()) if path.is_file() else ()


class Cells:
    """Episodes by cell, with what each cell has.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of any number of cells. Without ``task`` an episode is of "hotpotqa", or of "fever" on a
        split whose name starts so; without ``budget`` it has 8 actions.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    """

    def __init__(self, episodes: pd.DataFrame) -> None:
        for name in REQUIRED:
            if name not in episodes:
                raise EpisodeError(
                    f"episodes: field {name!r} is missing; an episode has {', '.join(REQUIRED)}"
                )
        frame = with_cell_labels(episodes)
        # Checked cell by cell: with eight and with sixteen actions one question may occur twice.
        self._frames: dict[Cell, pd.DataFrame] = {}
        for values, cell in frame.groupby(_FIELDS, sort=False, observed=True):
            model, condition, split, kind, actions = map(str, values)
            key = Cell(model, condition, split, kind, int(actions))
            self._frames[key] = validate(cell.reset_index(drop=True), source=" · ".join(map(str, key)))
        self._regimes: dict[tuple[Cell, str, int | None], frozenset[str]] = {}
        self._taken: dict[tuple[Cell, tuple[str, ...], int | None], pd.DataFrame] = {}

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._frames)

    def take(self, cell: Cell, regimes: tuple[str, ...], first: int | None = None) -> pd.DataFrame:
        """Return a cell's episodes of some regimes, of the first questions of its split only if asked.

        Parameters
        ----------
        cell : Cell
            A cell that is there.
        regimes : tuple of str
            Regimes wanted.
        first : int, optional
            Number of questions, in the order of the split's manifest.

        Returns
        -------
        pandas.DataFrame
            In the order of the source.
        """
        key = (cell, regimes, first)
        if key not in self._taken:
            frame = self._frames[cell]
            chosen = frame["regime"].isin(regimes)
            if first is not None:
                chosen &= frame["question_id"].isin(manifest(cell.split)[:first])
            self._taken[key] = frame[chosen].reset_index(drop=True)
        return self._taken[key]

    def missing(
        self,
        cell: Cell,
        regimes: tuple[str, ...],
        *,
        first: int | None = None,
        fields: Sequence[str] = (),
        judged: bool = False,
    ) -> list[Need]:
        """Return what a cell lacks for a measurement, and nothing if it lacks nothing.

        Parameters
        ----------
        cell : Cell
            The cell.
        regimes : tuple of str
            Regimes wanted.
        first : int, optional
            As in :meth:`take`.
        fields : sequence of str
            Optional fields wanted in every regime.
        judged : bool
            Whether every regime must have judgments.

        Returns
        -------
        list of Need
        """
        if cell not in self._frames:
            return [Need("episodes", cell, regimes)]
        there = {name: self._regimes_with(cell, name, first) for name in ("regime", *fields)}
        if judged:
            there["judgments"] = self._regimes_with(cell, "judgments", first)
        if absent := tuple(name for name in regimes if name not in there["regime"]):
            return [Need("episodes", cell, absent)]
        lacking = {what: tuple(name for name in regimes if name not in has) for what, has in there.items()}
        return [Need(what, cell, names) for what, names in lacking.items() if names]

    def _regimes_with(self, cell: Cell, name: str, first: int | None) -> frozenset[str]:
        """Return the regimes in which some episode of a cell has a field, and for judgments one judgment."""
        key = (cell, name, first)
        if key not in self._regimes:
            frame = self.take(cell, tuple(self._frames[cell]["regime"].unique()), first)
            if name == "judgments":
                has = [any(isinstance(word, str) for word in words) for words in frame[name]]
            else:
                has = frame[name].notna().tolist() if name in frame else [False] * len(frame)
            self._regimes[key] = frozenset(frame["regime"][has])
        return self._regimes[key]
