"""Broken and unusual shapes of log, read rightly or refused with file, line and reason."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from judged_useless.adapters import read_log

GOOD = {"question_id": "q", "actions": ["search", "finish"], "judgments": ["USELESS"]}


def lines(*records: Any) -> str:
    return "".join(json.dumps(each) + "\n" for each in records)


CSV = "question_id,action,judgment\nq,search,USELESS\nq,finish,\n"
READ: dict[str, tuple[str, str, dict[str, Any]]] = {
    "other case": ("a.jsonl", lines(GOOD | {"actions": ["Search", "FINISH"], "judgments": [" useless"]}), {}),
    "byte-order mark and blank lines": ("a.jsonl", "\ufeff\n" + lines(GOOD) + "\n\n", {}),
    "carriage returns": ("a.jsonl", lines(GOOD).replace("\n", "\r\n"), {}),
    "JSON list": ("a.json", json.dumps([GOOD], indent=1), {}),
    "one JSON object": ("a.json", json.dumps(GOOD), {}),
    "null judgments": ("a.jsonl", lines(GOOD | {"judgments": None}), {"judgments": []}),
    "nothing in the place of an answer's judgment": (
        "a.jsonl", lines(GOOD | {"judgments": ["USELESS", float("nan")]}), {},
    ),
    "further fields": ("a.jsonl", lines(GOOD | {"cost": {"usd": 1}, "note": "n"}), {}),
    "a tool that is no step": (
        "a.jsonl",
        lines(GOOD | {"actions": ["todo", "search", "finish"], "judgments": ["USEFUL", "USELESS"]}),
        {},
    ),
    "a conversation that went on": (
        "a.jsonl",
        lines(GOOD | {"conversation": "c", "actions": ["search"]}, GOOD | {"conversation": "c"}),
        {},
    ),
    "CSV": ("a.csv", CSV, {}),
    "CSV with semicolons": ("a.csv", CSV.replace(",", ";"), {}),
    "CSV with a line break in a cell": (
        "a.csv", 'question_id,action,judgment,result\nq,search,USELESS,"a\nb"\nq,finish,,\n', {},
    ),
    "CSV of interleaved episodes": (
        "a.csv", "question_id,t,action,judgment\nq,1,search,USELESS\nr,1,search,\nq,2,finish,\n", {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", READ)
def test_read(shape: str, tmp_path: Path) -> None:
    name, text, changed = READ[shape]
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    log = read_log(tmp_path / name, mapping={"todo": ""})
    expected = GOOD | changed
    first = log.episodes.iloc[0]
    assert {key: first[key] for key in expected} == expected


def test_packed_and_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines(GOOD).encode()))
    (tmp_path / "b.csv").write_text(CSV.replace("q,", "r,"), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("passed over", encoding="utf-8")
    assert list(read_log(tmp_path).episodes["question_id"]) == ["q", "r"]
    (tmp_path / "b.csv").write_text(CSV, encoding="utf-8")
    with pytest.raises(ValueError, match=r"b\.csv, line 2: .*a second episode .* in .*a\.jsonl\.gz, line 1"):
        read_log(tmp_path)
    (tmp_path / "b.csv").write_text(CSV.replace("judgment", "step"), encoding="utf-8")
    (tmp_path / "a.jsonl.gz").unlink()
    (tmp_path / "more").mkdir()
    log = read_log(tmp_path)
    assert log.dropped == {
        "columns of CSV files that are not read: step": 1,
        "entries of folders that are no log": 2,
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_what_would_be_waited_for_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(ValueError, match=r"a\.jsonl: expected a file or a folder"):
        read_log(tmp_path / "a.jsonl")


def test_one_question_in_many_conversations_is_one_cluster(tmp_path: Path) -> None:
    records = [GOOD | {"conversation": name} for name in ("a", "b", "c")]
    (tmp_path / "watch.jsonl").write_text(lines(*records), encoding="utf-8")
    log = read_log(tmp_path / "watch.jsonl")
    assert log.episodes["question_id"].nunique() == 1
    assert list(log.episodes["seed"]) == [0, 1, 2]


REFUSED: dict[str, tuple[str, str | bytes, str]] = {
    "cut off": ("a.jsonl", lines(GOOD) + '{"question_id": "r", "act', "a.jsonl, line 2: the line is cut off"),
    "two values": ("a.jsonl", json.dumps(GOOD) * 2 + "\n", "line 1: more than one JSON value"),
    "a list a line": ("a.jsonl", lines([GOOD]), "line 1: expected a JSON object, found list"),
    "nothing": ("a.jsonl", "\n", "a.jsonl: the file holds nothing"),
    "no JSON": ("a.json", "{", "a.json: not JSON that can be read"),
    "a list of texts": ("a.json", '["x"]', "a.json, line 1: expected an object, found 'x'"),
    "unknown tool": (
        "a.jsonl", lines(GOOD, GOOD | {"question_id": "r", "actions": ["fetch", "finish"]}),
        "line 2: field 'actions': 'fetch' is none of .*; say what it is, as in --map fetch=search",
    ),
    "no question": ("a.jsonl", lines({"actions": ["search"]}), "field 'question_id' is missing"),
    "finish in the middle": (
        "a.jsonl", lines(GOOD | {"actions": ["finish", "search"]}), "line 1: field 'actions'",
    ),
    "unknown judgment": (
        "a.jsonl", lines(GOOD, GOOD | {"question_id": "r", "judgments": ["bad"]}),
        "line 2: field 'judgments': .*found 'BAD'",
    ),
    "more judgments than results": (
        "a.jsonl", lines(GOOD | {"judgments": ["USEFUL", "USEFUL"]}), "line 1: field 'judgments'",
    ),
    "the same twice": ("a.jsonl", lines(GOOD, GOOD), "line 2: .*a second episode"),
    "actions as a text": ("a.jsonl", lines(GOOD | {"actions": "search"}), "line 1: field 'actions'"),
    "neither": ("a.jsonl", lines({"prompt": "x", "completion": "y"}), "line 1: neither an episode"),
    "other ending": ("a.log", lines(GOOD), "a.log: expected a file that ends in .jsonl"),
    "CSV without actions": ("a.csv", "question_id,tool\nq,x\n", "line 1: column 'action' is missing"),
    "CSV out of order": (
        "a.csv", "question_id,t,action\nq,2,finish\nq,1,search\n", "line 2: t is '2', expected 1",
    ),
    "CSV with a cell too many": ("a.csv", "question_id,action\nq,search,x\n", "line 2: expected 2 columns"),
    "CSV with an open quote": ("a.csv", 'question_id,action\nq,"search\n', "no CSV that can be read"),
    "CSV with a wrong number": (
        "a.csv", "question_id,action,budget\nq,search,many\n", "line 2: field 'budget': expected a whole",
    ),
    "CSV without a step": ("a.csv", "question_id,action\n", "a.csv: the file holds no step"),
    "misspelt": ("a.jsonl", lines({**GOOD, "sed": 1}), "line 1: .sed. is not read; did you mean .seed."),
    "CSV, misspelt": ("a.csv", "question_id,action,judgement\nq,search,\n", "did you mean 'judgment'"),
    "CSV with a column twice": (
        "a.csv", "question_id,action,action\nq,search,search\n", "line 1: column 'action' is there twice",
    ),
    "CSV with two outcomes of an episode": (
        "a.csv", "question_id,action,success\nq,search,1\nq,finish,0\n", "line 3: success is False, before",
    ),
    "CSV without a question": ("a.csv", "question_id,action\n,search\n", "line 2: field 'question_id'"),
    "no Parquet": ("a.parquet", b"PAR1xxxxPAR1", "a.parquet: not a readable Parquet file"),
    "not UTF-8": ("a.csv", b"question_id,action\nq,\xff\n", "a.csv: not UTF-8 text"),
}  # fmt: skip


@pytest.mark.parametrize("shape", REFUSED)
def test_refused(shape: str, tmp_path: Path) -> None:
    name, content, reason = REFUSED[shape]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=reason) as caught:
        read_log(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)


def test_a_chat_without_the_packages_names_the_line_that_installs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "inspect_ai.model", None)
    (tmp_path / "a.jsonl").write_text(lines({"messages": []}), encoding="utf-8")
    with pytest.raises(ImportError, match=r"pip install 'judged-useless\[transcripts\]'"):
        read_log(tmp_path / "a.jsonl")


def test_no_such_file_or_action(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        read_log(tmp_path / "none.jsonl")
    with pytest.raises(ValueError, match="--map fetch=seek: expected one of search"):
        read_log(tmp_path, mapping={"fetch": "seek"})
    (tmp_path / "a.jsonl").write_text(lines(GOOD), encoding="utf-8")
    (why,) = read_log(tmp_path / "a.jsonl", mapping={"serch": "search"}).dropped
    assert "serch" in why
