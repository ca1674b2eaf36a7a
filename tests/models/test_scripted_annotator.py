"""Scripted annotators are wrong as often as their name says, and nothing else."""

import json
from typing import Any

import hamlets
import pytest
from judged_useless.models import get_model
from judged_useless.models.base import Message
from judged_useless.models.scripted_annotator import ScriptedAnnotator

QUESTIONS = hamlets.load("many")


def annotator(name: str = "annotator-0", **options: Any) -> ScriptedAnnotator:
    made = get_model(f"scripted:{name}", **options)
    assert isinstance(made, ScriptedAnnotator)
    return made.prepared(QUESTIONS, 8)


async def label(made: ScriptedAnnotator, **record: Any) -> str:
    question = record.pop("asked", QUESTIONS[0]).text
    messages: list[Message] = [
        {"role": "system", "content": "Label it."},
        {"role": "user", "content": json.dumps({"question": question, **record})},
    ]
    return (await made.generate(messages)).text


async def test_a_result_is_labelled_by_the_questions_own_pages() -> None:
    question, other = QUESTIONS[0], QUESTIONS[1]
    gold = [f"[{title}] {question.knowledge_base[title]}" for title in question.gold_titles]
    side = question.distractor_titles[0]
    related = f"[{side}] {question.knowledge_base[side]}"
    failed = f"[{other.gold_titles[0]}] {other.knowledge_base[other.gold_titles[0]]}"
    sentence = f"(Result 1/1) {question.paragraphs[0].sentences[1]}"
    cases: list[tuple[str, list[str], str]] = [
        (gold[1], [gold[0], failed], "useful_new"),
        (gold[0], [gold[1], gold[0]], "redundant"),
        (related, [], "related"),
        (failed, [], "off_topic"),
        (sentence, [], "useful_new"),
        (sentence, [gold[0]], "redundant"),
    ]
    for result, earlier, wanted in cases:
        said = await label(annotator(), earlier_results=earlier, result=result)
        assert json.loads(said) == {"label": wanted}, result


@pytest.mark.parametrize("percent", [0, 10, 100])
async def test_it_is_wrong_as_often_as_its_name_says(percent: int) -> None:
    made, n = annotator(f"annotator-{percent}"), 1000
    records = [{"result": str(place), "next_thought": "So on."} for place in range(n)]
    said = [json.loads(await label(made, **record))["label"] for record in records]
    wrong = [each for each in said if each != "no_judgment"]
    # Four standard errors.
    assert abs(len(wrong) / n - percent / 100) <= 4 * (0.09 / n) ** 0.5 * (percent not in (0, 100))
    assert len(set(wrong)) == (4 if percent else 0)
    assert said == [json.loads(await label(made, **record))["label"] for record in records]


async def test_it_is_no_agent_and_knows_only_its_questions() -> None:
    made = annotator()
    assert (made.name, made.simulated) == ("scripted:annotator-0", True)
    assert made.describe()["rates"] == {"wrong": 0.0}
    with pytest.raises(ValueError, match="labels records of an annotation; it is no agent"):
        await made.generate([{"role": "user", "content": "Question: who?"}])
    with pytest.raises(ValueError, match="which it was not handed"):
        await ScriptedAnnotator("annotator-0").generate(
            [{"role": "user", "content": '{"question": "x", "earlier_results": [], "result": "y"}'}]
        )
