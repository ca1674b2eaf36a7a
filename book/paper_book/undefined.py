"""What stands on a page for a result that its episodes do not give."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import pandas as pd
from judged_useless.estimators.estimate import Estimate, estimates_frame

#: An episode that every descriptive table can be made of: what its columns are where there is none.
_ANY_EPISODE = {
    "model": "none", "condition": "none", "split": "none", "question_id": "none", "regime": "recover_after_1",
    "actions": ["search", "search", "search", "finish"], "judgments": ["USELESS", "USEFUL", "USELESS"],
    "success": True,
}  # fmt: skip


def undefined(
    estimator: Callable[..., Any], reason: str, regimes: Sequence[str], options: Mapping[str, Any]
) -> Any:  # noqa: ANN401 - as the estimator returns it
    """Return what stands for a result that there is none of: of the same kind, without a number, with why."""
    returned = str(signature(estimator).return_annotation)
    if "DataFrame" not in returned:
        return Estimate.undefined(reason)
    if returned.startswith("dict"):
        return {}
    if "n_boot" in options:
        return estimates_frame(dict.fromkeys(regimes, Estimate.undefined(reason)), "regime")
    table = estimator(pd.DataFrame([_ANY_EPISODE])).iloc[:0]
    table.attrs["reason"] = reason
    return table
