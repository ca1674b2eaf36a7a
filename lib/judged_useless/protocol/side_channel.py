"""The side channel: a one-word question on a copy of the conversation that the agent never sees again."""

from typing import Literal

#: Most new tokens of a reply (paper, Appendix B.1).
JUDGMENT_TOKENS = 8
#: Form of a reply, for runs that hold a model to it.
JUDGMENT_FORM = "(USEFUL|USELESS)"


def parse_side_channel(reply: str) -> Literal["USELESS", "USEFUL", "UNPARSED"]:
    """Read a reply to the side-channel question.

    Parameters
    ----------
    reply : str
        As generated.

    Returns
    -------
    {"USELESS", "USEFUL", "UNPARSED"}
        USELESS if that word is in it, whatever the case; else USEFUL if that one is; else UNPARSED, which
        ends a run like USEFUL does (Amendment 2).

    Examples
    --------
    >>> parse_side_channel(" Useless.")
    'USELESS'
    """
    upper = reply.upper()
    if "USELESS" in upper:
        return "USELESS"
    return "USEFUL" if "USEFUL" in upper else "UNPARSED"
