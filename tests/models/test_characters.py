r"""Half of a surrogate pair in what a model says, such as ``\ud83d`` without the half that completes it."""

import json

import pytest
from faulty_server import FaultyServer
from http_models import MESSAGES, PROVIDERS, make
from hypothesis import given
from hypothesis import strategies as st
from judged_useless.models.base import Generation
from judged_useless.models.characters import replace_escaped_halves, replace_halves

ANY_TEXT = st.text(st.characters(codec=None, categories=None))
HALVES = st.lists(st.sampled_from('\ud83d\ude00\\n"ué😀')).map("".join)


def test_both_texts_of_a_generation_can_be_written_and_what_was_replaced_is_counted() -> None:
    said = Generation(text="a\ud800b\udfff", reasoning="\ude00\ud83d", finish_reason="stop")
    assert (said.text, said.reasoning, said.n_replaced) == ("a�b�", "��", 4)
    for text, reasoning in (("Zoë 😀 �", "x"), ("", None)):
        whole = Generation(text=text, reasoning=reasoning, finish_reason="stop")
        assert (whole.text, whole.reasoning, whole.n_replaced) == (text, reasoning, 0)


@given(st.one_of(ANY_TEXT, HALVES))
def test_a_json_text_then_holds_what_the_replaced_text_does(text: str) -> None:
    # JSON has no way to write two halves that would read as a pair.
    expected, n_expected = replace_halves(json.loads(json.dumps(text)))
    body, n_replaced = replace_escaped_halves(json.dumps({text: [text]}))
    assert json.loads(body) == {expected: [expected]}
    assert n_replaced == 2 * n_expected
    expected.encode()


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_server_that_sends_one_is_not_asked_again_and_again(provider: str) -> None:
    async with FaultyServer("half") as server:
        model = make(provider, server.url)
        generation = await model.generate(MESSAGES)
        await model.aclose()
    assert (generation.text, generation.n_replaced) == ("Action: finish\nAction Input: caf�", 1)
    assert len(server.requests) == 1
