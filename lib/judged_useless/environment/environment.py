"""The source-failure environment: one question's knowledge base, whose results fail as a regime says.

The real result is always worked out first, also when something else is then shown in its place: so a
replaced search still moves the current page, and each observation's record can say whether it differs.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from judged_useless.environment.failed_paragraphs import SALT, FailurePool
from judged_useless.environment.failures import Setting, get_fault
from judged_useless.environment.knowledge import KnowledgeBase, LookupMode, Reader
from judged_useless.environment.regimes import Regime, get_regime
from judged_useless.tasks.question import Question

#: Actions that return an observation, as episodes name them.
ObservedAction = Literal["search", "lookup", "backup_search", "invalid"]


@dataclass(frozen=True)
class Observation:
    """What the agent sees after an action (``text``), and what is true about it.

    Attributes
    ----------
    index : int
        1-based index of the observation in its episode.
    action : {"search", "lookup", "backup_search", "invalid"}
        ``invalid`` for any action word that the environment does not have.
    failed : bool
        The design label: the regime has this observation fail, also where nothing had to be replaced, as when
        a plausible search really finds the same distractor.
    replaced : bool
        Whether the text differs from the real result.
    how : str
        ``none``, a key of `FAULTS`, or ``disabled`` for the notice of a source that was switched off.
    title, question_id : str or None
        Of a replacement: the page shown and its question, where there are such.
    real_title : str or None
        The page that the action really came to, shown or not.
    """

    index: int
    action: ObservedAction
    text: str
    failed: bool
    replaced: bool = False
    how: str = "none"
    title: str | None = None
    question_id: str | None = None
    real_title: str | None = None

    def meta(self) -> dict[str, Any]:
        """Return everything but the text, as a trajectory's ``observation_meta`` keeps it."""
        return {name: value for name, value in asdict(self).items() if name != "text"}


class Environment:
    """One episode's environment (paper §2, "Tasks and tools" and "Source failures"; §D.5).

    Parameters
    ----------
    question : Question
        Whose knowledge base is searched.
    regime : str or Regime
        Which observations fail: a name for `get_regime`, or an entry of one's own.
    pool : FailurePool, optional
        The failed paragraphs, built over the whole split. Regimes that show none do without.
    budget : int, default 8
        Steps that the episode may take, ``finish`` included.
    lookup : {"released", "paper"}, default "released"
        Whether a repeated lookup returns the first match again (as in the released episodes) or the next
        one (as the paper says).
    salt : str, default "shuffled-v2"
        Seeds the failed observations; see `judged_useless.environment.failed_paragraphs.replicate_salt`.

    Raises
    ------
    ValueError
        If the regime is unknown or needs a pool, a distractor or a title that is not there.

    Attributes
    ----------
    n_steps, answer
        Actions taken so far, ``finish`` included, and what the episode finished with (None before).
    """

    def __init__(
        self,
        question: Question,
        regime: str | Regime,
        pool: FailurePool | None = None,
        *,
        budget: int = 8,
        lookup: LookupMode = "released",
        salt: str = SALT,
    ) -> None:
        if budget < 1:
            raise ValueError(f"budget is {budget}; it must be at least 1")
        if lookup not in ("released", "paper"):
            raise ValueError(f"lookup is {lookup!r}; it must be 'released' or 'paper'")
        self.question = question
        self.regime = get_regime(regime) if isinstance(regime, str) else regime
        self.budget = budget
        self.two_source = self.regime.two_source
        self.n_steps = 0
        self.answer: str | None = None
        self._notice: str | None = None
        self._real = Reader(KnowledgeBase(question.knowledge_base), lookup)
        self._fault = get_fault(self.regime.how, Setting(question, pool, salt, lookup))

    @property
    def actions(self) -> tuple[str, ...]:
        """The action words that are valid now."""
        primary = () if self._notice is not None else ("search", "lookup")
        backup = ("backup_search",) if self.two_source else ()
        return (*primary, *backup, "finish")

    @property
    def steps_left(self) -> int:
        """Steps that may still be taken."""
        return self.budget - self.n_steps

    @property
    def ended(self) -> bool:
        """Whether the episode was answered or its budget is used up."""
        return self.answer is not None or self.steps_left == 0

    def disable_primary(self, notice: str) -> None:
        """Switch ``search`` and ``lookup`` off: from now on they return a notice (Amendment 13)."""
        self._notice = notice

    def step(self, action: str, text: str) -> Observation | None:
        """Take one action.

        Parameters
        ----------
        action : str
            ``search``, ``lookup``, ``backup_search`` (two-source only) or ``finish``, whatever the case and
            surrounding blanks; anything else is an invalid action, which also costs a step.
        text : str
            Query, keyword or answer.

        Returns
        -------
        Observation or None
            None after ``finish``, which has no observation.

        Raises
        ------
        RuntimeError
            If the episode has ended.
        """
        if self.ended:
            raise RuntimeError(f"the episode has ended after {self.n_steps} steps")
        self.n_steps += 1
        word = action.strip().lower()
        if word == "finish":
            self.answer = text
            return None
        index = self.n_steps  # every step but the last, finish, has an observation
        if word in ("search", "lookup"):
            return self._primary(index, "search" if word == "search" else "lookup", text)
        if word == "backup_search" and self.two_source:
            real = self._real.search(text)
            self._fault.follow(self._real.page)
            return Observation(index, "backup_search", real.text, failed=False, real_title=real.title)
        valid = ", ".join(self.actions)
        said = f"Error: {word!r} is not a valid action. Valid actions: {valid}."  # wording ours
        return Observation(index, "invalid", said, failed=self.regime.failed(index))

    def _primary(self, index: int, action: Literal["search", "lookup"], text: str) -> Observation:
        failed = self.regime.failed(index)
        if self._notice is not None:
            return Observation(index, action, self._notice, failed, replaced=True, how="disabled")
        real = self._real.search(text) if action == "search" else self._real.lookup(text)
        shown = self._fault.show(action, text) if failed else None
        if shown is None:
            self._fault.follow(self._real.page)
        if shown is None or shown.text == real.text:
            return Observation(index, action, real.text, failed=shown is not None, real_title=real.title)
        how, origin = self.regime.how, (shown.title, shown.question_id)
        return Observation(index, action, shown.text, True, True, how, *origin, real_title=real.title)
