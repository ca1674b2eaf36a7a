"""What a failed observation shows: a paragraph from another question's knowledge base (paper §2)."""

import random
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from judged_useless._io.seeds import stable_seed
from judged_useless.tasks.question import Question

#: Salt of the released runs. Replicates draw with another one: see `replicate_salt`.
SALT = "shuffled-v2"


def replicate_salt(tag: str | int) -> str:
    """Return the salt of a replicate (Amendment 10), which draws other failed paragraphs."""
    return f"{SALT}-rep{tag}"


class FailedParagraph(NamedTuple):
    """A paragraph with where it comes from."""

    question_id: str
    title: str
    text: str


class FailurePool:
    """All paragraphs of a split, and the order in which each question meets those of the others.

    Parameters
    ----------
    questions : iterable of Question
        The *whole* split in the order of its manifest, also when only some of it is run.
    """

    def __init__(self, questions: Iterable[Question]) -> None:
        self.questions = tuple(questions)
        self.paragraphs = tuple(
            FailedParagraph(question.id, title, text)
            for question in self.questions
            for title, text in question.knowledge_base.items()
        )
        # A few hundred orders of a few thousand entries: enough for a split, bounded for the full set.
        self._cached_order = lru_cache(maxsize=512)(self._order)

    def paragraphs_for(self, question: Question, salt: str = SALT) -> tuple[FailedParagraph, ...]:
        """Return the failed paragraphs of a question, in the order in which they are shown in every regime.

        Those of other questions whose title (ignoring case and surrounding blanks) is not one of the
        question's own, shuffled by ``random.Random(stable_seed(salt, question.id)).shuffle``. The question
        need not be in the pool.

        Raises
        ------
        ValueError
            If no paragraph is left, as in a pool of one question.
        """
        order = self._cached_order(question.id, frozenset(map(_compared, question.knowledge_base)), salt)
        if not order:
            raise ValueError(
                f"the pool of {len(self.questions)} question(s) has no paragraph of another question than "
                f"{question.id!r}; build it over the whole split"
            )
        return order

    def _order(self, question_id: str, own_titles: frozenset[str], salt: str) -> tuple[FailedParagraph, ...]:
        others = (each for each in self.paragraphs if each.question_id != question_id)
        order = [each for each in others if _compared(each.title) not in own_titles]
        random.Random(stable_seed(salt, question_id)).shuffle(order)
        return tuple(order)


def _compared(title: str) -> str:
    return title.casefold().strip()
