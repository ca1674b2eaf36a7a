"""What every measure is given: how to resample, which regimes a name stands for, and columns of probes."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd
from judged_useless.environment.regimes import FAIL, MEAN3, MEAN4, MEAN6
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError

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
    "persistent+plausible": ("persistent", "plausible"),
    # The seven regimes of each arm on HotpotQA (Appendix C.5: 2,100 trajectories).
    "mean6+plausible": (*MEAN6, "plausible"),
}


_T = TypeVar("_T")


@dataclass(frozen=True)
class Options:
    """How intervals are resampled, and the price of a call where a row of a table names one.

    Attributes
    ----------
    n_boot, seed, level
        As in :class:`judged_useless.estimators.resampling.Resampling`.
    price : float
        λ, the price of a tool call in units of a correct answer; 0 where a row names none.
    memory : dict
        What several measures of a cell have in common, computed once while these options are in use.
    """

    n_boot: int = 2000
    seed: int = 0
    level: float = 0.95
    price: float = 0.0
    memory: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    def keywords(self) -> dict[str, Any]:
        """Return the options as keyword arguments of an estimator."""
        return {"n_boot": self.n_boot, "seed": self.seed, "level": self.level}

    def once(self, cell: pd.DataFrame, what: Hashable, make: Callable[[], _T]) -> _T:
        """Return what was made of a cell before under this name, or make it.

        Parameters
        ----------
        cell : pandas.DataFrame
            The cell; it is kept, so that no other can take its identity.
        what : hashable
            Name of what is made.
        make : callable
            Makes it.
        """
        key = (id(cell), what)
        if key not in self.memory:
            self.memory[key] = (cell, make())
        made: _T = self.memory[key][1]
        return made


Measure = Callable[[pd.DataFrame, str, Options], Estimate]
Contrast = Callable[[pd.DataFrame, pd.DataFrame, str, Options], Estimate]
Pooled = Callable[[Sequence[tuple[pd.DataFrame, pd.DataFrame]], str, Options], Estimate]
Wording = Callable[[pd.DataFrame, str, Options], str]


def regimes_of(name: str, cell: pd.DataFrame) -> tuple[str, ...]:
    """Return the regimes behind a published name, all of which the cell must have.

    Parameters
    ----------
    name : str
        A regime, or a key of :data:`REGIME_SETS`.
    cell : pandas.DataFrame
        Episodes of one cell.

    Returns
    -------
    tuple of str

    Raises
    ------
    UndefinedEstimateError
        If the cell lacks one of them.
    """
    names = REGIME_SETS.get(name, (name,))
    there = set(cell["regime"].unique())
    missing = [each for each in names if each not in there]
    if missing:
        raise UndefinedEstimateError(f"no episode of regime {', '.join(missing) or 'unnamed'}")
    return names


def chosen(cell: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the episodes of the regimes behind a published name.

    Parameters
    ----------
    cell, name
        As for :func:`regimes_of`.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    UndefinedEstimateError
        If the cell lacks one of the regimes.
    """
    return cell[cell["regime"].isin(regimes_of(name, cell))]


def plain(name: str, value: float, n: int, cell: pd.DataFrame, options: Options, **parts: float) -> Estimate:
    """Return a number that the paper prints without an interval.

    Parameters
    ----------
    name : str
        Of the number.
    value : float
        The number.
    n : int
        Observations that it rests on.
    cell : pandas.DataFrame
        Episodes that they are from.
    options : Options
        For the level.
    **parts : float
        Kept with it, such as ``count``.

    Returns
    -------
    Estimate
    """
    return Estimate(
        name, float(value), None, None, options.level, "plain number", n=n,
        n_clusters=cell["question_id"].nunique(), reason="the paper gives no interval", parts=parts,
    )  # fmt: skip


def probed(cell: pd.DataFrame, column: str, probe: str) -> pd.DataFrame:
    """Return a cell whose run was probed, or refuse it.

    Parameters
    ----------
    cell : pandas.DataFrame
        Episodes of one cell.
    column : str
        One that :func:`judged_useless.afterwards.probe_findings.merge_probes` adds.
    probe : str
        The probe that fills it.

    Returns
    -------
    pandas.DataFrame
        The same object.

    Raises
    ------
    UndefinedEstimateError
        If the column is not there, or not for every episode; the message names the command that makes it.
    """
    if column not in cell or cell[column].isna().any():
        raise UndefinedEstimateError(
            f"no {column} for these episodes; it is made by `judged-useless replay RUN --probe {probe}`"
        )
    return cell
