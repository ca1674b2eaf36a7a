"""Every prompt of the experiment: ``data/prompts.yaml`` has them for each task and way to write a turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

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
    """All prompts of one task in one style; in braces is what is filled in, see ``data/prompts.yaml``.

    The last three are asked of recorded trajectories.
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
    usefulness: str
    continuation: str
    repair: str

    def instructions(self, additions: Sequence[str], *, two_source: bool, budget: int, k: int) -> str:
        """Return the instructions with what a condition adds, after a blank line, one sentence a line."""
        if two_source and not self.backup_tool:
            raise ValueError("this style of turn has no backup tool; run it in one-source regimes only")
        system = self.system.replace("{backup}", f"{self.backup_tool}\n" if two_source else "")
        added = [self.additions[name].format(budget=budget, k=number_word(k)) for name in additions]
        return "\n\n".join([system, "\n".join(added)] if added else [system])


@cache
def load_wordings() -> dict[tuple[str, str], Wording]:
    """Return (style, kind of task) -> wording."""
    content = yaml.safe_load((data_dir() / "prompts.yaml").read_text(encoding="utf-8"))
    return {(style, kind): Wording(**content[f"{style} {kind}"]) for style, kind in map(str.split, content)}


def get_wording(style: str, kind: str) -> Wording:
    """Return the wording of a style and a kind of task; the error for none lists those there are."""
    wordings = load_wordings()
    if (style, kind) not in wordings:
        known = "; ".join(f"{style} for a {kind}" for style, kind in wordings)
        raise ValueError(f"there is no wording in style {style!r} for a {kind!r}; known are {known}")
    return wordings[style, kind]
