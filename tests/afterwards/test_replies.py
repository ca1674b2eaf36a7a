"""What probes are answered with: read strictly, missing otherwise; prompts against the paper."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from judged_useless.afterwards.replies import (
    CONTINUATION_FORM,
    USEFULNESS_FORM,
    is_placeholder,
    read_beliefs,
)
from judged_useless.afterwards.rubric import read_label
from judged_useless.protocol.prompts import get_wording, load_wordings
from judged_useless.protocol.vocabulary import USEFULNESS

# Cut out of the paper's text, not typed.
STIMULI = json.loads((Path(__file__).parents[1] / "data" / "probe_stimuli.json").read_text(encoding="utf-8"))


def squeezed(text: str) -> str:
    """Return a text with all blanks alike: the paper's text has lost its line breaks."""
    return re.sub(r"\s+", " ", text).strip()


def test_the_quoted_turns_are_the_papers() -> None:
    wording = get_wording("react", "question")
    assert squeezed(wording.continuation) == squeezed(STIMULI["continuation"])
    assert squeezed(wording.repair) == squeezed(STIMULI["repair"])


def test_every_style_and_task_has_its_probes() -> None:
    for wording in load_wordings().values():
        assert all(word in wording.usefulness for word in USEFULNESS)
        # The paper: the continuation turn never mentions the action syntax or the budget left.
        assert "unspecified number" in wording.continuation
        assert not re.search(r"finish|search\[|Action", wording.continuation + wording.usefulness)
    with pytest.raises(ValueError, match="no wording in style 'tags'"):
        get_wording("tags", "question")


GOOD = '{"p_continue": 0.25, "p_answer_now": 1, "prefer": "unsure", "reason": "x"}'
SAID = {"p_continue": 0.25, "p_answer_now": 1.0, "prefer": "unsure"}


def read_continuation(reply: str) -> dict[str, Any]:
    return read_beliefs(reply, "p_continue", "p_answer_now", "prefer")


def read_usefulness(reply: str) -> str | None:
    word: str | None = read_beliefs(reply, "usefulness")["usefulness"]
    return word


@pytest.mark.parametrize("reply", [GOOD, f" {GOOD}\n", f"```json\n{GOOD}\n```", f"<think>so</think>\n{GOOD}"])
def test_a_reply_that_parses(reply: str) -> None:
    assert read_continuation(reply) == SAID


@pytest.mark.parametrize(
    "reply",
    [
        "", "I would continue.", "[]", "0.5", f"Sure! {GOOD}", GOOD[:-1],
        GOOD.replace("0.25", "1.2"), GOOD.replace("0.25", '"0.25"'), GOOD.replace("0.25", "true"),
        GOOD.replace("0.25", "NaN"), GOOD.replace("unsure", "stop"), GOOD.replace('"prefer"', '"wants"'),
        GOOD.replace("0.25", "-0.1"), GOOD.replace("0.25", "null"), GOOD.replace("0.25", "1e999"),
        GOOD.replace("0.25", "1" + "0" * 5000), GOOD.replace('"reason"', '"p_continue"'),
        GOOD.replace('"x"', '0.5, "p_continue": 0.5'), "[" * 3000, '{"p_continue":' * 3000,
        f"```json\n{GOOD}", f"{GOOD}```", "```", "``````",
    ],
)  # fmt: skip
def test_a_reply_that_does_not_parse_is_missing(reply: str) -> None:
    assert read_continuation(reply) == dict.fromkeys(SAID)


@pytest.mark.parametrize("blank", ["\n", " ", "\t"])
def test_a_fence_with_nothing_but_blanks_is_read_at_once(blank: str) -> None:
    # A pattern that could share the blanks out would try some 10^15 ways.
    for reply in (f"```json{blank * 100_000}{{", f"```{blank * 100_000}{{```", f"```{blank * 100_000}x"):
        assert read_usefulness(reply) is None
        assert read_label(reply, "S1") is None
    fenced = f"```json{blank * 100_000}{GOOD}{blank * 100_000}```"
    assert read_continuation(fenced) == SAID


def test_what_has_the_form_parses_and_nothing_else() -> None:
    for said in ("0", "1", "0.25", "1.0"):
        reply = f'{{"p_continue": {said}, "p_answer_now": 0.5, "prefer": "answer_now", "reason": "it is so"}}'
        assert re.fullmatch(CONTINUATION_FORM, reply)
        expected = {"p_continue": float(said), "p_answer_now": 0.5, "prefer": "answer_now"}
        assert read_continuation(reply) == expected
    assert not re.fullmatch(CONTINUATION_FORM, reply.replace("0.5", "1.5"))
    for word in USEFULNESS:
        reply = f'{{"usefulness": "{word}", "reason": "it is so"}}'
        assert re.fullmatch(USEFULNESS_FORM, reply)
        assert read_usefulness(reply) == word
    for wrong in ("USEFUL", None, ["OFF_TOPIC"]):
        assert read_usefulness(json.dumps({"usefulness": wrong})) is None


@pytest.mark.parametrize(
    ("answer", "is_one"),
    [
        ("answer", True), ("Guess", True), ("your best guess", True), ("", True), (" [answer] ", True),
        ("<your answer>", True), ("...", True), (None, False), ("Answer Me!", False), ("no", False),
        ("The Guess Who", False), ("unknown", False),
    ],
)  # fmt: skip
def test_a_placeholder_is_nothing_or_the_template(answer: str | None, is_one: bool) -> None:
    assert is_placeholder(answer) is is_one
