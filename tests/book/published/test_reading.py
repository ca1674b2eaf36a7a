"""Selecting published numbers: what is found, and how loudly what is not."""

from pathlib import Path

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


@pytest.mark.parametrize("table", [29, "0", "eleven"])
def test_an_unknown_table_lists_the_known_ones(table: str | int) -> None:
    with pytest.raises(KeyError, match="there are 1, 2, 3"):
        published(table)


def test_an_unknown_column_lists_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"'modell'.*table, panel"):
        published(6, modell="qwen3-8b")


def test_one_unknown_value_among_known_ones_is_loud() -> None:
    with pytest.raises(KeyError, match="'qwen3'"):
        published(6, model=["qwen3-8b", "qwen3"])


def test_a_combination_that_no_row_has_is_loud() -> None:
    with pytest.raises(KeyError, match="model='qwen3-32b', condition='decide', regime='plausible'"):
        published(model="qwen3-32b", condition="decide", regime="plausible")


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


def test_a_whole_number_may_be_given_as_a_decimal_one() -> None:
    assert published(6, budget=8.0).equals(published(6, budget=8))
    with pytest.raises(KeyError, match=r"no published number has budget '8\.5'"):
        published(budget=8.5)
