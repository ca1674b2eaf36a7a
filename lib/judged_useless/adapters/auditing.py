"""What an agent's log says of how it stops: a verdict in one sentence, Δ behind it, and the rule on trial."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from math import isfinite
from pathlib import Path
from typing import Any, Literal
from warnings import catch_warnings, filterwarnings

import jinja2
import pandas as pd

from judged_useless._io.messages import listed, visible
from judged_useless.adapters.log_files import AgentLog
from judged_useless.adapters.recorded_rule import rule_on_trial
from judged_useless.adapters.verdicts import Kind, compared, unfair_sample, verdict_on
from judged_useless.episodes.decisions import contrasted_decisions, points_of
from judged_useless.episodes.frames import UNKNOWN
from judged_useless.episodes.schema import NoEpisodesError
from judged_useless.estimators.contrast import (
    design_label_contrast,
    time_matched_contrast,
)
from judged_useless.estimators.estimate import Estimate
from judged_useless.estimators.matching import WITHOUT_FAILURE

Judged = Literal["recorded", "stated", "lexical"]
#: Actions of a budget, at most: beyond it, it is no limit, and no step that anything happens at.
MOST_ACTIONS = 10_000
#: Agents of one log that are told apart in its verdict, at most.
MOST_AGENTS = 8
GROUPS = (
    "(a) are decisions after nothing but useless results, (b) those at the same step whose latest results "
    "were useless too, but a useful one came before."
)
_ONLY_LAST = (
    "{} is called last and once an episode, and no other time: if it gives the answer, say so with "
    "--map {}=finish; otherwise what it is, as search."
)
#: Where the figure's axes lie in the drawing (left, right, top, bottom), and where its vertical one may end.
_AXES, _TOPS = (44, 352, 44, 216), (0.05, 0.1, 0.25, 0.5, 1)
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
        the log cannot tell or is of several agents; the same as one sentence, with its numbers.
    understood : tuple of str
        What was read, taken and left out, a sentence each.
    delta, design : Estimate
        Δ, pooled over the steps in `window`; the same contrast on failures that are known by design.
    steps, rule : pandas.DataFrame
        Decisions and answers of the groups (a) and (b) by step, and whether Δ compares them; what
        :func:`rule_on_trial` returns, without rows where nothing is judged.
    simulated : bool
        Whether an agent of these episodes is no language model.
    resamples : int
        Question-cluster resamples that were drawn.
    paths : tuple of str
        Where the log was read.
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
    resamples: int
    paths: tuple[str, ...]

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
        most = max((rate for curve in curves.values() for _, rate in curve), default=0)
        high = next(each for each in _TOPS if each >= most)
        return {
            "audit": self, "curves": curves, "visible": visible, "ticks": range(1, last + 1, last // 15 + 1),
            "x": lambda t: round(left + (right - left) * (min(t, last + 0.5) - 0.5) / last, 1),
            "y": lambda rate: round(bottom - (bottom - top) * rate / high, 1), "high": high,
            "table": lambda frame: dashed(frame).to_html(index=False, border=0),
            "counted": compared(self.steps), "groups": GROUPS, "today": date.today(),
        }  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as values of JSON."""
        names = ("kind", "verdict", "understood", "window", "simulated", "resamples", "paths")
        told = {name: getattr(self, name) for name in names}
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
    longest = int(length.max())
    if not longest:
        raise NoEpisodesError("no episode of the log has an action")
    stated = []
    if budget is None and "budget" in episodes and episodes["budget"].notna().all():
        stated = sorted(map(int, episodes["budget"].unique()))
    if (most := max([budget or 0, *stated])) > MOST_ACTIONS:
        raise ValueError(
            f"{'field budget' if stated else '--budget'}: {most} actions, expected at most {MOST_ACTIONS:,}; "
            f"where there is no limit, give --budget {longest + 2}"
        )
    if budget is not None:
        if budget < longest:
            raise ValueError(f"--budget {budget}: an episode took {longest} actions")
        return budget, f"Budget: {budget} actions, as given."
    if stated:
        several = f", the smallest of {listed(stated)}" if len(stated) > 1 else ""
        return stated[0], f"Budget: {stated[0]} actions, as the log states{several}."
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
    failing = episodes
    if "regime" in episodes and not (sound := episodes["regime"].isin(WITHOUT_FAILURE)).all():
        failing = episodes[~sound].reset_index(drop=True)
    if len(failing) < len(episodes):
        names = " and ".join(WITHOUT_FAILURE)
        understood.append(f"In the rule's table only: the {sum(sound):,} episodes of {names}.")
    steps = contrasted_decisions(failing, t_min=1, t_max=max(int(failing["actions"].map(len).max()) - 1, 1))
    both = (steps["decisions (a)"] > 0) & (steps["decisions (b)"] > 0)
    steps = steps.assign(compared=both & (steps["t"] >= 3) & (steps["t"] <= last))
    with catch_warnings():
        filterwarnings("ignore", message=".* pools ")  # the verdict says so
        delta = Estimate.attempt(time_matched_contrast, failing, t_max=last, **options)
        design = _by_design(failing, last, options)
    points, rule = points_of(failing), rule_on_trial(episodes)
    unknown = points.run == UNKNOWN
    why, sentence = unfair_sample(points) if points.judged.any() else ("no result has a judgment", "")
    if not points.judged.any() or (unknown.any() and unknown[~points.answered].all()):
        rule = rule.iloc[:0]
    understood += [sentence] * bool(sentence)
    if log.only_last:
        understood.append(_ONLY_LAST.format(listed(log.only_last), log.only_last[0]))
    if why:
        judge = "--judge" if any(log.chats) else "--judge, of a log of conversations"
        verdict: tuple[Kind, str] = "too few", f"Nothing to go by: {why}. Have a model judge with {judge}."
    else:
        verdict = verdict_on(failing, steps, delta, last, options)
    if verdict[0] == "never" and log.only_last:
        verdict = "too few", f"Nothing to go by: {understood[-1]}"
    if cells:
        verdict = "several", _one_by_one(log, cells, {"judged": judged, **options})
    simulated = "simulated" in episodes and bool(episodes["simulated"].fillna(False).any())
    return Audit(
        *verdict, tuple(understood), delta, design, steps, (3, last),
        rule, simulated, n_boot, log.paths,
    )  # fmt: skip


def _one_by_one(log: AgentLog, names: list[str], options: Mapping[str, Any]) -> str:
    """Return the verdict on each agent of a log; what all of them do together is nobody's way to stop."""
    agents = log.episodes.groupby(names, sort=False, dropna=False)
    said = f"{agents.ngroups} agents, by {' and '.join(names)}; what is pooled below is of none of them."
    if agents.ngroups > MOST_AGENTS:
        return f"{said} Audit them one by one."
    for name, part in agents:
        one = replace(log, episodes=part.reset_index(drop=True))
        said += f" {', '.join(map(str, name))}: {audit_log(one, **options).verdict}"
    return said


def _read(log: AgentLog) -> list[str]:
    """Return sentences on what was read of which form, as what, and what was left out."""
    taken = int(log.episodes["actions"].map(len).sum())
    questions = log.episodes["question_id"].nunique()
    forms = ", ".join(f"{n:,} from {form}" for form, n in log.forms.items())
    actions: dict[str, list[str]] = {}
    for (action, tool), n in sorted(log.tools.items(), key=lambda item: -item[1]):
        actions.setdefault(action, []).append(f"{tool} ({n:,})")
    where = f" in {listed(log.paths)}" if log.paths else ""
    read = [f"Read: {len(log.episodes):,} episodes of {questions:,} questions ({forms}){where}."]
    read += [f"As {action}: {listed(tools)}." for action, tools in actions.items()]
    read.append(f"Taken: {taken:,} actions.")
    return read + [f"Left out: {n:,} {why}." for why, n in log.dropped.items()]


def _by_design(episodes: pd.DataFrame, last: int, options: Mapping[str, Any]) -> Estimate:
    """Return the contrast on failures that are known: by the two regimes, or by ``failed``."""
    if "regime" in episodes and {"persistent", "late_onset_from_3"} <= set(episodes["regime"]):
        return Estimate.attempt(design_label_contrast, episodes, t_max=last, **options)
    if "failed" not in episodes or episodes["failed"].isna().any():
        return Estimate.undefined("which results failed by design is not known")
    words: list[Any] = [["USELESS" if each else "USEFUL" for each in failed] for failed in episodes["failed"]]
    return Estimate.attempt(time_matched_contrast, episodes.assign(judgments=words), t_max=last, **options)
