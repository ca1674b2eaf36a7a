"""Judgments of recorded results by a judge model, asked on copies of each conversation."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from judged_useless._io.files import text_lines
from judged_useless._io.paths import cache_dir
from judged_useless.adapters.chat_episodes import ChatEpisode
from judged_useless.adapters.log_files import AgentLog
from judged_useless.models.base import CHARACTERS_A_TOKEN, Message, Model, canonical_prompt
from judged_useless.models.costs import Price, Usage
from judged_useless.protocol.signals import JUDGE_QUESTION, JUDGMENT_TOKENS, parse_side_channel

#: How each line of a cache begins.
_BEGIN = '{"key": "'


def _asked(chat: ChatEpisode) -> list[list[Message]]:
    """Return what a judge is asked of each result: the conversation up to it, and the question."""
    history: list[Message] = [{"role": "user", "content": chat.question or "(no question is recorded)"}]
    asked = []
    for step in chat.searched:
        turn, result = "\n".join(filter(None, [step.thought, *step.calls])), "\n\n".join(step.results)
        shown = f"Tool result: {result or '(nothing)'}"
        history = [*history, {"role": "assistant", "content": turn}, {"role": "user", "content": shown}]
        asked.append([*history[:-1], Message(role="user", content=f"{shown}\n\n{JUDGE_QUESTION}")])
    return asked


def _replies(path: Path) -> dict[str, str]:
    """Return the replies that a cache holds; a line that a kill cut off is none."""
    replies: dict[str, str] = {}
    for number, line in text_lines(path) if path.exists() else ():
        try:
            record = json.loads(line)
            replies[record["key"]] = record["reply"] + ""
        except (ValueError, KeyError, TypeError) as error:
            if not isinstance(error, ValueError) or not line.startswith(_BEGIN[: len(line.rstrip())]):
                what = "no reply of a judge, an object with key and reply; give another --judge-cache"
                raise ValueError(f"{path}, line {number}: {what}") from error
    return replies


async def judge_log(
    log: AgentLog,
    model: Model,
    *,
    cache: str | Path | None = None,
    concurrency: int | None = None,
    price: Price | None = None,
    announce: Callable[[str], object] = print,
) -> AgentLog:
    """Return a log with a judge's judgments in the place of recorded ones.

    Killed, it goes on where it was: each reply is on the disk once it is there, under a digest of model and
    request, and what was asked once is never asked again.

    Parameters
    ----------
    log : AgentLog
        With conversations; what has none keeps no judgment.
    model : Model
        The judge, from :func:`judged_useless.models.get_model`.
    cache : path, optional
        File of replies; by default one in the user's cache folder.
    concurrency : int, optional
        Requests in flight; by default as many as the model's provider bears.
    price : Price, optional
        For the costs that are announced.
    announce : callable, default print
        Is told, before anything is sent, what will be: requests, tokens (estimated at four characters) and,
        at a price, USD.

    Raises
    ------
    ModelError
        If a request fails for good; what was answered is kept. `ValueError` without any conversation.
    """
    path = Path(cache) if cache else cache_dir() / "judge_replies.jsonl"
    replies = _replies(path)
    prompts: dict[str, list[Message]] = {}
    keys: list[list[str]] = []
    for chat in log.chats:
        keys.append([])
        for messages in _asked(chat) if chat else []:
            text = f"{model.provider}:{model.name}\n{canonical_prompt(messages)}"
            keys[-1].append(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
            prompts[keys[-1][-1]] = messages
    if not prompts:
        raise ValueError("the log holds no conversations, so there is nothing that a judge could read")
    missing = {key: messages for key, messages in prompts.items() if key not in replies}
    tokens = sum(len(canonical_prompt(messages)) for messages in missing.values()) // CHARACTERS_A_TOKEN
    cost = Usage(input=tokens, output=JUDGMENT_TOKENS * len(missing)).cost(price) if price else None
    results = sum(map(len, keys))
    announce(
        f"{results:,} results to judge, {len(missing):,} requests to send: about {tokens:,} tokens"
        f"{'' if cost is None else f', {cost:.2f} USD'}; replies are kept in {path}"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        file.write("\n")  # ends a line that was cut off
    gate = asyncio.Semaphore(concurrency or model.max_concurrency)

    async def ask(key: str, messages: list[Message]) -> None:
        async with gate:
            reply = await model.generate(messages, max_new_tokens=JUDGMENT_TOKENS)
        replies[key] = reply.text
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "reply": reply.text}) + "\n")

    try:
        async with asyncio.TaskGroup() as group:
            for key, messages in missing.items():
                group.create_task(ask(key, messages))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    words = [[parse_side_channel(replies[key]) for key in of] for of in keys]
    judged = pd.Series(words, index=log.episodes.index, dtype=object)
    judge = f"{model.provider}:{model.name}"
    return replace(log, episodes=log.episodes.assign(judgments=judged), judge=judge)
