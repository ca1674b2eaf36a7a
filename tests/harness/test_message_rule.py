"""The rule on messages: what it counts, what ends a run, and what stops it."""

import json
import threading
import time
from types import SimpleNamespace
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


def judged(signal: str, *results: Any) -> tuple[str | None, ...]:
    return Rule(signals=[signal]).after_results(openai(*results, question="Who wrote Dune?")).judgments


def test_free_signals() -> None:
    found = "Dune was written by Frank Herbert, who wrote."
    results = "[]", "Error: timed out", found, found
    assert judged("empty", *results) == ("USELESS", "USELESS", "USEFUL", "USEFUL")
    assert judged("repeated", *results) == ("USEFUL", "USEFUL", "USEFUL", "USELESS")
    assert judged("lexical", *results) == ("USELESS", "USELESS", "USEFUL", "USEFUL")
    failed = anthropic("Oslo")
    failed[-1]["content"][0]["is_error"] = True
    assert Rule(signals=["empty"]).after_results(failed).judgments == ("USELESS",)


IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}
NOTHING = """|  |None|null|""|[]|{}|{"results": []}|{"query": "Dune", "hits": {"hits": [], "total": 0}}
0 results|No matching documents were found.|Found no results for Dune|{"error": "not found"}
{"data": null, "errors": ["no"]}|{"content": [{"text": "No such page"}], "isError": true}|404 Not Found
Error: timed out|HTTP error 404|requests.ReadTimeoutError: late|Request timed out after 30 s|Error
Traceback (most recent call last): ..."""
SOMETHING = """Error correction codes add bits.|Exceptional|0|false|{"count": 0}|No man is an island.
{"data": {"x": 1}, "errors": ["partly"]}|{"error": null, "title": "Dune"}|[{"title": "Dune"}]|{broken
None of the novels was finished before 1969."""


@pytest.mark.parametrize("text", ["", None, [], {}, {"results": []}, *NOTHING.replace("\n", "|").split("|")])
def test_what_is_empty(text: Any) -> None:
    assert judged("empty", text) == ("USELESS",)


@pytest.mark.parametrize("text", [0, {"title": "Dune"}, [IMAGE], *SOMETHING.replace("\n", "|").split("|")])
def test_what_is_not_empty(text: Any) -> None:
    assert judged("empty", text) == ("USEFUL",)


def test_no_text_is_useless_for_being_none() -> None:
    other = {"type": "image_url", "image_url": {"url": "data:,x"}}
    assert judged("lexical", [IMAGE], {"title": "Dune, by whom I wrote"}) == ("USEFUL", "USEFUL")
    assert judged("repeated", [IMAGE], [other], [IMAGE]) == ("USEFUL", "USEFUL", "USELESS")


@pytest.mark.parametrize("text", [" " * 300_000 + "x", "[" * 300_000, "error " * 50_000, "no " * 100_000])
def test_a_long_result_is_read_at_once(text: str) -> None:
    began = time.process_time()
    assert judged("empty", text) == ("USEFUL",)
    assert time.process_time() - began < 1


SEARCHED = {"type": "web_search_call", "id": "w", "action": {"query": "Dune"}}
SERVER = [
    {"type": "server_tool_use", "id": "w", "name": "web_search", "input": {}},
    {"type": "web_search_tool_result", "tool_use_id": "w", "content": []},
]


@pytest.mark.parametrize(
    ("messages", "judgments"),
    [
        ([SEARCHED, SEARCHED | {"id": "v"}], ("USEFUL", "USEFUL")),  # what it found is not shown
        ([{"type": "mcp_call", "id": "m", "name": "x", "error": "down"}], ("USELESS",)),
        ([{"type": "mcp_call", "id": "m", "name": "x", "output": "Oslo"}], ("USEFUL",)),
        (
            [
                {"type": "custom_tool_call", "call_id": "c", "name": "x", "input": "y"},
                {"type": "custom_tool_call_output", "call_id": "c", "output": ""},
            ],
            ("USELESS",),
        ),
        (
            [
                {"role": "assistant", "content": None, "function_call": {"name": "x", "arguments": "{}"}},
                {"role": "function", "name": "x", "content": "{}"},
            ],
            ("USELESS",),
        ),
        (
            [{"role": "assistant", "content": SERVER}, {"role": "assistant", "content": SERVER}],
            ("USELESS",) * 2,
        ),
        ([{"role": "assistant", "content": [*SERVER, *SERVER]}], ("USELESS",)),
    ],
)
def test_every_form_of_call_is_seen(messages: Messages, judgments: tuple[str, ...]) -> None:
    question = {"role": "user", "content": "Where?"}
    decided = Rule(signals=["empty"]).after_results([question, *messages])
    assert decided.judgments == judgments
    answered = [question, *messages, {"role": "assistant", "content": "Oslo"}, question]
    assert Rule(signals=["empty"]).after_results(answered).judgments == ()


def test_an_answer_after_the_providers_search_is_an_answer() -> None:
    turn = {"role": "assistant", "content": [*SERVER, {"type": "text", "text": "Oslo"}]}
    question = {"role": "user", "content": "Where?"}
    assert Rule(signals=["empty"]).after_results([question, turn, question]).judgments == ()


def test_objects_are_read_as_their_dictionaries() -> None:
    def opened(value: Any) -> Any:
        if isinstance(value, dict):
            return SimpleNamespace(**{name: opened(each) for name, each in value.items()})
        return [opened(each) for each in value] if isinstance(value, list) else value

    rule = Rule(k=2, signals=["empty"])
    for form in (openai, responses, anthropic):
        assert rule.after_results([opened(each) for each in form("", "")]).stop


@pytest.mark.parametrize(
    ("odd", "named"),
    [
        (None, r"messages\[2\] is None"),
        ("text", r"messages\[2\] is 'text'"),
        (["a"], r"messages\[2\] is \['a'\]"),
        ({"content": "a"}, r"messages\[2\]\.role is None"),
        ({"type": "ai", "content": "a"}, r"messages\[2\]\.role is None"),
        ({"role": "human", "content": "a"}, r"messages\[2\]\.role is 'human'"),
        ({"role": "assistant", "content": 5}, r"messages\[2\]\.content is 5"),
        ({"role": "assistant", "tool_calls": ["c"]}, r"messages\[2\]\.tool_calls is \['c'\]"),
    ],
)
def test_what_is_no_message_is_named(odd: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Rule(signals=["empty"]).after_results([*openai(), odd])


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


@pytest.mark.parametrize(
    "options",
    [{"k": k} for k in (0, 2.5, True, float("nan"), float("inf"))] + [{"signals": []}, {"signals": ["mood"]}],
)
def test_what_is_no_rule_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        Rule(**options)


@pytest.mark.parametrize("limit", [-1, float("nan"), float("inf"), True, "5"])
def test_what_is_no_limit_is_refused(limit: Any) -> None:
    with pytest.raises(ValueError, match=r"^seconds is .* expected a number"):
        Backstop(seconds=limit)


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
