"""SIMULATED cells with everything that runs and probes give, for every cell that the paper's tables need.

They stand in for run directories that were probed: the columns are those that reading such runs adds to the
released fields. They say nothing about any model, and each episode has ``simulated: true``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from judged_useless._io.paths import data_dir
from judged_useless._io.seeds import stable_seed
from judged_useless.stopping.simulate import Hazard, Moment, World, simulate_arrays
from make_released_set import POLICIES
from numpy.typing import NDArray
from paper_book.measures.cell_index import CellKey
from paper_book.measures.quantities import quantity_of
from paper_book.published.transcribed import published

#: Conditions whose episodes are about where a rule fires.
RULES = {
    "random": POLICIES["enforced_rule"],
    "lexical": POLICIES["enforced_rule"],
    "switch_rule": POLICIES["enforced_rule"],
    "stated_judgment_rule": POLICIES["enforced_rule"],
    "stated_combo": POLICIES["combo"],
    "both_exits": POLICIES["permit"],
    "thinking": POLICIES["permit"],
    "unaided_thinking": POLICIES["permit"],
    "budget_thinking": POLICIES["stated_rule"],
}
#: Questions of Claude Haiku 4.5 in amendment 20, which are the first ones of test300.
FIRST = 200
#: Conditions of which some number rests on stated judgments.
_READ = ("unaided", "stated_judgment_rule", "stated_combo")
_GOLD = ["Ada", "Bob"]
_TITLES = [*_GOLD, "Eve", "Sam"]


def cells_wanted() -> dict[CellKey, list[str]]:
    """Return the cells behind the numbers that have a measure, and the regimes that they need."""
    wanted: dict[CellKey, dict[str, None]] = {}
    for record in published().to_dict("records"):
        what = quantity_of(record)
        if what.why_not:
            continue
        for key in what.keys:
            whole = key._replace(split=key.split.removesuffix(f"-first{FIRST}"))
            wanted.setdefault(whole, {}).update(dict.fromkeys(what.regimes))
    return {key: list(regimes) for key, regimes in wanted.items()}


def _questions(split: str, n: int) -> list[str]:
    file = data_dir() / "manifests" / f"{split.partition('-')[0]}.txt"
    ids = file.read_text(encoding="utf-8").split() if file.is_file() else [f"claim{i}" for i in range(n)]
    return ids[:n]


def probed_cells(n_questions: int = 8, n_test: int = 24) -> pd.DataFrame:
    """Return the episodes of all wanted cells.

    Parameters
    ----------
    n_questions, n_test : int
        Questions of each cell, and of those of test300 with eight actions, of which 160 decisions are drawn
        and rare histories compared; Claude Haiku 4.5 has 200.
    """

    def size(key: CellKey) -> int:
        if key[0] == "claude-haiku-4.5":
            return FIRST
        return n_test if key[3:] == ("test300", 8) else n_questions

    frames = [probed_cell(key, regimes, size(key)) for key, regimes in cells_wanted().items()]
    return pd.concat(frames, ignore_index=True)


def probed_cell(key: CellKey, regimes: Sequence[str], n_questions: int) -> pd.DataFrame:
    """Return one cell with its probe columns."""
    labels: dict[str, Any] = key._asdict()
    condition, budget = key.condition, key.budget
    seed = stable_seed("probed cells", *map(str, key))
    draws = np.random.default_rng(seed)
    world = World(answer_if_useful=0.35, budget=budget, regimes=tuple(regimes), useless_if_failed=0.92)
    policy: Hazard = (POLICIES | RULES)[condition]
    run = simulate_arrays(_with_some_answers(policy), n_questions=n_questions, seed=seed % 2**32, world=world)
    questions = _questions(str(key[3]), n_questions)
    frame = run.episodes().assign(**labels, question_id=np.repeat(questions, len(regimes)), simulated=True)
    rows = [
        _episode(record, failed.astype(bool).tolist(), condition, draws)
        for record, failed in zip(frame.to_dict("records"), run.failed, strict=True)
    ]
    # The regime tells which results failed as well, and checking such lists takes longest.
    silent = [] if key[3:] == ("test300", 8) and condition in _READ else ["failed", "stated"]
    return pd.DataFrame(rows).drop(columns=silent)


def _with_some_answers(policy: Hazard) -> Hazard:
    """Return the policy, with a few answers at any time, so that no measure is without one."""

    def answers(now: Moment) -> NDArray[np.float64]:
        return np.fmax(np.asarray(policy(now), dtype=np.float64), 0.06)

    return answers


def _episode(
    record: dict[Any, Any], failed: list[bool], condition: str, draws: np.random.Generator
) -> dict[Any, Any]:
    """Return an episode with what a run's log and its probes add."""
    n = len(record["judgments"])
    answered = record["termination"] == "answered"
    chance = draws.random((6, n + 1))
    failed = failed[:n]
    actions = list(record["actions"])
    if str(record["regime"]).startswith("ts_"):
        switched = next((t for t in range(1, n) if chance[0, t] < 0.3), n)
        actions = [*actions[:switched], *["backup_search"] * (n - switched), *actions[n:]]
        failed = [fails and t < switched for t, fails in enumerate(failed)]
    placeholder = answered and chance[1, n] < 0.15
    success = bool(answered and not placeholder and chance[2, n] < 0.4)
    decisions = min(n, int(record["budget"]) - 1)
    stated = [word if chance[3, t] < 0.85 else None for t, word in enumerate(record["judgments"])]
    now = [bool(chance[4, t] < 0.2) if t < decisions else None for t in range(n)]
    obeys = placeholder and chance[5, n] < 0.7
    repaired = success or bool(obeys and chance[5, n] < 0.3)
    return record | {
        "actions": actions,
        "failed": failed,
        "success": success,
        "answer": ("answer" if placeholder else "Paris") if answered else None,
        "n_discarded": int(condition.startswith("stated_j") or condition == "stated_combo") * int(n >= 5),
        "n_judgment_calls": n,
        "stated": stated,
        "pages": [None if fails else _TITLES[int(draws.integers(4))] for fails in failed],
        "gold_titles": _GOLD,
        "answer_now": now,
        "answer_now_repaired": [
            None if each is None else each or chance[5, t] < 0.1 for t, each in enumerate(now)
        ],
        "usefulness": ["USEFUL_NEW" if word == "USEFUL" else "OFF_TOPIC" for word in record["judgments"]],
        "p_continue": [round(float(each), 2) for each in chance[0, :n]],
        "p_answer_now": [round(float(each), 2) for each in chance[1, :n]],
        "prefer": ["answer_now" if each < 0.5 else "continue" for each in chance[2, :n]],
        "stated_by_label": stated,
        "stated_label": ["says_useless" if word == "USELESS" else "useful" for word in stated],
        "repaired_answer": "Paris" if answered and (obeys or not placeholder) else None,
        "repaired_success": repaired,
    }
