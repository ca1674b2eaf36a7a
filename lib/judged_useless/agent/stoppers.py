"""What the harness does with the run of USELESS judgments, if it does anything (paper, Table 1)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from judged_useless.agent.calls import Proposal
    from judged_useless.agent.loop import Episode

#: Most new tokens of a decision (paper, Appendix B.1, "Decide").
WEIGH_TOKENS = 160


@dataclass
class Stopper:
    """Leaves the agent alone; the base of those that do not."""

    #: Whether it acts once the run of USELESS is long enough.
    enforces: ClassVar[bool] = False

    def must_wait(self, episode: "Episode") -> bool:
        """Tell whether the latest judgment has to be known before the next turn: one more could do it."""
        return self.enforces and self.counts(episode) and episode.rule.run >= episode.rule.k - 1

    def counts(self, episode: "Episode") -> bool:
        """Tell whether the latest observation is one whose judgment is counted."""
        return True

    async def before_turn(self, episode: "Episode") -> None:
        """Act on the judgments before the next turn is asked for."""

    async def after_turn(self, episode: "Episode", proposal: "Proposal") -> "Proposal":
        """Accept the proposed turn, or have another one made."""
        return proposal


class FinishOnly(Stopper):
    """The enforced rule: from k USELESS in a row on, only finish is left (paper §5)."""

    enforces = True

    async def before_turn(self, episode: "Episode") -> None:
        """Write the finish instruction; checked again at every step, in case the agent does not follow it."""
        if episode.rule.should_stop:
            episode.conversation.leave_only_finish()
            episode.note_event("rule_fired")


@dataclass
class AskAgain(Stopper):
    """The rule on stated judgments: a search proposed after k of them is discarded (Amendment 19)."""

    #: Whether the run has ever reached k; the rule holds from then on.
    reached: bool = False

    async def after_turn(self, episode: "Episode", proposal: "Proposal") -> "Proposal":
        """Count what the proposed turn says of the latest result, and discard it if the rule holds."""
        self.reached |= episode.rule.observe(episode.stated[-1])
        if not self.reached or proposal.turn.action not in ("search", "lookup"):
            return proposal
        episode.conversation.leave_only_finish()
        episode.note_event("turn_discarded")
        episode.n_discarded += 1
        return await episode.propose()


@dataclass
class Switch(Stopper):
    """Two sources: after k USELESS in a row from the primary one, it is switched off (Amendment 13)."""

    enforces = True
    switched: bool = False

    def counts(self, episode: "Episode") -> bool:
        """Count results of the primary source only."""
        return not self.switched and episode.observations[-1].action in ("search", "lookup")

    async def before_turn(self, episode: "Episode") -> None:
        """Switch the primary source off and say so."""
        if episode.rule.should_stop and not self.switched:
            self.switched = True
            notice = episode.conversation.wording.switch_notice
            episode.environment.disable_primary(notice)
            episode.conversation.follow(notice)
            episode.note_event("primary_disabled")


class Weigh(Stopper):
    """Decide: the agent is shown its judgment and its count and weighs, and nothing is enforced."""

    def must_wait(self, episode: "Episode") -> bool:
        """Wait always: the judgment becomes part of the history."""
        return True

    async def before_turn(self, episode: "Episode") -> None:
        """Write question, judgment, decision and instruction into the history."""
        conversation, wording = episode.conversation, episode.conversation.wording
        judgment = episode.judgments[-1] or "UNPARSED"
        conversation.user(wording.judgment)
        conversation.assistant(judgment)
        conversation.user(wording.weigh.format(judgment=judgment, run=episode.rule.run))
        reply = await episode.call("decision", conversation.messages, max_new_tokens=WEIGH_TOKENS)
        conversation.assistant(reply.text.strip())
        conversation.user(wording.act)


#: Name of a condition's stopper -> its class; one object an episode.
STOPPERS: dict[str | None, type[Stopper]] = {
    None: Stopper,
    "finish_only": FinishOnly,
    "ask_again": AskAgain,
    "switch": Switch,
    "weigh": Weigh,
}
