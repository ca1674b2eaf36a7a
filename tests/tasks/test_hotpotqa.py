import json
from pathlib import Path
from typing import Any

import datasets
import huggingface_hub
import pytest
from datasets import Dataset
from judged_useless.tasks import hotpotqa, load_questions
from judged_useless.tasks.question_files import question_from
from judged_useless.tasks.splits import split_ids


def _hub(question_id: str) -> dict[str, Any]:
    return {
        "id": question_id,
        "question": f"Who is {question_id}?",
        "answer": "a",
        "type": "bridge",
        "level": "hard",
        "context": {"title": ["T", "U"], "sentences": [["One.", " Two."], []]},
        "supporting_facts": {"title": ["T"], "sent_id": [1]},
    }


def _original(question_id: str) -> dict[str, Any]:
    row = _hub(question_id)
    row["_id"] = row.pop("id")
    return row | {"context": [["T", ["One.", " Two."]], ["U", []]], "supporting_facts": [["T", 1]]}


# In another order than the manifest, and with questions of no split.
IDS = ["other", *reversed(split_ids("dev100")), "another"]


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the hub's layout, read by ``datasets`` itself."""
    folder = tmp_path / "hotpot_qa"
    (folder / "distractor").mkdir(parents=True)
    Dataset.from_list([_hub(name) for name in IDS]).to_parquet(
        folder / "distractor" / "validation-00000-of-00001.parquet"
    )
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: distractor\n  data_files:\n"
        "  - split: validation\n    path: distractor/validation-*\n---\n",
        encoding="utf-8",
    )
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(hotpotqa, "REPOSITORY", str(folder))
    return folder


def test_the_hubs_rows_come_in_the_manifests_order(hub: Path) -> None:
    questions = load_questions("hotpotqa", "dev100")
    assert [question.id for question in questions] == split_ids("dev100")
    assert questions[0] == question_from(_hub(questions[0].id))
    with pytest.raises(ValueError, match="hotpot_qa: 300 of the split's 300 questions are missing"):
        hotpotqa.load("test300")


def test_a_file_in_either_form_is_read(tmp_path: Path) -> None:
    original, rows = tmp_path / "dev.json", tmp_path / "rows.jsonl"
    original.write_text(json.dumps([_original(name) for name in IDS]), encoding="utf-8")
    rows.write_text("".join(json.dumps(_hub(name)) + "\n" for name in IDS), encoding="utf-8")
    questions = hotpotqa.load("dev100", source=original)
    assert questions == hotpotqa.load("dev100", source=str(rows))
    assert [question.id for question in questions] == split_ids("dev100")


def test_the_original_is_downloaded_with_its_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([_original(name) for name in IDS]), encoding="utf-8")
    asked: list[tuple[str, str]] = []

    def download(url: str, *, sha256: str) -> Path:
        asked.append((url, sha256))
        return path

    monkeypatch.setattr(hotpotqa, "download", download)
    assert len(hotpotqa.load("dev100", source="original")) == 100
    url, sha256 = asked[0]
    assert url.endswith("/hotpot_dev_distractor_v1.json")
    assert sha256 == "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Data sets that a hub was asked for, which cannot be reached."""
    sent: list[str] = []

    def refuse(_: object, repository: str, **__: object) -> None:
        sent.append(repository)
        raise ConnectionRefusedError("Connection refused")

    def retry(*_: object, **__: object) -> None:
        raise AssertionError("asked with retries")

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", refuse)
    monkeypatch.setattr(huggingface_hub.HfApi, "hf_hub_download", retry)
    return sent


def test_no_network_is_one_request_and_one_sentence(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)
    with pytest.raises(
        ConnectionError,
        match=r"^hotpotqa/hotpot_qa could not be loaded: the hub could not be .*--source.* task atlas\.$",
    ):
        hotpotqa.load("dev100")
    assert asked == ["hotpotqa/hotpot_qa"]
    assert not caplog.records
    assert not datasets.config.HF_HUB_OFFLINE


def test_what_was_loaded_before_needs_no_network(
    hub: Path, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = hotpotqa.load("dev100")
    # Where a load from the hub leaves it.
    (kept,) = (tmp_path / "cache" / "hotpot_qa").glob("distractor*/*/*/")
    kept.rename(tmp_path / "kept")
    (tmp_path / "cache" / "hotpotqa___hotpot_qa" / "distractor" / "0.0.0").mkdir(parents=True)
    (tmp_path / "kept").rename(tmp_path / "cache" / "hotpotqa___hotpot_qa" / "distractor" / "0.0.0" / "abc")
    monkeypatch.setattr(hotpotqa, "REPOSITORY", "hotpotqa/hotpot_qa")
    assert hotpotqa.load("dev100") == before
    assert asked == ["hotpotqa/hotpot_qa"]
