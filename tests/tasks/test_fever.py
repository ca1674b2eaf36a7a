import json
from pathlib import Path
from typing import Any

import pytest
from judged_useless.tasks import load_questions
from judged_useless.tasks.fever import load


def _claims(supports: int, refutes: int) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            "question": f"Claim {number}.",
            "answer": "SUPPORTS" if number < supports else "REFUTES",
            "type": "claim",
            "level": "",
            "knowledge_base": {f"Page {number}": "It is so.", "Other": "It is not."},
            "supporting_titles": [f"Page {number}"],
        }
        for number in range(supports + refutes)
    ]


def _file(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "claims.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_the_released_file_is_loaded_in_its_order(tmp_path: Path) -> None:
    claims = load_questions("fever", "fever292", source=_file(tmp_path, _claims(146, 146)))
    assert [claim.id for claim in claims] == [str(number) for number in range(292)]
    assert {claim.kind for claim in claims} == {"claim"}
    assert claims[0].distractor_titles == ("Other",)


def test_another_file_is_not_taken_for_it(tmp_path: Path) -> None:
    path = _file(tmp_path, _claims(3, 1))
    with pytest.raises(ValueError, match=r"claims\.json: .*'SUPPORTS': 3.* claims, but fever292 has .*146"):
        load("fever292", source=path)
    assert len(load("all", source=path)) == 4


def test_the_environment_variable_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGED_USELESS_FEVER", str(_file(tmp_path, _claims(1, 1))))
    assert len(load("all")) == 2


def test_an_unknown_split_is_told() -> None:
    with pytest.raises(ValueError, match="unknown split 'test300'; known are fever292, all"):
        load("test300")


def test_questions_are_not_claims(tmp_path: Path) -> None:
    question = _claims(1, 0)[0] | {"_id": "h1", "context": [["T", ["S."]]], "supporting_facts": []}
    with pytest.raises(ValueError, match="record 'h1' is a question, expected a claim"):
        load("all", source=_file(tmp_path, [question]))


def test_addresses_are_downloaded_and_their_checksum_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _file(tmp_path, _claims(1, 1))
    asked: list[tuple[str, str | None]] = []

    def download(url: str, *, sha256: str | None) -> Path:
        asked.append((url, sha256))
        return path

    monkeypatch.setattr("judged_useless.tasks.fever.download", download)
    load("all", source="https://example.org/claims.json#sha256=ab12")
    load("all", source="https://example.org/claims.json")
    assert asked == [("https://example.org/claims.json", "ab12"), ("https://example.org/claims.json", None)]
    with pytest.raises(ValueError, match="expected #sha256="):
        load("all", source="https://example.org/claims.json#md5=ab12")
