"""Have two annotators label a run's results and stated judgments; a person settles where they differ."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judged_useless.cli.options import add_price_arguments

if TYPE_CHECKING:
    import pandas as pd

    from judged_useless.afterwards.items import Item
    from judged_useless.models.base import Model
    from judged_useless.runs.recorded import Run

SUMMARY = "have two models label what results were worth and what the agent said of them"
_EPILOG = """\
streams (paper, Appendix B.2; the rubric is data/rubric.md):
  S1  what each result is worth: useful_new, related, redundant, off_topic, unclear. The yardstick for what
      the agent says of its results; no measure of stopping is computed from it.
  S2  what the thought after each result says of it: says_useless, partly_useful, useful, no_judgment,
      unclear. In the place of the keyword reader's judgments it gives Δ of stated judgments (Table 23).

Annotators see one record at a time, without regime, expected answer and outcome. The first one named is the
primary: where the two differ and nobody rules, its label stands. Without a model, try it with
scripted:annotator-5 and scripted:annotator-10, which are wrong in 5 and 10 percent (labelled simulated).

Everything lies in the folder --out, by default RUN.probes/annotation beside the run: a folder for each
annotator in the form of a run, which the same command resumes; labels.csv; and the sheets of disagreements,
one a stream, which are never overwritten. Fill in the column 'adjudicated' and give them with --adjudicated.
Streams may be asked one after the other: what there is of the other one stays.
A cap of costs holds for each annotator.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``annotate``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("run", metavar="RUN", nargs="+", help="run directory; nothing is written into it")
    parser.add_argument(
        "--annotator",
        required=True,
        action="append",
        metavar="PROVIDER:NAME",
        help="to be given twice, best of two model families; the first is the primary",
    )
    parser.add_argument("--stream", choices=("S1", "S2", "both"), default="both", help="(%(default)s)")
    parser.add_argument(
        "--n",
        type=int,
        metavar="N",
        help="a sample of N records a stream, every regime with its share of failed and real results (all)",
    )
    parser.add_argument("--out", metavar="FOLDER", help="where results lie (RUN.probes/annotation)")
    parser.add_argument(
        "--sheet",
        metavar="FILE",
        help="CSV for the disagreements, with -S1 or -S2 put before its ending (disagreements.csv in --out)",
    )
    parser.add_argument(
        "--show-labels",
        action="store_true",
        help="show both annotators' labels on the sheet; without, the ruling is blind",
    )
    parser.add_argument(
        "--check",
        type=int,
        default=40,
        metavar="N",
        help="besides all disagreements that change a count, N of the others go on the sheet (%(default)s)",
    )
    parser.add_argument("--adjudicated", nargs="+", metavar="FILE", help="sheets that were filled in")
    parser.add_argument(
        "--base-url",
        action="append",
        default=[],
        metavar="[ANNOTATOR=]URL",
        help="server of both annotators, or of the one named before =; may be repeated",
    )
    parser.add_argument(
        "--greedy",
        action="append",
        default=[],
        metavar="ANNOTATOR",
        help="have this one decode at temperature 0, as the paper's local annotator did (as its preset says)",
    )
    parser.add_argument(
        "--constrain", action="store_true", help="hold replies to their form, for very small models"
    )
    parser.add_argument("--source", metavar="PATH", help="where the task is read from (scripted annotators)")
    parser.add_argument("--concurrency", type=int, metavar="N", help="requests in flight (by provider)")
    parser.add_argument("--quiet", dest="progress", action="store_false", help="no progress bar")
    add_price_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Annotate the runs and print what came of it.

    Returns
    -------
    int
        0 if every label is there, 1 if requests failed so that labels are missing.
    """
    from judged_useless.afterwards.items import key_table
    from judged_useless.cli.annotation_checks import check_options
    from judged_useless.cli.annotation_files import check_places, sheets_given
    from judged_useless.cli.annotation_report import report
    from judged_useless.models.base import ModelError

    check_options(arguments)
    runs = _runs(arguments.run)
    streams = ("S1", "S2") if arguments.stream == "both" else (arguments.stream,)
    items = _items(runs, streams, arguments.n)
    out = Path(arguments.out) if arguments.out else _beside(runs)
    check_places(arguments, out, streams)
    sheets = sheets_given(arguments, out, streams)
    try:
        labels = asyncio.run(_labels(arguments, runs, items, out))
    except ModelError as error:
        print(f"judged-useless annotate: {error}", file=sys.stderr)
        return 1
    report(arguments, runs, items, key_table(items), labels, out, sheets)
    return 0


def _runs(paths: Sequence[str]) -> "list[Run]":
    from judged_useless.runs.recorded import Run

    runs = [Run(path) for path in paths]
    for run in runs:
        if run.manifest["status"] != "complete":
            raise ValueError(
                f"{run.path}: the run is {run.manifest['status']}; finish it first, with the call that "
                "started it"
            )
    return runs


def _items(runs: "Sequence[Run]", streams: Sequence[str], n: int | None) -> "list[Item]":
    from judged_useless.afterwards.items import annotation_items, reference_sample

    found: dict[str, Item] = {}
    for run in runs:
        for item in annotation_items(run, streams):
            if item.id in found:
                raise ValueError(f"{run.path}: of the same cell as another run given; their records are one")
            found[item.id] = item
    items = sorted(found.values(), key=lambda item: (item.stream, item.id))
    if not items:
        what = "no result in it" if "S1" in streams else "no thought after a result in it"
        raise ValueError(f"{', '.join(str(run.path) for run in runs)}: {what}, so there is nothing to label")
    if n is None:
        return items
    parts = ([item for item in items if item.stream == stream] for stream in streams)
    return [item for part in parts if part for item in reference_sample(part, n)]


def _beside(runs: "Sequence[Run]") -> Path:
    from judged_useless.afterwards.beside import probe_folder

    if len(runs) > 1:
        raise ValueError(f"{len(runs)} runs are annotated together; give the folder for it with --out")
    return probe_folder(runs[0].path, "annotation")


async def _labels(
    arguments: argparse.Namespace, runs: "Sequence[Run]", items: "Sequence[Item]", out: Path
) -> "list[pd.Series[Any]]":
    """Return the labels of both annotators, asking each for what it has not labelled yet."""
    from judged_useless.afterwards.annotators import check_folder
    from judged_useless.cli.annotation_checks import check_two, make_annotator
    from judged_useless.cli.annotation_files import folder_name

    models: dict[str, Model] = {}
    try:
        # Both before either is asked: what is wrong with the second one must not cost the first one's labels.
        for name in arguments.annotator:
            models[name] = make_annotator(arguments, name, runs)
        check_two(models)
        for name, model in models.items():
            check_folder(items, model, out / folder_name(name), constrain=arguments.constrain)
        return [await _asked(arguments, name, model, items, out) for name, model in models.items()]
    finally:
        for model in models.values():
            await model.aclose()


async def _asked(
    arguments: argparse.Namespace, name: str, model: "Model", items: "Sequence[Item]", out: Path
) -> "pd.Series[Any]":
    from judged_useless.afterwards.annotators import annotate
    from judged_useless.cli.annotation_files import folder_name
    from judged_useless.runs.checking import require_manifest

    folder = out / folder_name(name)
    given = await annotate(
        items,
        model,
        folder,
        constrain=arguments.constrain,
        concurrency=arguments.concurrency,
        progress=arguments.progress,
    )
    # At once, since one that runs here needs the memory that the other one has.
    await model.aclose()
    calls = require_manifest(folder)["tokens"].get("calls", 0)
    none = int(given.isna().sum())
    simulated = ", simulated" if model.simulated else ""
    print(f"{folder}: {len(given)} records, {none} without a valid label, {calls} calls{simulated}")
    return given
