"""What stands on a page for a result that its episodes do not give."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import pandas as pd
from judged_useless.estimators.estimate import Estimate, estimates_frame

#: Episodes that every table can be made of: what its columns are where there is none.
_ANY_EPISODES = [
    {
        "model": "none", "condition": "none", "split": "none", "question_id": judged, "regime": regime,
        "actions": ["search"] * 4 + ["finish"],
        "judgments": [{"-": "USELESS", "+": "USEFUL"}[each] for each in judged], "success": True,
    }
    for regime in ("persistent", "recover_after_1")
    for judged in ("----", "-+--", "--+-")
]  # fmt: skip


def undefined(
    estimator: Callable[..., Any],
    reason: str,
    regimes: Sequence[str],
    options: Mapping[str, Any],
    tables: int = 1,
) -> Any:  # noqa: ANN401 - as the estimator returns it
    """Return what stands for a result that there is none of: of the same kind, without a number, with why."""
    returned = str(signature(estimator).return_annotation)
    if "DataFrame" not in returned:
        return Estimate.undefined(reason)
    if returned.startswith("dict"):
        return {}
    table = estimator(*[pd.DataFrame(_ANY_EPISODES)] * tables, **options).iloc[:0]
    if "n_boot" in options and table.index.name == "regime":
        return estimates_frame(dict.fromkeys(regimes, Estimate.undefined(reason)), "regime")
    table.attrs["reason"] = reason
    return table
