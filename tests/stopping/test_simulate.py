"""Simulated agents: the generating process, Table 7, and one source of truth for arrays and episodes."""

import sys

import numpy as np
import pandas as pd
import pytest
from judged_useless import FAIL
from judged_useless._io.paths import data_dir
from judged_useless.episodes.decisions import build_decision_points
from judged_useless.episodes.schema import validate
from judged_useless.estimators.contrast import design_label_contrast, time_matched_contrast
from judged_useless.estimators.hazard import integration_index
from judged_useless.stopping.simulate import POLICIES, World, rising_with_time, simulate, simulate_arrays
from judged_useless.stopping.simulated_measures import policy_table, simulated_values, slope_grid

RISING = ("hazard rising with time", "hazard rising with own count")


def published() -> pd.DataFrame:
    table = pd.read_csv(data_dir() / "published" / "table_07.csv")
    measures = table["measure"].replace({"delta": "time_matched_contrast"})
    return table.assign(policy=table["row"], measure=measures)[["policy", "measure", "value"]]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return policy_table().merge(
        published(), on=["policy", "measure"], suffixes=("", "_printed"), validate="1:1"
    )


def test_table_7_is_shown(table: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    shown = table.assign(difference=table["value"] - table["value_printed"])
    columns = ["policy", "measure", "value", "error", "value_printed", "difference"]
    with capsys.disabled():
        text = shown[columns].to_string(index=False, float_format=lambda value: f"{value:+.3f}")
        sys.stdout.write(f"\n{text}\n")
    assert len(shown) == 33


def test_table_7_of_the_fully_defined_policies(table: pd.DataFrame) -> None:
    defined = table[~table["policy"].isin(RISING)]
    assert len(defined) == 9 * 3
    assert (defined["value"].isna() == defined["value_printed"].isna()).all()
    assert (defined["value"] - defined["value_printed"]).abs().max() <= 0.05
    dashes = defined[defined["value"].isna()]
    assert set(dashes["policy"]) == {"clock, action 4", "design-label count k=3"}
    assert set(dashes["reason"]) == {"undefined in every simulation"}


def test_table_7_of_the_rising_hazards_at_the_slopes_chosen(table: pd.DataFrame) -> None:
    rising = table[table["policy"].isin(RISING)]
    assert (rising["value"] - rising["value_printed"]).abs().max() <= 0.05


def test_slope_grid_finds_the_slopes_chosen() -> None:
    printed = published().pivot_table(index="policy", columns="measure", values="value")
    for family, policy, slopes, chosen in (
        ("time", RISING[0], (0.04, 0.06, 0.08), 0.06),
        ("own count", RISING[1], (0.08, 0.12, 0.16), 0.12),
    ):
        grid = slope_grid(family, slopes, n_simulations=40)
        distance = ((grid - printed.loc[policy, list(grid.columns)]) ** 2).sum(axis=1)
        assert distance.idxmin() == chosen
    with pytest.raises(ValueError, match="known: time, own count"):
        slope_grid("clock")


@pytest.mark.parametrize("policy", POLICIES)
def test_arrays_and_episodes_are_one_simulation(policy: str) -> None:
    simulated = simulate_arrays(policy, n_questions=40, seed=3)
    quick, slow = simulated.points(), build_decision_points(simulated.episodes())
    for name in (
        "episode",
        "question",
        "t",
        "action",
        "answered",
        "is_last",
        "run",
        "judged",
        "earlier_useful",
        "failed_run",
    ):
        assert np.array_equal(getattr(quick, name), getattr(slow, name)), name
    assert quick.questions == slow.questions


def test_blocks_of_one_simulation_equal_the_estimators() -> None:
    policy = "own-judgment count k=5"
    values = simulated_values(policy, n_questions=60, n_simulations=3, seed=5)
    episodes = simulate(policy, n_questions=180, seed=5)
    for block in range(3):
        part = episodes.iloc[block * 300 : (block + 1) * 300]
        found = [
            each(part, n_boot=2).value
            for each in (integration_index, design_label_contrast, time_matched_contrast)
        ]
        assert [values[name][block] for name in values] == pytest.approx(found, abs=1e-12)


def test_episodes_fit_the_schema_and_are_labelled() -> None:
    episodes = simulate("never stops", n_questions=30)
    validate(episodes, required=("question_id", "regime", "actions", "judgments"))
    assert set(episodes["model"]) == {"simulated:never stops"}
    assert "success" not in episodes
    assert episodes["actions"].map(len).max() == 8


def test_judgments_and_useful_stops_have_their_probabilities() -> None:
    simulated = simulate_arrays("never stops", n_questions=2000, seed=1)
    said = simulated.judgments >= 0
    useless = simulated.judgments == 0
    real = simulated.failed == 0
    assert useless[said & ~real].mean() == pytest.approx(0.99, abs=0.005)
    assert useless[said & real].mean() == pytest.approx(0.45, abs=0.015)
    points = simulated.points()
    after_useful = (points.run == 0) & (points.failed_run == 0)
    assert points.answered[after_useful].mean() == pytest.approx(0.3, abs=0.015)
    assert not points.answered[~after_useful].any()


def test_another_world_and_an_own_policy() -> None:
    world = World(
        useless_if_failed=1.0,
        useless_if_real=0.0,
        answer_if_useful=1.0,
        budget=5,
        regimes=("recover_after_2",),
    )
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
    with pytest.raises(ValueError, match="useless_if_real must be a probability"):
        World(useless_if_real=1.5)
    with pytest.raises(ValueError, match="unknown regime 'sometimes'"):
        World(regimes=("sometimes",))
    with pytest.raises(ValueError, match="budget"):
        World(budget=1)
    with pytest.raises(ValueError, match="at least one regime"):
        World(regimes=())
    assert World().regimes == FAIL
