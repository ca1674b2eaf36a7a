"""Judgments that an agent states in its own reasoning, in place of the recorded ones."""

from typing import Literal

from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes

Judgments = Literal["recorded", "stated"]


def with_judgments(episodes: Episodes, which: Judgments) -> Episodes:
    """Return episodes whose ``judgments`` are the ones that a measure is asked to read.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Episodes.
    which : {"recorded", "stated"}
        "recorded" leaves them as they are. "stated" puts ``stated`` in their place: one entry a result,
        USELESS, USEFUL (also for partly useful), or null where the agent states no judgment. A null makes
        the run unknown until the next judgment other than USELESS (paper, Appendix D.4).

    Returns
    -------
    pandas.DataFrame or iterable of mappings

    Raises
    ------
    EpisodeError
        If ``stated`` is missing or is not what the schema says of judgments.
    ValueError
        If `which` is neither.
    """
    if which == "recorded":
        return episodes
    if which != "stated":
        raise ValueError(f"judgments must be 'recorded' or 'stated', not {which!r}")
    frame = as_frame(episodes, ("question_id", "actions", "stated"))
    frame = frame.assign(judgments=frame["stated"])
    try:
        return as_frame(frame)
    except EpisodeError as error:
        raise EpisodeError(str(error).replace("'judgments'", "'stated'")) from error
