"""What an episode must be, and how a wrong one is named."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import (
    ACTIONS,
    JUDGMENTS,
    TERMINATIONS,
    EpisodeError,
    fill_judgments,
    validate,
)
from made_up_episodes import episode, random_episodes

WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "wrong action word": (
        {"actions": ["search", "browse"]},
        "actions",
        "entry 2 is 'browse', expected one of",
    ),
    "null action": ({"actions": ["search", None]}, "actions", "entry 2 is None"),
    "null actions": ({"actions": None}, "actions", "expected a list of search, lookup"),
    "actions as text": ({"actions": "search"}, "actions", "expected a list of search"),
    "actions as mapping": ({"actions": {"search": 1}}, "actions", "expected a list of search"),
    "finish in the middle": (
        {"actions": ["search", "finish", "search"], "judgments": []},
        "actions",
        "finish at entry 2 of 3",
    ),
    "wrong judgment word": ({"judgments": ["USELESS", "useful"]}, "judgments", "entry 2 is 'useful'"),
    "judgments as number": ({"judgments": 3}, "judgments", "expected a list of USELESS"),
    "judgments longer than actions": (
        {"actions": ["search", "finish"], "judgments": ["USEFUL", "USEFUL"]},
        "judgments",
        "2 judgments for 1 observations",
    ),
    "success as number": ({"success": 1}, "success", "expected true or false, found 1"),
    "success as text": ({"success": "true"}, "success", "expected true or false, found 'true'"),
    "success null": ({"success": None}, "success", "expected true or false, found None"),
    "unknown ending": ({"termination": "gave_up"}, "termination", "expected one of answered"),
    "ending that does not fit": ({"termination": "budget_exhausted"}, "termination", "does not fit the last"),
    "failed of another length": ({"failed": [True]}, "failed", "expected a list of 3 booleans"),
    "failed of numbers": ({"failed": [1, 0, 1]}, "failed", "expected a list of booleans, one an observation"),
    "budget below the actions": ({"budget": 3}, "budget", "at least the 4 actions taken, found 3"),
    "budget of parts": ({"budget": 8.5}, "budget", "expected a whole number of 64 bits or null, found 8.5"),
    "empty model": ({"model": " "}, "model", "expected a non-empty text"),
    "question as number": ({"question_id": 7}, "question_id", "expected a non-empty text, found 7"),
    "regime as list": ({"regime": ["clean"]}, "regime", "expected a non-empty text, found ['clean']"),
    "seed as text": ({"seed": "0"}, "seed", "expected a whole number of 64 bits or null, found '0'"),
    "seed as list": ({"seed": [0]}, "seed", "expected a whole number of 64 bits or null, found [0]"),
    "calls of parts": ({"n_judgment_calls": 1.5}, "n_judgment_calls", "expected a whole number"),
    "answer as number": ({"answer": 4}, "answer", "expected a text or null, found 4"),
    "task as list": ({"task": ["hotpotqa"]}, "task", "expected a text or null"),
    "seed beyond 64 bits": (
        {"seed": 10**30},
        "seed",
        "expected a whole number of 64 bits or null, found 10000",
    ),
    "calls below none": ({"n_judgment_calls": -5}, "n_judgment_calls", "0 or more, or null, found -5"),
    "stated longer than the observations": (
        {"stated": ["USELESS"] * 4},
        "stated",
        "4 for 3 observations, expected at most one for each",
    ),
    "simulated as text": ({"simulated": "yes"}, "simulated", "expected true, false or null, found 'yes'"),
    "simulated as number": ({"simulated": 1}, "simulated", "expected true, false or null, found 1"),
    "ending as list": ({"termination": ["answered"]}, "termination", "expected one of answered"),
    "half a surrogate pair in an id": (
        {"question_id": "a\ud800"},
        "question_id",
        "expected a non-empty text",
    ),
    "half a surrogate pair in an answer": ({"answer": "\ud800"}, "answer", "expected a text or null"),
    "stated as text": ({"stated": "USELESS"}, "stated", "expected a list"),
}


@pytest.mark.parametrize("case", WRONG)
def test_fault_is_named_with_row_and_field(case: str) -> None:
    change, field, message = WRONG[case]
    # As objects, since a column of texts cannot hold every one of these.
    frame = pd.DataFrame([episode(question_id="q0"), episode(**change)], dtype=object)
    with pytest.raises(EpisodeError) as caught:
        validate(frame, source="some file")
    assert str(caught.value).startswith(f"some file, row 2: field '{field}': ")
    assert message in str(caught.value)


def test_lines_take_the_place_of_rows() -> None:
    frame = pd.DataFrame([episode(question_id="q0"), episode(actions=["jump"])])
    with pytest.raises(EpisodeError, match=r"^f\.jsonl, line 9: field 'actions'"):
        validate(frame, source="f.jsonl", lines=[4, 9])


@pytest.mark.parametrize("name", ["model", "regime", "actions", "judgments", "success"])
def test_missing_field_is_named(name: str) -> None:
    with pytest.raises(EpisodeError, match=f"^episodes: field '{name}' is missing; an episode has model, "):
        validate(pd.DataFrame([episode()]).drop(columns=name))


def test_second_episode_of_a_question_and_regime_is_refused() -> None:
    frame = pd.DataFrame([episode(), episode(regime="clean"), episode()])
    with pytest.raises(
        EpisodeError, match=r"row 3: field 'question_id': a second episode with .*'persistent'"
    ):
        validate(frame)


def test_seeds_tell_repeated_episodes_apart() -> None:
    frame = pd.DataFrame([episode(seed=0), episode(seed=1)])
    assert validate(frame) is frame


def test_everything_the_schema_allows_passes() -> None:
    whole = episode(
        "-+?.",
        termination="answered",
        task="fever",
        budget=16,
        answer="",
        failed=[True, False, True, True],
        stated=["USELESS", None, "USEFUL", None],
        n_judgment_calls=4,
        n_discarded=0,
        seed=3,
    )
    absent = episode("", answered=False, question_id="q2", termination="format_failure")
    assert set(whole["judgments"]) == {*JUDGMENTS, None}
    arrays = episode("--", question_id="q3", actions=np.array(["search", "lookup"], dtype=object))
    everything = pd.DataFrame(
        [whole, absent, arrays, episode(question_id="q4", actions=list(ACTIONS[:3]), judgments=[])]
    )
    assert validate(everything) is everything
    assert "format_failure" in TERMINATIONS


def test_one_fault_among_many_equal_courses_is_found() -> None:
    """Courses are checked once each; a fault in a later, different course must not be passed over."""
    rows = [episode(question_id=f"q{i}") for i in range(50)]
    rows.append(episode(question_id="q50", success=1))  # equal to True and False by ==, not by type
    rows.insert(0, episode(question_id="q51", success=True))
    with pytest.raises(EpisodeError, match="row 52: field 'success'"):
        validate(pd.DataFrame(rows, dtype=object))


def test_missing_judgments_become_an_empty_list_and_nothing_else_changes() -> None:
    frame = pd.DataFrame([episode(), episode(question_id="q2", judgments=None)], index=[5, 9])
    filled = fill_judgments(frame)
    assert filled["judgments"].to_list() == [["USELESS", "USELESS", "USEFUL"], []]
    assert filled.index.to_list() == [5, 9]
    assert frame["judgments"].iloc[1] is None
    assert fill_judgments(filled) is filled


@settings(max_examples=20, deadline=None)
@given(random_episodes())
def test_valid_episodes_are_returned_unchanged(rows: list[dict[str, Any]]) -> None:
    frame = pd.DataFrame(rows)
    before = frame.copy(deep=True)
    assert validate(frame) is frame
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    "name", ["failed", "stated", "task", "answer", "budget", "n_judgment_calls", "n_discarded", "seed"]
)
def test_a_column_of_booleans_only_is_of_no_other_kind(name: str) -> None:
    rows = [episode(), episode(question_id="q2")]
    frame = pd.DataFrame([row | {name: True} for row in rows])
    assert frame[name].dtype == bool
    with pytest.raises(EpisodeError, match=f"row 1: field '{name}': expected .*, found True"):
        validate(frame)


@pytest.mark.parametrize("value", ["yes", "false", 0, 1, [True]])
def test_simulated_is_true_false_or_null(value: object) -> None:
    with pytest.raises(EpisodeError, match="row 1: field 'simulated': expected true, false or null"):
        validate(pd.DataFrame([episode(simulated=value)]))
    for sound in (True, False, None):
        validate(pd.DataFrame([episode(simulated=sound)]))


#: Whether the second could be the first, counted again.
PAIRS: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({}, {"budget": 8}, True),
    ({"budget": 8}, {}, True),
    ({}, {"budget": 16}, False),
    ({}, {"task": "hotpotqa"}, True),
    ({}, {"task": "atlas"}, False),
    ({"split": "fever292"}, {"split": "fever292", "task": "fever"}, True),
    ({}, {"budget": 8, "task": "hotpotqa", "seed": 3}, True),
    ({"seed": 3}, {}, True),
    ({"seed": 3}, {"seed": 4}, False),
    ({"seed": 3}, {"seed": 3}, True),
    ({"seed": 3, "budget": 16}, {"budget": 8}, False),
]


@pytest.mark.parametrize(("first", "second", "same"), PAIRS)
def test_what_an_episode_leaves_out_does_not_make_it_another(
    first: dict[str, Any], second: dict[str, Any], same: bool
) -> None:
    frame = pd.DataFrame([episode(question_id="q0", seed=5), episode(**first), episode(**second)])
    if not same:
        assert validate(frame) is frame
        return
    with pytest.raises(EpisodeError, match="row 3: field 'question_id': a second episode with"):
        validate(frame)


def test_an_unknown_seed_after_known_ones_is_the_row_named() -> None:
    with pytest.raises(EpisodeError, match="row 3: field 'question_id'"):
        validate(pd.DataFrame([episode(seed=0), episode(seed=1), episode()]))


def test_columns_that_occur_twice_are_named() -> None:
    frame = pd.DataFrame([episode()])
    for name in ("judgments", "seed"):
        twice = pd.concat([frame.assign(seed=1), frame.assign(seed=1)[[name]]], axis=1)
        for check in (validate, fill_judgments):
            with pytest.raises(EpisodeError, match=f"field '{name}': the column occurs twice"):
                check(twice)


@pytest.mark.parametrize("name", ["model", "actions", "termination", "answer", "seed", "stated", "success"])
def test_a_long_value_is_shortened_in_the_message(name: str) -> None:
    value: object = ["x" * 10**6] if name != "stated" else "x" * 10**6
    with pytest.raises(EpisodeError) as caught:
        validate(pd.DataFrame([episode() | {name: value}]))
    assert "…" in str(caught.value)
    assert len(str(caught.value)) < 300


def test_half_a_surrogate_pair_among_records_is_named_by_row_and_field() -> None:
    with pytest.raises(EpisodeError, match="row 2: field 'answer': half of a surrogate pair"):
        as_frame([episode(), episode(question_id="q2", answer="\ud800")])
