"""Two episodes side by side: which question, what stands in each cell, what is folded, never markup."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from html_reader import Reader
from judged_useless.afterwards.probe_findings import read_run
from judged_useless.afterwards.replaying import replay
from judged_useless.runs.cell import run_cell
from judged_useless.runs.recorded import Run
from made_up_episodes import episode
from paper_book.figures.two_episodes import (
    SHOWN,
    Arm,
    TwoEpisodes,
    episode_steps,
    first_rescued_question,
    recorded_arm,
)
from paper_book.tables.written_steps import WrittenStep, written_steps

pytest_plugins = ("run_fixtures",)
HOSTILE = "<script>alert('1')</script> & \" " + "x" * SHOWN


def arm(letters: str, condition: str, **fields: object) -> Arm:
    row = episode(letters, condition=condition, **fields)  # type: ignore[arg-type]
    return recorded_arm(pd.DataFrame([row]), "q1", source="embedded")


def test_every_step_says_what_was_done_found_and_judged() -> None:
    alone = arm("--+.-?--", "unaided", answered=False)
    ruled = arm("-----", "enforced_rule", success=True)
    cells = Reader(TwoEpisodes((alone, ruled), "A caption"))
    assert cells.rows[0] == ["action", "unaided", "enforced rule"]
    first = [row[1] for row in cells.rows[1:9]]
    assert first == [
        "search|result failed|judged useless",
        "search|result failed|judged useless, 2 in a row",
        "search|result failed|judged useful",
        "search|result failed|not judged",
        "search|result failed|judged useless",
        "search|result failed|judged unreadable",
        "search|result failed|judged useless",
        "search|result failed|judged useless, 2 in a row",
    ]
    assert [row[2] for row in cells.rows[5:8]] == [
        "search|result failed|judged useless, 5 in a row", "finish|only the answer was left", "–",
    ]  # fmt: skip
    assert cells.rows[9] == [
        "end", "all 8 actions spent, no answer: counts as wrong", "answered at action 6: right",
    ]  # fmt: skip
    assert {each["scope"] for each in cells.all("th")} == {"row", "col"}


@pytest.mark.parametrize(
    ("fields", "ending"),
    [
        ({"success": False}, "answered at action 4: wrong"),
        ({"answered": False, "termination": "format_failure"}, "format failure, no answer: counts as wrong"),
        ({"answered": False, "termination": None}, "all 3 actions spent, no answer: counts as wrong"),
    ],
)
def test_endings(fields: dict[str, object], ending: str) -> None:
    assert arm("---", "unaided", **fields).ending == ending


def test_texts_are_escaped_and_long_ones_folded() -> None:
    steps = arm("-", "unaided").steps
    written = [WrittenStep(HOSTILE, HOSTILE, HOSTILE), WrittenStep("", "short", "")]
    shown = TwoEpisodes((Arm(HOSTILE, steps, "answered", written), arm("-", "unaided")), HOSTILE)
    html = shown._repr_mimebundle_()["text/html"]
    assert "<script>" not in html
    folded = re.findall(r"<details>(.*?)</details>", html)
    assert len(folded) == 1  # the second step has nothing to fold
    assert folded[0].count("&lt;script&gt;") == 3
    cell = Reader(shown).rows[1][1]
    assert cell.startswith(f"search {HOSTILE[:SHOWN]}…")
    assert "thought and result" in cell
    assert Reader(shown).rows[2][1].startswith("finish short")


@pytest.mark.usefixtures("hamlet_tasks")
async def test_words_are_read_back_from_a_run(tmp_path: Path) -> None:
    run = await run_cell(
        model="scripted:never", condition="enforced_rule", task="hamlets", split="many", n_questions=3,
        regimes=["persistent"], useless_if_failed=1.0, out=tmp_path / "a", progress=False,
    )  # fmt: skip
    episodes = read_run(run.path)
    question = episodes["question_id"].iloc[1]
    shown = recorded_arm(episodes, question, source=[tmp_path])
    record = Run(run.path).trajectory(question, "persistent")
    assert [each.text for each in shown.written][-1] == record["answer"]
    assert len(shown.written) == len(shown.steps) == 6
    turns = [message["content"] for message in record["messages"] if message["role"] == "assistant"]
    results = [message["content"] for message in record["messages"] if "Observation: " in message["content"]]
    for each, turn, result in zip(shown.written, turns, [*results, ""], strict=True):
        assert f"Thought: {each.thought}\n" in turn
        assert turn.endswith(f"Action Input: {each.text}")
        assert each.result in result
    assert all(each.result for each in shown.written[:-1])
    cell = {"model": "scripted:never", "split": "many", "question_id": question}
    assert written_steps(tmp_path, condition="unaided", **cell) == []
    # What was asked afterwards lies beside the run and is no run of its own.
    await replay(run, "beliefs", progress=False)
    assert len(written_steps(tmp_path, condition="enforced_rule", **cell)) == 6


# --- which question ------------------------------------------------------------------------------

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


def test_what_is_missing_is_named() -> None:
    assert chosen([]) == ("", "there is no episode of the agent left alone in the regime persistent")
    assert chosen(ruled=[]) == ("", "there is no episode of the enforced rule in the regime persistent")
    elsewhere = [each | {"regime": "clean"} for each in RULED]
    assert chosen(ruled=elsewhere)[1] == "there is no episode of the enforced rule in the regime persistent"
    others = [each | {"question_id": f"other {each['question_id']}"} for each in RULED]
    assert chosen(ruled=others)[1] == "the two arms have no question in common"


def test_steps_of_an_episode_by_hand() -> None:
    row = episode("-?--.-+-", answered=True, question_id="a", regime="recover_after_2")
    steps = episode_steps(pd.DataFrame([row]), "a", "recover_after_2")
    assert steps["run"].tolist() == [1, 0, 1, 2, None, None, 0, 1, None]
    assert steps["failed"].tolist() == [True, True, False, False, False, False, False, False, None]
    assert steps["judgment"].tolist()[:5] == ["USELESS", "UNPARSED", "USELESS", "USELESS", None]
    assert steps["action"].tolist() == ["search"] * 8 + ["finish"]
    assert steps["t"].tolist() == list(range(1, 10))


def test_an_agent_that_answers_by_itself_is_not_said_to_be_made_to() -> None:
    for condition, letters in (("unaided", "-----"), ("enforced_rule", "---")):
        cells = Reader(TwoEpisodes((arm(letters, condition), arm("-", "unaided")), "c"))
        assert [row[1] for row in cells.rows][len(letters) + 1] == "finish"
