"""What a page reads: the episodes of a source, or none and why, and what that source is called."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from judged_useless._io.strict_json import read_object
from judged_useless.episodes.schema import DEFAULT_BUDGET, REQUIRED, NoEpisodesError
from judged_useless.sources.readers import Names, Source, load_episodes

#: Sources whose episodes are the paper's.
RELEASED = {"embedded": "embedded released cells", "hub": "released cells of the hub"}
#: Prefixes of models that are no language model; pages must say so wherever they appear.
SIMULATED = ("simulated:", "scripted:")
#: Between the entries of ``loaded_from`` of a number that rests on cells of several; no path holds it.
SEPARATOR = "\0"
#: Key of a table's ``attrs``: a sentence on the episodes that were left out of it, which its page repeats.
LEFT_OUT = "left_out"
#: What has one budget where it is estimated from.
_CELL = ("model", "condition", "task", "split")
#: Folders that are removed when the page ends.
_TEMPORARY: list[TemporaryDirectory[str]] = []
_DTYPES = {"actions": "object", "judgments": "object", "success": "bool"}


def run_folder(model: str, out: str | None) -> str | None:
    """Return where a page runs an agent: `out`, or a temporary folder for a scripted one; None otherwise."""
    if out is None and model.startswith(SIMULATED):
        _TEMPORARY.append(TemporaryDirectory())
        return _TEMPORARY[-1].name
    return out


def no_episodes() -> pd.DataFrame:
    """Return a table of episodes without a row, with the columns and types of the released ones."""
    return pd.DataFrame({name: pd.Series(dtype=_DTYPES.get(name, "str")) for name in REQUIRED})


def read_episodes(
    source: Source, *, model: Names, condition: Names, split: Names, regimes: Names
) -> tuple[pd.DataFrame, str]:
    """Return the episodes of a source, or none and what it lacks."""
    asked: dict[str, Names] = {"model": model, "condition": condition, "split": split, "regimes": regimes}
    try:
        with warnings.catch_warnings():
            # What there is of an unfinished run is shown, and its name says how much of it that is.
            warnings.filterwarnings("ignore", message=".*of the run")
            episodes = load_episodes(source, **asked, allow_partial=True)
    except NoEpisodesError as error:
        return no_episodes(), f"{error}{_unknown(split)}"
    if episodes.empty:
        return no_episodes(), f"source {source!r} has no episode"
    return (episodes if regimes is None else _of_one_seed(_of_one_budget(episodes))), ""


def _of_one_seed(episodes: pd.DataFrame) -> pd.DataFrame:
    """Return episodes without other seeds of the cells that were run with several: none would count twice."""
    names = [name for name in (*_CELL, "budget") if name in episodes]
    twice = episodes.assign(cell=episodes.groupby(names, dropna=False, sort=False).ngroup())
    again = twice.duplicated(["cell", "question_id", "regime"]).groupby(twice["cell"]).transform("any")
    if not again.any():
        return episodes
    other = again & (episodes["seed"] != episodes["seed"].groupby(twice["cell"]).transform("min"))
    kept = episodes[~other].reset_index(drop=True)
    seeds = ", ".join(map(str, sorted(set(episodes["seed"][other]))))
    said = (
        f"Of cells run with several seeds, this page takes the lowest: {int(other.sum()):,} episodes with "
        f"seed {seeds} are left out, or a question would count more than once."
    )
    kept.attrs[LEFT_OUT] = " ".join(filter(None, (episodes.attrs.get(LEFT_OUT), said)))
    return kept


def _of_one_budget(episodes: pd.DataFrame) -> pd.DataFrame:
    """Return episodes without other budgets of the cells that have the paper's."""
    if "budget" not in episodes:
        return episodes
    budgets = pd.to_numeric(episodes["budget"]).fillna(DEFAULT_BUDGET).astype(int)
    cell = [episodes[name] for name in _CELL if name in episodes]
    has_it = (budgets == DEFAULT_BUDGET).groupby(cell, dropna=False).transform("any")
    other = has_it & (budgets != DEFAULT_BUDGET)
    if not other.any():
        return episodes
    kept = episodes[~other].reset_index(drop=True)
    kept.attrs[LEFT_OUT] = (
        f"Of cells run with several budgets, this page takes the one of {DEFAULT_BUDGET} actions: "
        f"{int(other.sum()):,} episodes with {', '.join(map(str, sorted(set(budgets[other]))))} are left out."
    )
    return kept


def _unknown(split: Names) -> str:
    """Return that the paper has no such split either, which a misspelt name would not tell by itself."""
    # Here, because published numbers are compared with estimates, which are made of episodes.
    from paper_book.published.transcribed import published

    printed = [name for name in published()["split"].unique() if name and " - " not in name]
    names = [split] if isinstance(split, str) else list(split or ())
    unknown = [name for name in names if name not in printed]
    if not unknown:
        return ""
    return f"; the paper has no split {', '.join(map(repr, unknown))} either, it has {', '.join(printed)}"


def refuse_texts(asked: Mapping[str, object]) -> None:
    """Refuse a list that was handed on as a text, as papermill does with ``-p models "[a, b]"``."""
    for name, value in asked.items():
        if isinstance(value, str) and value.startswith("["):
            raise ValueError(
                f"{name} is the text {value!r}, not a list: with papermill, -y '{name}: {value}'"
            )


def refuse_unknown(source: Source, model: Names, missing: str) -> None:
    """Refuse to show a page of nothing, where neither source nor paper has any of the models asked for."""
    from paper_book.published.transcribed import published

    names = [model] if isinstance(model, str) else list(model or ())
    elsewhere, _ = read_episodes(source, model=names, condition=None, split=None, regimes=None)
    if elsewhere.empty and not set(names) & set(published()["model"]):
        raise ValueError(f"there is no model to show: {missing}; nor has the paper {names}")


def is_release(source: Source) -> bool:
    """Return whether a source is one whose episodes are the paper's."""
    return isinstance(source, str) and source in RELEASED


def model_shown(
    source: Source, model: str, *, condition: Names, split: Names, regimes: Names
) -> tuple[str, str]:
    """Return the model that a page shows, and a sentence where it is not the one asked for."""
    if is_release(source):
        return model, ""
    episodes, _ = read_episodes(source, model=None, condition=condition, split=split, regimes=regimes)
    there = list(dict.fromkeys(episodes["model"]))
    if not there or model in there:
        return model, ""
    others = f"; others there, to be given as MODEL: {', '.join(there[1:])}" if there[1:] else ""
    return there[0], f"The source has no episode of {model} here, so {there[0]} is shown{others}."


def our_numbers(source: str) -> str:
    """Return what numbers are called that rest on episodes of this name: only the paper's are *re*computed.

    Examples
    --------
    >>> our_numbers("embedded released cells"), our_numbers("runs")
    ('recomputed (embedded released cells)', 'measured (runs)')
    """
    released = any(name in source for name in RELEASED.values())
    return f"{'recomputed' if released else 'measured'} ({source})"


def source_name(source: str | Path | Sequence[str | Path], used: pd.DataFrame | None = None) -> str:
    """Return a short name of where numbers come from, for legends and captions.

    Given what the numbers rest on (episodes, or compared rows), only those of several sources are named that
    they are from, and simulated or scripted agents are named as such.

    Examples
    --------
    >>> source_name("embedded"), source_name(["embedded", "runs/b"])
    ('embedded released cells', 'embedded released cells, b')
    """
    parts = [source] if isinstance(source, str | Path) else list(source)
    rows = None if used is None else _recomputed(used)
    if rows is not None and len(parts) > 1 and "loaded_from" in rows:
        there = _entries(rows)
        parts = [part for part in parts if str(part) in there] or parts
    name = ", ".join(dict.fromkeys(RELEASED.get(str(part)) or _named(Path(part)) for part in parts))
    if rows is None or ", SIMULATED agents" in name or not is_simulated(rows):
        return name
    marked = _entries(rows[_simulated(rows)]) if "loaded_from" in rows else set()
    which = [Path(part).name for part in parts if str(part) in marked]
    return f"{name}, SIMULATED agents" + (f" in {', '.join(which)}" if 0 < len(which) < len(parts) else "")


def _named(path: Path) -> str:
    """Return the name of a file or folder, and how much there is of each run in it that is not finished."""
    said = []
    for run in (path, *(sorted(path.iterdir()) if path.is_dir() else ())):
        manifest = read_object(run / "manifest.json") if (run / "manifest.json").is_file() else None
        if manifest and manifest.get("status") != "complete":
            counts = manifest["n_episodes"]
            of = "" if run == path else f"{run.name}: "
            said.append(f"{of}{counts['done']} of {counts['planned']} episodes")
    return path.name + (f" ({', '.join(said)})" if said else "")


def _entries(rows: pd.DataFrame) -> set[str]:
    """Return the entries of a list of sources that rows are from; a compared one may be from several."""
    return {entry for each in rows["loaded_from"].dropna().unique() for entry in str(each).split(SEPARATOR)}


def _recomputed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with a result, of compared numbers; episodes are returned as they are."""
    if "recomputed" not in rows:
        return rows
    there = rows["recomputed"].notna()
    if "recomputed_words" in rows:
        there |= rows["recomputed_words"].ne("")
    return rows[there]


def _simulated(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Return which rows are of an agent that is no language model."""
    named = rows["model"].str.startswith(SIMULATED).astype(bool)
    return named | rows["simulated"].eq(True).fillna(False).astype(bool) if "simulated" in rows else named


def is_simulated(rows: pd.DataFrame) -> bool:
    """Return whether any episode or number is of an agent that is no language model."""
    return bool(_simulated(rows).any())
