"""Reading a turn: what the agent thinks, does, and with which input.

A turn without a readable action is data, not an error: its ``action`` is None, and the episode ends as a
format failure (PROTOCOL: "Agent"; paper §2 and Appendices D.3 and D.4).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """One turn as read.

    Attributes
    ----------
    action : str or None
        Action word, stripped and in lower case, whether or not there is such an action; None if the turn has
        no readable action.
    text : str
        Query, keyword or answer; empty if there is none.
    thought : str
        What the agent wrote before the action.
    """

    action: str | None
    text: str = ""
    thought: str = ""


_ONLY_A_CALL = re.compile(r"(search|lookup|backup_search|finish)\[(.*)\]", re.DOTALL)
_ACTION_LINE = re.compile(r"^[ \t]*Action:", re.MULTILINE)
_BRACKETED = re.compile(r"([^\[\n]*)\[(.*)\]\s*$", re.DOTALL)
_INPUT = "Action Input:"


def without_thinking(text: str) -> str | None:
    """Return what follows the thinking of a turn; None if the thinking was never closed."""
    visible = text.rpartition("</think>")[2]
    return None if "<think>" in visible else visible.strip()


def _thought(text: str) -> str:
    return text.strip().removeprefix("Thought:").strip()


def _first_line(text: str) -> str:
    stripped = text.strip()
    return stripped.splitlines()[0].strip() if stripped else ""


def read_react(text: str) -> Turn:
    r"""Read a turn of Thought, Action and Action Input lines.

    Parameters
    ----------
    text : str
        The turn as generated.

    Returns
    -------
    Turn
        With ``action=None`` if thinking was not closed, if two lines start with ``Action:``, or if there is
        no action word.

    Notes
    -----
    The input is the first line after ``Action Input:`` that is not blank: in thinking mode no stop string
    keeps a model from going on to imagine the observation.

    Examples
    --------
    >>> read_react("Thought: Who?\nAction: search\nAction Input: Ed Wood")
    Turn(action='search', text='Ed Wood', thought='Who?')
    >>> read_react("Action: finish[yes]").text
    'yes'
    """
    visible = without_thinking(text)
    if visible is None:
        return Turn(None)
    if call := _ONLY_A_CALL.fullmatch(visible):
        return Turn(call[1], call[2].strip())
    before, marker, after = visible.partition("Action:")
    thought = _thought(before)
    if not marker or len(_ACTION_LINE.findall(visible)) > 1:
        return Turn(None, thought=thought)
    head, has_input, given = after.partition(_INPUT)
    word, argument = _action_word(head.strip() if has_input else head)
    return Turn(word or None, _first_line(given) if has_input else argument, thought)


def _action_word(head: str) -> tuple[str, str]:
    """Split what follows ``Action:`` into the word and the bracketed part, if it has one."""
    line = _first_line(head)
    if bracketed := _BRACKETED.match(line):
        return bracketed[1].strip().lower(), bracketed[2].strip()
    return line.partition("[")[0].strip().lower(), ""


_INVOKE = re.compile(
    r"<(?:\w+:)?invoke\s+name=[\"']([^\"']+)[\"']\s*>(.*?)(?:</(?:\w+:)?invoke>|\Z)", re.DOTALL
)
_PARAMETER = re.compile(
    r"<(?:\w+:)?parameter\s+name=[\"'][^\"']*[\"']\s*>(.*?)(?:</(?:\w+:)?parameter>|\Z)", re.DOTALL
)
_CALL_BLOCK = re.compile(r"<(?:\w+:)?(?:function_calls|invoke)\b")


def read_native_calls(text: str, otherwise: Callable[[str], Turn] = read_react) -> Turn:
    """Read Claude's own tool-call markup where a turn has it, otherwise the turn's style (Amendment 20).

    Parameters
    ----------
    text : str
        The turn as generated.
    otherwise : callable, default read_react
        Reads a turn without such markup.

    Returns
    -------
    Turn
        The first call's name and its first parameter; what stands before the markup is the thought.
    """
    visible = without_thinking(text)
    call = _INVOKE.search(visible) if visible is not None else None
    if visible is None or call is None:
        return otherwise(text)
    block = _CALL_BLOCK.search(visible)
    before = visible[: block.start() if block else call.start()]
    parameter = _PARAMETER.search(call[2])
    thought = _thought(before.partition("Action:")[0])
    return Turn(call[1].strip().lower() or None, parameter[1].strip() if parameter else "", thought)


_THOUGHT_TAG = re.compile(r"<think>(.*?)(?:</think>|\Z)", re.DOTALL)
_ACTION_TAG = re.compile(r"<(search|answer)>(.*?)(?:</\1>|\Z)", re.DOTALL)


def read_tags(text: str) -> Turn:
    """Read a turn of Search-R1: the first ``<search>`` or ``<answer>`` after its thinking.

    Parameters
    ----------
    text : str
        The turn as generated; the closing tag may be missing, since it is the stop string.

    Returns
    -------
    Turn
        ``search`` or ``finish``; ``action=None`` if there is neither tag.
    """
    thought = _THOUGHT_TAG.search(text)
    tag = _ACTION_TAG.search(_THOUGHT_TAG.sub("", text))
    if tag is None:
        return Turn(None, thought=thought[1].strip() if thought else "")
    action = "search" if tag[1] == "search" else "finish"
    return Turn(action, tag[2].strip(), thought[1].strip() if thought else "")


def close_tag(text: str) -> str:
    """Return a Search-R1 turn as it is written into the history: with the tag that the stop string took."""
    opened = _ACTION_TAG.search(_THOUGHT_TAG.sub("", text))
    if opened is None or opened[0].endswith(f"</{opened[1]}>"):
        return text
    return f"{text.rstrip()}</{opened[1]}>"


_TAG_FORM = r"<think>[^<\n]{1,400}</think>\n<(search|answer)>[^<\n]{1,120}"


def _react_form(actions: Sequence[str]) -> str:
    return rf"Thought: [^\n]{{1,400}}\nAction: ({'|'.join(actions)})\nAction Input: [^\n]{{1,120}}"


@dataclass(frozen=True)
class Style:
    """How turns are written in one style.

    Attributes
    ----------
    read : callable
        Turn text -> `Turn`.
    stop : tuple of str
        Strings that end a turn; none are used in thinking mode.
    form : callable
        Valid action words -> regular expression of a turn, for runs that hold a model to its form.
    written : callable
        Turn text -> what the history keeps of it.
    """

    read: Callable[[str], Turn]
    stop: tuple[str, ...]
    form: Callable[[Sequence[str]], str]
    written: Callable[[str], str] = str


#: Style of a turn -> how it is read.
STYLES: dict[str, Style] = {
    "react": Style(read_react, ("Observation:", "observation:"), _react_form),
    "search-r1": Style(read_tags, ("</search>", "</answer>"), lambda _: _TAG_FORM, close_tag),
}


def get_style(name: str) -> Style:
    """Look a style up.

    Parameters
    ----------
    name : str
        A key of `STYLES`.

    Returns
    -------
    Style

    Raises
    ------
    ValueError
        If there is no such style; the message lists those there are.
    """
    try:
        return STYLES[name]
    except KeyError:
        raise ValueError(f"unknown style {name!r}; known are {', '.join(STYLES)}") from None
