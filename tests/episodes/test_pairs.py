"""Which question is shown in two arms, and what its episodes hold, by hand and on the released cells."""

from typing import Any

import pandas as pd
import pytest
from judged_useless import load_episodes
from judged_useless._io.paths import data_dir
from judged_useless.episodes.schema import EpisodeError
from made_up_episodes import episode
from paper_book.pairs import episode_steps, first_rescued_question

ALONE = [
    episode("-----+--", answered=False, question_id="a"),  # fits
    episode("----+---", answered=False, question_id="b"),  # spends its budget, but never five in a row
    episode("-------", question_id="c"),  # answers
    episode("--------", answered=False, question_id="d"),  # fits
    episode("-----", answered=False, question_id="e"),  # ends early, with actions left
    episode("--------", answered=False, question_id="f"),  # fits, with no partner
]
RULED = [
    episode("-----", question_id="a", success=False),  # the rule fires, and the answer is wrong
    episode("-----", question_id="b", success=True),
    episode("-----", question_id="c", success=True),
    episode("+-----", question_id="d", success=True),  # the rule fires, and the answer is right
    episode("-----", question_id="e", success=True),
]


def chosen(
    alone: list[dict[str, Any]] = ALONE, ruled: list[dict[str, Any]] = RULED, **options: Any
) -> tuple[str, str]:
    columns = list(ALONE[0])
    return first_rescued_question(
        pd.DataFrame(alone, columns=columns), pd.DataFrame(ruled, columns=columns), **options
    )


def test_the_first_question_that_fits_is_shown() -> None:
    assert chosen() == ("d", "")
    right = [RULED[0] | {"success": True}, *RULED[1:]]
    assert chosen(ruled=right) == ("a", "")
    assert chosen(ALONE[::-1], right) == ("d", "")  # the order is that of the arm left alone


def test_the_rule_has_to_have_fired() -> None:
    without = [*RULED[:3], episode("+----", question_id="d", success=True)]
    question, reason = chosen(ruled=without)
    assert question == ""
    assert reason == (
        "none of the 4 questions in both arms fits: on 2 the agent left alone spends its budget after 5 "
        "useless results in a row, on 2 the rule fires and the answer is right, on none both"
    )
    assert chosen(ruled=without, k=4)[0] == "b"


def test_a_run_at_the_last_result_comes_too_late() -> None:
    late = [episode("+++-----", answered=False, question_id="d")]
    assert chosen(late)[0] == ""


def test_what_is_missing_is_named() -> None:
    assert chosen([]) == ("", "there is no episode of the agent left alone in the regime persistent")
    assert chosen(ruled=[]) == ("", "there is no episode of the enforced rule in the regime persistent")
    elsewhere = [each | {"regime": "clean"} for each in RULED]
    assert chosen(ruled=elsewhere)[1] == "there is no episode of the enforced rule in the regime persistent"
    others = [each | {"question_id": f"other {each['question_id']}"} for each in RULED]
    assert chosen(ruled=others)[1] == "the two arms have no question in common"


def test_a_larger_budget_is_not_spent_after_eight_actions() -> None:
    longer = [each | {"budget": 16} for each in ALONE]
    frame, ruled = pd.DataFrame(longer), pd.DataFrame(RULED)
    assert first_rescued_question(frame, ruled)[0] == ""


def test_on_the_released_cells_the_question_is_found_again_by_reading_them_in_order() -> None:
    alone, ruled = (
        load_episodes(condition=condition, regimes="persistent").set_index("question_id")
        for condition in ("unaided", "enforced_rule")
    )
    manifest = (data_dir() / "manifests" / "test300.txt").read_text(encoding="utf-8").split()
    for question in manifest:
        one, other = alone.loc[question], ruled.loc[question]
        said = "".join("-" if judgment == "USELESS" else "+" for judgment in one["judgments"][:-1])
        fired = "".join("-" if judgment == "USELESS" else "+" for judgment in other["judgments"])
        if (
            len(one["actions"]) == 8
            and one["actions"][-1] != "finish"
            and "-----" in said
            and other["actions"][-1] == "finish"
            and "-----" in fired
            and other["success"]
        ):
            break
    found = first_rescued_question(
        load_episodes(condition="unaided"), load_episodes(condition="enforced_rule")
    )
    assert found == (question, "")


def test_steps_of_an_episode_by_hand() -> None:
    row = episode("-?--.-+-", answered=True, question_id="a", regime="recover_after_2")
    steps = episode_steps(pd.DataFrame([row]), "a", "recover_after_2")
    assert steps["run"].tolist() == [1, 0, 1, 2, None, None, 0, 1, None]
    assert steps["failed"].tolist() == [True, True, False, False, False, False, False, False, None]
    assert steps["judgment"].tolist()[:5] == ["USELESS", "UNPARSED", "USELESS", "USELESS", None]
    assert steps["action"].tolist() == ["search"] * 8 + ["finish"]
    assert steps["t"].tolist() == list(range(1, 10))


def test_an_episode_that_is_not_there_is_refused() -> None:
    with pytest.raises(EpisodeError, match="none of question 'z' in the regime 'persistent'"):
        episode_steps(pd.DataFrame(ALONE), "z")
