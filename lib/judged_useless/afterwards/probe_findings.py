"""What was asked of a run's episodes afterwards: of this very run, checked, and merged in on reading."""

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from judged_useless._io.files import sha256
from judged_useless._io.messages import shown
from judged_useless.episodes.schema import LISTS, PROBE_FIELDS, EpisodeError
from judged_useless.runs.cell_spec import differences
from judged_useless.runs.manifests import MANIFEST, PROBES_SUFFIX, read_manifest
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import RecordCheck, RunError, read_records
from judged_useless.runs.trajectories import AnyRecord, record_check

#: Question id and regime -> what was found, one entry an observation that was asked about.
Findings = Mapping[tuple[str, str], list[dict[str, Any]]]
#: Of what probes write; raised when an older reader would misread a newer file.
FORMAT = 1
#: Probes that ask nothing of the agent but of an annotator, who may be any model.
OF_ANNOTATORS = ("stated",)


def _record_type(probe: str) -> TypeAdapter[Any]:
    finding = TypedDict("finding", {"t": int, **PROBE_FIELDS[probe]})  # type: ignore[misc]

    class ProbeRecord(AnyRecord):
        regime: str
        model: str
        condition: str
        results: list[finding]

    return TypeAdapter(ProbeRecord)


_RECORDS = {probe: _record_type(probe) for probe in PROBE_FIELDS}


def probe_folder(run: Path, probe: str, model: str | None = None) -> Path:
    """Return ``<run>.probes/<probe>``, where results of a probe lie; of another model ``…@<model>``."""
    run = run.resolve()
    other = "" if model is None else "@" + re.sub(r"[^\w.+-]+", "-", model).strip("-")
    return run.with_name(run.name + PROBES_SUFFIX) / f"{probe}{other}"


def fills_judgments(spec: Mapping[str, Any]) -> bool:
    """Tell whether a run's condition read no judgments, so that replayed ones can be filled in."""
    return spec["condition"]["signal"] in (None, "stated")


def asked_at(probe: str, n: int, budget: int) -> range:
    """Return the observations at which a probe asks, of an episode with n; ``stated`` only after thoughts."""
    if probe == "repair":
        # Of the finish turn: all observations come before it.
        return range(n, n + 1)
    # After the last action of the budget there is nothing to decide.
    return range(1, min(n, budget - 1 if probe in ("answer-now", "beliefs") else n) + 1)


def findings_check(
    probe: str, regime: str, lengths: Mapping[str, int], spec: Mapping[str, Any]
) -> RecordCheck:
    """Return a check of a probe's records of one regime.

    Parameters
    ----------
    probe, regime : str
        What was asked, and in which regime.
    lengths : mapping of str to int
        Question id -> observations of its episode.
    spec : mapping
        Of the run.
    """
    fixed = {"regime": regime, "model": spec["model"]["name"], "condition": spec["condition"]["name"]}
    is_whole = record_check(_RECORDS[probe], fixed, lengths)

    def check(place: str, record: Mapping[str, Any]) -> None:
        is_whole(place, record)
        asked = set(asked_at(probe, lengths[record["question_id"]], spec["budget"]))
        there = [result["t"] for result in record["results"]]
        # There is not a thought after every result.
        lost = set() if probe == "stated" else asked - set(there)
        if len(set(there)) < len(there) or not asked.issuperset(there) or lost:
            raise RunError(f"{place}: results: t is {shown(there)}, expected each of {sorted(asked)} once")

    return check


def probe_results(run: str | Path, probe: str, *, model: str | None = None) -> Findings | None:
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
    RunError
        If the results are of another run or of the run as it was before, or a file is not what a probe
        writes; the message names the file, and line and field where there are some.
    """
    return _Probed(Run(run), model).findings(probe)


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
    RunError
        As for `probe_results`.
    """
    keys = list(zip(episodes["question_id"], episodes["regime"], strict=True))
    lengths = [sum(action != "finish" for action in actions) for actions in episodes["actions"]]
    probed = _Probed(Run(run), model, dict(zip(keys, lengths, strict=True)))

    def spread(findings: Findings, name: str) -> list[list[Any]]:
        found = [{each["t"]: each[name] for each in findings.get(key, ())} for key in keys]
        return [[by_t.get(t) for t in range(1, n + 1)] for by_t, n in zip(found, lengths, strict=True)]

    columns: dict[str, list[Any]] = {}
    if fills_judgments(probed.spec) and (judgments := probed.findings("judgments")) is not None:
        columns["judgments"] = [
            [new if n >= len(own) or own[n] is None else own[n] for n, new in enumerate(replayed)]
            for own, replayed in zip(episodes["judgments"], spread(judgments, "judgment"), strict=True)
        ]
    for probe, fields in LISTS.items():
        if (findings := probed.findings(probe)) is not None:
            columns |= {column: spread(findings, name) for column, name in fields.items()}
    if (repairs := probed.findings("repair")) is not None:
        for name in ("answer", "success"):
            # A file in which no episode has an answer is read without that column.
            own = episodes[name] if name in episodes else [None] * len(episodes)
            columns[f"repaired_{name}"] = [
                repairs[key][-1][f"repaired_{name}"] if key in repairs else value
                for key, value in zip(keys, own, strict=True)
            ]
    kinds = {"repaired_success": bool}
    return episodes.assign(
        **{
            name: pd.Series(values, index=episodes.index, dtype=kinds.get(name, object))
            for name, values in columns.items()
        }
    )


def answer_now_branches(run: str | Path, *, repaired: bool = False, model: str | None = None) -> pd.DataFrame:
    """Return what a run's agent answered when it was told to, decision by decision.

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
        If the run was not probed so.
    RunError
        As for `probe_results`.
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


def read_run(path: str | Path, *, allow_partial: bool = False) -> pd.DataFrame:
    """Return the episodes of a run directory, with what was asked of them afterwards.

    Parameters
    ----------
    path : str or pathlib.Path
        The directory.
    allow_partial : bool, default False
        As for `Run.episodes`: also what there is of a run that is not complete.

    Returns
    -------
    pandas.DataFrame
        One row an episode, as `Run.episodes` gives them, and the columns of `merge_probes`.

    Raises
    ------
    RunError
        If it is no run directory, or not complete.
    """
    run = Run(path)
    return merge_probes(run.episodes(allow_partial=allow_partial), run.path)


class _Probed:
    """What lies beside one run, given out only if it was found of this very run."""

    def __init__(
        self, run: Run, model: str | None, lengths: Mapping[tuple[str, str], int] | None = None
    ) -> None:
        self._run, self._model, self._given = run, model, lengths or {}
        self.spec = run.manifest["spec"]

    @cached_property
    def _lengths(self) -> dict[str, dict[str, int]]:
        """Regime -> question id -> observations of its episode."""
        known = self._given
        if len(known) != self._run.manifest["n_episodes"]["done"]:
            records = self._run.trajectories()
            known = {(each["question_id"], each["regime"]): len(each["failed"]) for each in records}
        lengths: dict[str, dict[str, int]] = {regime: {} for regime in self.spec["regimes"]}
        for (question_id, regime), n in known.items():
            lengths[regime][question_id] = n
        return lengths

    @cached_property
    def _hashes(self) -> dict[str, str]:
        files = {regime: self._run.path / f"{regime}.jsonl" for regime in self.spec["regimes"]}
        return {regime: sha256(file) if file.is_file() else "no file" for regime, file in files.items()}

    def findings(self, probe: str) -> Findings | None:
        """Return what a probe found, or None if the run was not probed so."""
        folder = probe_folder(self._run.path, probe, self._model)
        manifest = read_manifest(folder)
        if manifest is None:
            if any(folder.glob("*.jsonl")):
                raise RunError(f"{folder}: holds .jsonl files but no manifest.json that says of what")
            return None
        self._compare(folder, manifest["spec"], probe)
        found = {
            (record["question_id"], regime): record["results"]
            for regime in manifest["spec"]["regimes"]
            for record in read_records(
                folder / f"{regime}.jsonl", findings_check(probe, regime, self._lengths[regime], self.spec)
            )
        }
        planned = manifest["n_episodes"]["planned"]
        if manifest["status"] == "complete" and len(found) != planned:
            raise RunError(
                f"{folder}: complete by its manifest, but there are {len(found)} of {planned} episodes; "
                f"ask again by the probe {probe} for what is missing"
            )
        return found

    def _compare(self, folder: Path, found: Mapping[str, Any], probe: str) -> None:
        """Refuse results that are not of this run as it is now; nothing is read before that."""
        file, known = folder / MANIFEST, self.spec["regimes"]
        # A regime names a file, so only those of the run are let through.
        if strange := [name for name in found["regimes"] if name not in known]:
            raise RunError(
                f"{file}: spec.regimes has {shown(strange[0])}, expected those of the run: {', '.join(known)}"
            )
        expected: dict[str, Any] = {
            "format": FORMAT,
            "probe": probe,
            "run": self._run.manifest["run"],
            "trajectories_sha256": {name: self._hashes[name] for name in found["regimes"]},
            "fills_judgments": fills_judgments(self.spec),
        }
        if self._model is not None:
            expected["model"] = {**found["model"], "name": self._model}
        elif probe not in OF_ANNOTATORS:
            expected["model"] = self.spec["model"]
        hashes = found.get("trajectories_sha256")
        hashes = hashes if isinstance(hashes, dict) else {}
        there = {name: found.get(name) for name in expected}
        there["trajectories_sha256"] = {name: hashes.get(name, "no hash") for name in found["regimes"]}
        if different := differences(there, expected):
            raise RunError(
                f"{file}: {'; '.join(different)}: this was not found of {self._run.path} as it is now. Move "
                "or remove that folder to read the run without it, or to ask anew"
            )
