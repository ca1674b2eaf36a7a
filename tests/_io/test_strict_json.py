"""JSON whose keys are given once."""

from pathlib import Path

import pytest
from judged_useless._io.strict_json import RepeatedKeyError, read_object, strict_loads


def test_keys_may_come_again_in_another_object_only() -> None:
    assert strict_loads('{"a": {"a": 1}, "b": [{"a": 2}]}') == {"a": {"a": 1}, "b": [{"a": 2}]}
    with pytest.raises(RepeatedKeyError, match="key 'b' is given twice") as caught:
        strict_loads('[{"a": 1, "c": {"b": 1, "d": 2, "b": 1}}]')
    assert caught.value.key == "b"


def test_a_file_holds_an_object_or_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    assert read_object(file) is None
    file.write_text('{"a": "ä"}', encoding="utf-8")
    assert read_object(file) == {"a": "ä"}
    for content, message in {
        b"{": "not valid JSON",
        b'{"a": 1, "a": 2}': "not valid JSON .key 'a' is given twice",
        b'{"a": "\xe4"}': "not valid JSON .*utf-8",
        b"[" * 100_000: "not valid JSON",
        b"[1]": "expected a JSON object, found list",
    }.items():
        file.write_bytes(content)
        with pytest.raises(ValueError, match=rf"manifest\.json: {message}"):
            read_object(file)


def test_a_key_given_twice_among_very_many_is_found_at_once() -> None:
    pairs = ",".join(f'"k{n}": {n}' for n in range(200_000))
    with pytest.raises(RepeatedKeyError, match="key 'k199999' is given twice"):
        strict_loads(f'{{{pairs}, "k199999": 0}}')
