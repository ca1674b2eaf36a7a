"""Which of the question's own pages each observation of a run showed (paper, Appendix C.3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

#: Actions that show a page; a lookup shows a sentence of the current one.
_SEARCHES = ("search", "backup_search")


def with_pages(episodes: pd.DataFrame, records: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a run's episodes with what `judged_useless.estimators.specificity` asks for.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of the run.
    records : sequence of mapping
        The trajectories they are of, in the same order.

    Returns
    -------
    pandas.DataFrame
        With ``pages``, for each observation the title that a real search returned and None for anything else
        (a failed result, a lookup, no hit), and ``gold_titles`` of the question; without both if the
        trajectories do not have the latter.
    """
    if not all("gold_titles" in record for record in records):
        return episodes
    pages = [[_page(seen) for seen in record["observation_meta"]] for record in records]
    gold = [list(record["gold_titles"]) for record in records]
    return episodes.assign(
        pages=pd.Series(pages, index=episodes.index, dtype=object),
        gold_titles=pd.Series(gold, index=episodes.index, dtype=object),
    )


def _page(seen: Mapping[str, Any]) -> str | None:
    title: str | None = seen["real_title"]
    return title if seen["action"] in _SEARCHES and not seen["failed"] else None
