import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_useless.environment.knowledge import NO_PAGE, NO_RESULTS, KnowledgeBase, LookupMode, Reader
from made_up import plain_closest, plain_search

PAGES = {
    "Lake Tana": "Tana lies in Ethiopia. It feeds the Blue Nile!  Is it deep? It is 15 m. Blue is its name.",
    "Blue Nile": "The river leaves the lake and meets the White Nile at Khartoum.",
    "Simien": "Mountains north of it.",
}


def _reader(mode: LookupMode = "released") -> Reader:
    return Reader(KnowledgeBase(PAGES), mode)


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("lake tana", "Lake Tana"),  # the title, ignoring case
        ("Blue Niles", "Blue Nile"),  # nearly the title
        ("Simian mountains", "Simien"),  # similar enough: "simi" and "n", 2 * 5 / 22
        (
            "zzz qqq Khartoum. at the",
            "Blue Nile",
        ),  # "at" and "the"; "Khartoum." is another word with its stop
        ("xyzzy", None),
        ("", None),
    ],
)
def test_search_goes_from_title_to_words(query: str, title: str | None) -> None:
    assert KnowledgeBase(PAGES).search(query) == title


def test_a_hit_shows_and_opens_the_page_and_a_miss_does_neither() -> None:
    reader = _reader()
    assert reader.search("xyzzy") == (NO_RESULTS, None)
    assert reader.page is None
    assert reader.search("Blue Nile").text == f"[Blue Nile] {PAGES['Blue Nile']}"
    assert reader.search("xyzzy").text == "No results found."
    assert reader.page == "Blue Nile"


def test_lookup_returns_the_first_sentence_each_time() -> None:
    reader = _reader()
    reader.search("Lake Tana")
    # The numbers are places on the page: its second and fourth sentence of five.
    assert [reader.lookup("BLUE").text for _ in range(2)] == ["(Result 2/5) It feeds the Blue Nile!"] * 2
    assert reader.lookup("15").text == "(Result 4/5) It is 15 m."


def test_lookup_as_in_the_paper_goes_on_to_the_next_sentence() -> None:
    reader = _reader("paper")
    reader.search("Lake Tana")
    texts = [reader.lookup("blue").text for _ in range(3)]
    assert texts[:2] == ["(Result 2/5) It feeds the Blue Nile!", "(Result 5/5) Blue is its name."]
    assert texts[2] == "Error: no more sentences of the current article contain 'blue'."
    assert reader.lookup("deep").text == "(Result 3/5) Is it deep?"
    assert reader.lookup("Blue").text == "(Result 2/5) It feeds the Blue Nile!"
    reader.search("Lake Tana")
    assert reader.lookup("BLUE").text == "(Result 2/5) It feeds the Blue Nile!"


def test_lookup_without_page_or_match_is_an_error_text() -> None:
    reader = _reader()
    assert reader.lookup("blue") == (NO_PAGE, None)
    reader.search("Simien")
    assert "'Khartoum'" in reader.lookup("Khartoum").text
    reader.open(None)
    assert reader.lookup("blue").text == NO_PAGE


# Few letters make many ties; over 200 characters difflib disregards frequent ones.
FEW, ANY = st.text(st.sampled_from("ab c"), max_size=25), st.text(max_size=25)
LONG = st.text(st.sampled_from("abcdefgh"), min_size=190, max_size=230)
MANY = st.dictionaries(
    FEW | ANY | LONG, st.text(st.sampled_from("ab AB.é"), max_size=40), min_size=1, max_size=10
)


@given(MANY, st.lists(FEW | ANY | LONG, min_size=1, max_size=4))
def test_search_equals_the_protocol_for_new_and_repeated_queries(
    pages: dict[str, str], queries: list[str]
) -> None:
    knowledge_base = KnowledgeBase(pages)
    for query in [*queries, *queries, *pages]:
        assert knowledge_base.search(query) == plain_search(pages, query)
        if query.lower() not in {title.lower() for title in pages}:
            assert knowledge_base.closest_title(query) == plain_closest(pages, query)[0]


def test_a_page_that_ends_in_a_blank_has_no_empty_sentence() -> None:
    reader = Reader(KnowledgeBase({"Tana": "A lake.  It is deep. "}))
    reader.search("Tana")
    assert reader.lookup("deep").text == "(Result 2/2) It is deep."
