"""The same episodes through every door that other people's software opens: the same Δ, to the last digit."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from judged_useless.adapters import audit_log, read_log
from recorded_loops import (
    ANSWER,
    PLANS,
    anthropic_loop,
    as_responses,
    episodes,
    found,
    openai_loop,
    said,
    steps_of,
    with_server,
    write_atif,
    write_claude_code,
)

pytestmark = pytest.mark.filterwarnings("default")
NEEDS = "needs make test-frameworks"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return one log a door, made by real loops where software can be run for it."""
    pytest.importorskip("inspect_scout", reason=NEEDS)
    folder = tmp_path_factory.mktemp("logs")
    chat, claude = with_server(openai_loop), with_server(anthropic_loop)
    responses = [each | {"messages": as_responses(each["messages"])} for each in chat]
    made = {"episodes": episodes(), "openai": chat, "responses": responses, "anthropic": claude}
    paths = {}
    for name, records in made.items():
        paths[name] = folder / f"{name}.jsonl"
        paths[name].write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    paths["one a file"] = folder / "one"
    paths["one a file"].mkdir()
    for each in chat:
        file = paths["one a file"] / f"{each['question_id']}.json"
        file.write_text(json.dumps(each["messages"]), encoding="utf-8")
    paths["atif"] = write_atif(folder / "atif", chat)
    paths["claude code"] = write_claude_code(folder / "claude", claude)
    return paths


DOORS = ("openai", "responses", "anthropic", "one a file", "atif", "claude code")


@pytest.mark.parametrize("door", DOORS)
def test_every_door_gives_the_same(logs: dict[str, Path], door: str) -> None:
    expected = audit_log(read_log(logs["episodes"]), n_boot=200)
    found_here = audit_log(read_log(logs[door]), n_boot=200)
    assert expected.kind == found_here.kind == "evidence"
    assert expected.delta.low is not None
    assert found_here.delta == expected.delta
    assert found_here.steps.equals(expected.steps)
    assert found_here.rule["tokens saved"].notna().all()


def test_a_scout_database(logs: dict[str, Path], tmp_path: Path) -> None:
    scout = pytest.importorskip("inspect_scout", reason=NEEDS)
    from inspect_scout.sources import claude_code

    async def fill() -> None:
        async with scout.transcripts_db(str(tmp_path / "db")) as database:
            await database.insert([each async for each in claude_code(logs["claude code"])])

    import asyncio

    asyncio.run(fill())
    expected = audit_log(read_log(logs["episodes"]), n_boot=200)
    assert audit_log(read_log(tmp_path / "db"), n_boot=200).delta == expected.delta


def test_an_inspect_log(logs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason=NEEDS)
    litellm = pytest.importorskip("litellm", reason=NEEDS)
    tokenizers = Path(litellm.__file__).parent / "litellm_core_utils" / "tokenizers"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tokenizers))
    from inspect_ai.agent import react
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.tool import tool

    @tool
    def web_search() -> Any:
        async def execute(question: str, t: int) -> str:
            """Search.

            Args:
                question: Which.
                t: How often.
            """
            return found(question, t)

        return execute

    def turns() -> Iterator[Any]:
        for question in PLANS:
            for t in range(steps_of(question)):
                given = {"question": question, "t": t + 1}
                yield ModelOutput.for_tool_call("m", "web_search", given, content=said(question, t)[0])
            thought = said(question, steps_of(question))[0]
            yield ModelOutput.for_tool_call("m", "submit", {"answer": ANSWER}, content=thought)

    samples = [Sample(id=question, input=f"{question}?", metadata={"regime": "own"}) for question in PLANS]
    model = get_model("mockllm/model", custom_outputs=turns())
    done = inspect_ai.eval(
        inspect_ai.Task(dataset=samples, solver=react(tools=[web_search()])),
        model=model, max_samples=1, display="none", log_dir=str(tmp_path / "logs"),
    )  # fmt: skip
    assert done[0].status == "success"
    log = read_log(tmp_path / "logs")
    assert set(log.episodes["regime"]) == {"own"}
    assert log.forms == {"Inspect log": len(PLANS)}
    assert audit_log(log, n_boot=200).delta == audit_log(read_log(logs["episodes"]), n_boot=200).delta
