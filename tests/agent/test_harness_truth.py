"""Known policies through the real loop, environment and estimators, on atlas: Δ is what it must be.

The paper's Table 7 has the values of the same policies without a loop; where it defines a policy fully, Δ
here must be near it.
"""

from pathlib import Path
from typing import Any

import pytest
from judged_useless.environment.regimes import FAIL
from judged_useless.estimators.contrast import design_label_contrast, time_matched_contrast
from judged_useless.estimators.estimate import Estimate
from judged_useless.runs.cell import run_cell

# Δ and design-label Δ as printed in the paper (Table 7, Appendix C.1): 0 and 0 for the first, then by policy.
TIME = ("deadline", "clock-4", "clock-6", "never")
COUNT = {"own-3": (1.00, 0.60), "own-5": (0.38, 0.21), "design-3": (0.33, 1.00), "design-5": (0.20, 0.33)}


async def contrasts(policy: str, out: Path) -> tuple[Estimate, Estimate]:
    run = await run_cell(
        model=f"scripted:{policy}",
        task="atlas",
        split="test300",
        # Policies that draw need more questions than those that count.
        n_questions=120 if policy.startswith("rising") else 30,
        regimes=FAIL,
        out=out,
        progress=False,
    )
    episodes = run.episodes()
    # Eleven policies and two contrasts are looked at: at 95 % one of them would miss its value by chance.
    options: dict[str, Any] = {"n_boot": 1000, "level": 0.998}
    return time_matched_contrast(episodes, **options), design_label_contrast(episodes, **options)


def bounds(estimate: Estimate) -> tuple[float, float]:
    """Return the interval; where it is undefined because no resample differs, the value is its own bound."""
    low = estimate.value if estimate.low is None else estimate.low
    high = estimate.value if estimate.high is None else estimate.high
    return low, high


@pytest.mark.parametrize("policy", [*TIME, "rising-time", "own-7"])
async def test_delta_is_zero_within_its_interval_for_what_does_not_integrate(
    policy: str, tmp_path: Path
) -> None:
    for estimate in await contrasts(policy, tmp_path):
        low, high = bounds(estimate)
        assert low <= 0 <= high
        assert abs(estimate.value) < 0.1


@pytest.mark.parametrize("policy", [*COUNT, "rising-own"])
async def test_delta_is_clearly_positive_for_what_counts(policy: str, tmp_path: Path) -> None:
    estimates = await contrasts(policy, tmp_path)
    assert bounds(estimates[0])[0] > 0.05
    for estimate, published in zip(estimates, COUNT.get(policy, ()), strict=False):
        low, high = bounds(estimate)
        assert low - 0.02 <= published <= high + 0.02
