"""Beliefs against what came of them, by hand on a few episodes."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.beliefs import (
    answers_when_favoured,
    belief_curves,
    belief_prior,
    beliefs_by_model,
)
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.judgments import stated_agreement

NEW, OLD = "USEFUL_NEW", "OFF_TOPIC"


def episode(question: str, regime: str, n: int, success: bool, **fields: Any) -> dict[str, Any]:
    """Return an episode that answers after n results."""
    return {
        "question_id": question, "regime": regime, "actions": ["search"] * n + ["finish"],
        "judgments": ["USELESS"] * n, "success": success, "usefulness": [OLD] * n, "p_continue": [0.6] * n,
        "p_answer_now": [0.2] * n, "prefer": ["continue"] * n, "answer_now": [False] * n,
    } | fields  # fmt: skip


EPISODES = [
    episode("q1", "persistent", 2, False, p_continue=[0.8, None], prefer=["continue", None]),
    episode("q2", "persistent", 3, True, p_continue=[0.4, 0.2, 0.1], prefer=["answer_now"] * 3),
    episode("q1", "clean", 2, True, usefulness=[NEW, OLD], answer_now=[False, True]),
    episode("q2", "clean", 2, False, usefulness=[OLD, None]),
]


def curves(episodes: list[dict[str, Any]] = EPISODES, **options: Any) -> dict[Any, Any]:
    settings: dict[str, Any] = {"prior": ("clean", "persistent"), "n_boot": 50}
    table = belief_curves(episodes, **(settings | options))
    return dict(table.set_index(["quantity", "k"]).to_dict("index"))


def test_means_are_over_the_replies_that_there_are() -> None:
    found = curves()
    assert found["says going on is worth", 1]["value"] == pytest.approx(0.6)
    second = found["says going on is worth", 2]
    assert (second["value"], second["n"], second["n_missing"]) == (0.2, 1, 1)
    assert found["going on was worth", 1]["value"] == 0.5
    assert found["going on was worth", 3]["value"] == 1
    assert found["favours answering", 2]["value"] == 1
    assert found["answers", 2]["value"] == 0.5
    assert found["answering now was worth", 1]["value"] == 0


def test_the_ideal_observer_by_hand() -> None:
    found = curves()
    # After one result: clean is called not new in 1 of 2 replies, persistent in 2 of 2; values 1/2 and 1/2.
    assert found["ideal observer", 1]["value"] == pytest.approx(0.5)
    # After two: clean 1/2 · 1/1, persistent 1; values of going on 1/2 and 1/2.
    assert found["ideal observer", 2]["value"] == pytest.approx(0.5)
    # No clean run comes to a third result, so persistent is all there is.
    assert found["ideal observer", 3]["value"] == 1
    won = [each | {"success": each["regime"] == "clean"} for each in EPISODES]
    assert curves(won)["ideal observer", 1]["value"] == pytest.approx((0.5 * 1) / (0.5 + 1))
    mute = [each | {"usefulness": [None] * len(each["usefulness"])} for each in EPISODES]
    silent = curves(mute)["ideal observer", 1]
    assert np.isnan(silent["value"])
    assert silent["reason"].endswith("no regime of the prior has replies up to result 1 and a decision there")


def test_repaired_answers_count_here_if_they_were_asked_for() -> None:
    repaired = [
        each | {"repaired_success": True, "answer_now_repaired": [True] * len(each["answer_now"])}
        for each in EPISODES
    ]
    assert curves(repaired)["going on was worth", 1]["value"] == 1
    assert curves(repaired)["answering now was worth", 1]["value"] == 1
    assert curves(repaired, repaired=False)["going on was worth", 1]["value"] == 0.5
    unprobed = [{k: v for k, v in each.items() if k != "answer_now"} for each in EPISODES]
    row = curves(unprobed)["answering now was worth", 1]
    assert (row["n"], row["n_missing"]) == (0, 2)
    assert "nothing was asked" in row["reason"]


def test_answers_where_the_report_favours_them() -> None:
    estimate = answers_when_favoured(EPISODES, n_boot=20)
    assert estimate.value == pytest.approx(1 / 3)
    assert (estimate.n, estimate.parts["answers"]) == (3, 1)
    with pytest.raises(UndefinedEstimateError, match="no report favours"):
        answers_when_favoured(EPISODES, regimes=["clean"])


def test_what_is_not_there_is_named() -> None:
    bare = [{k: v for k, v in each.items() if k != "prefer"} for each in EPISODES]
    with pytest.raises(EpisodeError, match="field 'prefer' is missing; ask for it with the probe beliefs"):
        belief_curves(bare)
    with pytest.raises(UndefinedEstimateError, match="no decision of plausible"):
        curves(regime="plausible")
    with pytest.raises(UndefinedEstimateError, match="no decision of regime plausible"):
        curves(prior=("clean", "plausible"))


def test_stated_agreement_by_hand() -> None:
    episodes = [
        {
            "question_id": question, "regime": "persistent", "actions": ["search"] * 5, "success": False,
            "judgments": ["USELESS", "USELESS", "UNPARSED", "USEFUL", "USELESS"],
            "stated": ["USELESS", None, "USEFUL", "USELESS", "USELESS"],
            "failed": [True, True, False, False, True],
        }
        for question in ("q1", "q2")
    ]  # fmt: skip
    # The fifth result ends the budget: nothing is thought after it. Explicit: 3 of 4; agreeing: 2 of 3.
    table = stated_agreement(episodes, n_boot=20)["value"].to_dict()
    assert table["explicit"] == 0.75
    assert table["agreement"] == pytest.approx(2 / 3)
    assert table["kappa"] == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
    assert stated_agreement(episodes, per_stratum=2, n_boot=5)["n"].to_dict()["explicit"] == 4
    with pytest.raises(UndefinedEstimateError, match="5 decisions after a failed result are to be drawn"):
        stated_agreement(episodes, per_stratum=5)
    silent = [each | {"stated": [None] * 5} for each in episodes]
    assert "no item" in str(stated_agreement(silent, n_boot=5).loc["kappa", "reason"])


def test_models_that_were_not_asked_are_left_out_of_the_page() -> None:
    asked = pd.DataFrame([each | {"model": "asked"} for each in EPISODES])
    fields = ["question_id", "regime", "actions", "judgments", "success"]
    silent = pd.DataFrame([{name: each[name] for name in fields} | {"model": "silent"} for each in EPISODES])
    both = pd.concat([silent, asked], ignore_index=True)
    assert belief_prior(both) == ("clean", "persistent")
    curves = beliefs_by_model(both, n_boot=20)
    assert list(curves) == ["asked"]
    alone = belief_curves(asked, prior=("clean", "persistent"), n_boot=20)
    pd.testing.assert_frame_equal(curves["asked"], alone)
    assert (belief_prior(silent), beliefs_by_model(silent)) == ((), {})
    with pytest.raises(EpisodeError, match="ask for it with the probe beliefs"):
        belief_curves(both[both["model"] == "silent"])


def test_the_prior_is_on_regimes_that_every_model_was_asked_in() -> None:
    one = pd.DataFrame([each | {"model": "one"} for each in EPISODES])
    other = one.assign(model="other")
    unasked = other["regime"] == "persistent"
    # A regime that a probe left out has lists of nothing.
    other.loc[unasked, "p_continue"] = other["p_continue"].map(lambda values: [None] * len(values))[unasked]
    both = pd.concat([one, other], ignore_index=True)
    assert belief_prior(both) == ("clean",)
    # The figure is of persistent, which the other model was not asked in.
    assert beliefs_by_model(both, n_boot=5) == {}
