"""What ``annotate`` makes sure of before it asks anything: its options, both models, where its files lie."""

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judged_useless.annotation import SheetError
from judged_useless.annotation.sheet import streams_of
from judged_useless.commands.options import price_options
from judged_useless.models import Decoding, Model, get_model
from judged_useless.models.presets import PRESETS, identify
from judged_useless.models.scripted import KnowsQuestions, ScriptedModel
from judged_useless.runs import Run
from judged_useless.runs.store import RunError, read_manifest
from judged_useless.tasks import load_questions

#: File of the final labels, in the folder of the results.
LABELS = "labels.csv"


def check_options(arguments: argparse.Namespace) -> None:
    """Refuse options that contradict each other or that nobody would heed.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of ``annotate``.

    Raises
    ------
    ValueError
        With the option in the message.
    """
    names = arguments.annotator
    if len(names) != 2:
        raise ValueError(
            f"--annotator is given {len(names)} times, expected twice; one annotator alone is "
            "judged-useless replay RUN --probe stated --model provider:name --other-model"
        )
    if names[0] == names[1]:
        raise ValueError(f"--annotator {names[0]} is given twice; agreement needs two that differ")
    if unknown := [name for name in arguments.greedy if name not in names or _is_scripted(name)]:
        raise ValueError(f"--greedy {unknown[0]}: expected a model given with --annotator")
    if arguments.check < 0:
        raise ValueError(f"--check is {arguments.check}, expected 0 or more")
    _check_unheeded(arguments)


def _check_unheeded(arguments: argparse.Namespace) -> None:
    models = [name for name in arguments.annotator if not _is_scripted(name)]
    for url in arguments.base_url:
        name, _ = _named(url)
        if name is not None and name not in models:
            raise ValueError(
                f"--base-url {name}=…: expected one of {', '.join(models) or 'no annotator'} before =; a "
                "scripted annotator has no server"
            )
    given = {
        "--base-url": bool(arguments.base_url),
        "--prices": bool(arguments.prices),
        "--cost-cap-usd": arguments.cost_cap_usd is not None,
    }
    if not models and (unheeded := [option for option, used in given.items() if used]):
        raise ValueError(f"{unheeded[0]}: both annotators are scripted, so there is no server and no cost")


def _named(url: str) -> tuple[str | None, str]:
    """Return the annotator that a server is for, or None for both, and the server."""
    name, equals, rest = url.partition("=")
    # A URL may have an = of its own, behind its scheme.
    return (name, rest) if equals and "://" not in name else (None, url)


def _is_scripted(annotator: str) -> bool:
    return annotator.startswith("scripted:")


def make_annotator(arguments: argparse.Namespace, annotator: str, runs: Sequence[Run]) -> Model:
    """Make the model of an annotator; nothing is sent.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of ``annotate``.
    annotator : str
        As given with ``--annotator``.
    runs : sequence of Run
        Whose questions a scripted annotator has to know.

    Returns
    -------
    Model

    Raises
    ------
    ValueError
        If there is no such model, or it is a scripted agent; the message has the option.
    """
    options = options_of(arguments, annotator)
    try:
        model = get_model(annotator, **options)
    except (ValueError, ImportError) as error:
        raise ValueError(f"--annotator {annotator}: {error}") from error
    if isinstance(model, ScriptedModel):
        raise ValueError(
            f"--annotator {annotator}: an agent, which labels no records; expected "
            "scripted:annotator-<percent> or a language model"
        )
    return _knowing(model, runs, arguments.source)


def options_of(arguments: argparse.Namespace, annotator: str) -> dict[str, Any]:
    """Return the provider's options of one annotator.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of ``annotate``.
    annotator : str
        As given with ``--annotator``.

    Returns
    -------
    dict
        None for a scripted annotator.
    """
    if _is_scripted(annotator):
        return {}
    urls = [url for name, url in map(_named, arguments.base_url) if name in (None, annotator)]
    options = price_options(arguments, annotator) | ({"base_url": urls} if urls else {})
    return options | ({"decoding": _greedy(annotator)} if annotator in arguments.greedy else {})


def _greedy(annotator: str) -> Decoding:
    provider, _, name = annotator.partition(":")
    return replace(identify(name, provider).decoding, temperature=0.0, top_p=None, top_k=None)


def _knowing(model: Model, runs: Sequence[Run], source: str | None) -> Model:
    if not isinstance(model, KnowsQuestions):
        return model
    places = dict.fromkeys((run.manifest["spec"]["task"], run.manifest["spec"]["split"]) for run in runs)
    questions = [each for task, split in places for each in load_questions(task, split, source=source)]
    return model.prepared(questions, runs[0].manifest["spec"]["budget"])


def check_two(models: Mapping[str, Model]) -> None:
    """Refuse two annotators that are one model under two names, or whose labels would lie in one folder.

    Parameters
    ----------
    models : mapping of str to Model
        As given with ``--annotator`` -> its model.

    Raises
    ------
    ValueError
        If they are; a hub's name and the paper's name are one model, and so is one on two servers.
    """
    names, who = list(models), [_identified(model) for model in models.values()]
    if len(set(who)) < len(who):
        raise ValueError(
            f"--annotator {' and '.join(names)} are one model, {models[names[0]].name}; agreement needs two "
            "that differ"
        )
    folders = [folder_name(name).casefold() for name in names]
    if len(set(folders)) < len(folders):
        raise ValueError(
            f"--annotator {' and '.join(names)}: labels of both would lie in one folder, {folders[0]}; give "
            "names that differ in letters or digits"
        )


def _identified(model: Model) -> str:
    served = {name.casefold(): preset.name for preset in PRESETS.values() for name in preset.served.values()}
    # Hubs and servers take names in capitals as well.
    name = model.name.casefold()
    return served.get(name, name)


def folder_name(annotator: str) -> str:
    """Return the name of an annotator's folder."""
    return re.sub(r"[^\w.+-]+", "-", annotator)


def sheet_path(arguments: argparse.Namespace, out: Path, stream: str) -> Path:
    """Return where the sheet of a stream belongs.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of ``annotate``.
    out : pathlib.Path
        Where results lie.
    stream : str
        S1 or S2.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    ValueError
        If ``--sheet`` names no file.
    """
    if arguments.sheet is None:
        return out / f"disagreements-{stream}.csv"
    path = Path(arguments.sheet)
    if path.name in ("", "..") or path.is_dir():
        raise ValueError(f"--sheet {arguments.sheet}: expected a file, such as disagreements.csv")
    return path.with_name(f"{path.stem}-{stream}{path.suffix}")


def check_places(arguments: argparse.Namespace, out: Path, streams: Sequence[str]) -> None:
    """Refuse places that cannot be written, and runs, into which nothing is written.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of ``annotate``.
    out : pathlib.Path
        Where results lie.
    streams : sequence of str
        That are annotated.

    Raises
    ------
    ValueError
        With option and place in the message.
    """
    option = "--out" if arguments.out else "without --out"
    for name in ("", *map(folder_name, arguments.annotator)):
        _check_folder(option, out / name)
    _refuse_run(option, out)
    sheets = [sheet_path(arguments, out, stream) for stream in streams]
    if arguments.sheet is not None:
        _check_folder("--sheet", sheets[0].parent)
        _refuse_run("--sheet", sheets[0].parent)
    for file in (out / LABELS, *sheets):
        if file.is_dir():
            raise ValueError(f"{file}: a folder is in the way of a file; move it, or give another --out")


def _check_folder(option: str, folder: Path) -> None:
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise ValueError(f"{option} {folder}: {there} is a file, expected a folder")


def _refuse_run(option: str, folder: Path) -> None:
    for place in (folder.resolve(), *folder.resolve().parents):
        if _has_a_job(place):
            lies = "is" if place == folder.resolve() else f"lies in {place},"
            raise ValueError(
                f"{option} {folder}: {lies} the folder of a run or of what was asked of one, into which "
                "nothing else is written; give another folder"
            )


def _has_a_job(folder: Path) -> bool:
    try:
        manifest = read_manifest(folder)
    except RunError:
        # Whose it was cannot be told any more; what lies beside it can.
        return any(folder.glob("*.jsonl"))
    return manifest is not None and "spec" in manifest


def sheets_given(arguments: argparse.Namespace, out: Path, streams: Sequence[str]) -> dict[str, Path]:
    """Return the adjudicated sheets by the stream that they have rows of.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of ``annotate``.
    out : pathlib.Path
        Where results lie.
    streams : sequence of str
        That are annotated.

    Returns
    -------
    dict of str to pathlib.Path

    Raises
    ------
    SheetError
        If one is missing, no file, without rows or of another stream, or two are of the same.
    """
    found: dict[str, Path] = {}
    for path in map(Path, arguments.adjudicated or ()):
        if not path.is_file():
            wanted = ", ".join(str(sheet_path(arguments, out, stream)) for stream in streams)
            what = "a folder" if path.is_dir() else "no such file"
            raise SheetError(
                f"--adjudicated {path}: {what}; sheets of this annotation are written to {wanted}"
            )
        try:
            there = streams_of(path)
        except SheetError as error:
            raise SheetError(f"--adjudicated {error}") from error
        for stream in there:
            if stream not in streams:
                raise SheetError(
                    f"--adjudicated {path}: rows of {stream}, of a stream that is not annotated here"
                )
            if stream in found:
                raise SheetError(
                    f"--adjudicated {path}: rows of {stream}, which {found[stream]} has too; give one of them"
                )
            found[stream] = path
    return found
