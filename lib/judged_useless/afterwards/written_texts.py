"""What an agent wrote in a recorded episode, step by step; released episodes do not hold it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from judged_useless.afterwards.items import items_of
from judged_useless.protocol.prompts import get_wording
from judged_useless.protocol.turns import get_style, read_native_calls
from judged_useless.runs.recorded import Run
from judged_useless.tasks import get_task


@dataclass(frozen=True)
class Written:
    """One step in words.

    Attributes
    ----------
    thought : str
        What the agent wrote before its action.
    text : str
        Query, keyword or answer.
    result : str
        What came back; empty for an answer.
    """

    thought: str
    text: str
    result: str


def run_folders(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return the run directories of a source; none for released cells and for files.

    Parameters
    ----------
    source : str, path, or list of them
        As given to :func:`judged_useless.load_episodes`.

    Returns
    -------
    list of pathlib.Path
    """
    given = [source] if isinstance(source, str | Path) else list(source)
    found: list[Path] = []
    for path in map(Path, given):
        inside = sorted(path.iterdir()) if path.is_dir() else []
        found += [each for each in (path, *inside) if (each / "manifest.json").is_file()]
    return found


def written_steps(
    source: str | Path | Sequence[str | Path],
    *,
    model: str,
    condition: str,
    split: str,
    question_id: str,
    regime: str = "persistent",
) -> list[Written]:
    """Return what was written in one episode, action by action.

    Parameters
    ----------
    source : str, path, or list of them
        As given to :func:`judged_useless.load_episodes`.
    model, condition, split, question_id, regime : str
        Which episode.

    Returns
    -------
    list of Written
        Empty where the source has no run directory with that episode: then nothing is known of its words.

    Raises
    ------
    RunError
        If a run is damaged.
    """
    for folder in run_folders(source):
        run = Run(folder)
        try:
            record = run.trajectory(question_id, regime)
        except KeyError:
            continue
        if (record["model"], record["condition"], record["split"]) == (model, condition, split):
            return _steps(record, run.manifest["spec"])
    return []


def _steps(record: dict[str, Any], spec: dict[str, Any]) -> list[Written]:
    style = get_style(spec["options"]["style"])
    read = style.read
    if spec["condition"]["native_calls"]:
        read = partial(read_native_calls, otherwise=read)
    wording = get_wording(spec["options"]["style"], get_task(spec["task"]).kind)
    head = wording.observation.partition("{text}")[0]
    results = [item.observation for item in items_of(record, spec, wording, ["S1"])]
    turns: list[str] = []
    latest = ""
    for message in record["messages"]:
        if message["role"] == "assistant":
            latest = message["content"]
        elif message["content"].startswith(head) and len(turns) < len(results):
            turns.append(latest)
    if record["actions"][-1:] == ["finish"]:
        turns, results = [*turns, latest], [*results, ""]
    read_turns = [read(turn.strip()) for turn in turns]
    return [
        Written(turn.thought, turn.text, result) for turn, result in zip(read_turns, results, strict=True)
    ]
