"""What lies beside a run, and whether it was found of this very run: nothing else is given out."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from judged_useless._io.files import sha256
from judged_useless._io.strict_json import shown
from judged_useless.afterwards.probe_records import FORMAT, OF_ANNOTATORS, record_fault
from judged_useless.episodes.schema import EpisodeError
from judged_useless.runs.checking import load_job_manifest, load_manifest, require_manifest
from judged_useless.runs.recorded import Run
from judged_useless.runs.spec import PROBES_SUFFIX
from judged_useless.runs.store import RunError, read_records

Results = Mapping[tuple[str, str], list[dict[str, Any]]]
#: Regime -> question id -> observations of its episode.
Lengths = Mapping[str, Mapping[str, int]]


def probe_folder(run: Path, probe: str, model: str | None = None) -> Path:
    """Return where the results of a probe of a run lie.

    Parameters
    ----------
    run : pathlib.Path
        The run's folder.
    probe : str
        Name of the probe.
    model : str, optional
        Name of a model that is not the run's, or not as the run had it; by default the agent itself.

    Returns
    -------
    pathlib.Path
        ``<run>.probes/<probe>``; for another model ``<run>.probes/<probe>@<model>``.
    """
    run = run.resolve()
    other = "" if model is None else "@" + re.sub(r"[^\w.+-]+", "-", model).strip("-")
    return run.with_name(run.name + PROBES_SUFFIX) / f"{probe}{other}"


def fills_judgments(spec: Mapping[str, Any]) -> bool:
    """Tell whether a run's condition read no judgments, so that replayed ones can be filled in.

    Parameters
    ----------
    spec : mapping
        Of the run, from its manifest.

    Returns
    -------
    bool
    """
    return spec["condition"]["signal"] in (None, "stated")


@contextmanager
def _as_episode_errors() -> Iterator[None]:
    try:
        yield
    except RunError as error:
        raise EpisodeError(str(error)) from error


class Beside:
    """What lies beside one run, given out only if it was found of this very run.

    Parameters
    ----------
    run : pathlib.Path
        The run's folder.
    model : str, optional
        As for `probe_folder`.
    lengths : mapping, optional
        Of episodes of the run that have been read; by default, and if they are not all of them, they are.
    """

    def __init__(self, run: Path, model: str | None = None, lengths: Lengths | None = None) -> None:
        self._path, self._model, self._given = run, model, lengths or {}
        self._hashes: dict[str, str] = {}

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The run's."""
        with _as_episode_errors():
            return require_manifest(self._path, load_manifest)

    @cached_property
    def _lengths(self) -> Lengths:
        given = self._given
        if sum(map(len, given.values())) == self.manifest["n_episodes"]["done"]:
            return given
        lengths: dict[str, dict[str, int]] = {}
        with _as_episode_errors():
            for record in Run(self._path).trajectories(counted=True):
                lengths.setdefault(record["regime"], {})[record["question_id"]] = len(record["failed"])
        return lengths

    def _hash(self, regime: str) -> str | None:
        file = self._path / f"{regime}.jsonl"
        if regime not in self._hashes and file.is_file():
            self._hashes[regime] = sha256(file)
        return self._hashes.get(regime)

    def results(self, probe: str) -> Results | None:
        """Return what a probe found, as `judged_useless.afterwards.beside.probe_results` has it."""
        folder = probe_folder(self._path, probe, self._model)
        with _as_episode_errors():
            manifest = load_job_manifest(folder)
        if manifest is None:
            if any(folder.glob("*.jsonl")):
                raise EpisodeError(f"{folder}: holds .jsonl files but no manifest.json that says of what")
            return None
        self._compare(folder, manifest["spec"], probe)
        found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for regime in manifest["spec"]["regimes"]:
            with _as_episode_errors():
                for record in read_records(folder / f"{regime}.jsonl", self._check(probe, regime)):
                    found[record["question_id"], regime] = record["results"]
        planned = manifest["n_episodes"]["planned"]
        if manifest["status"] == "complete" and len(found) != planned:
            raise EpisodeError(
                f"{folder}: complete by its manifest, but there are {len(found)} of {planned} episodes; "
                f"ask again by the probe {probe} for what is missing"
            )
        return found

    def _check(self, probe: str, regime: str) -> Callable[[str, Mapping[str, Any]], None]:
        lengths, budget = self._lengths.get(regime, {}), self.manifest["spec"]["budget"]

        def check(place: str, record: Mapping[str, Any]) -> None:
            if fault := record_fault(record, probe, regime, lengths, budget):
                raise EpisodeError(f"{place}: {fault}")

        return check

    def _compare(self, folder: Path, found: Mapping[str, Any], probe: str) -> None:
        """Refuse results that are not of this run as it is now; nothing is read before that."""
        file, run = folder / "manifest.json", self.manifest
        known = run["spec"]["regimes"]
        # A regime names a file, so only those of the run are let through.
        if strange := [name for name in found["regimes"] if name not in known]:
            raise EpisodeError(
                f"{file}: spec.regimes has {shown(strange[0])}, expected those of the run: {', '.join(known)}"
            )
        expected: dict[str, Any] = {
            "format": FORMAT,
            "probe": probe,
            "run": run["run"],
            "trajectories_sha256": {name: self._hash(name) for name in found["regimes"]},
            "fills_judgments": fills_judgments(run["spec"]),
        }
        if self._model is not None:
            expected["model"] = {**found["model"], "name": self._model}
        elif probe not in OF_ANNOTATORS:
            expected["model"] = run["spec"]["model"]
        for name, value in expected.items():
            if different := _difference(f"spec.{name}", found.get(name), value):
                raise EpisodeError(
                    f"{file}: {different}: this was not found of {self._path} as it is now. Move or remove "
                    "that folder to read the run without it, or to ask anew"
                )


def _difference(name: str, found: object, expected: object) -> str:
    """Return in what entry something differs from what was expected, or an empty text."""
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        parts = (
            _difference(f"{name}.{part}", found.get(part), expected.get(part))
            for part in dict.fromkeys((*expected, *found))
        )
        return next(filter(None, parts), "")
    # True is no 1 here, though 1.0 is.
    if found == expected and isinstance(found, bool) == isinstance(expected, bool):
        return ""
    return f"{name} is {shown(found)}, expected {shown(expected)}"
