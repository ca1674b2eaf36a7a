"""The embedded runs of a real model: whole, as the protocol has it, labelled, and shown as text."""

import json
import shutil
from pathlib import Path

import pytest
from judged_useless.runs.recorded import Run, Transcript
from judged_useless.sources.readers import load_episodes
from paper_book import real_runs
from validate_run import validate_run


@pytest.mark.parametrize(("at", "condition"), [(0, "unaided"), (1, "enforced_rule")])
def test_they_are_whole_and_real_and_the_deviation_is_recorded(at: int, condition: str) -> None:
    run = real_runs.read()[at]
    assert run.manifest["spec"]["condition"]["name"] == condition
    assert (run.complete, run.simulated, validate_run(run.path)) == (True, False, [])
    assert run.manifest["spec"]["options"]["constrain"]
    assert real_runs.deviations([run]) == "structured output: text held to a regular expression"
    assert real_runs.name([run]) == "SmolLM2-135M-Instruct, a real model too small to answer"


def test_replayed_judgments_fill_those_that_were_not_recorded() -> None:
    judgments = load_episodes(real_runs.read()[0].path, regimes=["clean"])["judgments"]
    assert {each for row in judgments for each in row} == {"USELESS", "USEFUL"}


def test_counts_are_those_of_the_trajectories() -> None:
    run = real_runs.read()[1]
    shown = real_runs.counts(run.episodes())["enforced_rule"]
    ended = [each for each in run.trajectories() if each["termination"] == "answered"]
    fired = sum(bool(each["events"]) for each in run.trajectories())
    obeyed = sum(len(each["events"]) == 1 for each in ended)
    assert shown.iloc[:3].tolist() == ["36", str(len(ended)), str(sum(each["success"] for each in ended))]
    assert shown.iloc[-2:].tolist() == [str(fired), str(obeyed)]


def test_the_fifth_useless_result_is_marked_and_what_a_model_wrote_is_text(tmp_path: Path) -> None:
    run = real_runs.read()[1]
    shown = real_runs.fifth_useless(run)
    assert isinstance(shown, Transcript)
    before, _, after = shown._repr_html_().partition("<mark>5 USELESS in a row: the rule leaves only finish")
    assert "SIMULATED" not in before
    assert "Action: finish" in after
    shutil.copytree(run.path, tmp_path / "run")
    file = tmp_path / "run" / "clean.jsonl"
    record, *others = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    record["messages"][-1]["content"] = "<script>alert(1)</script>"
    file.write_text("".join(json.dumps(each) + "\n" for each in [record, *others]), encoding="utf-8")
    assert "<script>" not in Run(tmp_path / "run").transcript(record["question_id"], "clean")._repr_html_()
    with pytest.raises(ValueError, match="by a real model"):
        real_runs.read(str(tmp_path / "run"))
