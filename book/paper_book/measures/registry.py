"""The measures of the paper's numbers: one row of ``data/measures.yaml`` for each published name."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Literal

import pandas as pd
from judged_useless._io.paths import data_dir
from judged_useless.environment.regimes import FAIL, MEAN3, MEAN4, MEAN6
from pydantic import Field, model_validator

from paper_book.strict_yaml import Strict, read

#: Sets of regimes that the paper pools or averages under one name.
REGIME_SETS: dict[str, tuple[str, ...]] = {
    "fail": FAIL,
    "mean6": MEAN6,
    "mean3": MEAN3,
    "mean4": MEAN4,
    "mean4_late": ("persistent", "late_onset_from_3", "recover_after_2", "clean"),
    "ts_fail": tuple(f"ts_{regime}" for regime in FAIL),
    "ts_mean6": tuple(f"ts_{regime}" for regime in MEAN6),
    "persistent+recover_after_2": ("persistent", "recover_after_2"),
    "persistent+late_onset_from_3": ("persistent", "late_onset_from_3"),
    "persistent+plausible": ("persistent", "plausible"),
    # The seven regimes of each arm on HotpotQA (Appendix C.5: 2,100 trajectories).
    "mean6+plausible": (*MEAN6, "plausible"),
}


@cache
def _function(name: str) -> Callable[..., Any]:
    module, _, attribute = name.rpartition(":")
    found: Callable[..., Any] = getattr(import_module(module or "judged_useless.estimators"), attribute)
    return found


class PaperMeasure(Strict):
    """One measure; the head of ``data/measures.yaml`` says what each field means."""

    call: str | None = None
    pooled: str | None = None
    of: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    part: str | None = None
    n: str | None = None
    cells: Literal[1, 2] = 1
    reads: str = ""
    unnamed: str | dict[str, str] = ""
    as_run: bool = False
    condition: str | dict[str, str] = ""
    second: dict[str, Any] = Field(default_factory=dict)
    judged: bool = False
    columns: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()
    from_log: bool = False
    why_not: str = ""

    @model_validator(mode="after")
    def _one_or_the_other(self) -> "PaperMeasure":
        if bool(self.call) == bool(self.why_not):
            raise ValueError("expected call or why_not")
        return self

    def function(self, n_cells: int) -> Callable[..., Any] | None:
        """Return the call for so many cells, or None where there is none."""
        name = self.call if n_cells == self.cells else self.pooled if n_cells > self.cells else None
        return _function(name) if name else None

    def prepared(self, part: pd.DataFrame) -> pd.DataFrame:
        """Return the episodes as the call gets them."""
        made: pd.DataFrame = _function(self.of)(part) if self.of else part
        return made

    def regimes(self, name: str, task: str) -> tuple[str, ...]:
        """Return the regimes that are read for a number that names these; none where it must name some."""
        unnamed = self.unnamed if isinstance(self.unnamed, str) else self.unnamed.get(task, "")
        read = self.reads or name or unnamed
        return REGIME_SETS.get(read, (read,)) if read else ()

    def condition_of(self, model: str) -> str:
        """Return the condition of a number that names a model and none."""
        return self.condition if isinstance(self.condition, str) else self.condition.get(model, "")


class NumberException(Strict):
    """Numbers that are not what their measure says."""

    where: dict[str, str | list[str]]
    measure: str = ""
    condition: str = ""
    why_not: str = ""

    def fits(self, record: Mapping[Any, Any]) -> bool:
        """Return whether a row of published numbers is one of these."""
        return all(
            str(record[name]) in ([words] if isinstance(words, str) else words)
            for name, words in self.where.items()
        )


class EpisodeColumn(Strict):
    """What episodes may have beside the released fields."""

    probe: str = ""
    called: str = ""
    may_be_null: bool = False


class RunRegimes(Strict):
    """Cells of which the paper ran fewer regimes."""

    where: dict[str, str | int]
    regimes: str


class PaperRuns(Strict):
    """How the paper's cells were run."""

    base_seed: int
    providers: dict[str, str]
    spelled: dict[str, list[str]]
    first_questions: dict[str, int]
    regimes: tuple[RunRegimes, ...]
    notes: dict[str, str]


class Registry(Strict):
    """All measures by name, with what else the paper's numbers need."""

    measures: dict[str, PaperMeasure]
    exceptions: tuple[NumberException, ...]
    columns: dict[str, EpisodeColumn]
    runs: PaperRuns

    @model_validator(mode="after")
    def _known(self) -> "Registry":
        used = {name for row in self.measures.values() for name in row.columns}
        named = {row.measure for row in self.exceptions} - {""}
        unknown = sorted(used - set(self.columns)) + sorted(named - set(self.measures))
        if unknown:
            raise ValueError(f"{', '.join(unknown)} is named and not explained")
        return self


@cache
def registry() -> Registry:
    """Return the registry; a measure is added by a row of the file, or an entry of ``measures``."""
    return read(data_dir() / "measures.yaml", Registry)
