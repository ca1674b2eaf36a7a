"""The rule in the loops of frameworks, each as the page shows it, and in front of an agent as a proxy."""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from judged_useless.harness import Rule
from live.run_live import free_port
from searching_server import Upstream, recipe, searching_server

pytestmark = pytest.mark.filterwarnings("default")
#: A key of the proxy's and one of the upstream's: neither may be written anywhere.
MASTER, SECRET = "sk-0123456789abcdef0123456789abcdef", "upstream-secret-of-nobody"
SEARCH: Any = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}


@pytest.mark.parametrize("stubborn", [False, True])
def test_langchain(stubborn: bool) -> None:
    agents = pytest.importorskip("langchain.agents", reason="needs make test-frameworks")
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    executed: list[str] = []

    @tool
    def search(query: str) -> str:
        """Search."""
        executed.append(query)
        return f"nothing, {len(executed)} times"

    with searching_server(Upstream(stubborn=stubborn)) as upstream:
        model = ChatOpenAI(model="m", base_url=f"{upstream.url}/v1", api_key="none")
        middleware = recipe("langchain")["StopsOnEvidence"](Rule(k=3), lambda it: model.invoke(it).text)
        agent = agents.create_agent(model, [search], middleware=[middleware])
        done = agent.invoke({"messages": [("user", "Where?")]})
    assert len(executed) == 3
    assert done["messages"][-1].text == ("I search." if stubborn else "Oslo")
    assert [bool(turn.get("tools")) for turn in upstream.turns] == [True] * 3 + [False] * (
        2 if stubborn else 1
    )


@pytest.mark.parametrize("stubborn", [False, True])
@pytest.mark.parametrize("streamed", [False, True])
async def test_openai_agents_sdk(streamed: bool, stubborn: bool) -> None:
    agents = pytest.importorskip("agents", reason="needs make test-frameworks")
    from openai import AsyncOpenAI

    agents.set_tracing_disabled(True)
    executed: list[str] = []

    @agents.function_tool
    def search(query: str) -> str:
        """Search."""
        executed.append(query)
        return "no results found"

    with searching_server(Upstream(stubborn=stubborn)) as upstream:
        client = AsyncOpenAI(base_url=f"{upstream.url}/v1", api_key="none")
        model = recipe("agents")["StopsOnEvidence"](model="m", openai_client=client)
        agent = agents.Agent(name="a", model=model, tools=[search], handoffs=[agents.Agent(name="b")])
        if streamed:
            done = agents.Runner.run_streamed(agent, "Where?")
            async for _ in done.stream_events():
                pass
        else:
            done = await agents.Runner.run(agent, "Where?")
        await client.close()
    assert (len(executed), done.final_output) == (5, "I search." if stubborn else "Oslo")
    assert [bool(turn.get("tools")) for turn in upstream.turns] == [True] * 5 + [False]


def test_inspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason="needs make test-frameworks")
    litellm = pytest.importorskip("litellm", reason="needs make test-frameworks")
    tokenizers = Path(litellm.__file__).parent / "litellm_core_utils" / "tokenizers"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tokenizers))
    from inspect_ai.agent import as_solver, react
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.tool import tool

    executed, offered = list[str](), list[list[str]]()

    @tool
    def search() -> Any:
        async def execute(query: str) -> str:
            """Search.

            Args:
                query: What for.
            """
            executed.append(query)
            return "No results found."

        return execute

    def reply(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        offered.append([each.name for each in tools])
        if "search" in offered[-1]:
            return ModelOutput.for_tool_call("mockllm/model", "search", {"query": "it"})
        return ModelOutput.for_tool_call("mockllm/model", "submit", {"answer": "Oslo"})

    (log,) = inspect_ai.eval(
        inspect_ai.Task(
            dataset=[Sample(input="Where?", target="Oslo")],
            solver=as_solver(react(model=recipe("inspect")["stops_on_evidence"](), tools=[search()])),
        ),
        model=get_model("mockllm/model", custom_outputs=reply),
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    assert len(executed) == 5
    assert offered == [["search", "submit"]] * 5 + [["submit"]]


@contextmanager
def proxy(upstream: Upstream, folder: Path, **settings: Any) -> Iterator[str]:
    """Run LiteLLM's proxy with the page's configuration, before a server of ours."""
    pytest.importorskip("litellm", reason="needs make test-frameworks")
    configuration = recipe("proxy")
    configuration["model_list"] = [
        {"model_name": name, "litellm_params": {"model": model, "api_base": base, "api_key": SECRET}}
        for name, model, base in [
            ("gpt", "openai/gpt", f"{upstream.url}/v1"),
            ("claude", "anthropic/claude", upstream.url),
        ]
    ]
    configuration["callback_settings"]["judged_useless"] |= {
        "k": 3,
        "log": str(folder / "episodes.jsonl"),
    } | settings
    (folder / "config.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
    port, log = free_port(), folder / "proxy.log"
    command = [
        str(Path(sys.executable).parent / "litellm"),
        "--config",
        "config.yaml",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    environment = os.environ | {
        "LITELLM_MASTER_KEY": MASTER,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    with log.open("w") as output:
        running = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(400):  # a busy machine takes minutes to import it
            if running.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"{url}/health/liveliness", timeout=2).close()
                yield url
                return
            except OSError:
                time.sleep(0.5)
        pytest.fail(log.read_text(encoding="utf-8")[-2000:])
    finally:
        running.terminate()
        running.wait(20)


async def converse(url: str, kind: str, question: str, steps: int = 6) -> int:
    """Run a plain loop that knows nothing of the rule; return after how many calls it answered, or -1."""
    if kind == "anthropic":
        import anthropic

        messages: list[Any] = [{"role": "user", "content": question}]
        tools: Any = [{"name": "search", "input_schema": {"type": "object"}}]
        async with anthropic.AsyncAnthropic(base_url=url, api_key=MASTER) as client:
            for step in range(steps):
                turn = await client.messages.create(
                    model="claude", max_tokens=99, messages=messages, tools=tools
                )
                content = turn.model_dump(exclude_none=True)["content"]
                uses = [block for block in content if block["type"] == "tool_use"]
                if not uses:
                    return step
                found = {"type": "tool_result", "tool_use_id": uses[0]["id"], "content": f"{question} {step}"}
                messages += [{"role": "assistant", "content": content}, {"role": "user", "content": [found]}]
        return -1
    import openai

    messages = [{"role": "user", "content": question}]
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=MASTER) as client:
        for step in range(steps):
            if kind == "streamed":
                text, calls = "", list[Any]()
                async for chunk in await client.chat.completions.create(
                    model="gpt", messages=messages, tools=[SEARCH], stream=True
                ):
                    for choice in chunk.choices:
                        text += choice.delta.content or ""
                        calls += [
                            call.model_dump(exclude={"index"}) for call in choice.delta.tool_calls or ()
                        ]
                turn_: dict[str, Any] = {"role": "assistant", "content": text} | (
                    {"tool_calls": calls} if calls else {}
                )
            else:
                reply = await client.chat.completions.create(model="gpt", messages=messages, tools=[SEARCH])
                turn_ = reply.choices[0].message.model_dump(exclude_none=True)
            if not turn_.get("tool_calls"):
                return step
            result = {
                "role": "tool",
                "tool_call_id": turn_["tool_calls"][0]["id"],
                "content": f"{question} {step}",
            }
            messages += [turn_, result]
    return -1


def last_lines(folder: Path, *, conversations: int, actions: int) -> list[dict[str, Any]]:
    """Return the last line of each conversation, once all have their actions (it is written later)."""
    for _ in range(40):
        path = folder / "episodes.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        last = {record["conversation"]: record for record in map(json.loads, lines)}
        if len(last) == conversations and all(len(each["actions"]) == actions for each in last.values()):
            break
        time.sleep(0.25)
    return list(last.values())


def nothing_secret(folder: Path) -> bool:
    return not any(
        key in path.read_text(encoding="utf-8")
        for path in folder.iterdir()
        if path.name != "config.yaml"
        for key in (MASTER, SECRET)
    )


@pytest.mark.parametrize("kind", ["openai", "streamed", "anthropic"])
def test_the_proxy_enforces(kind: str, tmp_path: Path) -> None:
    with searching_server(Upstream()) as upstream, proxy(upstream, tmp_path, mode="enforce") as url:

        async def all_at_once() -> list[int]:
            return await asyncio.gather(*(converse(url, kind, f"Where is {n}?") for n in range(8)))

        assert asyncio.run(all_at_once()) == [3] * 8
        episodes = last_lines(tmp_path, conversations=8, actions=4)
    assert [each["actions"] for each in episodes] == [["search"] * 3 + ["finish"]] * 8
    assert [each["judgments"] for each in episodes] == [["USELESS"] * 3] * 8
    assert {each["stopped_by"] for each in episodes} == {"evidence"}
    assert len({each["question_id"] for each in episodes}) == 8
    assert len(upstream.requests) == 8 * 7  # four turns and three judgments each, none asked twice
    assert nothing_secret(tmp_path)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_the_proxy_watches(kind: str, tmp_path: Path) -> None:
    with searching_server(Upstream()) as upstream, proxy(upstream, tmp_path, mode="watch") as url:
        assert asyncio.run(converse(url, kind, "Where?")) == -1
        (episode,) = last_lines(tmp_path, conversations=1, actions=6)
    assert episode["actions"] == ["search"] * 6
    assert episode["judgments"] == ["USELESS"] * 5
    assert all(turn.get("tools") for turn in upstream.turns)
    assert "Where" not in (tmp_path / "episodes.jsonl").read_text(encoding="utf-8")
    assert nothing_secret(tmp_path)


def test_a_judgment_that_fails_stops_nothing(tmp_path: Path) -> None:
    with searching_server(Upstream()) as upstream:
        settings = {"mode": "enforce", "signals": ["judge"], "judge_model": "no-such-model"}
        with proxy(upstream, tmp_path, **settings) as url:
            assert asyncio.run(converse(url, "openai", "Where?")) == -1
            (episode,) = last_lines(tmp_path, conversations=1, actions=6)
    assert set(episode["judgments"]) == {"UNPARSED"}
