"""What an episode must be, how a wrong one is named, and what counts as the same one twice."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from judged_useless import load_episodes, load_jsonl
from judged_useless.episodes.formats import load_parquet, write_parquet
from judged_useless.episodes.frames import as_frame, fill_judgments
from judged_useless.episodes.schema import PROBED, EpisodeError, validate
from judged_useless.protocol.vocabulary import ACTIONS, JUDGMENTS
from made_up_episodes import episode, random_episodes

NAN = float("nan")
#: Field, wrong value, and what its message says after the field. The episode has three observations.
WRONG: list[tuple[str, object, str]] = [
    ("actions", ["search", "browse"], "entry 2: expected 'search', 'lookup', .* found 'browse'"),
    ("actions", ["search", None], "entry 2: .* found None"),
    ("actions", None, "expected a list, found None"),
    ("actions", "search", "expected a list"),
    ("actions", ["search", "finish", "search"], "expected finish at its end only"),
    ("judgments", ["USELESS", "useful"], "entry 2: .* found 'useful'"),
    ("judgments", ["USEFUL"] * 4, "expected at most one entry for each action other than finish"),
    ("success", 1, "expected true or false, found 1"),
    ("success", None, "expected true or false, found None"),
    ("termination", "gave_up", "expected 'answered', .* found 'gave_up'"),
    ("termination", "budget_exhausted", "expected 'answered' just where the last action is finish"),
    ("failed", [True], "expected one entry for each action other than finish"),
    ("failed", [1, 0, 1], "entry 1: expected true or false"),
    ("budget", 3, "expected at least the actions taken, found 3 for the 4 actions"),
    ("budget", 8.5, "expected a whole number .* found 8.5"),
    ("model", " ", "expected a text with something in it"),
    ("question_id", 7, "expected a text, found 7"),
    ("question_id", "a\ud800", "half of a surrogate pair"),
    ("regime", " persistent", "expected .* no blanks around a regime"),
    ("seed", "0", "expected a whole number"),
    ("seed", 10**30, "expected a whole number of 64 bits, found 10000"),
    ("n_judgment_calls", 1.5, "expected a whole number"),
    ("n_judgment_calls", -5, "expected greater than or equal to 0"),
    ("answer", "\ud800", "half of a surrogate pair"),
    ("stated", ["USELESS"] * 4, "expected at most one entry"),
    ("simulated", 1, "expected true or false, found 1"),
    ("answer_now", [True, 1], "entry 2: expected true or false, found 1"),
    ("answer_now", [[False]], "entry 1: expected true or false"),
    ("repaired_success", 0.3, "expected true or false, found 0.3"),
    ("repaired_answer", 5, "expected a text"),
    ("p_continue", [2.0], "entry 1: expected less than or equal to 1, found 2.0"),
    ("p_answer_now", [True], "entry 1: expected a number, found True"),
    ("prefer", ["zz"], "entry 1: expected 'continue', 'answer_now' or 'unsure'"),
    ("usefulness", ["q"], "entry 1: expected 'USEFUL_NEW'"),
    ("stated_label", ["<script>"], "entry 1: expected 'says_useless'"),
    ("stated_by_label", [True], "entry 1: expected 'USELESS' or 'USEFUL'"),
    ("pages", ["Ada"], "expected one entry for each action other than finish"),
    ("pages", [["a"], None, None], "entry 1: expected a text"),
    ("gold_titles", [None], "entry 1: expected a text"),
]
#: What probes and a run's log may lay beside three observations.
BESIDE: dict[str, Any] = {
    "answer_now": [True, False, None], "answer_now_repaired": [True, True, None],
    "usefulness": ["USEFUL_NEW", None, "UNSURE"], "p_continue": [0.5, 1, None],
    "p_answer_now": [0, None, 0.25], "prefer": ["continue", None, "answer_now"],
    "stated_label": ["says_useless", None, "unclear"], "stated_by_label": ["USELESS", None, None],
    "pages": ["Ada", None, "Bob"], "gold_titles": ["Ada", "Cid"], "repaired_answer": "Paris",
    "repaired_success": True,
}  # fmt: skip


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(("field", "value", "message"), WRONG)
def test_fault_is_named_with_place_and_field(field: str, value: object, message: str, tmp_path: Path) -> None:
    rows = [episode(question_id="q0") | BESIDE, episode() | {field: value}]
    # As objects, since a column of texts cannot hold every one of these.
    with pytest.raises(EpisodeError, match=rf"^some file, row 2: field '{field}': {message}"):
        validate(pd.DataFrame(rows, dtype=object), source="some file")
    path = jsonl(tmp_path / "own.jsonl", *rows)
    with pytest.raises(EpisodeError, match=rf"own\.jsonl, line 2: field '{field}': {message}"):
        load_jsonl(path)


@pytest.mark.parametrize("name", ["model", "regime", "actions", "judgments", "success"])
def test_missing_field_is_named(name: str) -> None:
    with pytest.raises(EpisodeError, match=f"^episodes: field '{name}' is missing; an episode has model, "):
        validate(pd.DataFrame([episode()]).drop(columns=name))


def test_everything_the_schema_allows_passes() -> None:
    whole = episode(
        "-+?.", termination="answered", task="fever", budget=16, answer="", failed=[True, False, True, True],
        stated=["USELESS", None, "USEFUL", None], n_judgment_calls=4, n_discarded=0, seed=3, simulated=False,
    )  # fmt: skip
    absent = episode("", answered=False, question_id="q2", termination="format_failure")
    assert set(whole["judgments"]) == {*JUDGMENTS, None}
    arrays = episode("--", question_id="q3", actions=np.array(["search", "lookup"], dtype=object))
    others = episode(question_id="q4", actions=list(ACTIONS[:3]), judgments=[NAN, pd.NA])
    everything = pd.DataFrame([whole, absent, arrays, others])
    assert validate(everything) is everything


def test_parquet_holds_no_number_where_a_truth_is_asked_for(tmp_path: Path) -> None:
    rows = [episode() | {"answer_now": [0.0, 1.0, None]}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "own.parquet")
    with pytest.raises(EpisodeError, match=r"own.parquet, row 1: field 'answer_now': entry 1: .* found 0.0"):
        load_parquet(tmp_path / "own.parquet")


def test_what_is_laid_beside_survives_a_file(tmp_path: Path) -> None:
    assert set(BESIDE) == set(PROBED)
    rows = [episode(question_id=f"q{number}") | BESIDE for number in range(2)]
    read = load_jsonl(jsonl(tmp_path / "own.jsonl", *rows))
    again = load_parquet(write_parquet(read, tmp_path / "own.parquet"))
    # What was read can be written again.
    twice = load_parquet(write_parquet(again, tmp_path / "twice.parquet"))
    for name, value in BESIDE.items():
        assert read[name].iloc[1] == value, name
        for frame in (again, twice):
            found = frame[name].iloc[1]
            assert (list(found) if isinstance(value, list) else found) == value, name


def test_a_source_that_was_not_probed_stays_allowed_beside_one_that_was(tmp_path: Path) -> None:
    probed = jsonl(tmp_path / "probed.jsonl", episode(question_id="q1") | BESIDE)
    bare = jsonl(tmp_path / "bare.jsonl", episode(question_id="q2"))
    both = load_episodes([probed, bare])
    assert both[list(PROBED)].isna().iloc[1].all()
    nothing = episode(question_id="q3") | dict.fromkeys(PROBED)
    assert not set(PROBED) & set(load_jsonl(jsonl(tmp_path / "null.jsonl", nothing)))


@settings(max_examples=20, deadline=None)
@given(random_episodes())
def test_valid_episodes_are_returned_unchanged(rows: list[dict[str, Any]]) -> None:
    frame = pd.DataFrame(rows)
    before = frame.copy(deep=True)
    assert validate(frame) is frame
    pd.testing.assert_frame_equal(frame, before)


#: Whether the second could be the first, counted again.
PAIRS: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({}, {}, True),
    ({}, {"regime": "clean"}, False),
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
    with pytest.raises(
        EpisodeError, match=r"row 3: field 'question_id': a second episode with .* the one in episodes, row 2"
    ):
        validate(frame)


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
