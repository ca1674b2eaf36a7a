"""Arguments that several estimators take, checked before anything is resampled."""

from collections.abc import Collection, Sequence

import numpy as np

from judged_useless.environment.regimes import get_regime
from judged_useless.estimators.estimate import UndefinedEstimateError


def whole_number(name: str, value: object, least: int = 1) -> int:
    """Return a count.

    Parameters
    ----------
    name : str
        Of the argument.
    value : object
        What was given.
    least : int, default 1
        Smallest that is allowed.

    Returns
    -------
    int

    Raises
    ------
    TypeError
        If it is not a whole number; true and false are none.
    ValueError
        If it is too small.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    return int(value)


def regime_names(name: str, regimes: Sequence[str]) -> tuple[str, ...]:
    """Return names of regimes that are pooled or averaged.

    Parameters
    ----------
    name : str
        Of the argument.
    regimes : sequence of str
        What was given.

    Returns
    -------
    tuple of str

    Raises
    ------
    TypeError
        If it is one text, which would be taken letter by letter.
    ValueError
        If there is none, or one twice.
    """
    if isinstance(regimes, str):
        raise TypeError(f"{name} must be a list of names, not one text; give [{regimes!r}]")
    names = tuple(regimes)
    if not names:
        raise ValueError(f"{name} must name at least one regime")
    for place, each in enumerate(names):
        if each in names[:place]:
            raise ValueError(f"{name} names {each!r} twice")
    return names


def require_some_regime(what: str, wanted: Sequence[str], there: Collection[str]) -> None:
    """Refuse regimes of which there is none, and a name that is neither there nor that of any regime.

    Parameters
    ----------
    what : str
        That is undefined without them.
    wanted, there : collection of str
        Names asked for, and those of the episodes. A known regime may be missing beside one that is there.

    Raises
    ------
    UndefinedEstimateError
        Naming the regimes that are missing, and those that are there.
    """
    absent = [name for name in wanted if name not in there]
    if absent and (len(absent) == len(wanted) or not all(map(_known, absent))):
        raise UndefinedEstimateError(
            f"{what} is undefined: no decision of regime {', '.join(absent)}; there is "
            f"{', '.join(sorted(there)) or 'none'}"
        )


def _known(name: str) -> bool:
    try:
        get_regime(name)
    except ValueError:
        return False
    return True
