"""Decision points: by hand, against a plain builder, and on the released episodes."""

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from judged_useless import decision_points, load_episodes
from judged_useless.environment.regimes import get_regime
from judged_useless.episodes.decisions import observation_table
from judged_useless.episodes.schema import EpisodeError
from made_up_episodes import episode, random_episodes

Rows = list[dict[str, Any]]


def plain_failed(row: dict[str, Any]) -> list[bool | None]:
    """Whether each observation failed by design, by the protocol's words; None where nothing tells."""
    observed = [action for action in row["actions"] if action != "finish"]
    if isinstance(row.get("failed"), list):
        return list(row["failed"])
    try:
        regime = get_regime(row["regime"])
    except ValueError:
        return [None] * len(observed)
    return [regime.failed(t) and action != "backup_search" for t, action in enumerate(observed, 1)]


def plain_run(history: list[bool | None]) -> int | None:
    """Length of the unbroken run of True at the end; None if a None could be part of it."""
    run = 0
    for value in reversed(history):
        if value is None:
            return None
        if not value:
            return run
        run += 1
    return run


def plain_decision_points(rows: Rows) -> Rows:
    """Build the decision points of episodes word by word from the protocol's section 6."""
    table = []
    for row in rows:
        actions = row["actions"]
        judged = list(row["judgments"]) + [None] * len(actions)
        failed = plain_failed(row)
        for t in range(1, len(actions)):
            useless = [None if word is None else word == "USELESS" for word in judged[:t]]
            labels = {name: row[name] for name in ("model", "condition", "split", "question_id", "regime")}
            decision = {"t": t, "action": actions[t], "answered": actions[t] == "finish"}
            runs = {"run": plain_run(useless), "failed_run": plain_run(failed[:t])}
            useful, last = "USEFUL" in judged[:t], t == len(actions) - 1
            table.append(labels | decision | runs | {"earlier_useful": useful, "is_last": last})
    return table


def as_rows(table: pd.DataFrame) -> Rows:
    return [
        {str(name): None if pd.isna(value) else value for name, value in row.items()}
        for row in table.astype(object).to_dict("records")
    ]


@settings(max_examples=60, deadline=None)
@given(random_episodes())
def test_decision_points_equal_the_plain_builder(rows: Rows) -> None:
    assert as_rows(decision_points(rows)) == plain_decision_points(rows)


def runs(letters: str, **fields: Any) -> list[int | None]:
    return [row["run"] for row in as_rows(decision_points([episode(letters, **fields)]))]


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("----", [1, 2, 3, 4]),
        ("--+-", [1, 2, 0, 1]),
        ("-?--", [1, 0, 1, 2]),  # UNPARSED is not USELESS, so it ends the run
        ("-.--", [1, None, None, None]),  # a missing judgment hides the run
        ("-.+-", [1, None, 0, 1]),  # until one that is not USELESS has been given
        ("....", [None] * 4),
        ("+", [0]),
    ],
)
def test_run_by_hand(letters: str, expected: list[int | None]) -> None:
    assert runs(letters) == expected


def test_whole_table_by_hand() -> None:
    row = episode(
        "-+-", regime="recover_after_1", actions=["search", "invalid", "lookup", "finish"], question_id="q"
    )
    table = decision_points([row, episode("", answered=True, question_id="no result, no decision")])
    assert table.columns.to_list() == [
        "model", "condition", "split", "question_id", "regime", "t", "action", "answered", "run",
        "earlier_useful", "failed_run", "is_last",
    ]  # fmt: skip
    shown = ["t", "action", "answered", "run", "earlier_useful", "failed_run", "is_last"]
    assert table[shown].to_numpy().tolist() == [
        [1, "invalid", False, 1, False, 1, False],
        [2, "lookup", False, 0, True, 0, False],
        [3, "finish", True, 1, True, 0, True],
    ]


@pytest.mark.parametrize(("regime", "real"), [("ts_persistent", "backup_search"), ("plausible", "lookup")])
def test_the_backup_and_lookups_among_distractor_pages_never_fail(regime: str, real: str) -> None:
    row = episode("----", regime=regime, actions=["search", real, "search", "search", "finish"])
    assert decision_points([row])["failed_run"].to_list() == [1, 0, 1, 2]
    assert observation_table([row])["failed"].to_list() == [True, False, True, True]


@pytest.mark.parametrize(
    ("given_episodes", "error", "message"),
    [
        ("data.jsonl", TypeError, "not str; load them first"),
        ({"actions": []}, TypeError, "not dict; load them first"),
        ([], EpisodeError, "there are no episodes"),
        (pd.DataFrame(), EpisodeError, "there are no episodes"),
        ([episode(), 7], EpisodeError, "row 2: expected a mapping, found int"),
        ([episode(), {"question_id": "q"}], EpisodeError, "row 2: field 'actions' is missing"),
        ([episode(actions=["jump"])], EpisodeError, "row 1: field 'actions': entry 1: expected"),
    ],
)
def test_what_is_no_episode_is_refused(given_episodes: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        decision_points(given_episodes)


def test_released_episodes_equal_the_plain_builder() -> None:
    frame = load_episodes(condition="unaided", regimes=["persistent", "late_onset_from_3"])
    rows = [
        {str(name): list(value) if name in ("actions", "judgments") else value for name, value in row.items()}
        for row in frame.drop(columns="termination").to_dict("records")
    ]
    assert as_rows(decision_points(frame)) == plain_decision_points(rows)
