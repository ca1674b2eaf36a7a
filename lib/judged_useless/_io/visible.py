"""Text from models and servers, made safe to look at."""

import re

# Controls but tab and newline, and the characters that reverse or hide what stands beside them.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def visible(text: str) -> str:
    r"""Return a text with a mark such as ``<U+001B>`` for each character that acts on a screen unseen.

    Parameters
    ----------
    text : str
        From a model or a server: it may hold escape sequences of a terminal, bells, or characters that
        reverse the direction of writing.

    Examples
    --------
    >>> visible("a\x1b[2Jb\nc")
    'a<U+001B>[2Jb\nc'
    """
    return _UNSEEN.sub(lambda match: f"<U+{ord(match[0]):04X}>", text.replace("\r\n", "\n"))
