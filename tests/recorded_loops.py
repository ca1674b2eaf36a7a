"""An agent of known policy in real loops of the SDKs, and what it says as other software would record it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from searching_server import Upstream, searching_server

#: Questions, each with the result that is useful (counted from 1; 0 for none) and the useless ones it takes.
PLANS = {f"q{number:02}": (number % 4, 3 + number % 3) for number in range(24)}
USEFUL, USELESS = "The page says that the river is in Norway.", "The result is not relevant to the question."
ANSWER = "I answer Oslo."
SEARCH = {"name": "web_search", "description": "Search."}
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}}


def found(question: str, t: int) -> str:
    """Return what the source gives as result t."""
    return "a river in Norway" if t == PLANS[question][0] else "nothing about it"


def said(question: str, t: int) -> tuple[str, bool]:
    """Return what the agent says after t results, and whether it answers with it."""
    useful, patience = PLANS[question]
    run = t - useful if useful and t >= useful else t
    thought = "I search." if t == 0 else USEFUL if t == useful else USELESS
    return (f"{thought} {ANSWER}", True) if t and run >= patience else (f"{thought} I search again.", False)


def steps_of(question: str) -> int:
    """Return after how many results the agent answers."""
    return next(t for t in range(1, 20) if said(question, t)[1])


def episodes() -> list[dict[str, Any]]:
    """Return what the agent does as episodes."""
    return [
        {
            "question_id": question,
            "actions": ["search"] * steps_of(question) + ["finish"],
            "judgments": ["USEFUL" if t == useful else "USELESS" for t in range(1, steps_of(question) + 1)],
        }
        for question, (useful, _) in PLANS.items()
    ]


class Agent(Upstream):
    """The agent, served: it reads off the request how far it is."""

    def says(self, body: dict[str, Any]) -> tuple[str, str]:
        text = json.dumps(body["messages"])
        question = next(question for question in PLANS if f"{question}?" in text)
        t = text.count("a river in Norway") + text.count("nothing about it")
        thought, answers = said(question, t)
        return thought, "" if answers else f"{question}-{t}"


def with_server(loop: Callable[[str, str], list[Any]]) -> list[dict[str, Any]]:
    """Return the conversations that a loop has, given the server's address and a question."""
    with searching_server(Agent()) as upstream:
        return [{"question_id": each, "messages": loop(upstream.url, each)} for each in PLANS]


def openai_loop(url: str, question: str) -> list[Any]:
    import openai

    messages: list[Any] = [{"role": "user", "content": f"Which town is {question}?"}]
    tools: list[Any] = [{"type": "function", "function": {**SEARCH, "parameters": SCHEMA}}]
    with openai.OpenAI(base_url=f"{url}/v1", api_key="none") as client:
        while True:
            reply = client.chat.completions.create(model="m", messages=messages, tools=tools)
            message = reply.choices[0].message
            messages.append(message.model_dump())
            if not message.tool_calls:
                return messages
            for call in message.tool_calls:
                t = sum(each["role"] == "tool" for each in messages) + 1
                messages.append({"role": "tool", "tool_call_id": call.id, "content": found(question, t)})


def anthropic_loop(url: str, question: str) -> list[Any]:
    import anthropic

    messages: list[Any] = [{"role": "user", "content": f"Which town is {question}?"}]
    tools: list[Any] = [{**SEARCH, "input_schema": SCHEMA}]
    with anthropic.Anthropic(base_url=url, api_key="none") as client:
        while True:
            reply = client.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)
            content = [part.model_dump() for part in reply.content]
            messages.append({"role": "assistant", "content": content})
            calls = [part for part in content if part["type"] == "tool_use"]
            if not calls:
                return messages
            t = len(messages) // 2
            results = [
                {"type": "tool_result", "tool_use_id": call["id"], "content": found(question, t)}
                for call in calls
            ]
            messages.append({"role": "user", "content": results})


def as_responses(messages: list[Any]) -> list[Any]:
    """Return messages of an OpenAI chat as items of its Responses."""
    items: list[Any] = []
    for message in messages:
        if message["role"] == "tool":
            called = {"call_id": message["tool_call_id"], "output": message["content"]}
            items.append({"type": "function_call_output", **called})
            continue
        if message["role"] == "user":
            items.append(message)
            continue
        text = [{"type": "output_text", "text": message["content"], "annotations": []}]
        items.append(
            {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": text}
        )
        for call in message["tool_calls"] or ():
            function = {"name": "web_search", "arguments": call["function"]["arguments"]}
            items.append({"type": "function_call", "id": "f", "call_id": call["id"], **function})
    return items


def write_atif(folder: Path, conversations: list[dict[str, Any]]) -> Path:
    """Write messages of OpenAI chats as one ATIF trajectory each."""
    folder.mkdir()
    for each in conversations:
        steps: list[dict[str, Any]] = []
        for message in each["messages"]:
            if message["role"] == "tool":
                called = {"source_call_id": message["tool_call_id"], "content": message["content"]}
                steps[-1].setdefault("observation", {"results": []})["results"].append(called)
                continue
            source = "agent" if message["role"] == "assistant" else "user"
            step = {"step_id": len(steps) + 1, "source": source, "message": message["content"]}
            if message.get("tool_calls"):
                step["tool_calls"] = [
                    {"tool_call_id": call["id"], "function_name": "web_search", "arguments": {"query": "it"}}
                    for call in message["tool_calls"]
                ]
            steps.append(step)
        agent = {"name": "a", "version": "1", "model_name": "m"}
        whole = {
            "schema_version": "ATIF-v1.4",
            "session_id": each["question_id"],
            "agent": agent,
            "steps": steps,
        }
        (folder / f"{each['question_id']}.json").write_text(json.dumps(whole), encoding="utf-8")
    return folder


def write_claude_code(folder: Path, conversations: list[dict[str, Any]]) -> Path:
    """Write Anthropic messages as one Claude Code session each."""
    folder.mkdir()
    for number, each in enumerate(conversations):
        session, before, lines = f"00000000-0000-4000-8000-{number:012}", None, []
        for place, message in enumerate(each["messages"]):
            uuid = f"{number:08}-0000-4000-8000-{place:012}"
            line: dict[str, Any] = {
                "parentUuid": before, "isSidechain": False, "userType": "external", "cwd": "/project",
                "sessionId": session, "version": "2.0.1", "gitBranch": "", "type": message["role"],
                "message": message, "uuid": uuid, "timestamp": f"2026-01-01T00:00:{place:02}.000Z",
            }  # fmt: skip
            if message["role"] == "assistant":
                own = {"id": f"msg_{uuid}", "type": "message", "model": "m", "stop_reason": None}
                line["message"] = {**own, **message, "usage": {"input_tokens": 1, "output_tokens": 1}}
            lines.append(json.dumps(line) + "\n")
            before = uuid
        (folder / f"{session}.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder
