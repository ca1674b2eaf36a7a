"""What ``annotate`` writes and prints once both annotators have labelled: agreement, sheets, final labels."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless.afterwards.beside import read_run
from judged_useless.afterwards.effects import judged_accuracy, stated_contrasts, to_adjudicate
from judged_useless.afterwards.items import Item
from judged_useless.afterwards.labels import Ruling, load_rubric
from judged_useless.afterwards.resolving import (
    annotator_agreement,
    disagreements,
    final_labels,
    primary_accuracy,
)
from judged_useless.afterwards.sheet import SheetError, read_sheet, write_sheet
from judged_useless.cli.annotation_files import LABELS, sheet_path, write_labels
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.runs.recorded import Run

Labels = Sequence["pd.Series[Any]"]
_SHOWN = ["value", "low", "high", "n"]


def report(
    arguments: argparse.Namespace,
    runs: Sequence[Run],
    items: Sequence[Item],
    key: pd.DataFrame,
    labels: Labels,
    out: Path,
    sheets: Mapping[str, Path],
) -> None:
    """Print agreement and disagreements, write or read the sheets, and say what final labels give.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of ``annotate``.
    runs : sequence of Run
        Annotated.
    items : sequence of Item
        Labelled.
    key : pandas.DataFrame
        As `key_table` returns it, of `items`.
    labels : sequence of two pandas.Series
        Of both annotators, the primary's first.
    out : pathlib.Path
        Where results lie.
    sheets : mapping of str to pathlib.Path
        Stream -> its adjudicated sheet.
    """
    first, second = labels
    simulated = any(name.startswith("scripted:") for name in arguments.annotator)
    final: dict[str, pd.DataFrame] = {}
    by: dict[str, str] = {}
    for stream in dict.fromkeys(key["stream"]):
        part = key[key["stream"] == stream]
        print(f"\n{stream}: {load_rubric().asks(stream)}" + (" (SIMULATED annotators)" if simulated else ""))
        _print(annotator_agreement, part, first, second)
        found = disagreements(part, first, second)
        print(
            f"disagreements: {len(found)} of {len(part)}; {found['changes_count'].sum()} of them change a "
            "count of useless results in a row" + (", as far as the sample tells" if arguments.n else "")
        )
        ruled = to_adjudicate(found, arguments.check)
        rulings = _rulings(items, ruled, sheets.get(stream))
        by[stream] = _adjudicated(ruled, rulings)
        if stream in sheets:
            rest = "; elsewhere the primary's label stands" if rulings else ": no row is filled in"
            print(f"{sheets[stream]}: {by[stream]}{rest}")
            _print_primary(first, ruled, rulings)
        elif len(ruled):
            _write(arguments, items, ruled, sheet_path(arguments, out, stream))
        final[stream] = final_labels(part, first, second, rulings)
    _write_labels(out, key, labels, pd.concat(final.values()), arguments.annotator)
    _print_effects(arguments, runs, key, first, final, by)


def _rulings(items: Sequence[Item], ruled: pd.DataFrame, path: Path | None) -> dict[str, Ruling]:
    if path is None:
        return {}
    try:
        return read_sheet(items, ruled, path)
    except SheetError as error:
        raise SheetError(
            f"{error}. A sheet is read with the runs, the annotators, --n and --check it was written with"
        ) from error


def _print(measure: Any, *given: Any, **options: Any) -> None:  # noqa: ANN401 - any measure and its arguments
    try:
        table = measure(*given, **options)
    except UndefinedEstimateError as error:
        print(error)
        return
    print(table[_SHOWN].round(3).to_string(na_rep="–"))
    for name, reason in table["reason"].items():
        if isinstance(reason, str) and reason:
            print(f"  {name}: {reason}")


def _write(arguments: argparse.Namespace, items: Sequence[Item], ruled: pd.DataFrame, path: Path) -> None:
    others = int((~ruled["changes_count"].astype(bool)).sum())
    if path.exists():
        print(f"{path}: is there already and left as it is")
        return
    write_sheet(items, ruled, path, show_labels=arguments.show_labels)
    blind = "" if arguments.show_labels else ", without the annotators' labels"
    print(
        f"{path}: {len(ruled) - others} that change a count and {others} of the others{blind}; "
        "fill in 'adjudicated' and give it with --adjudicated"
    )


def _adjudicated(ruled: pd.DataFrame, rulings: Mapping[str, Ruling]) -> str:
    return f"adjudicated: {len(rulings)} of {len(ruled)} on the sheet" if rulings else "not adjudicated"


def _print_primary(first: "pd.Series[Any]", ruled: pd.DataFrame, rulings: Mapping[str, Ruling]) -> None:
    sample = ruled.index[~ruled["changes_count"].astype(bool)]
    # Of a part of the sample that somebody chose, the share would say nothing of the rest.
    if len(sample) and all(name in rulings for name in sample):
        right = primary_accuracy(first, {name: rulings[name] for name in sample})
        print(f"{right}, of {len(sample)} drawn from those that change no count")


def _write_labels(
    out: Path, key: pd.DataFrame, labels: Labels, final: pd.DataFrame, annotators: Sequence[str]
) -> None:
    first, second = (each.reindex(key.index) for each in labels)
    table = key.assign(first=first, second=second, label=final["label"], by=final["by"])
    kept = write_labels(out, table, annotators)
    counts = ", ".join(f"{n} by {name}" for name, n in final["by"].value_counts().items())
    others = "".join(f"; {n} of {stream} stay" for stream, n in kept.items())
    print(f"\n{out / LABELS}: final labels, {counts}{others}")


def _print_effects(
    arguments: argparse.Namespace,
    runs: Sequence[Run],
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
        _print(judged_accuracy, final["S1"]["label"], final["S2"]["label"], key)
    if "S2" not in final:
        print("\nno Δ: S1 says what results were worth, not what the agent says of them, which is S2")
        return
    if arguments.n is not None:
        print("\nno Δ: it needs the label of every thought, and these are a sample; leave --n out")
        return
    print(f"\nΔ of stated judgments (S2), {by['S2']}")
    episodes = pd.concat([read_run(run.path) for run in runs], ignore_index=True)
    readings = {f"primary {arguments.annotator[0]}": first, "final labels": final["S2"]["label"]}
    _print(stated_contrasts, episodes, key[key["stream"] == "S2"], readings)
