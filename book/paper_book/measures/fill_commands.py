"""The command lines that run a cell, ask something of it afterwards, or fetch it."""

from collections.abc import Sequence
from functools import lru_cache

from judged_useless.environment.regimes import MEAN3, MEAN4, MEAN6
from judged_useless.sources.released import released_cells
from judged_useless.tasks import get_task

#: What the control with random judgments needs besides: no command can know the model's own rate.
_RATE = "  # add --useless-rate and the model's share of USELESS on dev100"
_PROVIDERS = {"claude": "anthropic"}
#: Conditions that the command line spells otherwise than the record of published numbers.
_SPELLED = {"unaided_thinking": "thinking", "budget_thinking": "budget+thinking"}
#: Base seed of the released runs; a replicate takes another one.
_SEED = 42
#: Models that the paper ran on the first questions of a split only.
_FIRST = {"claude-sonnet-5": "100"}
#: (model, condition) -> the regimes that the paper ran, where these are fewer than the six.
_FEWER = {
    ("qwen3-32b", arm): ("persistent", "late_onset_from_3", "recover_after_2", "clean")
    for arm in ("unaided_thinking", "budget_thinking")
}


@lru_cache(maxsize=1)
def _released() -> frozenset[tuple[object, ...]]:
    cells = released_cells()[["model", "condition", "split"]]
    return frozenset(cells.itertuples(index=False, name=None))


def is_released(key: tuple[object, ...]) -> bool:
    """Return whether a cell is among the released ones.

    Parameters
    ----------
    key : tuple
        Model, condition, task, split, budget.

    Returns
    -------
    bool
    """
    model, condition, task, split, budget = key
    return task == "hotpotqa" and budget == 8 and (model, condition, split) in _released()


def run_command(key: tuple[object, ...], regimes: Sequence[str] = MEAN6) -> str:
    """Return the command line that runs a cell.

    Parameters
    ----------
    key : tuple
        Model, condition, task, split, budget, as in :func:`paper_book.measures.recompute.cell_keys`.
    regimes : sequence of str
        Regimes that are needed; the six of mean6, or some of them, are the command's default. Where the
        paper ran fewer, only those are named.

    Returns
    -------
    str

    Examples
    --------
    >>> run_command(("qwen3-8b", "combo", "fever", "fever292", 8))
    'judged-useless run --model vllm:qwen3-8b --condition combo --task fever'
    """
    model, condition, task, split, budget = map(str, key)
    provider = "" if ":" in model else f"{_PROVIDERS.get(model.partition('-')[0], 'vllm')}:"
    whole, _, rest = split.partition("-")
    fewer = MEAN3 if budget == "16" else _FEWER.get((model, condition))
    default = fewer is None and set(regimes) <= set(MEAN6)
    replicate = rest.removeprefix("run") if rest.startswith("run") else ""
    first = rest.removeprefix("first") if rest.startswith("first") else _FIRST.get(model, "")
    options = {
        "model": f"{provider}{model}",
        "condition": _SPELLED.get(condition, condition),
        "task": "" if task == "hotpotqa" else task,
        "split": "" if whole == get_task(task).split else whole,
        "n-questions": first,
        "replicate": replicate,
        "seed": str(_SEED - 1 + int(replicate)) if replicate else "",
        "budget": "" if budget == "8" else budget,
        "regimes": "" if default else " ".join(fewer or regimes),
    }
    command = " ".join(
        ["judged-useless run", *(f"--{name} {value}" for name, value in options.items() if value)]
    )
    return command + (_RATE if condition == "random" else "")


def probe_commands(
    model: str,
    probes: Sequence[str],
    regimes: Sequence[str] = MEAN4,
    *,
    condition: str = "unaided",
    split: str = "test300",
    section: str = "",
) -> list[str]:
    """Return the commands that run a cell of HotpotQA and ask something of it afterwards.

    Parameters
    ----------
    model : str
        Name as released; with its provider in front, such as ``scripted:never``, it is taken as it is.
    probes : sequence of str
        Keys of `judged_useless.afterwards.PROBES`.
    regimes : sequence of str, default MEAN4
        Regimes of the run; the default ones are those of the paper's belief probe.
    condition, split : str
        Of the run.
    section : str, optional
        Page that is to be executed on it afterwards.

    Returns
    -------
    list of str
        The run, the probes of it, and the page.

    Examples
    --------
    >>> for command in probe_commands("qwen3-8b", ["beliefs"], ["persistent"]):
    ...     print(command)
    judged-useless run --model vllm:qwen3-8b --condition unaided --out runs/qwen3-8b-unaided
    judged-useless replay runs/qwen3-8b-unaided --probe beliefs
    """
    folder = f"runs/{model.rpartition(':')[2]}-{condition}"
    key = (model, condition, "hotpotqa", split, 8)
    shown = [f"make section NAME={section} SOURCE={folder} MODEL={model} SPLIT={split}"] if section else []
    return [
        f"{run_command(key, regimes)} --out {folder}",
        f"judged-useless replay {folder} --probe {' '.join(probes)}",
        *shown,
    ]


def cell_commands(model: str, conditions: Sequence[str], split: str = "test300") -> list[str]:
    """Return the commands that bring cells of HotpotQA: those of the release, or runs of one's own.

    Parameters
    ----------
    model : str
        As in :func:`probe_commands`.
    conditions : sequence of str
        The cells' conditions.
    split : str, default "test300"
        Their split.

    Returns
    -------
    list of str

    Examples
    --------
    >>> cell_commands("claude-haiku-4.5", ["enforced_rule"])
    ['judged-useless run --model anthropic:claude-haiku-4.5 --condition enforced_rule']
    >>> cell_commands("qwen3-32b", ["unaided", "enforced_rule"])
    ['make data', 'make book SOURCE=hub']
    """
    keys = [(model, condition, "hotpotqa", split, 8) for condition in conditions]
    hub = ["make data", "make book SOURCE=hub"] if any(map(is_released, keys)) else []
    return hub + [run_command(key) for key in keys if not is_released(key)]
