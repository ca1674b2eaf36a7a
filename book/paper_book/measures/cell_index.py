"""Episodes by cell, and exactly what a cell lacks for a measure."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import pandas as pd
from judged_useless._io.messages import shown
from judged_useless._io.paths import data_dir
from judged_useless.episodes.frames import CheckedEpisodes, fill_judgments
from judged_useless.episodes.schema import validate
from judged_useless.estimators.estimate import UndefinedEstimateError

from paper_book.measures.registry import REGIME_SETS, PaperMeasure, registry


class CellKey(NamedTuple):
    """What tells cells apart."""

    model: str
    condition: str
    task: str = "hotpotqa"
    split: str = "test300"
    budget: int = 8


class Need(NamedTuple):
    """Something that a measure lacks: "episodes" or a column of them, of a cell and some of its regimes."""

    what: str
    cell: CellKey | None = None
    regimes: tuple[str, ...] = ()


def describe(needs: Iterable[Need]) -> str:
    """Return what is missing in words: conditions, regimes and models, as few words as it takes.

    Examples
    --------
    >>> describe([Need("episodes", CellKey(model, "budget"), ("clean",)) for model in ("m1", "m2")])
    'budget on test300, clean (m1, m2)'
    """
    models: dict[tuple[object, ...], list[str]] = {}
    for need in merge(needs):
        models.setdefault((_phrase(need), need.regimes), []).append(need.cell.model if need.cell else "")
    return "; ".join(
        f"{phrase}, {_regimes_text(regimes)} ({', '.join(names)})" if regimes else str(phrase)
        for (phrase, regimes), names in models.items()
    )


def _regimes_text(regimes: object) -> str:
    assert isinstance(regimes, tuple)
    named = (name for name, set_ in REGIME_SETS.items() if set(set_) == set(regimes) and "+" not in name)
    return next(named, ", ".join(regimes))


def _phrase(need: Need) -> str:
    if need.cell is None:
        return need.what
    _, condition, task, split, budget = need.cell
    text = f"{condition} on {split}" if task in ("hotpotqa", "fever") else f"{condition} on {task} {split}"
    text += f" with {budget} actions" if budget != 8 else ""
    if need.what == "episodes":
        return text
    column = registry().columns.get(need.what)
    called = column.called if column and column.called else need.what
    return f"{called}{f' (replay --probe {column.probe})' if column and column.probe else ''} of {text}"


def merge(needs: Iterable[Need]) -> list[Need]:
    """Return needs without repetition, the regimes of one cell together, in order of first appearance."""
    regimes: dict[tuple[str, CellKey | None], dict[str, None]] = {}
    for need in needs:
        regimes.setdefault((need.what, need.cell), {}).update(dict.fromkeys(need.regimes))
    return [Need(what, cell, tuple(names)) for (what, cell), names in regimes.items()]


@cache
def manifest(split: str) -> tuple[str, ...]:
    """Return the question ids of a split in order; empty for a split without a manifest."""
    path = data_dir() / "manifests" / f"{split}.txt"
    return tuple(path.read_text(encoding="utf-8").split()) if path.is_file() else ()


def with_cell_labels(episodes: pd.DataFrame) -> pd.DataFrame:
    """Return episodes with ``task`` and ``budget``, which released episodes leave out."""
    splits = episodes["split"] if "split" in episodes else pd.Series("", index=episodes.index, dtype="str")
    by_split = splits.str.startswith("fever").map({True: "fever", False: "hotpotqa"})
    task = episodes["task"].fillna(by_split) if "task" in episodes else by_split
    budget = episodes["budget"].fillna(8) if "budget" in episodes else pd.Series(8, index=episodes.index)
    return episodes.assign(task=task.astype("str"), budget=budget.astype(int))


class CellIndex:
    """Episodes by cell."""

    def __init__(self, episodes: pd.DataFrame) -> None:
        labelled = with_cell_labels(validate(episodes))
        self._none = labelled.iloc[:0]
        self.cells: dict[CellKey, pd.DataFrame] = {}
        for labels, cell in labelled.groupby(list(CellKey._fields), sort=False, observed=True):
            model, condition, task, split, budget = map(str, labels)
            self.cells[CellKey(model, condition, task, split, int(budget))] = _without_silent(cell)
        self._whole: dict[CellKey, pd.DataFrame] = {}
        self._parts: dict[tuple[CellKey, tuple[str, ...]], pd.DataFrame] = {}
        self._regimes: dict[tuple[CellKey, tuple[str, ...], str], frozenset[str]] = {}

    def find(self, key: CellKey) -> pd.DataFrame | None:
        """Return a cell under any name of its condition, all questions of it where some are asked for."""
        whole = key._replace(split=key.split.partition("-first")[0])
        conditions = (key.condition, *registry().runs.spelled.get(key.condition, ()))
        names = [each._replace(condition=name) for each in (key, whole) for name in conditions]
        return next((self.cells[name] for name in names if name in self.cells), None)

    def part(self, key: CellKey, regimes: tuple[str, ...]) -> pd.DataFrame:
        """Return a cell's episodes of some regimes, possibly none; of the first questions if so named."""
        if (key, regimes) not in self._parts:
            if key not in self._whole:
                found = self.find(key)
                self._whole[key] = self._none if found is None else _of_one_seed(found)
            cell = self._whole[key]
            chosen = cell["regime"].isin(regimes)
            split, first, n = key.split.partition("-first")
            if first and key.split not in set(cell.get("split", ())):
                chosen &= cell["question_id"].isin(manifest(split)[: int(n)])
            self._parts[key, regimes] = CheckedEpisodes(fill_judgments(cell[chosen].reset_index(drop=True)))
        return self._parts[key, regimes]

    def missing(self, key: CellKey, regimes: tuple[str, ...], measure: PaperMeasure) -> list[Need]:
        """Return what a cell lacks for a measure, and nothing if it lacks nothing."""
        there = self._with(key, regimes, "regime")
        if not there.issuperset(regimes) or not regimes:
            return [Need("episodes", key, tuple(name for name in regimes if name not in there))]
        wanted = (*measure.columns, *(["judgments"] if measure.judged else []))
        lacking = {name: set(regimes) - self._with(key, regimes, name) for name in wanted}
        return [
            Need(name, key, tuple(each for each in regimes if each in found))
            for name, found in lacking.items()
            if found
        ]

    def _with(self, key: CellKey, regimes: tuple[str, ...], name: str) -> frozenset[str]:
        """Return the regimes in which every episode has a column, or some episode a judgment."""
        if (key, regimes, name) not in self._regimes:
            part = self.part(key, regimes)
            if name == "judgments":
                judged = [any(isinstance(word, str) for word in words) for words in part[name]]
                found = set(part["regime"][judged])
            elif name not in part:
                found = set()
            else:
                column = registry().columns.get(name)
                without = part[name].isna() & (column is None or not column.may_be_null)
                found = set(part["regime"].unique()) - set(part["regime"][without])
            self._regimes[key, regimes, name] = frozenset(found)
        return self._regimes[key, regimes, name]


def _without_silent(cell: pd.DataFrame) -> pd.DataFrame:
    # Every estimator checks the episodes that it is given, and lists take longest.
    return cell.drop(
        columns=[name for name in ("failed", "stated") if name in cell and cell[name].isna().all()]
    )


def _of_one_seed(cell: pd.DataFrame) -> pd.DataFrame:
    """Refuse several runs of one cell, which no measure tells apart: it would pool or pair them at random."""
    again = cell.duplicated(["question_id", "regime"])
    if not again.any():
        return cell
    first = cell[again].iloc[0]
    name = " × ".join(str(first[label]) for label in CellKey._fields)
    seeds = ", ".join(f"{seed:g}" for seed in sorted(cell["seed"].dropna().unique()))
    raise UndefinedEstimateError(
        f"the cell {name} has several seeds ({seeds}), and {shown(first['question_id'])} in "
        f"{first['regime']} more than once: give the episodes of one seed at a time"
    )
