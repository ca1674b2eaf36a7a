"""The same episodes through every door that other people's software opens: the same Δ, to the last digit."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from judged_useless.adapters import audit_log, read_log
from judged_useless.cli.main import main
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
from searching_server import Upstream, searching_server

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


def write(path: Path, *messages: Any) -> Path:
    path.write_text(json.dumps({"messages": messages}) + "\n", encoding="utf-8")
    return path


def test_an_answer_after_a_turn_of_calls_without_a_word_is_an_answer(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason=NEEDS)
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    silent = {"role": "assistant", "content": None, "tool_calls": [call], "refusal": None, "audio": None}
    found_nothing = {"role": "tool", "tool_call_id": "a", "content": ""}
    answer = {"role": "assistant", "content": "Oslo", "tool_calls": None}
    question = {"role": "user", "content": [{"type": "text", "text": "Which town?"}]}
    log = read_log(write(tmp_path / "log.jsonl", question, silent, found_nothing, answer))
    assert log.episodes["actions"].tolist() == [["search", "finish"]]
    assert log.tools == {("search", "look"): 1}


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        (["text"], "line 1: field 'messages': entry 1: expected a message with its role"),
        ([{"role": "tool", "content": "x"}], "line 1: messages that are no OpenAI chat .*tool_call_id"),
        ([{"role": "alien", "content": "x"}], "line 1: messages that are no OpenAI chat"),
        (
            [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}],
            "no tool call in 1 chats",
        ),
    ],
)
def test_messages_that_are_none_are_refused(messages: list[Any], reason: str, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason=NEEDS)
    with pytest.raises(ValueError, match=reason) as caught:
        read_log(write(tmp_path / "log.jsonl", *messages))
    assert str(tmp_path / "log.jsonl") in str(caught.value)


def test_a_judge_is_asked_once(
    logs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = sum(map(steps_of, PLANS))
    with searching_server(Upstream(judgment="USELESS")) as upstream:
        server = ["--base-url", f"{upstream.url}/v1", "--judge-cache", str(tmp_path / "replies")]
        for _ in range(2):
            assert main(["audit", str(logs["openai"]), "--judge", "openai:m", *server]) == 0
    told = capsys.readouterr()
    assert len(upstream.requests) == results
    assert f"{results} results to judge, {results} requests to send" in told.err
    assert f"{results} results to judge, 0 requests to send" in told.err
    assert "0 decisions in (b), and none at the same step to be compared" in told.out


def test_a_langgraph_agent(logs: dict[str, Path], tmp_path: Path) -> None:
    agents = pytest.importorskip("langchain.agents", reason=NEEDS)
    from langchain_core.messages import convert_to_openai_messages
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    def loop(url: str, question: str) -> list[Any]:
        asked = iter(range(1, 20))

        @tool
        def search(query: str) -> str:
            """Search."""
            return found(question, next(asked))

        model = ChatOpenAI(model="m", base_url=f"{url}/v1", api_key="none")
        done = agents.create_agent(model, [search]).invoke({"messages": [("user", f"{question}?")]})
        return list(convert_to_openai_messages(done["messages"]))

    path = tmp_path / "langgraph.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in with_server(loop)), encoding="utf-8")
    assert (
        audit_log(read_log(path), n_boot=200).delta == audit_log(read_log(logs["episodes"]), n_boot=200).delta
    )
