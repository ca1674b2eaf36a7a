"""Make a data set in the layout of the released one: two real cells, all others SIMULATED.

    python tests/make_released_set.py FOLDER

Figures and tables made from it show what the book does with all 43 cells, not what the paper's models do.
Each simulated episode says so in its field ``simulated``, and every page names it in its captions.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from judged_useless._io.paths import data_dir
from judged_useless._io.seeds import stable_seed
from judged_useless.environment.regimes import MEAN6
from judged_useless.episodes.formats import write_parquet
from judged_useless.sources.readers import load_episodes
from judged_useless.sources.released import released_cells
from judged_useless.stopping.simulate import Hazard, Moment, World, simulate_arrays
from numpy.typing import NDArray

REGIMES = (*MEAN6, "plausible")
#: Conditions whose judgments were recorded during the run; the others have none in clean and plausible.
RECORDED = ("decide", "enforced_rule", "combo")
#: How many episodes of a cell end at the first turn, as a few of the released ones do.
_CUT_OFF = 2
_README = """---
configs:
- config_name: default
  data_files:
  - split: test300
    path: test300.parquet
  - split: fresh300
    path: fresh300.parquet
---
# SIMULATED episodes

This is not the released data set. It has the layout of one: 43 cells of model, condition and split, seven
regimes each. Ten of these 301 are real, those embedded in the project; all other episodes were simulated
from simple stopping policies, under the names of real models, to test the book's pages. Every simulated
episode has `simulated: true`. Nothing in it says anything about any model.
"""


def _late(now: Moment) -> NDArray[np.float64]:
    return np.where(now.t >= now.budget - 1, 0.75, 0.04 * now.t)


def _early(now: Moment) -> NDArray[np.float64]:
    return np.full(len(now.run), 0.16)


def _rarely(now: Moment) -> NDArray[np.float64]:
    return np.full(len(now.run), 0.015)


def _counts(now: Moment) -> NDArray[np.float64]:
    return np.where(now.run >= 5, 0.95, 0.02)


def _half_counts(now: Moment) -> NDArray[np.float64]:
    return np.clip(0.05 * now.run.astype(np.float64), 0.0, 1.0)


def _both(now: Moment) -> NDArray[np.float64]:
    chance: NDArray[np.float64] = np.fmax(_counts(now), _late(now))
    return chance


POLICIES: dict[str, Hazard] = {
    "unaided": _rarely,
    "permit": _early,
    "budget": _late,
    "stated_rule": _half_counts,
    "call_cost": _late,
    "decide": _early,
    "enforced_rule": _counts,
    "combo": _both,
}


def simulated_cell(split: str, model: str, condition: str, questions: list[str]) -> pd.DataFrame:
    """Return one cell: all regimes on the given questions."""
    seed = stable_seed("released set", split, model, condition)
    draws = np.random.default_rng(seed)
    world = World(useless_if_failed=draws.uniform(0.95, 0.99), answer_if_useful=0.35, regimes=REGIMES)
    run = simulate_arrays(POLICIES[condition], n_questions=len(questions), seed=seed % 2**32, world=world)
    frame = run.episodes().assign(
        model=model, condition=condition, split=split, question_id=np.repeat(questions, len(REGIMES))
    )
    helped = frame["judgments"].map(lambda words: "USEFUL" in words).to_numpy()
    ended = (frame["termination"] == "answered").to_numpy()
    frame["success"] = ended & (draws.random(len(frame)) < np.where(helped, 0.7, 0.2))
    frame["actions"] = [_some_lookups(actions, draws) for actions in frame["actions"]]
    silent = frame["regime"].isin(["clean", "plausible"]) & (condition not in RECORDED)
    frame["judgments"] = [
        [None] * len(words) if mute else words for words, mute in zip(frame["judgments"], silent, strict=True)
    ]
    cut = frame["regime"].eq("persistent") & frame["question_id"].isin(questions[:_CUT_OFF])
    for name in ("actions", "judgments"):
        frame[name] = [[] if ends else each for each, ends in zip(frame[name], cut, strict=True)]
    frame["success"] = frame["success"] & ~cut
    frame["termination"] = frame["termination"].mask(cut, "format_failure")
    return frame.drop(columns="budget").assign(simulated=True)


def _some_lookups(actions: list[str], draws: np.random.Generator) -> list[str]:
    lookups = draws.random(len(actions)) < 0.2
    return [
        "lookup" if at and action == "search" and place else action
        for place, (action, at) in enumerate(zip(actions, lookups, strict=True))
    ]


def released_set(n_questions: int | None = None) -> dict[str, pd.DataFrame]:
    """Return the episodes of each split, on the first questions of each only if so asked."""
    first = {
        split: (data_dir() / "manifests" / f"{split}.txt").read_text(encoding="utf-8").split()[:n_questions]
        for split in ("test300", "fresh300")
    }
    real = load_episodes("embedded").assign(simulated=False)
    real = real[real["question_id"].isin(first["test300"])]
    known = set(zip(real["model"], real["condition"], real["split"], real["regime"], strict=True))
    parts: dict[str, list[pd.DataFrame]] = {}
    for cell in released_cells().itertuples():
        split, model, condition = str(cell.split), str(cell.model), str(cell.condition)
        frame = simulated_cell(split, model, condition, first[split])
        real_here = [(model, condition, split, regime) in known for regime in frame["regime"]]
        parts.setdefault(split, []).append(frame[~np.array(real_here)])
    parts["test300"].append(real)
    return {split: pd.concat(frames, ignore_index=True) for split, frames in parts.items()}


def write(folder: Path, n_questions: int | None = None) -> Path:
    """Write the set to a folder, with a README that says what it is."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, frame in released_set(n_questions).items():
        write_parquet(frame, folder / f"{split}.parquet")
    (folder / "README.md").write_text(_README, encoding="utf-8")
    return folder


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(Path(sys.argv[1]))
