"""What the pages show of registered tests: outcomes, cases, numbers, claims and links."""

import json
import re
from pathlib import Path

import pytest
from docutils.nodes import make_id
from judged_useless import load_episodes
from judged_useless._io.paths import data_dir
from paper_book.published.transcribed import published
from paper_book.registered import report as pages
from paper_book.registered.engine import evaluate
from paper_book.registered.load import MappedClaim, load_claims, load_tests
from paper_book.registered.record import evaluate_record, number_rows
from paper_book.registered.report import agreement, case_rows, outcome_rows
from paper_book.registered.results import RegisteredResult
from paper_book.strict_yaml import RecordFileError

TESTS = {test.key: test for test in load_tests()}


def places() -> set[str]:
    """Return the address of every page that is a notebook, and of every heading on it."""
    found = set()
    for path in Path("notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
        found |= {f"{path.stem}.html", *(f"{path.stem}.html#{make_id(each)}" for each in headings)}
    return found


@pytest.fixture(scope="module")
def results() -> list[RegisteredResult]:
    return evaluate(load_episodes(), TESTS.values())


@pytest.fixture(scope="module")
def record() -> list[RegisteredResult]:
    return evaluate_record(TESTS.values())


def test_printed_numbers_give_the_printed_outcomes(record: list[RegisteredResult]) -> None:
    """The paper's verdicts follow from its tables in every case whose numbers it prints."""
    agreeing, compared = agreement(*record)
    assert agreeing == compared
    assert compared > 200
    whole = {result.test.key: result for result in record if result.outcome != "not evaluable"}
    for key, result in whole.items():
        printed = TESTS[key].published.outcome
        assert result.outcome == {"mixed": "partial"}.get(printed, printed) or key == "A9 A9", key
    assert whole["A9 A9"].cases[0].label == "mixed"


def test_outcome_rows_say_how_far_the_cells_agree(results: list[RegisteredResult]) -> None:
    rows = {row["test"]: row for row in outcome_rows(results).to_dict("records")}
    assert len(rows) == len(TESTS)
    h3, h10 = rows["original H3"], rows["A3 H10"]
    assert (h3["recomputed"], h3["decided"]) == ("not evaluable", "3 of 16")
    assert h3["agreement"] == "agrees, as far as decided (3 of 3)"
    assert h10["agreement"] == ""
    assert h10["needs"].startswith("budget on test300, persistent (")


def test_disagreement_is_counted(results: list[RegisteredResult]) -> None:
    h3 = next(result for result in results if result.test.key == "original H3")
    other = TESTS["original H3"].model_copy(
        update={"published": TESTS["original H3"].published.model_copy(update={"singled_out": ()})}
    )
    contradicted = RegisteredResult(other, h3.cases)
    assert agreement(contradicted) == (1, 3)
    assert outcome_rows([contradicted])["agreement"].iloc[0] == "differs in 2 of 3"


def test_case_rows_show_numbers_and_both_labels(results: list[RegisteredResult]) -> None:
    rows = case_rows(results)
    row = rows[(rows["test"] == "original H3") & rows["case"].str.contains("recover_after_1")].iloc[0]
    assert row[["case", "numbers", "recomputed", "published"]].tolist() == [
        "qwen3-8b, recover_after_1", "loss −0.027 [−0.057, 0.003]", "fail", "fail",
    ]  # fmt: skip


def test_numbers_are_held_against_the_printed_ones(results: list[RegisteredResult]) -> None:
    rows = number_rows(results)
    assert rows["equal"].all()
    j1 = rows[rows["test"] == "A12 J1"].iloc[0]
    assert (j1["k"], j1["n"]) == (1, 292)
    assert j1["recomputed"] == pytest.approx(1 / 292)
    assert number_rows([]).empty


def test_every_link_has_its_anchor(results: list[RegisteredResult]) -> None:
    outcomes = pages.outcome_table(results, caption="All", source="x")._repr_mimebundle_()["text/html"]
    claims = pages.claim_table(results, caption="Claims")._repr_mimebundle_()["text/html"]
    anchors = re.findall(r'id="(test-[^"]+)"', outcomes)
    assert len(anchors) == len(set(anchors)) == len(TESTS)
    addresses = re.findall(r'href="([^"]+)"', claims)
    assert {address[1:] for address in addresses if address.startswith("#")} <= set(anchors)
    assert {address for address in addresses if not address.startswith("#")} <= places()


def test_every_claim_of_table_3_is_mapped_in_order() -> None:
    assert [claim.claim for claim in load_claims()] == list(published(3)["row"].drop_duplicates())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("A16 16b", "A16 16c", "unknown tests A16 16c"),
        ("Agents judge a failing", "Agents love a failing", "not a claim of Table 3"),
        ("sections: [02_judgments]", "section: [02_judgments]", "section"),
    ],
)
def test_a_wrong_map_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = (data_dir() / "claims.yaml").read_text(encoding="utf-8")
    path = tmp_path / "claims.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RecordFileError, match=said):
        load_claims(path)


_ID = re.compile(
    r"\b(?:[A-Z]-)?(?:PP|Rp|[A-Z])\d+x?(?:–(?:[A-Z]-)?[A-Z]?\w*\d+)?|\b1[36][a-d]\b|\bV\b|\bC(?=,)"
)


def spread(token: str) -> set[str]:
    """Every id that a token can mean: itself, and each one of a range."""
    first, dash, last = token.partition("–")
    if not dash:
        return {token}
    stem = re.sub(r"\d+$", "", first)
    numbers = range(int(first.removeprefix(stem)), int(re.sub(r"\D", "", last)) + 1)
    return {token, *(f"{stem}{number}" for number in numbers)}


def tokens(note: str) -> set[str]:
    """Test ids named in a cell of Table 3, with ranges as printed (C1–C4, E1–E3)."""
    return set(_ID.findall(note.replace("Search-R1", "")))


@pytest.mark.parametrize("claim", load_claims(), ids=[claim.claim[:30] for claim in load_claims()])
def test_claims_map_to_the_tests_of_table_3(claim: MappedClaim) -> None:
    note = published(3, row=claim.claim, column="Pre-registered tests (outcome)")["note"].iloc[0]
    named = set().union(*map(spread, tokens(note)))
    ids = {key.split(" ", 1)[1] for key in claim.tests}
    assert all(spread(each) & named for each in ids)
    # The cell names documents too (of A20), and a range counts ids that no test has (F-H4 to F-H8).
    known = set().union(*(spread(test.id) for test in TESTS.values()))
    documents = {test.document for test in TESTS.values()} - ids
    assert (named & known) - documents <= set().union(*map(spread, ids))
