"""How many requests a second the client makes, by how many are in flight, of a server without latency.

The server runs in a process of its own and replies at once, so that what is measured is the client.

    python benchmarks/client.py [--requests 2000]
"""

import argparse
import asyncio
import json
import multiprocessing
import time
from multiprocessing.connection import Connection

from judged_useless.models import get_model
from judged_useless.models.base import Message

MESSAGES: list[Message] = [
    {"role": "system", "content": "You are an agent."},
    {"role": "user", "content": "Question: who? " * 40},
]
_MESSAGE = {"role": "assistant", "content": "Thought: a\nAction: search\nAction Input: x"}
_USAGE = {"prompt_tokens": 100, "completion_tokens": 12}
_BODY = json.dumps({"choices": [{"finish_reason": "stop", "message": _MESSAGE}], "usage": _USAGE}).encode()
REPLY = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(_BODY) + _BODY
)


class Replying(asyncio.Protocol):
    """One connection: every whole request gets the reply."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._read = transport, b""

    def data_received(self, data: bytes) -> None:
        """Reply as soon as a request is whole."""
        self._read += data
        while (head := self._read.find(b"\r\n\r\n")) >= 0:
            length = self._read[:head].lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            if len(self._read) < (whole := head + 4 + int(length or 0)):
                return
            self._read = self._read[whole:]
            self._transport.write(REPLY)


def serve(port: Connection) -> None:
    """Run the server, and send the port that it listens on."""

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Replying, "127.0.0.1", 0, backlog=1024)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


async def rate(url: str, width: int, n: int) -> float:
    """Return requests a second with so many in flight; connections are made before."""
    model, places = get_model("openai:m", base_url=url), asyncio.Semaphore(width)

    async def one() -> None:
        async with places:
            await model.generate(MESSAGES)

    await asyncio.gather(*(one() for _ in range(4 * width)))
    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(n)))
    seconds = time.perf_counter() - began
    await model.aclose()
    return n / seconds


def main() -> None:
    """Print the rates, and the ratio of the widest to 16 in flight."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    n = parser.parse_args().requests
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    rates = {width: asyncio.run(rate(url, width, n)) for width in (1, 16, 64, 256)}
    for width, found in rates.items():
        print(f"{width:4d} in flight: {found:6.0f} requests/s")
    print(f"256 against 16 in flight: {rates[256] / rates[16]:.2f}")
    server.terminate()


if __name__ == "__main__":
    main()
