"""The verdict on how an agent stops, in one sentence, from Δ and the counts behind it."""

from collections.abc import Mapping
from math import ceil
from typing import Any, Literal

import pandas as pd

from judged_useless._io.messages import listed
from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.frames import UNKNOWN
from judged_useless.estimators.contrast import contrast_measure, time_matched_contrast
from judged_useless.estimators.estimate import Estimate
from judged_useless.estimators.planning import planned_study
from judged_useless.estimators.resampling import Resampling

Kind = Literal["evidence", "against", "step", "never", "too few", "several"]
#: Below so many questions, or decisions in a group, nothing is said.
LEAST_QUESTIONS, LEAST_DECISIONS = 10, 10
#: A Δ within this bound is none; below this share of decisions an agent hardly ever answers.
BOUND, RARE = 0.1, 0.05
#: Answers and other decisions that are known: from so many times the share on, no fair sample is left.
LEAST_FAIR = 2
#: Probability with which more episodes should tell.
POWER = 0.8


def compared(steps: pd.DataFrame) -> dict[str, int]:
    """Return the decisions and answers of both groups at the steps that Δ compares."""
    inside = steps[steps["compared"]].drop(columns=["t", "compared"])
    return {str(name): int(n) for name, n in inside.sum().items()}


def unfair_sample(points: DecisionPoints) -> tuple[str, str]:
    """Return why the decisions with judgments are no fair sample of all, if so; and how many have none."""
    unknown, answers = points.run == UNKNOWN, points.answered
    (x, n), (y, m) = ((int((unknown & each).sum()), int(each.sum())) for each in (answers, ~answers))
    if not x + y:
        return "", ""
    counted = f"the results before {x:,} of {n:,} answers and {y:,} of {m:,} other decisions have no judgment"
    least, most = sorted((1 - x / max(n, 1), 1 - y / max(m, 1)))
    if n and most > LEAST_FAIR * least:
        return f"{counted}, so that the others are no fair sample", ""
    return "", f"Left out of Δ: {counted}."


def verdict_on(
    episodes: pd.DataFrame, steps: pd.DataFrame, delta: Estimate, last: int, options: Mapping[str, Any]
) -> tuple[Kind, str]:
    """Return how an agent stops, in a word and in a sentence, by the steps until `last`."""
    counted = compared(steps)
    n_a, n_b = counted["decisions (a)"], counted["decisions (b)"]
    answers = counted["answers (a)"] + counted["answers (b)"]
    if scarce := _scarce(episodes, steps, n_a, n_b, last):
        return "too few", scarce
    answered = steps["answers (a)"] + steps["answers (b)"]
    if not answered.any():
        n = int(steps["decisions (a)"].sum() + steps["decisions (b)"].sum())
        return "never", f"Never answers after useless results: 0 of {n:,} decisions."
    if not delta.defined:
        return "too few", f"Nothing to compare: {delta.reason}."
    told, least = delta.n_boot - delta.n_failed, ceil(round(2 / (1 - delta.level), 6))
    if told < least:
        return (
            "too few",
            f"Too few resamples to tell: {told:,} have a Δ, its interval takes {least} (--n-boot).",
        )
    if not answers:  # it answers, but only before or after the steps compared
        late = Estimate.attempt(time_matched_contrast, episodes, t_max=int(steps["t"].max()), **options)
        if late.defined and late.value > BOUND and (late.low is None or late.low > 0):
            return "evidence", f"Stops on its evidence, but only with its last actions: {late}."
        when = f"after {listed(steps['t'][answered > 0])} results"
        return "step", f"Answers by the step: {when}, and never at the {n_a + n_b:,} decisions between."
    where = f"{delta} over {n_a:,} decisions after useless results only, and "
    where += f"{n_b:,} at the same steps with a useful one before"
    # Where all resamples have the same value, that is both bounds.
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


def _scarce(episodes: pd.DataFrame, steps: pd.DataFrame, n_a: int, n_b: int, last: int) -> str:
    """Return what says that there is too little to go by, and what more would bring; empty if enough."""
    questions = episodes["question_id"].nunique()
    have = {"(a)": n_a, "(b)": n_b}
    short = [f"{n} decision{'s' * (n != 1)} in {each}" for each, n in have.items() if n < LEAST_DECISIONS]
    few = [f"{questions} question{'s' * (questions > 1)}"] * (questions < LEAST_QUESTIONS)
    if not n_a:
        inside = steps[(steps["t"] >= 3) & (steps["t"] <= last)]
        counts = " and ".join(f"{inside[f'decisions {each}'].sum():,} decisions in {each}" for each in have)
        of = f" of {few[0]}" if few else ""
        at = f"3 to {last}" if last > 3 else "3"
        return f"Too few: after {at} results, {counts}{of}, and none at the same step to be compared."
    if not short + few:
        return ""
    times = max(LEAST_QUESTIONS / questions, *(LEAST_DECISIONS / n for n in have.values()))
    more = f"{ceil(len(episodes) * (times - 1)):,} more episodes like these bring {LEAST_DECISIONS} of each"
    return f"Too few: {' and '.join(short + few)}. About {more}, the least for a verdict."


def _more_questions(episodes: pd.DataFrame, last: int, options: Mapping[str, Any]) -> str:
    """Return how many more episodes would tell a Δ of twice the bound from none, by imitated studies."""
    measure, plan = contrast_measure(build_decision_points(episodes), t_max=last), Resampling(**options)
    for times in (2, 3, 4, 6, 8, 12, 16):
        if planned_study(measure, times * measure.n_clusters, 2 * BOUND, plan)["power"] >= POWER:
            more = f"About {len(episodes) * (times - 1):,} more episodes like these"
            return f"{more} would tell a Δ of {2 * BOUND:g} from none, with a probability of {POWER:.0%}."
    return f"More than {16 * len(episodes):,} episodes would be needed."
