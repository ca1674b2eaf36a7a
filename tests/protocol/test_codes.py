"""The quick check of whole columns against the check of one episode after the other."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_useless.episodes.codes import code_matrix, list_codes
from judged_useless.episodes.schema import EpisodeError, _quick_check, _raise_first, validate
from judged_useless.protocol.vocabulary import ACTIONS, JUDGMENTS

ODD: list[Any] = [None, 1, True, float("nan"), "guess", "", " ", {"search": 1}, {"search"}, [["search"]], 2.5]
word = st.one_of(st.sampled_from([*ACTIONS, *JUDGMENTS]), st.sampled_from(ODD))
actions = st.one_of(
    st.tuples(st.lists(st.sampled_from(ACTIONS[:3]), max_size=4), st.sampled_from([[], ["finish"]])).map(
        lambda parts: [*parts[0], *parts[1]]
    ),
    st.lists(word, max_size=3),
    st.sampled_from(ODD),
)
judgments = st.one_of(
    st.lists(st.sampled_from([*JUDGMENTS, None]), max_size=4),
    st.lists(word, max_size=2),
    st.sampled_from(ODD),
)
record = st.fixed_dictionaries(
    {
        "question_id": st.one_of(st.sampled_from("abcdefgh"), st.sampled_from(ODD)),
        "actions": actions,
        "judgments": judgments,
        "success": st.one_of(st.booleans(), st.sampled_from(ODD)),
    },
    optional={
        "termination": st.sampled_from(["answered", "budget_exhausted", "gave_up", None]),
        "budget": st.sampled_from([1, 2, 8, None]),
        "failed": st.sampled_from([None, [True], [0, 1]]),
    },
)


@settings(max_examples=400, deadline=None)
@given(st.lists(record, min_size=1, max_size=3))
def test_what_passes_quickly_passes_row_by_row(records: list[dict[str, Any]]) -> None:
    frame = pd.DataFrame([{"regime": f"r{row}"} | each for row, each in enumerate(records)])
    sound, _ = _quick_check(frame)
    if sound:
        _raise_first(frame, str)


@pytest.mark.parametrize("as_arrays", [False, True])
def test_released_episodes_pass_quickly(as_arrays: bool) -> None:
    rows = [["search", "finish"], ["search"], []]
    said = [["USELESS"], [None], []]
    if as_arrays:
        rows, said = ([np.array(each, dtype=object) for each in lists] for lists in (rows, said))  # type: ignore[assignment]
    frame = pd.DataFrame({"question_id": list("abc"), "actions": rows, "judgments": said, "success": False})
    sound, codes = _quick_check(frame)
    assert sound
    assert codes is not None
    assert codes.actions.tolist() == [[0, 3], [0, -1], [-1, -1]]
    assert codes.judgments.tolist() == [[0, -1], [-1, -1], [-1, -1]]
    assert codes.answered.tolist() == [True, False, False]


def test_unknown_and_missing_words_have_codes_of_their_own() -> None:
    matrix, lengths = code_matrix([["USEFUL", "MAYBE", None], ["USELESS"]], JUDGMENTS, width=4)
    assert matrix.tolist() == [[1, -2, -1, -1], [0, -1, -1, -1]]
    assert lengths.tolist() == [3, 1]
    with pytest.raises(TypeError):
        code_matrix([None], JUDGMENTS)


def test_episodes_without_judgments_have_none() -> None:
    codes = list_codes(pd.DataFrame({"actions": [["search"] * 3]}))
    assert codes.judgments.tolist() == [[-1] * 3]


def test_one_judgment_too_many_is_named() -> None:
    frame = pd.DataFrame({"question_id": ["a"], "actions": [["finish"]], "judgments": [["USEFUL"]]})
    with pytest.raises(EpisodeError, match="1 judgments for 0 observations"):
        validate(frame, required=["actions"])
