"""Sweeps: a file of groups of cells, what they come to before anything runs, and how far they are.

`make plan` prints cells, episodes, calls, tokens and what they may take, `make status` what is done, and
`make sweep` runs them.
"""

import argparse
import itertools
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import pydantic
from judged_useless._io.yaml_files import read_yaml
from judged_useless.environment.regimes import MEAN6, NOT_REPLAYED, get_regime
from judged_useless.protocol.conditions import get_condition
from judged_useless.tasks import get_task, load_questions

#: GPU-hours that the paper reports for all its runs, development included (Appendix E).
PAPER_GPU_HOURS = 350
_Count = Annotated[int, pydantic.Field(ge=1)]


class _Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


class TokenPrice(_Strict):
    """USD per million tokens; null where nobody has stated one."""

    input: float | None = None
    output: float | None = None


class Endpoint(_Strict):
    """Where a model is served: provider, any number of servers, and further options of the command line."""

    provider: str
    urls: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    price: TokenPrice | None = None


class Group(_Strict):
    """Cells: the product of the lists."""

    models: tuple[str, ...]
    conditions: tuple[str, ...]
    splits: tuple[str | None, ...] = (None,)
    task: str = "hotpotqa"
    regimes: tuple[str, ...] = MEAN6
    budgets: tuple[_Count, ...] = (8,)
    replicates: tuple[str | None, ...] = (None,)
    n_questions: _Count | None = None
    options: tuple[str, ...] = ()
    #: Probe -> the regimes in which it is asked.
    probes: dict[str, tuple[str, ...]] = {}
    #: What tells cells apart that else have one name.
    name: str = ""


class Speed(_Strict):
    """Tokens a second of one replica, and the GPUs that it takes."""

    gpus: _Count
    prompt: float
    generated: float


class Assumptions(_Strict):
    """What a plan reckons with: mean actions of an episode, and tokens of what is said."""

    steps: float = 5.8
    steps_of_the_rule: float = 5.3
    instructions: int = 350
    observation: int = 130
    turn: int = 80
    thinking: int = 1200
    gpu: dict[str, Speed] = {}


@dataclass(frozen=True)
class PlannedCell:
    """One cell of a sweep: one run, and the probes that follow it."""

    group: Group
    endpoint: Endpoint
    url: str | None
    out: str
    model: str
    condition: str
    split: str
    budget: int
    replicate: str | None

    @property
    def name(self) -> str:
        """Folder of the run."""
        parts = [self.model, self.condition, self.split, f"b{self.budget}", self.group.name]
        return "__".join(filter(None, [*parts, self.replicate and f"run{self.replicate}"]))

    @property
    def n_questions(self) -> int:
        """Questions in each regime."""
        return self.group.n_questions or _split_size(self.group.task, self.split)

    def jobs(self) -> list[str]:
        """Return the marks that its jobs leave."""
        return [f"{self.name}.{job}" for job in ("run", *self.group.probes)]

    def command(self) -> str:
        """Return the command that runs or resumes it."""
        given: dict[str, object] = {
            "model": f"{self.endpoint.provider}:{self.model}", "condition": self.condition,
            "task": self.group.task, "split": self.split, "budget": self.budget,
            "n-questions": self.group.n_questions, "replicate": self.replicate,
            "seed": None if self.replicate is None else 42 + int(self.replicate),
            "out": f"{self.out}/{self.name}",
        }  # fmt: skip
        regimes = ["--quiet", "--regimes", *self.group.regimes]
        options = [
            text for name, value in given.items() if value is not None for text in (f"--{name}", str(value))
        ]
        return shlex.join(["judged-useless", "run", *options, *self._server(), *self.group.options, *regimes])

    def probe_command(self, probe: str) -> str:
        """Return the command that asks a probe of its run."""
        run = f"{self.out}/{self.name}"
        server = self._server() if self.endpoint.provider != "scripted" else []
        asked = ["judged-useless", "replay", run, "--probe", probe, *server, "--quiet"]
        return shlex.join([*asked, "--regimes", *self.group.probes[probe]])

    def _server(self) -> list[str]:
        return [*(["--base-url", self.url] if self.url else []), *self.endpoint.options]

    def needs(self, assumed: Assumptions) -> dict[str, float]:
        """Return episodes, calls, and tokens read and generated, as far as assumptions tell."""
        condition = get_condition(self.condition)
        stops = condition.stopper == "finish_only"
        # Who stops by the clock takes more steps where there are more; the rule does not wait for the budget.
        steps = assumed.steps_of_the_rule if stops else assumed.steps * self.budget / 8
        episodes = self.n_questions * len(self.group.regimes)
        judged = sum(regime not in NOT_REPLAYED for regime in self.group.regimes) * self.n_questions
        # A prompt at step t holds the instructions and t turns with their results.
        read = assumed.instructions + (steps - 1) / 2 * (assumed.observation + assumed.turn)
        turn = assumed.turn + (assumed.thinking if condition.thinking else 0)
        probed = sum(
            self.n_questions * len(regimes) * (steps - 1) * (2 if probe == "beliefs" else 1)
            for probe, regimes in self.group.probes.items()
        )
        judgments = judged * (steps - 1)
        weighing = episodes * (steps - 1) if condition.stopper == "weigh" else 0
        calls = episodes * steps + judgments + probed + weighing
        generated = (episodes * steps + probed) * turn + judgments * 4 + weighing * 80
        return {"episodes": episodes, "calls": calls, "prompt": calls * read, "generated": generated}


class Sweep(_Strict):
    """A sweep's file."""

    out: str
    endpoints: dict[str, Endpoint]
    groups: tuple[Group, ...]
    assumptions: Assumptions = Assumptions()
    #: Most minutes of a job, for a cluster's scheduler, and how often a failed one is tried again.
    minutes: _Count = 24 * 60
    retries: Annotated[int, pydantic.Field(ge=0)] = 1

    @classmethod
    def read(cls, path: str | Path) -> "Sweep":
        """Read and check a file.

        Raises
        ------
        ValueError
            If it is not a sweep; the message names file and field.
        """
        sweep: Sweep = read_yaml(path, cls)
        for number, group in enumerate(sweep.groups, 1):
            try:
                for regime in {*group.regimes, *itertools.chain(*group.probes.values())}:
                    get_regime(regime)
                for condition in group.conditions:
                    get_condition(condition)
                get_task(group.task)
            except ValueError as error:
                raise ValueError(f"{path}: groups.{number}: {error}") from None
            if unknown := [model for model in group.models if model not in sweep.endpoints]:
                raise ValueError(
                    f"{path}: groups.{number}.models: {unknown[0]!r} has no endpoint; there are "
                    f"{', '.join(sweep.endpoints)}"
                )
        return sweep

    def cells(self) -> list[PlannedCell]:
        """Return every cell once: regimes and probes of groups that name it again are joined."""
        cells: dict[str, PlannedCell] = {}
        for cell in self._named():
            if (known := cells.get(cell.name)) is not None:
                merged = known.group.model_copy(
                    update={
                        "regimes": tuple(dict.fromkeys((*known.group.regimes, *cell.group.regimes))),
                        "probes": known.group.probes | cell.group.probes,
                    }
                )
                cell = replace(known, group=merged)
            cells[cell.name] = cell
        return list(cells.values())

    def _named(self) -> Iterator[PlannedCell]:
        for group in self.groups:
            lists = (group.models, group.conditions, group.splits, group.budgets, group.replicates)
            for number, (model, condition, split, budget, replicate) in enumerate(itertools.product(*lists)):
                endpoint = self.endpoints[model]
                yield PlannedCell(
                    group=group, endpoint=endpoint, out=self.out, model=model, condition=condition,
                    url=endpoint.urls[number % len(endpoint.urls)] if endpoint.urls else None,
                    split=split or get_task(group.task).split, budget=budget, replicate=replicate,
                )  # fmt: skip


def _split_size(task: str, split: str) -> int:
    """Return the questions of a split: the paper's are known without their texts."""
    if task in ("hotpotqa", "fever"):
        return {"dev100": 100, "test300": 300, "fresh300": 300, "fever292": 292}[split]
    return len(load_questions(task, split))


def plan(sweep: Sweep) -> str:
    """Return what a sweep comes to, model by model, with what it was reckoned with."""
    rows: list[dict[str, Any]] = []
    for cell in sweep.cells():
        needed = cell.needs(sweep.assumptions)
        speed, price = sweep.assumptions.gpu.get(cell.model), cell.endpoint.price
        hours = usd = float("nan")
        if speed is not None:
            hours = (
                (needed["prompt"] / speed.prompt + needed["generated"] / speed.generated) * speed.gpus / 3600
            )
        if price is not None and price.input is not None and price.output is not None:
            usd = (needed["prompt"] * price.input + needed["generated"] * price.output) / 1e6
        rows.append({"model": cell.model, "cells": 1, **needed, "GPU-hours": hours, "USD": usd})
    table = pd.DataFrame(rows).groupby("model", sort=False).sum(min_count=1)
    table.loc["total"] = table.sum(min_count=1)
    shown = table.assign(
        **{name: table[name].map("{:,.0f}".format) for name in ("cells", "episodes", "calls")},
        **{name: (table[name] / 1e6).map("{:,.1f} M".format) for name in ("prompt", "generated")},
        **{
            name: table[name].map(lambda it: "–" if pd.isna(it) else f"{it:,.0f}")
            for name in ("GPU-hours", "USD")
        },
    )
    unpriced = [name for name, at in sweep.endpoints.items() if at.price and at.price.input is None]
    assumed = json.dumps(sweep.assumptions.model_dump(exclude={"gpu"}))
    lines = [
        shown.to_string(),
        f"\nAn estimate, not a measurement. Assumed: {assumed}",
        "(mean actions of an episode; tokens of instructions, observation, turn and thinking).",
        "Judgments are asked at every result but in clean and plausible. prompt counts every token sent:",
        "a server with a prefix cache computes a part of them only.",
    ]
    if table["GPU-hours"].notna().any():
        lines.append(
            "GPU-hours stand on speeds that the file assumes, round numbers and not fitted; the paper\n"
            f"reports about {PAPER_GPU_HOURS}, development included."
        )
    if unpriced:
        lines.append(
            f"No price is stated for {', '.join(unpriced)}: fill it in under endpoints, as of today."
        )
    return "\n".join(lines)


def status(sweep: Sweep) -> str:
    """Return how far each cell is, by its manifest, and which probes are done."""
    lines, done = list[str](), 0
    for cell in sweep.cells():
        path = Path(sweep.out, cell.name, "manifest.json")
        state = "not begun"
        if path.is_file():
            manifest = json.loads(path.read_text(encoding="utf-8"))
            count = manifest["n_episodes"]
            state = f"{manifest['status']}, {count['done']} of {count['planned']}"
        marks = [job for job in cell.jobs() if Path(sweep.out, ".done", job).exists()]
        done += len(marks) == len(cell.jobs())
        probes = [
            f"{probe} {'done' if f'{cell.name}.{probe}' in marks else 'missing'}"
            for probe in cell.group.probes
        ]
        lines.append("  ".join([cell.name, state, *probes]))
    return "\n".join([*lines, f"{done} of {len(lines)} cells are done"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("plan", "status", "commands"))
    parser.add_argument("sweep", type=Path)
    given = parser.parse_args(arguments)
    try:
        sweep = Sweep.read(given.sweep)
        if given.command == "commands":
            text = "\n".join(cell.command() for cell in sweep.cells())
        else:
            text = plan(sweep) if given.command == "plan" else status(sweep)
    except OSError as error:
        sys.stderr.write(f"{given.sweep}: {error.strerror}\n")
        return 1
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
