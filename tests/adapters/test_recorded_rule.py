"""The rule on recorded episodes, by hand, and the choice of k."""

from typing import Any

import pandas as pd
import pytest
from judged_useless.adapters import choose_k, rule_on_trial

LETTERS = {"-": "USELESS", "+": "USEFUL"}


def episode(question: str, letters: str, *, answered: bool, success: bool, **more: Any) -> dict[str, Any]:
    words = [LETTERS[letter] for letter in letters]
    actions = ["search"] * len(words) + ["finish"] * answered
    return {"question_id": question, "actions": actions, "judgments": words, "success": success} | more


def test_what_the_rule_would_have_done() -> None:
    frame = pd.DataFrame(
        [
            episode("a", "------", answered=False, success=False, sizes=[40] * 7),
            episode("b", "--+", answered=True, success=True, sizes=[40] * 5),
            episode("c", "--", answered=True, success=True, sizes=[40] * 4),  # answers where the rule fires
            episode("d", "-+-", answered=True, success=False, sizes=[40] * 5),
        ]
    )
    table = rule_on_trial(frame, (2, 5, 6)).set_index("k")
    assert table.to_dict("index")[2] == {
        "fires": 2, "episodes": 4, "calls saved": 5, "useful later": 1, "right later": 1,
        # of (a) turns 4 to 6 send 160 + 200 + 240 characters, of (b) the answer sends 160
        "tokens saved": 760 // 4,
    }  # fmt: skip
    assert table["fires"].tolist() == [2, 1, 0]
    assert table["calls saved"].tolist() == [5, 1, 0]
    assert rule_on_trial(frame.drop(columns=["sizes", "success"]))["tokens saved"].isna().all()


def development(branch: bool | None) -> list[dict[str, Any]]:
    """Return episodes of a source that never recovers, and of one that does after three results."""
    rows = []
    for number in range(30):
        known = {} if branch is None else {"answer_now": [branch] * 4}
        late = episode(f"q{number}", "---+", answered=True, success=True, regime="recover_after_3", **known)
        lost = episode(f"q{number}", "-" * 7, answered=False, success=False, regime="persistent", **known)
        rows += [late, lost]
    return rows


def test_a_k_that_the_source_outlasts_is_not_chosen() -> None:
    table = choose_k(development(None), ks=(2, 3, 4, 5), n_boot=100).set_index("k")
    assert table["non-inferior"].to_dict() == {2: False, 3: False, 4: True, 5: True}
    assert table.index[table["chosen"]].tolist() == [4]
    assert table["worst low"].tolist() == [-1.0, -1.0, 0.0, 0.0]
    assert table["difference"].tolist() == [-0.5, -0.5, 0.0, 0.0]
    assert table["calls saved"].tolist() == [(5 + 2) / 2, (4 + 1) / 2, 3 / 2, 2 / 2]


def test_a_branch_that_answers_rightly_is_credited() -> None:
    table = choose_k(development(True), ks=(2,), n_boot=100)
    assert table["difference"].tolist() == [0.5]
    assert table["chosen"].tolist() == [True]
    assert not choose_k(development(False), ks=(2,), n_boot=100)["chosen"].any()


def test_signals_are_compared_side_by_side() -> None:
    rows = [each | {"stated": ["USEFUL"] * len(each["judgments"])} for each in development(None)]
    table = choose_k(rows, ks=(3, 4), signals=("judgments", "stated"), n_boot=100)
    assert table[["signal", "k"]].to_numpy().tolist() == [
        ["judgments", 3], ["judgments", 4], ["stated", 3], ["stated", 4],
    ]  # fmt: skip
    assert table["fires"].tolist() == [1.0, 0.5, 0.0, 0.0]
    with pytest.raises(ValueError, match="lexical"):
        choose_k(rows, signals=("lexical",))
