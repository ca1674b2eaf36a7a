"""A local HTTP server that answers both APIs, and misbehaves as it is told to."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Self

TEXT = "Thought: look\nAction: search\nAction Input: x"
#: What a server may be told to repeat.
KEY = "Bogus0Key1For2Tests3"
CHAT, MESSAGES = "/v1/chat/completions", "/v1/messages"


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


def reply(path: str, **changes: Any) -> bytes:
    """Return a well-formed body of the API that the path belongs to, with fields replaced."""
    if path == CHAT:
        message = {"role": "assistant", "content": changes.pop("text", TEXT)}
        message |= {"reasoning_content": changes.pop("thinking")} if "thinking" in changes else {}
        choice = {"index": 0, "finish_reason": changes.pop("reason", "stop"), "message": message}
        usage = {"prompt_tokens": 100, "completion_tokens": changes.pop("output", 12), "total_tokens": 112}
        usage["prompt_tokens_details"] = {"cached_tokens": 64}
        body = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    else:
        reason = changes.pop("reason", "stop")
        stop = {"stop": "end_turn", "length": "max_tokens"}.get(reason, reason)
        text = changes.pop("text", TEXT)
        content = [] if text is None else [{"type": "text", "text": text}]
        content += (
            [{"type": "thinking", "thinking": changes.pop("thinking")}] if "thinking" in changes else []
        )
        usage = {"input_tokens": 26, "output_tokens": changes.pop("output", 12)}
        usage |= {"cache_read_input_tokens": 64, "cache_creation_input_tokens": 10}
        body = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content}
        body |= {"stop_reason": stop, "stop_sequence": None}
    return json.dumps({**body, "usage": usage, **changes}).encode()


Answer = Callable[[asyncio.StreamWriter, str], Awaitable[None]]


def status(code: int, body: bytes | None = None, *headers: str, kind: str = "application/json") -> Answer:
    async def answer(writer: asyncio.StreamWriter, path: str) -> None:
        content = reply(path) if body is None else body
        head = [f"HTTP/1.1 {code} X", f"content-type: {kind}", f"content-length: {len(content)}", *headers]
        writer.write("\r\n".join([*head, "", ""]).encode() + content)
        await writer.drain()

    return answer


def error(number: int, message: str, *headers: str, **fields: Any) -> Answer:
    return status(number, json.dumps({"error": {"message": message, **fields}}).encode(), *headers)


def body(**changes: Any) -> Answer:
    async def answer(writer: asyncio.StreamWriter, path: str) -> None:
        await status(200, reply(path, **changes))(writer, path)

    return answer


async def hang(writer: asyncio.StreamWriter, path: str) -> None:
    await asyncio.sleep(3600)


async def reset(writer: asyncio.StreamWriter, path: str) -> None:
    writer.transport.abort()


async def cut_body(writer: asyncio.StreamWriter, path: str) -> None:
    content = reply(path)
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
    writer.write(f"content-length: {len(content)}\r\n\r\n".encode() + content[:60])
    await writer.drain()
    writer.close()


async def cut_stream(writer: asyncio.StreamWriter, path: str) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
    writer.write(b"3c\r\n" + reply(path)[:60] + b"\r\n")
    await writer.drain()
    writer.close()


async def cut_json(writer: asyncio.StreamWriter, path: str) -> None:
    """A body that is whole to HTTP, and cut off to JSON."""
    await status(200, reply(path)[:60])(writer, path)


async def empty_choice(writer: asyncio.StreamWriter, path: str) -> None:
    changes: dict[str, Any] = {"choices": []} if path == CHAT else {"text": None, "output": 0}
    await status(200, reply(path, **changes))(writer, path)


_OVERFLOW = "This model's maximum context length is 8192 tokens. However, your prompt contains 9000 tokens."

FAULTS: dict[str, Answer] = {
    "ok": body(),
    "rate_limit": error(429, "slow down"),
    "rate_limit_7": error(429, "slow down", "retry-after: 7"),
    "no_credit": error(429, "You exceeded your current quota", code="insufficient_quota"),
    "500": error(500, "oops"),
    "500_html": status(500, b"<html>oops</html>", kind="text/html"),
    "529": error(529, "Overloaded", type="overloaded_error"),
    "503_9": error(503, "restarting", "retry-after: 9"),
    "hang": hang,
    "reset": reset,
    "cut_body": cut_body,
    "cut_stream": cut_stream,
    "cut_json": cut_json,
    "malformed": status(200, b"Thought: I am no JSON"),
    "html": status(200, b"<html>Thought: gateway</html>", kind="text/html"),
    "json_list": status(200, b'["Thought: USELESS"]'),
    "error_in_200": status(200, b'{"error": {"message": "Action: finish"}}'),
    "overloaded_in_200": status(200, b'{"error": {"type": "overloaded_error", "message": "later"}}'),
    "code_502_in_200": status(200, b'{"error": {"code": 502, "message": "no provider"}}'),
    "redirect": status(307, b"", "location: http://127.0.0.1:9/else"),
    "runs_on": body(text=f"{TEXT}\nObservation: [x] y\nAction: finish", reason="length", output=50),
    "stop_included": body(text=f"{TEXT}\nObservation:"),
    "unknown_end": body(reason="finito"),
    "misfiled": body(text=None, thinking=TEXT),
    "negative_usage": body(output=-500),
    "empty_choice": empty_choice,
    "empty_text": body(text="", output=0),
    "null_text": body(text=None, output=0),
    "broken_off": body(reason=None),
    "overflow": error(400, _OVERFLOW),
    "silent_cut": body(reason="length", output=5),
    "half": body(text="Action: finish\nAction Input: caf\ud83d"),
    "echoed_key": body(text=f"Thought: my key is {KEY}, not sk-looks-like-one\nAction: search"),
    "blank": body(text="", output=1),
    "bad_request": error(400, "temperature: expected a number"),
    "unauthorized": error(401, "Incorrect API key provided: secret-key-in-test"),
    "not_found": error(404, "no such model"),
}


class FaultyServer:
    """Answers each request by the next fault of its list, the last one again and again."""

    def __init__(self, *faults: str) -> None:
        self.faults = list(faults)
        self.requests: list[Request] = []
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in list(self._open):
            writer.transport.abort()
        await asyncio.sleep(0)
        for task in [t for t in asyncio.all_tasks() if t.get_name() == "faulty"]:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.set_name("faulty")
        self._open.add(writer)
        try:
            while request := await self._read(reader):
                self.requests.append(request)
                fault = self.faults.pop(0) if len(self.faults) > 1 else self.faults[0]
                await FAULTS[fault](writer, request.path)
                if writer.is_closing():
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Request | None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
        except asyncio.IncompleteReadError:
            return None
        first, *lines = head.rstrip().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        return Request(first.split(" ")[1], headers, json.loads(content or b"{}"))
