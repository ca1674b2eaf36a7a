"""Simulated agents: the generating process, Table 7, and one source of truth for arrays and episodes."""

import sys

import numpy as np
import pandas as pd
import pytest
from judged_useless import FAIL
from judged_useless._io.paths import data_dir
from judged_useless.episodes.decisions import build_decision_points
from judged_useless.estimators.contrast import design_label_contrast, time_matched_contrast
from judged_useless.estimators.hazard import integration_index
from judged_useless.stopping.simulate import (
    RUN_SLOPE,
    TIME_SLOPE,
    World,
    rising_with_run,
    rising_with_time,
    simulate,
    simulate_arrays,
)
from paper_book.simulated_measures import policy_table, simulated_values


def published() -> pd.DataFrame:
    table = pd.read_csv(data_dir() / "published" / "table_07.csv")
    measures = table["measure"].replace({"delta": "time_matched_contrast"})
    return table.assign(policy=table["row"], measure=measures)[["policy", "measure", "value"]]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return policy_table().merge(
        published(), on=["policy", "measure"], suffixes=("", "_printed"), validate="1:1"
    )


def test_table_7_within_the_error_of_ten_simulations(
    table: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    """300 simulations here, ten behind each published number, which is printed to two digits."""
    assert len(table) == 33
    assert (table["value"].isna() == table["value_printed"].isna()).all()
    dashes = table[table["value"].isna()]
    assert set(dashes["policy"]) == {"clock, action 4", "design-label count k=3"}
    assert set(dashes["reason"]) == {"undefined in every simulation"}
    shown = table.dropna(subset="value").assign(
        gap=lambda rows: rows["value"] - rows["value_printed"],
        error=lambda rows: np.hypot(rows["error"], rows["published_error"]),
    )
    with capsys.disabled():
        columns = ["policy", "measure", "value", "value_printed", "gap", "error", "fitted"]
        sys.stdout.write(f"\n{shown[columns].to_string(index=False, float_format='{:+.3f}'.format)}\n")
    assert (shown["error"] < 0.04).all()
    assert ((shown["gap"].abs() - 0.005).clip(lower=0) <= 3 * shown["error"] + 1e-9).all()


def test_the_slopes_are_those_that_fit_the_published_rows_best() -> None:
    printed = published().pivot_table(index="policy", columns="measure", values="value")
    for rising, policy, slopes, chosen in (
        (rising_with_time, "hazard rising with time", (0.04, 0.06, 0.08), TIME_SLOPE),
        (rising_with_run, "hazard rising with own count", (0.08, 0.12, 0.16), RUN_SLOPE),
    ):
        distances = {}
        for slope in slopes:
            values = pd.DataFrame(simulated_values(rising(slope), n_simulations=40)).mean()
            distances[slope] = float(np.square(values - printed.loc[policy]).sum())
        assert min(distances, key=distances.__getitem__) == chosen


@pytest.mark.parametrize("budget", [8, 10])
def test_blocks_of_one_simulation_equal_the_estimators(budget: int) -> None:
    policy, world = rising_with_run(0.1), World(budget=budget)
    values = simulated_values(policy, n_questions=60, n_simulations=3, seed=5, world=world)
    episodes = simulate(policy, n_questions=180, seed=5, world=world)
    estimators = (integration_index, design_label_contrast, time_matched_contrast)
    for block in range(3):
        part = episodes.iloc[block * 300 : (block + 1) * 300]
        found = [each(part, n_boot=2).value for each in estimators]
        assert [values[name][block] for name in values] == pytest.approx(found, abs=1e-12)


def test_judgments_and_useful_stops_have_their_probabilities() -> None:
    simulated = simulate_arrays("never stops", n_questions=2000, seed=1)
    assert simulated.useless[simulated.failed].mean() == pytest.approx(0.99, abs=0.005)
    assert simulated.useless[~simulated.failed].mean() == pytest.approx(0.45, abs=0.015)
    points = build_decision_points(simulated.episodes())
    after_useful = (points.run == 0) & (points.failed_run == 0)
    assert points.answered[after_useful].mean() == pytest.approx(0.3, abs=0.015)
    assert not points.answered[~after_useful].any()


def test_another_world_and_an_own_policy() -> None:
    world = World(1.0, 0.0, 1.0, budget=5, regimes=("recover_after_2",))
    episodes = simulate("never stops", n_questions=4, world=world)
    assert [list(actions) for actions in episodes["actions"]] == [["search"] * 3 + ["finish"]] * 4
    assert episodes["judgments"].iloc[0] == ["USELESS", "USELESS", "USEFUL"]
    own = simulate(rising_with_time(1.0), n_questions=2, world=world)
    assert [len(actions) for actions in own["actions"]] == [2, 2]


def test_seeds_repeat_and_differ() -> None:
    first, again, other = (simulate("never stops", n_questions=20, seed=seed) for seed in (0, 0, 1))
    pd.testing.assert_frame_equal(first, again)
    assert first["judgments"].tolist() != other["judgments"].tolist()


def test_bad_options_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown policy 'guess'; known: never stops"):
        simulate("guess")
    with pytest.raises(ValueError, match="n_questions"):
        simulate("never stops", n_questions=0)
    with pytest.raises(ValueError, match="n_simulations"):
        simulated_values("never stops", n_simulations=0)
    with pytest.raises(ValueError, match="useless_if_real is"):
        World(useless_if_real=1.5)
    with pytest.raises(ValueError, match="unknown regime 'sometimes'"):
        simulate("never stops", world=World(regimes=("sometimes",)))
    with pytest.raises(ValueError, match="budget is "):
        World(budget=1)
    with pytest.raises(ValueError, match="regimes"):
        World(regimes=())
    assert World().regimes == FAIL
