"""Numbers of the paper that need what was asked of recorded runs (Appendices C.4, C.5, D.2 to D.4).

Each function gets the episodes of one cell, or of two, in the regimes that are read.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from judged_useless import estimators, stopping
from judged_useless.episodes.decisions import build_decision_points
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import with_judgments
from judged_useless.stopping.stopping_policies import StoppingPolicy

from paper_book.measures.calculator import plain
from paper_book.measures.from_episodes import share

Memory = dict[tuple[object, ...], Any]

# --- answering at once, when told to, at recorded decisions -----------------------------------


def answering_or_continuing(
    part: pd.DataFrame, *, regimes: tuple[str, ...], n_boot: int, seed: int, level: float
) -> Estimate:
    """Return answering at the fifth useless judgment in a row minus what the agent did."""
    return stopping.continue_or_answer(part, regimes=regimes, n_boot=n_boot, seed=seed, level=level)


def answer_now_success(
    part: pd.DataFrame, *, regimes: tuple[str, ...], level: float, column: str = "answer_now"
) -> Estimate:
    """Return the share right: after five useless judgments, or of one regime over all decisions."""
    if len(regimes) > 1:
        made = answering_or_continuing(part, regimes=regimes, n_boot=1, seed=0, level=level)
        return plain("right when told to answer", made.parts["answering"], made.n, part, level)
    replayed = part.explode(column).dropna(subset=[column])
    if replayed.empty:
        raise UndefinedEstimateError("no decision was replayed")
    right = replayed[column].astype(bool).mean()
    return plain("right when told to answer", right, len(replayed), replayed, level)


def success_of_own_5(part: pd.DataFrame, *, regimes: tuple[str, ...], level: float) -> Estimate:
    """Return the success of the policy that answers after five useless judgments in a row."""
    own = [StoppingPolicy(own=5)]
    values = stopping.policy_values(part, policies=own, regimes=regimes)
    return plain("success of own 5", values["success"].iloc[0], len(part), part, level)


def _policies(part: pd.DataFrame, regimes: tuple[str, ...], price: float, memory: Memory) -> pd.DataFrame:
    """Return the simple policies of Table 17, best first, made once for all arms held against them."""
    key = ("policies", id(part), price)
    if key not in memory:
        memory[key] = stopping.policy_values(part, price=price, regimes=regimes)
    made: pd.DataFrame = memory[key]
    return made


def utility_of_best_policy(
    part: pd.DataFrame, *, regimes: tuple[str, ...], price: float, level: float, memory: Memory
) -> Estimate:
    """Return the utility of the best simple policy."""
    best = _policies(part, regimes, price, memory).iloc[0]
    return plain(f"utility of {best.name}", best["utility"], len(part), part, level)


def best_policy(part: pd.DataFrame, *, regimes: tuple[str, ...], price: float, memory: Memory) -> str:
    """Return the name of the best simple policy."""
    return str(_policies(part, regimes, price, memory).index[0])


def regret(
    arm: pd.DataFrame,
    unaided: pd.DataFrame,
    *,
    regimes: tuple[str, ...],
    price: float,
    level: float,
    memory: Memory,
) -> Estimate:
    """Return the utility of the best policy on the unaided runs minus that of the arm's own runs."""
    best = _policies(unaided, regimes, price, memory).iloc[0]
    there = unaided["question_id"].unique()
    same = arm[arm["question_id"].isin(there)]
    if same["question_id"].nunique() < len(there):
        raise UndefinedEstimateError("the arm lacks questions of the unaided runs")
    own = estimators.utility(same, price=price, regimes=regimes, n_boot=1)
    return plain("regret", best["utility"] - own.value, own.n, same, level)


# --- answers that copied the template, and what became of them --------------------------------------


def repaired(part: pd.DataFrame) -> pd.DataFrame:
    """Return episodes with the success of their repaired answers."""
    return part.assign(success=part["repaired_success"].infer_objects())


def _copies_template(answer: object) -> bool:
    # Here, because probes bring the models along, which take longer to import than all measures.
    from judged_useless.afterwards.replies import is_placeholder

    return isinstance(answer, str) and is_placeholder(answer)


def _placeholders(part: pd.DataFrame) -> pd.DataFrame:
    return part[part["answer"].map(_copies_template).astype(bool)]


def n_placeholders(part: pd.DataFrame, *, level: float) -> Estimate:
    """Return how many episodes ended in a placeholder."""
    return plain("placeholder answers", len(_placeholders(part)), len(part), part, level)


def n_repaired(part: pd.DataFrame, *, level: float) -> Estimate:
    """Return how many placeholders became real answers when the agent was told."""
    there = _placeholders(part)
    real = there["repaired_answer"].map(
        lambda answer: isinstance(answer, str) and not _copies_template(answer)
    )
    return share("became real answers", real.to_numpy(dtype=bool), there, level)


def n_repaired_correct(part: pd.DataFrame, *, level: float) -> Estimate:
    """Return how many placeholders became right answers."""
    there = repaired(_placeholders(part))
    return plain("became right answers", there["success"].sum(), len(there), there, level)


# --- judgments stated in the thoughts, as an annotator labelled them --------------------------------


def labelled(part: pd.DataFrame) -> pd.DataFrame:
    """Return episodes whose stated judgments are an annotator's, as in Amendments 16 and 18."""
    return part.assign(stated=part["stated_by_label"])


def explicit_of_sample(
    part: pd.DataFrame, *, per_stratum: int, n_boot: int, seed: int, level: float
) -> Estimate:
    """Return at how many of the sampled decisions a judgment is stated."""
    table = estimators.stated_agreement(part, per_stratum=per_stratum, n_boot=n_boot, seed=seed, level=level)
    found = Estimate.from_row(table.T["explicit"].to_dict())
    return replace(found, parts={"count": float(round(found.value * found.n))})


def share_explicit(part: pd.DataFrame, *, level: float) -> Estimate:
    """Return the share of labelled decisions with a judgment: up to decision 6, up to 7 in persistent."""
    points = build_decision_points(with_judgments(labelled(part), "stated"))
    persistent = part["regime"].eq("persistent").to_numpy()[points.episode]
    inside = points.t <= np.where(persistent, 7, 6)
    return plain("judgment stated", points.judged[inside].mean(), int(inside.sum()), part, level)


def share_no_judgment(part: pd.DataFrame, *, level: float) -> Estimate:
    """Return the share of decisions at which the keyword reader finds no judgment (Appendix D.3)."""
    judged = build_decision_points(with_judgments(part, "stated")).judged
    return plain("no judgment stated", 1 - judged.mean(), len(judged), part, level)
