"""Labels that are none, of other items, or given twice; runs of which a part is lost."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from canned import CannedModel
from judged_useless import load_episodes
from judged_useless.afterwards.adjudication import (
    annotator_agreement,
    disagreements,
    final_labels,
)
from judged_useless.afterwards.annotators import annotate, read_labels
from judged_useless.afterwards.items import EPISODE, annotation_items, items_of
from judged_useless.afterwards.label_effects import with_stated
from judged_useless.afterwards.recorded_turns import RecordedTurns
from judged_useless.afterwards.rubric import STREAMS
from judged_useless.episodes.schema import EpisodeError
from judged_useless.models.base import Generation
from judged_useless.protocol.prompts import get_wording
from judged_useless.runs.cell import run_cell
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import RunError

pytest_plugins = ("run_fixtures",)
S1, S2 = STREAMS["S1"].labels, STREAMS["S2"].labels


def cell(out: Path, **options: Any) -> Run:
    settings: dict[str, Any] = {"condition": "combo", "task": "hamlets", "split": "all", "n_questions": 3}
    settings |= {"regimes": ("persistent", "clean"), "progress": False, "out": out}
    return asyncio.run(run_cell(model="scripted:own-4", **(settings | options)))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, hamlets_of_module: None) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("cells")
    return {
        "plain": cell(folder / "plain"),
        "seed": cell(folder / "seed", seed=1),
        "budget": cell(folder / "budget", budget=15),
    }


@pytest.fixture(scope="module")
def items(runs: dict[str, Run]) -> pd.DataFrame:
    return annotation_items(runs["plain"], ("S2",))


def all_of(items: pd.DataFrame, label: object) -> "pd.Series[Any]":
    return pd.Series(label, items.index, dtype=object)


class Annotator(CannedModel):
    """Says of everything that it is unclear."""

    def __init__(self) -> None:
        super().__init__(turns=(), name="one")

    async def generate(self, *_: Any, **__: Any) -> Generation:
        return Generation(text='{"label": "unclear"}', finish_reason="stop")


@pytest.mark.parametrize("other", ["seed", "budget"])
def test_labels_of_one_run_are_not_put_on_another(
    runs: dict[str, Run], items: pd.DataFrame, other: str
) -> None:
    others = annotation_items(runs[other], ("S2",))
    assert items.index.intersection(others.index).empty
    episodes = load_episodes([runs["plain"].path, runs[other].path])
    stated = with_stated(episodes, all_of(items, "says_useless"))
    field = {"seed": (42, 1), "budget": (8, 15)}[other]
    found = [stated[stated[other] == value]["stated"].explode().notna().sum() for value in field]
    assert found == [len(items), 0]
    # Both together are labelled without a clash, and each label finds its own episode.
    labels = pd.concat([all_of(items, "says_useless"), all_of(others, "useful")])
    stated = with_stated(episodes, labels)
    for value, wanted in zip(field, ("USELESS", "USEFUL"), strict=True):
        assert set(stated[stated[other] == value]["stated"].explode().dropna()) == {wanted}


def test_a_seed_that_a_table_holds_as_a_fraction_is_the_same_seed(
    runs: dict[str, Run], items: pd.DataFrame
) -> None:
    episodes = runs["plain"].episodes()
    strange = episodes.iloc[:1].assign(seed=None, split="other")
    mixed = pd.concat([episodes.astype({"seed": float}), strange.astype({"seed": float})], ignore_index=True)
    stated = with_stated(mixed, all_of(items, "useful"))
    assert stated["stated"].explode().notna().sum() == len(items)
    with pytest.raises(EpisodeError, match="field 'seed' is missing"):
        with_stated(episodes.drop(columns="seed"), all_of(items, "useful"))
    with pytest.raises(ValueError, match="no label is of a thought in one of these episodes"):
        with_stated(episodes.assign(model="another"), all_of(items, "useful"))


def test_a_label_of_another_stream_is_refused(items: pd.DataFrame) -> None:
    good, chosen = all_of(items, "useful"), items.index[2]
    for label, text in (("Useful!", "'Useful!'"), ("off_topic", "'off_topic'"), ({"useful": 1}, "useful")):
        bad = good.copy()
        bad[chosen] = label
        for call in (annotator_agreement, disagreements, final_labels):
            with pytest.raises(ValueError, match=rf"item '{chosen}': label .*{text}.*one of says_useless"):
                call(items, good, bad)
        with pytest.raises(ValueError, match=rf"labels, item '{chosen}': label .*{text}"):
            with_stated(pd.DataFrame(columns=EPISODE), bad)


def test_a_label_that_is_missing_leaves_the_others(items: pd.DataFrame) -> None:
    for nothing in (None, float("nan"), pd.NA):
        first = all_of(items, "useful")
        first.iloc[0] = nothing
        table = final_labels(items, first, all_of(items, "unclear"))
        assert table.iloc[0].tolist() == ["unclear", "second"]
        assert table["by"].tolist()[1:] == ["primary"] * (len(items) - 1)


async def test_labels_are_read_from_where_they_are_only(items: pd.DataFrame, tmp_path: Path) -> None:
    chosen = items[:4]
    labels = await annotate(chosen, Annotator(), tmp_path / "one", progress=False)
    assert read_labels(tmp_path / "one").to_dict() == labels.to_dict()
    with pytest.raises(RunError, match="holds no labels of an annotator"):
        read_labels(tmp_path / "typo")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "<script>"}, "line 2: label is '<script>', expected 'says_useless', "),
        ({"label": ["useful"]}, r"line 2: label is \['useful'\]"),
        ({"label": "off_topic"}, "line 2: label is 'off_topic'"),
        ({"label": ...}, "line 2: label is missing"),
    ],
)
async def test_a_file_with_a_label_that_is_none_is_refused(
    change: dict[str, object], message: str, items: pd.DataFrame, tmp_path: Path
) -> None:
    await annotate(items[:3], Annotator(), tmp_path, progress=False)
    file = tmp_path / "S2" / "S2.jsonl"
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    records[1] = {name: value for name, value in (records[1] | change).items() if value is not ...}
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    with pytest.raises(RunError, match=message):
        read_labels(tmp_path)
    with pytest.raises(RunError, match=message):
        await annotate(items[:3], Annotator(), tmp_path, progress=False)


async def test_an_item_given_twice_is_named(items: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"'{items.index[1]}' occurs twice"):
        await annotate(pd.concat([items[:3], items[1:2]]), Annotator(), tmp_path, progress=False)


def test_items_are_those_of_the_whole_run(runs: dict[str, Run], tmp_path: Path) -> None:
    lost = tmp_path / "lost"
    shutil.copytree(runs["plain"].path, lost)
    file = lost / "persistent.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(RunError, match=r"persistent\.jsonl: 2 of 3 trajectories"):
        annotation_items(Run(lost))
    manifest = json.loads((lost / "manifest.json").read_text(encoding="utf-8"))
    (lost / "manifest.json").write_text(json.dumps(manifest | {"status": "interrupted"}), encoding="utf-8")
    with pytest.raises(RunError, match="the run is interrupted, with 6 of 6 episodes; finish it first"):
        annotation_items(Run(lost))


@pytest.mark.parametrize("style", ["react", "search-r1"])
@pytest.mark.parametrize("question", ["Which is older?\n\nA or B?", "Q?\n\nQuestion: which?", "One?"])
@pytest.mark.parametrize("counter", ["", "\n\n[Actions remaining: 8]"])
def test_a_question_is_shown_whole(runs: dict[str, Run], style: str, question: str, counter: str) -> None:
    run = runs["plain"]
    record, spec = next(run.trajectories()), run.manifest["spec"]
    spec = {**spec, "options": {**spec["options"], "style": style}}
    wording = get_wording(style, "question")
    content = wording.opening.replace("{question}", question) + counter
    observed = {"role": "user", "content": wording.observation.replace("{text}", "A text.")}
    messages = [{"role": "user", "content": content}, observed]
    if wording.has_system:
        messages = [{"role": "system", "content": wording.system}, *messages]
    else:
        messages[0]["content"] = f"{wording.system}\nOne more sentence.\n\n{content}"
    record |= {"messages": messages, "failed": [True], "events": [], "calls": []}
    (item,) = items_of(RecordedTurns(record, spec), ["S1"])
    assert (item["question"], item["result"]) == (question, "A text.")
    messages[-2]["content"] = "Something else."
    with pytest.raises(RunError, match="field 'messages' does not open with"):
        list(items_of(RecordedTurns(record, spec), ["S1"]))
