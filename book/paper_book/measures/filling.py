"""What would fill an empty cell: the reason, or the commands that run, probe or fetch what is missing."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd
from judged_useless.environment.regimes import MEAN4, MEAN6, NOT_REPLAYED
from judged_useless.sources.released import released_cells
from judged_useless.tasks import get_task

from paper_book.measures.cell_index import CellKey
from paper_book.measures.quantities import quantity_of
from paper_book.measures.recompute import NEEDS_CELLS
from paper_book.measures.registry import REGIME_SETS, registry

_REPLAY = "judged-useless replay RUN --probe"
#: Kinds of what fills a cell, beside probes.
RELEASED = "released cells: make data, then make book SOURCE=hub"
RUN = "runs of cells that were not released: the commands stand below each table"
_NOT_RELEASED = ("answerless", "recover_after_4", "recover_after_5")
#: Released judgments of clean and plausible: only of conditions that asked for them during the run.
_JUDGED_THERE = ("decide", "enforced_rule", "combo")


@cache
def _released() -> frozenset[tuple[object, ...]]:
    return frozenset(released_cells()[["model", "condition", "split"]].itertuples(index=False, name=None))


def is_released(key: CellKey) -> bool:
    """Return whether a cell is among the released ones."""
    plain = key.task == "hotpotqa" and key.budget == 8
    return plain and (key.model, key.condition, key.split) in _released()


def run_command(key: CellKey, regimes: Sequence[str] = MEAN6) -> str:
    """Return the command line that runs a cell."""
    runs = registry().runs
    maker = key.model.partition("-")[0]
    provider = "" if ":" in key.model else f"{runs.providers.get(maker, 'vllm')}:"
    whole, _, rest = key.split.partition("-")
    labels = key._asdict().items()
    fewer = next((each.regimes for each in runs.regimes if each.where.items() <= labels), None)
    named = REGIME_SETS[fewer] if fewer else () if set(regimes) <= set(MEAN6) else regimes
    replicate = rest.removeprefix("run") if rest.startswith("run") else ""
    first = rest.removeprefix("first") if rest.startswith("first") else ""
    options = {
        "model": f"{provider}{key.model}",
        "condition": runs.spelled.get(key.condition, [key.condition])[0],
        "task": "" if key.task == "hotpotqa" else key.task,
        "split": "" if whole == get_task(key.task).split else whole,
        "n-questions": first or runs.first_questions.get(key.model, ""),
        "replicate": replicate,
        "seed": runs.base_seed - 1 + int(replicate) if replicate else "",
        "budget": "" if key.budget == 8 else key.budget,
        "regimes": " ".join(named),
    }
    given = [f"--{name} {value}" for name, value in options.items() if value]
    note = runs.notes.get(key.condition, runs.notes.get(key.model, ""))
    return " ".join(["judged-useless run", *given]) + note


def probe_commands(
    model: str,
    probes: Sequence[str],
    regimes: Sequence[str] = MEAN4,
    *,
    condition: str = "unaided",
    split: str = "test300",
    section: str = "",
) -> list[str]:
    """Return the commands that run a cell of HotpotQA and ask something of it afterwards."""
    folder = f"runs/{model.rpartition(':')[2]}-{condition}"
    shown = [f"make section NAME={section} SOURCE={folder} MODEL={model} SPLIT={split}"] if section else []
    return [
        f"{run_command(CellKey(model, condition, split=split), regimes)} --out {folder}",
        f"judged-useless replay {folder} --probe {' '.join(probes)}",
        *shown,
    ]


def cell_commands(model: str, conditions: Sequence[str], split: str = "test300") -> list[str]:
    """Return the commands that bring cells of HotpotQA: those of the release, or runs of one's own."""
    keys = [CellKey(model, condition, split=split) for condition in conditions]
    hub = ["make data", "make book SOURCE=hub"] if any(map(is_released, keys)) else []
    return hub + [run_command(key) for key in keys if not is_released(key)]


def how_to_fill(record: Mapping[Any, Any]) -> str:
    """Return what kind of thing would fill an empty cell, or why nothing does."""
    if not pd.isna(record["recomputed"]) or record.get("recomputed_words"):
        return ""
    what = quantity_of(record)
    if what.why_not or what.measure is None:
        return what.why_not
    if "several seeds" in str(record["reason"]):
        return str(record["reason"])
    if what.measure.probes:
        return f"{_REPLAY} {' '.join(what.measure.probes)}"
    regime = str(record["regime"])
    # Judgments that neither the run nor the released replay asked for.
    if what.measure.judged and regime in NOT_REPLAYED and what.keys[0].condition not in _JUDGED_THERE:
        return f"{_REPLAY} judgments"
    released = all(map(is_released, what.keys)) and regime not in _NOT_RELEASED
    return RELEASED if released and not what.measure.from_log and not regime.startswith("ts_") else RUN


def _empty(compared: pd.DataFrame) -> list[tuple[dict[Any, Any], str]]:
    """Return the rows whose printed number is not recomputed, each with what would fill it."""
    printed = compared[["value", "low", "high", "k"]].notna().any(axis=1)
    rows = compared[printed & compared["recomputed"].isna()].to_dict("records")
    return [(record, how_to_fill(record)) for record in rows]


def commands_to_fill(compared: pd.DataFrame, *, probed: bool = True) -> list[str]:
    """Return the commands that would run the cells behind the empty numbers, one a cell."""
    wanted: dict[CellKey, dict[str, None]] = {}
    for record, kind in _empty(compared):
        lacking = kind.startswith(_REPLAY) and str(record["reason"]).startswith(NEEDS_CELLS)
        if kind == RUN or (probed and lacking):
            what = quantity_of(record)
            for key in what.keys:
                wanted.setdefault(key, {}).update(dict.fromkeys(what.regimes))
    return [run_command(key, tuple(regimes)) for key, regimes in wanted.items()]


def to_fill(compared: pd.DataFrame) -> dict[str, Any]:
    """Return what would fill the empty cells of a comparison: which model's, and how."""
    models: dict[str, dict[str, None]] = {}
    for record, kind in _empty(compared):
        models.setdefault(kind, {})[str(record["model"])] = None
    sentences, commands = [], commands_to_fill(compared, probed=False)
    for kind, there in models.items():
        names = ", ".join(there) or "several models"
        if kind == RELEASED:
            sentences.append(f"Released ({names}): `make data`, then `make book SOURCE=hub`.")
        elif kind == RUN:
            sentences.append(f"Not released ({names}): runs of your own, by the commands below.")
        elif kind.startswith(_REPLAY):
            probes = kind.removeprefix(_REPLAY).split()
            asked = f"probe{'s' * (len(probes) > 1)} {' and '.join(probes)}"
            sentences.append(f"In no released episode ({names}): runs of your own and the {asked}.")
            commands += [line for model in there for line in probe_commands(model, probes)]
        else:
            sentences.append(f"{names}: {kind}.")
    return {"missing": f"Empty cells. {' '.join(sentences)}" if sentences else "", "commands": commands}


def filling(compared: pd.DataFrame) -> pd.DataFrame:
    """Return what would fill the empty cells of a comparison, and how many numbers each kind would."""
    kinds = pd.Series([kind for _, kind in _empty(compared)], dtype="str")
    counts = kinds.value_counts(sort=False).sort_values(ascending=False, kind="stable")
    return counts.rename_axis("what would fill them").rename("numbers").reset_index()
