"""Reading a turn: what the agent thinks, does, and with which input.

A turn without a readable action is data, not an error: its ``action`` is None, and the episode ends as a
format failure (PROTOCOL: "Agent"; paper §2 and Appendices D.3 and D.4).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """One turn as read: action word in lower case (None if none is read), input, and what stood before."""

    action: str | None
    text: str = ""
    thought: str = ""


_CALL = re.compile(r"(search|lookup|backup_search|finish)(\[[^\n]+\])", re.IGNORECASE)
_THOUGHT = re.compile(r"\A\s*Thought\s*:", re.IGNORECASE)
_ACTION = re.compile(r"\bAction\s*:", re.IGNORECASE)
_ACTION_LINE = re.compile(r"^[ \t]*Action[ \t]*:", re.IGNORECASE | re.MULTILINE)
_INPUT = re.compile(r"\bAction[ \t]+Input\s*:", re.IGNORECASE)


def without_thinking(text: str) -> str | None:
    """Return what follows the thinking of a text; None if the thinking was never closed."""
    visible = text.rpartition("</think>")[2]
    return None if "<think>" in visible else visible.strip()


def _thought(text: str) -> str:
    return _THOUGHT.sub("", text).strip()


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].strip()


def _bracket(text: str) -> tuple[str, str] | None:
    """Return what is in the bracket that opens a text, closed where it balances, and what follows."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if not depth:
            return text[1:at].strip(), text[at + 1 :]
    inside, closed, rest = text[1:].rpartition("]")
    return (inside.strip(), rest) if closed else None


def read_react(text: str) -> Turn:
    r"""Read a turn of Thought, Action and Action Input lines, as the released harness does.

    Parameters
    ----------
    text : str
        The turn as generated. Markers and action words are read whatever their case, and with blanks before
        the colon.

    Returns
    -------
    Turn
        With ``action=None`` if thinking was not closed, if two lines start with ``Action:``, or if there is
        neither an action word nor, instead of the whole form, one call such as ``finish[yes]``.

    Notes
    -----
    The input is the first line after ``Action Input:`` that is not blank: in thinking mode no stop string
    keeps a model from going on to imagine the observation. A bracket that holds brackets ends where it
    balances; the released reader ends it at the first ``]``.

    Examples
    --------
    >>> read_react("Thought: Who?\nAction: search\nAction Input: Ed Wood")
    Turn(action='search', text='Ed Wood', thought='Who?')
    >>> read_react("action : FINISH[yes]").text
    'yes'
    """
    visible = without_thinking(text)
    if visible is None:
        return Turn(None)
    call = _CALL.fullmatch(visible)
    if call and (inside := _bracket(call[2])) and not inside[1]:
        return Turn(call[1].lower(), inside[0])
    marker = _ACTION.search(visible)
    thought = _thought(visible[: marker.start()] if marker else visible)
    if marker is None or len(_ACTION_LINE.findall(visible)) > 1:
        return Turn(None, thought=thought)
    after = visible[marker.end() :]
    given = _INPUT.search(after)
    line = _first_line(after[: given.start()] if given else after)
    word, bracket, argument = line.partition("[")
    if given:
        return Turn(word.strip().lower() or None, _first_line(after[given.end() :]), thought)
    # The bracket has to follow the word at once.
    inside = None if word != word.rstrip() else _bracket(bracket + argument)
    return Turn(word.strip().lower() or None, inside[0] if inside else "", thought)


_INVOKE = re.compile(
    r"<(?:\w+:)?invoke\s+name=[\"']([^\"']+)[\"']\s*>(.*?)(?:</(?:\w+:)?invoke>|\Z)", re.DOTALL
)
_PARAMETER = re.compile(
    r"<(?:\w+:)?parameter\s+name=[\"'][^\"']*[\"']\s*>(.*?)(?:</(?:\w+:)?parameter>|\Z)", re.DOTALL
)
_CALL_BLOCK = re.compile(r"<(?:\w+:)?(?:function_calls|invoke)\b")


def read_native_calls(text: str, otherwise: Callable[[str], Turn] = read_react) -> Turn:
    """Read Claude's own tool-call markup where a turn has it, otherwise the turn's style (Amendment 20).

    The first call's name and its first parameter count; what stands before the markup is the thought.
    """
    visible = without_thinking(text) or ""
    call, block = _INVOKE.search(visible), _CALL_BLOCK.search(visible)
    if call is None or block is None:
        return otherwise(text)
    before = visible[: block.start()]
    marker = _ACTION.search(before)
    parameter = _PARAMETER.search(call[2])
    thought = _thought(before[: marker.start()] if marker else before)
    return Turn(call[1].strip().lower() or None, parameter[1].strip() if parameter else "", thought)


_THOUGHT_TAG = re.compile(r"<think>(.*?)(?:</think>|\Z)", re.DOTALL)
_ACTION_TAG = re.compile(r"<(search|answer)>(.*?)(?:</\1>|\Z)", re.DOTALL)


def _action_tag(text: str) -> re.Match[str] | None:
    """Return the first ``<search>`` or ``<answer>`` that does not stand in thinking."""
    return _ACTION_TAG.search(_THOUGHT_TAG.sub(lambda thought: " " * len(thought[0]), text))


def read_tags(text: str) -> Turn:
    """Read a turn of Search-R1: the first tag after its thinking, which a stop string may have left open."""
    thought, tag = _THOUGHT_TAG.search(text), _action_tag(text)
    said = thought[1].strip() if thought else ""
    if tag is None:
        return Turn(None, thought=said)
    return Turn("search" if tag[1] == "search" else "finish", tag[2].strip(), said)


def close_tag(text: str) -> str:
    """Return a Search-R1 turn as the history has it: up to the tag that the stop string took, and with it."""
    tag = _action_tag(text)
    if tag is None:
        return text
    closing = f"</{tag[1]}>"
    return f"{text[: tag.end()].removesuffix(closing).rstrip()}{closing}"


_TAG_FORM = r"<think>[^<\n]{1,400}</think>\n<(search|answer)>[^<\n]{1,120}"


def _react_form(actions: Sequence[str]) -> str:
    return rf"Thought: [^\n]{{1,400}}\nAction: ({'|'.join(actions)})\nAction Input: [^\n]{{1,120}}"


@dataclass(frozen=True)
class Style:
    """How turns are written in one style."""

    read: Callable[[str], Turn]
    #: Strings that end a turn; none are used in thinking mode.
    stop: tuple[str, ...]
    #: Valid action words -> regular expression of a turn, for runs that hold a model to its form.
    form: Callable[[Sequence[str]], str]
    #: Turn -> what the history keeps of it.
    written: Callable[[str], str] = str


#: Style of a turn -> how it is read.
STYLES: dict[str, Style] = {
    "react": Style(read_react, ("Observation:", "observation:"), _react_form),
    "search-r1": Style(read_tags, ("</search>", "</answer>"), lambda _: _TAG_FORM, close_tag),
}


def get_style(name: str) -> Style:
    """Look a style up; a ValueError lists those there are."""
    if name not in STYLES:
        raise ValueError(f"unknown style {name!r}; known are {', '.join(STYLES)}")
    return STYLES[name]
