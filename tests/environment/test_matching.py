from difflib import SequenceMatcher

from hypothesis import example, given
from hypothesis import strategies as st
from judged_useless.environment.closest_title import TitleMatcher, similarity
from judged_useless.environment.knowledge import KnowledgeBase
from made_up import plain_search

# Few letters make many equal blocks and ties; 200 characters and more make difflib disregard frequent ones.
FEW = st.text(st.sampled_from("ab c"), max_size=25)
ANY = st.text(max_size=25)
LONG = st.text(st.sampled_from("abcdefgh"), min_size=190, max_size=230)


@given(FEW | ANY | LONG, FEW | ANY | LONG)
@example("", "")
@example("abxcd", "cdxab")
def test_similarity_is_difflibs_ratio(query: str, title: str) -> None:
    assert similarity(query, title) == SequenceMatcher(None, query, title).ratio()


def test_similarity_by_hand() -> None:
    # "wikimania" and "wikimedia": blocks "wikim", "ia" and no more, since "an" and "ed" share no letter.
    assert similarity("wikimania", "wikimedia") == 2 * 7 / 18


@given(st.lists(FEW | ANY, min_size=1, max_size=10, unique=True), FEW | ANY)
@example(["ab", "AB"], "aB")
@example(["ba", "ab"], "aabb")
@example(["xab", "aab", "aba"], "ab")
def test_best_title_is_the_first_of_the_highest(titles: list[str], query: str) -> None:
    ratios = [SequenceMatcher(None, query.lower(), title.lower()).ratio() for title in titles]
    equal = [title for title in titles if title.lower() == query.lower()]
    expected = equal[0] if equal else titles[ratios.index(max(ratios))]
    assert TitleMatcher(titles).best(query) == expected


def test_threshold_is_exclusive() -> None:
    # One common letter of ten: a ratio of exactly 0.2.
    matcher = TitleMatcher(["abcde"])
    assert matcher.best("axyzw", above=0.2) is None
    assert matcher.best("axyzw", above=0.19) == "abcde"


PAGES = st.dictionaries(FEW | ANY, st.text(st.sampled_from("ab AB.é"), max_size=40), min_size=1, max_size=10)


@given(PAGES, st.lists(FEW | ANY | st.text(st.sampled_from("xyab "), max_size=12), min_size=1, max_size=4))
def test_search_equals_the_protocol_for_new_and_repeated_queries(
    pages: dict[str, str], queries: list[str]
) -> None:
    knowledge_base = KnowledgeBase(pages)
    for query in [*queries, *queries, *pages]:
        assert knowledge_base.search(query) == plain_search(pages, query)
