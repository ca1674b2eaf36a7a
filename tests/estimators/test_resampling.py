"""The shared stream, weights and interval."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.resampling import (
    Measure,
    Resampling,
    percentile_interval,
    released_draws,
    resampling_weights,
    share,
)


@given(n=st.integers(1, 700), size=st.integers(1, 40), seed=st.integers(0, 5))
def test_draws_equal_randrange(n: int, size: int, seed: int) -> None:
    rng = Random(seed)
    assert released_draws(n, 3, seed, size).ravel().tolist() == [rng.randrange(n) for _ in range(3 * size)]


def test_weights_count_the_draws_and_are_shared() -> None:
    weights = resampling_weights(7, 20, 3, "released", 11)
    assert weights.sum(axis=1).tolist() == [11.0] * 20
    assert weights is resampling_weights(7, 20, 3, "released", 11)
    assert not weights.flags.writeable
    for row, drawn in zip(weights, released_draws(7, 20, 3, 11), strict=True):
        assert row.tolist() == np.bincount(drawn, minlength=7).tolist()


def test_other_streams_and_seeds_differ() -> None:
    kinds = [resampling_weights(30, 5, seed, stream) for seed in (0, 1) for stream in ("released", "numpy")]
    for i, first in enumerate(kinds):
        for second in kinds[i + 1 :]:
            assert not np.array_equal(first, second)


def test_percentiles_are_elements_of_the_sorted_values() -> None:
    assert percentile_interval(np.arange(2000.0), 0.95) == (50.0, 1949.0)
    with pytest.raises(UndefinedEstimateError, match="too few"):
        percentile_interval(np.zeros(1), 0.95)


def test_bad_plans_are_refused() -> None:
    with pytest.raises(TypeError, match="seed must be a whole number"):
        Resampling(seed=True)


def test_an_estimate_is_a_mapping_and_shows_itself() -> None:
    sums = np.array([[10.0, 5], [10, 2], [10, 9]])
    found = Measure("share", sums, share, n=30, parts={"extra": 1.0}).estimate(Resampling(100))
    assert found["estimate"] == found["value"] == found.value
    assert (found["ci_low"], found["ci_high"], found["extra"]) == (found.low, found.high, 1.0)
    assert dict(found).keys() == set(found)
    assert str(found).startswith("share = 0.533 [")
    assert "question-cluster bootstrap" in found._repr_html_()
    assert found.excludes_zero() is True
    with pytest.raises(KeyError, match="not part of this estimate"):
        found["median"]


def test_an_estimate_without_a_value_or_a_reason_is_refused() -> None:
    with pytest.raises(UndefinedEstimateError, match="is undefined"):
        Estimate("x", float("nan"), 0.0, 1.0, 0.95, "none", 1, 1)
    for bound in (None, float("nan")):
        with pytest.raises(ValueError, match="needs a reason"):
            Estimate("x", 0.5, bound, 0.6, 0.95, "none", 1, 1)


def test_nearly_equal_resamples_give_no_zero_width_interval() -> None:
    """One question of three hundred has all the events of a rare stratum: most resamples agree."""
    sums = np.zeros((400, 2))
    sums[:, 0] = 1e-9
    sums[0] = [1.0, 1.0]

    def rare(totals: np.ndarray) -> np.ndarray:
        return (totals[..., 1] > 4).astype(float)

    found = Measure("rare", sums, rare, n=400).estimate(Resampling(2000))
    assert found.low is None
    assert found.reason.startswith("all but a few resamples give the same value")


def test_a_row_of_a_frame_is_an_estimate_again() -> None:
    whole = Measure("share", np.array([[10.0, 5], [10, 2]]), share, n=20).estimate(Resampling(100))
    narrow = Measure("share", np.array([[10.0, 5]]), share, n=10).estimate(Resampling(100))
    frame = estimates_frame({"a": whole, "b": narrow, "c": Estimate.undefined("nothing there")}, "key")
    rows = frame.to_dict("index")
    assert [Estimate.from_row(rows[key]) for key in "ab"] == [whole, narrow]
    with pytest.raises(UndefinedEstimateError, match="c is undefined: nothing there"):
        Estimate.from_row(rows["c"])
