"""Probabilities of what a scripted agent does, says and believes."""

import json
from dataclasses import asdict, dataclass

#: Most by which a stated probability differs from the believed one.
BELIEF_NOISE = 0.1


@dataclass(frozen=True)
class Rates:
    """Probabilities of what a scripted agent does; the first three are those of the paper's simulation.

    Attributes
    ----------
    useless_if_failed, useless_if_real : float
        Of judging a result USELESS that is not, or is, from the question's own pages.
    stop_if_useful : float
        Of answering after a real result judged USEFUL, whatever the policy.
    knows : float
        Of knowing the answer without having found it.
    silent : float
        Of a thought that says nothing about the latest result.
    lookup, backup : float
        Of a lookup after a real page, and of the backup tool after a useless result where there is one.
    unparsed, invalid, unreadable, truncated, disobedient : float
        Of a judgment that is neither word, an action word that does not exist, a turn without a readable
        action, a turn that is cut off, and a search although only finish is left.
    placeholder, stubborn : float
        Of an answer that copies the template, and of copying it again when told so.
    hopeful, discouraged, sure : float
        What it says it believes: going on succeeds with `hopeful` minus `discouraged` for each result in a
        row that it judged USELESS; answering now succeeds with `sure`. Each reply is off by up to
        `BELIEF_NOISE` either way.
    mute : float
        Of a belief reply that does not parse.
    """

    useless_if_failed: float = 0.99
    useless_if_real: float = 0.45
    stop_if_useful: float = 0.3
    knows: float = 0.2
    silent: float = 0.15
    lookup: float = 0.1
    backup: float = 0.3
    unparsed: float = 0.0
    invalid: float = 0.0
    unreadable: float = 0.0
    truncated: float = 0.0
    disobedient: float = 0.0
    placeholder: float = 0.0
    stubborn: float = 0.0
    hopeful: float = 0.8
    discouraged: float = 0.05
    sure: float = 0.3
    mute: float = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 <= value <= 1:
                raise ValueError(f"scripted agent: {name} is {value}, expected a probability between 0 and 1")

    def says_continuing(self, own_run: int, draw: float) -> float:
        """Return the probability of success it states for going on, after a run of USELESS."""
        return self._stated(self.hopeful - self.discouraged * own_run, draw)

    def says_answering(self, draw: float) -> float:
        """Return the probability of success it states for answering now."""
        return self._stated(self.sure, draw)

    def _stated(self, believed: float, draw: float) -> float:
        return round(min(1.0, max(0.0, believed + BELIEF_NOISE * (2 * draw - 1))), 4)

    def continuation(self, own_run: int, first: float, second: float) -> str:
        """Return a reply to the continuation turn, from two uniform numbers."""
        going_on, answering = self.says_continuing(own_run, first), self.says_answering(second)
        prefer = "continue" if going_on > answering else "answer_now"
        said = {"p_continue": going_on, "p_answer_now": answering, "prefer": prefer, "reason": "So I think."}
        return json.dumps(said)
