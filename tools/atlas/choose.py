"""Choose the questions of every family, and share them out among the splits."""

from collections import Counter
from collections.abc import Iterable, Mapping

from judged_useless._io.seeds import stable_seed

from atlas.candidates import Candidate, may_be_asked
from atlas.families import FAMILIES
from atlas.pages import Page
from atlas.world import World

#: Split -> number of questions.
SPLITS = {"dev100": 100, "test300": 300, "fresh300": 300}
# One question in seven goes to dev100, three to each of the others.
_TURN = ("dev100", "test300", "fresh300", "test300", "fresh300", "test300", "fresh300")
#: Answers that end or begin with the same word ("Kenyan shilling", "Ugandan shilling") in one family: the
#: word alone would be scored right for all of them.
_SAME_WORD = 3
#: How often one entity is named in a family.
_SAME_NAME = 2


def choose(world: World, pages: Mapping[str, Page]) -> list[Candidate]:
    """Choose the questions.

    Parameters
    ----------
    world : World
        The facts.
    pages : mapping of str to Page
        All pages.

    Returns
    -------
    list of Candidate
        Family after family.

    Raises
    ------
    ValueError
        If a family has fewer fitting candidates than its quota.
    """
    chosen: list[Candidate] = []
    for name, family in FAMILIES.items():
        made = sorted(family.make(name, world), key=lambda c: stable_seed("choose", c.text))
        fitting = _some((c for c in made if may_be_asked(c, pages)), chosen, family.quota, family.same_answer)
        if len(fitting) < family.quota:
            raise ValueError(f"family {name}: {len(fitting)} questions instead of {family.quota}")
        chosen += fitting
    return chosen


def _some(
    candidates: Iterable[Candidate], before: Iterable[Candidate], quota: int, same_answer: int
) -> list[Candidate]:
    """Take candidates in order, none whose answer would be too common or follow from another question."""
    taken: list[Candidate] = []
    answers: Counter[str] = Counter()
    words: Counter[str] = Counter()
    names: Counter[str] = Counter()
    # If "Mombasa" goes with "Nairobi" once, it does so nowhere else: the pair could be learnt by heart.
    pairs = {(name, c.answer) for c in before for name in c.named}
    for candidate in candidates:
        answer, ends = candidate.answer, _ends(candidate.answer)
        if len(taken) == quota:
            break
        if answers[answer] >= same_answer or any(words[word] >= _SAME_WORD for word in ends):
            continue
        if any(names[name] >= _SAME_NAME or (name, answer) in pairs for name in candidate.named):
            continue
        taken.append(candidate)
        answers[answer] += 1
        words.update(ends)
        names.update(candidate.named)
        pairs |= {(name, answer) for name in candidate.named}
    return taken


def _ends(answer: str) -> set[str]:
    words = answer.split()
    return {words[0], words[-1]} if len(words) > 1 else set()


def identifier(candidate: Candidate) -> str:
    """Name a question by its family and its wording."""
    return f"atlas-{candidate.family}-{stable_seed('id', candidate.text):015x}"[: len(candidate.family) + 15]


def shared_out(candidates: Iterable[Candidate]) -> dict[str, list[str]]:
    """Give every question to one split, each family in the same proportions.

    Parameters
    ----------
    candidates : iterable of Candidate
        All questions.

    Returns
    -------
    dict of str to list of str
        Split -> identifiers, in an order that mixes the families.
    """
    splits: dict[str, list[str]] = {name: [] for name in SPLITS}
    for index, candidate in enumerate(candidates):
        splits[_TURN[index % len(_TURN)]].append(identifier(candidate))
    return {
        name: sorted(members, key=lambda member: stable_seed("manifest", member))
        for name, members in splits.items()
    }
