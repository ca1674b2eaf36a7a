"""The keyword reader of judgments that an agent states in its thought (paper, Appendix D.3, Amendment 19).

The patterns are ours: written on one set of made-up thoughts and measured on another, both in
``tests/data``.
"""

import re
from typing import Literal

Stated = Literal["USELESS", "USEFUL"]

#: Characters of a sentence that are read: patterns may take the square of its length.
_LONGEST_SENTENCE = 2000
_SENTENCE_END = re.compile(r"(?<!\b[A-Z]\.)(?<!\b(?:Dr|Mr|St|Jr|No|vs)\.)(?<=[.!?])[\"')]*\s+|\n+")
_RESULT = (
    r"(?:results?|articles?|pages?|passages?|observations?|texts?|paragraphs?|information|documents?|lookup|"
    r"search(?: results?)?|evidence|entry|output|tool|knowledge base|source|query|it|this|that|they)"
)
_THING = (
    r"(?:article|page|result|person|film|movie|band|book|song|place|one|text|passage|paragraph|team|match|"
    r"information|document|entry|(?-i:[A-Z]\w+ [A-Z]))"
)
_FOUND = (
    r"(?:mention|contain|provide|give|include|help|yield|return|answer|address|say|state|find|found|match|"
    r"show|reveal|cover|discuss|specify|work|relate|support|tell|bring|concern|name|have|seem|appear)"
)

# What a sentence says of a result that does not help. "not irrelevant" is taken out beforehand.
_USELESS = re.compile(
    "|".join(
        (
            r"\b(?:irrelevant|unrelated|off[- ]topic|useless|unhelpful|fruitless|unsuccessful|dead end|"
            r"mismatch)\b",
            r"\b(?:no|any) (?:use|help|luck)\b",
            r"(?:\bnot|n't|\bnever|\bhardly|\bcannot)\b[^.;]{0,40}\b(?:relevant|related|helpful|useful|help|"
            r"pertinent|connected|about|needed?|asked|expected|wanted|want|looking for|right|correct)\b",
            rf"(?:\b(?:do|does|did|could|has|have|had)\b(?: not|n't| never)|n't)(?: \w+){{0,2}} {_FOUND}",
            r"\bno (?:\w+ )?(?:information|info|mention|reference|details?|evidence|results?|match|trace|"
            r"connection|bearing|sentence|data)\b",
            r"\bnothing\b(?! else)",
            r"\b(?:fail(?:s|ed)?) (?:to|again)\b|\bfailed\b|\black(?:s|ed)\b|\breturned an error\b",
            r"\bneither\b[^.]*\bnor\b[^.]*",
            rf"\bwrong {_THING}|\b(?:another|a different|different) {_THING}",
            r"\bnone of (?:this|these|the|them|it)\b",
            r"\b(?:instead of|rather than|whereas i|and not the|but not the|, not the)\b",
            r"\bsomething (?:else|unrelated)\b|\brandom (?:article|page|text|result)s?\b",
        )
    ),
    re.IGNORECASE,
)
# What it says of one that does.
_USEFUL = re.compile(
    "|".join(
        (
            rf"\b{_RESULT}\b(?: \S+){{0,6}}? (?:says?|states?|mentions?|shows?|indicates?|confirms?|tells?|"
            r"gives?|gave|reveals?|identif(?:ies|y)|notes?|lists?|explains?|provides?|names?|supports?|refutes?|"
            r"suggests?|contains?|helps?|points? to|did mention)\b",
            r"\b(?:according to|based on) (?:the|this|that|both)\b",
            r"\bfrom (?:the|this|that) (?:article|page|passage|text|result|observation)\b",
            r"\b(?:i|we)(?: have|'ve)?(?: now| just)? (?:found|learned|learn|identified)\b",
            r"\b(?:now i|now we|i now|we now|now that i|now that we) (?:know|have)\b",
            r"\b(?:i|we) have (?:found|enough|the answer)\b",
            r"\b(?:is|was|are|looks|very|partly) (?:relevant|helpful|useful)\b",
            r"^(?:great|perfect|good|excellent)\b",
            r"^(?:ok(?:ay)?,? )?so the \w+ (?:is|was)\b",
            r"\bsearch found\b",
        )
    ),
    re.IGNORECASE,
)
_DOUBLE_NEGATION = re.compile(r"(?:\bnot|n't) (?:irrelevant|unrelated|useless|unhelpful)\b", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"")
_CONTRAST = re.compile(r"\b(?:but|although|though|while)\b", re.IGNORECASE)
# Plans, conditions and memories state nothing about the last result.
_NO_STATEMENT = re.compile(
    r"^(?!now,? (?:i|we) (?:know|have\b(?! to)))(?:(?:now|next|first|so|then|okay|ok|perhaps|maybe)?,? ?"
    + "(?:"
    + "|".join(
        (
            r"let me|let's|let us|i'll|i'm|i'd|we (?:need|should|must)",
            r"i (?:need|should|will|want|must|can|could(?!n't| not)|have to|am going)",
            r"i (?:think|believe|recall|remember|know|may)",
            r"to \w+|if |perhaps|maybe|it (?:would|may|might|is best)|there (?:are|is) \w+ actions?",
            r"what |who |where |when |which |searching|search for|next",
            r"my (?:budget|knowledge|guess)|the (?:question|claim|answer|next|user) ",
        )
    )
    + "))",
    re.IGNORECASE,
)


def first_sentences(thought: str) -> list[str]:
    """Return the first two sentences of a thought, where the reader looks for a judgment."""
    sentences = [sentence.strip() for sentence in _SENTENCE_END.split(thought.strip()) if sentence]
    return [sentence for sentence in sentences if sentence][:2]


def _of_sentence(sentence: str) -> Stated | None:
    plain = _QUOTED.sub("it", sentence[:_LONGEST_SENTENCE])
    if _DOUBLE_NEGATION.search(plain):
        return "USEFUL"
    if _NO_STATEMENT.match(plain):
        return None
    useless, useful = _USELESS.search(plain), _USEFUL.search(plain)
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
