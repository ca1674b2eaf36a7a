"""Runs as a data set of their own: a folder in the hub's layout, with a card that says how it was made."""

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from judged_useless._io.messages import visible
from judged_useless.episodes.formats import write_parquet
from judged_useless.runs.recorded import Run
from judged_useless.sources.hub import REPOSITORY
from judged_useless.sources.readers import load_episodes

_CARD = """---
{head}---
# {title}

{simulated}Agents answer questions with tools whose results fail in controlled ways. A row is an episode:
the actions of the agent, its judgment of every result, whether it answered correctly. The fields are those
of [{release}](https://huggingface.co/datasets/{release}), the episodes of *Judged Useless, Queried Anyway*
([arXiv:2610.06191](https://arxiv.org/abs/2610.06191)), and further ones of the package `judged-useless`.

## What is in it

{cells}

## How it was made

By `judged-useless run`: the harness of that package, not the paper's own.

{runs}

## Reading it

```python
from datasets import load_dataset
from judged_useless import FAIL, time_matched_contrast

episodes = load_dataset("parquet", data_files="{example}", split="train")
time_matched_contrast([each for each in episodes if each["regime"] in FAIL])
```

`judged_useless.load_episodes` reads this folder, and `load_dataset` reads it by its splits.
"""


def export(runs: Sequence[str | Path], out: str | Path, *, licence: str = "") -> Path:
    """Write complete runs as a data set: Parquet files by split, model and condition, and a card.

    Parameters
    ----------
    runs : sequence of paths
        Run directories, with what was asked of them afterwards.
    out : path
        A folder that is not there yet; it appears whole or not at all.
    licence : str, optional
        The identifier that the hub has for it, such as ``cc-by-4.0``; by default the card names none.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    FileExistsError
        If there is something in its place.
    RunError, EpisodeError
        If a run is not complete, or two have the same episodes.
    """
    out, recorded = Path(out), [Run(path) for path in runs]
    if out.exists():
        raise FileExistsError(f"{out}: is there already, and nothing is written into it; give another folder")
    episodes = load_episodes([run.path for run in recorded]).drop(columns="loaded_from", errors="ignore")
    names = episodes[["split", "model", "condition"]].agg("__".join, axis=1)
    episodes = episodes.assign(file=names.str.replace(r"[^\w.+-]+", "-", regex=True) + ".parquet")
    out.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".tmp", dir=out.parent))
    try:
        for name, cell in episodes.groupby("file"):
            write_parquet(cell.drop(columns="file"), fresh / str(name))
        (fresh / "README.md").write_text(_card(episodes, recorded, licence), encoding="utf-8")
        fresh.chmod(0o755)
        return fresh.rename(out)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _card(episodes: pd.DataFrame, runs: Sequence[Run], licence: str) -> str:
    simulated = any(run.simulated for run in runs)
    # The hub's names of splits are words, and "all" is one of its own.
    names = episodes["split"].str.replace(r"\W", "_", regex=True).replace("all", "all_questions")
    files = episodes.groupby(names)["file"].unique()
    splits = [{"split": str(split), "path": sorted(each)} for split, each in files.items()]
    head: dict[str, Any] = {"license": licence} if licence else {}
    head |= {"tags": ["agents", "tool-use", *(["simulated"] if simulated else [])]}
    head["configs"] = [{"config_name": "default", "data_files": splits}]
    cells = episodes.groupby(["model", "simulated", "condition", "task", "split"], sort=False).agg(
        regimes=("regime", lambda names: ", ".join(names.unique())),
        questions=("question_id", "nunique"),
        episodes=("question_id", "size"),
    )
    whole = all(run.simulated for run in runs)
    warning = (
        f"**{'All' if whole else 'Some'} of these agents are SIMULATED: no language model is behind them.** "
    )
    return _CARD.format(
        head=yaml.safe_dump(head, sort_keys=False, allow_unicode=True),
        title=f"{'SIMULATED e' if whole else 'E'}pisodes of {_plain(', '.join(episodes['model'].unique()))}",
        simulated=warning if simulated else "",
        release=REPOSITORY,
        cells=_table(cells.reset_index()),
        runs=_table(pd.DataFrame([_made(run) for run in runs])),
        example=episodes["file"].iloc[0],
    )


def _made(run: Run) -> dict[str, object]:
    """Return what a reader has to know of how a run was made."""
    spec, software = run.manifest["spec"], run.manifest["software"]
    decoding = spec["model"].get("decoding") or {}
    return {
        "run": run.manifest["run"],
        "model": spec["model"].get("model", spec["model"]["name"]),
        "decoding": ", ".join(f"{name} {value}" for name, value in decoding.items() if value is not None),
        "budget": spec["budget"],
        "k": spec["options"].get("k"),
        "seed": spec["options"].get("seed"),
        "software": ", ".join(f"{name} {version}" for name, version in software["packages"].items()),
        "ended": run.manifest["timings"]["ended"],
    }


def _table(frame: pd.DataFrame) -> str:
    rows: list[list[str]] = [list(map(str, frame)), ["---"] * len(frame.columns)]
    rows += frame.astype(str).to_numpy().tolist()
    return "\n".join(f"| {' | '.join(map(_plain, row))} |" for row in rows)


def _plain(text: str) -> str:
    """Return a name as a card shows it: on one line, and with nothing that Markdown would act on."""
    return re.sub(r"([\\`*<>\[\]|])", r"\\\1", " ".join(visible(text).split()))
