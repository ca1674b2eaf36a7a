"""Titles of the paper's tables and of their panels, and which tables hold words."""

#: What each table says, in words of our own.
TITLES = {
    "1": "The conditions, and the measures of what stopping responds to.",
    "2": "Mean success over six regimes (mean6), by condition and model.",
    "3": "Where each claim of the paper is tested.",
    "4": "Every registered test, first part: the original registration and its amendments 3 to 9.",
    "5": "Every registered test, second part: amendments 10 to 20.",
    "6": "Stopping measures and cost of the arms that have judgments of their own.",
    "7": "The stopping measures on simulated policies whose behaviour is known.",
    "8": "The plausible regime, whose failed results are on topic.",
    "9": "Integration index I and time-matched contrast Δ, in this order in each cell.",
    "10": "The hazard model: change in the probability of answering with each further useless judgment (β), "
    "and after an earlier useful one (γ).",
    "11": "Share of real search results that are judged useful, by kind of page.",
    "12": "The main contrasts in mean6, raw and after answer repair.",
    "13": "HotpotQA: success by regime, mean6, and the integration index with its two parts.",
    "14": "FEVER: success by regime, mean6, and the integration index with its two parts.",
    "15": "Paired contrasts in mean6 between arms, with one-sided p-values.",
    "16": "The same arms with a budget of 8 and of 16 actions.",
    "17": "Distance of the arms from the best simple stopping policy.",
    "18": "Tool calls a trajectory, with 8 and with 16 actions, in this order in each cell.",
    "19": "Stopping on the judgment that the agent states in its reasoning: success and cost.",
    "20": "The registered tests of the rule on stated judgments.",
    "21": "Claude Haiku 4.5 with the stopping rule or the price of a call in its prompt.",
    "22": "The registered replication on 300 fresh questions.",
    "23": "Δ and answers after five useless results, from judgments stated in the reasoning.",
    "24": "Qwen3-32B with and without its reasoning mode.",
    "25": "Two sources: success, when agents switch to the backup, and the contrast for leaving.",
    "26": "Answerless pages, and sources that recover late.",
    "27": "The second run, with new seeds and other failed observations.",
    "28": "The third run, and the rule's gain over all three.",
}  # fmt: skip

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
