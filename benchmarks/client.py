"""The client against a server of its own: how fast it is, and whether faults change what a run says.

(a) Requests a second of the client's processor time by how many are in flight, of a server without latency;
and the same of the bare SDK, which slows down with the connections that its pool has to look at.

(b) A cell of questions in seven regimes, 256 requests in flight, of a server that replies by the conversation
alone: once undisturbed, once with 2 % errors (500, 429, a body cut off, a connection reset) and 1 % stalls.
Every episode must be equal.

    python benchmarks/client.py [--requests 1000] [--questions 30]
"""

import argparse
import asyncio
import json
import logging
import multiprocessing
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from judged_useless._io.seeds import stable_seed
from judged_useless.environment.regimes import MEAN6
from judged_useless.models import get_model
from judged_useless.models.base import Message
from judged_useless.runs.cell import run_cell
from judged_useless.runs.execution import rare_collections
from openai import AsyncOpenAI

MESSAGES: list[Message] = [
    {"role": "system", "content": "You are an agent."},
    {"role": "user", "content": "Question: who? " * 40},
]
ERRORS = ("HTTP/1.1 500 X", "HTTP/1.1 429 X\r\nretry-after-ms: 5", "cut", "reset")


def reply(request: bytes) -> bytes:
    """Return a judgment or a turn, as the conversation has it."""
    asked = json.loads(request)["messages"]
    draw = stable_seed(json.dumps(asked)) % 100
    if asked[-1]["content"].startswith("Before acting"):
        text = "USELESS" if draw < 70 else "USEFUL"
    else:
        action = "finish" if draw < 12 else "search"
        text = f"Thought: I go on.\nAction: {action}\nAction Input: town {draw}"
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 100, "completion_tokens": 12}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


class Replying(asyncio.Protocol):
    """One connection: every whole request gets its reply, or a fault."""

    faults: random.Random | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._read = transport, b""

    def data_received(self, data: bytes) -> None:
        """Reply as soon as a request is whole."""
        self._read += data
        while (head := self._read.find(b"\r\n\r\n")) >= 0:
            length = self._read[:head].lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            if len(self._read) < (whole := head + 4 + int(length)):
                return
            request, self._read = self._read[head + 4 : whole], self._read[whole:]
            self._answer(reply(request))

    def _answer(self, body: bytes) -> None:
        line, draw = "HTTP/1.1 200 X", 1.0 if self.faults is None else self.faults.random()
        if draw < 0.01:
            return
        if draw < 0.03 and self.faults is not None:
            line = self.faults.choice(ERRORS)
        if line == "reset":
            self._transport.abort()
            return
        cut = line == "cut"
        head = f"{'HTTP/1.1 200 X' if cut else line}\r\ncontent-length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + (body[:30] if cut else body))
        if cut:
            self._transport.close()


def serve(port: Connection, *, faulty: bool) -> None:
    """Run the server, and send the port that it listens on."""
    Replying.faults = random.Random(0) if faulty else None

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Replying, "127.0.0.1", 0, backlog=1024)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def start(*, faulty: bool = False) -> str:
    """Start a server and return its address; it ends with this process."""
    here, there = multiprocessing.Pipe()
    multiprocessing.Process(target=serve, args=(there,), kwargs={"faulty": faulty}, daemon=True).start()
    return f"http://127.0.0.1:{here.recv()}/v1"


async def rate(send: Callable[[], Awaitable[object]], width: int, n: int) -> float:
    """Return requests a second of this process's own time; connections are made before."""
    places = asyncio.Semaphore(width)

    async def one() -> None:
        async with places:
            await send()

    await asyncio.gather(*(one() for _ in range(4 * width)))
    began = time.process_time()
    await asyncio.gather(*(one() for _ in range(n)))
    return n / (time.process_time() - began)


async def of_ours(url: str, width: int, n: int) -> float:
    """Return the rate of a model of ours, as a run uses it."""
    model = get_model("openai:m", base_url=url)
    with rare_collections():
        found = await rate(lambda: model.generate(MESSAGES), width, n)
    await model.aclose()
    return found


async def of_the_sdk(url: str, width: int, n: int) -> float:
    """Return the rate of one client of the SDK."""
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        messages: Any = MESSAGES
        return await rate(lambda: client.chat.completions.create(model="m", messages=messages), width, n)


async def episodes(url: str, questions: int, folder: Path) -> Sequence[dict[str, object]]:
    """Run the cell and return its trajectories, without what may differ between equal runs."""
    run = await run_cell(
        model="openai:m", base_url=url, timeout=3.0, task="atlas", n_questions=questions, concurrency=256,
        condition="enforced_rule", regimes=(*MEAN6, "plausible"), out=folder, progress=False,
    )  # fmt: skip
    return [{**trajectory, "timings": None} for trajectory in run.trajectories()]


def main() -> None:
    """Print the rates and their ratio, then how many episodes are equal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=30)
    given = parser.parse_args()
    logging.disable()  # every fault that is met is told, and here they are meant
    url = start()
    rates = {(width, of): 0.0 for width in (1, 16, 64, 256) for of in (of_ours, of_the_sdk)}
    # In turns, and the best of three: the machine may be busy.
    for width, of in 3 * list(rates):
        rates[width, of] = max(rates[width, of], asyncio.run(of(url, width, given.requests)))
    print("requests a second of processor time, by how many are in flight:")
    for name, of in (("ours", of_ours), ("the bare SDK", of_the_sdk)):
        found = ", ".join(f"{width}: {rates[width, of]:.0f}" for width in (1, 16, 64, 256))
        print(f"  {name}: {found}; 256 against 16: {rates[256, of] / rates[16, of]:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        clean = asyncio.run(episodes(url, given.questions, Path(folder) / "clean"))
        between = time.perf_counter()
        disturbed = asyncio.run(episodes(start(faulty=True), given.questions, Path(folder) / "faulty"))
        ended = time.perf_counter()
    equal = sum(one == other for one, other in zip(clean, disturbed, strict=True))
    print(
        f"{equal} of {len(clean)} episodes under faults are those of the clean run; "
        f"{between - began:.0f} s clean, {ended - between:.0f} s with 2 % errors and 1 % stalls"
    )
    assert equal == len(clean)


if __name__ == "__main__":
    main()
