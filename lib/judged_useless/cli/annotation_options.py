"""The options of ``annotate``: which go together, what each annotator gets, and where files may lie."""

import argparse
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from judged_useless.cli.options import price_options, server_options
from judged_useless.models.base import Model
from judged_useless.models.presets import identify, load_presets


def _named(url: str) -> tuple[str | None, str]:
    """Return the annotator that a server is for, or None for both, and the server."""
    name, equals, rest = url.partition("=")
    # A URL may have an = of its own, behind its scheme.
    return (name, rest) if equals and "://" not in name else (None, url)


def is_scripted(annotator: str) -> bool:
    """Tell whether no language model is behind an annotator."""
    return annotator.startswith("scripted:")


def folder_name(annotator: str) -> str:
    """Return the name of an annotator's folder."""
    return re.sub(r"[^\w.+-]+", "-", annotator)


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
    models = [name for name in names if not is_scripted(name)]
    if unknown := [name for name in arguments.greedy if name not in models]:
        raise ValueError(f"--greedy {unknown[0]}: expected a model given with --annotator")
    if arguments.check < 0:
        raise ValueError(f"--check is {arguments.check}, expected 0 or more")
    for name, _ in map(_named, arguments.base_url):
        if name is not None and name not in models:
            raise ValueError(
                f"--base-url {name}=…: expected one of {', '.join(models) or 'no annotator'} before =; a "
                "scripted annotator has no server"
            )
    given = {
        "--base-url": bool(arguments.base_url),
        **{f"--{name.replace('_', '-')}": True for name in server_options(arguments)},
        "--prices": bool(arguments.prices),
        "--cost-cap-usd": arguments.cost_cap_usd is not None,
    }
    if not models and (unheeded := [option for option, used in given.items() if used]):
        raise ValueError(f"{unheeded[0]}: both annotators are scripted, so there is no server and no cost")


def options_of(arguments: argparse.Namespace, annotator: str) -> dict[str, Any]:
    """Return the provider's options of one annotator; none for a scripted one."""
    if is_scripted(annotator):
        return {}
    options = server_options(arguments) | price_options(arguments, annotator)
    if urls := [url for name, url in map(_named, arguments.base_url) if name in (None, annotator)]:
        options["base_url"] = urls
    if annotator in arguments.greedy:
        provider, _, name = annotator.partition(":")
        decoding = identify(name, provider).decoding
        options["decoding"] = replace(decoding, temperature=0.0, top_p=None, top_k=None)
    return options


def check_two(models: Mapping[str, Model]) -> None:
    """Refuse two annotators that are one model under two names, or whose labels would lie in one folder."""
    names = " and ".join(models)
    served = {
        name.casefold(): agent for agent, preset in load_presets().items() for name in preset.served.values()
    }
    # Hubs and servers take names in capitals as well.
    who = [served.get(model.name.casefold(), model.name.casefold()) for model in models.values()]
    if who[0] == who[1]:
        raise ValueError(f"--annotator {names} are one model, {who[0]}; agreement needs two that differ")
    folders = {folder_name(name).casefold() for name in models}
    if len(folders) == 1:
        raise ValueError(
            f"--annotator {names}: labels of both would lie in one folder, {folders.pop()}; give names that "
            "differ in letters or digits"
        )
