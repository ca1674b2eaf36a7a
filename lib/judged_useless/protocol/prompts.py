"""Every prompt of the experiment: ``data/prompts.yaml`` has them for each task and way to write a turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import yaml

from judged_useless._io.paths import data_dir

_NUMBERS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen",
]  # fmt: skip


def number_word(n: int) -> str:
    """Return a number as the stated rule writes it: in words up to sixteen, then in digits."""
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def counter(remaining: int) -> str:
    """Return the line that tells how many actions are left (paper, Appendix B.1)."""
    return f"[Actions remaining: {remaining}]"


@dataclass(frozen=True)
class Wording:
    """All prompts of one task in one style.

    Attributes
    ----------
    system : str
        Instructions; a style without a system message has them at the head of the first user message.
    has_system : bool
        Whether the instructions are a message of their own.
    opening, observation : str
        User messages, with ``{question}`` and ``{text}``.
    backup_tool : str
        Line of the backup tool among the actions, empty if the style has no such tool.
    additions : mapping of str to str
        Name of an addition -> sentence, with ``{budget}`` or ``{k}`` where it says a number.
    judgment : str
        The side-channel question.
    finish_only, answer_now : str
        What the enforced rule appends to the instructions and to the latest observation.
    weigh, act : str
        What *decide* asks, with ``{judgment}`` and ``{run}``, and the instruction after the decision.
    switch_notice : str
        What the switch rule says of the disabled tool.
    reminder : str
        Sent once after a turn without a readable action, where a condition has this part.
    """

    system: str
    has_system: bool
    opening: str
    observation: str
    backup_tool: str
    additions: Mapping[str, str]
    judgment: str
    finish_only: str
    answer_now: str
    weigh: str
    act: str
    switch_notice: str
    reminder: str

    def instructions(self, additions: Sequence[str], *, two_source: bool, budget: int, k: int) -> str:
        """Return the instructions with what a condition adds, after a blank line, one sentence a line.

        Parameters
        ----------
        additions : sequence of str
            Keys of `additions`, in the order in which they are written.
        two_source : bool
            Whether the backup tool is among the actions.
        budget, k : int
            Numbers that the additions say.

        Raises
        ------
        ValueError
            If this style has no backup tool.
        """
        if two_source and not self.backup_tool:
            raise ValueError("this style of turn has no backup tool; run it in one-source regimes only")
        system = self.system.replace("{backup}", f"{self.backup_tool}\n" if two_source else "")
        added = [self.additions[name].format(budget=budget, k=number_word(k)) for name in additions]
        return "\n\n".join([system, "\n".join(added)] if added else [system])


@dataclass(frozen=True)
class ProbeWording:
    """What is asked of recorded trajectories, each on a copy of the conversation.

    Attributes
    ----------
    usefulness, continuation : str
        The two belief turns: what the last observation was worth, and what going on and answering now are.
    repair : str
        Sent after an answer that copies the template in place of an answer.
    """

    usefulness: str
    continuation: str
    repair: str


@cache
def _prompts() -> dict[tuple[str, str], dict[str, Any]]:
    content = yaml.safe_load((data_dir() / "prompts.yaml").read_text(encoding="utf-8"))
    return {(style, kind): content[f"{style} {kind}"] for style, kind in map(str.split, content)}


def _made_of(kind: type, prompts: dict[str, Any]) -> Any:  # noqa: ANN401 - of that kind
    return kind(**{field.name: prompts[field.name] for field in fields(kind)})


@cache
def load_wordings() -> dict[tuple[str, str], Wording]:
    """Return (style, kind of task) -> wording of all that is said in an episode."""
    return {key: _made_of(Wording, prompts) for key, prompts in _prompts().items()}


@cache
def load_probe_wordings() -> dict[tuple[str, str], ProbeWording]:
    """Return (style, kind of task) -> wording of the probes."""
    return {key: _made_of(ProbeWording, prompts) for key, prompts in _prompts().items()}


def get_wording(style: str, kind: str) -> Wording:
    """Look a wording up.

    Parameters
    ----------
    style : {"react", "search-r1"}
        How the agent writes a turn.
    kind : {"question", "claim"}
        Of the task.

    Raises
    ------
    ValueError
        If there is none; the message lists those there are.
    """
    wordings = load_wordings()
    if (style, kind) not in wordings:
        known = "; ".join(f"{style} for a {kind}" for style, kind in wordings)
        raise ValueError(f"there is no wording in style {style!r} for a {kind!r}; known are {known}")
    return wordings[style, kind]


def get_probe_wording(style: str, kind: str) -> ProbeWording:
    """Look the wording of the probes up; arguments and errors as for :func:`get_wording`."""
    get_wording(style, kind)
    return load_probe_wordings()[style, kind]
