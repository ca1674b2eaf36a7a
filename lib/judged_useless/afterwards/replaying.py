"""Probing a run: every trajectory is asked, beside the run and never in it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from judged_useless._io.messages import first_fault, shown
from judged_useless.afterwards.probe_findings import (
    FORMAT,
    OF_ANNOTATORS,
    fills_judgments,
    findings_check,
    probe_folder,
    trajectories_sha256,
)
from judged_useless.afterwards.probes import Asking, applies, ask_all, get_probe
from judged_useless.models import get_model
from judged_useless.models.base import Decoding, Model
from judged_useless.models.scripted import KnowsQuestions
from judged_useless.protocol.prompts import get_wording
from judged_useless.runs.cell_spec import differences, lasting_description, questions_sha256, text_sha256
from judged_useless.runs.execution import Job, carry_out
from judged_useless.runs.manifests import MANIFEST, read_manifest
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import Key, RecordCheck, RunError
from judged_useless.runs.trajectories import call_record, timing_record
from judged_useless.tasks import get_task, load_questions
from judged_useless.tasks.question import Question


def _job(run: Run, probe: str, model: Model, questions: Sequence[Question], regimes: tuple[str, ...]) -> Job:
    """Return the job of asking one thing of a run's trajectories."""
    of_run: dict[str, Any] = run.manifest["spec"]
    by_id = {question.id: question for question in questions}
    records = {
        (record["regime"], record["question_id"]): record
        for record in run.trajectories()
        if record["regime"] in regimes and applies(probe, record)
    }
    options, kind = of_run["options"], get_task(of_run["task"]).kind
    prompts = get_probe(probe).prompts(get_wording(options["style"], kind))
    of_all = trajectories_sha256(run)
    hashes = {name: of_all[name] for name in regimes}

    def extended(manifest: dict[str, Any]) -> dict[str, Any]:
        """Add the regimes that were not asked yet; what there is of others stays."""
        there = manifest["spec"]
        if set(regimes) <= set(there["regimes"]):
            return manifest
        spec = {
            **there,
            "regimes": list(regimes),
            "trajectories_sha256": {**hashes, **there["trajectories_sha256"]},
        }
        return {**manifest, "status": "incomplete", "spec": spec}

    def check_of(regime: str) -> RecordCheck:
        lengths = {key[1]: len(record["failed"]) for key, record in records.items() if key[0] == regime}
        return findings_check(probe, regime, lengths, of_run)

    async def produce(model: Model, key: Key) -> dict[str, Any]:
        record = records[key]
        asking = Asking(model, by_id[key[1]], record, of_run)
        results = await ask_all(probe, asking)
        calls = sorted(asking.calls, key=lambda call: (call.t, call.kind))
        return {
            **{name: record[name] for name in ("question_id", "regime", "model", "condition")},
            "results": results,
            "calls": [call_record(call) for call in calls],
            "timings": [timing_record(call) for call in calls],
        }

    return Job(
        model=model,
        keys=[(name, each) for each in by_id for name in regimes if (name, each) in records],
        spec={
            "format": FORMAT,
            "probe": probe,
            "run": run.manifest["run"],
            "trajectories_sha256": hashes,
            "model": lasting_description(model),
            "regimes": list(regimes),
            "style": options["style"],
            "constrain": options["constrain"],
            # Judgments that the agent's condition never had are filled in on reading; others are not touched.
            "fills_judgments": fills_judgments(of_run),
            "prompts_sha256": {name: text_sha256(text) for name, text in prompts.items()},
        },
        run_id=f"{run.manifest['run']}.{probe}",
        another=f"holds what {probe} found before, and this is different: {{different}}. Ask it as before, "
        "or move or remove that folder to have everything asked anew",
        check=check_of,
        produce=produce,
        extended=extended,
    )


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
        A key of `judged_useless.afterwards.probes.PROBES`.
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
        ``<run>.probes/<probe>@<model>``, which `read_run` reads with ``model="…"``.

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
    there = spec["regimes"]
    if regimes is not None and (not regimes or not set(regimes) <= set(there)):
        raise ValueError(f"{run.path}: regimes is {shown(regimes)}, expected some of {', '.join(there)}")
    questions = load_questions(spec["task"], spec["split"], source=source)
    if questions_sha256(questions) != spec["data_sha256"]:
        raise RunError(f"{run.path}: {spec['task']} {spec['split']} is not what the run was made on")
    if model is None:
        agent = model_of_run(run, model_options)
    elif isinstance(model, str):
        agent = get_model(model, **model_options)
    elif model_options:
        raise ValueError(
            f"options {', '.join(model_options)} belong to a model's provider, and a model was given"
        )
    else:
        agent = model
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
        before = read_manifest(folder)
        # What was asked before stays, in the order of the run.
        wanted = [*(regimes or there), *(before["spec"]["regimes"] if before else ())]
        asked = tuple(name for name in there if name in wanted)
        job = _job(run, probe, agent, questions, asked)
        await carry_out(job, folder, concurrency=limit, progress=progress)
    finally:
        if model is None or isinstance(model, str):
            await agent.aclose()
    return folder


def name_of_model(run: Run) -> str:
    """Return ``provider:name`` of the model of a run."""
    model = run.manifest["spec"]["model"]
    # The name of a scripted agent has its provider in it already.
    return model["name"] if model["name"].startswith("scripted:") else f"{model['provider']}:{model['name']}"


def model_of_run(run: Run, options: Mapping[str, Any]) -> Model:
    """Make the model of a run again, with its decoding; options for its provider win.

    RunError if the manifest does not say what the model was; the message names the field.
    """
    recorded = run.manifest["spec"]["model"]
    try:
        name = name_of_model(run)
        if name.startswith("scripted:"):
            known = {"seed": recorded["seed"], **recorded["rates"]}
        else:
            decoding = TypeAdapter(Decoding).validate_python(recorded["decoding"])
            known = {"served_name": recorded["model"], **recorded.get("options", {})}
            # By its parts, so that the model is described as the paper's again.
            parts = {
                "context": decoding.context,
                "seed": decoding.seed,
                "thinking": decoding.thinking or None,
            }
            known |= {"decoding": decoding} if recorded["preset"] is None else parts
    except KeyError as error:
        raise RunError(f"{run.path / MANIFEST}: spec.model.{error.args[0]} is missing") from error
    except ValidationError as error:
        raise RunError(f"{run.path / MANIFEST}: spec.model.decoding.{first_fault(error)}") from error
    return get_model(name, **{**known, **options})
