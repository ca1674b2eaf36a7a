"""What would fill an empty cell: the command for each published number that a source does not give."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from judged_useless.environment.regimes import NOT_REPLAYED

from paper_book.measures import MEASURES
from paper_book.measures.definitions import REGIME_SETS
from paper_book.measures.fill_commands import cell_commands as cell_commands
from paper_book.measures.fill_commands import is_released
from paper_book.measures.fill_commands import probe_commands as probe_commands
from paper_book.measures.fill_commands import run_command as run_command
from paper_book.measures.needs import Needed, needed
from paper_book.measures.recompute import measured
from paper_book.measures.unmeasured import why_not

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


def how_to_fill(record: Mapping[Any, Any]) -> str:
    """Return what kind of thing would fill an empty cell, or why nothing does.

    Parameters
    ----------
    record : mapping
        A row of :func:`paper_book.measures.recompute.recompute`.

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
    if "several seeds" in (reason := str(record["reason"])):  # whose cell is there
        return reason
    if what.measure in PROBES:
        return PROBES[what.measure]
    if _judged_afterwards(record, what):
        return _JUDGMENTS
    regime = str(record["regime"])
    released = all(is_released(key) for key in what.keys) and regime not in _NOT_RELEASED
    given = measured(what) and what.measure not in LOGGED
    return RELEASED if released and given and not regime.startswith("ts_") else RUN


def _judged_afterwards(record: Mapping[Any, Any], what: Needed) -> bool:
    """Return whether a number rests on judgments that neither the run nor the released replay asked for."""
    asked = str(what.keys[0][1]) in _JUDGED_THERE
    return what.measure in _ON_JUDGMENTS and record["regime"] in NOT_REPLAYED and not asked


def commands_to_fill(compared: pd.DataFrame, *, probed: bool = True) -> list[str]:
    """Return the commands that would run the cells behind the empty numbers, one a cell.

    Parameters
    ----------
    compared : pandas.DataFrame
        Rows of :func:`paper_book.measures.recompute.recompute`.
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
        Name in `paper_book.measures`.
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


def to_fill(compared: pd.DataFrame) -> dict[str, Any]:
    """Return what would fill the empty cells of a comparison: which model's, and how.

    Parameters
    ----------
    compared : pandas.DataFrame
        Rows of :func:`paper_book.measures.recompute.recompute`.

    Returns
    -------
    dict
        ``missing``, a note for below the table, and ``commands``, the lines to run: arguments of
        :func:`paper_book.tables.shown.comparison_table`.
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
        Rows of :func:`paper_book.measures.recompute.recompute`.

    Returns
    -------
    pandas.DataFrame
        Columns ``what would fill them`` and ``numbers``, most numbers first.
    """
    kinds = pd.Series([how_to_fill(record) for record in _empty(compared).to_dict("records")], dtype="str")
    counts = kinds.value_counts(sort=False).sort_values(ascending=False, kind="stable")
    return counts.rename_axis("what would fill them").rename("numbers").reset_index()
