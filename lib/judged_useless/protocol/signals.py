"""Judgments of a result: asked of the model in a side channel, or drawn or read off without it."""

import random
import re
from typing import Literal

from judged_useless._io.seeds import stable_seed
from judged_useless.protocol.turns import without_thinking

#: Most new tokens of a side-channel reply (paper, Appendix B.1).
JUDGMENT_TOKENS = 8
#: What an agent of other tools, or a judge, is asked about the last result (paper, Appendix B.1).
JUDGE_QUESTION = (
    "Before acting: was the LAST tool result useful for answering the original question? Reply with exactly "
    "one word: USEFUL or USELESS."
)
#: Form of a reply, for runs that hold a model to it.
JUDGMENT_FORM = "(USEFUL|USELESS)"

# Words of a question that say nothing about its subject. Wording ours: the paper's list is not published.
_STOP_WORDS = """
about after again all also and any are been before being between both but can could did does doing down
during each few for from further had has have having her here hers him his how into its itself just more
most nor not now off once only other our out over own same she should some such than that the their them
then there these they this those through too under until very was were what when where which while who whom
whose why will with would you your
""".split()  # noqa: SIM905
_NO_RESULT = re.compile(
    r"no results? found|no sentence of the current article|no more sentences", re.IGNORECASE
)


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
        ends a run like USEFUL does (Amendment 2). What stands in thinking is no reply.

    Examples
    --------
    >>> parse_side_channel(" Useless.")
    'USELESS'
    """
    upper = (without_thinking(reply) or "").upper()
    if "USELESS" in upper:
        return "USELESS"
    return "USEFUL" if "USEFUL" in upper else "UNPARSED"


def lexical_judgment(question: str, observation: str) -> Literal["USELESS", "USEFUL"]:
    """Judge a result by the question's words in it, without a model (paper, Appendix B.1, "Rule").

    Parameters
    ----------
    question, observation : str
        A question or claim, and what the tool returned.

    Returns
    -------
    {"USELESS", "USEFUL"}
        USELESS if the tool found nothing, or if fewer than 25 % of the question's content words (lower-case,
        over two letters, not in a stop list) occur in the first 400 characters (Amendment 1). A question
        without content words is judged USEFUL.
    """
    if _NO_RESULT.search(observation):
        return "USELESS"
    words = {word for word in re.findall("[a-z0-9]{3,}", question.lower()) if word not in _STOP_WORDS}
    found = sum(word in observation[:400].lower() for word in words)
    return "USELESS" if found < 0.25 * len(words) else "USEFUL"


def random_judgment(
    question_id: str, regime: str, t: int, useless_rate: float, *, seed: int = 42
) -> Literal["USELESS", "USEFUL"]:
    """Draw a judgment that says USELESS as often as the model does, but at random steps (Amendment 1).

    Parameters
    ----------
    question_id, regime : str
        Of the episode.
    t : int
        1-based index of the observation.
    useless_rate : float
        The model's own rate of USELESS on development questions, in 0..1.
    seed : int, default 42
        Base seed; the released runs' is 42.
    """
    draw = random.Random(stable_seed(seed, "gate2-randmatch", question_id, regime, t)).random()
    return "USELESS" if draw < useless_rate else "USEFUL"
