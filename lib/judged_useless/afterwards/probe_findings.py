"""What was asked of a run's episodes afterwards: of this very run, checked, and merged in on reading."""

import re
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from judged_useless._io.files import sha256
from judged_useless._io.messages import shown
from judged_useless.episodes.schema import LISTS, PROBE_FIELDS
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
    """Return a check of a probe's records of a regime: `lengths` has question id -> observations."""
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


def read_run(path: str | Path, *, allow_partial: bool = False, model: str | None = None) -> pd.DataFrame:
    """Return the episodes of a run directory, with what was asked of them afterwards.

    Parameters
    ----------
    path : str or pathlib.Path
        The directory.
    allow_partial : bool, default False
        As for `Run.episodes`: also what there is of a run that is not complete.
    model : str, optional
        Name of another model that was asked in the agent's place; by default what the agent itself said.

    Returns
    -------
    pandas.DataFrame
        One row an episode, as `Run.episodes` gives them. Judgments are filled in where the agent's condition
        read none of its own; those that it read stay. Further columns, where the run was probed so, each with
        a list of one entry an observation: ``answer_now`` and ``answer_now_repaired`` (whether an answer
        there would have been right), ``usefulness, p_continue, p_answer_now, prefer``; ``stated_label`` and,
        as judgments, ``stated_by_label``, to be put in the place of the keyword reader's ``stated``. An entry
        is None where nothing was asked or a reply did not parse. And ``repaired_answer`` and
        ``repaired_success``, which are the episode's own where nothing was repaired. ``success`` and
        ``answer`` are never changed.

    Raises
    ------
    RunError
        If it is no run directory, or not complete; if results are of another run or of the run as it was
        before, or a file is not what a probe writes: the message names the file, line and field.
    """
    run = Run(path)
    episodes = run.episodes(allow_partial=allow_partial)
    if not probe_folder(run.path, "").is_dir():
        return episodes
    keys = list(zip(episodes["question_id"], episodes["regime"], strict=True))
    lengths = {
        key: sum(action != "finish" for action in actions)
        for key, actions in zip(keys, episodes["actions"], strict=True)
    }
    hashes = trajectories_sha256(run)
    found = {probe: _found(run, probe, model, lengths, hashes) for probe in PROBE_FIELDS}
    columns: dict[str, list[Any]] = {}
    for probe, fields in {"judgments": {"judgments": "judgment"}, **LISTS}.items():
        if (findings := found[probe]) is not None:
            by_t = [{each["t"]: each for each in findings.get(key, ())} for key in keys]
            columns |= {
                column: [
                    [entries.get(t, {}).get(name) for t in range(1, lengths[key] + 1)]
                    for key, entries in zip(keys, by_t, strict=True)
                ]
                for column, name in fields.items()
            }
    replayed = columns.pop("judgments", None)
    if replayed is not None and fills_judgments(run.manifest["spec"]):
        columns["judgments"] = [
            [again if said is None else said for said, again in zip_longest(own, new)]
            for own, new in zip(episodes["judgments"], replayed, strict=True)
        ]
    if (repairs := found["repair"]) is not None:
        for name in ("answer", "success"):
            columns[f"repaired_{name}"] = [
                repairs[key][-1][f"repaired_{name}"] if key in repairs else own
                for key, own in zip(keys, episodes[name], strict=True)
            ]
    kinds = {"repaired_success": bool}
    return episodes.assign(
        **{
            name: pd.Series(values, index=episodes.index, dtype=kinds.get(name, object))
            for name, values in columns.items()
        }
    )


def trajectories_sha256(run: Run) -> dict[str, str]:
    """Return the hash of each regime's file: what is found afterwards is found of these."""
    files = {name: run.path / f"{name}.jsonl" for name in run.manifest["spec"]["regimes"]}
    return {name: sha256(file) for name, file in files.items() if file.is_file()}


def _found(
    run: Run, probe: str, model: str | None, lengths: Mapping[tuple[str, str], int], hashes: Mapping[str, str]
) -> Findings | None:
    """Return what a probe found of this very run, or None if the run was not probed so."""
    folder, of_run = probe_folder(run.path, probe, model), run.manifest["spec"]
    manifest = read_manifest(folder)
    if manifest is None:
        return None
    spec, file = manifest["spec"], folder / MANIFEST
    # A regime names a file, so only those of the run are let through.
    if strange := [name for name in spec["regimes"] if name not in of_run["regimes"]]:
        known = ", ".join(of_run["regimes"])
        raise RunError(f"{file}: spec.regimes has {shown(strange[0])}, expected those of the run: {known}")
    expected: dict[str, Any] = {
        "format": FORMAT,
        "probe": probe,
        "run": run.manifest["run"],
        "trajectories_sha256": {name: hashes[name] for name in spec["regimes"]},
        "fills_judgments": fills_judgments(of_run),
    }
    if model is not None:
        expected["model"] = {**spec["model"], "name": model}
    elif probe not in OF_ANNOTATORS:
        expected["model"] = of_run["model"]
    if different := differences({name: spec.get(name) for name in expected}, expected):
        raise RunError(
            f"{file}: {'; '.join(different)}: this was not found of {run.path} as it is now. Move or remove "
            "that folder to read the run without it, or to ask anew"
        )
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for regime in spec["regimes"]:
        there = {question_id: n for (question_id, name), n in lengths.items() if name == regime}
        check = findings_check(probe, regime, there, of_run)
        for record in read_records(folder / f"{regime}.jsonl", check):
            found[record["question_id"], regime] = record["results"]
    planned = manifest["n_episodes"]["planned"]
    if manifest["status"] == "complete" and len(found) != planned:
        raise RunError(
            f"{folder}: complete by its manifest, but there are {len(found)} of {planned} episodes; "
            f"ask again by the probe {probe} for what is missing"
        )
    return found
