"""What was written in an episode of a run directory, action by action."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judged_useless.afterwards.recorded_turns import RecordedTurns
from judged_useless.runs.recorded import Run


@dataclass(frozen=True)
class WrittenStep:
    """One step in words."""

    #: What the agent wrote before its action.
    thought: str
    #: Query, keyword or answer.
    text: str
    #: What came back; empty for an answer.
    result: str


def steps_said(said: RecordedTurns) -> list[WrittenStep]:
    """Return what was written in a recorded episode, action by action."""
    head = said.wording.observation.partition("{text}")[0]
    results, turns, latest = said.results(), list[str](), ""
    for message in said.record["messages"]:
        if message["role"] == "assistant":
            latest = message["content"]
        elif message["content"].startswith(head) and len(turns) < len(results):
            turns.append(latest)
    if said.record["actions"][-1:] == ["finish"]:
        turns, results = [*turns, latest], [*results, ""]
    read = [said.read(turn.strip()) for turn in turns]
    return [WrittenStep(turn.thought, turn.text, result) for turn, result in zip(read, results, strict=True)]


def run_folders(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return the run directories of a source of `load_episodes`; none for released cells and for files."""
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
) -> list[WrittenStep]:
    """Return what was written in one episode of a source of `load_episodes`, action by action.

    Empty where the source has no run directory with that episode: then nothing is known of its words.
    """
    for folder in run_folders(source):
        run = Run(folder)
        try:
            record = run.trajectory(question_id, regime)
        except KeyError:
            continue
        if (record["model"], record["condition"], record["split"]) == (model, condition, split):
            return steps_said(RecordedTurns(record, run.manifest["spec"]))
    return []
