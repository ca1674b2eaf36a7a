"""The best stopping point, for known judgment errors, regimes, answers and prices (beyond the paper)."""

from judged_useless.stopping.best_policy import Solution, best_run_policy, optimal_policy
from judged_useless.stopping.compared_policies import (
    best_run_lengths,
    compare_policies,
    compare_prices,
    run_length_curve,
)
from judged_useless.stopping.offline_policies import continue_or_answer, policy_regret, policy_values
from judged_useless.stopping.problem import Outcome, StoppingProblem, evaluate, named_sources
from judged_useless.stopping.recorded_arms import arm_distance
from judged_useless.stopping.stopping_policies import POLICIES, StoppingPolicy, simple_policies
from judged_useless.stopping.wald import WaldTest, side_by_side

__all__ = [
    "POLICIES", "Outcome", "Solution", "StoppingPolicy", "StoppingProblem", "WaldTest", "arm_distance",
    "best_run_lengths", "best_run_policy", "compare_policies", "compare_prices", "continue_or_answer",
    "evaluate", "named_sources", "optimal_policy", "policy_regret", "policy_values", "run_length_curve",
    "side_by_side", "simple_policies",
]  # fmt: skip
