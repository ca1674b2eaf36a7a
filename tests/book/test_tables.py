"""Tables for pages: escaped, captioned, linked, in groups, and honest about what is missing."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from html_reader import Reader
from judged_useless import load_episodes
from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published
from paper_book.tables.data_table import FoldedRows, FoldedTable, Notice, Table, Text, comparison_table

HOSTILE = '<script>alert("1")</script>&\'<img src=x onerror=alert(2)>'
#: Moves the cursor, rings, turns the direction of what follows.
STEERING = "\x1b[2J\x07\u202e"


def folded(text: str = "x") -> FoldedTable:
    rows: dict[str, tuple[Text, ...]] = {"k1": (text, (text, text)), "k2": ("second", "b")}
    parts = (FoldedRows(text, text, (text, text), rows), FoldedRows("empty", "0 rows", (), {}))
    return FoldedTable(text, parts, note=text, anchors={"k2": text}, open_first=True)


@pytest.mark.parametrize(
    ("shown", "times"),
    [
        (Table(pd.DataFrame({HOSTILE: [HOSTILE]}), HOSTILE, HOSTILE), 4),  # caption, heading, cell, note
        (Table(pd.DataFrame({"a": [[HOSTILE]]}), "c"), 1),
        (Table(pd.DataFrame({"a": [[(HOSTILE, HOSTILE)]]}), "c", anchors={"x": HOSTILE}), 1),
        (Table(pd.DataFrame({"a": [HOSTILE]}), "c", anchors={HOSTILE: HOSTILE}), 1),
        (Notice(HOSTILE, commands=[HOSTILE]), 2),
        (folded(HOSTILE), 9),
    ],
)
def test_text_from_models_and_data_is_never_markup(shown: Any, times: int) -> None:
    page = Reader(shown)
    assert "script" not in {tag for tag, _ in page.elements}
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert page.texts.count(HOSTILE) == times


def test_characters_that_steer_are_visible_marks_in_both_forms() -> None:
    table = Table(pd.DataFrame({"a": [STEERING, "b"], "b": [["search", STEERING]] * 2}), STEERING)
    for text in table._repr_mimebundle_().values():
        assert not set(STEERING) & set("\x1b\x07\u202e") & set(text.partition("\n")[2])
    assert "␛[2J␇<U+202E>" in Reader(table).texts


def test_a_table_is_sortable_named_and_shown_whole() -> None:
    words = " ".join(map(str, range(300)))
    page = Reader(Table(pd.DataFrame({"a": [words, *range(500)]}), "A caption"))
    assert words in page.texts
    assert len(page.all("tr")) == 502
    assert "ju-sortable" in (page.all("table")[0]["class"] or "")
    assert page.all("div") == [
        {"class": "ju-scroll", "tabindex": "0", "role": "region", "aria-label": "A caption"}
    ]
    assert page.all("p") == []  # a note is only there when given


def test_missing_values_are_empty_in_both_forms() -> None:
    frame = pd.DataFrame({"a": [1.5, np.nan], "b": ["x", None], "c": pd.array([None, 3], dtype="Int64")})
    bundle = Table(frame, "caption")._repr_mimebundle_()
    assert bundle["text/html"].count("<td></td>") == 3
    for text in bundle.values():
        assert not {"nan", "None", "<NA>"} & set(re.split(r"[<>\s]+", text))


def test_links_and_anchors() -> None:
    frame = pd.DataFrame({"a": ["here"], "b": [[("one", "1.html#x"), ("two", "2.html")]]})
    page = Reader(Table(frame, "c", anchors={"here": "place"}))
    assert [each["href"] for each in page.all("a")] == ["1.html#x", "2.html"]
    assert page.all("span") == [{"id": "place"}]
    assert "one; two" in Table(frame, "c")._repr_mimebundle_()["text/plain"]


def test_backticks_become_code_and_a_lone_one_stays() -> None:
    html = Table(pd.DataFrame({"a": [1]}), "A `caption", "Run `make <data>`.")._repr_mimebundle_()[
        "text/html"
    ]
    assert "Run <code>make &lt;data&gt;</code>." in html
    assert "<figcaption>A `caption</figcaption>" in html


def test_groups_keep_their_roles_and_only_wanted_rows_have_anchors() -> None:
    page = Reader(folded())
    assert [each.get("open", "closed") for each in page.all("details")] == [None, "closed"]
    assert [each["id"] for _, each in page.elements if "id" in each] == ["x"]
    # A narrow screen shows rows as blocks, which would take their roles away.
    assert [each["role"] for each in page.all("tr")] == ["row"] * 4
    assert [each["data-column"] for each in page.all("td")] == ["x", "x"]
    plain = folded()._repr_mimebundle_()["text/plain"].splitlines()
    assert plain == ["Table: x", "", "x: x", "x | x (x)", "second | b", "", "empty: 0 rows", "x"]


# --- published beside recomputed ------------------------------------------------------------------


def beside(rows: pd.DataFrame, missing: str = "run something") -> Table:
    labels = {name: rows[name].to_list() for name in ("model", "condition")}
    return comparison_table(rows, labels, caption="Δ", source="some episodes", missing=missing)


@pytest.fixture(scope="module")
def compared() -> pd.DataFrame:
    arms = ["unaided", "enforced_rule", "call_cost"]
    return recompute(published(6, panel="delta", condition=arms, split="test300"), load_episodes())


def texts(table: Table, column: str) -> list[str]:
    return table.frame[column].str.replace("\u00a0", " ").to_list()


def test_published_and_recomputed_stand_side_by_side(compared: pd.DataFrame) -> None:
    table = beside(compared[compared["recomputed"].notna()])
    assert texts(table, "published") == ["−0.06 [−0.10, −0.04]", "0.33 [0.29, 0.37]"]
    assert texts(table, "measured (some episodes)")[0] == "−0.065 [−0.095, −0.039]"
    assert texts(table, "at printed precision") == ["equal", "equal"]
    assert table.note == ""


def test_what_the_source_lacks_stays_empty_and_says_what_fills_it(compared: pd.DataFrame) -> None:
    table = beside(compared[compared["recomputed"].isna()])
    assert set(texts(table, "measured (some episodes)")) == {""}
    assert table.note == "run something"


def test_verdicts_and_dashes(compared: pd.DataFrame) -> None:
    rows = compared[compared["recomputed"].notna()].iloc[[0, 0, 0]].reset_index(drop=True)
    rows["equal"] = pd.Series([True, False, None], dtype="object")
    rows.loc[2, ["value_printed", "low_printed", "high_printed"]] = ""
    table = beside(rows)
    assert texts(table, "at printed precision") == ["equal", "differs, −0.005", ""]
    assert texts(table, "published")[2] == "–"


def test_counts_are_shown_as_counts_and_ones_own_interval_is_not_dropped() -> None:
    counted = recompute(published("text", panel="C.1", measure="answered_after_5"), load_episodes())
    table = beside(counted[counted["recomputed"].notna()])
    assert texts(table, "published") == texts(table, "measured (some episodes)") == ["1 of 292"]
    success = recompute(
        published(13, model="qwen3-8b", regime="persistent", condition="unaided"), load_episodes()
    )
    mine = texts(beside(success[success["measure"] == "success"]), "measured (some episodes)")
    assert mine == ["0.0067 [0.0000, 0.0167]"]


def test_a_bound_that_is_printed_without_a_value_is_recomputed_to_its_own_places() -> None:
    printed = published(5, measure="paired_difference")
    alone = printed[printed["value"].isna() & printed["low"].notna() & printed["high"].isna()].head(1)
    held = alone.assign(
        recomputed=0.01, recomputed_low=0.0, recomputed_high=0.02, difference=np.nan, equal=True
    )
    assert texts(beside(held), "published") == [
        f"lower bound {alone['low_printed'].iloc[0]}".replace("-", "−")
    ]
    assert texts(beside(held), "measured (some episodes)") == ["0.0100 [0.0000, 0.0200]"]
