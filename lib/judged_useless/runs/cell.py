"""Running a cell: all its episodes in flight, each on the disk as soon as it has ended."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from judged_useless._io.messages import shown
from judged_useless.agent.calls import Options
from judged_useless.agent.loop import Episode, run_episode
from judged_useless.environment.environment import Environment
from judged_useless.environment.failed_paragraphs import SALT, FailurePool, replicate_salt
from judged_useless.environment.knowledge import LookupMode
from judged_useless.environment.regimes import MEAN6, NOT_REPLAYED, get_regime
from judged_useless.models import get_model
from judged_useless.models.base import Model
from judged_useless.models.scripted import KnowsQuestions
from judged_useless.protocol.conditions import Condition, get_condition
from judged_useless.protocol.prompts import get_wording
from judged_useless.protocol.signals import JUDGMENT_TOKENS
from judged_useless.runs.cell_spec import lasting_description, questions_sha256, text_sha256
from judged_useless.runs.execution import IncompleteRunError, Job, carry_out
from judged_useless.runs.manifests import FORMAT, PROBES_SUFFIX, probes_folder_around
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import Key
from judged_useless.runs.trajectories import episode_split, record_of, trajectory_check
from judged_useless.tasks import get_task, load_questions
from judged_useless.tasks.question import Question

__all__ = ["IncompleteRunError", "run_cell"]

#: It becomes a part of a split's name, as in test300-run2: "02" would be another run of the same number.
_REPLICATE = re.compile(r"(?!0|1$|run)[A-Za-z0-9]{1,20}", re.IGNORECASE)


async def run_cell(
    *,
    model: str | Model,
    condition: str = "unaided",
    task: str = "hotpotqa",
    split: str | None = None,
    regimes: Sequence[str] = MEAN6,
    n_questions: int | None = None,
    budget: int = 8,
    k: int = 5,
    seed: int | None = None,
    out: str | Path | None = None,
    judge: bool = True,
    judgment_tokens: int = JUDGMENT_TOKENS,
    useless_rate: float | None = None,
    constrain: bool = False,
    style: str | None = None,
    lookup: LookupMode = "released",
    replicate: str | None = None,
    source: str | Path | None = None,
    concurrency: int | None = None,
    progress: bool = True,
    **model_options: Any,  # noqa: ANN401 - options belong to the provider
) -> Run:
    """Run one cell, or what is missing of it (paper §2; every argument is written into the manifest).

    Parameters
    ----------
    model : str or Model
        ``provider:name`` as for `judged_useless.models.get_model`, or a model; a model given is left open.
    condition : str, default "unaided"
        As for `get_condition`: a released name, or parts joined with ``+``.
    task, split : str
        As for `judged_useless.tasks.load_questions`; by default hotpotqa, and the task's own default split.
    regimes : sequence of str, default the six of mean6
        As for `judged_useless.environment.regimes.get_regime`.
    n_questions : int, optional
        Only the first so many; all by default.
    budget : int, default 8
        Actions of an episode, ``finish`` included.
    k : int, default 5
        Run of USELESS judgments at which a rule acts.
    seed : int, optional
        Base seed of sampling and of the random signal; by default the released runs' 42.
    out : path, optional
        The run directory; by default a folder under ``runs/`` named after the cell.
    judge : bool, default True
        Record the model's judgments also where the condition does not use them, on copies, as the paper's
        replay does (not in clean and plausible, which it left out). Δ needs them; they cost requests but no
        waiting.
    judgment_tokens : int, default 8
        Most new tokens of a judgment; more is a deviation, for models that think before they reply.
    useless_rate : float, optional
        For ``random``: the model's own share of USELESS on development questions.
    constrain : bool, default False
        Hold turns to their form while they are generated: a deviation, for very small models.
    style : {"react", "search-r1"}, optional
        How turns are written; by default search-r1 for that model, else react.
    lookup : {"released", "paper"}, default "released"
        Whether a repeated lookup returns the first match again or the next one.
    replicate : str, optional
        Tag of a replicate, such as "2": other failed observations are drawn (Amendment 10). Give another
        `seed` with it. Its episodes carry it in their split, such as ``test300-run2``.
    source : path, optional
        Where the task's loader reads from.
    concurrency : int, optional
        Requests in flight; by default what the model says is worth having.
    progress : bool, default True
        Show a progress bar.
    **model_options
        Passed on to the model's provider, such as ``base_url``.

    Returns
    -------
    Run
        The finished run. One that is finished already, with every trajectory there, is returned as it is.

    Raises
    ------
    IncompleteRunError
        If episodes are missing because requests failed; calling again runs just these.
    ModelError
        If the cost cap is reached, the very first request cannot succeed, or the server is gone; what has
        ended is kept, and calling again resumes.
    RunError
        If the directory holds another run or something that is not of this one, another process is writing
        there, or it cannot be written.
    ValueError
        If an argument is not what is described here.
    """
    _refuse(useless_rate, seed, replicate, out)
    names = _regimes(regimes)
    agent = _model(model, condition, seed, model_options)
    try:
        split = get_task(task).split if split is None else split
        questions = load_questions(task, split, source=source)
        n_questions = len(questions) if n_questions is None else n_questions
        if not 1 <= n_questions <= len(questions):
            raise ValueError(f"n_questions is {n_questions}; {task} {split} has {len(questions)} questions")
        if isinstance(agent, KnowsQuestions):
            agent = agent.prepared(questions, budget)
        told = get_condition(condition, model=agent.name)
        options = Options(
            k=k,
            style=style or ("search-r1" if agent.name == "search-r1" else "react"),
            judge=judge,
            judgment_tokens=judgment_tokens,
            useless_rate=useless_rate,
            seed=42 if seed is None else seed,
            constrain=constrain,
        )
        pool, salt = FailurePool(questions), SALT if replicate is None else replicate_salt(replicate)
        asked = {question.id: question for question in questions[:n_questions]}

        def parts(model: Model, key: Key) -> tuple[Model, Environment, Condition, Options]:
            world = Environment(asked[key[1]], key[0], pool, budget=budget, lookup=lookup, salt=salt)
            return model, world, told, replace(options, judge=judge and key[0] not in NOT_REPLAYED)

        async def produce(model: Model, key: Key) -> dict[str, Any]:
            episode = await run_episode(*parts(model, key))
            return record_of(episode, task=task, split=episode_split(split, replicate))

        for name in names:  # what does not fit together is refused before anything is written
            Episode(*parts(agent, (name, questions[0].id)))
        settled: dict[str, Any] = {"task": task, "split": split, "regimes": list(names), "budget": budget}
        settled |= {"n_questions": n_questions, "lookup": lookup, "salt": salt}
        settled |= {} if replicate is None else {"replicate": replicate}
        spec = _spec(agent, told, options, questions, settled)
        manifest = {"spec": spec, "simulated": agent.simulated}
        job = Job(
            model=agent,
            # Question by question, so that what is on the disk after a crash is comparable across regimes.
            keys=[(regime, question_id) for question_id in asked for regime in names],
            spec=spec,
            run_id=_run_id(spec),
            another="holds another run; give another out. Different: {different}",
            check=lambda regime: trajectory_check(manifest, regime, asked),
            produce=produce,
            of_run=True,
        )
        path = Path("runs") / job.run_id if out is None else Path(out)
        limit = agent.max_concurrency if concurrency is None else concurrency
        await carry_out(job, path, concurrency=limit, progress=progress)
        return Run(path)
    finally:
        if isinstance(model, str):
            await agent.aclose()


def _run_id(spec: Mapping[str, Any]) -> str:
    """Return a folder name: what a reader wants to know, and a hash of the rest."""
    named = (spec["model"]["name"], spec["condition"]["name"], spec["task"], spec["split"])
    words = (*named, f"b{spec['budget']}", f"k{spec['options']['k']}")
    slug = "__".join(re.sub(r"[^\w.+-]+", "-", word).strip("-") for word in words)
    return f"{slug}__{text_sha256(json.dumps(spec, sort_keys=True))[:8]}"


def _spec(
    model: Model,
    condition: Condition,
    options: Options,
    questions: Sequence[Question],
    settled: dict[str, Any],
) -> dict[str, Any]:
    """Return what decides every byte of the trajectories but the timings."""
    wording = vars(get_wording(options.style, questions[0].kind))
    prompts = {
        name: json.dumps(dict(value) if isinstance(value, Mapping) else value)
        for name, value in wording.items()
    }
    return {
        "format": FORMAT,
        "model": lasting_description(model),
        "condition": asdict(condition),
        "options": asdict(options),
        **settled,
        "data_sha256": questions_sha256(questions),
        "prompts_sha256": {name: text_sha256(text) for name, text in prompts.items()},
    }


def _refuse(
    useless_rate: float | None, seed: int | None, replicate: str | None, out: str | Path | None
) -> None:
    if useless_rate is not None and not 0 <= useless_rate <= 1:
        raise ValueError(f"useless_rate is {useless_rate}, expected a share between 0 and 1")
    if seed is not None and not -(2**63) <= seed < 2**63:
        raise ValueError(f"seed is {seed}, expected a whole number of 64 bits, as episodes keep it")
    if replicate is not None and not _REPLICATE.fullmatch(replicate):
        raise ValueError(
            f"replicate is {shown(replicate)}, expected up to 20 letters and digits, such as '2': no leading "
            "zero, not '1', which is the released draw, and not 'run...', which is put before it"
        )
    if out == "":
        raise ValueError("out is empty; give a folder, or leave it out for one under runs/")
    if out is not None and (beside := probes_folder_around(Path(out))) is not None:
        raise ValueError(
            f"out is {shown(str(out))}: in {beside.name} lies what probes find of the run "
            f"{beside.name.removesuffix(PROBES_SUFFIX)}, and no run there could be read; give another folder"
        )


def _model(model: str | Model, condition: str, seed: int | None, options: Mapping[str, Any]) -> Model:
    thinking = get_condition(condition).thinking
    if isinstance(model, str):
        settled = ({} if seed is None else {"seed": seed}) | ({"thinking": True} if thinking else {})
        return get_model(model, **options, **settled)
    if options:
        raise ValueError(f"options {', '.join(options)} belong to a model's provider, and a model was given")
    if thinking and not model.decoding.thinking:
        needs = "a model in thinking mode; make it with thinking=True"
        raise ValueError(f"condition {condition!r} needs {needs}")
    return model


def _regimes(regimes: Sequence[str]) -> tuple[str, ...]:
    if isinstance(regimes, str):
        raise ValueError(f"regimes is the text {regimes!r}, expected a sequence of names")
    names = tuple(get_regime(name).name for name in regimes)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"regimes are {list(regimes)}, expected at least one, each once")
    return names
