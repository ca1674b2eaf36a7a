"""What ``annotate`` does: checks before anybody is asked, both annotators, sheets, final labels and Δ."""

import argparse
import asyncio
import io
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless import afterwards
from judged_useless._io.files import write_atomically
from judged_useless.afterwards.annotators import check_folder
from judged_useless.afterwards.items import Item
from judged_useless.afterwards.probe_findings import probe_folder
from judged_useless.afterwards.sheet import SheetError, formula_free, streams_of
from judged_useless.cli.options import price_options, print_error, server_options
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.models import get_model
from judged_useless.models.base import Model, ModelError
from judged_useless.models.presets import identify, load_presets
from judged_useless.models.scripted import KnowsQuestions, ScriptedModel
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
    if names[0] == names[1]:
        raise ValueError(f"--annotator {names[0]} is given twice; agreement needs two that differ")
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
    options = server_options(arguments) | price_options(arguments, annotator)
    if urls := [url for name, url in map(_named, arguments.base_url) if name in (None, annotator)]:
        options["base_url"] = urls
    if annotator in arguments.greedy:
        provider, _, name = annotator.partition(":")
        decoding = identify(name, provider).decoding
        options["decoding"] = replace(decoding, temperature=0.0, top_p=None, top_k=None)
    return options


def _identity(model: Model) -> str:
    """Return what a model is called whichever of its names was given; hubs take capitals as well."""
    name = model.name.casefold()
    presets = load_presets().items()
    return next(
        (agent for agent, preset in presets if name in map(str.casefold, preset.served.values())), name
    )


class _Annotation:
    """One call of the command, with its options checked: nothing was sent or written yet."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        check_options(arguments)
        self.arguments = arguments
        self.runs = [Run(path) for path in arguments.run]
        self.streams = ("S1", "S2") if arguments.stream == "both" else (arguments.stream,)
        self.items = self._items()
        if not arguments.out and len(self.runs) > 1:
            raise ValueError(
                f"{len(self.runs)} runs are annotated together; give the folder for it with --out"
            )
        self.out = Path(arguments.out) if arguments.out else probe_folder(self.runs[0].path, "annotation")
        self.folders = {name: self.out / re.sub(r"[^\w.+-]+", "-", name) for name in arguments.annotator}
        self.file = self.out / "labels.csv"
        self.sheets = {stream: self._sheet(stream) for stream in self.streams}
        for file in (self.file, *self.sheets.values()):
            _refuse_place(file)
        self.ruled = dict(self._ruled(map(Path, arguments.adjudicated or ())))

    def _items(self) -> list[Item]:
        items = [item for run in self.runs for item in afterwards.annotation_items(run, self.streams)]
        paths = ", ".join(self.arguments.run)
        if len({item.id for item in items}) < len(items):
            raise ValueError(f"{paths}: one is of the same cell as another run given; their records are one")
        if not items:
            what = "no result in it" if "S1" in self.streams else "no thought after a result in it"
            raise ValueError(f"{paths}: {what}, so there is nothing to label")
        items.sort(key=lambda item: (item.stream, item.id))
        if self.arguments.n is None:
            return items
        parts = ([item for item in items if item.stream == stream] for stream in self.streams)
        return [
            item for part in parts if part for item in afterwards.reference_sample(part, self.arguments.n)
        ]

    def _sheet(self, stream: str) -> Path:
        if self.arguments.sheet is None:
            return self.out / f"disagreements-{stream}.csv"
        path = Path(self.arguments.sheet)
        if path.name in ("", "..") or path.is_dir():
            raise ValueError(f"--sheet {self.arguments.sheet}: expected a file, such as disagreements.csv")
        return path.with_name(f"{path.stem}-{stream}{path.suffix}")

    def _ruled(self, paths: Iterable[Path]) -> Iterable[tuple[str, Path]]:
        """Yield the stream of each sheet that was filled in."""
        before = dict[str, Path]()
        for path in paths:
            if not path.is_file():
                written = ", ".join(map(str, self.sheets.values()))
                raise SheetError(
                    f"--adjudicated {path}: no such file; sheets of this annotation are {written}"
                )
            for stream in streams_of(path):
                if stream not in self.streams:
                    raise SheetError(
                        f"--adjudicated {path}: rows of {stream}, of a stream that is not annotated here"
                    )
                if stream in before:
                    raise SheetError(
                        f"--adjudicated {path}: rows of {stream}, which {before[stream]} has too; give one"
                    )
                before[stream] = path
                yield stream, path

    def _model(self, annotator: str) -> Model:
        """Make the model of an annotator; nothing is sent."""
        try:
            model = get_model(annotator, **options_of(self.arguments, annotator))
        except (ValueError, ImportError) as error:
            raise ValueError(f"--annotator {annotator}: {error}") from error
        if isinstance(model, ScriptedModel):
            raise ValueError(
                f"--annotator {annotator}: an agent, which labels no records; expected "
                "scripted:annotator-<percent> or a language model"
            )
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
            if len(who := {_identity(model) for model in models.values()}) == 1:
                both = " and ".join(models)
                raise ValueError(
                    f"--annotator {both} are one model, {who.pop()}; agreement needs two that differ"
                )
            for name, model in models.items():
                check_folder(self.items, model, self.folders[name], constrain=constrain)
            return [await self._asked(self.folders[name], model) for name, model in models.items()]
        finally:
            for model in models.values():
                await model.aclose()

    async def _asked(self, folder: Path, model: Model) -> "pd.Series[Any]":
        given: pd.Series[Any] = await afterwards.annotate(
            self.items, model, folder, constrain=self.arguments.constrain,
            concurrency=self.arguments.concurrency, progress=self.arguments.progress,
        )  # fmt: skip
        # At once, since one that runs here needs the memory that the other one has.
        await model.aclose()
        parts = {item.stream for item in self.items}
        calls = sum(require_manifest(folder / stream)["tokens"].get("calls", 0) for stream in parts)
        simulated = ", simulated" if model.simulated else ""
        none = int(given.isna().sum())
        print(f"{folder}: {len(given)} records, {none} without a valid label, {calls} calls{simulated}")
        return given

    def report(self, first: "pd.Series[Any]", second: "pd.Series[Any]") -> None:
        """Print agreement and disagreements, write or read the sheets, and say what final labels give."""
        simulated = " (SIMULATED annotators)" if any(map(is_scripted, self.arguments.annotator)) else ""
        key, rubric = afterwards.key_table(self.items), afterwards.load_rubric()
        parts, by = [], {}
        for stream in key["stream"].unique():
            part = key[key["stream"] == stream]
            print(f"\n{stream}: {rubric.asks(stream)}{simulated}")
            _print(partial(afterwards.annotator_agreement, part, first, second))
            found = afterwards.disagreements(part, first, second)
            print(
                f"disagreements: {len(found)} of {len(part)}; {found['changes_count'].sum()} of them change "
                "a count of useless results in a row"
                + (", as far as the sample tells" if self.arguments.n else "")
            )
            chosen = afterwards.to_adjudicate(found, self.arguments.check)
            rulings = self._rulings(stream, first, chosen)
            by[stream] = (
                f"adjudicated: {len(rulings)} of {len(chosen)} on the sheet" if rulings else "not adjudicated"
            )
            parts.append(afterwards.final_labels(part, first, second, rulings))
        final = pd.concat(parts)
        said = {"first": first.reindex(key.index), "second": second.reindex(key.index)}
        self._write_labels(key.assign(**said, label=final["label"], by=final["by"]))
        if len(by) == 2:
            print(
                "\nwhat the agent says of its results (S2) against what they were worth (S1); "
                f"S1 {by['S1']}; S2 {by['S2']}"
            )
            _print(partial(afterwards.judged_accuracy, final["label"], final["label"], key))
        if "S2" not in by:
            print("\nno Δ: S1 says what results were worth, not what the agent says of them, which is S2")
        elif self.arguments.n is not None:
            print("\nno Δ: it needs the label of every thought, and these are a sample; leave --n out")
        else:
            print(f"\nΔ of stated judgments (S2), {by['S2']}")
            episodes = pd.concat([afterwards.read_run(run.path) for run in self.runs], ignore_index=True)
            readings = {f"primary {self.arguments.annotator[0]}": first, "final labels": final["label"]}
            _print(partial(afterwards.stated_contrasts, episodes, key[key["stream"] == "S2"], readings))

    def _rulings(self, stream: str, first: "pd.Series[Any]", ruled: pd.DataFrame) -> dict[str, str]:
        """Read the sheet of a stream, or write it."""
        checked = ruled.index[~ruled["changes_count"].astype(bool)]
        if stream not in self.ruled:
            path = self.sheets[stream]
            if path.exists():
                print(f"{path}: is there already and left as it is")
            elif len(ruled):
                afterwards.write_sheet(self.items, ruled, path, show_labels=self.arguments.show_labels)
                blind = "" if self.arguments.show_labels else ", without the annotators' labels"
                print(
                    f"{path}: {len(ruled) - len(checked)} that change a count and {len(checked)} of the "
                    f"others{blind}; fill in 'adjudicated' and give it with --adjudicated"
                )
            return {}
        path = self.ruled[stream]
        try:
            rulings: dict[str, str] = afterwards.read_sheet(self.items, ruled, path)
        except SheetError as error:
            raise SheetError(
                f"{error}. A sheet is read with the runs, the annotators, --n and --check it was written with"
            ) from error
        if not rulings:
            print(f"{path}: not adjudicated: no row is filled in")
            return {}
        print(
            f"{path}: {len(rulings)} of {len(ruled)} rows adjudicated; elsewhere the primary's label stands"
        )
        # Of a part of the sample that somebody chose, the share would say nothing of the rest.
        if len(checked) and all(name in rulings for name in checked):
            right = afterwards.primary_accuracy(first, {name: rulings[name] for name in checked})
            print(f"{right}, of {len(checked)} drawn from those that change no count")
        return rulings

    def _write_labels(self, table: pd.DataFrame) -> None:
        """Write the final labels; those of a stream that is not annotated now stay."""
        # The names of a foreign run may be formulas to a spreadsheet program.
        rows = _as_text(table.to_csv(lineterminator="\n")).map(formula_free)
        kept = self._kept_labels(rows)
        whole = pd.concat([rows, kept]).sort_values(["stream", "id"], kind="stable")
        text = whole.to_csv(index=False, lineterminator="\n")
        write_atomically(self.file, lambda target: target.write_bytes(text.encode()))
        counts = ", ".join(f"{n} by {name}" for name, n in table["by"].value_counts().items())
        others = "".join(f"; {n} of {stream} stay" for stream, n in kept["stream"].value_counts().items())
        print(f"\n{self.file}: final labels, {counts}{others}")

    def _kept_labels(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a stream that is not annotated now, if these two gave their labels."""
        try:
            there = _as_text(self.file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return rows.iloc[:0]
        if list(there.columns) != list(rows.columns):
            return rows.iloc[:0]
        there = there[~there["stream"].isin(rows["stream"])]
        for column, folder in zip(("first", "second"), self.folders.values(), strict=True):
            there = there[there["id"].map(afterwards.read_labels(folder).fillna("")) == there[column]]
        return there


def _refuse_place(file: Path) -> None:
    """Refuse a file in the folder of a run, into which nothing else is written, or in a folder's place."""
    for folder in file.resolve().parents:
        if folder.is_file() or (folder / MANIFEST).exists():
            raise ValueError(
                f"{file}: {folder} is the folder of a run or of what was asked of one, into which nothing "
                "else is written, or a file; give another --out or --sheet"
            )
    if file.is_dir():
        raise ValueError(f"{file}: a folder is in the way of a file; give another --out or --sheet")


def _as_text(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


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
