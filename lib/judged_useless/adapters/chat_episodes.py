"""Recorded chats as episodes: what is a step, a result, an answer.

It reads messages as `inspect_ai.model` has them (``role``, ``text``, ``tool_calls``, ``tool_call_id``,
``error``) and needs nothing of that package. The rules are those of the table in ``book/your_agent.md``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from judged_useless.protocol.signals import lexical_judgment
from judged_useless.protocol.stated import stated_judgment
from judged_useless.protocol.vocabulary import ACTIONS

#: What agents usually call the tool that gives the answer.
_ANSWER_TOOLS = ("answer", "final_answer", "finish", "submit")


class Tools:
    """Which of our actions each tool of a log is, an empty text for no step at all, and its calls."""

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self.given = {tool.lower(): action.lower() for tool, action in (given or {}).items()}
        self.calls = Counter[tuple[str, str]]()
        self.unmet = set(self.given)
        for tool, action in self.given.items():
            if action not in (*ACTIONS, ""):
                known = ", ".join(ACTIONS)
                raise ValueError(f"--map {tool}={action}: expected one of {known}, or nothing after =")

    def named(self, tool: str) -> str | None:
        """Return the action that is stated for a tool, or that it is called after; None for neither."""
        name = tool.strip().lower()
        self.unmet.discard(name)
        named = "finish" if name in _ANSWER_TOOLS else name if name in ACTIONS else None
        return self.given.get(name, named)

    def action(self, tool: str) -> str:
        """Return the action of a tool of a chat: a search where nothing else is said."""
        action = self.named(tool)
        return "search" if action is None else action

    def only_last(self, episodes: "Iterable[ChatEpisode]") -> tuple[str, ...]:
        """Return tools of unknown meaning that are the last call, once, of every episode that calls them."""
        last = Counter[str]()
        for steps in (episode.steps for episode in episodes if not episode.answered and episode.steps[1:]):
            last.update(call.partition("(")[0] for call in steps[-1].calls)
        return tuple(
            tool for tool, n in last.items()
            if n > 1 and self.calls["search", tool] == n and self.named(tool) is None
        )  # fmt: skip


@dataclass
class ChatStep:
    """One turn that called tools, and what came back: calls side by side are one step."""

    action: str
    thought: str = ""
    calls: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    awaited: set[str] = field(default_factory=set)


@dataclass
class ChatEpisode:
    """One question of a chat, the steps taken on it, and the last word without a tool call."""

    question: str = ""
    steps: list[ChatStep] = field(default_factory=list)
    last_word: str = ""
    answered: bool = False
    begun: bool = False

    @property
    def searched(self) -> list[ChatStep]:
        """The steps whose result the agent could judge: all but an answer."""
        return [step for step in self.steps if step.action != "finish"]

    def record(self) -> dict[str, Any]:
        """Return the episode's fields; what it judges is what its next turn states."""
        thoughts = [step.thought for step in self.steps[1:]] + [self.last_word] * bool(self.last_word)
        texts = [[step.thought, *step.calls, *step.results] for step in self.steps]
        searched, actions = self.searched, [step.action for step in self.steps]
        return {
            "actions": actions + ["finish"] * (self.answered and actions[-1:] != ["finish"]),
            "judgments": [],
            "stated": [stated_judgment(thought) for thought in thoughts[: len(searched)]],
            "lexical": [_lexical(self.question, step.results) for step in searched],
            "answer": self.last_word if self.answered else None,
            "sizes": [len(self.question), *(sum(map(len, each)) for each in texts)],
        }


def _lexical(question: str, results: list[str]) -> str | None:
    said = {lexical_judgment(question, each) for each in results}
    return "USEFUL" if "USEFUL" in said else "USELESS" if said else None


def _arguments(call: Any) -> str:  # noqa: ANN401 - a ToolCall of inspect_ai
    return f"{call.function}({', '.join(f'{name}={value}' for name, value in call.arguments.items())})"


def _spoken(message: Any) -> str:  # noqa: ANN401 - a ChatMessageAssistant of inspect_ai
    """Return what a turn says, or thinks where it says nothing."""
    if message.text.strip() or isinstance(message.content, str):
        return str(message.text.strip())
    thoughts = [part.summary or part.reasoning for part in message.content if part.type == "reasoning"]
    return "\n".join(thoughts).strip()


def answers_by_tool(messages: Iterable[Any], tools: Tools) -> bool:
    """Tell whether a chat gives an answer by calling a tool."""
    calls = (call for message in messages for call in getattr(message, "tool_calls", None) or ())
    return any(tools.action(call.function) == "finish" for call in calls)


def chat_episodes(
    messages: Iterable[Any], tools: Tools, dropped: Counter[str], *, by_tool: bool, one: bool
) -> list[ChatEpisode]:
    """Return the episodes of one recorded chat, and count its calls and what is left out.

    An agent that answers `by_tool` gives no answer in a turn without a call. A further message of the user's
    begins a new episode (where `by_tool`, once the answer is given), unless the whole chat is `one` task.
    """
    found, asked = [ChatEpisode()], set[str]()
    for message in messages:
        now = found[-1]
        if message.role == "user":
            if now.begun and not one and (now.answered or not by_tool):
                found.append(now := ChatEpisode())
            if not now.begun:
                now.question = f"{now.question}\n{message.text}".strip()
        elif message.role == "assistant":
            now.begun = True
            asked |= {call.id for call in message.tool_calls or ()}
            parts = message.content if isinstance(message.content, list) else []
            by_provider = sum(part.type == "tool_use" for part in parts)
            dropped["calls that the provider ran within a turn, such as web_search_call"] += by_provider
            _turn(now, message, tools, dropped, by_tool=by_tool)
        elif message.role == "tool":
            dropped["results that no call of the chat asked for"] += message.tool_call_id not in asked
            for step in [step for step in now.steps if message.tool_call_id in step.awaited][-1:]:
                step.results.append(message.error.message if message.error else message.text)
    whole = [episode for episode in found if episode.steps or episode.answered]
    dropped["questions that nobody took up: no tool call and no answer"] += len(found) - len(whole)
    return whole


def _turn(now: ChatEpisode, message: Any, tools: Tools, dropped: Counter[str], *, by_tool: bool) -> None:  # noqa: ANN401
    """Take in one turn of the agent's."""
    thought, calls = _spoken(message), list(message.tool_calls or ())
    if by_tool and now.answered:
        dropped["turns after the answer"] += 1
        return
    if not calls:
        now.last_word, now.answered = thought, bool(message.text.strip()) and not by_tool
        return
    actions = ["invalid" if call.parse_error else tools.action(call.function) for call in calls]
    pairs = list(zip(calls, actions, strict=True))
    tools.calls.update((action or "left out", call.function) for call, action in pairs)
    kept = [(call, action) for call, action in pairs if action]
    if not kept:
        return
    # What it said on the way, in turns that called nothing, belongs to the next thought.
    thought = "\n".join(filter(None, [now.last_word, thought]))
    # An answer beside other calls is one, and a call that can be read goes before one that cannot.
    first, action = min(kept, key=lambda pair: {"finish": 0, "invalid": 2}.get(pair[1], 1))
    called, awaited = [_arguments(call) for call, _ in kept], {call.id for call, _ in kept}
    now.steps.append(ChatStep(action, thought, called, awaited=awaited))
    now.answered = action == "finish"
    now.last_word = str(next(iter(first.arguments.values()), "")) if now.answered else ""
