"""The integration index and the hazards by failed run, counted by hand."""

from typing import Any

import pytest
from judged_useless.episodes.decisions import decision_points
from judged_useless.estimators.hazard import hazard_by_failed_run, integration_index


def test_index_by_hand(episode: Any) -> None:
    rows = [
        episode("q1", "-----", regime="persistent"),  # runs 1 2 3 4 5, answers at 5
        episode("q2", "-------", last="finish", regime="persistent"),  # answers at t = 7: left out
        episode("q3", "--+", regime="recover_after_2"),  # runs 1 2 0, answers at 0
        episode("q4", "++-", regime="late_onset_from_3"),  # runs 0 0 1, answers at 1
    ]
    found = integration_index(rows, n_boot=20)
    assert found["n_4_5"] == 4
    assert found["h_4_5"] == 1 / 4
    assert found["n_1_2"] == 7
    assert found["h_1_2"] == 1 / 7
    assert found.value == 1 / 4 - 1 / 7


def test_index_and_hazards_equal_a_group_by_of_the_public_table(random_cell: Any) -> None:
    cell = random_cell(7, 30)
    table = decision_points(cell)
    table = table[(table["t"] <= 6) & (table["failed_run"] >= 1)]
    hazard = [table[table["failed_run"].isin(runs)]["answered"].mean() for runs in ((4, 5), (1, 2))]
    assert integration_index(cell, n_boot=20).value == pytest.approx(hazard[0] - hazard[1], abs=1e-12)
    expected = table.groupby("failed_run")["answered"].agg(["mean", "size"])
    found = hazard_by_failed_run(cell, n_boot=20)
    assert found["value"].to_dict() == pytest.approx(expected["mean"].to_dict())
    assert found["n"].to_dict() == expected["size"].to_dict()


def test_given_failures_stand_in_for_a_schedule(episode: Any) -> None:
    rows = [episode("q1", "----", failed=[True] * 4), episode("q2", "-", failed=[True])]
    assert integration_index(rows, n_boot=20).value == 1 - 1 / 3
