"""The paper's tables in their layout, and the commands that would fill them."""

import re
import shlex

import pandas as pd
import pytest
from html_reader import Reader
from judged_useless import load_episodes
from judged_useless.environment.regimes import get_regime
from judged_useless.protocol.conditions import get_condition
from judged_useless.tasks import get_task
from judged_useless.tasks.splits import split_ids
from paper_book.coverage import with_simulated_policies
from paper_book.measures.cell_index import CellKey
from paper_book.measures.filling import commands_to_fill, filling, run_command
from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published, titles
from paper_book.registered.load import load_documents, load_tests
from paper_book.tables.html import slug
from paper_book.tables.number_texts import printed_text
from paper_book.tables.paper_table import paper_table

#: The paper's tables, which have a sentence for a title.
TITLES = list(titles().query("title != ''").index)


def test_a_table_stands_as_it_is_printed(everything: pd.DataFrame) -> None:
    rows = Reader(paper_table(everything, 2, source="here").html).rows
    assert rows[0] == ["", "Qwen2.5 7B", "Llama-3.1 8B", "Qwen3 8B", "Qwen3 32B"]
    assert rows[2] == ["none", "0.192", "0.263", "0.448", "0.509"]
    assert next(row for row in rows if row[0] == "decide") == ["decide", "0.360", "0.266", "0.426", "–"]
    assert rows[-1] == ["Search-R1", "0.403‡", "0.427‡"]
    bold = re.findall(r"<strong>([^<]+)</strong>", paper_table(everything, 2, source="here").html)
    assert bold == ["0.581", "0.375", "0.337", "0.478", "0.598", "0.653†", "0.427‡"]


def test_the_recomputed_number_stands_below_the_printed_one(everything: pd.DataFrame) -> None:
    table = paper_table(everything, 6, source="here")
    row = next(row for row in Reader(table.html).rows if row[0] == "Qwen3-8B")
    assert row[1] == "−0.06 [−0.10, −0.04]|−0.065 [−0.095, −0.039] ="
    assert row[2] == "−0.32 [−0.41, −0.24]"
    assert (table.published, table.recomputed, table.differing) == (148, 8, 0)
    assert "measured (here)" in table.html


def test_a_difference_is_marked_with_its_size() -> None:
    printed = published(6, panel="delta", model="qwen3-8b", condition="unaided")
    moved = printed.assign(value=-0.09, value_printed="-0.09")
    held = recompute(moved, load_episodes())
    table = paper_table(held, 6, source="here")
    assert "−0.065 [−0.095, −0.039] ≠ (+0.025)" in table.html
    assert table.differing == 1


def test_two_numbers_of_one_cell_keep_their_order(everything: pd.DataFrame) -> None:
    rows = Reader(paper_table(everything, 9, source="here").html).rows
    ours = next(row for row in rows if row[0] == "Qwen3-8B")
    assert ours[1] == "−0.01 / −0.06|−0.006 = / −0.065 ="
    sonnet = next(row for row in rows if row[0].startswith("Claude Sonnet"))
    assert sonnet[1] == "0.18† / –"


def test_counts_ranges_and_words() -> None:
    def first(**wanted: str) -> dict[str, object]:
        return {str(key): value for key, value in published(**wanted).iloc[0].items()}

    counted = first(table="8", column="answers after 5 useless", model="qwen3-8b")
    assert printed_text(counted) == "26/176"
    assert printed_text(first(table="8", column="judged useless", model="qwen3-8b")) == "86.5\u00a0%"
    assert printed_text(first(table="28", column="rule I [lo]", model="qwen3-8b")) == "0.47, lower bound 0.46"
    bound = first(table="28", column="combo LB vs rule / budget (Rp4)", model="qwen3-8b")
    assert printed_text(bound) == "lower bound −0.011"
    assert printed_text(first(table="15", row="Qwen3-8B rule - none")) == "0.026 [0.012, 0.041], p = 0.001"
    assert printed_text(first(table="17", column="best policy", model="qwen3-8b")) == "cap 7"
    assert printed_text(first(table="1", row="permit", column="Who stops")) == "agent"


def test_registered_tests_show_outcome_bounds_and_what_was_recomputed(everything: pd.DataFrame) -> None:
    four = paper_table(everything, 4, source="here", documents=load_documents()).html
    rows = Reader(paper_table(everything, 5, source="here").html).rows
    assert rows[0] == ["", "bounds of the rule", "Outcome"]
    reported = next(row for row in rows if row[0] == "J1")
    assert "3/122, 1/282, 1/292; 19/284" in reported[2]
    assert "qwen3-8b, unaided, persistent: 1/292; recomputed 1/292 =" in reported[2]
    assert any("Permission and budget in the prompt" in row[0] for row in Reader(four).rows)
    for number in (3, 4, 5):
        assert not re.search(r"\\|[{}^]", paper_table(everything, number, source="here").html)


def test_rows_of_registered_tests_lead_to_their_predictions(everything: pd.DataFrame) -> None:
    html = "".join(paper_table(everything, number, source="here").html for number in (4, 5))
    links = re.findall(r'<th scope="row"><a href="07_preregistration\.html#([^"]+)">', html)
    assert sorted(links) == sorted(slug(test.key) for test in load_tests())


def test_a_fold_says_what_is_inside(everything: pd.DataFrame) -> None:
    def line(number: int) -> str:
        html = paper_table(everything, number, source="here", folded=True).html
        start = re.match(r"<details class=\"ju-fold\"( open)?><summary>(.*?)</summary>", html)
        assert start, html[:200]
        return ("open: " if start[1] else "") + re.sub(r"<[^>]+>", "", start[2])

    assert line(13).endswith("index with its two parts 372 numbers, 16 recomputed, all equal")
    assert line(23).startswith("open: ")
    assert line(23).endswith(" 24 numbers, 1 recomputed, equal")
    assert line(14).endswith(" 240 numbers, none recomputed")
    assert line(3) == "Where each claim of the paper is tested in words"


def test_text_is_escaped(everything: pd.DataFrame) -> None:
    hostile = everything.assign(row=everything["row"].replace({"none": "<script>"}))
    html = paper_table(hostile, 2, source="<b>").html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_table_that_is_not_there(everything: pd.DataFrame) -> None:
    with pytest.raises(KeyError, match="no table '29'; there are 1, 2"):
        paper_table(everything, 29, source="here")


# --- what would fill a cell -----------------------------------------------------------------------


def test_every_empty_number_has_a_reason_or_a_command(everything: pd.DataFrame) -> None:
    kinds = filling(everything)
    assert (kinds["what would fill them"] != "").all()
    printed = everything[["value", "low", "high", "k"]].notna().any(axis=1)
    assert kinds["numbers"].sum() == (printed & everything["recomputed"].isna()).sum()


@pytest.mark.parametrize(
    ("key", "options"),
    [
        (CellKey("claude-haiku-4.5", "call_cost", split="test300-first200"), "--n-questions 200"),
        (CellKey("qwen3-8b", "combo", split="test300-run3"), "--replicate 3 --seed 44"),
        (CellKey("qwen3-8b", "combo", "fever", "fever292"), "--task fever"),
        (CellKey("qwen3-8b", "budget", budget=16), "--budget 16"),
        (CellKey("qwen3-32b", "budget_thinking"), "--condition budget+thinking"),
    ],
)
def test_options_of_a_command(key: CellKey, options: str) -> None:
    command = run_command(key)
    assert options in command
    provider = "anthropic" if key[0].startswith("claude") else "vllm"
    assert f"--model {provider}:{key[0]}" in command
    assert "--split" not in command


def test_commands_are_what_the_command_line_takes() -> None:
    cli = pytest.importorskip("judged_useless.cli.main")
    parser = cli.build_parser("run")
    held = recompute(published(), load_episodes(), n_boot=5)
    for command in commands_to_fill(held):
        words = shlex.split(command.removeprefix("judged-useless "), comments=True)
        given = parser.parse_args(words)
        assert given.command == "run"
        if given.task == "hotpotqa":
            assert split_ids(given.split or get_task(given.task).split), command
        else:
            assert (given.task, given.split) == ("fever", None), command
        get_condition(given.condition)
        for regime in given.regimes:
            get_regime(regime)
        assert ("--useless-rate" in command) == (given.condition == "random")
        if "--budget 16" in command:
            assert set(given.regimes) == {"persistent", "recover_after_2", "clean"}
        if "sonnet" in command:
            assert given.n_questions == 100
        if "qwen3-32b" in command and "thinking" in command:
            assert set(given.regimes) == {"persistent", "late_onset_from_3", "recover_after_2", "clean"}


# --- Table 7 --------------------------------------------------------------------------------------


def test_simulated_policies_agree_with_the_printed_ones(everything: pd.DataFrame) -> None:
    rows = everything[everything["table"] == "7"]
    assert rows["recomputed"].notna().sum() == rows["value"].notna().sum() == 31
    assert rows["equal"].dropna().all()
    html = paper_table(everything, 7, source="episodes").html
    assert "policies simulated anew (≈ is within two standard errors" in html
    assert "−0.002 (+0.018, fitted)" in html
    assert "0.151 (−0.029, fitted)" in html
    assert "measured (episodes)" not in html


def test_a_wrong_number_of_table_7_is_told() -> None:
    printed = published(7)
    moved = printed.assign(value=printed["value"].where(printed["row"] != "clock, action 6", 0.4))
    held = with_simulated_policies(recompute(moved, load_episodes(), n_boot=5))
    row = held[(held["row"] == "clock, action 6") & (held["measure"] == "integration_index")].iloc[0]
    assert row["recomputed"] == pytest.approx(0.5)
    assert not row["equal"]


# --- words ----------------------------------------------------------------------------------------


def test_outcomes_are_shown_without_marks_of_formulas(everything: pd.DataFrame) -> None:
    for number in ("4", "5"):
        html = paper_table(everything, number, source="here").html
        shown = " ".join(cell for row in Reader(html).rows for cell in row)
        assert not re.search(r"[{}\\^]", shown)
        assert not re.search(r"(?:^|[ (\[])-\.?\d", shown)
    assert "(p = .0285)" in paper_table(everything, 4, source="here").html
    assert "Llama-3.1-8B" in paper_table(everything, 5, source="here").html


def test_no_bracket_stays_open(everything: pd.DataFrame) -> None:
    for number in TITLES:
        html = paper_table(everything, number, source="here").html
        assert "…" not in html
        for row in Reader(html).rows:
            for cell in row:
                assert cell.count("[") == cell.count("]"), cell


@pytest.mark.parametrize(
    ("table", "marked", "said"),
    [
        (2, ["0.632†", "0.653†", "0.403‡"], "† first 100 questions. ‡ RL-trained, own prompt."),
        (9, ["0.18†", "0.49†"], "† first 100 questions."),
        (12, ["0.066†", "−0.021†"], "† significance differs between raw and repaired."),
        (20, ["0.018 [0.011, 0.024]∗"], "∗ one-sided Holm-corrected p&lt;0.05."),
    ],
)
def test_marks_stand_at_their_numbers_and_are_explained(
    everything: pd.DataFrame, table: int, marked: list[str], said: str
) -> None:
    html = paper_table(everything, table, source="here").html
    assert all(html.count(each) == 1 for each in marked)
    assert said in html
