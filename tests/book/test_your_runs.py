"""The first page of a book on own runs: each agent's verdict, Δ beside the paper's, and what is simulated."""

import pandas as pd
import pytest
from execute import execute
from html_reader import Reader
from judged_useless import FAIL, load_episodes
from judged_useless.episodes.formats import write_parquet
from paper_book.reading import RELEASED
from paper_book.your_runs import first_page


def page(source: str | list[str]) -> str:
    return first_page(source, lambda html: html, n_boot=200)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A scripted agent with the embedded judgments, and one whose name is markup, which never answers."""
    mine = load_episodes(regimes=FAIL).assign(model="scripted:mine", task="atlas", split="mine")
    silent = mine.query("condition == 'unaided' and termination != 'answered'").assign(model="<b>x</b>")
    both = pd.concat([mine, silent], ignore_index=True)
    return str(write_parquet(both, tmp_path_factory.mktemp("own") / "mine.parquet"))


def test_the_papers_episodes_have_the_papers_first_page() -> None:
    assert [page(source) for source in RELEASED] == ["", ""]


@pytest.mark.parametrize("beside", [False, True])
def test_every_agent_has_its_verdict_and_its_place_on_the_ladder(runs: str, beside: bool) -> None:
    text = page(["embedded", runs] if beside else runs)
    assert text.startswith("# Your runs\n\n**3 agents, ")
    rows = {row[0]: row[1] for row in Reader(text).rows if len(row) == 2}
    assert rows["scripted:mine, enforced rule (simulated)"].startswith("Stops on its evidence: Δ = 0.329 [")
    assert "rather after useful evidence" in rows["scripted:mine, unaided (simulated)"]
    assert rows["<b>x</b>, unaided"].startswith("Never answers after useless results: 0 of ")
    assert "scripted:mine, unaided (simulated): −0.065 [" in text
    assert "qwen3-8b, enforced rule: 0.330 [0.290, 0.370]" in text
    assert "measured, mine.parquet, SIMULATED agents" in text
    assert "recomputed" not in text
    assert "<b>x" not in text


def test_pages_of_own_runs_say_measured_and_draw_what_there_is(runs: str) -> None:
    shown = execute("04_enforced_rule", source=runs, model="scripted:mine", split="mine", n_boot=20)
    drawn = [each.caption for each in shown.shown if hasattr(each, "svg")]
    assert sum("measured (mine.parquet, SIMULATED agents)" in each for each in drawn) == 2
    assert "recomputed (mine" not in shown.text()


def test_what_an_own_source_lacks_is_said_in_words(runs: str) -> None:
    shown = execute("12_sensitivity", source=runs, model="<b>x</b>", split="mine", n_boot=20)
    assert not [name for name, value in shown.glued.items() if "nan" in str(value)]
