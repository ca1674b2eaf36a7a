"""What probes and a run's log add to episodes, read from a file: no number from what is none."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from judged_useless import load_episodes, load_jsonl
from judged_useless.episodes.columns import PROBED
from judged_useless.episodes.formats import load_parquet, write_parquet
from judged_useless.episodes.schema import EpisodeError, validate
from made_up_episodes import episode
from paper_book.measures.from_probes import branches, repaired

NAN = float("nan")
#: Three observations; everything that can lie beside them.
WHOLE: dict[str, Any] = {
    "answer_now": [True, False, None],
    "answer_now_repaired": [True, True, None],
    "usefulness": ["USEFUL_NEW", None, "UNSURE"],
    "p_continue": [0.5, 1, None],
    "p_answer_now": [0, None, 0.25],
    "prefer": ["continue", None, "answer_now"],
    "stated_label": ["says_useless", None, "unclear"],
    "stated_by_label": ["USELESS", None, None],
    "pages": ["Ada", None, "Bob"],
    "gold_titles": ["Ada", "Cid"],
    "repaired_answer": "Paris",
    "repaired_success": True,
}
TRUTHS = "expected a list of true, false or null, at most one an observation"
WRONG: list[tuple[str, object, str]] = [
    ("answer_now", ["no", "no"], "entry 1 is 'no', expected true, false or null"),
    ("answer_now", [True, 1], "entry 2 is 1, expected true, false or null"),
    ("answer_now", [NAN], "entry 1 is nan, expected true, false or null"),
    ("answer_now", [[False]], "entry 1 is [False], expected true, false or null"),
    ("answer_now", [True] * 50, f"50 entries for 3 observations, {TRUTHS}"),
    ("answer_now", 7, f"{TRUTHS}, found 7"),
    ("answer_now", True, f"{TRUTHS}, found True"),
    ("answer_now", {"1": False}, f"{TRUTHS}, found {{'1': False}}"),
    ("answer_now_repaired", ["no"], "entry 1 is 'no', expected true, false or null"),
    ("repaired_success", "no", "expected true, false or null, found 'no'"),
    ("repaired_success", 0.3, "expected true, false or null, found 0.3"),
    ("repaired_success", [False], "expected true, false or null, found [False]"),
    ("repaired_answer", 5, "expected a text or null, found 5"),
    ("p_continue", [2.0], "entry 1 is 2.0, expected a number from 0 to 1 or null"),
    ("p_answer_now", [-1], "entry 1 is -1, expected a number from 0 to 1 or null"),
    ("p_answer_now", [True], "entry 1 is True, expected a number from 0 to 1 or null"),
    ("p_continue", 5, "expected a list of numbers from 0 to 1 or nulls, at most one an observation, found 5"),
    ("prefer", ["zz"], "entry 1 is 'zz', expected one of continue, answer_now, unsure or null"),
    ("usefulness", ["q"], "entry 1 is 'q', expected one of USEFUL_NEW, REDUNDANT"),
    ("stated_label", ["<script>"], "entry 1 is '<script>', expected one of says_useless"),
    ("stated_by_label", [True], "entry 1 is True, expected one of USELESS, USEFUL or null"),
    ("stated_by_label", ["USELESS"] * 4, "4 entries for 3 observations"),
    ("pages", 5, "expected a list of texts or nulls, just one an observation, found 5"),
    ("pages", ["Ada"], "1 entries for 3 observations, expected a list of texts or nulls, just one"),
    ("pages", [["a"], None, None], "entry 1 is ['a'], expected a text or null"),
    ("gold_titles", 7, "expected a list of texts, found 7"),
    ("gold_titles", [None], "entry 1 is None, expected a text"),
]  # fmt: skip


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_what_no_probe_writes_is_refused_with_file_line_and_field(
    name: str, value: object, message: str, tmp_path: Path
) -> None:
    rows = [episode(question_id=f"q{number}") | WHOLE for number in range(3)]
    path = jsonl(tmp_path / "own.jsonl", *rows[:2], rows[2] | {name: value})
    with pytest.raises(EpisodeError) as refused:
        load_jsonl(path)
    assert f"{path}, line 3: field {name!r}: {message}" in str(refused.value)


def test_parquet_is_held_to_the_same(tmp_path: Path) -> None:
    rows = [episode() | {"answer_now": [0.0, 1.0, None]}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "own.parquet")
    with pytest.raises(EpisodeError, match=r"own.parquet, row 1: field 'answer_now': entry 1 is 0.0"):
        load_parquet(tmp_path / "own.parquet")


def test_all_columns_survive_a_file(tmp_path: Path) -> None:
    assert set(WHOLE) == set(PROBED)
    rows = [episode(question_id=f"q{number}") | WHOLE for number in range(2)]
    read = load_jsonl(jsonl(tmp_path / "own.jsonl", *rows))
    again = load_parquet(write_parquet(read, tmp_path / "own.parquet"))
    for name, value in WHOLE.items():
        assert read[name].iloc[1] == value, name
        found = again[name].iloc[1]
        assert (list(found) if isinstance(value, list) else found) == value, name
    # What was read can be written again.
    twice = load_parquet(write_parquet(again, tmp_path / "twice.parquet"))
    assert [list(each) for each in twice["p_continue"]] == [WHOLE["p_continue"]] * 2


def test_a_source_without_the_columns_stays_allowed_beside_one_with_them(tmp_path: Path) -> None:
    probed = jsonl(tmp_path / "probed.jsonl", episode(question_id="q1") | WHOLE)
    bare = jsonl(tmp_path / "bare.jsonl", episode(question_id="q2"))
    both = load_episodes([probed, bare])
    assert both[list(PROBED)].isna().iloc[1].all()
    nothing = episode(question_id="q3") | dict.fromkeys(PROBED)
    assert not set(PROBED) & set(load_jsonl(jsonl(tmp_path / "null.jsonl", nothing)))


def test_arrays_have_what_is_missing_as_tables_do() -> None:
    frame = pd.DataFrame([episode() | {"p_continue": np.array([0.5, NAN, 1.0])}])
    assert validate(frame) is frame
    with pytest.raises(EpisodeError, match=r"entry 2 is 7\.0"):
        validate(frame.assign(p_continue=pd.Series([np.array([NAN, 7.0])])))


def test_measures_take_truths_as_they_are(tmp_path: Path) -> None:
    rows = [episode(question_id=f"q{number}") | WHOLE for number in range(2)]
    read = load_jsonl(jsonl(tmp_path / "own.jsonl", *rows))
    assert repaired(read)["success"].dtype == bool
    assert branches(read)["success"].tolist() == [True, False] * 2
    # A table that nobody checked gives no truth either.
    assert validate(repaired(read)) is not None
    with pytest.raises(EpisodeError, match="field 'success'"):
        validate(repaired(read.assign(repaired_success="no")).drop(columns="repaired_success"))
