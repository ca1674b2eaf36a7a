"""The rule on messages: what it counts, what ends a run, and what stops it."""

import json
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_useless.harness import JUDGE_QUESTION, Backstop, Rule

Messages = list[dict[str, Any]]


def openai(*results: str, question: str = "Who wrote it?") -> Messages:
    messages: Messages = [{"role": "system", "content": "Answer."}, {"role": "user", "content": question}]
    for number, text in enumerate(results):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": f"Step {number}.", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    return messages


def responses(*results: str, question: str = "Who wrote it?") -> Messages:
    messages: Messages = [{"role": "user", "content": question}]
    for number, text in enumerate(results):
        messages.append({"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]})
        messages.append(
            {"type": "function_call", "call_id": f"c{number}", "name": "search", "arguments": "{}"}
        )
        messages.append({"type": "function_call_output", "call_id": f"c{number}", "output": text})
    return messages


def anthropic(*results: str, question: str = "Who wrote it?") -> Messages:
    messages: Messages = [{"role": "user", "content": question}]
    for number, text in enumerate(results):
        use = {"type": "tool_use", "id": f"c{number}", "name": "search", "input": {}}
        found = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
        messages.append({"role": "assistant", "content": [{"type": "text", "text": "Hm."}, use]})
        messages.append({"role": "user", "content": [found, {"type": "text", "text": "<reminder>"}]})
    return messages


FORMS = pytest.mark.parametrize("form", [openai, responses, anthropic])


class Judge:
    """Replies as it is told, and keeps what it was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked = list(replies), list[Any]()

    def __call__(self, messages: Any) -> str:
        self.asked.append(messages)
        return self.replies[len(self.asked) - 1] if self.replies else "USELESS"


@FORMS
def test_fires_after_the_fifth_useless_result_and_not_before(form: Any) -> None:
    rule, judge = Rule(), Judge()
    decisions = [rule.after_results(form(*"abcdefg"[:n]), judge) for n in range(8)]
    assert [decision.stop for decision in decisions] == [False] * 5 + [True] * 3
    assert [decision.run for decision in decisions] == list(range(8))
    assert len(judge.asked) == 7  # each result once, though each conversation was read anew


@FORMS
def test_the_question_stands_at_the_end_of_a_copy(form: Any) -> None:
    messages = form("a", "b")
    before, judge = json.dumps(messages), Judge()
    Rule().after_results(messages, judge)
    assert json.dumps(messages) == before
    assert all(json.dumps(asked[-1]).count(JUDGE_QUESTION) == 1 for asked in judge.asked)
    assert [len(asked) for asked in judge.asked] != [len(messages)] * 2


@FORMS
@pytest.mark.parametrize("word", ["USEFUL", "<think>it is useless", "", "no idea"])
def test_any_other_reply_ends_the_run(form: Any, word: str) -> None:
    judge = Judge("USELESS", "USELESS", word, "USELESS", "USELESS")
    assert Rule(k=3).after_results(form(*"abcde"), judge).run == 2


def test_an_unread_reply_never_stops() -> None:
    assert not Rule(k=1).after_results(openai(*"abcdefgh"), lambda _: "well").stop
    nothing: Any = Rule(k=1).after_results(openai("a"), lambda _: None)  # type: ignore[arg-type, return-value]
    assert nothing.judgments == ("UNPARSED",)


@FORMS
def test_a_new_question_begins_anew_and_a_reminder_does_not(form: Any) -> None:
    rule = Rule(k=3, signals=["empty"])
    answered = [*form("", ""), {"role": "assistant", "content": "Nobody."}]
    follow_up = [*answered, *[each for each in form("") if each.get("role") != "system"]]
    assert rule.after_results(follow_up).run == 1
    reminded = [*form("", ""), {"role": "user", "content": "Go on."}]
    assert rule.after_results([*reminded, *form("")[-2:]]).stop


def test_with_an_answering_tool_only_its_call_is_an_answer() -> None:
    call = {"id": "s", "function": {"name": "submit", "arguments": '"Oslo"'}}
    submitted = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "s", "content": ""},
    ]
    talked = [{"role": "assistant", "content": "Hm."}, {"role": "user", "content": "Please go on."}]
    rule = Rule(k=3, signals=["empty"], answer_tool="submit")
    assert rule.after_results([*openai("", ""), *talked, *openai("")[-2:]]).stop
    assert rule.after_results([*openai("", ""), *submitted]).run == 2
    assert rule.after_results([*openai("", ""), *submitted, *openai("")[1:]]).run == 1


@pytest.mark.parametrize(("texts", "run"), [(["", ""], 1), (["", "Oslo is a city."], 0)])
def test_calls_of_one_turn_are_one_step(texts: list[str], run: int) -> None:
    calls = [{"id": str(n), "function": {"name": "search", "arguments": "{}"}} for n in range(len(texts))]
    results = [{"role": "tool", "tool_call_id": str(n), "content": text} for n, text in enumerate(texts)]
    turn = {"role": "assistant", "content": None, "tool_calls": calls}
    question = {"role": "user", "content": "Where?"}
    assert Rule(signals=["empty"]).after_results([question, turn, *results]).run == run


def test_free_signals() -> None:
    found = "The book Dune was written by Frank Herbert."
    messages = openai("[]", "Error: timed out", found, found, question="Who wrote the book Dune?")
    said = {
        name: Rule(signals=[name]).after_results(messages).judgments
        for name in ("empty", "repeated", "lexical")
    }
    assert said["empty"] == ("USELESS", "USELESS", "USEFUL", "USEFUL")
    assert said["repeated"] == ("USEFUL", "USEFUL", "USEFUL", "USELESS")
    assert said["lexical"] == ("USELESS", "USELESS", "USEFUL", "USEFUL")
    failed = anthropic("Oslo")
    failed[-1]["content"][0]["is_error"] = True
    assert Rule(signals=["empty"]).after_results(failed).judgments == ("USELESS",)


def test_stated_judgments_are_those_of_the_turn_that_follows() -> None:
    proposed = {"role": "assistant", "content": "The result is not relevant. I search again."}
    proposed["tool_calls"] = [{"id": "z", "function": {"name": "search", "arguments": "{}"}}]  # type: ignore[assignment]
    rule = Rule(k=1, signals=["stated"])
    assert rule.after_results(openai("a")).judgments == (None,)
    assert rule.after_results([*openai("a"), proposed]).stop


def test_the_free_signal_spares_the_question() -> None:
    judge = Judge()
    decision = Rule(signals=["side_channel", "empty"]).after_results(openai("", "a"), judge)
    assert decision.run == 2
    assert len(judge.asked) == 1


def test_a_judge_sees_question_and_result_only() -> None:
    judge = Judge()
    Rule(signals=["judge"]).after_results(openai("found this"), judge)
    assert len(judge.asked[0]) == 1
    assert "Who wrote it?" in judge.asked[0][0]["content"]
    assert "found this" in judge.asked[0][0]["content"]


@pytest.mark.parametrize(
    ("limit", "by"),
    [(Backstop(calls=2), "calls"), (Backstop(tokens=20), "tokens"), (Backstop(seconds=0), "seconds")],
)
def test_a_limit_stops_too_and_is_told_apart(limit: Backstop, by: str) -> None:
    rule = Rule(k=3, signals=["empty"], backstop=limit)
    assert rule.after_results(openai("a", "b")).by == by
    assert rule.after_results(openai("", "", "")).by == "evidence"
    assert rule.after_results(openai("", "", "", "")).by == "evidence"
    assert rule.stops == {by: 1, "evidence": 1}


@pytest.mark.parametrize("options", [{"k": 0}, {"signals": []}, {"signals": ["mood"]}])
def test_what_is_no_rule_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        Rule(**options)


def test_a_signal_that_asks_wants_somebody_to_ask() -> None:
    with pytest.raises(ValueError, match="ask"):
        Rule().after_results(openai("a"))


def test_one_rule_serves_many_conversations_at_once() -> None:
    rule, wrong = Rule(k=3, signals=["side_channel"]), list[str]()

    def converse(name: int) -> None:
        useless = name % 2 == 0
        for n in range(6):
            messages = openai(*"abcdef"[:n], question=f"Question {name}?")
            stop = rule.after_results(messages, lambda _: "USELESS" if useless else "USEFUL").stop
            if stop != (useless and n >= 3):
                wrong.append(f"{name} at {n}")

    threads = [threading.Thread(target=converse, args=(name,)) for name in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert rule.stops == {"evidence": 20}


@given(st.lists(st.sampled_from(["USELESS", "USEFUL", "?"]), max_size=12), st.integers(1, 6))
def test_the_run_is_what_the_words_say(words: list[str], k: int) -> None:
    results = [f"{number}" for number in range(len(words))]
    decision = Rule(k=k).after_results(openai(*results), Judge(*words) if words else None or Judge())
    tail = next((n for n, word in enumerate(reversed(words)) if word != "USELESS"), len(words))
    assert (decision.run, decision.stop) == (tail, tail >= k)
