"""Episodes for a page: those of a source, or none and the reason, which the page can then give."""

import pandas as pd
from judged_useless.episodes.schema import DEFAULT_BUDGET, REQUIRED, NoEpisodesError
from judged_useless.sources.readers import Names, Source, load_episodes

#: Key of a table's ``attrs``: a sentence on the episodes that were left out of it, which its page repeats.
LEFT_OUT = "left_out"
#: What has one budget where it is estimated from.
_CELL = ("model", "condition", "task", "split")
_DTYPES = {"actions": "object", "judgments": "object", "success": "bool"}


def no_episodes() -> pd.DataFrame:
    """Return a table of episodes without a row, with the columns and types of the released ones.

    Returns
    -------
    pandas.DataFrame
    """
    return pd.DataFrame({name: pd.Series(dtype=_DTYPES.get(name, "str")) for name in REQUIRED})


def _of_one_budget(episodes: pd.DataFrame, budget: int) -> pd.DataFrame:
    """Return episodes without other budgets of the cells that have this one."""
    if "budget" not in episodes:
        return episodes
    budgets = pd.to_numeric(episodes["budget"]).fillna(DEFAULT_BUDGET).astype(int)
    cell = [episodes[name] for name in _CELL if name in episodes]
    has_it = (budgets == budget).groupby(cell, dropna=False).transform("any")
    other = has_it & (budgets != budget)
    if not other.any():
        return episodes
    kept = episodes[~other].reset_index(drop=True)
    others = ", ".join(map(str, sorted(set(budgets[other]))))
    kept.attrs[LEFT_OUT] = (
        f"Of cells run with several budgets, this page takes the one of {budget} actions: "
        f"{int(other.sum()):,} episodes with {others} are left out."
    )
    return kept


def episodes_or_nothing(
    source: Source = "embedded",
    *,
    model: Names = None,
    condition: Names = None,
    split: Names = None,
    regimes: Names = None,
    budget: int | None = DEFAULT_BUDGET,
) -> tuple[pd.DataFrame, str]:
    """Return the episodes of a source as :func:`load_episodes` does, or none and why.

    A source that lacks what a page asks for is no fault: the page says so and shows what it can. A file that
    is missing or damaged is one, and raises.

    Parameters
    ----------
    source, model, condition, split, regimes
        As in :func:`judged_useless.load_episodes`.
    budget : int or None, default 8
        Budget to keep of a cell that was run with several, where `regimes` are asked for: such a page
        estimates from one cell at a time, and no estimate mixes budgets. None keeps all. Without `regimes`
        all are kept, for the measures of published tables tell budgets apart.

    Returns
    -------
    episodes : pandas.DataFrame
        The episodes; without a row, but with the released columns, where the source has none of them. If some
        were left out for their budget, ``attrs["left_out"]`` says so, and a page's notice repeats it.
    missing : str
        What the source lacks; empty where there are episodes.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says, or a checksum differs.
    FileNotFoundError
        If a file is missing, or the hub's cache has not been filled.

    Examples
    --------
    >>> episodes, missing = episodes_or_nothing(model="llama3.1-8b")
    >>> len(episodes), missing
    (0, "source 'embedded' has no episode with model 'llama3.1-8b'; it has qwen3-8b")
    """
    try:
        episodes = load_episodes(source, model=model, condition=condition, split=split, regimes=regimes)
    except NoEpisodesError as error:
        return no_episodes(), f"{error}{_unknown(split)}"
    if episodes.empty:
        return no_episodes(), f"source {source!r} has no episode"
    if budget is not None and regimes is not None:
        episodes = _of_one_budget(episodes, budget)
    return episodes, ""


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
