"""Made-up episodes with known behaviour, for tests of the registered rules. No model produced them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import yaml
from judged_useless.environment.regimes import REGIMES
from paper_book.measures.cell_index import CellKey, manifest
from paper_book.registered.engine import resolve
from paper_book.registered.rules import RegisteredTest

RECIPES = Path(__file__).parent / "data" / "recipes.yaml"
STATED_CONDITIONS = ("stated_judgment_rule", "stated_combo")


@dataclass(frozen=True)
class Behaviour:
    """How a made-up agent behaves. Probabilities are per decision unless they say otherwise."""

    #: Of being right when it answers, per episode; `success_in` replaces it in one regime.
    success: float = 0.5
    success_in: tuple[tuple[str, float], ...] = ()
    #: Of leaving (answering) at any decision, at action `at_step`, and once the run of results judged useless
    #: has reached `at_run`.
    hazard: float = 0.03
    at_step: int | None = None
    at_run: int | None = None
    #: Of doing what at_step or at_run say.
    obeys: float = 0.97
    #: Of leaving after a useless result that follows a useful one.
    after_useful: float = 0.0
    #: Of leaving right after a useful result.
    at_useful: float = 0.0
    #: Of answering with the last action of the budget.
    last: float = 0.95
    #: Of leaving by the backup source instead of an answer.
    backup: float = 0.0
    #: Of judging a failed and a real result useless.
    useless_if_failed: float = 0.99
    useless_if_real: float = 0.1
    #: Of stating a judgment, and of its being the one given when asked.
    states: float = 1.0
    stated_agrees: float = 0.97
    #: Of having a turn discarded, per episode; None leaves the field out.
    discards: float | None = None


def _failed(regime: str, t: int) -> bool:
    return REGIMES[regime.removeprefix("ts_")].failed(t)


def _leaves(who: Behaviour, draw: Random, t: int, run: int, budget: int) -> bool:
    """Whether the agent leaves its source with action t + 1."""
    chance = who.hazard
    if run < t:
        chance = max(chance, who.after_useful if run else who.at_useful)
    if (who.at_step is not None and t + 1 == who.at_step) or (who.at_run is not None and run >= who.at_run):
        chance = max(chance, who.obeys)
    if t + 1 == budget:
        chance = max(chance, who.last)
    return draw.random() < chance


@lru_cache(maxsize=10_000)
def _luck(regime: str, question: str, seed: int) -> float:
    return Random(f"{seed}|{regime}|{question}").random()


def _episode(cell: CellKey, regime: str, question: str, who: Behaviour, seed: int) -> dict[str, Any]:
    draw = Random("|".join(map(str, (seed, *cell, regime, question))))
    shared = _luck(regime, question, seed)
    actions, judgments, run = ["search"], [], 0
    while len(actions) <= cell.budget:
        t = len(actions)
        failed = _failed(regime, t) and actions[-1] != "backup_search"
        useless = draw.random() < (who.useless_if_failed if failed else who.useless_if_real)
        judgments.append("USELESS" if useless else "USEFUL")
        run = run + 1 if useless else 0
        if t == cell.budget:
            break
        left = "backup_search" in actions
        if left or _leaves(who, draw, t, run, cell.budget):
            by_backup = not left and t + 1 < cell.budget and draw.random() < who.backup
            actions.append("backup_search" if by_backup else "finish")
            if not by_backup:
                break
        else:
            actions.append("search")
    answered = actions[-1] == "finish"
    right = dict(who.success_in).get(regime, who.success)
    # Mostly the same questions are answered rightly in every cell, as with real agents.
    luck = shared if draw.random() < 0.8 else draw.random()
    opposite = {"USELESS": "USEFUL", "USEFUL": "USELESS"}
    stated = [
        (word if draw.random() < who.stated_agrees else opposite[word])
        if draw.random() < who.states
        else None
        for word in judgments
    ]
    return {
        "question_id": question,
        "regime": regime,
        "actions": actions,
        "judgments": judgments,
        "stated_by_label": stated,
        "success": answered and luck < right,
        "n_discarded": None if who.discards is None else int(draw.random() < who.discards),
    }


@lru_cache(maxsize=128)
def make_cell(
    cell: CellKey, regimes: tuple[str, ...], who: Behaviour = Behaviour(), n: int = 40, seed: int = 4
) -> pd.DataFrame:
    """Return one made-up cell: `n` questions in each regime."""
    ids = manifest(cell.split.partition("-run")[0])[:n] or tuple(f"{cell.split}-{i:03d}" for i in range(n))
    rows = [_episode(cell, regime, question, who, seed) for regime in regimes for question in ids]
    frame = pd.DataFrame(rows).assign(**cell._asdict())
    if who.discards is None:
        del frame["n_discarded"]
    return frame


def cells_of(tests: Iterable[RegisteredTest]) -> dict[CellKey, tuple[str, ...]]:
    """Return every cell that tests are measured on, with the regimes they read."""
    wanted: dict[CellKey, dict[str, None]] = {}
    for test in tests:
        for check in test.rule:
            models = test.models if check.models is None else check.models or ("",)
            for model in models:
                for each in check.each:
                    for quantity in check.quantities.values():
                        asked = resolve(test, model, each, quantity)
                        for cell in asked.cells:
                            whole = cell._replace(split=cell.split.partition("-first")[0])
                            wanted.setdefault(whole, {}).update(dict.fromkeys(asked.regimes))
    return {cell: tuple(regimes) for cell, regimes in wanted.items()}


def behaviour(text: Any, named: dict[str, Any]) -> Behaviour:
    """Return a behaviour from a recipe: a name, changes to the default, or both as [name, changes]."""
    parts = text if isinstance(text, list) else [text]
    who = Behaviour()
    for part in parts:
        changes = dict(named[part] if isinstance(part, str) else part)
        if "success_in" in changes:
            changes["success_in"] = tuple(changes["success_in"].items())
        who = replace(who, **changes)
    return who


def make_episodes(
    wanted: dict[CellKey, tuple[str, ...]], recipe: dict[str, Any], named: dict[str, Any], n: int = 40
) -> pd.DataFrame:
    """Return the cells of a recipe: how each condition behaves, or each `condition@budget`."""
    frames = []
    for cell, regimes in wanted.items():
        text = recipe.get(f"{cell.condition}@{cell.budget}", recipe.get(cell.condition, {}))
        who = behaviour(text, named)
        if cell.condition in STATED_CONDITIONS and who.discards is None:
            who = replace(who, discards=0.9)
        frames.append(make_cell(cell, regimes, who, n))
    return pd.concat(frames, ignore_index=True)


def with_failures(episodes: pd.DataFrame) -> pd.DataFrame:
    """Return episodes that say which of their results failed."""
    failed = [
        [_failed(regime, t) for t in range(1, len(judgments) + 1)]
        for regime, judgments in zip(episodes["regime"], episodes["judgments"], strict=True)
    ]
    return episodes.assign(failed=pd.Series(failed, index=episodes.index, dtype=object))


def load_recipes() -> dict[str, Any]:
    """Return the recipes file."""
    return dict(yaml.safe_load(RECIPES.read_text(encoding="utf-8")))
