"""Selecting published numbers: what is found, and how loudly what is not."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paper_book.published.transcribed import COLUMNS, PublishedError, published, read_file

_HEADER = ",".join(COLUMNS)


def _file(folder: Path, line: str, header: str = _HEADER) -> Path:
    path = folder / "table_06.csv"
    path.write_text(f"{header}\n{line}\n", "utf-8")
    return path


def _line(**fields: str) -> str:
    return ",".join(fields.get(name, "") for name in COLUMNS)


def test_a_small_p_is_a_number_and_keeps_its_sign() -> None:
    row = published(15, model="qwen2.5-7b", condition="enforced_rule - unaided", task="hotpotqa").iloc[0]
    assert (row["p"], row["p_printed"]) == (0.001, "<0.001")


def test_a_fraction_has_k_and_n_and_no_value() -> None:
    row = published("text", panel="C.1", measure="answered_after_5", model="qwen3-8b").iloc[0]
    assert (row["k"], row["n"]) == (1, 292)
    assert np.isnan(row["value"])


def test_selects_by_several_values_and_by_numbers() -> None:
    rows = published(16, model=["qwen3-8b", "llama3.1-8b"], budget=16, measure="tool_calls")
    assert set(rows["model"]) == {"qwen3-8b", "llama3.1-8b"}
    assert set(rows["budget"]) == {16}


@pytest.mark.parametrize(
    ("field", "text", "kind"),
    [
        ("value", "0.3.3", "a decimal number"),
        ("value", ".33", "a decimal number"),
        ("low", "−0.1", "a decimal number"),
        ("high", "nan", "a decimal number"),
        ("p", ">0.5", "a decimal number"),
        ("n", "12.0", "a whole number"),
        ("k", "-1", "a whole number"),
        ("budget", "eight", "a whole number"),
    ],
)
def test_a_malformed_number_names_file_line_and_field(
    tmp_path: Path, field: str, text: str, kind: str
) -> None:
    path = _file(tmp_path, _line(table="6", **{field: text}))
    with pytest.raises(PublishedError, match=rf"table_06\.csv, line 2: field '{field}': expected {kind}"):
        read_file(path)


def test_a_wrong_header_names_what_was_expected(tmp_path: Path) -> None:
    path = _file(tmp_path, _line(table="6"), _HEADER.replace("value", "estimate"))
    with pytest.raises(PublishedError, match=r"line 1: expected the columns table, panel.*found.*estimate"):
        read_file(path)


@pytest.mark.parametrize(
    ("table", "labels", "said"),
    [
        (29, {}, "there are 1, 2, 3"),
        (6, {"modell": "qwen3-8b"}, "'modell'.*table, panel"),
        (6, {"model": ["qwen3-8b", "qwen3"]}, "'qwen3'"),
        (6, {"budget": 8.5}, r"budget '8\.5'"),
        (None, {"model": "qwen3-32b", "condition": "decide", "regime": "plausible"},
         "model='qwen3-32b', condition='decide', regime='plausible'"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_loud(table: int | None, labels: dict[str, Any], said: str) -> None:
    with pytest.raises(KeyError, match=said):
        published(table, **labels)
