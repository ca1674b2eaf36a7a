"""The shared stream, weights and interval."""

import tracemalloc
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.resampling import (
    Measure,
    Resampling,
    draw_blocks,
    percentile_interval,
    share,
    weight_blocks,
)


@given(n=st.integers(1, 700), size=st.integers(1, 40), seed=st.integers(0, 5))
def test_draws_equal_randrange(n: int, size: int, seed: int) -> None:
    rng = Random(seed)
    drawn = np.concatenate(list(draw_blocks(n, Resampling(3, seed), size)))
    assert drawn.ravel().tolist() == [rng.randrange(n) for _ in range(3 * size)]


@pytest.mark.parametrize("block", [1, 50, 333])
def test_blocks_are_one_stream(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Resampling(40, 3)
    sums = np.random.default_rng(0).random((30, 2))
    measure = Measure("share", sums, share, n=30)
    whole, weights = next(draw_blocks(30, plan)), next(weight_blocks(30, plan))
    assert weights.tolist() == [np.bincount(row, minlength=30).tolist() for row in whole]
    values = measure.resampled(plan)
    monkeypatch.setattr("judged_useless.estimators.resampling._BLOCK", block)
    blocks = list(draw_blocks(30, plan))
    assert len(blocks) > 1
    assert np.array_equal(np.concatenate(blocks), whole)
    assert np.array_equal(np.concatenate(list(weight_blocks(30, plan))), weights)
    assert measure.resampled(plan) == pytest.approx(values, abs=1e-15)


def test_memory_does_not_grow_with_questions_times_resamples() -> None:
    sums = np.ones((100_000, 2))
    tracemalloc.start()
    Measure("share", sums, share, n=1).resampled(Resampling(200))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300e6  # the weights of all resamples would be 160 MB, their draws as much again, and so on


def test_percentiles_are_elements_of_the_sorted_values() -> None:
    assert percentile_interval(np.arange(2000.0), 0.95) == (50.0, 1949.0)
    assert percentile_interval(np.arange(40.0), 0.95) == (1.0, 38.0)


@pytest.mark.parametrize(("n_boot", "level", "least"), [(3, 0.95, 40), (39, 0.95, 40), (200, 0.9999, 20_000)])
def test_an_interval_that_the_resamples_cannot_give_is_undefined_by_name(
    n_boot: int, level: float, least: int
) -> None:
    measure = Measure("share", np.random.default_rng(0).random((30, 2)), share, n=30)
    found = measure.estimate(Resampling(n_boot, level=level))
    assert (found.low, found.high) == (None, None)
    assert f"{n_boot} resampled values are too few" in found.reason
    assert found.reason.endswith(f"at least {least}")
    assert measure.estimate(Resampling(least, level=level)).low is not None


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
    with pytest.raises(KeyError, match="not part of this estimate"):
        found["median"]


def test_an_estimate_without_a_value_or_a_reason_is_refused() -> None:
    with pytest.raises(UndefinedEstimateError, match="is undefined"):
        Estimate("x", float("nan"), 0.0, 1.0, 0.95, "none", 1, 1)
    with pytest.raises(ValueError, match="needs a reason"):
        Estimate("x", 0.5, None, 0.6, 0.95, "none", 1, 1)


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
