"""Folds of a page: a line that says what is inside, and opens it."""

from html import escape


def fold(what: str, count: str, body: str, *, opened: bool = False) -> str:
    """Return a fold, which works by mouse and keyboard without a script.

    Parameters
    ----------
    what : str
        What is inside; text.
    count : str
        How much of it, and how it came out; text, set apart from `what`.
    body : str
        What the fold shows; HTML.
    opened : bool, default False
        Whether it is open when the page opens.

    Returns
    -------
    str
        HTML. The page's script opens a fold that a link leads into, and all of them for printing.
    """
    return (
        f'<details class="ju-fold"{" open" if opened else ""}>'
        f'<summary><span class="ju-what">{escape(what)}</span> <span class="ju-count">{escape(count)}</span>'
        f"</summary>{body}</details>"
    )
