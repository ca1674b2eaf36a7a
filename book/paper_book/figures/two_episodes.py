"""One question in two arms, chosen by a rule and shown step by step: what the paper's Figure 1 shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from judged_useless.episodes.decisions import build_decision_points, observation_table
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import DEFAULT_BUDGET, EpisodeError

from paper_book.figures.style import COLOURS
from paper_book.measures.filling import cell_commands
from paper_book.reading import is_release
from paper_book.tables.data_table import Notice
from paper_book.tables.html import render

if TYPE_CHECKING:
    from paper_book.page import Page
    from paper_book.tables.written_steps import WrittenStep

#: Characters of a query that stand in the table itself; the rest is folded.
SHOWN = 60
_FIELDS = ("question_id", "regime", "actions", "judgments", "success")
_JUDGED = {"USELESS": "useless", "USEFUL": "useful", "UNPARSED": "unreadable"}


def _by_question(episodes: pd.DataFrame, regime: str) -> pd.DataFrame:
    """Return the episodes of a regime by question, with how they end and how long their run gets."""
    chosen = episodes[episodes["regime"] == regime]
    if chosen.empty:
        return chosen
    frame = as_frame(chosen, _FIELDS)
    points = build_decision_points(frame)
    longest = np.zeros(len(frame), dtype=np.int64)
    np.maximum.at(longest, points.episode, points.run)
    answered = frame["actions"].map(lambda actions: list(actions[-1:]) == ["finish"]).astype(bool)
    budget = frame.get("budget", pd.Series(DEFAULT_BUDGET, index=frame.index)).fillna(DEFAULT_BUDGET)
    spent = ~answered & (frame["actions"].map(len) >= budget)
    frame = frame.assign(longest=longest, answered=answered, spent=spent)
    return frame.drop_duplicates("question_id").set_index("question_id")


def first_rescued_question(
    alone: pd.DataFrame, ruled: pd.DataFrame, *, regime: str = "persistent", k: int = 5
) -> tuple[str, str]:
    """Choose by a rule the question that is shown in both arms; return it, or why there is none.

    The first question, in the order of `alone`, on which (1) the agent left alone judges k results in a row
    useless while an action is still to come, and uses up its budget without an answer; (2) in the other arm
    the run reaches k in the same way, so that the rule fires; (3) the answer there is right. This is the rule
    of the paper's Appendix B.3, with the judgments of the agent left alone, which the paper's example lacks.
    """
    first, second = _by_question(alone, regime), _by_question(ruled, regime)
    for frame, arm in ((first, "agent left alone"), (second, "enforced rule")):
        if frame.empty:
            return "", f"there is no episode of the {arm} in the regime {regime}"
    both = [name for name in first.index if name in second.index]
    if not both:
        return "", "the two arms have no question in common"
    one, other = first.loc[both], second.loc[both]
    spends = one["spent"] & (one["longest"] >= k)
    rescued = other["answered"] & (other["longest"] >= k) & other["success"]
    if not (spends & rescued).any():
        return "", (
            f"none of the {len(both)} questions in both arms fits: on {int(spends.sum())} the agent left "
            f"alone spends its budget after {k} useless results in a row, on {int(rescued.sum())} the rule "
            "fires and the answer is right, on none both"
        )
    return str((spends & rescued).idxmax()), ""


def episode_steps(episodes: pd.DataFrame, question_id: str, regime: str = "persistent") -> pd.DataFrame:
    """Return what happened in one episode, action by action."""
    chosen = episodes[(episodes["question_id"] == question_id) & (episodes["regime"] == regime)].head(1)
    if chosen.empty:
        raise EpisodeError(f"episodes: none of question {question_id!r} in the regime {regime!r}")
    seen = observation_table(chosen).set_index("t")[["judgment", "failed"]].astype(object)
    steps = pd.DataFrame(
        {"t": range(1, len(chosen["actions"].iloc[0]) + 1), "action": chosen["actions"].iloc[0]}
    )
    steps = steps.join(seen.where(seen.notna(), None), on="t").astype(object)
    steps = steps.where(steps.notna(), None)
    run: int | None = 0
    runs: list[int | None] = []
    for action, judgment in zip(steps["action"], steps["judgment"], strict=True):
        if judgment == "USELESS":
            run = None if run is None else run + 1
        elif action != "finish":  # nothing is known of a run with a gap
            run = None if judgment is None else 0
        runs.append(None if action == "finish" else run)
    failed = pd.Series([None if each is None else bool(each) for each in steps["failed"]], dtype=object)
    made = steps.assign(failed=failed, run=pd.Series(runs, dtype=object))
    return made.loc[:, ["t", "action", "failed", "judgment", "run"]].astype(object)


@dataclass(frozen=True)
class Arm:
    """One of the two episodes."""

    name: str
    steps: pd.DataFrame
    ending: str
    written: "Sequence[WrittenStep]" = ()

    def cell(self, t: int, k: int) -> dict[str, Any] | None:
        """Return what the table shows of action `t`; None where the episode had ended."""
        if t > len(self.steps):
            return None
        step: Mapping[Any, Any] = self.steps.iloc[t - 1].to_dict()
        kind = "answer" if step["action"] == "finish" else str(step["judgment"] or "unjudged")
        shown: dict[str, Any] = {"action": step["action"], "colour": COLOURS[kind], "query": "", "words": {}}
        if t <= len(self.written):
            words = self.written[t - 1]
            cut = len(words.text) > SHOWN
            shown["query"] = f"{words.text[:SHOWN].rstrip()}…" if cut else words.text
            texts = {"thought": words.thought, "input": words.text * cut, "result": words.result}
            shown["words"] = {name: text for name, text in texts.items() if text}
        return shown | {"lines": self._lines(step, k)}

    def _lines(self, step: Mapping[Any, Any], k: int) -> list[str]:
        """Return what is known of a step's result, a line each."""
        if step["action"] == "finish":
            before = self.steps["run"].iloc[-2] if len(self.steps) > 1 else None
            forced = "rule" in self.name and before is not None and before >= k
            return ["only the answer was left"] if forced else []
        result = {True: "result failed", False: "real result"}.get(step["failed"], "result")
        if step["judgment"] not in _JUDGED:
            return [result, "not judged"]
        count = f", {step['run']} in a row" if step["run"] and step["run"] > 1 else ""
        return [result, f"judged {_JUDGED[step['judgment']]}{count}"]


def _ending(steps: pd.DataFrame, *, success: bool, termination: str) -> str:
    if len(steps) and steps["action"].iloc[-1] == "finish":
        return f"answered at action {len(steps)}: {'right' if success else 'wrong'}"
    if termination in ("", "budget_exhausted"):
        return f"all {len(steps)} actions spent, no answer: counts as wrong"
    return f"{termination.replace('_', ' ')}, no answer: counts as wrong"


def recorded_arm(episodes: pd.DataFrame, question_id: str, *, source: Any, regime: str = "persistent") -> Arm:  # noqa: ANN401 - as load_episodes takes it
    """Return one episode as it was recorded; a run directory has its words as well."""
    steps = episode_steps(episodes, question_id, regime)
    row = episodes[(episodes["question_id"] == question_id) & (episodes["regime"] == regime)].iloc[0]
    ended = row.get("termination")
    cell = {name: str(row[name]) for name in ("model", "condition", "split")}
    written: Sequence[WrittenStep] = ()
    if not is_release(source):
        from paper_book.tables.written_steps import written_steps

        written = written_steps(source, **cell, question_id=question_id, regime=regime)
    ending = _ending(steps, success=bool(row["success"]), termination="" if pd.isna(ended) else str(ended))
    return Arm(cell["condition"], steps, ending, written)


@dataclass(frozen=True)
class TwoEpisodes:
    """Two episodes of one question, for a page."""

    arms: tuple[Arm, Arm]
    caption: str
    k: int = 5

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        longest = max(len(arm.steps) for arm in self.arms)
        rows = [[arm.cell(t, self.k) for arm in self.arms] for t in range(1, longest + 1)]
        names, endings = [arm.name.replace("_", " ") for arm in self.arms], [arm.ending for arm in self.arms]
        lines = [f"Two episodes: {self.caption}"]
        for arm in self.arms:
            records = arm.steps.to_dict("records")
            steps = " ".join(f"{row['action']}:{row['judgment'] or '-'}" for row in records)
            lines.append(f"{arm.name}: {steps}; {arm.ending}")
        html = render("two_episodes", self.caption, names, rows, endings)
        return {"text/html": str(html), "text/plain": "\n".join(lines)}


def two_episodes(alone: "Page", ruled: "Page") -> TwoEpisodes | Notice:
    """Return one question beside itself under the rule, or what would bring the arm that is missing."""
    question, lacking = first_rescued_question(alone.episodes, ruled.episodes)
    if not question:
        absent = [str(each.condition) for each in (alone, ruled) if each.episodes.empty]
        return Notice(
            f"No question is shown with and without the rule: {lacking}.",
            warns=True,
            commands=cell_commands(str(alone.model), absent, str(alone.split)),
        )
    first, second = (recorded_arm(each.episodes, question, source=each.source) for each in (alone, ruled))
    words = "Thoughts and results unfold below each action."
    if not (first.written or second.written):
        words = (
            "Released episodes hold actions and judgments; what the agent wrote and read is not among them."
        )
    return TwoEpisodes(
        (first, second),
        f"{alone.model}, question {question} of {alone.split}, persistent regime, {alone.condition} beside "
        f"enforced_rule ({alone.name}). Each cell: the action; whether its result failed by design; how the "
        "agent judged it when asked; and how many results in a row it had then judged useless. Last row: how "
        "the episode ended. Shown is the first question on which the agent left alone spends its actions "
        f"after five useless results in a row and the rule brings a right answer. {words}",
    )
