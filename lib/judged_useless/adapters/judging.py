"""Judgments of recorded results by a judge model, asked on copies of each conversation."""

import asyncio
import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from judged_useless._io.files import text_lines
from judged_useless._io.paths import cache_dir
from judged_useless.adapters.chat_episodes import CHARACTERS_A_TOKEN, ChatEpisode
from judged_useless.adapters.log_files import AgentLog
from judged_useless.models.base import Message, Model, canonical_prompt
from judged_useless.models.costs import Price, Usage
from judged_useless.protocol.signals import JUDGE_QUESTION, JUDGMENT_TOKENS, parse_side_channel


def judge_messages(chat: ChatEpisode) -> list[list[Message]]:
    """Return what a judge is asked of each result: the conversation up to it, and the question."""
    history: list[Message] = [{"role": "user", "content": chat.question or "(no question is recorded)"}]
    asked = []
    for step in chat.searched:
        turn = "\n".join(filter(None, [step.thought, *step.calls]))
        result = "\n\n".join(step.results) or "(nothing)"
        history = [*history, {"role": "assistant", "content": turn}]
        asked.append([*history, Message(role="user", content=f"Tool result: {result}\n\n{JUDGE_QUESTION}")])
        history = [*history, {"role": "user", "content": f"Tool result: {result}"}]
    return asked


@dataclass(frozen=True)
class Judging:
    """Which requests judge a log, and the replies that are there already.

    Attributes
    ----------
    asked : list of list of list of Message
        Requests of each episode, one a result; none for an episode without a conversation.
    cache : pathlib.Path
        File of the replies, by a digest of model and request: what was asked once is never asked again.
    replies : dict of str to str
        What it holds; it grows.
    """

    model: Model
    asked: list[list[list[Message]]]
    cache: Path
    replies: dict[str, str]

    def key(self, messages: list[Message]) -> str:
        """Return the digest of a request."""
        text = f"{self.model.provider}:{self.model.name}\n{canonical_prompt(messages)}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def missing(self) -> dict[str, list[Message]]:
        """The requests that still have to be sent, each once."""
        every = {self.key(messages): messages for episode in self.asked for messages in episode}
        return {key: messages for key, messages in every.items() if key not in self.replies}

    def costs(self, price: Price | None = None) -> str:
        """Return what is still to be sent, in requests, tokens (estimated) and, at a price, USD."""
        sizes = [len(canonical_prompt(messages)) // CHARACTERS_A_TOKEN for messages in self.missing.values()]
        usage = Usage(input=sum(sizes), output=JUDGMENT_TOKENS * len(sizes))
        results = sum(map(len, self.asked))
        said = f"{results:,} results to judge, {len(sizes):,} requests to send: about {usage.input:,} tokens"
        return (
            said + (f", {usage.cost(price):.2f} USD" if price else "") + f"; replies are kept in {self.cache}"
        )


def plan_judging(log: AgentLog, model: Model, *, cache: str | Path | None = None) -> Judging:
    """Prepare to judge a log; nothing is sent.

    Parameters
    ----------
    log : AgentLog
        With conversations.
    model : Model
        The judge, from :func:`judged_useless.models.get_model`.
    cache : path, optional
        File of replies; by default in the user's cache folder.

    Raises
    ------
    ValueError
        If the log holds no conversation.
    """
    asked = [judge_messages(chat) if chat else [] for chat in log.chats]
    if not any(asked):
        raise ValueError("the log holds no conversations, so there is nothing that a judge could read")
    path = Path(cache) if cache else cache_dir() / "judge_replies.jsonl"
    replies = {}
    for _, line in text_lines(path) if path.exists() else ():
        if line.endswith("\n"):  # a last line may have been cut off
            record = json.loads(line)
            replies[record["key"]] = record["reply"]
    return Judging(model, asked, path, replies)


async def judge_log(log: AgentLog, judging: Judging, *, concurrency: int | None = None) -> AgentLog:
    """Return the log with a judge's judgments in the place of recorded ones.

    Killed, it goes on where it was: each reply is on the disk once it is there.

    Parameters
    ----------
    log : AgentLog
    judging : Judging
        From :func:`plan_judging`, whose ``costs`` say beforehand what it takes.
    concurrency : int, optional
        Requests in flight; by default as many as the model's provider bears.

    Raises
    ------
    ModelError
        If a request fails for good; what was answered is kept.
    """
    gate = asyncio.Semaphore(concurrency or judging.model.max_concurrency)
    judging.cache.parent.mkdir(parents=True, exist_ok=True)

    async def ask(key: str, messages: list[Message]) -> None:
        async with gate:
            reply = await judging.model.generate(messages, max_new_tokens=JUDGMENT_TOKENS)
        judging.replies[key] = reply.text
        with judging.cache.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "reply": reply.text}) + "\n")

    try:
        async with asyncio.TaskGroup() as group:
            for key, messages in judging.missing.items():
                group.create_task(ask(key, messages))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from failures
    words = [
        [parse_side_channel(judging.replies[judging.key(messages)]) for messages in episode]
        for episode in judging.asked
    ]
    judged = pd.Series(words, index=log.episodes.index, dtype=object)
    return replace(log, episodes=log.episodes.assign(judgments=judged))
