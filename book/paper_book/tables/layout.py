"""Titles of the panels of the paper's tables, and which tables hold words."""

#: Panels of a table by their name in the record.
PANELS = {
    "conditions": "Conditions",
    "measures": "Measures",
    "open_models": "Open models",
    "other_agents": "Agents run unaided and with the enforced rule only",
    "original": "Original registration",
    "delta": "Δ on the agent's own judgments",
    "delta_by_question": "Δ within a question and action",
    "delta_by_regime": "Δ within a regime and action",
    "design_label": "Design-label contrast",
    "cost_adjusted": "Cost-adjusted success: mean6 minus 0.05 per tool call",
    "cost_adjusted_judgments_charged": "The same, with judgment calls charged as well",
    "beta_test300_pooled": "β, test300, pooled",
    "beta_test300_question": "β, test300, with question effects",
    "beta_fresh300_pooled": "β, fresh300, pooled",
    "beta_fresh300_question": "β, fresh300, with question effects",
    "gamma_test300_pooled": "γ, test300, pooled",
    "budget_8": "Budget of 8 actions",
    "budget_16": "Budget of 16 actions",
    "success": "Success",
    "rule_minus_none": "Enforced rule minus unaided",
    "replicate": "Second run",
    "replicate_minus_original": "Second run minus first, paired by question",
}
#: Tasks as they are written.
TASKS = {"hotpotqa": "HotpotQA", "fever": "FEVER"}
#: Tables of registered tests, whose cells hold an outcome in words.
REGISTERED = ("4", "5")
#: Measures whose cells hold words; elsewhere a cell without a number was not run.
IN_WORDS = ("definition", "claim_map", "printed_outcome", "best_policy")
#: Units of whole numbers.
WHOLE = ("count", "action", "questions")
