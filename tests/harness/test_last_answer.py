"""The hard stop: requests that can only be answered, and the page's loops on the real SDKs."""

import copy
from typing import Any

import anthropic
import openai
import pytest
from judged_useless.harness import ANSWER_NOW, Rule, answer_only, final_answer_async
from searching_server import Upstream, recipe, searching_server

SEARCH = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}
SUBMIT = {"type": "function", "function": {"name": "submit", "parameters": {"type": "object"}}}


def chat() -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "Answer."},
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "nothing"},
    ]
    return {"model": "m", "messages": messages, "tools": [SEARCH, SUBMIT], "tool_choice": "auto"}


def test_an_openai_request_loses_its_tools_and_says_so() -> None:
    request = chat()
    before = copy.deepcopy(request)
    changed = answer_only(request)
    assert request == before
    assert changed.keys() == {"model", "messages"}
    assert changed["messages"][-1]["content"].endswith(ANSWER_NOW)
    assert changed["messages"][0]["content"].startswith("Answer.\n\n")


def test_the_tool_that_answers_stays() -> None:
    changed = answer_only(chat(), answer_tool="submit")
    assert changed["tools"] == [SUBMIT]
    assert changed["tool_choice"]["function"]["name"] == "submit"


@pytest.mark.parametrize("content", [None, "", [], ["text"], [{"type": "image"}], [{"type": "input_text"}]])
def test_whatever_a_result_holds_the_sentence_comes_after_it(content: Any) -> None:
    request = chat()
    request["messages"][-1]["content"] = content
    assert ANSWER_NOW in str(answer_only(request)["messages"][-1]["content"])


def test_a_proposed_turn_is_dropped() -> None:
    request = chat()
    request["messages"].append({"role": "assistant", "content": "Again.", "tool_calls": []})
    assert answer_only(request)["messages"][-1]["role"] == "tool"


def test_an_anthropic_request_keeps_its_tools_and_may_choose_none() -> None:
    tools = [{"name": "search", "input_schema": {"type": "object"}}, {"name": "submit", "input_schema": {}}]
    found = {"type": "tool_result", "tool_use_id": "u", "content": "nothing"}
    request = {"messages": [{"role": "user", "content": [found]}], "tools": tools, "system": "Answer."}
    changed = answer_only(request)
    assert (changed["tools"], changed["tool_choice"]) == (tools, {"type": "none"})
    assert changed["messages"][-1]["content"] == [found, {"type": "text", "text": ANSWER_NOW}]
    assert changed["system"].startswith("Answer.")
    assert answer_only(request, answer_tool="submit")["tool_choice"] == {"type": "tool", "name": "submit"}


def test_a_responses_request() -> None:
    items = [
        {"role": "user", "content": "Where?"},
        {"type": "function_call_output", "call_id": "c", "output": "-"},
    ]
    changed = answer_only({"input": items, "instructions": "Answer.", "tools": [{"name": "search"}]})
    assert "tools" not in changed
    assert changed["input"][-1]["output"].endswith(ANSWER_NOW)
    assert changed["instructions"].startswith("Answer.\n\n")


@pytest.mark.parametrize("answer_tool", [None, "submit"])
@pytest.mark.parametrize("where", ["messages", "input"])
@pytest.mark.parametrize(
    "tool", [{"type": "web_search"}, {"type": "mcp", "server_label": "x"}, {"type": "custom", "name": "run"}]
)
def test_a_tool_of_the_providers_goes_too(tool: Any, where: str, answer_tool: str | None) -> None:
    request = {where: chat()["messages"][1:2], "tools": [tool], "functions": [{"name": "f"}]}
    offered = {"tool_choice": "auto", "function_call": "auto", "web_search_options": {}, "mcp_servers": [{}]}
    assert set(answer_only({**request, **offered}, answer_tool=answer_tool)) <= {where, "instructions"}
    own = {"type": "function", "name": "submit"} if where == "input" else SUBMIT
    kept = answer_only({**request, "tools": [tool, own]}, answer_tool="submit")
    assert kept["tools"] == [own]
    choice = {"name": "submit"} if where == "input" else {"function": {"name": "submit"}}
    assert kept["tool_choice"] == {"type": "function", **choice}


def test_of_an_anthropic_request_only_the_agents_own_tools_stay_listed() -> None:
    search = {"name": "search", "input_schema": {"type": "object"}}
    bash = {"type": "bash_20250124", "name": "bash"}
    web = {"type": "web_search_20250305", "name": "web_search"}
    used = {"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "bash", "input": {}}]}
    found = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": ""}]}
    changed = answer_only({"messages": [used, found], "tools": [search, bash, web]})
    assert (changed["tools"], changed["tool_choice"]) == ([search, bash], {"type": "none"})
    hosted = [
        {"type": "server_tool_use", "id": "w", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "w", "content": []},
    ]
    changed = answer_only({"messages": [{"role": "assistant", "content": hosted}], "tools": [web]})
    assert "tools" not in changed
    assert changed["messages"][-1] == {"role": "user", "content": ANSWER_NOW}


@pytest.mark.parametrize("reply", [None, "Oslo", {"choices": [{}]}, {"output": ["Oslo"]}])
async def test_what_is_no_reply_is_named(reply: Any) -> None:
    async def send(**_: Any) -> Any:
        return reply

    with pytest.raises(ValueError, match=r"^reply.* is .* expected a dictionary or an SDK's object"):
        await final_answer_async(send, chat())


def converse(kind: str, upstream: Upstream, k: int = 3) -> tuple[str, list[str]]:
    """Run a recipe of the page; return its answer and the calls that were executed."""
    defined, executed = recipe(kind), list[str]()
    assert defined["rule"].k == 5
    defined["rule"] = defined["run"].__globals__["rule"] = Rule(k=k)

    def search(name: str, _: Any) -> str:
        executed.append(name)
        return f"nothing, {len(executed)} times"

    messages = [{"role": "user", "content": "Where?"}]
    if kind == "openai":
        client: Any = openai.OpenAI(base_url=f"{upstream.url}/v1", api_key="none")
        tools: list[Any] = [SEARCH]
    else:
        client = anthropic.Anthropic(base_url=upstream.url, api_key="none")
        tools = [{"name": "search", "input_schema": {"type": "object"}}]
    with client:
        return defined["run"](client, "model", messages, tools, search), executed


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_loop_stops_after_the_kth_useless_result(kind: str) -> None:
    with searching_server(Upstream()) as upstream:
        assert converse(kind, upstream) == ("Oslo", ["search"] * 3)
    assert len(upstream.turns) == 4
    assert len(upstream.requests) == 7


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_call_that_is_not_offered_is_not_executed(kind: str) -> None:
    with searching_server(Upstream(stubborn=True)) as upstream:
        assert converse(kind, upstream) == ("I search.", ["search"] * 3)
    assert len(upstream.turns) == 5  # one more chance, then the loop ends


@pytest.mark.parametrize("word", ["USEFUL", "unreadable"])
def test_a_loop_that_is_not_judged_useless_goes_on(word: str) -> None:
    class EnoughError(Exception):
        pass

    with searching_server(Upstream(judgment=word)) as upstream:
        defined, executed = recipe("openai"), list[str]()

        def search(name: str, _: Any) -> str:
            executed.append(name)
            if len(executed) == 8:
                raise EnoughError
            return str(len(executed))

        with (
            openai.OpenAI(base_url=f"{upstream.url}/v1", api_key="none") as client,
            pytest.raises(EnoughError),
        ):
            defined["run"](client, "model", [{"role": "user", "content": "Where?"}], [SEARCH], search)


async def test_the_last_answer_says_why_it_is_none() -> None:
    async def send(**_: Any) -> dict[str, Any]:
        return {"choices": [{"message": chat()["messages"][2]}]}

    answer = await final_answer_async(send, chat(), why="five useless results")
    assert answer.text == ""
    assert answer.reason.startswith("five useless results; asked twice")


async def test_the_answering_tools_arguments_are_the_answer() -> None:
    async def send(**request: Any) -> dict[str, Any]:
        (tool,) = request["tools"]
        call = {"id": "s", "function": {"name": tool["function"]["name"], "arguments": '{"answer": "Oslo"}'}}
        return {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}

    assert "Oslo" in (await final_answer_async(send, chat(), answer_tool="submit")).text
