"""The manifest of a folder, of a run or of what was asked of one afterwards, checked when it is read."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from pydantic import AfterValidator, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from judged_useless._io.messages import first_fault
from judged_useless._io.strict_json import read_object
from judged_useless.environment.regimes import get_regime
from judged_useless.runs.run_files import RunError, replace_file

MANIFEST = "manifest.json"
#: Appended to the name of a run's folder: where what was asked of it afterwards lies.
PROBES_SUFFIX = ".probes"
#: Of a run's files; raised when an older reader would misread a newer file.
FORMAT = 1


class _Model(TypedDict):
    name: str


class _Counts(TypedDict):
    planned: int
    done: int


class _JobSpec(TypedDict):
    model: _Model
    regimes: list[Any]


class JobManifest(TypedDict):
    """What is read of any manifest; further entries are allowed."""

    spec: _JobSpec
    status: Literal["running", "complete", "incomplete", "interrupted", "stopped"]
    simulated: bool
    n_episodes: _Counts
    tokens: dict[str, Any]
    timings: dict[str, Any]


def _known(name: str) -> str:
    try:
        get_regime(name)
    except ValueError as error:
        raise ValueError("the name of a regime") from error
    return name


class _Condition(TypedDict):
    name: str
    signal: str | None
    native_calls: bool


class _Options(TypedDict):
    style: str
    constrain: bool


class _RunSpec(TypedDict):
    format: Literal[1]
    model: _Model
    # A regime names a file, so only known ones are let through.
    regimes: list[Annotated[str, AfterValidator(_known)]]
    condition: _Condition
    options: _Options
    task: str
    split: str
    n_questions: int
    budget: int
    data_sha256: str
    replicate: NotRequired[str]


class RunManifest(TypedDict):
    """What is read of a run's manifest besides."""

    run: str
    spec: _RunSpec
    questions: list[str]


_JOB, _RUN = TypeAdapter(JobManifest), TypeAdapter(RunManifest)


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Replace the manifest of a folder in one step."""
    replace_file(path / MANIFEST, (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode())


def read_manifest(path: Path, *, of_run: bool = False) -> dict[str, Any] | None:
    """Return the manifest of a folder, or None; `RunError` names a field that is not what it has to be.

    With `of_run` it has to be a run's, and not what a probe or an annotator made.
    """
    file = path / MANIFEST
    try:
        manifest = read_object(file)
    except ValueError as error:
        raise RunError(
            f"{error}. Nothing else tells what the records there are of: restore it from a copy, or move the "
            "folder away and make it anew"
        ) from error
    if manifest is not None:
        _check(file, manifest, _JOB)
        if of_run:
            _refuse_afterwards(path, manifest["spec"])
            _check(file, manifest, _RUN)
            _check_plan(file, manifest)
    return manifest


def require_manifest(path: Path, *, of_run: bool = False) -> dict[str, Any]:
    """Return the manifest of a folder that has to have one; as `read_manifest` otherwise."""
    manifest = read_manifest(path, of_run=of_run)
    if manifest is not None:
        return manifest
    if path.name.endswith(PROBES_SUFFIX):
        run = path.with_name(path.name.removesuffix(PROBES_SUFFIX))
        raise RunError(f"{path}: the probe folder of {run}, not a run; give {run}")
    raise RunError(f"{path}: no manifest.json there, so it is no run directory")


def _check(file: Path, manifest: Mapping[str, Any], kind: TypeAdapter[Any]) -> None:
    try:
        kind.validate_python(manifest, strict=True)
    except ValidationError as error:
        raise RunError(f"{file}: {first_fault(error)}") from error


def probes_folder_around(path: Path) -> Path | None:
    """Return the folder of a run's probes that a path is or lies in."""
    whole = path.resolve()
    return next((each for each in (whole, *whole.parents) if each.name.endswith(PROBES_SUFFIX)), None)


def _refuse_afterwards(path: Path, spec: Mapping[str, Any]) -> None:
    """Refuse what a probe or an annotator has made, which lies beside runs and looks like one."""
    folder = probes_folder_around(path)
    give = f": {folder.with_name(folder.name.removesuffix(PROBES_SUFFIX))}" if folder else ""
    if "probe" in spec:
        raise RunError(
            f"{path}: what the probe {spec['probe']} found of a run, not a run; give the run{give}"
        )
    if "items_sha256" in spec:
        raise RunError(f"{path}: labels of an annotator, not a run; give the run{give}")


def _check_plan(file: Path, manifest: Mapping[str, Any]) -> None:
    regimes, n_questions = manifest["spec"]["regimes"], manifest["spec"]["n_questions"]
    planned, expected = manifest["n_episodes"]["planned"], n_questions * len(regimes)
    if planned != expected or expected < 1 or len(set(regimes)) < len(regimes):
        raise RunError(
            f"{file}: n_episodes.planned is {planned}, expected {expected}: "
            f"{n_questions} questions in {len(regimes)} different regimes"
        )
