"""Probing a run: every trajectory is asked, beside the run and never in it."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from judged_useless._io.files import sha256
from judged_useless.afterwards.acting import model_of_run
from judged_useless.afterwards.probe_folders import fills_judgments, probe_folder
from judged_useless.afterwards.probe_records import FORMAT, OF_ANNOTATORS, record_fault
from judged_useless.afterwards.probes import Asking, get_probe
from judged_useless.agent.calls import all_of
from judged_useless.models import get_model
from judged_useless.models.base import Model
from judged_useless.models.scripted import KnowsQuestions
from judged_useless.protocol.prompts import get_probe_wording, get_wording
from judged_useless.runs.carrying_out import carry_out
from judged_useless.runs.checking import job_record_check, load_job_manifest
from judged_useless.runs.differing import differences
from judged_useless.runs.history import Record
from judged_useless.runs.recorded import Run
from judged_useless.runs.records import call_record, timing_record
from judged_useless.runs.spec import VOLATILE, questions_sha256, text_sha256
from judged_useless.runs.store import Check, Key, RunError
from judged_useless.tasks import get_task, load_questions
from judged_useless.tasks.question import Question

_FIELDS = ("question_id", "regime", "model", "condition", "results", "calls", "timings")


class _Probing:
    """The job of asking one thing of a run's trajectories."""

    def __init__(
        self, run: Run, probe: str, model: Model, questions: Sequence[Question], regimes: tuple[str, ...]
    ) -> None:
        self._run, self._name, self._probe = run, probe, get_probe(probe)
        self._spec: dict[str, Any] = run.manifest["spec"]
        self.model, self.regimes = model, regimes
        self._questions = {question.id: question for question in questions}
        self._records: dict[Key, Record] = {
            (record["regime"], record["question_id"]): record
            for record in run.trajectories(counted=True)
            if record["regime"] in regimes and self._probe.applies(record)
        }
        order = {question.id: place for place, question in enumerate(questions)}
        self._keys = sorted(self._records, key=lambda key: (order[key[1]], regimes.index(key[0])))

    def keys(self) -> list[Key]:
        return self._keys

    def spec(self) -> dict[str, Any]:
        described, options = self.model.describe(), self._spec["options"]
        return {
            "format": FORMAT,
            "probe": self._name,
            "run": self._run.manifest["run"],
            "trajectories_sha256": self._hashes,
            "model": {name: value for name, value in described.items() if name not in VOLATILE},
            "regimes": list(self.regimes),
            "style": options["style"],
            "constrain": options["constrain"],
            # Judgments that the agent's condition never had are filled in on reading; others are not touched.
            "fills_judgments": fills_judgments(self._spec),
            "prompts_sha256": self._prompts(),
        }

    def _prompts(self) -> dict[str, str]:
        style, kind = self._spec["options"]["style"], get_task(self._spec["task"]).kind
        texts = self._probe.prompts(get_wording(style, kind), get_probe_wording(style, kind))
        return {name: text_sha256(text) for name, text in texts.items()}

    @cached_property
    def _hashes(self) -> dict[str, str]:
        return {name: sha256(self._run.path / f"{name}.jsonl") for name in self.regimes}

    def run_id(self) -> str:
        return f"{self._run.manifest['run']}.{self._name}"

    def another(self, different: str) -> str:
        return (
            f"holds what {self._name} found before, and this is different: {different}. Ask it as before, or "
            "move or remove that folder to have everything asked anew"
        )

    def manifest(self, path: Path) -> dict[str, Any] | None:
        manifest = load_job_manifest(path)
        return manifest if manifest is None else self._extended(manifest)

    def _extended(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Add the regimes that have not been asked yet; what there is of the others stays."""
        there, asked = manifest["spec"]["regimes"], manifest["spec"].get("trajectories_sha256")
        further = [name for name in self.regimes if name not in there]
        if not further or not isinstance(asked, dict) or any(name not in self.regimes for name in there):
            return manifest
        hashes = {**asked, **{name: self._hashes[name] for name in further}}
        spec = {**manifest["spec"], "regimes": list(self.regimes), "trajectories_sha256": hashes}
        return {**manifest, "status": "incomplete", "spec": spec}

    def check(self, regime: str) -> Check:
        fixed = {
            "regime": regime,
            "model": self._spec["model"]["name"],
            "condition": self._spec["condition"]["name"],
        }
        lengths = {key[1]: len(self._records[key]["failed"]) for key in self._keys if key[0] == regime}
        is_whole = job_record_check(_FIELDS, fixed, lengths)

        def check(place: str, record: Mapping[str, Any]) -> None:
            is_whole(place, record)
            if fault := record_fault(record, self._name, regime, lengths, self._spec["budget"]):
                raise RunError(f"{place}: {fault}")

        return check

    async def produce(self, model: Model, key: Key) -> dict[str, Any]:
        record = self._records[key]
        asking = Asking(model, self._questions[key[1]], record, self._spec)
        results = await all_of([self._probe.ask(asking, t) for t in self._probe.points(asking)])
        calls = sorted(asking.calls, key=lambda call: (call.t, call.kind))
        return {
            "question_id": record["question_id"],
            "regime": record["regime"],
            "model": record["model"],
            "condition": record["condition"],
            "results": results,
            "calls": [call_record(call) for call in calls],
            "timings": [timing_record(call) for call in calls],
        }


async def replay(
    run: str | Path | Run,
    probe: str,
    *,
    model: str | Model | None = None,
    regimes: Sequence[str] | None = None,
    other_model: bool = False,
    source: str | Path | None = None,
    concurrency: int | None = None,
    progress: bool = True,
    **model_options: Any,  # noqa: ANN401 - options belong to the provider
) -> Path:
    """Ask one thing of a run's trajectories, or of those that have not been asked yet.

    Parameters
    ----------
    run : path or Run
        A complete run; nothing is written into it.
    probe : str
        As for `judged_useless.afterwards.get_probe`.
    model : str or Model, optional
        By default the run's, with the run's decoding. A model given is left open.
    regimes : sequence of str, optional
        By default the run's. The released episodes have no replayed judgments in clean and plausible; the
        offline policies of Appendix D.2 need them there. Regimes that were asked before stay, and what is
        missing of them is asked as well.
    other_model : bool, default False
        Allow another model or decoding than the run's. What it says is not the agent's own: it has a folder
        of its own, and is read only where the model is named. Labels of the probe ``stated`` are an
        annotator's in any case, and lie and are read like the rest.
    source : path, optional
        Where the task's loader reads from.
    concurrency : int, optional
        Requests in flight; by default what the model says is worth having.
    progress : bool, default True
        Show a progress bar.
    **model_options
        Passed on to the model's provider, such as ``base_url`` and ``cost_cap_usd``.

    Returns
    -------
    pathlib.Path
        The folder of the results, ``<run>.probes/<probe>``, in the form of a run: a manifest and one file a
        regime. `Run.episodes` and `load_episodes` read them with the run. Another model's are in
        ``<run>.probes/<probe>@<model>``; `judged_useless.afterwards.beside.probe_results` and the other
        functions there read them with ``model="…"``.

    Raises
    ------
    IncompleteRunError
        If trajectories are missing because requests failed; calling again asks just these.
    RunError
        If the run is not complete or has lost trajectories, the data are not those it was run on, or the
        folder is of another run or holds what is not of this one.
    ValueError
        If the probe is unknown, a regime was not run, or the model is not the run's.
    """
    run = run if isinstance(run, Run) else Run(run)
    spec = run.manifest["spec"]
    if run.manifest["status"] != "complete":
        raise RunError(
            f"{run.path}: the run is {run.manifest['status']}; finish it first, with the call that started it"
        )
    get_probe(probe)
    chosen = _regimes(run, regimes)
    questions = load_questions(spec["task"], spec["split"], source=source)
    if questions_sha256(questions) != spec["data_sha256"]:
        raise RunError(f"{run.path}: {spec['task']} {spec['split']} is not what the run was made on")
    agent = model_of_run(run, model_options) if model is None else _given(model, model_options)
    try:
        if isinstance(agent, KnowsQuestions):
            agent = agent.prepared(questions, spec["budget"])
        if not other_model:
            _refuse_another(run, agent)
        another = probe not in OF_ANNOTATORS and bool(_unlike_the_agent(run, agent))
        folder = probe_folder(run.path, probe, agent.name if another else None)
        limit = agent.max_concurrency if concurrency is None else concurrency
        job = _Probing(run, probe, agent, questions, _with_asked(folder, chosen, spec["regimes"]))
        await carry_out(job, folder, concurrency=limit, progress=progress)
    finally:
        if model is None or isinstance(model, str):
            await agent.aclose()
    return folder


def _regimes(run: Run, given: Sequence[str] | None) -> tuple[str, ...]:
    there: list[str] = run.manifest["spec"]["regimes"]
    if isinstance(given, str):
        raise ValueError(f"regimes is the text {given!r}, expected a sequence of names")
    wanted = there if given is None else given
    if absent := [name for name in wanted if name not in there]:
        raise ValueError(f"{run.path}: regime {absent[0]!r} was not run; there are {', '.join(there)}")
    if not wanted:
        raise ValueError("regimes: empty, expected at least one")
    return tuple(name for name in there if name in wanted)


def _with_asked(folder: Path, chosen: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the regimes of a folder once those that are chosen are there too, in the order of the run."""
    manifest = load_job_manifest(folder)
    asked = [] if manifest is None else manifest["spec"]["regimes"]
    return tuple(name for name in known if name in chosen or name in asked)


def _given(model: str | Model, options: Mapping[str, Any]) -> Model:
    if isinstance(model, str):
        return get_model(model, **options)
    if options:
        raise ValueError(f"options {', '.join(options)} belong to a model's provider, and a model was given")
    return model


def _unlike_the_agent(run: Run, model: Model) -> list[str]:
    """Return in what a model is not the one that acted in a run."""
    described = {name: value for name, value in model.describe().items() if name not in VOLATILE}
    return differences(run.manifest["spec"]["model"], json.loads(json.dumps(described)))


def _refuse_another(run: Run, model: Model) -> None:
    if different := _unlike_the_agent(run, model):
        raise ValueError(
            f"{run.path}: the model that would be asked is not the one that acted: {'; '.join(different)}. "
            "What another one says is not the agent's own; to ask it all the same, give --other-model "
            "(in Python other_model=True)"
        )
