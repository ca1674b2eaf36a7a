"""Replies, labels and arguments that are not what they should be: refused by name, not counted."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.beliefs import (
    answers_when_favoured,
    belief_curves,
)
from judged_useless.estimators.judgments import stated_agreement, stated_points

NAN, PRIOR = float("nan"), ("clean", "persistent")


def bare(question: str, regime: str = "persistent", **fields: Any) -> dict[str, Any]:
    """Return an episode of three results, all judged USELESS, that answers after them."""
    actions, judgments = ["search"] * 3 + ["finish"], ["USELESS"] * 3
    return {
        "model": "m", "condition": "unaided", "split": "s", "question_id": question, "regime": regime,
        "actions": actions, "judgments": judgments, "success": regime == "clean",
    } | fields  # fmt: skip


def probed(question: str, regime: str = "persistent", **fields: Any) -> dict[str, Any]:
    """Return such an episode that was asked for its beliefs."""
    beliefs = {
        "usefulness": ["OFF_TOPIC"] * 3, "p_continue": [0.5] * 3, "p_answer_now": [0.2] * 3,
        "prefer": ["continue", "unsure", "answer_now"], "answer_now": [False, False, True],
    }  # fmt: skip
    return bare(question, regime) | beliefs | fields


BOTH = [probed(question, regime) for question in ("q1", "q2") for regime in PRIOR]


def curve(episodes: Any, **options: Any) -> dict[Any, Any]:
    settings: dict[str, Any] = {"prior": PRIOR, "n_boot": 20} | options
    table = belief_curves(episodes, **settings)
    return dict(table.set_index(["quantity", "k"]).to_dict("index"))


def test_what_was_not_repaired_counts_as_it_is() -> None:
    repaired = [
        each | {"repaired_success": True, "answer_now_repaired": [True] * 3}
        if each["question_id"] == "q1"
        else each
        for each in BOTH
    ]
    frame = pd.DataFrame(repaired)
    assert frame["repaired_success"].isna().any()
    # Of two persistent runs q1 is repaired to a right answer, q2 stays wrong.
    assert curve(frame)["going on was worth", 1]["value"] == 0.5
    assert curve(frame)["answering now was worth", 1]["value"] == 0.5
    assert curve(frame)["going on was worth", 1]["n_missing"] == 0
    hollow = curve([each | {"repaired_success": None} for each in BOTH])
    assert hollow["going on was worth", 1]["value"] == curve(BOTH)["going on was worth", 1]["value"] == 0
    with pytest.raises(EpisodeError, match="row 2: field 'repaired_success': expected true or false"):
        curve([BOTH[0] | {"repaired_success": True}, BOTH[1] | {"repaired_success": "yes"}])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"p_continue": [7, 0.5, 0.5]}, "field 'p_continue': entry 1: .*, found 7"),
        ({"p_continue": [0.5] * 4}, "field 'p_continue': expected at most one entry"),
        ({"prefer": ["<b>"]}, "field 'prefer': entry 1: .*, found '<b>'"),
        ({"answer_now": [None, 5]}, "field 'answer_now': entry 2: .*, found 5"),
    ],
)
def test_a_reply_that_no_probe_writes_is_refused(fields: dict[str, Any], message: str) -> None:
    episodes = [*BOTH, probed("q3", **fields)]
    with pytest.raises(EpisodeError, match=f"episodes, row 5: .*{message}"):
        belief_curves(episodes, prior=PRIOR)


@pytest.mark.parametrize("field", ["model", "condition"])
def test_a_second_model_or_condition_is_refused_by_name(field: str) -> None:
    measures: list[Callable[[Any], object]] = [
        belief_curves,
        answers_when_favoured,
        stated_agreement,
    ]
    for other in (probed("q1", **{field: "another"}), probed("q9", **{field: "another"})):
        episodes = [each | {"stated": [None] * 3, "failed": [True] * 3} for each in (*BOTH, other)]
        for measure in measures:
            with pytest.raises(EpisodeError, match=f"field '{field}' mixes .*'another'; give one model"):
                measure(episodes)
    seeds = [each | {"seed": seed} for each in BOTH for seed in (0, 1)]
    with pytest.raises(EpisodeError, match="a question occurs twice in a regime"):
        answers_when_favoured(seeds)


def said(
    stated: Any = ("USELESS", None, "USEFUL"), failed: Any = (True, False, True)
) -> list[dict[str, Any]]:
    fields = {"stated": stated, "failed": failed}
    return [
        bare(q) | {name: list(v) if isinstance(v, tuple) else v for name, v in fields.items()} for q in "ab"
    ]


def test_stated_judgments_may_end_early_and_not_be_anything_else() -> None:
    assert stated_points(said())["stated"].fillna("-").tolist() == ["USELESS", "-", "USEFUL"] * 2
    for short in (("USELESS",), ("USELESS", NAN, pd.NA)):
        assert stated_points(said(short))["stated"].fillna("-").tolist() == ["USELESS", "-", "-"] * 2
        assert stated_agreement(said(short), n_boot=20).loc["explicit", "value"] == pytest.approx(1 / 3)
    for field in ("stated", "failed"):
        with pytest.raises(EpisodeError, match=f"row 1: field '{field}' is null"):
            stated_agreement(said(**{field: None}))
    with pytest.raises(EpisodeError, match=r"row 1: field 'stated': entry 3.*'useful'"):
        stated_agreement(said(("USELESS", None, "useful")))
