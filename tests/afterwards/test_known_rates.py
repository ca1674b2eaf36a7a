"""A scripted agent with known error rates: what the probes recover is what was built in."""

import asyncio
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from judged_useless.afterwards.probe_findings import probe_folder, read_run
from judged_useless.afterwards.replaying import replay
from judged_useless.estimators.beliefs import answers_when_favoured, belief_curves
from judged_useless.estimators.inference import wilson_interval
from judged_useless.estimators.judgments import stated_agreement, useless_rate
from judged_useless.models.scripted_policies import TIME_SLOPE
from judged_useless.runs.cell import run_cell
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import read_records

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")
MEAN4 = ("clean", "persistent", "plausible", "recover_after_2")
#: Many intervals are looked at together, so each is wide.
LEVEL = 0.999


async def probed(out: Path, *probes: str, policy: str = "never", **rates: Any) -> Run:
    run = await run_cell(
        model=f"scripted:{policy}", task="hamlets", split="many", regimes=MEAN4, n_questions=60,
        judge=False, out=out / "run", progress=False, lookup="released", **rates,
    )  # fmt: skip
    for probe in probes:
        await replay(run, probe, progress=False)
    return run


def rows(table: pd.DataFrame) -> dict[Any, Any]:
    """Return a table's rows by their index."""
    return dict(table.to_dict("index"))


def holds(row: Any, truth: float) -> bool:
    return bool(row["low"] - 1e-9 <= truth <= row["high"] + 1e-9)


def share_holds(count: int, n: int, truth: float) -> bool:
    low, high = wilson_interval(count, n, level=LEVEL)
    return low <= truth <= high


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, hamlets_of_module: None) -> pd.DataFrame:
    rates: dict[str, Any] = {
        "useless_if_failed": 0.9,
        "useless_if_real": 0.4,
        "stop_if_useful": 0.0,
        "silent": 0.3,
    }
    run = asyncio.run(probed(tmp_path_factory.mktemp("judged"), "judgments", **rates))
    return read_run(run.path)


def test_judgment_rates_are_the_built_in_ones(judged: pd.DataFrame) -> None:
    for failed, truth in ((True, 0.9), (False, 0.4)):
        table = rows(useless_rate(judged, failed=failed, level=LEVEL))
        # In plausible a failed result is one of the question's own pages, which this agent takes for real.
        for regime in set(table) - {"plausible"}:
            assert holds(table[regime], truth), (regime, failed)
            assert table[regime]["high"] - table[regime]["low"] < 0.25


async def test_belief_curves_are_the_built_in_ones(tmp_path: Path) -> None:
    run = await probed(
        tmp_path, "beliefs", "answer-now", "repair", policy="rising-time",
        useless_if_failed=1.0, useless_if_real=0.3, hopeful=0.85, discouraged=0.1, sure=0.45, mute=0.15,
        knows=0.35, placeholder=0.4, stubborn=0.25,
    )  # fmt: skip
    episodes = read_run(run.path)
    curves = rows(belief_curves(episodes, level=LEVEL, n_boot=4000).set_index(["quantity", "k"]))
    assert sorted({k for _, k in curves}) == [1, 2, 3, 4, 5, 6, 7]
    for k in range(1, 8):
        # A run of failed results is a run of USELESS for this agent.
        said, answers = curves["says going on is worth", k], curves["answers", k]
        assert holds(said, 0.85 - 0.1 * k)
        assert holds(curves["says answering now is worth", k], 0.45)
        assert share_holds(round(answers["value"] * answers["n"]), answers["n"], TIME_SLOPE * k)
        assert share_holds(said["n_missing"], said["n_missing"] + said["n"], 0.15)
    # It favours answering once 0.85 - 0.1 k is below 0.45, up to its noise: never at first, always at last.
    assert curves["favours answering", 1]["value"] == 0
    assert curves["favours answering", 7]["value"] == 1
    answered = answers_when_favoured(episodes, regimes=["persistent"], level=LEVEL)
    assert 3 * TIME_SLOPE <= answered.value <= 7 * TIME_SLOPE
    decisions = sum(len(actions) - 1 for actions in episodes["actions"])
    for name in ("usefulness", "prefer"):
        replies = sum(entry is not None for entries in episodes[name] for entry in entries)
        assert share_holds(decisions - replies, decisions, 0.15)


async def test_answer_now_values_are_the_built_in_ones(tmp_path: Path) -> None:
    run = await probed(
        tmp_path, "answer-now", "beliefs", knows=0.35, placeholder=0.4, stubborn=0.25, disobedient=0.05
    )
    episodes = read_run(run.path)
    for repaired, kept in ((False, 0.6), (True, 0.6 + 0.4 * 0.75)):
        curves = belief_curves(episodes, repaired=repaired, level=LEVEL).set_index(["quantity", "k"])
        for k in range(1, 8):
            assert holds(rows(curves)["answering now was worth", k], 0.35 * 0.95 * kept)
    files = [probe_folder(run.path, "answer-now") / f"{regime}.jsonl" for regime in MEAN4]
    answers = [each for file in files for record in read_records(file) for each in record["results"]]
    assert share_holds(sum(each["action"] == "finish" for each in answers), len(answers), 0.95)
    # Where both gold pages were found, the answer is known.
    clean = [row[6] for row in episodes.loc[episodes["regime"] == "clean", "answer_now"] if len(row) > 6]
    assert share_holds(sum(clean), len(clean), 0.95 * 0.6)


def test_stated_and_asked_judgments_agree_as_built_in(judged: pd.DataFrame) -> None:
    table = rows(stated_agreement(judged, per_stratum=80, seed=1, level=LEVEL))
    assert holds(table["explicit"], 0.7)
    assert table["explicit"]["n"] == 160
    # One draw decides what it states and what it says when asked, and its words are plain.
    assert table["agreement"]["value"] == 1
    assert table["kappa"]["value"] == 1
