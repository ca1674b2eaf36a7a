"""The verdict on agents of known policy, on few questions, and on logs that state no budget."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
from judged_useless import load_episodes, time_matched_contrast
from judged_useless.adapters import AgentLog, Audit, audit_log, read_log
from judged_useless.stopping.simulate import SIMULATED, simulate

KINDS = {
    "never stops": "never", "answers at the deadline": "step", "clock, action 4": "step",
    "clock, action 6": "step", "hazard rising with time": "step", "own-judgment count k=3": "evidence",
    "own-judgment count k=5": "evidence", "own-judgment count k=7": "evidence",
    "design-label count k=3": "evidence", "design-label count k=5": "evidence",
    "hazard rising with own count": "evidence",
}  # fmt: skip
WORDS = {"search": "web_search", "finish": "Submit"}


def audited(path: Path, records: Any, **options: Any) -> Audit:
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return audit_log(read_log(path, mapping={"web_search": "search"}), n_boot=400, **options)


def foreign(policy: str, n_questions: int) -> list[dict[str, Any]]:
    """Return a simulated agent's episodes as another software would name them, without a budget."""
    table = simulate(policy, n_questions=n_questions, seed=1)
    names = ("question_id", "regime", "actions", "judgments")
    return [
        dict(zip(names, row, strict=True)) | {"actions": [WORDS[word] for word in row[2]], "simulated": True}
        for row in table[list(names)].itertuples(index=False)
    ]


def test_every_simulated_policy_is_judged() -> None:
    assert set(KINDS) == set(SIMULATED)


@pytest.mark.parametrize(("policy", "kind"), KINDS.items())
def test_the_verdict_is_that_of_the_policy(policy: str, kind: str, tmp_path: Path) -> None:
    audit = audited(tmp_path / "log.jsonl", foreign(policy, 100))
    assert (audit.kind, audit.simulated) == (kind, True)
    begin = {"never": "Never answers", "step": "Answers by the step", "evidence": "Stops on its evidence"}
    assert audit.verdict.startswith(begin[kind])
    if kind == "never":
        decisions = audit.steps[["decisions (a)", "decisions (b)"]].to_numpy().sum()
        assert audit.verdict.endswith(f"0 of {decisions:,} decisions.")
        assert "taken to be 8 actions" in " ".join(audit.understood)


@pytest.mark.parametrize("policy", KINDS)
def test_four_questions_are_too_few(policy: str, tmp_path: Path) -> None:
    audit = audited(tmp_path / "log.jsonl", foreign(policy, 4))
    assert audit.kind == "too few"
    assert "4 questions" in audit.verdict


def test_too_few_says_how_many_more_would_tell(tmp_path: Path) -> None:
    useless, mixed = ["USELESS"] * 3, ["USELESS", "USEFUL", "USELESS", "USELESS", "USELESS"]
    records = [
        {"question_id": f"q{row}", "actions": ["search"] * len(words) + ["finish"], "judgments": words}
        for row, words in enumerate([useless] * 2 + [mixed] * 10)
    ]
    audit = audited(tmp_path / "log.jsonl", records, budget=8)
    assert audit.verdict == (
        "Too few: 2 decisions in (a). About 48 more episodes like these bring 10 of each, the least for a "
        "verdict."
    )
    wide = audited(tmp_path / "log.jsonl", foreign("hazard rising with time", 12))
    assert (wide.kind, wide.verdict[:16]) == ("too few", "Too few to tell:")
    assert "more episodes like these would tell a Δ of 0.2" in wide.verdict


def test_of_several_budgets_the_smallest_counts_and_sound_sources_are_apart(tmp_path: Path) -> None:
    few = foreign("hazard rising with time", 12)
    longer = [each | {"budget": 8 + 8 * (row % 2)} for row, each in enumerate(few)]
    sound = [each | {"regime": "clean"} for each in longer if each["regime"] == "persistent"]
    audit = audited(tmp_path / "log.jsonl", [*longer, *sound])
    assert audit.window == (3, 6)
    assert audit.understood[-3] == "Budget: 8 actions, as the log states, the smallest of 8, 16."
    assert audit.understood[-1] == "In the rule's table only: the 12 episodes of clean and plausible."
    assert audit.steps.equals(audited(tmp_path / "log.jsonl", longer).steps)
    assert (len(few), set(audit.rule["episodes"])) == (60, {72})


def test_too_few_resamples_are_no_firm_verdict(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    audited(path, foreign("own-judgment count k=3", 30))
    for n_boot in (1, 39):
        audit = audit_log(read_log(path, mapping={"web_search": "search"}), n_boot=n_boot)
        said = f"Too few resamples to tell: {n_boot} have a Δ, its interval takes 40 (--n-boot)."
        assert (audit.kind, audit.verdict) == ("too few", said)


def without_last_judgments(records: Any, judgments: Any = None) -> list[dict[str, Any]]:
    """Return episodes in which nothing is known of the result before an answer."""
    return [
        each | {"judgments": [*each["judgments"][:-1], judgments]}
        if each["actions"][-1] == "Submit" else each
        for each in records
    ]  # fmt: skip


@pytest.mark.parametrize(
    "policy", ["own-judgment count k=3", "hazard rising with own count", "clock, action 4"]
)
@pytest.mark.parametrize("judgment", [None, float("nan"), ""])
def test_answers_that_drop_out_for_want_of_judgments_leave_nothing_to_go_by(
    policy: str, judgment: Any, tmp_path: Path
) -> None:
    records = without_last_judgments(foreign(policy, 40), judgment)
    audit = audited(tmp_path / "log.jsonl", records)
    answers = sum(each["actions"][-1] == "Submit" for each in records)
    assert audit.kind == "too few"
    assert audit.verdict.startswith(
        f"Nothing to go by: the results before {answers} of {answers} answers and 0 of "
    )
    assert "--judge" in audit.verdict
    shorter = [each | {"judgments": [word for word in each["judgments"] if word]} for each in records]
    assert audited(tmp_path / "log.jsonl", shorter).verdict == audit.verdict


def test_judgments_that_are_missing_at_random_are_counted(tmp_path: Path) -> None:
    records = foreign("own-judgment count k=3", 60)
    cut = without_last_judgments(records[::10]) + [each for row, each in enumerate(records) if row % 10]
    audit = audited(tmp_path / "log.jsonl", cut)
    assert audit.kind == "evidence"
    (said,) = (each for each in audit.understood if each.startswith("Left out of Δ: the results before "))
    assert " answers and 0 of " in said
    unjudged = audited(tmp_path / "log.jsonl", [each | {"judgments": []} for each in records])
    assert unjudged.verdict.startswith("Nothing to go by: no result has a judgment.")
    assert (unjudged.rule.empty, "Not known, for want of judgments" in unjudged.html()) == (True, True)


def test_only_decisions_that_are_compared_are_counted(tmp_path: Path) -> None:
    useless, mixed = ["USELESS"] * 3, ["USELESS", "USEFUL", "USELESS", "USELESS", "USELESS"]
    records = [
        {"question_id": f"q{row}", "actions": ["search"] * len(words) + ["finish"], "judgments": words}
        for row, words in enumerate([useless] * 20 + [mixed] * 20)
    ]
    audit = audited(tmp_path / "log.jsonl", records, budget=8)
    assert audit.steps.set_index("t")["decisions (b)"].loc[3:].tolist() == [20, 20, 20]
    assert audit.steps["compared"].tolist() == [False, False, True, False, False]
    assert audit.verdict.endswith(
        "20 decisions after useless results only, and 20 at the same steps with a useful one before."
    )


def test_several_agents_have_a_verdict_each_and_none_together() -> None:
    ruled, alone = (load_episodes(condition=name) for name in ("enforced_rule", "unaided"))
    found = audit_log(AgentLog.of_episodes(pd.concat([ruled, alone], ignore_index=True), "x"), n_boot=200)
    each = [audit_log(AgentLog.of_episodes(one, "x"), n_boot=200).verdict for one in (ruled, alone)]
    assert found.kind == "several"
    assert all(
        f"{name}: {verdict}" in found.verdict
        for name, verdict in zip(("enforced_rule", "unaided"), each, strict=True)
    )


def test_the_released_cells() -> None:
    from judged_useless import FAIL
    from judged_useless.adapters import AgentLog

    for condition, kind in (("unaided", "against"), ("enforced_rule", "evidence")):
        episodes = load_episodes(condition=condition, regimes=FAIL)
        audit = audit_log(AgentLog(episodes, (None,) * len(episodes), {}, {}, {}))
        assert (audit.kind, audit.delta) == (kind, time_matched_contrast(episodes))
        assert audit.design.defined


def long_log(limit: int, k: int) -> list[dict[str, Any]]:
    """Return episodes of an agent that stops on k useless results in a row, of up to `limit` calls."""
    rng, records = Random(1), []
    for row in range(120):
        useful_at = None if row % 2 else rng.randrange(2, 7)
        run, words, actions = 0, list[str](), list[str]()
        while len(actions) < limit and "finish" not in actions:
            words.append("USEFUL" if len(words) + 1 == useful_at else "USELESS")
            actions.append("search")
            run = run + 1 if words[-1] == "USELESS" else 0
            if run >= k or rng.random() < 0.02:
                actions.append("finish")
        records.append({"question_id": f"task-{row}", "actions": actions, "judgments": words})
    return records


@pytest.mark.parametrize(("limit", "k"), [(30, 10), (20, 7)])
def test_a_long_log_without_a_budget_is_not_measured_as_if_it_had_eight(
    limit: int, k: int, tmp_path: Path
) -> None:
    audit = audited(tmp_path / "log.jsonl", long_log(limit, k))
    assert audit.kind == "evidence"
    assert audit.delta.value > 0.1
    longest = max(len(each["actions"]) for each in long_log(limit, k))
    assert audit.window == (3, longest - 2)
    assert f"taken to be {longest} actions: the longest episode" in " ".join(audit.understood)
    given = audited(tmp_path / "log.jsonl", long_log(limit, k), budget=limit)
    assert given.window == (3, limit - 2)
    with pytest.raises(ValueError, match="--budget 8: an episode took"):
        audited(tmp_path / "log.jsonl", long_log(limit, k), budget=8)
