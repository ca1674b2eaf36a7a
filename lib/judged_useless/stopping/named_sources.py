"""Named sources to compare thresholds on: one problem, and what it becomes if recovery comes later."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judged_useless.stopping.problem import StoppingProblem, is_list, is_whole

#: Sources whose lines can still be told apart in one figure.
MOST_SOURCES = 6
PAPER = "the paper's six regimes"


def named_sources(
    problem: StoppingProblem,
    *,
    prior: Sequence[str] | Mapping[str, float] | None = None,
    recoveries: Sequence[int] = (),
) -> dict[str, StoppingProblem]:
    """Return a first source, and one more for each number of failures before a recovery.

    Parameters
    ----------
    problem : StoppingProblem
        Everything but the prior.
    prior : sequence of str, or mapping of str to float, optional
        Regimes of the first source, equally likely, or regime -> weight (scaled to sum to 1); by default the
        six of mean6, equally.
    recoveries : sequence of int
        For each, a source that with equal chance works, fails for good, or recovers after so many failures.

    Returns
    -------
    dict of str to StoppingProblem
        By name, the first source first.

    Raises
    ------
    ValueError
        If `prior` is empty or `recoveries` are not whole numbers of at least 1, naming which.
    """
    first, weights = _first(prior)
    if not is_list(recoveries):
        raise ValueError(f"recoveries is {recoveries!r}, expected a list of numbers of failures")
    if len(recoveries) >= MOST_SOURCES:
        raise ValueError(f"recoveries has {len(recoveries)} entries, expected at most {MOST_SOURCES - 1}")
    for each in recoveries:
        if not (is_whole(each) and each >= 1):
            raise ValueError(f"recoveries has {each!r}, expected whole numbers of failures, at least 1")
    sources = {first: problem if weights is None else replace(problem, prior=weights)}
    for each in recoveries:
        regimes = ("clean", "persistent", f"recover_after_{each}")
        sources[f"works, fails, or recovers after {each}"] = replace(
            problem, prior=dict.fromkeys(regimes, 1.0)
        )
    return sources


def _first(
    prior: Sequence[str] | Mapping[str, float] | None,
) -> tuple[str, Mapping[str, float] | None]:
    """Return the first source's name and its prior."""
    if prior is None:
        return PAPER, None
    if isinstance(prior, str) or not isinstance(prior, Sequence | Mapping) or not len(prior):
        raise ValueError(f"prior is {prior!r}, expected at least one regime, or None for {PAPER}")
    if strange := [each for each in prior if not isinstance(each, str)]:
        raise ValueError(f"prior has {strange[0]!r}, expected names of regimes")
    if isinstance(prior, Mapping):
        return ", ".join(f"{name} ({weight})" for name, weight in prior.items()), prior
    return f"{', '.join(prior)} (equally likely)", dict.fromkeys(prior, 1.0)
