"""Which model of a source a page shows."""

from judged_useless.sources.readers import Names, Source

from paper_book.wanted import episodes_or_nothing

#: Sources of the paper's models: asked for another of them, a page shows what the paper prints of it.
_RELEASED = ("embedded", "hub")


def page_model(
    source: Source, model: str, *, condition: Names = None, split: Names = None, regimes: Names = None
) -> tuple[str, str]:
    """Return the model that a page shows, and a sentence where it is not the one asked for.

    Parameters
    ----------
    source : str, path or list of them
        As in :func:`judged_useless.load_episodes`.
    model : str
        The model asked for.
    condition, split, regimes
        What the page reads of it.

    Returns
    -------
    model : str
        `model` if the source has it, is a released one, or has nothing that fits; else the first it has.
    said : str
        Which model is shown in the place of `model`, and which others there are; empty where it is `model`.

    Examples
    --------
    >>> page_model("embedded", "qwen3-8b")
    ('qwen3-8b', '')
    """
    if source in _RELEASED:
        return model, ""
    episodes, _ = episodes_or_nothing(source, condition=condition, split=split, regimes=regimes)
    there = list(dict.fromkeys(episodes["model"]))
    if not there or model in there:
        return model, ""
    others = f"; others there, to be given as MODEL: {', '.join(there[1:])}" if there[1:] else ""
    return there[0], f"The source has no episode of {model} here, so {there[0]} is shown{others}."
