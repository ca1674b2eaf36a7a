"""A server that always searches while a tool is offered, and judges every result useless; both protocols."""

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

PAGE = Path(__file__).parents[1] / "book" / "the_rule.md"


def recipe(name: str) -> Any:
    """Return the names that a recipe of the page defines, or what its configuration says."""
    after = PAGE.read_text(encoding="utf-8").split(f":name: recipe-{name}\n", 1)[1]
    code = after.split("```", 1)[0]
    if name == "proxy":
        return yaml.safe_load(code)
    defined: dict[str, Any] = {"__name__": f"recipe_{name}"}
    exec(compile(code, f"recipe-{name}", "exec"), defined)
    return defined


class Upstream:
    """What was asked of the server; `stubborn` lets it ask for tools that are not offered."""

    def __init__(self, *, stubborn: bool = False, judgment: str = "USELESS") -> None:
        self.requests: list[dict[str, Any]] = []
        self.stubborn, self.judgment = stubborn, judgment
        self.numbers = itertools.count()
        self.url = ""

    @property
    def turns(self) -> list[dict[str, Any]]:
        """The requests that are turns of the agent."""
        return [each for each in self.requests if not is_judgment(each)]

    def says(self, body: dict[str, Any]) -> tuple[str, str]:
        """Return (text, id of a call of `search` or nothing)."""
        if is_judgment(body):
            return self.judgment, ""
        choice = body.get("tool_choice")
        forbidden = choice == "none" or (isinstance(choice, dict) and choice.get("type") == "none")
        searches = (body.get("tools") and not forbidden) or self.stubborn
        return ("I search.", f"call-{next(self.numbers)}") if searches else ("Oslo", "")

    def openai(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the message of a chat completion."""
        text, call = self.says(body)
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if call:
            function = {"name": "search", "arguments": '{"query": "it"}'}
            message["tool_calls"] = [{"index": 0, "id": call, "type": "function", "function": function}]
        return message

    def anthropic(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a message of Anthropic's."""
        text, call = self.says(body)
        content: list[dict[str, Any]] = [{"type": "text", "text": text}]
        if call:
            content.append({"type": "tool_use", "id": call, "name": "search", "input": {"query": "it"}})
        end = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        usage = {"input_tokens": 1, "output_tokens": 1}
        own = {"id": "message", "type": "message", "role": "assistant", "model": body["model"]}
        return {**own, "content": content, **end, "usage": usage}


def is_judgment(body: dict[str, Any]) -> bool:
    return "exactly one word" in json.dumps(body["messages"][-1])


@contextmanager
def searching_server(upstream: Upstream) -> Iterator[Upstream]:
    """Serve on a free port; `upstream.url` is its root."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Print nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            upstream.requests.append(body)
            if not self.path.endswith("/chat/completions"):
                return self.send(json.dumps(upstream.anthropic(body)), "application/json")
            message = upstream.openai(body)
            end = "tool_calls" if "tool_calls" in message else "stop"
            own = {"id": "chat", "created": 1, "model": body["model"]}
            if not body.get("stream"):
                choice = {"index": 0, "message": message, "finish_reason": end}
                usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                whole = {**own, "object": "chat.completion", "choices": [choice], "usage": usage}
                return self.send(json.dumps(whole), "application/json")
            parts: list[dict[str, Any]] = [
                {"delta": message, "finish_reason": None},
                {"delta": {}, "finish_reason": end},
            ]
            chunks = [
                {**own, "object": "chat.completion.chunk", "choices": [{"index": 0, **part}]}
                for part in parts
            ]
            lines = [*map(json.dumps, chunks), "[DONE]"]
            return self.send("".join(f"data: {line}\n\n" for line in lines), "text/event-stream")

        def send(self, text: str, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    upstream.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield upstream
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
