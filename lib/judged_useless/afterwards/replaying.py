"""Probing a run: every trajectory is asked, beside the run and never in it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from judged_useless._io.files import sha256
from judged_useless._io.messages import first_fault
from judged_useless.afterwards.probe_findings import (
    FORMAT,
    OF_ANNOTATORS,
    fills_judgments,
    findings_check,
    probe_folder,
)
from judged_useless.afterwards.probes import Asking, applies, asked, get_probe
from judged_useless.models import get_model
from judged_useless.models.base import Decoding, Model
from judged_useless.models.scripted import KnowsQuestions
from judged_useless.protocol.prompts import get_probe_wording, get_wording
from judged_useless.runs.cell_spec import differences, lasting_description, questions_sha256, text_sha256
from judged_useless.runs.execution import carry_out
from judged_useless.runs.manifests import MANIFEST, read_manifest
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import Key, RecordCheck, RunError
from judged_useless.runs.trajectories import AnyRecord, call_record, record_check, timing_record
from judged_useless.tasks import get_task, load_questions
from judged_useless.tasks.question import Question


class _ProbeRecord(AnyRecord):
    regime: str
    model: str
    condition: str
    results: list[dict[str, Any]]


_RECORD = TypeAdapter(_ProbeRecord)


class _Probing:
    """The job of asking one thing of a run's trajectories."""

    def __init__(
        self, run: Run, probe: str, model: Model, questions: Sequence[Question], regimes: tuple[str, ...]
    ) -> None:
        self._run, self._probe = run, probe
        self._spec: dict[str, Any] = run.manifest["spec"]
        self.model, self.regimes = model, regimes
        self._questions = {question.id: question for question in questions}
        self._records = {
            (record["regime"], record["question_id"]): record
            for record in run.trajectories(counted=True)
            if record["regime"] in regimes and applies(probe, record)
        }
        order = {question.id: place for place, question in enumerate(questions)}
        self._keys = sorted(self._records, key=lambda key: (order[key[1]], regimes.index(key[0])))

    def record_keys(self) -> list[Key]:
        return self._keys

    def spec(self) -> dict[str, Any]:
        options, kind = self._spec["options"], get_task(self._spec["task"]).kind
        wordings = get_wording(options["style"], kind), get_probe_wording(options["style"], kind)
        prompts = get_probe(self._probe).prompts(*wordings)
        return {
            "format": FORMAT,
            "probe": self._probe,
            "run": self._run.manifest["run"],
            "trajectories_sha256": self._hashes,
            "model": lasting_description(self.model),
            "regimes": list(self.regimes),
            "style": options["style"],
            "constrain": options["constrain"],
            # Judgments that the agent's condition never had are filled in on reading; others are not touched.
            "fills_judgments": fills_judgments(self._spec),
            "prompts_sha256": {name: text_sha256(text) for name, text in prompts.items()},
        }

    @cached_property
    def _hashes(self) -> dict[str, str]:
        return {name: sha256(self._run.path / f"{name}.jsonl") for name in self.regimes}

    def run_id(self) -> str:
        return f"{self._run.manifest['run']}.{self._probe}"

    def another(self, different: str) -> str:
        return (
            f"holds what {self._probe} found before, and this is different: {different}. Ask it as before, "
            "or move or remove that folder to have everything asked anew"
        )

    def manifest(self, path: Path) -> dict[str, Any] | None:
        """Return a folder's manifest, with regimes added that were not asked yet; what there is stays."""
        manifest = read_manifest(path)
        if manifest is None:
            return None
        there, hashes = manifest["spec"]["regimes"], manifest["spec"].get("trajectories_sha256")
        further = [name for name in self.regimes if name not in there]
        if not further or not isinstance(hashes, dict) or any(name not in self.regimes for name in there):
            return manifest
        hashes = {**hashes, **{name: self._hashes[name] for name in further}}
        spec = {**manifest["spec"], "regimes": list(self.regimes), "trajectories_sha256": hashes}
        return {**manifest, "status": "incomplete", "spec": spec}

    def check(self, regime: str) -> RecordCheck:
        fixed = {"model": self._spec["model"]["name"], "condition": self._spec["condition"]["name"]}
        lengths = {key[1]: len(self._records[key]["failed"]) for key in self._keys if key[0] == regime}
        is_whole = record_check(_RECORD, fixed | {"regime": regime}, lengths)
        is_found = findings_check(self._probe, regime, lengths, self._spec["budget"])

        def check(place: str, record: Mapping[str, Any]) -> None:
            is_whole(place, record)
            is_found(place, record)

        return check

    async def produce(self, model: Model, key: Key) -> dict[str, Any]:
        record = self._records[key]
        asking = Asking(model, self._questions[key[1]], record, self._spec)
        results = await asked(self._probe, asking)
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
        A key of `judged_useless.afterwards.PROBES`.
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
        regime. `load_episodes` reads them with the run. Another model's are in
        ``<run>.probes/<probe>@<model>``; `judged_useless.afterwards.probe_results` reads them with
        ``model="…"``.

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
    run.require_complete()
    get_probe(probe)
    spec = run.manifest["spec"]
    chosen = _regimes(run, regimes)
    questions = load_questions(spec["task"], spec["split"], source=source)
    if questions_sha256(questions) != spec["data_sha256"]:
        raise RunError(f"{run.path}: {spec['task']} {spec['split']} is not what the run was made on")
    if model is not None and not isinstance(model, str) and model_options:
        raise ValueError(
            f"options {', '.join(model_options)} belong to a model's provider, and a model was given"
        )
    if model is None:
        agent = model_of_run(run, model_options)
    else:
        agent = get_model(model, **model_options) if isinstance(model, str) else model
    try:
        if isinstance(agent, KnowsQuestions):
            agent = agent.prepared(questions, spec["budget"])
        different = differences(spec["model"], json.loads(json.dumps(lasting_description(agent))))
        if different and not other_model:
            raise ValueError(
                f"{run.path}: the model that would be asked is not the one that acted: "
                f"{'; '.join(different)}. What another one says is not the agent's own; to ask it all the "
                "same, give --other-model (in Python other_model=True)"
            )
        another = probe not in OF_ANNOTATORS and bool(different)
        folder = probe_folder(run.path, probe, agent.name if another else None)
        limit = agent.max_concurrency if concurrency is None else concurrency
        # What was asked before stays, in the order of the run.
        before = (read_manifest(folder) or {"spec": {"regimes": []}})["spec"]["regimes"]
        wanted = tuple(name for name in spec["regimes"] if name in chosen or name in before)
        job = _Probing(run, probe, agent, questions, wanted)
        await carry_out(job, folder, concurrency=limit, progress=progress)
    finally:
        if model is None or isinstance(model, str):
            await agent.aclose()
    return folder


def _regimes(run: Run, given: Sequence[str] | None) -> Sequence[str]:
    there: list[str] = run.manifest["spec"]["regimes"]
    if given is None:
        return there
    if isinstance(given, str):
        raise ValueError(f"regimes is the text {given!r}, expected a sequence of names")
    if unknown := [name for name in given if name not in there]:
        raise ValueError(f"{run.path}: regime {unknown[0]!r} was not run; there are {', '.join(there)}")
    if not given:
        raise ValueError("regimes: empty, expected at least one")
    return given


def name_of_model(run: Run) -> str:
    """Return ``provider:name`` of the model of a run; RunError if its manifest does not say it."""
    with _named_fields(run):
        recorded = run.manifest["spec"]["model"]
        # The name of a scripted agent has its provider in it already.
        return f"{recorded['provider']}:{recorded['name'].removeprefix(recorded['provider'] + ':')}"


def model_of_run(run: Run, options: Mapping[str, Any]) -> Model:
    """Make the model of a run again, with its decoding.

    Parameters
    ----------
    run : Run
        Its manifest names the model.
    options : mapping
        Passed on to the provider; these win.

    Returns
    -------
    Model

    Raises
    ------
    RunError
        If the manifest does not say what the model was; the message names the field.
    """
    name, recorded = name_of_model(run), run.manifest["spec"]["model"]
    with _named_fields(run):
        if name.startswith("scripted:"):
            name, known = f"scripted:{recorded['policy']}", {"seed": recorded["seed"], **recorded["rates"]}
        else:
            decoding = Decoding(**recorded["decoding"])
            known = {"served_name": recorded["model"], **recorded.get("options", {})}
            if recorded["preset"] is None:
                known["decoding"] = decoding
            else:
                # By its parts, so that the model is described as the paper's again.
                known |= {"context": decoding.context, "seed": decoding.seed}
                known |= {"thinking": True} if decoding.thinking else {}
    return get_model(name, **{**known, **options})


@contextmanager
def _named_fields(run: Run) -> Iterator[None]:
    """Say of which file and field it is that a model cannot be made of."""
    try:
        yield
    except KeyError as error:
        raise RunError(f"{run.path / MANIFEST}: spec.model.{error.args[0]} is missing") from error
    except ValidationError as error:
        raise RunError(f"{run.path / MANIFEST}: spec.model.decoding: {first_fault(error)}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise RunError(f"{run.path / MANIFEST}: spec.model: {error}") from error
