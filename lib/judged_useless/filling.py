"""What would fill an empty cell: the command for each published number that a source does not give."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from judged_useless.measures import MEASURES, REGIME_SETS
from judged_useless.needed import Needed, needed
from judged_useless.recompute import measured
from judged_useless.regimes import MEAN3, MEAN4, MEAN6, NOT_REPLAYED
from judged_useless.released import released_cells
from judged_useless.tasks import get_task

_VERDICTS = "a count of verdicts; see the section on registered tests"
_SIMULATED = "a setting of the simulated policies, printed as it is"
#: Numbers that are no measurement: definitions, settings of the experiment, bounds and verdicts of tests.
NOT_MEASURED = {
    "definition": "a definition, printed as it is",
    "setting": "a setting of the experiment, printed as it is",
    "claim_map": "where the paper tests a claim, printed as it is",
    "threshold": "the bound of a registered decision rule, printed as it is",
    "outcome": "the verdict on a registered test; see the section on registered tests",
    "printed_outcome": "the verdict on a registered test; see the section on registered tests",
    "tests_passed": _VERDICTS,
    "tests_failed": _VERDICTS,
    "n_unstable": _VERDICTS,
    "answer_probability": _SIMULATED,
    "judgment_probability": _SIMULATED,
    "recall_step": "what a reader finds in the conversation of one episode",
}
#: Numbers of single cells that nothing here can give, by measure or by row.
_NOT_GIVEN = {
    "unparsed_rate": "the paper does not say of which runs",
    "contrasts-of-table-12-that-changed-significance": "a count of contrasts of Table 12",
    "rerun-with-identical-settings-minus-first-run": "a second run with the same seeds, which is the same "
    "cell here",
}
_ANNOTATION = "labels of annotators, which no command makes"
#: Measures on such labels; other measures are too where they are of development questions in no condition.
_ANNOTATED = (
    "kappa_s1", "kappa_s2", "kappa_s1_reference", "kappa_s2_reference", "kappa_s2_local",
    "kappa_binary_s1", "kappa_binary_s2", "kappa_binary_s1_reference", "kappa_binary_s2_reference",
    "kappa_binary_s2_local", "n_labeled", "n_disagreements", "n_changed", "precision", "recall",
    "balanced_accuracy", "n_errors", "useful_rate",
)  # fmt: skip
_SEVERAL = "a range or a count over several cells"
_SEVERAL_TESTS = "the lowest of several bounds; see the section on registered tests"
_REPLAY = "judged-useless replay RUN --probe"
_ANSWER_NOW = f"{_REPLAY} answer-now"
#: Policies that stop on the agent's own judgments need these in clean and plausible too.
_POLICIES = f"{_REPLAY} judgments answer-now"
_JUDGMENTS = f"{_REPLAY} judgments"
_BELIEFS = f"{_REPLAY} beliefs"
_REPAIR = f"{_REPLAY} repair"
_STATED = f"{_REPLAY} stated"
#: Measures that need a probe of recorded runs beside the episodes.
PROBES = {
    **dict.fromkeys(
        (
            "regret", "best_policy", "utility_of_best_policy", "success_of_own_5", "continue_success",
            "n_answering_better", "n_continuing_better", "answering_minus_continuing",
        ),
        _POLICIES,
    ),
    "answer_now_success": _ANSWER_NOW,
    "answer_now_success_repaired": _ANSWER_NOW,
    "success_repaired": _REPAIR,
    "paired_difference_repaired": _REPAIR,
    "n_repaired": _REPAIR,
    "n_repaired_correct": _REPAIR,
    "answered_where_report_favors": _BELIEFS,
    "delta_stated": _STATED,
    "answered_after_5_stated": _STATED,
    "share_explicit": _STATED,
    "n_all_useless": _STATED,
    "n_reference": _STATED,
    "agreement": _STATED,
    "kappa": _STATED,
}  # fmt: skip
#: Measures that need what a run's log holds beside the released fields, such as the page a search returned.
LOGGED = (*(name for name in MEASURES if name.startswith("useful_rate_")), "n_placeholders")
#: Kinds of what fills a cell, beside probes.
RELEASED = "released cells: make data, then make book SOURCE=hub"
RUN = "runs of cells that were not released: the commands stand below each table"
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
_NOT_RELEASED = ("answerless", "recover_after_4", "recover_after_5")
#: Released judgments of clean and plausible: only of conditions that asked for them during the run.
_JUDGED_THERE = ("decide", "enforced_rule", "combo")
_ON_JUDGMENTS = ("delta", "answered_after_5", "useless_rate")
#: Measures of rows without a regime -> the regimes that they read, where these are not the six of mean6.
_REGIMES_READ = {
    "n_placeholders": "mean6+plausible",
    "n_repaired": "mean6+plausible",
    "answered_where_report_favors": "persistent+plausible",
    **{name: "mean6+plausible" for name in MEASURES if name.startswith("useful_rate_")},
}


@lru_cache(maxsize=1)
def _released() -> frozenset[tuple[object, ...]]:
    cells = released_cells()[["model", "condition", "split"]]
    return frozenset(cells.itertuples(index=False, name=None))


def _is_released(key: tuple[object, ...]) -> bool:
    model, condition, task, split, budget = key
    return task == "hotpotqa" and budget == 8 and (model, condition, split) in _released()


def run_command(key: tuple[object, ...], regimes: Sequence[str] = MEAN6) -> str:
    """Return the command line that runs a cell.

    Parameters
    ----------
    key : tuple
        Model, condition, task, split, budget, as in :func:`judged_useless.recompute.cell_keys`.
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


def how_to_fill(record: Mapping[Any, Any]) -> str:
    """Return what kind of thing would fill an empty cell, or why nothing does.

    Parameters
    ----------
    record : mapping
        A row of :func:`judged_useless.recompute.recompute`.

    Returns
    -------
    str
        :data:`RELEASED` or :data:`RUN` where whole cells are needed, otherwise the probe's command or a
        reason; empty where nothing is missing.
    """
    if not pd.isna(record["recomputed"]) or record.get("recomputed_words"):
        return ""
    what = needed(record)
    if reason := why_not(record):
        return reason
    if what.measure in PROBES:
        return PROBES[what.measure]
    if _judged_afterwards(record, what):
        return _JUDGMENTS
    regime = str(record["regime"])
    released = all(_is_released(key) for key in what.keys) and regime not in _NOT_RELEASED
    given = measured(what) and what.measure not in LOGGED
    return RELEASED if released and given and not regime.startswith("ts_") else RUN


def why_not(record: Mapping[Any, Any]) -> str:
    """Return why no run fills a number.

    Parameters
    ----------
    record : mapping
        A row of published numbers.

    Returns
    -------
    str
        Empty for a number that runs, with their probes, can give.
    """
    what = needed(record)
    name = str(record["measure"])
    if name in NOT_MEASURED:
        return NOT_MEASURED[name]
    if record["task"] == "simulated":
        return "simulated policies, which need no episodes"
    for key in (str(record["row"]), name if record["model"] else ""):
        if key in _NOT_GIVEN:
            return _NOT_GIVEN[key]
    if name in _ANNOTATED or (record["split"] == "dev100" and not record["condition"]):
        return _ANNOTATION
    if name == "paired_difference" and not record["regime"] and not what.several_cells:
        return _SEVERAL_TESTS
    return _SEVERAL if what.several_cells else ""


def _judged_afterwards(record: Mapping[Any, Any], what: Needed) -> bool:
    """Return whether a number rests on judgments that neither the run nor the released replay asked for."""
    asked = str(what.keys[0][1]) in _JUDGED_THERE
    return what.measure in _ON_JUDGMENTS and record["regime"] in NOT_REPLAYED and not asked


def commands_to_fill(compared: pd.DataFrame, *, probed: bool = True) -> list[str]:
    """Return the commands that would run the cells behind the empty numbers, one a cell.

    Parameters
    ----------
    compared : pandas.DataFrame
        Rows of :func:`judged_useless.recompute.recompute`.
    probed : bool, default True
        Name the cells too of which a probe is needed, where these are not there.

    Returns
    -------
    list of str
        In order of first need; the regimes of a cell are joined. Cells of which only the answers to a probe
        are missing are not among them.
    """
    wanted: dict[tuple[object, ...], dict[str, None]] = {}
    for record in _empty(compared).to_dict("records"):
        kind = how_to_fill(record)
        lacking = kind.startswith(_REPLAY) and str(record["reason"]).startswith("needs the cell")
        if kind == RUN or (probed and lacking):
            what = needed(record)
            for key in what.keys:
                regimes = regimes_read(str(record["regime"]), what.measure, str(key[2]))
                wanted.setdefault(key, {}).update(dict.fromkeys(regimes))
    return [run_command(key, tuple(regimes)) for key, regimes in wanted.items()]


def regimes_read(regime: str, measure: str, task: str) -> Sequence[str]:
    """Return the regimes that a cell must have for a number.

    Parameters
    ----------
    regime : str
        The published row's; may be empty.
    measure : str
        Name in `judged_useless.measures`.
    task : str
        The cell's.

    Returns
    -------
    sequence of str
    """
    name = regime or _REGIMES_READ.get(measure, "mean6")
    if task == "fever" and name == "mean6+plausible":
        name = "mean6"
    return REGIME_SETS.get(name, (name,))


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
        Keys of `judged_useless.probes.PROBES`.
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
    hub = ["make data", "make book SOURCE=hub"] if any(map(_is_released, keys)) else []
    return hub + [run_command(key) for key in keys if not _is_released(key)]


def to_fill(compared: pd.DataFrame) -> dict[str, Any]:
    """Return what would fill the empty cells of a comparison: which model's, and how.

    Parameters
    ----------
    compared : pandas.DataFrame
        Rows of :func:`judged_useless.recompute.recompute`.

    Returns
    -------
    dict
        ``missing``, a note for below the table, and ``commands``, the lines to run: arguments of
        :func:`judged_useless.tables.comparison_table`.
    """
    empty = _empty(compared)
    kinds = pd.Series([how_to_fill(record) for record in empty.to_dict("records")], dtype="str")
    sentences, commands = [], commands_to_fill(compared, probed=False)
    for kind in dict.fromkeys(kinds):
        names = ", ".join(dict.fromkeys(empty["model"][(kinds == kind).to_numpy()])) or "several models"
        if kind == RELEASED:
            sentences.append(f"Released ({names}): `make data`, then `make book SOURCE=hub`.")
        elif kind == RUN:
            sentences.append(f"Not released ({names}): runs of your own, by the commands below.")
        elif kind.startswith(_REPLAY):
            probes = kind.removeprefix(_REPLAY).split()
            what = f"probe{'s' * (len(probes) > 1)} {' and '.join(probes)}"
            sentences.append(f"In no released episode ({names}): runs of your own and the {what}.")
            for model in dict.fromkeys(empty["model"][(kinds == kind).to_numpy()]):
                commands += probe_commands(model, probes)
        else:
            sentences.append(f"{names}: {kind}.")
    return {"missing": f"Empty cells. {' '.join(sentences)}" if sentences else "", "commands": commands}


def _empty(compared: pd.DataFrame) -> pd.DataFrame:
    printed = compared[["value", "low", "high", "k"]].notna().any(axis=1)
    return compared[printed & compared["recomputed"].isna()]


def filling(compared: pd.DataFrame) -> pd.DataFrame:
    """Return what would fill the empty cells, and how many numbers each kind would.

    Parameters
    ----------
    compared : pandas.DataFrame
        Rows of :func:`judged_useless.recompute.recompute`.

    Returns
    -------
    pandas.DataFrame
        Columns ``what would fill them`` and ``numbers``, most numbers first.
    """
    kinds = pd.Series([how_to_fill(record) for record in _empty(compared).to_dict("records")], dtype="str")
    counts = kinds.value_counts(sort=False).sort_values(ascending=False, kind="stable")
    return counts.rename_axis("what would fill them").rename("numbers").reset_index()
