"""Conditions: what the agent is told, which signal is read, and who stops (paper, Table 1).

A condition is composed of parts, so that combinations need no code of their own.
"""

from dataclasses import dataclass
from functools import reduce

#: Signals that a condition can read.
SIGNALS = ("side_channel", "random", "lexical", "stated")


@dataclass(frozen=True)
class Condition:
    """One condition, or one part of one.

    Attributes
    ----------
    name : str
        As episodes name it.
    additions : tuple of str
        Sentences appended to the instructions: keys of `judged_useless.protocol.prompts.Wording.additions`.
    counter : bool
        Whether the question and every observation end with the number of actions left.
    signal : str or None
        Which judgment is read, one of `SIGNALS`.
    stopper : str or None
        What is done with the run of USELESS judgments, a key of `judged_useless.agent.stoppers.STOPPERS`.
    two_source : bool
        Whether it needs regimes with a backup tool.
    native_calls, reminder : bool
        Whether Claude's own tool-call markup is read, and whether a turn without a readable action gets one
        format reminder (Amendment 20).
    thinking : bool
        Whether the model thinks before each turn.
    """

    name: str = ""
    additions: tuple[str, ...] = ()
    counter: bool = False
    signal: str | None = None
    stopper: str | None = None
    two_source: bool = False
    native_calls: bool = False
    reminder: bool = False
    thinking: bool = False

    def __or__(self, other: "Condition") -> "Condition":
        """Put two conditions together, in this order; the name stays this one's."""
        for field in ("signal", "stopper"):
            mine, theirs = getattr(self, field), getattr(other, field)
            if mine and theirs and mine != theirs:
                raise ValueError(f"a condition has one {field}, not both {mine} and {theirs}")
        either = {name: value or getattr(other, name) for name, value in vars(self).items()}
        return Condition(**either | {"additions": tuple(dict.fromkeys(self.additions + other.additions))})


#: What conditions are made of.
PARTS: dict[str, Condition] = {
    "say_permission": Condition(additions=("permit",)),
    "say_budget": Condition(additions=("budget",)),
    "say_rule": Condition(additions=("stated_rule",)),
    "say_cost": Condition(additions=("call_cost",)),
    "say_both_exits": Condition(additions=("both_exits",), two_source=True),
    "counter": Condition(counter=True),
    **{f"{signal}_signal": Condition(signal=signal) for signal in SIGNALS},
    "finish_only": Condition(stopper="finish_only"),
    "ask_again": Condition(stopper="ask_again"),
    "switch": Condition(stopper="switch", two_source=True),
    "weigh": Condition(stopper="weigh"),
    "native_calls": Condition(native_calls=True),
    "format_reminder": Condition(reminder=True),
    "thinking": Condition(thinking=True),
}

_BUDGET = ("say_permission", "say_budget", "counter")
_RULE = ("side_channel_signal", "finish_only")
_STATED = ("stated_signal", "ask_again")

#: Name as released -> its parts, in the order in which they are written.
CONDITIONS: dict[str, tuple[str, ...]] = {
    "unaided": (),
    "permit": ("say_permission",),
    "budget": _BUDGET,
    "stated_rule": ("say_permission", "say_rule"),
    "call_cost": (*_BUDGET, "say_cost"),
    "decide": ("side_channel_signal", "weigh"),
    "enforced_rule": _RULE,
    "combo": (*_BUDGET, *_RULE),
    "random": ("random_signal", "finish_only"),
    "lexical": ("lexical_signal", "finish_only"),
    "stated_judgment_rule": _STATED,
    "stated_combo": (*_BUDGET, *_STATED),
    "switch_rule": ("side_channel_signal", "switch"),
    "both_exits": ("say_both_exits",),
}

#: (model, condition) -> parts that the paper's runs of that cell had besides (Amendment 20).
ADDED_PARTS: dict[tuple[str, str], tuple[str, ...]] = {
    ("claude-haiku-4.5", "stated_rule"): ("native_calls", "format_reminder"),
    ("claude-haiku-4.5", "call_cost"): ("native_calls", "format_reminder"),
}


def get_condition(name: str, *, model: str | None = None) -> Condition:
    """Compose a condition from its name.

    Parameters
    ----------
    name : str
        A key of `CONDITIONS` or `PARTS`, or several joined with ``+``, in the order in which they are
        written: ``budget+thinking``, ``unaided+format_reminder``.
    model : str, optional
        Adds what the paper's runs of this model had besides, see `ADDED_PARTS`.

    Raises
    ------
    ValueError
        If a part is unknown, two parts contradict each other, or a stopper has no signal to act on.

    Examples
    --------
    >>> get_condition("budget+enforced_rule").additions == get_condition("combo").additions
    True
    """
    names = [part.strip() for part in name.split("+")]
    if unknown := [each for each in names if each not in CONDITIONS and each not in PARTS]:
        known = f"{', '.join(CONDITIONS)}, and the parts {', '.join(PARTS)}, joined with +"
        raise ValueError(f"unknown condition {unknown[0]!r}; known are {known}")
    parts = [part for each in names for part in CONDITIONS.get(each, (each,))]
    parts += ADDED_PARTS.get((model or "", name), ())
    condition = reduce(Condition.__or__, (PARTS[part] for part in parts), Condition("+".join(names)))
    stopper, signal = condition.stopper, condition.signal
    if stopper and not signal:
        raise ValueError(f"condition {name!r}: {stopper} needs a signal, one of {', '.join(SIGNALS)}")
    # A stated judgment is only known once a turn is proposed.
    if stopper and (stopper == "ask_again") != (signal == "stated"):
        raise ValueError(
            f"condition {name!r}: {stopper} cannot act on the signal {signal}; ask_again goes with stated"
        )
    return condition
