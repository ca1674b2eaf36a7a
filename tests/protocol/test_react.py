"""Reading a turn: every rule of the protocol, with the turns that models really write."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_useless.protocol.turns import (
    STYLES,
    Turn,
    close_tag,
    read_native_calls,
    read_react,
    read_tags,
)

REACT = {
    "plain": ("Thought: Who?\nAction: search\nAction Input: Ed Wood", Turn("search", "Ed Wood", "Who?")),
    "case of the word": ("Thought: x\nAction: FINISH \nAction Input: yes", Turn("finish", "yes", "x")),
    "no thought": ("Action: lookup\nAction Input: born", Turn("lookup", "born", "")),
    "bracketed on the line": ("Thought: x\nAction: search[Ed Wood]", Turn("search", "Ed Wood", "x")),
    "bracketed and input": ("Action: finish[answer]\nAction Input: Paris", Turn("finish", "Paris", "")),
    "only a call": ("finish[44 [sic] rooms]", Turn("finish", "44 [sic] rooms", "")),
    "only a call to the backup": ("backup_search[a b]", Turn("backup_search", "a b", "")),
    "text around a call": ("I will use search[Ed Wood]", Turn(None, "", "I will use search[Ed Wood]")),
    "one line": ("Action: search Action Input: Ed Wood", Turn("search", "Ed Wood", "")),
    "input on the next line": ("Action: search\nAction Input:\n  Ed Wood\n", Turn("search", "Ed Wood", "")),
    "no input": ("Thought: x\nAction: finish", Turn("finish", "", "x")),
    "empty input": ("Thought: x\nAction: finish\nAction Input:", Turn("finish", "", "x")),
    "open bracket": ("Action: search[Ed Wood", Turn("search", "", "")),
    "unknown word": ("Action: browse\nAction Input: x", Turn("browse", "x", "")),
    "several words": ("Action: search Wikipedia\nAction Input: x", Turn("search wikipedia", "x", "")),
    "long thought": ("Thought: a\nb\n\nAction: search\nAction Input: x", Turn("search", "x", "a\nb")),
    "imagined observation": (
        "Action: search\nAction Input: x\nObservation: [x] y", Turn("search", "x", ""),
    ),
    "thinking": ("<think>Action: no</think>\nAction: finish\nAction Input: 1", Turn("finish", "1", "")),
    "thinking of the template": ("Action: wrong</think>finish[1]", Turn("finish", "1", "")),
    "unclosed thinking": ("<think>Action: search\nAction Input: x", Turn(None)),
    "thinking again": ("<think>a</think><think>Action: search", Turn(None)),
    "two actions": (
        "Thought: x\nAction: search\nAction Input: a\nAction: search\nAction Input: b", Turn(None, "", "x"),
    ),
    "markers in any case": ("thought : x\naction : SEARCH\nAction input: y", Turn("search", "y", "x")),
    "a call in capitals": ("FINISH[Yes]", Turn("finish", "Yes", "")),
    "an empty call": ("finish[]", Turn(None, "", "finish[]")),
    "a call over two lines": ("finish[a\nb]", Turn(None, "", "finish[a\nb]")),
    "two calls": ("search[A] and lookup[B]", Turn(None, "", "search[A] and lookup[B]")),
    "two calls on two lines": ("search[A]\nfinish[B]", Turn(None, "", "search[A]\nfinish[B]")),
    "a bracket after a blank": ("Action: search [Oslo]", Turn("search", "", "")),
    "text after a bracket": ("Action: finish[44 [sic] rooms] now", Turn("finish", "44 [sic] rooms", "")),
    "prose": ("The answer is Paris.", Turn(None, "", "The answer is Paris.")),
    "empty": ("", Turn(None)),
    "no word": ("Thought: x\nAction:\nAction Input: y", Turn(None, "y", "x")),
    "only brackets": ("Thought: x\nAction: [Ed Wood]", Turn(None, "Ed Wood", "x")),
}  # fmt: skip


@pytest.mark.parametrize("case", REACT)
def test_a_react_turn(case: str) -> None:
    text, turn = REACT[case]
    assert read_react(text) == turn


CALL = '<function_calls>\n<invoke name="search">\n<parameter name="query">Ed Wood</parameter>\n</invoke>'
NATIVE = {
    "one call": (f"I will search.\n\n{CALL}\n</function_calls>", Turn("search", "Ed Wood", "I will search.")),
    "two calls": (f"{CALL}\n{CALL.replace('Ed Wood', 'other')}", Turn("search", "Ed Wood", "")),
    "in an action line": (f"Thought: x\nAction: {CALL}", Turn("search", "Ed Wood", "x")),
    "prefixed tags": (CALL.replace("<", "<a:").replace("<a:/", "</a:"), Turn("search", "Ed Wood", "")),
    "cut off": (CALL.partition("</parameter>")[0], Turn("search", "Ed Wood", "")),
    "no parameter": ('<invoke name="Finish"></invoke>', Turn("finish", "", "")),
    "no markup": ("Thought: x\nAction: finish\nAction Input: 1", Turn("finish", "1", "x")),
    "nothing": ("The answer is 1.", Turn(None, "", "The answer is 1.")),
}


@pytest.mark.parametrize("case", NATIVE)
def test_a_turn_with_native_calls(case: str) -> None:
    text, turn = NATIVE[case]
    assert read_native_calls(text) == turn


TAGS = {
    "search": ("<think>Who?</think>\n<search> Ed Wood </search>", Turn("search", "Ed Wood", "Who?")),
    "stop string gone": ("<think>Who?</think>\n<search> Ed Wood ", Turn("search", "Ed Wood", "Who?")),
    "answer": ("<answer> Beijing </answer>", Turn("finish", "Beijing", "")),
    "first of two": ("<search>a</search><answer>b</answer>", Turn("search", "a", "")),
    "tag in thinking": (
        "<think>maybe <answer>a</answer></think><search>b",
        Turn("search", "b", "maybe <answer>a</answer>"),
    ),
    "neither": ("<think>Who?</think> I do not know.", Turn(None, "", "Who?")),
    "unclosed thinking": ("<think>Who? <search>a</search>", Turn(None, "", "Who? <search>a</search>")),
}


@pytest.mark.parametrize("case", TAGS)
def test_a_turn_of_tags(case: str) -> None:
    text, turn = TAGS[case]
    assert read_tags(text) == turn


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("<think>x</think><search> a ", "<think>x</think><search> a</search>"),
        ("<answer>b</answer>", "<answer>b</answer>"),
        ("no tag", "no tag"),
    ],
)
def test_the_history_has_the_tag_that_the_stop_string_took(text: str, written: str) -> None:
    assert close_tag(text) == written


@settings(deadline=None)  # the machine may be busy
@given(
    st.text(max_size=80),
    st.sampled_from(["Thought:", "Action:", "Action Input:", "<think>", "</think>", "["]),
)
def test_no_text_breaks_a_reader(text: str, mark: str) -> None:
    for turn in (text, mark + text, text + mark + text):
        for read in (read_react, read_native_calls, read_tags):
            action = read(turn).action
            assert action is None or action == action.strip().lower() != ""


@pytest.mark.parametrize(
    ("style", "text", "action"),
    [
        ("react", "Thought: x\nAction: search\nAction Input: y", "search"),
        ("search-r1", "<think>x</think>\n<search>y", "search"),
    ],
)
def test_a_turn_held_to_its_form_is_readable(style: str, text: str, action: str) -> None:
    import re

    form = STYLES[style].form(("search", "finish"))
    assert re.fullmatch(form, text)
    assert not re.fullmatch(form, "The answer is 1.")
    assert STYLES[style].read(text).action == action
