"""Tables for pages: escaped, captioned, and honest about what is missing."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from judged_useless import load_episodes
from made_up_episodes import MADE_UP, made_up_cell
from paper_book.measures.recompute import recompute
from paper_book.provenance import source_name
from paper_book.published.transcribed import published
from paper_book.tables.shown import Table, comparison_table, notice

HOSTILE = '<script>alert("1")</script>&\'<img src=x onerror=alert(2)>'


class Reader(HTMLParser):
    """Collects what a browser would see: elements with their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data)


def shown(table: Table) -> Reader:
    return Reader(table._repr_mimebundle_()["text/html"])


def test_text_from_models_and_data_is_never_markup() -> None:
    page = shown(Table(pd.DataFrame({HOSTILE: [HOSTILE]}), HOSTILE, HOSTILE))
    assert {tag for tag, _ in page.elements} == {
        "figure", "figcaption", "div", "table", "thead", "tbody", "tr", "th", "td", "p",
    }  # fmt: skip
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert page.texts.count(HOSTILE) == 4  # caption, heading, cell, note
    region = next(attributes for tag, attributes in page.elements if tag == "div")
    assert region == {"class": "ju-scroll", "tabindex": "0", "role": "region", "aria-label": HOSTILE}


def test_long_texts_and_many_rows_are_shown_whole() -> None:
    words = " ".join(map(str, range(300)))
    page = shown(Table(pd.DataFrame({"a": [words, *range(500)]}), "caption"))
    assert words in page.texts
    assert sum(tag == "tr" for tag, _ in page.elements) == 502


def test_missing_values_are_empty_in_both_forms() -> None:
    frame = pd.DataFrame({"a": [1.5, np.nan], "b": ["x", None], "c": pd.array([None, 3], dtype="Int64")})
    bundle = Table(frame, "caption")._repr_mimebundle_()
    assert bundle["text/html"].count("<td></td>") == 3
    assert not {"nan", "None", "<NA>"} & set(Reader(bundle["text/html"]).texts)
    assert bundle["text/plain"].startswith("Table: caption\n")
    assert "nan" not in bundle["text/plain"].lower()


def test_tables_are_sortable_and_a_note_is_only_there_when_given() -> None:
    table = Table(pd.DataFrame({"a": [1]}), "caption")
    assert any(
        "ju-sortable" in (each.get("class") or "") for tag, each in shown(table).elements if tag == "table"
    )
    assert "ju-note" not in table._repr_mimebundle_()["text/html"]


@pytest.fixture(scope="module")
def compared() -> pd.DataFrame:
    printed = published(
        6, panel="delta", condition=["unaided", "enforced_rule", "call_cost"], split="test300"
    )
    return recompute(printed, load_episodes(), n_boot=2000)


def test_published_and_recomputed_stand_side_by_side(compared: pd.DataFrame) -> None:
    table = comparison_table(
        compared, {name: compared[name].to_list() for name in ("model", "condition")},
        caption="Δ", source="some episodes", missing="run something",
    )  # fmt: skip
    assert table.frame.columns.to_list() == [
        "model", "condition", "published", "recomputed (some episodes)", "difference", "at printed precision",
    ]  # fmt: skip
    spaces = table.frame.map(lambda text: str(text).replace("\u00a0", " "))
    row = spaces[(table.frame["model"] == "qwen3-8b") & (table.frame["condition"] == "unaided")].iloc[0]
    assert row.to_list()[2:] == ["−0.06 [−0.10, −0.04]", "−0.065 [−0.095, −0.039]", "−0.005", "equal"]


def test_what_the_source_lacks_stays_empty_and_says_what_fills_it(compared: pd.DataFrame) -> None:
    lacking = compared[compared["recomputed"].isna() & compared["value"].notna()].reset_index(drop=True)
    table = comparison_table(lacking, {}, caption="c", source="s", missing="run something")
    assert len(table.frame) > 3
    assert (table.frame.iloc[:, 1:] == "").all(axis=None)
    assert table.note == "run something"
    whole = compared[compared["recomputed"].notna()].reset_index(drop=True)
    assert comparison_table(whole, {}, caption="c", source="s", missing="run something").note == ""


def test_verdicts_differ_and_dashes() -> None:
    printed = published(6, panel="delta", model="qwen3-8b", condition="unaided", split="test300").iloc[
        [0, 0, 0]
    ]
    comparison = printed.reset_index(drop=True).assign(
        recomputed=[-0.0649, -0.08, np.nan], recomputed_low=-0.1, recomputed_high=-0.04,
        difference=[-0.0049, -0.02, np.nan],
    )  # fmt: skip
    comparison.loc[2, ["value", "low", "high"]] = np.nan
    for missing, dtype in ((None, "boolean"), (np.nan, "object"), (None, "object")):
        verdicts = pd.Series([True, False, missing], dtype=dtype)
        frame = comparison_table(
            comparison.assign(equal=verdicts), {}, caption="c", source="s", missing="m"
        ).frame
        assert frame["at printed precision"].to_list() == ["equal", "differs", ""]
        assert frame["published"].to_list()[2] == "–"
        assert frame["difference"].to_list() == ["−0.005", "−0.020", ""]


def test_backticks_become_code_and_a_lone_one_stays() -> None:
    note = "Run `make <data>`."
    html = Table(pd.DataFrame({"a": [1]}), "A `caption", note)._repr_mimebundle_()["text/html"]
    assert "Run <code>make &lt;data&gt;</code>." in html
    assert "<figcaption>A `caption</figcaption>" in html


def test_a_bound_that_is_printed_without_a_value_is_shown() -> None:
    printed = published(5, measure="paired_difference")
    alone = printed[printed["value"].isna() & printed["low"].notna() & printed["high"].isna()].head(1)
    held = alone.assign(
        recomputed=0.01, recomputed_low=0.0, recomputed_high=0.02, difference=np.nan, equal=True
    )
    frame = comparison_table(held, {}, caption="c", source="s", missing="m").frame
    expected = f"lower bound {alone['low_printed'].iloc[0]}".replace("-", "−")
    assert frame["published"].str.replace("\u00a0", " ").to_list() == [expected]


def test_a_page_says_what_is_loaded_and_how_many_published_numbers_come_from_it() -> None:
    episodes = load_episodes()
    printed = published(6, panel="delta")
    name = source_name("embedded", episodes)
    held = "Loaded here: 3,000 episodes of qwen3-8b (embedded released cells). "
    end = f"{len(printed)} published numbers in the tables and figures of this page"
    both = recompute(printed, episodes, n_boot=20)
    assert notice(episodes, name, compared=both).text == f"{held}2 of the {end} are recomputed from them."
    one = recompute(printed, load_episodes(condition="unaided"), n_boot=20)
    assert f"1 of the {end} is recomputed" in notice(episodes, name, compared=one).text
    none = recompute(printed, made_up_cell("test300"), n_boot=20)
    text = notice(episodes, name, compared=none).text
    assert (
        f"0 of the {end} are recomputed from them; 1 more number is of {MADE_UP}, not in the paper." in text
    )
    assert notice(episodes, name).text.startswith("Recomputed here: 3,000 episodes")


def test_what_the_embedded_cells_lack_is_said_to_come_with_the_released_ones() -> None:
    episodes = load_episodes()[:0]
    missing = "source 'embedded' has no episode with split 'fresh300'"
    text = notice(episodes, source_name("embedded"), missing).text
    assert "All released cells come with `make data`, then `SOURCE=hub`." in text
    assert "make data" not in notice(episodes, "mine", missing).text
