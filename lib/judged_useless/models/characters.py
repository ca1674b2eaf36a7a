r"""Half of a surrogate pair: JSON lets a model say it, and no file or request can hold it.

A tokenizer of bytes may end a text within a character, and some servers pass that on as ``\ud83d`` alone.
"""

import re

#: What stands for it, as Unicode has it for text that cannot be decoded.
REPLACEMENT = "\ufffd"
_HALF = re.compile("[\ud800-\udfff]")
# Every escape of a JSON text, so that a backslash that is escaped itself is no beginning of another one.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def replace_halves(text: str) -> tuple[str, int]:
    r"""Return a text with every half of a surrogate pair replaced by U+FFFD.

    Parameters
    ----------
    text : str
        As a model said it.

    Returns
    -------
    tuple of str and int
        The text, and how many were replaced.

    Examples
    --------
    >>> replace_halves("caf\ud83d")
    ('caf�', 1)
    """
    return _HALF.subn(REPLACEMENT, text)


def replace_escaped_halves(body: str) -> tuple[str, int]:
    r"""Do the same in a JSON text, where they are escapes such as ``\ud83d`` that no other one completes.

    Parameters
    ----------
    body : str
        JSON, as a server sent it.

    Returns
    -------
    tuple of str and int
        JSON, and how many were replaced.
    """
    halves = sum(match[1] is not None for match in _ESCAPE.finditer(body)) if "\\u" in body else 0
    if not halves:
        return body, 0
    return _ESCAPE.sub(lambda match: match[0] if match[1] is None else REPLACEMENT, body), halves
