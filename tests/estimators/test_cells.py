"""Episodes of several cells are pooled with a warning that names the cells."""

import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from judged_useless import FAIL, load_episodes
from judged_useless.estimators.contrast import design_label_contrast, leave_contrast, time_matched_contrast
from judged_useless.estimators.hazard import hazard_by_failed_run, hazard_model, integration_index
from made_up_episodes import episode

MEASURES: dict[str, Callable[[Any], object]] = {
    "Δ": lambda episodes: time_matched_contrast(episodes, n_boot=10),
    "the design-label contrast": lambda episodes: design_label_contrast(episodes, n_boot=10),
    "I": lambda episodes: integration_index(episodes, n_boot=10),
    "the hazard": lambda episodes: hazard_by_failed_run(episodes, n_boot=10),
    "the hazard model": lambda episodes: hazard_model(episodes, n_boot=10),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_of_two_cells_names_them(measure: str) -> None:
    episodes = load_episodes(regimes=FAIL)
    with pytest.warns(UserWarning, match=f"^{measure} pools 2 cells") as caught:
        MEASURES[measure](episodes)
    assert [str(each.message) for each in caught] == [
        f"{measure} pools 2 cells (qwen3-8b × enforced_rule × test300; qwen3-8b × unaided × test300); "
        "choose one by condition"
    ]
    assert caught[0].filename == __file__
    MEASURES[measure](episodes[episodes["condition"] == "unaided"])


def test_records_are_looked_at_too_and_those_without_labels_are_one_cell() -> None:
    rows = [
        episode(letters, question_id=f"q{number}", actions=["search"] * 3 + [last])
        for number in range(4)
        for letters, last in [(("---", "-+-")[number % 2], ("finish", "search")[number // 2])]
    ]
    rows = [row | {"judgments": row["judgments"][:3]} for row in rows]
    time_matched_contrast(rows, n_boot=10)
    with pytest.warns(UserWarning, match=r"^Δ pools 4 cells .*; choose one by model, split$"):
        time_matched_contrast(
            [row | {"model": f"m{n % 2}", "split": f"s{n}"} for n, row in enumerate(rows)], n_boot=10
        )
    bare = [{name: row[name] for name in ("question_id", "actions", "judgments")} for row in rows]
    time_matched_contrast(bare, n_boot=10)


def test_no_more_than_four_cells_are_named() -> None:
    one = load_episodes(condition="unaided", regimes=FAIL)
    six = pd.concat([one.assign(model=f"m{number}") for number in range(6)])
    with pytest.warns(UserWarning, match=r"pools 6 cells \(m0 × .*; m3 × unaided × test300 and 2 more\)"):
        time_matched_contrast(six, n_boot=10)


def test_leaving_warns_as_well() -> None:
    rows = [
        episode(
            "---" if number % 2 else "-+-",
            question_id=f"q{number}",
            model=f"m{number % 3}",
            actions=["search"] * 3 + [("backup_search", "search")[number // 4]] + ["finish"],
        )
        for number in range(8)
    ]
    with pytest.warns(UserWarning, match=r"^Δ \(leave\) pools 3 cells"):
        leave_contrast(rows, n_boot=10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        leave_contrast([row | {"model": "m"} for row in rows], n_boot=10)
