"""Failure regimes: which observations of an episode fail, and what is shown in their place.

A schedule is a pure function of the 1-based observation index (paper §2, "Source failures"; §D.5).
"""

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass

from judged_useless._io.seeds import stable_seed


@dataclass(frozen=True)
class Regime:
    """One failure regime.

    Attributes
    ----------
    failed : callable
        Maps the 1-based observation index to whether that observation fails: the *design label*.
    how : str
        What a failed observation shows, a key of `judged_useless.environment.failures.FAULTS`.
    two_source : bool
        Whether the agent also has ``backup_search``, which never fails.
    """

    name: str
    failed: Callable[[int], bool]
    how: str = "shuffled"
    two_source: bool = False


def _recover_after(c: str) -> Regime:
    return Regime(f"recover_after_{c}", lambda t: t <= int(c))


def _late_onset_from(first: str) -> Regime:
    return Regime(f"late_onset_from_{first}", lambda t: t >= int(first))


def _intermittent(rate: str, seed: str) -> Regime:
    # Each index has a draw of its own, so a schedule does not depend on how often it is asked.
    name, threshold = f"intermittent_{rate}_{seed}", float(rate) * 2**60
    return Regime(name, lambda t: stable_seed("intermittent", seed, t) < threshold)


def _two_source(regime: Regime) -> Regime:
    return dataclasses.replace(regime, name=f"ts_{regime.name}", two_source=True)


#: The five regimes with failures over which Δ is pooled.
FAIL = ("persistent", "recover_after_1", "recover_after_2", "recover_after_3", "late_onset_from_3")
#: The six regimes whose equal-weight mean is the paper's primary success measure.
MEAN6 = ("clean", *FAIL)
#: The three regimes of the doubled-budget runs (paper, Table 16).
MEAN3 = ("persistent", "recover_after_2", "clean")
#: The four regimes of the comparison with simple policies (paper, Table 17).
MEAN4 = ("clean", "persistent", "plausible", "recover_after_2")
#: Regimes whose judgments the paper did not replay; only conditions that use them have them there.
NOT_REPLAYED = ("clean", "plausible")

_ONE_SOURCE = (
    Regime("clean", lambda t: False, how="none"),
    Regime("persistent", lambda t: True),
    *map(_recover_after, "12345"),
    _late_onset_from("3"),
    Regime("plausible", lambda t: True, how="distractor"),
    Regime("answerless", lambda t: True, how="answerless"),
    # Natural failures, not in the paper: its limitations ask for them. They are in none of its averages.
    *(Regime(how, lambda t: True, how=how) for how in ("stale", "partial", "erroneous", "empty")),
)

REGIMES: dict[str, Regime] = {
    regime.name: regime
    for regime in (*_ONE_SOURCE, *(_two_source(regime) for regime in _ONE_SOURCE if regime.name in MEAN6))
}

#: Regimes with a parameter: pattern of the name -> builder from its groups. Tried after `REGIMES`.
PARAMETRIC: dict[str, Callable[..., Regime]] = {
    r"recover_after_([1-9]\d*)": _recover_after,
    r"late_onset_from_([1-9]\d*)": _late_onset_from,
    r"intermittent_(0(?:\.\d+)?|1(?:\.0+)?)_(\d+)": _intermittent,
    r"ts_(?!ts_)(.+)": lambda name: _two_source(get_regime(name)),
}


def get_regime(name: str) -> Regime:
    """Look a regime up, or build a parametric one from its name.

    Parameters
    ----------
    name : str
        A key of `REGIMES`, or ``recover_after_<c>``, ``late_onset_from_<t>``, ``intermittent_<rate>_<seed>``
        (each observation fails with probability `rate` in 0..1, drawn from `seed`), or ``ts_`` in front of
        any of them. A ValueError lists those there are.

    Examples
    --------
    >>> [t for t in range(1, 9) if get_regime("late_onset_from_6").failed(t)]
    [6, 7, 8]
    """
    if name in REGIMES:
        return REGIMES[name]
    for pattern, build in PARAMETRIC.items():
        if match := re.fullmatch(pattern, name):
            return build(*match.groups())
    raise ValueError(
        f"unknown regime {name!r}; known are {', '.join(REGIMES)}, and recover_after_<c>, "
        "late_onset_from_<t>, intermittent_<rate>_<seed>, each also with ts_ in front"
    )
