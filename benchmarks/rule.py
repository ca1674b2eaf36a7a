"""What the rule adds to each request of an agent, beside a call to a server on this machine."""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openai
from judged_useless.harness import Rule

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from searching_server import Upstream, searching_server

#: Results in the conversation, and characters of each.
STEPS, LENGTH = 20, 2000


def conversation(name: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Question {name}: who wrote the book?"}]
    for step in range(STEPS):
        call = {"id": f"{step}", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": "I search again.", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"{step}", "content": f"{step} " * (LENGTH // 3)})
    return messages


def median_ms(act: Callable[[int], object], repeats: int = 100) -> float:
    times = []
    for number in range(repeats):
        began = time.perf_counter()
        act(number)
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def main() -> None:
    conversations = [conversation(number) for number in range(100)]
    with (
        searching_server(Upstream()) as upstream,
        openai.OpenAI(base_url=f"{upstream.url}/v1", api_key="none") as client,
    ):
        create: Any = client.chat.completions.create
        base = median_ms(lambda n: create(model="m", messages=conversations[n]))
    print(f"one call of a server on this machine, without a model: {base:.2f} ms")
    for name, signals in {
        "judgments cached": ["side_channel"],
        "free signals": ["empty", "repeated", "lexical"],
    }.items():
        rule = Rule(signals=signals)
        for each in conversations:
            rule.after_results(each, lambda _: "USEFUL")
        added = median_ms(lambda n, rule=rule: rule.after_results(conversations[n], lambda _: "asked"))  # type: ignore[misc]
        print(f"the rule after {STEPS} results, {name}: {added:.2f} ms, {added / base:.2f} of that")


if __name__ == "__main__":
    main()
