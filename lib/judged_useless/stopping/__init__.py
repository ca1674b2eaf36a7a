"""The best stopping point, for known judgment errors, regimes, answers and prices (beyond the paper)."""

from judged_useless.stopping.continuing import continue_or_answer
from judged_useless.stopping.named_sources import named_sources
from judged_useless.stopping.policies import (
    POLICIES,
    arm_distance,
    best_run_lengths,
    compare_policies,
    compare_prices,
    run_length_curve,
    simple_policies,
)
from judged_useless.stopping.problem import Outcome, StoppingProblem, evaluate
from judged_useless.stopping.regret import policy_regret, policy_values
from judged_useless.stopping.solution import RunPolicy, Solution, best_run_policy, optimal_policy
from judged_useless.stopping.wald import WaldTest, side_by_side

__all__ = [
    "POLICIES",
    "Outcome",
    "RunPolicy",
    "Solution",
    "StoppingProblem",
    "WaldTest",
    "arm_distance",
    "best_run_lengths",
    "best_run_policy",
    "compare_policies",
    "compare_prices",
    "continue_or_answer",
    "evaluate",
    "named_sources",
    "optimal_policy",
    "policy_regret",
    "policy_values",
    "run_length_curve",
    "side_by_side",
    "simple_policies",
]
