"""The keyword reader of judgments that an agent states in its thought (paper, Appendix D.3, Amendment 19).

What it looks for is in ``data/stated_judgments.yaml``.
"""

import re
from functools import cache
from typing import Literal

import yaml

from judged_useless._io.paths import data_dir

Stated = Literal["USELESS", "USEFUL"]

#: Characters of a sentence that are read: patterns may take the square of its length.
_LONGEST_SENTENCE = 2000
_SENTENCE_END = re.compile(r"(?<!\b[A-Z]\.)(?<!\b(?:Dr|Mr|St|Jr|No|vs)\.)(?<=[.!?])[\"')]*\s+|\n+")
_DOUBLE_NEGATION = re.compile(r"(?:\bnot|n't) (?:irrelevant|unrelated|useless|unhelpful)\b", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"")
_CONTRAST = re.compile(r"\b(?:but|although|though|while)\b", re.IGNORECASE)
_BEGINS = (
    r"^(?!now,? (?:i|we) (?:know|have\b(?! to)))(?:(?:now|next|first|so|then|okay|ok|perhaps|maybe)?,? ?(?:"
)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return what says that a result is useless or useful, or begins a sentence that says neither."""
    content = yaml.safe_load((data_dir() / "stated_judgments.yaml").read_text(encoding="utf-8"))
    words = content.pop("words")
    joined = {name: "|".join(patterns) for name, patterns in content.items()}
    for word, pattern in words.items():
        joined = {name: each.replace(f"{{{word}}}", pattern) for name, each in joined.items()}
    joined["no_statement"] = f"{_BEGINS}{joined['no_statement']}))"
    return {name: re.compile(each, re.IGNORECASE) for name, each in joined.items()}


def first_sentences(thought: str) -> list[str]:
    """Return the first two sentences of a thought, where the reader looks for a judgment."""
    sentences = [sentence.strip() for sentence in _SENTENCE_END.split(thought.strip()) if sentence]
    return [sentence for sentence in sentences if sentence][:2]


def _of_sentence(sentence: str) -> Stated | None:
    plain = _QUOTED.sub("it", sentence[:_LONGEST_SENTENCE])
    if _DOUBLE_NEGATION.search(plain):
        return "USEFUL"
    if _patterns()["no_statement"].match(plain):
        return None
    useless, useful = (_patterns()[name].search(plain) for name in ("useless", "useful"))
    if useless and useful:
        contrast = _CONTRAST.search(plain, useful.end())
        partly = contrast is not None and contrast.start() < useless.start()
        return "USEFUL" if partly else "USELESS"
    if useless:
        return "USELESS"
    return "USEFUL" if useful else None


def stated_judgment(thought: str) -> Stated | None:
    """Read whether an agent says that the latest result helps.

    Parameters
    ----------
    thought : str
        The thought that follows the result; only its first two sentences are read.

    Returns
    -------
    {"USELESS", "USEFUL"} or None
        USELESS if the agent says that the result does not help, USEFUL if it reports something usable (also
        if only partly), None if it says neither.

    Notes
    -----
    English only, and by keywords: it reads neither irony nor a judgment that is only implied.

    Examples
    --------
    >>> stated_judgment("The result is not relevant. I will search again.")
    'USELESS'
    >>> stated_judgment("The page says that he was born in Leeds.")
    'USEFUL'
    >>> stated_judgment("Let me search for the second film.") is None
    True
    """
    for sentence in first_sentences(thought):
        judgment = _of_sentence(sentence)
        if judgment is not None:
            return judgment
    return None
