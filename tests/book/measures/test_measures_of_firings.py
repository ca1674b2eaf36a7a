"""Where the rule fired, how episodes ended, and what more actions changed, on cells small enough to count."""

from typing import Any

import pandas as pd
import pytest
from judged_useless import load_episodes
from made_up_episodes import episode
from measured import estimate, lacking, value
from paper_book.measures.from_episodes import fired, won_by_firing


def cell(*rows: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame([row | {"question_id": f"q{number}"} for number, row in enumerate(rows, 1)])


@pytest.fixture
def rule() -> pd.DataFrame:
    """Five in a row before an action on three of five questions; one of them ends without an answer."""
    return cell(
        episode("-----", condition="enforced_rule", success=True),
        episode("-----", condition="enforced_rule", answered=False),
        episode("+-----", condition="enforced_rule"),
        episode("--+--", condition="enforced_rule", success=True),
        episode("----", condition="enforced_rule"),
    )


@pytest.fixture
def unaided() -> pd.DataFrame:
    """The same questions: budgets used up on the first and third, an unreadable turn on the second."""
    return cell(
        episode("--------", answered=False),
        episode("---", answered=False),
        episode("-+------", answered=False),
        episode("--", success=True),
        episode("+", success=True),
    )


def test_a_rule_fires_where_five_in_a_row_come_before_an_action(rule: pd.DataFrame) -> None:
    # On the second question the fifth judgment is of the last result: no action follows, so nothing fires.
    assert fired(rule).tolist() == [True, False, True, False, False]
    one_more = {"actions": ["search"] * 6, "judgments": [*["USELESS"] * 5, None]}
    longer = pd.DataFrame(
        [row | one_more if n == 1 else row for n, row in enumerate(rule.to_dict("records"))]
    )
    assert fired(longer).tolist() == [True, True, True, False, False]
    assert value("rule_fired_rate", longer) == pytest.approx(0.6)
    assert value("n_fired", longer) == 3
    assert value("answered_after_firing", longer) == pytest.approx(2 / 3)
    assert value("success_where_fired", longer) == pytest.approx(1 / 3)
    assert value("median_answer_action_fired", longer) == 6.5


def test_a_rule_on_stated_judgments_fires_where_a_turn_was_discarded(rule: pd.DataFrame) -> None:
    stated = rule.assign(condition="stated_judgment_rule", n_discarded=[0, 1, 0, 2, 0])
    rate = estimate("firing_rate", stated)
    assert rate.value == pytest.approx(0.4)
    assert (rate.parts["count"], rate.n) == (2, 5)
    assert lacking("firing_rate", stated.drop(columns="n_discarded")) == ["n_discarded"]


def test_budgets_used_up_where_the_rule_fired(rule: pd.DataFrame, unaided: pd.DataFrame) -> None:
    found = estimate("exhausted_where_rule_fired", unaided, rule)
    assert (found.value, found.parts["count"], found.n) == (1.0, 2, 2)


def test_net_correct_answers_by_hand(rule: pd.DataFrame, unaided: pd.DataFrame) -> None:
    # Fired on q1 and q3: one right instead of none. Elsewhere one (q4) instead of two (q4, q5).
    assert value("net_correct_where_fired", rule, unaided) == 1
    assert value("net_correct_elsewhere", rule, unaided) == -1


def test_what_firing_won_and_what_differed_without_it(rule: pd.DataFrame, unaided: pd.DataFrame) -> None:
    counted = won_by_firing(rule, unaided.assign(actions=[*unaided["actions"][:3], *rule["actions"][3:]]))
    assert counted.loc["persistent"].to_dict() == {
        "fired": 2, "net correct where fired": 1, "untouched": 3, "net correct elsewhere": -1,
        "other actions": 1,
    }  # fmt: skip
    # The real cells: episodes that the rule never touched, and that took other actions all the same.
    cells = [load_episodes(condition=name) for name in ("enforced_rule", "unaided")]
    found = won_by_firing(*cells).loc[["recover_after_1", "recover_after_3"]]
    assert found[["untouched", "other actions"]].to_numpy().tolist() == [[256, 43], [266, 53]]


@pytest.mark.parametrize(
    ("regime", "where_fired", "elsewhere"), [("recover_after_1", -2, -6), ("recover_after_3", -5, -4)]
)
def test_net_correct_answers_are_the_papers(regime: str, where_fired: int, elsewhere: int) -> None:
    """Appendix A, of Qwen3-8B's failed H3 tests, from the real cells."""
    cells = [load_episodes(condition=name) for name in ("enforced_rule", "unaided")]
    assert value("net_correct_where_fired", *cells, regime=regime) == where_fired
    assert value("net_correct_elsewhere", *cells, regime=regime) == elsewhere


def test_endings_by_hand(unaided: pd.DataFrame) -> None:
    assert value("share_exhausted", unaided) == pytest.approx(0.4)
    assert value("no_answer_rate", unaided) == pytest.approx(0.2)
    assert value("answered_after_1_or_2", unaided) == pytest.approx(0.4)
    at_once = cell(*[episode("") for _ in range(5)])
    assert value("answered_after_1_or_2", at_once) == 0.0


def test_a_doubled_budget_by_hand() -> None:
    short = cell(episode("--"), episode("----"))
    long = cell(episode("-----"), episode("------")).assign(budget=16)
    assert value("calls_increase", long, short) == pytest.approx(11 / 6 - 1)
    assert value("median_answer_action_shift", long, short) == pytest.approx(6.5 - 4)


def test_useless_judgments_of_a_row_without_a_regime_pool_the_six() -> None:
    from judged_useless.environment.regimes import MEAN6

    rows = [episode("-+--" if name == "clean" else "-+-", regime=name) for name in MEAN6]
    six = pd.DataFrame(rows)
    # Real: clean -+--, recover_after_1 +-, _2 -, _3 and persistent none, late_onset -+.
    assert value("useless_rate_real", six, regime="") == pytest.approx((3 + 1 + 1 + 1) / (4 + 2 + 1 + 2))
    # Failed: persistent -+-, recover_after_1 -, _2 -+, _3 -+-, late_onset -.
    assert value("useless_rate", six, regime="") == pytest.approx((2 + 1 + 1 + 2 + 1) / (3 + 1 + 2 + 3 + 1))
