"""What was asked of a run's episodes afterwards: results in a folder beside it, merged in on reading."""

from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless.afterwards.probe_folders import Beside, Results, fills_judgments
from judged_useless.afterwards.probe_folders import probe_folder as probe_folder
from judged_useless.episodes.schema import LISTS as LISTS
from judged_useless.episodes.schema import EpisodeError, validate
from judged_useless.runs.recorded import Run


def probe_results(run: str | Path, probe: str, *, model: str | None = None) -> Results | None:
    """Return what a probe found, as far as it has come.

    Parameters
    ----------
    run : str or pathlib.Path
        The run's folder.
    probe : str
        Name of the probe.
    model : str, optional
        Name of another model that was asked in the agent's place; by default the agent's own results.

    Returns
    -------
    mapping of (question id, regime) to list of dict, or None
        None if the run was not probed so.

    Raises
    ------
    EpisodeError
        If the results are of another run or of the run as it was before, or a file is not what a probe
        writes; the message names the file, and line and field where there are some.
    """
    return Beside(Path(run), model).results(probe)


def merge_probes(episodes: pd.DataFrame, run: Path, *, model: str | None = None) -> pd.DataFrame:
    """Return a run's episodes with what was asked of them afterwards.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of the run.
    run : pathlib.Path
        The run's folder.
    model : str, optional
        As for `probe_results`; by default what the agent itself said.

    Returns
    -------
    pandas.DataFrame
        Judgments are filled in where the agent's condition read none of its own; those that it read stay.
        Further columns, where the run was probed so, each with a list of one entry an observation:
        ``answer_now`` and ``answer_now_repaired`` (whether an answer there would have been right),
        ``usefulness, p_continue, p_answer_now, prefer``; ``stated_label`` and, as judgments,
        ``stated_by_label``, to be put in the place of the keyword reader's ``stated``. An entry is None where
        nothing was asked or a reply did not parse. And ``repaired_answer`` and ``repaired_success``, which
        are the episode's own where nothing was repaired. ``success`` and ``answer`` are never changed.

    Raises
    ------
    EpisodeError
        If the results are of another run or of the run as it was before, or a file is not what a probe
        writes; the message names the file, and line and field where there are some.
    """
    keys = list(zip(episodes["question_id"], episodes["regime"], strict=True))
    length = [sum(action != "finish" for action in actions) for actions in episodes["actions"]]
    lengths: dict[str, dict[str, int]] = {}
    for (question_id, regime), n in zip(keys, length, strict=True):
        lengths.setdefault(regime, {})[question_id] = n
    beside = Beside(run, model, lengths)
    found: dict[str, list[Any]] = {}
    judgments = beside.results("judgments")
    if judgments is not None and fills_judgments(beside.manifest["spec"]):
        own = [list(each) for each in episodes["judgments"]]
        replayed = _spread(judgments, keys, length, "judgment")
        found["judgments"] = [_filled(a, b) for a, b in zip(own, replayed, strict=True)]
    for probe, fields in LISTS.items():
        results = beside.results(probe)
        if results is not None:
            for column, name in fields.items():
                found[column] = _spread(results, keys, length, name)
    repairs = beside.results("repair")
    if repairs is not None:
        found |= _repaired(episodes, repairs, keys)
    return episodes.assign(
        **{
            name: pd.Series(
                values, index=episodes.index, dtype=bool if name == "repaired_success" else object
            )
            for name, values in found.items()
        }
    )


def _repaired(episodes: pd.DataFrame, repairs: Results, keys: list[tuple[str, str]]) -> dict[str, list[Any]]:
    # A file in which no episode has an answer is read without that column.
    own = {"answer": episodes.get("answer", pd.Series([None] * len(keys))), "success": episodes["success"]}
    return {
        f"repaired_{column}": [
            repairs[key][-1][f"repaired_{column}"] if key in repairs else value
            for key, value in zip(keys, values, strict=True)
        ]
        for column, values in own.items()
    }


def _spread(results: Results, keys: list[tuple[str, str]], length: list[int], name: str) -> list[list[Any]]:
    """Return one field of the results as lists with one entry an observation."""
    spread = []
    for key, n in zip(keys, length, strict=True):
        values: list[Any] = [None] * n
        for result in results.get(key, ()):
            values[result["t"] - 1] = result[name]
        spread.append(values)
    return spread


def _filled(own: list[Any], replayed: list[Any]) -> list[Any]:
    own = [*own, *[None] * (len(replayed) - len(own))]
    return [b if a is None else a for a, b in zip(own, replayed, strict=True)]


def answer_now_branches(run: str | Path, *, repaired: bool = False, model: str | None = None) -> pd.DataFrame:
    """Return the answer-now branches of a run, as the offline policies take them.

    Parameters
    ----------
    run : str or pathlib.Path
        The run's folder.
    repaired : bool, default False
        Count an answer that copied the template by what the agent gave in its place when told.
    model : str, optional
        As for `probe_results`; by default what the agent itself answered.

    Returns
    -------
    pandas.DataFrame
        ``question_id, regime, t, success, answered``, one row a decision that was replayed.

    Raises
    ------
    EpisodeError
        If the run was not probed so, or as for `probe_results`.
    """
    results = probe_results(run, "answer-now", model=model)
    if results is None:
        raise EpisodeError(f"{run}: no answer-now branches; make them with the probe answer-now")
    which = "repaired_success" if repaired else "success"
    return pd.DataFrame(
        [
            (question_id, regime, result["t"], result[which], result["action"] == "finish")
            for (question_id, regime), found in results.items()
            for result in found
        ],
        columns=["question_id", "regime", "t", "success", "answered"],
    )


def read_run(path: str | Path) -> pd.DataFrame:
    """Return the episodes of a run directory, with what was asked of them afterwards.

    Parameters
    ----------
    path : str or pathlib.Path
        The directory.

    Returns
    -------
    pandas.DataFrame
        One row an episode, as `Run.episodes` gives them, and the columns of `merge_probes`.

    Raises
    ------
    RunError
        If it is no run directory, no episode has ended yet, or it says that it is complete and is not.
    """
    run = Run(path)
    return validate(merge_probes(run.episodes(), run.path), source=str(run.path))
