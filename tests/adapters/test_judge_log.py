"""A judge's judgments: what it is asked, what is kept on disk, and what is announced before."""

from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from canned import CannedModel
from judged_useless.adapters import AgentLog, audit_log, judge_log
from judged_useless.adapters.chat_episodes import ChatEpisode, ChatStep
from judged_useless.models.base import ServiceUnavailableError, TransientModelError
from judged_useless.models.costs import Price
from judged_useless.protocol.signals import JUDGE_QUESTION


def log_of(*results: str) -> AgentLog:
    """Return a log of one conversation."""
    steps = [ChatStep("search", "I search.", ["search(query=it)"], [text]) for text in results]
    chat = ChatEpisode("Which town?", [*steps, ChatStep("finish", "Done.", ["submit(Oslo)"])], answered=True)
    record = {"question_id": "q", "actions": ["search"] * len(results) + ["finish"], "judgments": []}
    return AgentLog(pd.DataFrame([record]), (chat,), {}, {}, {})


async def test_each_result_is_judged_on_a_copy_of_the_conversation(tmp_path: Path) -> None:
    model = CannedModel(["useless", "USEFUL.", "I cannot say"])
    judged = await judge_log(log_of("one", "two", "three"), model, cache=tmp_path / "replies", concurrency=1)
    assert judged.episodes["judgments"].tolist() == [["USELESS", "USEFUL", "UNPARSED"]]
    contents = [[message["content"] for message in request.messages] for request in model.requests]
    said = "I search.\nsearch(query=it)"
    assert contents[0] == ["Which town?", said, f"Tool result: one\n\n{JUDGE_QUESTION}"]
    assert contents[1] == [
        *contents[0][:2],
        "Tool result: one",
        said,
        f"Tool result: two\n\n{JUDGE_QUESTION}",
    ]
    assert {request.options["max_new_tokens"] for request in model.requests} == {8}
    said = "Judgments: by canned:canned, of 3 of 3 results (100%), 1 of them unreadable."
    assert audit_log(judged).understood[-1] == said


async def test_what_was_answered_is_kept_when_a_request_fails_and_never_asked_again(tmp_path: Path) -> None:
    cache, told = tmp_path / "replies", list[str]()
    failure = ServiceUnavailableError(8, TransientModelError("gone"))
    with pytest.raises(ServiceUnavailableError, match="gone"):
        await judge_log(log_of("one", "two"), CannedModel(["USELESS", failure]), cache=cache, concurrency=1)
    with cache.open("a") as file:
        file.write('{"key": "cut off')  # as by a kill
    price = Price(input=1000, output=1000, source="made up", as_of=date(2026, 1, 1))
    again = CannedModel(["USEFUL"])
    judged = await judge_log(log_of("one", "two"), again, cache=cache, price=price, announce=told.append)
    assert judged.episodes["judgments"].tolist() == [["USELESS", "USEFUL"]]
    assert len(again.requests) == 1
    assert (await judge_log(log_of("one", "two"), CannedModel([]), cache=cache)).judge == "canned:canned"
    assert told[0].startswith("2 results to judge, 1 requests to send: about ")
    assert "USD; replies are kept in" in told[0]


async def test_a_log_without_conversations_cannot_be_judged() -> None:
    log = log_of("one")
    with pytest.raises(ValueError, match="no conversations"):
        await judge_log(AgentLog(log.episodes, (None,), {}, {}, {}), CannedModel([]))


@pytest.mark.parametrize(
    "line", ["[1]", '{"key": 1}', '{"question_id": "q"}', '{"key": "k", "reply": 2}', "no JSON"]
)
async def test_a_file_that_is_no_cache_is_refused_and_left_alone(line: str, tmp_path: Path) -> None:
    cache = tmp_path / "replies"
    cache.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match="replies, line 1: no reply of a judge"):
        await judge_log(log_of("one"), CannedModel([]), cache=cache)
    assert cache.read_text(encoding="utf-8") == line + "\n"
