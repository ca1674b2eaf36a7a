"""Whether a run directory holds what its manifest says: every field that is read, and how many lines."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from judged_useless.environment.regimes import get_regime
from judged_useless.episodes.schema import OPTIONAL, REQUIRED
from judged_useless.runs.entries import WORDS, Kind, check_entries, is_kind
from judged_useless.runs.spec import PROBES_SUFFIX, episode_split
from judged_useless.runs.store import MANIFEST, Check, RunError, read_manifest

#: What may be said of a run in its manifest.
STATUSES = ("running", "complete", "incomplete", "interrupted", "stopped")

# Fields of a manifest that are read, outermost first: of any job, and of a run besides.
_OF_A_JOB: dict[str, Kind] = {
    "spec": dict, "status": str, "simulated": bool, "spec.model": dict, "spec.model.name": str,
    "spec.regimes": list, "n_episodes": dict, "n_episodes.planned": int, "n_episodes.done": int,
    "tokens": dict, "timings": dict,
}  # fmt: skip
_OF_A_RUN: dict[str, Kind] = {
    "spec.condition": dict, "spec.condition.name": str, "spec.task": str, "spec.split": str,
    "spec.n_questions": int, "spec.budget": int, "spec.options": dict, "run": str, "spec.data_sha256": str,
    "spec.condition.signal": str | None, "spec.condition.native_calls": bool, "spec.options.style": str,
    "spec.options.constrain": bool,
}  # fmt: skip
_FIELDS = (*REQUIRED, *OPTIONAL, "messages", "calls", "observation_meta", "events", "timings")


def load_job_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest of a job's folder, with every field that any job has there and of its type.

    Parameters
    ----------
    path : pathlib.Path
        The folder: a run, or what a probe or an annotator made.

    Returns
    -------
    dict or None
        None if there is none.

    Raises
    ------
    RunError
        If it is not JSON, or a field is missing or not what it has to be; the message names it.
    """
    manifest = read_manifest(path)
    if manifest is None:
        return None
    file = path / MANIFEST
    check_fields(file, manifest, _OF_A_JOB)
    if manifest["status"] not in STATUSES:
        raise RunError(f"{file}: status is {manifest['status']!r}, expected one of {', '.join(STATUSES)}")
    return manifest


def require_manifest(
    path: Path, load: Callable[[Path], dict[str, Any] | None] = load_job_manifest
) -> dict[str, Any]:
    """Return the manifest of a folder that has to have one.

    Parameters
    ----------
    path : pathlib.Path
        The folder.
    load : callable, default load_job_manifest
        Or `load_manifest`, where the folder has to be a run's.

    Returns
    -------
    dict
        As `load` gives it.

    Raises
    ------
    RunError
        If there is none, or it is broken; of a run's probe folder the message names the run.
    """
    manifest = load(path)
    if manifest is None:
        if path.name.endswith(PROBES_SUFFIX):
            run = path.with_name(path.name.removesuffix(PROBES_SUFFIX))
            raise RunError(f"{path}: the probe folder of {run}, not a run; give {run}")
        raise RunError(f"{path}: no manifest.json there, so it is no run directory")
    return manifest


def _refuse_beside(path: Path, spec: Mapping[str, Any]) -> None:
    """Refuse what a probe or an annotator has made, which lies beside runs and looks like one."""
    folder = next((each for each in path.resolve().parents if each.name.endswith(PROBES_SUFFIX)), None)
    run = None if folder is None else folder.with_name(folder.name.removesuffix(PROBES_SUFFIX))
    give = "give the run" if run is None else f"give the run: {run}"
    if "probe" in spec:
        raise RunError(f"{path}: what the probe {spec['probe']} found of a run, not a run; {give}")
    if "items_sha256" in spec:
        raise RunError(f"{path}: labels of an annotator, not a run; {give}")


def load_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest of a run directory, with every field that is read there and of its type.

    Parameters
    ----------
    path : pathlib.Path
        The directory.

    Returns
    -------
    dict or None
        None if there is none.

    Raises
    ------
    RunError
        If it is not JSON, or a field is missing or not what it has to be; the message names it.
    """
    manifest = load_job_manifest(path)
    if manifest is None:
        return None
    file = path / MANIFEST
    if "condition" not in manifest["spec"]:
        _refuse_beside(path, manifest["spec"])
    check_fields(file, manifest, _OF_A_RUN)
    _check_plan(file, manifest)
    questions = manifest.get("questions")
    if questions is not None and not isinstance(questions, list):
        raise RunError(f"{file}: questions is {questions!r}, expected a list")
    return manifest


def check_fields(file: Path, manifest: Mapping[str, Any], fields: Mapping[str, Kind]) -> None:
    """Check that a manifest has fields, and of their kind.

    Parameters
    ----------
    file : pathlib.Path
        Where it is from.
    manifest : mapping
        As read.
    fields : mapping
        Name, with dots between the levels -> kind, a key of `judged_useless.runs.entries.WORDS`; outer ones
        first.

    Raises
    ------
    RunError
        If one is missing or not of its kind; the message names it.
    """
    for name, kind in fields.items():
        value: Any = manifest
        for part in name.split("."):
            if part not in value:
                raise RunError(f"{file}: {name} is missing, expected {WORDS[kind]}")
            value = value[part]
        if not is_kind(value, kind):
            raise RunError(f"{file}: {name} is {value!r}, expected {WORDS[kind]}")


def _check_plan(file: Path, manifest: Mapping[str, Any]) -> None:
    regimes, n_questions = manifest["spec"]["regimes"], manifest["spec"]["n_questions"]
    for regime in regimes:
        # A regime names a file, so only known ones are let through.
        try:
            get_regime(regime)
        except (ValueError, TypeError, AttributeError) as error:
            raise RunError(f"{file}: spec.regimes has {regime!r}, which is no regime") from error
    planned, expected = manifest["n_episodes"]["planned"], n_questions * len(regimes)
    if planned != expected or expected < 1 or len(set(regimes)) < len(regimes):
        raise RunError(
            f"{file}: n_episodes.planned is {planned}, expected {expected}: "
            f"{n_questions} questions in {len(regimes)} different regimes"
        )


def record_check(manifest: Mapping[str, Any], regime: str, questions: Collection[str] | None = None) -> Check:
    """Return a check of one trajectory: that it is whole, and of this cell.

    Parameters
    ----------
    manifest : mapping
        With ``spec`` and ``simulated``.
    regime : str
        Whose file it is in.
    questions : collection of str, optional
        Ids of the questions of the run; by default any.

    Returns
    -------
    callable
        Takes a place, such as file and line, and a record; raises `RunError` naming place and field.
    """
    spec = manifest["spec"]
    fixed = {
        "model": spec["model"]["name"],
        "condition": spec["condition"]["name"],
        "split": episode_split(spec["split"], spec.get("replicate")),
        "regime": regime,
        "task": spec["task"],
        "budget": spec["budget"],
        "simulated": manifest["simulated"],
    }
    return job_record_check(_FIELDS, fixed, questions)


def job_record_check(
    fields: Sequence[str], fixed: Mapping[str, Any], questions: Collection[str] | None
) -> Check:
    """Return a check of one record of a job: that it is whole, and of this job.

    Parameters
    ----------
    fields : sequence of str
        That it has to have, ``question_id`` among them.
    fixed : mapping
        Field -> what it has to be.
    questions : collection of str or None
        What ``question_id`` can be; None for any text.

    Returns
    -------
    callable
        Takes a place, such as file and line, and a record; raises `RunError` naming place and field.
    """

    def check(place: str, record: Mapping[str, Any]) -> None:
        for name in fields:
            if name not in record:
                raise RunError(f"{place}: {name} is missing")
        for name, expected in fixed.items():
            if record[name] != expected:
                raise RunError(
                    f"{place}: {name} is {record[name]!r}, expected {expected!r} as in the manifest"
                )
        question = record["question_id"]
        if not isinstance(question, str) or not question:
            raise RunError(f"{place}: question_id is {question!r}, expected a text")
        if questions is not None and question not in questions:
            raise RunError(f"{place}: question_id {question!r} is no question of this run")
        check_entries(place, record, fields)

    return check


def missing(path: Path, manifest: Mapping[str, Any], found: Mapping[str, Collection[str]]) -> str:
    """Return which files of a run hold fewer trajectories than planned, with both counts.

    Parameters
    ----------
    path : pathlib.Path
        The run directory.
    manifest : mapping
        As `load_manifest` gives it.
    found : mapping
        Regime -> ids of the questions that are there.

    Returns
    -------
    str
        Empty if all are there.

    Raises
    ------
    RunError
        If there are more than planned, or the regimes of a whole run are of different questions.
    """
    planned, regimes = manifest["spec"]["n_questions"], manifest["spec"]["regimes"]
    for regime in regimes:
        if len(found[regime]) > planned:
            raise RunError(f"{path / regime}.jsonl: {len(found[regime])} trajectories, expected {planned}")
    if lacking := [
        f"{path / regime}.jsonl: {len(found[regime])} of {planned} trajectories"
        for regime in regimes
        if len(found[regime]) < planned
    ]:
        return "; ".join(lacking)
    for regime in regimes:
        if foreign := set(found[regime]) - set(found[regimes[0]]):
            raise RunError(
                f"{path / regime}.jsonl: question_id {min(foreign)!r} is there, but not in {regimes[0]}.jsonl"
            )
    return ""
