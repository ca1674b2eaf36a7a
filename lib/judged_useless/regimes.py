"""Failure schedules: which observations of an episode fail.

A regime is a pure function of the 1-based observation index (PROTOCOL: paper §2, "Source failures").
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Regime:
    """One failure schedule.

    Attributes
    ----------
    name : str
        Name used in the released episodes.
    failed : callable
        Maps the 1-based observation index to whether that observation fails.
    """

    name: str
    failed: Callable[[int], bool]


def _recover_after(c: int) -> Regime:
    return Regime(f"recover_after_{c}", lambda t: t <= c)


def _late_onset_from(first: int) -> Regime:
    return Regime(f"late_onset_from_{first}", lambda t: t >= first)


REGIMES: dict[str, Regime] = {
    regime.name: regime
    for regime in (
        Regime("clean", lambda _: False),
        Regime("persistent", lambda _: True),
        *(_recover_after(c) for c in range(1, 6)),
        _late_onset_from(3),
    )
}

#: The five regimes with failures over which Δ is pooled.
FAIL = ("persistent", "recover_after_1", "recover_after_2", "recover_after_3", "late_onset_from_3")
#: The six regimes whose equal-weight mean is the paper's primary success measure.
MEAN6 = ("clean", *FAIL)
