"""One question in two arms, side by side and step by step: the table that the paper's Figure 1 shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from judged_useless.afterwards.recorded_turns import WrittenStep, written_steps

from paper_book.figures.style import COLOURS
from paper_book.pairs import episode_steps

#: Characters of a query that stand in the table itself; the rest is folded.
SHOWN = 60
_WORDS = {"USELESS": "useless", "USEFUL": "useful", "UNPARSED": "unreadable"}


@dataclass(frozen=True)
class Arm:
    """One of the two episodes.

    Attributes
    ----------
    name : str
        Its condition.
    steps : pandas.DataFrame
        As `judged_useless.episodes.episode_steps` returns them.
    success : bool
        Whether the answer is right.
    termination : str
        How it ended, where that is known.
    written : sequence of WrittenStep
        What was written at each step; empty where it is not known.
    """

    name: str
    steps: pd.DataFrame
    success: bool
    termination: str = ""
    written: Sequence[WrittenStep] = field(default=())

    @property
    def ending(self) -> str:
        """How the episode ended, in words."""
        if len(self.steps) and self.steps["action"].iloc[-1] == "finish":
            return f"answered at action {len(self.steps)}: {'right' if self.success else 'wrong'}"
        if self.termination in ("", "budget_exhausted"):
            return f"all {len(self.steps)} actions spent, no answer: counts as wrong"
        return f"{self.termination.replace('_', ' ')}, no answer: counts as wrong"


def recorded_arm(
    episodes: pd.DataFrame,
    question_id: str,
    *,
    source: str | Path | Sequence[str | Path] = "embedded",
    regime: str = "persistent",
) -> Arm:
    """Return one episode as it was recorded.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of one model and condition.
    question_id, regime : str
        Which episode.
    source : str, path, or list of them, default "embedded"
        Where the episodes are from: a run directory has the words as well, released episodes have not.

    Returns
    -------
    Arm

    Raises
    ------
    EpisodeError
        If there is no such episode, or it is not what the schema says.
    RunError
        If a run is damaged.
    """
    steps = episode_steps(episodes, question_id, regime)
    row = episodes[(episodes["question_id"] == question_id) & (episodes["regime"] == regime)].iloc[0]
    ended = row.get("termination")
    cell = {name: str(row[name]) for name in ("model", "condition", "split")}
    return Arm(
        cell["condition"],
        steps,
        bool(row["success"]),
        "" if pd.isna(ended) else str(ended),
        written_steps(source, **cell, question_id=question_id, regime=regime),
    )


@dataclass(frozen=True)
class TwoEpisodes:
    """Two episodes of one question, for a page.

    Attributes
    ----------
    arms : tuple of Arm
        The two.
    caption : str
        What is shown, from which source, and how to read it.
    k : int
        Run of useless judgments at which the rule acts.
    """

    arms: tuple[Arm, Arm]
    caption: str
    k: int = 5

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/html": self._html(), "text/plain": self._plain()}

    def _html(self) -> str:
        heads = "".join(f'<th scope="col">{escape(arm.name.replace("_", " "))}</th>' for arm in self.arms)
        rows = "".join(
            f'<tr><th scope="row">{t}</th>{"".join(self._cell(arm, t) for arm in self.arms)}</tr>'
            for t in range(1, max(len(arm.steps) for arm in self.arms) + 1)
        )
        ends = "".join(f"<td><strong>{escape(arm.ending)}</strong></td>" for arm in self.arms)
        caption = escape(self.caption, quote=True)
        return (
            f'<figure class="ju-table"><figcaption>{escape(self.caption)}</figcaption>'
            f'<div class="ju-scroll" tabindex="0" role="region" aria-label="{caption}"><table>'
            f'<thead><tr><th scope="col">action</th>{heads}</tr></thead>'
            f'<tbody>{rows}<tr><th scope="row">end</th>{ends}</tr></tbody></table></div></figure>'
        )

    def _cell(self, arm: Arm, t: int) -> str:
        if t > len(arm.steps):
            return "<td>–</td>"
        step: Mapping[Any, Any] = arm.steps.iloc[t - 1].to_dict()
        words = arm.written[t - 1] if t <= len(arm.written) else None
        lines = [f"<strong>{escape(str(step['action']))}</strong>{_query(words)}", *self._said(arm, step)]
        kind = "answer" if step["action"] == "finish" else str(step["judgment"] or "unjudged")
        # Every colour is written out in words beside it.
        return (
            f'<td style="border-left: 0.4rem solid {COLOURS[kind]}; min-width: 7.5rem; max-width: 22rem; '
            f'overflow-wrap: anywhere">{"<br/>".join(lines)}{_folded(words)}</td>'
        )

    def _said(self, arm: Arm, step: Mapping[Any, Any]) -> list[str]:
        """Return what is known of a step's result, a line each."""
        if step["action"] == "finish":
            before = arm.steps["run"].iloc[-2] if len(arm.steps) > 1 else None
            forced = "rule" in arm.name and before is not None and before >= self.k
            return ["only the answer was left"] if forced else []
        result = {True: "result failed", False: "real result"}.get(step["failed"], "result")
        judged = _WORDS.get(str(step["judgment"]))
        if judged is None:
            return [result, "not judged"]
        run = step["run"]
        count = f", {run} in a row" if run and run > 1 else ""
        return [result, f"judged {judged}{f'<strong>{count}</strong>' if run == self.k else count}"]

    def _plain(self) -> str:
        lines = [f"Two episodes: {self.caption}"]
        for arm in self.arms:
            steps = " ".join(
                f"{row['action']}:{row['judgment'] or '-'}" for row in arm.steps.to_dict("records")
            )
            lines.append(f"{arm.name}: {steps}; {arm.ending}")
        return "\n".join(lines)


def _query(words: WrittenStep | None) -> str:
    if words is None or not words.text:
        return ""
    text = words.text if len(words.text) <= SHOWN else f"{words.text[:SHOWN].rstrip()}…"
    return f" {escape(text)}"


def _folded(words: WrittenStep | None) -> str:
    """Return what was written and came back, escaped and folded."""
    if words is None:
        return ""
    parts = [("thought", words.thought), ("result", words.result)]
    if len(words.text) > SHOWN:
        parts.insert(1, ("input", words.text))
    body = "".join(
        f'<p style="white-space: pre-wrap; margin: 0.3rem 0"><em>{name}:</em> {escape(text)}</p>'
        for name, text in parts
        if text
    )
    names = " and ".join(name for name, text in parts if text and name != "input")
    return f"<details><summary>{names}</summary>{body}</details>" if body else ""
