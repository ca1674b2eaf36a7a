"""What ``annotate`` does: checks before anybody is asked, both annotators, sheets, final labels and Δ."""

import argparse
import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless._io.files import write_atomically
from judged_useless.afterwards.adjudication import (
    annotator_agreement,
    disagreements,
    final_labels,
    primary_accuracy,
    to_adjudicate,
)
from judged_useless.afterwards.annotators import annotate, check_folder
from judged_useless.afterwards.items import RECORD, annotation_items, reference_sample
from judged_useless.afterwards.label_effects import judged_accuracy, stated_contrasts
from judged_useless.afterwards.probe_findings import probe_folder, read_run
from judged_useless.afterwards.rubric import load_rubric
from judged_useless.afterwards.sheet import SheetError, formula_free, read_sheet, stream_of_sheet, write_sheet
from judged_useless.cli.options import model_options, print_error
from judged_useless.episodes.schema import missing
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.models import get_model
from judged_useless.models.base import Model, ModelError
from judged_useless.models.presets import identify
from judged_useless.models.scripted import KnowsQuestions
from judged_useless.runs.manifests import MANIFEST, require_manifest
from judged_useless.runs.recorded import Run
from judged_useless.tasks import load_questions


def annotate_runs(arguments: argparse.Namespace) -> int:
    """Annotate the runs of a command line; return 1 if requests failed so that labels are missing, else 0."""
    annotation = _Annotation(arguments)
    try:
        first, second = asyncio.run(annotation.labels())
    except ModelError as error:
        print_error("annotate", error)
        return 1
    annotation.report(first, second)
    return 0


def is_scripted(annotator: str) -> bool:
    """Tell whether no language model is behind an annotator."""
    return annotator.startswith("scripted:")


def _named(url: str) -> tuple[str | None, str]:
    """Return the annotator that a server is for, or None for both, and the server."""
    name, equals, rest = url.partition("=")
    # A URL may have an = of its own, behind its scheme.
    return (name, rest) if equals and "://" not in name else (None, url)


def check_options(arguments: argparse.Namespace) -> None:
    """Refuse options that contradict each other or that nobody would heed; ValueError with the option."""
    names = arguments.annotator
    if len(names) != 2:
        raise ValueError(
            f"--annotator is given {len(names)} times, expected twice; one annotator alone is "
            "judged-useless replay RUN --probe stated --model provider:name --other-model"
        )
    servers = [name for name, _ in map(_named, arguments.base_url) if name is not None]
    for option, given in (("--greedy", arguments.greedy), ("--base-url", servers)):
        if unknown := [name for name in given if name not in names or is_scripted(name)]:
            raise ValueError(f"{option} {unknown[0]}: expected a model given with --annotator")
    if arguments.check < 0:
        raise ValueError(f"--check is {arguments.check}, expected 0 or more")


def options_of(arguments: argparse.Namespace, annotator: str) -> dict[str, Any]:
    """Return the provider's options of one annotator; a scripted one has none, if the other can heed them."""
    if is_scripted(annotator) and not all(map(is_scripted, arguments.annotator)):
        return {}
    options = model_options(arguments, annotator)
    options.pop("base_url", None)
    if urls := [url for name, url in map(_named, arguments.base_url) if name in (None, annotator)]:
        options["base_url"] = urls
    if annotator in arguments.greedy:
        provider, _, name = annotator.partition(":")
        decoding = identify(name, provider).decoding
        options["decoding"] = replace(decoding, temperature=0.0, top_p=None, top_k=None)
    return options


class _Annotation:
    """One call of the command, with its options checked: nothing was sent or written yet."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        check_options(arguments)
        self.arguments = arguments
        self.runs = [Run(path) for path in arguments.run]
        self.streams = ("S1", "S2") if arguments.stream == "both" else (arguments.stream,)
        if not arguments.out and len(self.runs) > 1:
            raise ValueError(
                f"{len(self.runs)} runs are annotated together; give the folder for it with --out"
            )
        self.out = Path(arguments.out or probe_folder(self.runs[0].path, "annotation"))
        for folder in (self.out.resolve(), *self.out.resolve().parents):
            if (folder / MANIFEST).exists():
                raise ValueError(
                    f"--out {self.out}: {folder} is the folder of a run or of what was asked of one, into "
                    "which nothing else is written"
                )
        self.items = self._items()
        self.folders = {name: self.out / re.sub(r"[^\w.+-]+", "-", name) for name in arguments.annotator}
        self.ruled: dict[str, Path] = {}
        for path in map(Path, arguments.adjudicated or ()):
            stream = stream_of_sheet(path)
            if stream not in self.streams or stream in self.ruled:
                expected = f"one sheet of each stream annotated here, {' and '.join(self.streams)}"
                raise SheetError(f"--adjudicated {path}: rows of {stream}; expected {expected}")
            self.ruled[stream] = path

    def _items(self) -> pd.DataFrame:
        items = pd.concat([annotation_items(run, self.streams) for run in self.runs])
        paths = ", ".join(self.arguments.run)
        if not items.index.is_unique:
            raise ValueError(f"{paths}: one is of the same cell as another run given; their records are one")
        if items.empty:
            what = "no result in it" if "S1" in self.streams else "no thought after a result in it"
            raise ValueError(f"{paths}: {what}, so there is nothing to label")
        items = items.sort_values(["stream", "id"])
        if self.arguments.n is None:
            return items
        parts = [reference_sample(part, self.arguments.n) for _, part in items.groupby("stream")]
        return pd.concat(parts)

    def _model(self, annotator: str) -> Model:
        """Make the model of an annotator; nothing is sent."""
        try:
            model = get_model(annotator, **options_of(self.arguments, annotator))
        except (ValueError, ImportError) as error:
            raise ValueError(f"--annotator {annotator}: {error}") from error
        if not isinstance(model, KnowsQuestions):
            return model
        specs = [run.manifest["spec"] for run in self.runs]
        questions = [
            question
            for task, split in dict.fromkeys((spec["task"], spec["split"]) for spec in specs)
            for question in load_questions(task, split, source=self.arguments.source)
        ]
        return model.prepared(questions, specs[0]["budget"])

    async def labels(self) -> "list[pd.Series[Any]]":
        """Return the labels of both annotators, asking each for what it has not labelled yet."""
        constrain = self.arguments.constrain
        models: dict[str, Model] = {}
        try:
            # Both before either is asked: what is wrong with the second must not cost the first one's labels.
            for name in self.arguments.annotator:
                models[name] = self._model(name)
            if len({model.name.casefold() for model in models.values()}) == 1:
                both = " and ".join(self.arguments.annotator)
                raise ValueError(f"--annotator {both} are one model; agreement needs two that differ")
            for name, model in models.items():
                check_folder(self.items, model, self.folders[name], constrain=constrain)
            return [await self._asked(self.folders[name], model) for name, model in models.items()]
        finally:
            for model in models.values():
                await model.aclose()

    async def _asked(self, folder: Path, model: Model) -> "pd.Series[Any]":
        given = await annotate(
            self.items, model, folder, constrain=self.arguments.constrain,
            concurrency=self.arguments.concurrency, progress=self.arguments.progress,
        )  # fmt: skip
        # At once, since one that runs here needs the memory that the other one has.
        await model.aclose()
        tokens = [require_manifest(folder / name)["tokens"] for name in self.items["stream"].unique()]
        calls = sum(each.get("calls", 0) for each in tokens)
        simulated = ", simulated" if model.simulated else ""
        none = int(given.isna().sum())
        print(f"{folder}: {len(given)} records, {none} without a valid label, {calls} calls{simulated}")
        return given

    def report(self, first: "pd.Series[Any]", second: "pd.Series[Any]") -> None:
        """Print agreement and disagreements, write or read the sheets, and say what final labels give."""
        simulated = " (SIMULATED annotators)" if any(map(is_scripted, self.arguments.annotator)) else ""
        rubric, sample = load_rubric(), self.arguments.n is not None
        finals: dict[str, pd.Series[Any]] = {}
        by: dict[str, str] = {}
        for stream in self.items["stream"].unique().tolist():
            items = self.items[self.items["stream"] == stream]
            print(f"\n{stream}: {rubric.asks(stream)}{simulated}")
            _print(partial(annotator_agreement, items, first, second))
            found = disagreements(items, first, second)
            print(
                f"disagreements: {len(found)} of {len(items)}; {found['changes_count'].sum()} of them change "
                f"a count of useless results in a row{', as far as the sample tells' if sample else ''}"
            )
            chosen = to_adjudicate(found, self.arguments.check)
            rulings = self._rulings(stream, first, chosen)
            by[stream] = (
                f"adjudicated: {len(rulings)} of {len(chosen)} on the sheet" if rulings else "not adjudicated"
            )
            final = final_labels(items, first, second, rulings)
            finals[stream] = final["label"]
            table = items.drop(columns=[*RECORD]).assign(first=first, second=second, **final)
            self._write_labels(stream, table)
        if len(by) == 2:
            print(
                "\nwhat the agent says of its results (S2) against what they were worth (S1); "
                f"S1 {by['S1']}; S2 {by['S2']}"
            )
            _print(partial(judged_accuracy, self.items, pd.concat(finals.values())))
        if "S2" not in by:
            print("\nno Δ: S1 says what results were worth, not what the agent says of them, which is S2")
        elif sample:
            print("\nno Δ: it needs the label of every thought, and these are a sample; leave --n out")
        else:
            print(f"\nΔ of stated judgments (S2), {by['S2']}")
            episodes = pd.concat([read_run(run.path) for run in self.runs], ignore_index=True)
            primary = first[finals["S2"].index]
            readings = {f"primary {self.arguments.annotator[0]}": primary, "final labels": finals["S2"]}
            _print(partial(stated_contrasts, episodes, readings))

    def _rulings(self, stream: str, first: "pd.Series[Any]", ruled: pd.DataFrame) -> dict[str, str]:
        """Read the sheet of a stream, or write it."""
        checked = ruled.index[~ruled["changes_count"].astype(bool)]
        if stream not in self.ruled:
            path = self.out / f"disagreements-{stream}.csv"
            if path.exists():
                print(f"{path}: is there already and left as it is")
            elif len(ruled):
                write_sheet(self.items, ruled, path, show_labels=self.arguments.show_labels)
                blind = "" if self.arguments.show_labels else ", without the annotators' labels"
                print(
                    f"{path}: {len(ruled) - len(checked)} that change a count and {len(checked)} of the "
                    f"others{blind}; fill in 'adjudicated' and give it with --adjudicated"
                )
            return {}
        path = self.ruled[stream]
        try:
            rulings = read_sheet(self.items, ruled, path)
        except SheetError as error:
            raise SheetError(
                f"{error}. A sheet is read with the runs, the annotators, --n and --check it was written with"
            ) from error
        print(
            f"{path}: {len(rulings)} of {len(ruled)} rows adjudicated; elsewhere the primary's label stands"
        )
        # Of a part of the sample that somebody chose, the share would say nothing of the rest.
        if len(checked) and rulings.keys() >= set(checked):
            right = primary_accuracy(first, {name: rulings[name] for name in checked})
            print(f"{right}, of {len(checked)} drawn from those that change no count")
        return rulings

    def _write_labels(self, stream: str, table: pd.DataFrame) -> None:
        file = self.out / f"labels-{stream}.csv"
        # The names of a foreign run may be formulas to a spreadsheet program.
        rows = table.map(lambda value: "" if missing(value) else formula_free(str(value)))
        text = rows.to_csv(lineterminator="\n")
        write_atomically(file, lambda target: target.write_bytes(text.encode()))
        counts = ", ".join(f"{n} by {name}" for name, n in table["by"].value_counts().items())
        print(f"{file}: final labels, {counts}")


def _print(measure: Callable[[], pd.DataFrame]) -> None:
    try:
        table = measure()
    except UndefinedEstimateError as error:
        print(error)
        return
    print(table[["value", "low", "high", "n"]].round(3).to_string(na_rep="–"))
    for name, reason in table["reason"].items():
        if isinstance(reason, str) and reason:
            print(f"  {name}: {reason}")
