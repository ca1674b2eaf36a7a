"""When a scripted agent answers: the policies of the paper's simulated agents (Table 7, Appendix C.1)."""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Situation:
    """What a policy may look at before an action: runs are of results judged USELESS, and of failed ones."""

    action: int
    budget: int
    own_run: int
    failed_run: int
    draw: float


StoppingPolicy = Callable[[Situation], bool]

#: Rise of the hazard per result and per useless result, as chosen in `judged_useless.stopping.simulate`.
TIME_SLOPE = 0.06
OWN_SLOPE = 0.12

#: Policies without a number.
POLICIES: dict[str, StoppingPolicy] = {
    "never": lambda now: False,
    "deadline": lambda now: now.action >= now.budget,
    "rising-time": lambda now: now.draw < TIME_SLOPE * (now.action - 1),
    "rising-own": lambda now: now.draw < OWN_SLOPE * now.own_run,
}
#: Policies with one: the action at which a clock rings, or the run of useless or failed results.
COUNTED: dict[str, Callable[[int], StoppingPolicy]] = {
    "clock": lambda n: lambda now: now.action >= n,
    "own": lambda k: lambda now: now.own_run >= k,
    "design": lambda k: lambda now: now.failed_run >= k,
}


def get_policy(name: str) -> StoppingPolicy:
    """Return the policy of a name: of `POLICIES`, or ``clock-<action>``, ``own-<k>``, ``design-<k>``."""
    if name in POLICIES:
        return POLICIES[name]
    match = re.fullmatch(r"(\w+)-([1-9]\d*)", name)
    if match and match[1] in COUNTED:
        return COUNTED[match[1]](int(match[2]))
    raise ValueError(
        f"unknown policy {name!r}; known are {', '.join(POLICIES)}, clock-<action>, own-<k> and design-<k>"
        "; annotator-<percent> labels for annotate"
    )
