"""JSON whose keys are given once, and values as messages repeat them."""

import pytest
from judged_useless.strict_json import RepeatedKeyError, shown, strict_loads


def test_keys_may_come_again_in_another_object_only() -> None:
    assert strict_loads('{"a": {"a": 1}, "b": [{"a": 2}]}') == {"a": {"a": 1}, "b": [{"a": 2}]}
    with pytest.raises(RepeatedKeyError, match="key 'b' is given twice") as caught:
        strict_loads('[{"a": 1, "c": {"b": 1, "d": 2, "b": 1}}]')
    assert caught.value.key == "b"


def test_a_long_value_is_cut() -> None:
    assert shown("x" * 78) == repr("x" * 78)
    assert shown("x" * 79) == "'" + "x" * 79 + "…"
