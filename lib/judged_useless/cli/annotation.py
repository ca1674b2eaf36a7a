"""What ``annotate`` does: checks before anybody is asked, both annotators, sheets, final labels and Δ."""

import argparse
import asyncio
import io
from collections.abc import Callable, Mapping
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
from judged_useless.afterwards.annotators import annotate, check_folder, read_labels
from judged_useless.afterwards.items import Item, annotation_items, key_table, reference_sample
from judged_useless.afterwards.label_effects import judged_accuracy, stated_contrasts
from judged_useless.afterwards.probe_findings import probe_folder, read_run
from judged_useless.afterwards.rubric import Ruling, load_rubric
from judged_useless.afterwards.sheet import SheetError, formula_free, read_sheet, streams_of, write_sheet
from judged_useless.cli.annotation_options import (
    check_options,
    check_two,
    folder_name,
    is_scripted,
    options_of,
)
from judged_useless.cli.options import print_error
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.models import get_model
from judged_useless.models.base import Model, ModelError
from judged_useless.models.scripted import KnowsQuestions, ScriptedModel
from judged_useless.runs.manifests import MANIFEST, read_manifest
from judged_useless.runs.recorded import Run
from judged_useless.tasks import load_questions

#: File of the final labels, in the folder of the results.
LABELS = "labels.csv"


def annotate_runs(arguments: argparse.Namespace) -> int:
    """Annotate the runs of a command line and print what came of it.

    Returns
    -------
    int
        0 if every label is there, 1 if requests failed so that labels are missing.
    """
    annotation = Annotation(arguments)
    try:
        first, second = asyncio.run(annotation.labels())
    except ModelError as error:
        print_error("annotate", error)
        return 1
    annotation.report(first, second)
    return 0


class Annotation:
    """One call of the command, with its options checked: nothing was sent or written yet.

    Raises
    ------
    ValueError
        With the option, file or run in the message.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        check_options(arguments)
        self.arguments = arguments
        self.runs = [Run(path) for path in arguments.run]
        for run in self.runs:
            run.require_complete()
        self.streams = ("S1", "S2") if arguments.stream == "both" else (arguments.stream,)
        self.items = self._items()
        if not arguments.out and len(self.runs) > 1:
            raise ValueError(
                f"{len(self.runs)} runs are annotated together; give the folder for it with --out"
            )
        self.out = Path(arguments.out) if arguments.out else probe_folder(self.runs[0].path, "annotation")
        self._check_places()
        self.sheets = self._sheets_given()

    def _items(self) -> list[Item]:
        found: dict[str, Item] = {}
        for run in self.runs:
            for item in annotation_items(run, self.streams):
                if item.id in found:
                    raise ValueError(
                        f"{run.path}: of the same cell as another run given; their records are one"
                    )
                found[item.id] = item
        items = sorted(found.values(), key=lambda item: (item.stream, item.id))
        if not items:
            what = "no result in it" if "S1" in self.streams else "no thought after a result in it"
            raise ValueError(f"{', '.join(self.arguments.run)}: {what}, so there is nothing to label")
        if self.arguments.n is None:
            return items
        parts = ([item for item in items if item.stream == stream] for stream in self.streams)
        return [item for part in parts if part for item in reference_sample(part, self.arguments.n)]

    def _sheet(self, stream: str) -> Path:
        given = self.arguments.sheet
        if given is None:
            return self.out / f"disagreements-{stream}.csv"
        path = Path(given)
        if path.name in ("", "..") or path.is_dir():
            raise ValueError(f"--sheet {given}: expected a file, such as disagreements.csv")
        return path.with_name(f"{path.stem}-{stream}{path.suffix}")

    def _check_places(self) -> None:
        """Refuse files in the folder of a run, into which nothing else is written, or in a folder's place."""
        files = [self.out / LABELS, *map(self._sheet, self.streams)]
        for file in files:
            for folder in file.resolve().parents:
                if (folder / MANIFEST).exists():
                    raise ValueError(
                        f"{file}: {folder} is the folder of a run or of what was asked of one, into which "
                        "nothing else is written; give another --out or --sheet"
                    )
            if file.is_dir():
                raise ValueError(f"{file}: a folder is in the way of a file; give another --out or --sheet")

    def _sheets_given(self) -> dict[str, Path]:
        """Return the adjudicated sheets by the stream that they have rows of."""
        found: dict[str, Path] = {}
        for path in map(Path, self.arguments.adjudicated or ()):
            if not path.is_file():
                written = ", ".join(str(self._sheet(stream)) for stream in self.streams)
                raise SheetError(
                    f"--adjudicated {path}: no such file; sheets of this annotation are {written}"
                )
            try:
                there = streams_of(path)
            except SheetError as error:
                raise SheetError(f"--adjudicated {error}") from error
            for stream in there:
                if stream not in self.streams:
                    raise SheetError(
                        f"--adjudicated {path}: rows of {stream}, of a stream that is not annotated here"
                    )
                if stream in found:
                    raise SheetError(
                        f"--adjudicated {path}: rows of {stream}, which {found[stream]} has too; give one"
                    )
                found[stream] = path
        return found

    def model(self, annotator: str) -> Model:
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
                models[name] = self.model(name)
            check_two(models)
            for name, model in models.items():
                check_folder(self.items, model, self.out / folder_name(name), constrain=constrain)
            return [await self._asked(self.out / folder_name(name), model) for name, model in models.items()]
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
        manifests = [read_manifest(folder / stream) or {"tokens": {}} for stream in self.streams]
        calls = sum(manifest["tokens"].get("calls", 0) for manifest in manifests)
        simulated = ", simulated" if model.simulated else ""
        none = int(given.isna().sum())
        print(f"{folder}: {len(given)} records, {none} without a valid label, {calls} calls{simulated}")
        return given

    def report(self, first: "pd.Series[Any]", second: "pd.Series[Any]") -> None:
        """Print agreement and disagreements, write or read the sheets, and say what final labels give."""
        simulated = " (SIMULATED annotators)" if any(map(is_scripted, self.arguments.annotator)) else ""
        key, rubric = key_table(self.items), load_rubric()
        final, by = {}, {}
        for stream in dict.fromkeys(key["stream"]):
            part = key[key["stream"] == stream]
            print(f"\n{stream}: {rubric.asks(stream)}{simulated}")
            _print(partial(annotator_agreement, part, first, second))
            found = disagreements(part, first, second)
            print(
                f"disagreements: {len(found)} of {len(part)}; {found['changes_count'].sum()} of them change "
                "a count of useless results in a row"
                + (", as far as the sample tells" if self.arguments.n else "")
            )
            rulings, by[stream] = self._rulings(stream, first, to_adjudicate(found, self.arguments.check))
            final[stream] = final_labels(part, first, second, rulings)
        self._write_labels(key, first, second, pd.concat(final.values()))
        self._print_effects(key, first, final, by)

    def _rulings(
        self, stream: str, first: "pd.Series[Any]", ruled: pd.DataFrame
    ) -> tuple[dict[str, Ruling], str]:
        """Read the sheet of a stream or write it; return what was ruled, and how to say that."""
        checked = ruled.index[~ruled["changes_count"].astype(bool)]
        if stream not in self.sheets:
            path = self._sheet(stream)
            if path.exists():
                print(f"{path}: is there already and left as it is")
            elif len(ruled):
                write_sheet(self.items, ruled, path, show_labels=self.arguments.show_labels)
                blind = "" if self.arguments.show_labels else ", without the annotators' labels"
                print(
                    f"{path}: {len(ruled) - len(checked)} that change a count and {len(checked)} of the "
                    f"others{blind}; fill in 'adjudicated' and give it with --adjudicated"
                )
            return {}, "not adjudicated"
        path = self.sheets[stream]
        try:
            rulings = read_sheet(self.items, ruled, path)
        except SheetError as error:
            raise SheetError(
                f"{error}. A sheet is read with the runs, the annotators, --n and --check it was written with"
            ) from error
        if not rulings:
            print(f"{path}: not adjudicated: no row is filled in")
            return {}, "not adjudicated"
        by = f"adjudicated: {len(rulings)} of {len(ruled)} on the sheet"
        print(f"{path}: {by}; elsewhere the primary's label stands")
        # Of a part of the sample that somebody chose, the share would say nothing of the rest.
        if len(checked) and all(name in rulings for name in checked):
            right = primary_accuracy(first, {name: rulings[name] for name in checked})
            print(f"{right}, of {len(checked)} drawn from those that change no count")
        return rulings, by

    def _write_labels(
        self, key: pd.DataFrame, first: "pd.Series[Any]", second: "pd.Series[Any]", final: pd.DataFrame
    ) -> None:
        """Write the final labels; those of a stream that is not annotated now stay."""
        table = key.assign(
            first=first.reindex(key.index), second=second.reindex(key.index), label=final["label"],
            by=final["by"],
        )  # fmt: skip
        # The names of a foreign run may be formulas to a spreadsheet program.
        rows = _as_text(table.to_csv(lineterminator="\n")).map(formula_free)
        kept = self._kept_labels(rows)
        whole = pd.concat([rows, kept]).sort_values(["stream", "id"], kind="stable")
        file = self.out / LABELS
        write_atomically(
            file, lambda target: whole.to_csv(target, index=False, encoding="utf-8", lineterminator="\n")
        )
        counts = ", ".join(f"{n} by {name}" for name, n in final["by"].value_counts().items())
        others = "".join(f"; {n} of {stream} stay" for stream, n in kept["stream"].value_counts().items())
        print(f"\n{file}: final labels, {counts}{others}")

    def _kept_labels(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a stream that is not annotated now, if these two gave their labels."""
        try:
            there = _as_text((self.out / LABELS).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return rows.iloc[:0]
        if list(there.columns) != list(rows.columns):
            return rows.iloc[:0]
        there = there[~there["stream"].isin(rows["stream"])]
        for column, name in zip(("first", "second"), self.arguments.annotator, strict=True):
            given = read_labels(self.out / folder_name(name)).fillna("")
            there = there[there["id"].map(given) == there[column]]
        return there

    def _print_effects(
        self,
        key: pd.DataFrame,
        first: "pd.Series[Any]",
        final: Mapping[str, pd.DataFrame],
        by: Mapping[str, str],
    ) -> None:
        if len(final) == 2:
            print(
                "\nwhat the agent says of its results (S2) against what they were worth (S1); "
                f"S1 {by['S1']}; S2 {by['S2']}"
            )
            _print(lambda: judged_accuracy(final["S1"]["label"], final["S2"]["label"], key))
        if "S2" not in final:
            print("\nno Δ: S1 says what results were worth, not what the agent says of them, which is S2")
        elif self.arguments.n is not None:
            print("\nno Δ: it needs the label of every thought, and these are a sample; leave --n out")
        else:
            print(f"\nΔ of stated judgments (S2), {by['S2']}")
            episodes = pd.concat([read_run(run.path) for run in self.runs], ignore_index=True)
            readings = {f"primary {self.arguments.annotator[0]}": first, "final labels": final["S2"]["label"]}
            _print(lambda: stated_contrasts(episodes, key[key["stream"] == "S2"], readings))


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
