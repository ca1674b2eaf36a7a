"""The page object: what is read, estimated, put beside the paper, said where it is missing, and glued."""

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from judged_useless import FAIL, answer_rate_after_run, decision_points, load_episodes, time_matched_contrast
from judged_useless.episodes.decisions import contrasted_decisions, how_episodes_end, judged_by_position
from judged_useless.episodes.formats import write_parquet
from judged_useless.episodes.schema import EpisodeError, validate
from judged_useless.estimators import (
    beliefs_by_model,
    hazard_by_failed_run,
    paired_contrast,
    success_by_regime,
)
from judged_useless.estimators.estimate import Estimate
from made_up_episodes import MADE_UP, episode, made_up_cell
from paper_book import claim, open_page
from paper_book.claims import ClaimError
from paper_book.measures.from_episodes import won_by_firing
from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published
from paper_book.reading import no_episodes, source_name
from paper_book.tables.data_table import Notice, Table

ARMS = ["unaided", "enforced_rule"]
PAGE = open_page("embedded", model="qwen3-8b", condition=ARMS, split="test300", n_boot=2000)
NONE = open_page("embedded", model="llama3.1-8b", condition=ARMS, split="test300", n_boot=20)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    mine = load_episodes(condition="unaided", regimes="persistent").head(5).assign(model="b")
    other = mine.assign(model="a", condition="budget")
    path = tmp_path_factory.mktemp("own") / "own.parquet"
    return write_parquet(pd.concat([mine, other], ignore_index=True), path)


def shown(given: Any) -> str:
    return str(given._repr_mimebundle_()["text/plain"])


# --- what is read ---------------------------------------------------------------------------------


def test_a_page_says_what_is_recomputed_or_what_is_missing_and_how_to_get_it() -> None:
    assert shown(PAGE) == (
        "Note: Recomputed here: 3,000 episodes of qwen3-8b on 300 questions (embedded released cells)."
    )
    text = shown(NONE)
    assert "source 'embedded' has no episode with model 'llama3.1-8b'; it has qwen3-8b" in text
    assert "`make data`, then `SOURCE=hub`" in text


def test_of_a_source_of_ones_own_the_first_model_is_shown_and_said(own: Path) -> None:
    page = open_page(own, model="qwen3-8b")
    assert page.model == "b"
    assert page.said == (
        "The source has no episode of qwen3-8b here, so b is shown; others there, to be given as MODEL: a."
    )
    assert open_page(own, model="a").said == ""
    assert page.but(model="a", condition="budget").episodes["condition"].unique().tolist() == ["budget"]


def test_a_split_that_neither_source_nor_paper_has_is_told_as_such(own: Path) -> None:
    assert "the paper has no split 'fresh30' either" in open_page(own, split="fresh30").missing
    assert "the paper has" not in open_page(own, split="fresh300").missing


def test_what_is_missing_or_damaged_on_disk_raises_and_an_empty_folder_is_nothing(tmp_path: Path) -> None:
    assert "holds no" in open_page(tmp_path).missing
    with pytest.raises(FileNotFoundError, match="no-such-run"):
        open_page(tmp_path / "no-such-run")
    (tmp_path / "torn.jsonl").write_text('{"model": "m"')
    with pytest.raises(EpisodeError, match="line 1"):
        open_page(tmp_path / "torn.jsonl")
    assert validate(no_episodes()).empty
    assert {str(kind) for kind in no_episodes().dtypes} <= {str(kind) for kind in load_episodes().dtypes}


def test_of_several_budgets_a_page_on_named_regimes_takes_the_papers_and_says_so(tmp_path: Path) -> None:
    rows = [
        episode("--", answered=answered, condition=condition, regime=regime, question_id=f"q{answered}")
        | ({"budget": 16} if budget == 16 else {})
        for condition, budget in (("unaided", 16), ("unaided", 8), ("budget", 16))
        for regime in ("persistent", "clean")
        for answered in (True, False)
    ]
    own = tmp_path / "own.jsonl"
    own.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = open_page(own, regimes="persistent")
    budgets = page.episodes.fillna({"budget": 8}).groupby("condition")["budget"].unique().map(list).to_dict()
    assert budgets == {"budget": [16], "unaided": [8]}  # a cell with one budget alone keeps it
    assert shown(page).endswith("this page takes the one of 8 actions: 2 episodes with 16 are left out.")
    # Measures of published tables tell budgets apart, and some compare them.
    assert len(open_page(own).episodes) == len(rows)


def test_a_list_that_came_as_a_text_names_the_option_and_an_unknown_model_is_no_page() -> None:
    with pytest.raises(
        ValueError, match=r"condition is the text '\[a, b\]', not a list: .*-y 'condition: \[a, b\]'"
    ):
        open_page("embedded", condition="[a, b]")
    for model in ("qwen3-9b", ["qwen3-9b"], []):
        with pytest.raises(ValueError, match="no model to show"):
            open_page("embedded", model=model)


@pytest.mark.parametrize("status", ["running", "complete"])
def test_the_name_of_an_unfinished_run_says_how_much_of_it_there_is(status: str, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "mine"
    run.mkdir(parents=True)
    (run / "manifest.json").write_text(
        json.dumps({"status": status, "n_episodes": {"done": 73, "planned": 240}})
    )
    unfinished = status == "running"
    assert source_name(run) == "mine" + " (73 of 240 episodes)" * unfinished
    assert source_name(tmp_path / "runs") == "runs" + " (mine: 73 of 240 episodes)" * unfinished


# --- what is estimated ----------------------------------------------------------------------------


def test_an_estimator_is_called_with_the_pages_options_and_others_of_ones_own() -> None:
    page = PAGE.but(condition="unaided", n_boot=50)
    assert page.estimate(time_matched_contrast) == time_matched_contrast(page.episodes, n_boot=50)
    late = time_matched_contrast(page.episodes, n_boot=50, t_min=4)
    assert page.estimate(time_matched_contrast, t_min=4) == late
    both = page.but(condition=ARMS).estimate(time_matched_contrast, by="condition")
    assert list(both) == ARMS
    assert both["unaided"] == page.estimate(time_matched_contrast)
    ruled = page.but(condition="enforced_rule")
    gain = ruled.estimate(paired_contrast, page, regimes=["persistent"])
    assert gain.value == pytest.approx(44 / 300)


def test_an_undefined_case_shows_as_such_and_reads_as_missing() -> None:
    silent = PAGE.but(condition="unaided")
    silent.episodes["judgments"] = silent.episodes["judgments"].map(lambda words: [None] * len(words))
    for given in (NONE.estimate(time_matched_contrast), silent.estimate(time_matched_contrast)):
        assert not given.defined
        assert shown_html(given).startswith("<p class='estimate'>not available: ")
        assert (given.text(), given.n) == ("not available", 0)
        assert math.isnan(given.value)
        assert given["answers"] != given["answers"]
    assert NONE.estimate(beliefs_by_model) == {}
    assert "undefined" in silent.estimate(time_matched_contrast).reason
    broken = PAGE.but(condition="unaided")
    broken.episodes["actions"] = broken.episodes["actions"].map(lambda _: ["fly"])
    with pytest.raises(EpisodeError):
        broken.estimate(time_matched_contrast)


def shown_html(given: Estimate) -> str:
    return str(given._repr_html_())


@pytest.mark.parametrize(
    "estimator", [decision_points, contrasted_decisions, how_episodes_end, judged_by_position]
)
def test_a_descriptive_table_of_nothing_has_its_columns_and_no_row(estimator: Any) -> None:
    there, nothing = PAGE.but(condition="unaided").estimate(estimator), NONE.estimate(estimator)
    assert nothing.empty
    assert list(nothing.columns) == list(there.columns)
    assert shown(NONE.table(nothing, "Some table")).startswith(
        "Note: Not shown: Some table: source 'embedded'"
    )


def test_regimes_that_are_not_there_have_rows_without_a_value() -> None:
    page = PAGE.but(condition="unaided", n_boot=20)
    page.episodes = page.episodes[page.episodes["regime"].isin(["persistent", "recover_after_1"])]
    table = page.estimate(success_by_regime)
    assert table.index.to_list() == list(FAIL)
    assert table["value"].notna().to_list() == [True, True, False, False, False]
    nothing = NONE.estimate(success_by_regime)
    assert nothing.index.to_list() == list(FAIL)
    assert set(nothing["reason"]) == {NONE.missing}
    assert NONE.estimate(hazard_by_failed_run)["value"].isna().all()


# --- what stands beside the paper -----------------------------------------------------------------


def test_estimates_stand_beside_the_published_numbers() -> None:
    delta = PAGE.estimate(time_matched_contrast, by="condition")
    rows = PAGE.beside(delta, measure="delta", table=6).rows
    assert rows["equal"].tolist() == [True, True]
    assert rows["value"].tolist() == [-0.06, 0.33]
    assert rows["recomputed"].tolist() == pytest.approx([-0.065, 0.329], abs=1e-3)
    late = PAGE.estimate(time_matched_contrast, by="condition", t_min=4)
    other = PAGE.beside(late, measure="delta", table=6).rows
    assert other["recomputed"].tolist() == [late[arm].value for arm in ARMS]
    assert not other["equal"].all()


def test_tables_of_estimates_and_rows_of_the_record_give_the_same() -> None:
    success = PAGE.estimate(success_by_regime, by="condition")
    mine = PAGE.beside(success, measure="success", table=13).rows
    printed = published(13, measure="success", condition=ARMS, regime=FAIL)
    theirs = PAGE.beside(printed).rows
    keys = ["condition", "regime"]
    for name in ("value", "recomputed", "equal"):
        assert mine.set_index(keys)[name].to_dict() == theirs.set_index(keys)[name].to_dict()


def test_what_the_source_lacks_stays_empty_and_says_what_fills_it() -> None:
    delta = NONE.estimate(time_matched_contrast, by="condition")
    text = shown(NONE.beside(delta, measure="delta", table=6))
    assert "−0.02\u00a0[−0.03,\u00a0−0.02]" in text
    assert "Released (llama3.1-8b): `make data`, then `make book SOURCE=hub`." in text


def test_other_models_of_the_paper_and_ones_own_stand_side_by_side(tmp_path: Path) -> None:
    path = write_parquet(made_up_cell("test300"), tmp_path / "a.parquet")
    page = open_page(path, condition="unaided", split="test300", regimes="persistent", n_boot=20)
    answered = page.estimate(answer_rate_after_run, by="model")
    after = page.beside(answered, measure="answered_after_5", by="model", regime="persistent")
    models = after.rows["model"].tolist()
    assert models[:2] == ["qwen2.5-7b", "llama3.1-8b"]
    assert models[-1] == MADE_UP
    assert after.rows["recomputed"].notna().tolist() == [False] * (len(models) - 1) + [True]
    assert after.decisive["recomputed"].isna().all()  # a simulated agent decides no claim of the paper
    assert "SIMULATED agents" in shown(after)


def test_on_other_questions_published_numbers_are_those_of_these_questions() -> None:
    fresh = PAGE.but(split="fresh300", condition="unaided")
    rows = fresh.beside(fresh.estimate(time_matched_contrast), measure="delta", table=6).rows
    assert rows[["table", "value"]].to_numpy().tolist() == [["22", -0.05]]


def test_a_filled_page_counts_the_published_numbers_that_come_from_it() -> None:
    page = open_page("embedded", n_boot=20).fill(6)
    assert "8 of the 148 published numbers in the tables and figures of this page are recomputed" in shown(
        page
    )
    assert shown(page.paper_table(6)).startswith("Table 6: 148 published numbers, 8 recomputed")
    assert page.rows(6, measure="delta", condition="unaided").recomputed.rows["model"].tolist() == [
        "qwen3-8b"
    ]
    assert shown(page.paper_table(7)).startswith("Table 7: 31 published numbers, 31 recomputed, 0")


def test_estimates_and_frames_become_tables() -> None:
    delta = PAGE.estimate(time_matched_contrast, by="condition")
    table = PAGE.table(delta, "Δ")
    assert isinstance(table, Table)
    assert table.frame.columns.tolist() == ["condition", "value", "n"]
    assert table.caption == "Δ, with 95% intervals (embedded released cells)."
    empty = NONE.table(NONE.estimate(time_matched_contrast, by="condition"), "Δ")
    assert isinstance(empty, Notice)
    assert "llama3.1-8b" in empty.text


def test_what_is_glued_is_what_a_sentence_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    glued: dict[str, object] = {}
    monkeypatch.setattr("myst_nb.glue", lambda name, value, display: glued.update({name: value}))
    table = Table(pd.DataFrame({"a": [1]}), "caption")
    PAGE.glue(n=1234, rate=0.5, percent=(0.123, ".1%"), sign=-0.1, name="qwen3-8b -0.2", table=table)
    PAGE.glue(
        delta=PAGE.but(condition="unaided").estimate(time_matched_contrast), none=Estimate.undefined("why")
    )
    assert glued == {
        "n": "1,234", "rate": "0.500", "percent": "12.3%", "sign": "−0.100", "name": "qwen3-8b −0.2",
        "table": table, "delta": "−0.06 [−0.10, −0.04]", "none": "(not in this source)",
    }  # fmt: skip
    assert PAGE.printed(panel="3", measure="agreement") == "87–96\u00a0%"
    assert PAGE.printed(panel="7", measure="answered_after_5") == "19 of 284"


def test_a_table_of_two_arms_that_the_source_lacks_keeps_its_columns_and_says_why() -> None:
    counted = NONE.but(condition="enforced_rule").estimate(won_by_firing, NONE.but(condition="unaided"))
    assert counted.empty
    assert "other actions" in counted
    assert "no episode with model 'llama3.1-8b'" in shown(NONE.table(counted, "What the rule won"))


# --- claims ---------------------------------------------------------------------------------------


def test_a_claim_that_fails_on_released_episodes_is_an_error_and_a_finding_elsewhere(own: Path) -> None:
    claims = [
        claim("It holds.", 1, at_least=1),
        claim("It fails.", 2.0, at_most=1),
        claim("Open.", math.nan, above=0),
    ]
    with pytest.raises(ClaimError, match=r"^It fails\. \(2\.000\)$"):
        PAGE.check(*claims)
    for page in (open_page(own), PAGE):
        table = page.check(*claims, when=page is not PAGE)
        verdicts = table.frame["verdict"].tolist()
        found = ["not asked here"] * 3 if page is PAGE else ["holds", "does not hold", "cannot be told"]
        assert verdicts == found


@pytest.mark.parametrize(
    ("given", "asked", "holds"),
    [
        ("unaided", {"below": 0}, True),
        ("unaided", {"above": 0}, False),
        ("unaided", {"not_above": 0}, True),
        ("enforced_rule", {"above": 0.2}, True),
        ("enforced_rule", {"at_least": 0.5}, False),
        ("nowhere", {"above": 0}, None),
        (None, {"above": 0}, False),
    ],
)
def test_claims_are_decided_by_intervals_and_values(
    given: str | None, asked: dict[str, Any], holds: bool | None
) -> None:
    delta = PAGE.estimate(time_matched_contrast, by="condition") | {
        "nowhere": Estimate.undefined("no episodes")
    }
    assert claim("So it is.", delta if given is None else delta[given], **asked).holds is holds


def test_a_claim_of_several_cells_says_for_how_many_it_holds() -> None:
    page = open_page("embedded", n_boot=50)
    deltas = page.beside(published(6, panel="delta", condition=ARMS))
    alone = claim("All.", deltas.only(condition="unaided"), below=0)
    assert alone.evidence == (
        "printed: holds for 4 of 4 cells; here: holds for 1 of 4 cells; the others cannot be told"
    )
    assert (alone.printed, alone.holds) == (True, None)
    assert claim("All.", deltas, below=0).holds is False
    assert claim("None.", [], above=0).holds is None


def test_a_claim_that_the_printed_numbers_break_is_an_error_even_where_nothing_is_recomputed() -> None:
    page = open_page("embedded", n_boot=50)
    gains = page.rows(15, condition="enforced_rule - unaided", split="test300")
    false = claim("For every model.", gains, above=0)  # not for claude-sonnet-5
    assert (false.printed, false.holds) == (False, None)
    with pytest.raises(ClaimError, match="printed: holds for 5 of 6 cells; fails for 1"):
        page.check(false)
    shown = page.check(claim("For some.", gains.only(model="qwen3-32b"), above=0)).frame
    assert shown[["as printed", "verdict"]].to_numpy().tolist() == [["holds", "cannot be told"]]


# --- where numbers come from ----------------------------------------------------------------------


def test_of_several_sources_those_are_named_that_are_used(tmp_path: Path) -> None:
    made_up = made_up_cell("test300")
    mixed: list[str | Path] = [
        "embedded",
        write_parquet(made_up, tmp_path / "a.parquet"),
        write_parquet(made_up.assign(model="mine", simulated=False), tmp_path / "b.parquet"),
    ]
    episodes = load_episodes(mixed)
    for models, name in (
        (["qwen3-8b"], "embedded released cells"),
        (["qwen3-8b", "mine"], "embedded released cells, b.parquet"),
        ([MADE_UP], "a.parquet, SIMULATED agents"),
        (["mine", MADE_UP], "a.parquet, b.parquet, SIMULATED agents in a.parquet"),
    ):
        assert source_name(mixed, episodes[episodes["model"].isin(models)]) == name
    # Nothing is from any of them: then all are named, as what was looked in.
    assert source_name(mixed, no_episodes()) == "embedded released cells, a.parquet, b.parquet"
    compared = recompute(published(6, panel="delta", condition="unaided"), episodes, n_boot=20)
    assert source_name(mixed, compared[compared["model"] == MADE_UP]) == "a.parquet, SIMULATED agents"
    # What a simulated agent could not fill does not count as used.
    assert "SIMULATED" not in source_name(mixed, compared.assign(recomputed=float("nan")))
