"""Runs of a real model, as `make demo` makes them; two are in the project, for page 09."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from judged_useless._io.paths import data_dir
from judged_useless.episodes.decisions import build_decision_points, observation_table
from judged_useless.runs.recorded import Run, Transcript

from paper_book.tables.data_table import Notice


def read(folder: str | None = None) -> list[Run]:
    """Return the runs in a folder, unaided first; by default those of the project.

    ValueError if there is none, or one of a simulated agent.
    """
    place = data_dir() / "demo" if folder is None else Path(folder)
    runs = [Run(path.parent) for path in sorted(place.glob("*/manifest.json"), reverse=True)]
    if not runs or any(run.simulated for run in runs):
        raise ValueError(f"{place}: expected folders of runs by a real model, as make demo leaves them")
    return runs


def name(runs: Sequence[Run]) -> str:
    """Return what captions call them: which model that is, and that its numbers speak of nothing else."""
    return f"{runs[0].manifest['model']['name']}, a real model too small to answer"


def deviations(runs: Sequence[Run]) -> str:
    """Return what the manifests record that was done otherwise than in the paper."""
    return "; ".join(dict.fromkeys(each for run in runs for each in run.manifest["model"]["deviations"]))


def counts(episodes: pd.DataFrame, k: int = 5) -> pd.DataFrame:
    """Return by condition what the episodes came to: counts, for so few give no rates."""
    columns = {}
    for condition, part in episodes.groupby("condition", sort=False):
        seen = observation_table(part)
        judged = seen[seen["judgment"].notna()]
        useless, failed = judged["judgment"] == "USELESS", judged["failed"].astype(bool)
        points = build_decision_points(part)
        reached = points.run == k
        columns[condition] = {
            "episodes": str(len(part)),
            "answered": str(int((part["termination"] == "answered").sum())),
            "answered rightly": str(int(part["success"].sum())),
            "failed results judged USELESS": f"{(useless & failed).sum()} of {failed.sum()}",
            "real results judged USELESS": f"{(useless & ~failed).sum()} of {(~failed).sum()}",
            f"{k} USELESS in a row, an action left": str(int(reached.sum())),
            "answered at that action": str(int(points.answered[reached].sum())),
        }
    return pd.DataFrame(columns).rename_axis("count of")


def fifth_useless(run: Run, k: int = 5) -> Transcript | Notice:
    """Return the first transcript in which the run reaches k and an answer follows at once, if there is one.

    Else the first in which it reaches k; a sentence if none does.
    """
    episodes = run.episodes()
    points = build_decision_points(episodes)
    for reached in (points.episode[(points.run == k) & points.answered], points.episode[points.run == k]):
        if len(reached):
            shown = episodes.iloc[int(reached[0])]
            return run.transcript(shown["question_id"], shown["regime"])
    none = f"in none of its {len(episodes)} episodes are {k} results in a row judged useless"
    return Notice(f"No transcript: {none}.")
