"""Annotation from blinded items to adjudicated labels: nothing shown that should not be, nothing lost."""

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hamlets
import numpy as np
import pandas as pd
import pytest
from canned import CannedModel
from judged_useless._io.seeds import stable_seed
from judged_useless.afterwards.adjudication import (
    annotator_agreement,
    disagreements,
    final_labels,
    primary_accuracy,
    to_adjudicate,
)
from judged_useless.afterwards.annotators import annotate
from judged_useless.afterwards.items import annotation_items, as_shown, reference_sample
from judged_useless.afterwards.label_effects import judged_accuracy, with_stated
from judged_useless.afterwards.probe_findings import read_run
from judged_useless.afterwards.rubric import STREAMS, read_label
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.judgments import stated_agreement
from judged_useless.models.base import Generation, Message
from judged_useless.runs.cell import IncompleteRunError, run_cell
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import RunError
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

pytest_plugins = ("run_fixtures",)
REGIMES = ("clean", "persistent", "recover_after_2")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, hamlets_of_module: None) -> Run:
    return asyncio.run(
        run_cell(
            model="scripted:own-4",
            condition="combo",
            task="hamlets",
            split="all",
            n_questions=8,
            regimes=REGIMES,
            progress=False,
            out=tmp_path_factory.mktemp("annotated") / "run",
        )
    )


@pytest.fixture(scope="module")
def items(run: Run) -> pd.DataFrame:
    return annotation_items(run)


class Annotator(CannedModel):
    """Labels at random, but equally for equal records; wrong_at of the time it says something else."""

    def __init__(self, name: str, wrong_at: float, mute_at: float = 0.0) -> None:
        super().__init__(turns=(), name=name)
        self.wrong_at, self.mute_at = wrong_at, mute_at

    async def generate(self, messages: Sequence[Message], **_: Any) -> Generation:
        instructions, record = messages[0]["content"], messages[1]["content"]
        labels = STREAMS["S2" if "next_thought" in json.loads(record) else "S1"].labels
        assert all(label in instructions for label in labels)

        def draw(purpose: str) -> float:
            return stable_seed(self.name, purpose, record) / 2**60

        label = labels[stable_seed("truth", record) % 5]
        if draw("wrong") < self.wrong_at:
            label = labels[stable_seed(self.name, "other", record) % 5]
        text = "I cannot tell." if draw("mute") < self.mute_at else json.dumps({"label": label})
        return Generation(text=text, finish_reason="stop")


async def label(items: pd.DataFrame, out: Path, name: str = "one", **rates: float) -> "pd.Series[Any]":
    return await annotate(items, Annotator(name, **rates), out / name, progress=False)


def of(items: pd.DataFrame, stream: str) -> pd.DataFrame:
    return items[items["stream"] == stream]


def test_every_result_is_an_item_and_every_thought_after_one(run: Run, items: pd.DataFrame) -> None:
    records = list(run.trajectories())
    assert len(of(items, "S1")) == sum(len(record["failed"]) for record in records)
    turns = {
        (r["regime"], r["question_id"], c["t"]) for r in records for c in r["calls"] if c["kind"] == "turn"
    }
    assert len(of(items, "S2")) == sum(t > 0 for *_, t in turns)
    assert items.index.is_unique


def test_nothing_is_shown_of_regime_answer_and_outcome(items: pd.DataFrame) -> None:
    questions = {question.id: question for question in hamlets.load("all")}
    for name, item in items.to_dict("index").items():
        shown = as_shown(item)
        assert item["question"] == questions[item["question_id"]].text
        for hidden in (
            *REGIMES,
            "Actions remaining",
            "Do not make any further tool calls",
            item["question_id"],
        ):
            assert hidden not in shown.replace(item["question"], "")
        assert set(json.loads(shown)) <= {"question", "earlier_results", "result", "next_thought"}
        # Says neither regime nor step, and no spreadsheet program takes it for a number.
        assert re.fullmatch("x[0-9a-f]{16}", str(name))


def test_results_and_thoughts_are_those_of_the_trajectory(run: Run, items: pd.DataFrame) -> None:
    for item in items[::7].to_dict("records"):
        record = run.trajectory(item["question_id"], item["regime"])
        t = item["t"]
        seen = [m["content"] for m in record["messages"] if m["content"].startswith("Observation: ")]
        assert seen[t - 1].startswith(f"Observation: {item['result']}")
        if item["stream"] == "S2":
            turn = next(c["text"] for c in record["calls"] if c["kind"] == "turn" and c["t"] == t)
            assert f"Thought: {item['thought']}" in turn
        else:
            assert len(item["earlier"]) == t - 1


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ('{"label": "related"}', "related"),
        ('```json\n{"label": "related", "why": "x"}\n```', "related"),
        ("related", None),
        ('{"label": "says_useless"}', None),
        ('{"label": ["related"]}', None),
        ("", None),
    ],
)
def test_a_reply_that_is_no_label_is_missing(reply: str, wanted: str | None) -> None:
    assert read_label(reply, "S1") == wanted


async def test_agreement_equals_statsmodels(items: pd.DataFrame, tmp_path: Path) -> None:
    for name in STREAMS:
        chosen = of(items, name)
        first = await label(chosen, tmp_path / name, "one", wrong_at=0.1)
        second = await label(chosen, tmp_path / name, "two", wrong_at=0.3, mute_at=0.05)
        table = annotator_agreement(chosen, first, second, n_boot=300)
        both = [(first[i], second[i]) for i in chosen.index if second[i] is not None]
        assert 0 < len(both) < len(chosen)
        labels = STREAMS[name].labels
        counts = np.zeros((5, 5))
        for a, b in both:
            counts[labels.index(a), labels.index(b)] += 1
        assert table.loc["five-class κ", "value"] == pytest.approx(cohens_kappa(counts).kappa, abs=1e-12)
        yes = np.array([label in STREAMS[name].positive for label in labels])
        binary = np.array([[counts[r][:, c].sum() for c in (yes, ~yes)] for r in (yes, ~yes)])
        assert table.loc["binary κ", "value"] == pytest.approx(cohens_kappa(binary).kappa, abs=1e-12)
        assert (table["n"] == len(both)).all()
    with pytest.raises(UndefinedEstimateError, match="no item has a label of both"):
        annotator_agreement(of(items, "S1"), first, second)


def key_of(n: int) -> pd.DataFrame:
    """Return the key of one episode's S2 items a, b, c, …"""
    place = {"model": "m", "condition": "c", "task": "hotpotqa", "split": "s", "budget": 8, "seed": None}
    place |= {"question_id": "q", "regime": "persistent"}
    rows = [{"stream": "S2", **place, "t": t, "failed": True} for t in range(1, n + 1)]
    return pd.DataFrame(rows, index=pd.Index(list("abcdef"[:n]), name="id"))


def given(*labels: str | None) -> "pd.Series[Any]":
    return pd.Series(dict(zip("abcdef", labels, strict=False)), dtype=object)


def test_which_disagreements_change_a_count() -> None:
    first = given("useful", "says_useless", "says_useless", "useful", "no_judgment", "useful")
    second = given("partly_useful", "useful", "no_judgment", "says_useless", "unclear", None)
    table = disagreements(key_of(6), first, second)
    assert table["changes_count"].to_dict() == {
        "a": False,  # both end a run
        "b": True,
        "c": True,  # makes the run unknown
        "d": True,
        "e": False,  # both leave it unknown
    }
    # After a result without a judgment the run is unknown anyway, so one more USELESS changes nothing.
    unknown = disagreements(key_of(2), given("unclear", "says_useless"), given("unclear", "no_judgment"))
    assert unknown["changes_count"].to_dict() == {"b": False}


def test_one_label_is_made_of_two_and_a_ruling() -> None:
    first = given("useful", "useful", "useful", None, None)
    second = given("useful", "unclear", "unclear", "unclear", None)
    table = final_labels(key_of(5), first, second, {"c": "says_useless"})
    assert table["label"].tolist() == ["useful", "useful", "says_useless", "unclear", None]
    assert table["by"].tolist() == ["both", "primary", "adjudicated", "second", "nobody"]


def test_what_is_ruled_on_is_all_that_changes_a_count_and_a_sample_of_the_rest() -> None:
    changes = [place % 3 == 0 for place in range(60)]
    found = pd.DataFrame({"changes_count": changes}, index=[f"x{place:02d}" for place in range(60)][::-1])
    chosen = to_adjudicate(found, 10)
    assert chosen["changes_count"].sum() == 20
    assert len(chosen) == 30
    assert chosen.index.is_monotonic_increasing
    assert chosen.index.tolist() == to_adjudicate(found.sample(frac=1, random_state=1), 10).index.tolist()
    assert chosen.index.tolist() != to_adjudicate(found, 10, seed=1).index.tolist()
    assert len(to_adjudicate(found, 0)) == 20
    assert len(to_adjudicate(found, 1000)) == 60


def test_what_is_stated_is_held_against_what_it_was_worth() -> None:
    worth = given("useful_new", "related", "redundant", "off_topic", "unclear", "off_topic")
    said = given("partly_useful", "says_useless", "no_judgment", "says_useless", "says_useless")
    said.index = pd.Index([name.upper() for name in said.index])
    key = key_of(6)
    both = pd.concat([key.assign(stream="S1"), key.set_index(key.index.str.upper())])
    table = judged_accuracy(both, pd.concat([worth, said]), n_boot=20)
    # The unclear one is worth nothing known, and no thought follows the last.
    assert table["n"].to_dict() == {"useless called useless": 3, "useful called useful": 1}
    assert table["value"].tolist() == pytest.approx([2 / 3, 1.0])


def test_the_primarys_accuracy_has_wilsons_interval() -> None:
    first = given("useful", "useful", "unclear", "useful")
    estimate = primary_accuracy(first, dict.fromkeys("abcd", "useful"))
    assert (estimate.value, estimate.n) == (0.75, 4)
    low, high = proportion_confint(3, 4, method="wilson")
    assert (estimate.low, estimate.high) == pytest.approx((low, high))
    with pytest.raises(UndefinedEstimateError):
        primary_accuracy(first, {})


def test_a_sample_has_its_share_of_every_stratum(items: pd.DataFrame) -> None:
    chosen = of(items, "S1")
    sample = reference_sample(chosen, 40, seed=3)
    assert len(sample) == sample.index.nunique() == 40
    assert sample.equals(reference_sample(chosen, 40, seed=3))
    assert not sample.equals(reference_sample(chosen, 40, seed=4))
    whole = chosen.groupby(["regime", "failed"]).size() / len(chosen)
    drawn = sample.groupby(["regime", "failed"]).size() / 40
    assert (drawn - whole).abs().max() < 0.05
    assert (drawn > 0).all()
    assert len(reference_sample(chosen, len(chosen))) == len(chosen)
    with pytest.raises(ValueError, match="n is 2, expected at least"):
        reference_sample(chosen, 2)


async def test_annotating_goes_on_where_it_stopped(items: pd.DataFrame, tmp_path: Path) -> None:
    from judged_useless.models.base import ServiceUnavailableError, TransientModelError

    chosen = of(items, "S2")[:30]

    class Failing(Annotator):
        asked = 0

        async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
            self.asked += 1
            if self.asked > 20 and self.asked % 2:
                raise ServiceUnavailableError(3, TransientModelError("gone"))
            return await super().generate(messages, **options)

    with pytest.raises(IncompleteRunError, match="5 episodes"):
        await annotate(chosen, Failing("one", 0.2), tmp_path / "one", progress=False)
    again = Annotator("one", 0.2)
    labels = await annotate(chosen, again, tmp_path / "one", progress=False)
    assert labels.to_dict() == (await label(chosen, tmp_path / "new", "one", wrong_at=0.2)).to_dict()
    with pytest.raises(RunError, match=r"another annotation, .*: the records to label are not the same"):
        await annotate(chosen[1:], again, tmp_path / "one", progress=False)


async def test_streams_are_asked_one_after_the_other(items: pd.DataFrame, tmp_path: Path) -> None:
    whole = await label(items, tmp_path / "whole", wrong_at=0.2)
    for part in (of(items, "S1"), of(items, "S2"), items):
        labels = await label(part, tmp_path, wrong_at=0.2)
        assert labels.to_dict() == whole[part.index].to_dict()
    with pytest.raises(RunError, match="different: constrain: False there, True now"):
        await annotate(items, Annotator("one", 0.2), tmp_path / "one", constrain=True, progress=False)


async def test_labels_take_the_place_of_the_keyword_reader(
    run: Run, items: pd.DataFrame, tmp_path: Path
) -> None:
    chosen = of(items, "S2")
    labels = await label(chosen, tmp_path, wrong_at=0.0)
    episodes = with_stated(read_run(run.path), labels)
    places = zip(chosen["regime"], chosen["question_id"], chosen["t"], strict=True)
    expected = dict(zip(places, labels, strict=True))
    for regime, question, stated in zip(
        episodes["regime"], episodes["question_id"], episodes["stated"], strict=True
    ):
        for t, judgment in enumerate(stated, 1):
            assert judgment == STREAMS["S2"].judgments.get(str(expected.get((regime, question, t))))
    assert 0 < float(str(stated_agreement(episodes, n_boot=50).loc["explicit", "value"])) < 1
