"""What an agent's log says of how it stops: a verdict in one sentence, Δ behind it, and the rule on trial."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, isfinite
from pathlib import Path
from typing import Any, Literal

import jinja2
import pandas as pd

from judged_useless._io.messages import listed, visible
from judged_useless.adapters.log_files import AgentLog
from judged_useless.adapters.recorded_rule import rule_on_trial
from judged_useless.episodes.decisions import build_decision_points, contrasted_decisions
from judged_useless.estimators.contrast import (
    contrast_measure,
    design_label_contrast,
    time_matched_contrast,
)
from judged_useless.estimators.estimate import Estimate
from judged_useless.estimators.matching import WITHOUT_FAILURE
from judged_useless.estimators.planning import planned_study
from judged_useless.estimators.resampling import Resampling

Kind = Literal["evidence", "against", "step", "never", "too few"]
Judged = Literal["recorded", "stated", "lexical"]
#: Below so many questions, or decisions in a group, nothing is said.
LEAST_QUESTIONS, LEAST_DECISIONS = 10, 10
#: A Δ within this bound is none; below this share of decisions an agent hardly ever answers.
BOUND, RARE = 0.1, 0.05
#: Probability with which more episodes should tell.
POWER = 0.8
#: Where the figure's axes lie in the drawing: left, right, top, bottom.
_AXES = (50, 620, 20, 250)
_TEMPLATE = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
    Path(__file__).with_name("audit_report.html").read_text(encoding="utf-8")
)


@dataclass(frozen=True, repr=False)
class Audit:
    """What an audit found.

    Attributes
    ----------
    kind, verdict
        Whether the agent stops on useless results, rather after a useful one, by the step, never, or whether
        the log cannot tell; the same as one sentence, with its numbers.
    understood : tuple of str
        What was read, taken and left out, a sentence each.
    delta, design : Estimate
        Δ, pooled over the steps in `window`; the same contrast on failures that are known by design.
    steps, rule : pandas.DataFrame
        Decisions and answers of the groups (a) and (b) by step; what :func:`rule_on_trial` returns.
    simulated : bool
        Whether an agent of these episodes is no language model.
    """

    kind: Kind
    verdict: str
    understood: tuple[str, ...]
    delta: Estimate
    design: Estimate
    steps: pd.DataFrame
    window: tuple[int, int]
    rule: pd.DataFrame
    simulated: bool

    def __repr__(self) -> str:
        return self.verdict

    def _repr_html_(self) -> str:
        context = _TEMPLATE.new_context(self._shown())
        return "".join(part for name in ("said", "figure") for part in _TEMPLATE.blocks[name](context))

    def html(self) -> str:
        """Return the report: one page that needs nothing but a browser; what is from the log is no markup."""
        return _TEMPLATE.render(self._shown())

    def _shown(self) -> dict[str, Any]:
        curves = {group: _rates(self.steps, group) for group in "ab"}
        (left, right, top, bottom), last = _AXES, int(self.steps["t"].max())
        return {
            "audit": self, "curves": curves, "visible": visible, "ticks": range(1, last + 1, last // 20 + 1),
            "x": lambda t: round(left + (right - left) * (t - 0.5) / last, 1),
            "y": lambda rate: round(bottom - (bottom - top) * rate, 1),
            "table": lambda frame: dashed(frame).to_html(index=False, border=0),
        }  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as values of JSON."""
        told = {
            name: getattr(self, name) for name in ("kind", "verdict", "understood", "window", "simulated")
        }
        for name, each in (("delta", self.delta), ("design", self.design)):
            values = (each.row() | dict(each.parts)).items()
            told[name] = {k: None if isinstance(v, float) and not isfinite(v) else v for k, v in values}
        tables = {"steps": self.steps, "rule": self.rule}
        return told | {name: json.loads(each.to_json(orient="records")) for name, each in tables.items()}


def dashed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a dash where a number is missing."""
    return frame.astype(object).where(frame.notna(), "–")


def _rates(steps: pd.DataFrame, group: str) -> list[tuple[int, float]]:
    """Return (step, share that answers) of a group, where it has decisions."""
    rows = steps[["t", f"decisions ({group})", f"answers ({group})"]].itertuples(index=False)
    return [(int(t), answers / n) for t, n, answers in rows if n]


def budget_of_log(episodes: pd.DataFrame, budget: int | None = None) -> tuple[int, str]:
    """Return the actions an episode may take (the smallest number, of several), and where that is from."""
    length = episodes["actions"].map(len)
    if budget is not None:
        if budget < length.max():
            raise ValueError(f"--budget {budget}: an episode took {length.max()} actions")
        return budget, f"Budget: {budget} actions, as given."
    if "budget" in episodes and episodes["budget"].notna().all():
        stated = sorted(map(int, episodes["budget"].unique()))
        several = f", the smallest of {listed(stated)}" if len(stated) > 1 else ""
        return stated[0], f"Budget: {stated[0]} actions, as the log states{several}."
    longest = int(length.max())
    ended = int(episodes["actions"][length == longest].map(lambda actions: actions[-1] != "finish").sum())
    if ended:
        why = f"{ended} episode{'s' * (ended > 1)} ended there without an answer"
    else:
        why = "the longest episode; none ended without an answer, so no limit is to be seen"
    return longest, f"Budget: taken to be {longest} actions: {why}. Give the real one with --budget."


def with_chosen_judgments(log: AgentLog, judged: Judged | None = None) -> tuple[pd.DataFrame, str]:
    """Return the episodes with the judgments to go by, and what is to be said of them."""
    episodes = log.episodes
    if judged is None:
        judged = "recorded" if episodes["judgments"].map(len).any() or "stated" not in episodes else "stated"
    if judged != "recorded":
        if judged not in episodes:
            raise ValueError(f"judgments {judged!r}: the log has no conversations to read them from")
        words: list[Any] = [[] if each is None else each for each in episodes[judged]]
        episodes = episodes.assign(judgments=words)
    said = [word for each in episodes["judgments"] for word in each]
    n = sum(word is not None for word in said)
    results = int(episodes["actions"].map(lambda each: sum(word != "finish" for word in each)).sum())
    how = {
        "recorded": f"by {log.judge}" if log.judge else "of the log",
        "stated": "read from what the next turn states",
        "lexical": "by the question's words in the result",
    }[judged]
    unparsed = said.count("UNPARSED")
    sentence = f"Judgments: {how}, of {n:,} of {results:,} results ({n / max(results, 1):.0%})"
    return episodes, sentence + (f", {unparsed:,} of them unreadable." if unparsed else ".")


def audit_log(
    log: AgentLog,
    *,
    budget: int | None = None,
    judged: Judged | None = None,
    n_boot: int = 2000,
    seed: int = 0,
) -> Audit:
    """Say how an agent stops, by its log.

    Parameters
    ----------
    log : AgentLog
        From :func:`~judged_useless.adapters.read_log`.
    budget : int, optional
        Actions that an episode may take; by default as stated in the log, or taken from it, which is said.
    judged : {"recorded", "stated", "lexical"}, optional
        Judgments to go by: recorded in the log, stated in the agent's next turn, or by the question's words
        in each result; by default the recorded ones, or the stated ones where none is recorded.
    n_boot, seed
        Of the question-cluster bootstrap.

    Raises
    ------
    ValueError
        For a budget below the actions of an episode, or judgments that the log does not have.
    """
    episodes, said = with_chosen_judgments(log, judged)
    budget, where = budget_of_log(episodes, budget)
    options: dict[str, Any] = {"n_boot": n_boot, "seed": seed}
    last = max(budget - 2, 3)
    understood = [*_read(log), where, said]
    cells = [name for name in ("model", "condition") if name in episodes and len(episodes[name].unique()) > 1]
    if cells:
        understood.append(f"Several agents are pooled, by {' and '.join(cells)}: audit them one by one.")
    failing = episodes
    if "regime" in episodes and not (sound := episodes["regime"].isin(WITHOUT_FAILURE)).all():
        failing = episodes[~sound].reset_index(drop=True)
    if len(failing) < len(episodes):
        names = " and ".join(WITHOUT_FAILURE)
        understood.append(f"In the rule's table only: the {sum(sound):,} episodes of {names}.")
    steps = contrasted_decisions(failing, t_min=1, t_max=max(budget - 1, 1))
    delta = Estimate.attempt(time_matched_contrast, failing, t_max=last, **options)
    kind, verdict = _verdict(failing, steps, delta, last, options)
    simulated = "simulated" in episodes and bool(episodes["simulated"].fillna(False).any())
    return Audit(
        kind, verdict, tuple(understood), delta, _by_design(failing, last, options), steps, (3, last),
        rule_on_trial(episodes), simulated,
    )  # fmt: skip


def _read(log: AgentLog) -> list[str]:
    """Return sentences on what was read of which form, as what, and what was left out."""
    taken = int(log.episodes["actions"].map(len).sum())
    questions = log.episodes["question_id"].nunique()
    forms = ", ".join(f"{n:,} from {form}" for form, n in log.forms.items())
    actions: dict[str, list[str]] = {}
    for (action, tool), n in sorted(log.tools.items(), key=lambda item: -item[1]):
        actions.setdefault(action, []).append(f"{tool} ({n:,})")
    read = [f"Read: {len(log.episodes):,} episodes of {questions:,} questions ({forms}), {taken:,} actions."]
    read += [f"As {action}: {listed(tools)}." for action, tools in actions.items()]
    return read + [f"Left out: {n:,} {why}." for why, n in log.dropped.items()]


def _by_design(episodes: pd.DataFrame, last: int, options: Mapping[str, Any]) -> Estimate:
    """Return the contrast on failures that are known: by the two regimes, or by ``failed``."""
    if "regime" in episodes and {"persistent", "late_onset_from_3"} <= set(episodes["regime"]):
        return Estimate.attempt(design_label_contrast, episodes, t_max=last, **options)
    if "failed" not in episodes or episodes["failed"].isna().any():
        return Estimate.undefined("which results failed by design is not known")
    words: list[Any] = [["USELESS" if each else "USEFUL" for each in failed] for failed in episodes["failed"]]
    return Estimate.attempt(time_matched_contrast, episodes.assign(judgments=words), t_max=last, **options)


def _verdict(
    episodes: pd.DataFrame, steps: pd.DataFrame, delta: Estimate, last: int, options: Mapping[str, Any]
) -> tuple[Kind, str]:
    sums = steps.drop(columns="t")[(steps["t"] >= 3) & (steps["t"] <= last)].sum()
    n_a, n_b = int(sums["decisions (a)"]), int(sums["decisions (b)"])
    answers = int(sums["answers (a)"] + sums["answers (b)"])
    if not episodes["judgments"].map(len).any():
        return "too few", "Nothing to go by: no result has a judgment. Have a model judge them with --judge."
    if scarce := _scarce(episodes, n_a, n_b):
        return "too few", scarce
    answered = steps["answers (a)"] + steps["answers (b)"]
    if not answered.any():
        n = int(steps["decisions (a)"].sum() + steps["decisions (b)"].sum())
        return "never", f"Never answers after useless results: 0 of {n:,} decisions."
    if not delta.defined:
        return "too few", f"Nothing to compare: {delta.reason}."
    if not answers:  # it answers, but only before or after the steps compared
        late = Estimate.attempt(time_matched_contrast, episodes, t_max=int(steps["t"].max()), **options)
        if late.defined and late.value > BOUND:
            return "evidence", f"Stops on its evidence, but only with its last actions: {late}."
        when = f"after {listed(steps['t'][answered > 0])} results"
        return "step", f"Answers by the step: {when}, and never at the {n_a + n_b:,} decisions between."
    where = f"{delta} over {n_a:,} decisions after useless results only, and "
    where += f"{n_b:,} at the same steps with a useful one before"
    low, high = (delta.value if bound is None else bound for bound in (delta.low, delta.high))
    if low > 0:
        return "evidence", f"Stops on its evidence{', a little' * (delta.value < BOUND)}: {where}."
    if high < 0:
        rare = f"Hardly ever answers ({answers:,} of {n_a + n_b:,} decisions), and then"
        how = rare if answers < RARE * (n_a + n_b) else "Stops"
        return "against", f"{how} rather after useful evidence than on useless results: {where}."
    if high - low > 2 * BOUND:
        return "too few", f"Too few to tell: {where}. {_more_questions(episodes, last, options)}"
    return "step", f"Answers by the step, not on its evidence: {where}."


def _scarce(episodes: pd.DataFrame, n_a: int, n_b: int) -> str:
    """Return what says that there is too little to go by, and how much would do; empty if enough."""
    questions = episodes["question_id"].nunique()
    have = {"(a)": n_a, "(b)": n_b}
    short = {group: n for group, n in have.items() if n < LEAST_DECISIONS}
    if not short and questions >= LEAST_QUESTIONS:
        return ""
    what = [f"{n or 'no'} decision{'s' * (n != 1)} in {group}" for group, n in short.items()]
    what += [f"{questions} question{'s' * (questions > 1)}"] if questions < LEAST_QUESTIONS else []
    if 0 in short.values():
        return f"Too few: {' and '.join(what)}, so nothing can be compared."
    times = max(LEAST_QUESTIONS / questions, *(LEAST_DECISIONS / n for n in have.values()))
    more = ceil(len(episodes) * (times - 1))
    return f"Too few: {' and '.join(what)}; about {more:,} more episodes would tell."


def _more_questions(episodes: pd.DataFrame, last: int, options: Mapping[str, Any]) -> str:
    """Return how many more episodes would tell a Δ of twice the bound from none, by imitated studies."""
    measure, plan = contrast_measure(build_decision_points(episodes), t_max=last), Resampling(**options)
    for times in (2, 3, 4, 6, 8, 12, 16):
        if planned_study(measure, times * measure.n_clusters, 2 * BOUND, plan)["power"] >= POWER:
            more = len(episodes) * (times - 1)
            return f"About {more:,} more episodes would tell a Δ of {2 * BOUND:g}."
    return f"More than {16 * len(episodes):,} episodes would be needed."
