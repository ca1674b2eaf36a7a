"""What ``annotate`` makes sure of before it asks anything: its options, and both models."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from judged_useless.cli.annotation_files import folder_name
from judged_useless.cli.options import price_options
from judged_useless.models import get_model
from judged_useless.models.base import Decoding, Model
from judged_useless.models.presets import PRESETS, identify
from judged_useless.models.scripted import KnowsQuestions, ScriptedModel
from judged_useless.runs.recorded import Run
from judged_useless.tasks import load_questions


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
