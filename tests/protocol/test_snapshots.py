"""Every condition's exact messages, for questions and claims, against what is stored in tests/snapshots.

``UPDATE_SNAPSHOTS=1 pytest tests/test_snapshots.py`` writes them anew; look at the difference before you
commit it.
"""

import asyncio
import os
from pathlib import Path

import hamlets
import pytest
from canned import CannedModel, act
from judged_useless.agent.calls import Options
from judged_useless.agent.loop import run_episode
from judged_useless.environment.environment import Environment
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.protocol.conditions import CONDITIONS, get_condition

FOLDER = Path(__file__).parents[1] / "snapshots"
UPDATE = bool(os.environ.get("UPDATE_SNAPSHOTS"))
NO = "The last result is not relevant."
TURNS = {
    "react": [
        act("search", "Ankerby 0", "I need the founder."),
        act("search", "Edda Holm 0", NO),
        act("search", "Mill of Ankerby 0", NO),
        act("finish", "1700", NO),
    ],
    "search-r1": [
        "<think>I need the founder.</think>\n<search>Ankerby 0",
        f"<think>{NO}</think>\n<search>Edda Holm 0",
        f"<think>{NO}</think>\n<answer>1700",
    ],
}
CASES = [
    *((name, kind, "react", 8) for name in CONDITIONS for kind in ("question", "claim")),
    ("budget", "question", "react", 16),
    ("unaided", "question", "search-r1", 8),
    ("enforced_rule", "question", "search-r1", 8),
    ("stated_rule+native_calls+format_reminder", "question", "react", 8),
]


def played(condition: str, kind: str, style: str, budget: int) -> str:
    questions = hamlets.load("all") if kind == "question" else hamlets.load_claims("all")
    parts = get_condition(condition)
    regime = "ts_persistent" if parts.two_source else "persistent"
    turns = TURNS[style]
    if parts.reminder:
        turns = [turns[0], "The year is 1700.", *turns[3:]]
    model = CannedModel(turns, ["USELESS"] * 3, ["It is not likely.\nDECISION: CONTINUE"] * 3)
    environment = Environment(questions[0], regime, FailurePool(questions), budget=budget)
    episode = asyncio.run(run_episode(model, environment, parts, Options(k=2, style=style, useless_rate=1.0)))
    lines = [f"=== {m['role']}\n{m['content']}" for m in episode.conversation.messages]
    for number, request in enumerate(model.requests, 1):
        options = ", ".join(f"{name}={value!r}" for name, value in request.options.items())
        last = request.messages[-1]
        lines.append(f"=== request {number}: {len(request.messages)} messages, {options}\n{last['content']}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("condition", "kind", "style", "budget"), CASES)
def test_messages_are_as_stored(condition: str, kind: str, style: str, budget: int) -> None:
    file = FOLDER / f"{condition}.{kind}.{style}.{budget}.txt"
    text = played(condition, kind, style, budget)
    if UPDATE:
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text
