"""Real weights in a real vLLM, through each backend: requests, and whole cells that obey the protocol."""

import logging
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

import hamlets
import pytest
import pytest_asyncio
from judged_useless.models.base import ContextOverflowError, FatalModelError, Message, Model
from judged_useless.runs.cell import run_cell
from judged_useless.runs.recorded import Run
from live_models import BACKENDS, Searching, live_model
from validate_run import validate_run

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif("LIVE_URL" not in os.environ, reason="needs a real server and model: make test-live"),
    pytest.mark.asyncio(loop_scope="module"),
]

LOG = logging.getLogger("live")
REGIMES = ("clean", "persistent", "recover_after_2")
QUESTION: list[Message] = [
    {"role": "system", "content": "You answer in one short sentence."},
    {"role": "user", "content": "What is the capital of France?"},
]


@pytest_asyncio.fixture(params=BACKENDS, scope="module", loop_scope="module")
async def model(request: pytest.FixtureRequest) -> AsyncIterator[Model]:
    made = live_model(request.param)
    yield made
    await made.aclose()


async def test_it_answers(model: Model) -> None:
    generation = await model.generate(QUESTION)
    assert "Paris" in generation.text
    assert generation.finish_reason == "stop"
    assert (generation.prompt_tokens or 0) > 20
    assert (generation.completion_tokens or 0) > 3


async def test_a_stop_string_ends_the_text_and_is_not_part_of_it(model: Model) -> None:
    whole = (await model.generate(QUESTION)).text
    stopped = await model.generate(QUESTION, stop=["Paris"])
    assert stopped.finish_reason == "stop"
    if model.provider != "anthropic":
        # The seed of a prompt is the same; the Messages API takes none.
        assert stopped.text == whole[: whole.index("Paris")]
    assert "Paris" not in stopped.text


async def test_a_text_of_eight_tokens_is_cut_and_says_so(model: Model) -> None:
    generation = await model.generate([{"role": "user", "content": "Count to 100."}], max_new_tokens=8)
    assert (generation.finish_reason, generation.completion_tokens) == ("length", 8)


async def test_a_text_is_held_to_a_form(model: Model) -> None:
    generation = await model.generate(QUESTION, regex="(USEFUL|USELESS)", max_new_tokens=16)
    assert generation.text in ("USEFUL", "USELESS")
    assert any("structured output" in deviation for deviation in model.describe()["deviations"])


async def test_one_prompt_has_one_text(model: Model) -> None:
    if model.provider == "anthropic":
        pytest.skip("the Messages API takes no seed")
    story: list[Message] = [{"role": "user", "content": "Tell a story of a cat."}]
    texts = {(await model.generate(story, max_new_tokens=24)).text for _ in range(3)}
    assert len(texts) == 1
    other = await live_text(model, "Tell a story of a dog.")
    assert other not in texts


async def live_text(model: Model, text: str) -> str:
    return (await model.generate([{"role": "user", "content": text}], max_new_tokens=24)).text


async def test_the_history_of_a_conversation_is_read_from_the_cache(model: Model) -> None:
    first: list[Message] = [{"role": "user", "content": "A cat sat on a mat. " * 40}]
    await model.generate(first, max_new_tokens=4)
    longer: list[Message] = [
        *first,
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "Who?"},
    ]
    generation = await model.generate(longer, max_new_tokens=4)
    assert (generation.cached_tokens or 0) > 100


@pytest.mark.parametrize("words", [4050, 5000])
async def test_prompt_and_budget_beyond_the_context_are_an_error(words: int, model: Model) -> None:
    # 4,050 words leave room for a shorter text than asked for, which the server would silently give.
    with pytest.raises(ContextOverflowError):
        await model.generate([{"role": "user", "content": "word " * words}], max_new_tokens=60)


@pytest.mark.parametrize("backend", ["openai", "anthropic"])
async def test_a_model_that_the_server_does_not_have_is_fatal(backend: str) -> None:
    wrong = live_model(backend, served_name="nobody/nothing")
    with pytest.raises(FatalModelError, match="404"):
        await wrong.generate(QUESTION)
    await wrong.aclose()


@pytest.mark.parametrize("condition", ["unaided", "enforced_rule"])
async def test_a_cell_obeys_the_protocol(condition: str, model: Model, tmp_path: Path) -> None:
    hamlets.register()
    run = await run_cell(
        model=Searching(model, observations=3),
        condition=condition,
        task="hamlets",
        split="all",
        regimes=REGIMES,
        n_questions=4,
        k=2,
        constrain=True,
        progress=False,
        out=tmp_path / condition,
    )
    assert validate_run(run.path) == []
    check(run, model)
    LOG.info("%s %s: %s", model.provider, condition, summary(run))


def check(run: Run, model: Model) -> None:
    assert run.manifest["status"] == "complete"
    assert run.manifest["simulated"] is False
    recorded = run.manifest["model"]
    assert recorded["provider"] == model.provider
    assert any("structured output" in deviation for deviation in recorded["deviations"])
    episodes = run.episodes()
    assert episodes.groupby("regime").size().to_dict() == dict.fromkeys(REGIMES, 4)
    assert episodes["actions"].str.len().mean() > 2
    failing = episodes[episodes["regime"] != "clean"]
    judged = [judgment for row in failing["judgments"] for judgment in row if judgment is not None]
    assert judged
    # Held to one of the two words, a reply is never unreadable.
    assert set(judged) <= {"USELESS", "USEFUL"}
    assert not set(episodes["termination"]) - {"answered", "budget_exhausted", "generation_truncated"}
    replies = [c["text"] for t in run.trajectories() for c in t["calls"] if c["kind"] == "judgment"]
    assert all(re.fullmatch("USEFUL|USELESS", reply) for reply in replies)


def summary(run: Run) -> str:
    episodes, tokens = run.episodes(), run.manifest["tokens"]
    judgments = episodes["judgments"].explode().value_counts().to_dict()
    ends = episodes["termination"].value_counts().to_dict()
    events = sum(len(t["events"]) for t in run.trajectories())
    return f"{len(episodes)} episodes, {ends}, judgments {judgments}, {events} events of the rule, {tokens}"
