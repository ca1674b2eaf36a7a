import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_useless.environment.alterations import EMPTY_PAGE
from judged_useless.environment.environment import Environment, Observation
from judged_useless.environment.failed_paragraphs import FailurePool, replicate_salt
from judged_useless.environment.failures import ERRORS
from judged_useless.environment.knowledge import NO_RESULTS
from judged_useless.environment.regimes import FAIL, REGIMES, Regime, get_regime
from judged_useless.tasks.question import Paragraph, Question
from made_up import CALLS, make_question

SPLIT = [make_question(number) for number in range(12)]
POOL = FailurePool(SPLIT)
EPISODES = st.lists(CALLS, min_size=1, max_size=8)
QUESTIONS = st.sampled_from(SPLIT)
Calls = list[tuple[str, str]]


def _run(
    question: Question, regime: str | Regime, calls: Calls, pool: FailurePool | None = POOL
) -> list[Observation]:
    environment = Environment(question, regime, pool)
    observations = [environment.step(action, text) for action, text in calls]
    return [observation for observation in observations if observation is not None]


@given(QUESTIONS, EPISODES)
def test_persistent_never_shows_a_page_of_the_questions_own(question: Question, calls: Calls) -> None:
    own = {title.casefold() for title in question.knowledge_base}
    for observation in _run(question, "persistent", calls):
        assert observation.title is not None
        assert observation.title.casefold() not in own
        assert observation.question_id != question.id
        source = next(other for other in SPLIT if other.id == observation.question_id)
        assert observation.text == f"[{observation.title}] {source.knowledge_base[observation.title]}"


@given(QUESTIONS, EPISODES, st.integers(1, 9))
def test_recover_after_c_differs_from_clean_in_exactly_the_first_c(
    question: Question, calls: Calls, c: int
) -> None:
    clean, recovering = _run(question, "clean", calls), _run(question, f"recover_after_{c}", calls)
    differs = [real.text != shown.text for real, shown in zip(clean, recovering, strict=True)]
    assert differs == [index <= c for index in range(1, len(calls) + 1)]


@given(
    QUESTIONS, EPISODES, st.sampled_from([*FAIL, "recover_after_5", "intermittent_0.5_1", "ts_persistent"])
)
def test_regimes_of_a_question_share_the_order_of_failed_paragraphs(
    question: Question, calls: Calls, regime: str
) -> None:
    shown = [(o.question_id, o.title) for o in _run(question, regime, calls) if o.failed]
    order = [(entry.question_id, entry.title) for entry in POOL.paragraphs_for(question)]
    assert shown == order[: len(shown)]


BACKED = st.lists(CALLS | st.tuples(st.just("backup_search"), st.just("Page 3 of")), min_size=1, max_size=8)


@given(QUESTIONS, BACKED, st.sampled_from([*REGIMES, "intermittent_0.5_2", "ts_answerless"]))
def test_every_record_says_truthfully_whether_it_was_replaced(
    question: Question, calls: Calls, name: str
) -> None:
    regime = get_regime(name)
    real = _run(question, "ts_clean", calls)
    shown = _run(question, dataclasses.replace(regime, two_source=True), calls)
    for index, (truth, observation) in enumerate(zip(real, shown, strict=True), start=1):
        assert observation.index == index
        assert observation.replaced == (observation.text != truth.text)
        assert observation.how == (regime.how if observation.replaced else "none")
        assert observation.real_title == truth.real_title
        assert observation.failed or not observation.replaced
        lasting = observation.action == "backup_search" or (
            name == "plausible" and observation.action == "lookup"
        )
        assert observation.failed == (regime.failed(index) and not lasting)


@given(QUESTIONS, EPISODES)
def test_plausible_searches_the_distractors_and_leaves_lookups_real(question: Question, calls: Calls) -> None:
    for real, shown in zip(
        _run(question, "clean", calls), _run(question, "plausible", calls, None), strict=True
    ):
        if shown.action == "lookup":
            assert shown == real
        else:
            pages = {f"[{title}] {question.knowledge_base[title]}" for title in question.distractor_titles}
            assert shown.text in pages
            assert shown.failed


@given(QUESTIONS, EPISODES)
def test_answerless_never_shows_a_supporting_sentence(question: Question, calls: Calls) -> None:
    sentences = {paragraph.title: paragraph.sentences for paragraph in question.paragraphs}
    facts = [
        sentences[title][index].strip() for title, index in question.supporting_facts if index is not None
    ]
    for observation in _run(question, "answerless", calls, None):
        assert observation.failed
        assert not any(fact in observation.text for fact in facts)


def test_answerless_searches_and_looks_up_in_the_stripped_pages() -> None:
    question = SPLIT[3]
    gold = question.paragraphs[3].title  # its first two of three sentences are facts
    search, lookup, lost = _run(
        question, "answerless", [("search", gold), ("lookup", "more"), ("lookup", "Page 3")], None
    )
    assert search.text == f"[{gold}] {question.paragraphs[3].sentences[2]}"
    assert (search.title, search.question_id, search.how) == (gold, question.id, "answerless")
    assert lookup.text.endswith("and 30 more.")
    assert lost.text.startswith("Error: no sentence")
    bare = Question("bare", "?", "x", (Paragraph("T", ("Fact.",)),), make_question(0).supporting_facts[:0])
    bare = dataclasses.replace(bare, supporting_facts=(question.supporting_facts[0]._replace(title="T"),))
    assert _run(bare, "answerless", [("search", "T")], None)[0].text == f"[T] {EMPTY_PAGE}"


def test_a_replaced_search_still_moves_the_current_page() -> None:
    question = SPLIT[2]
    title = question.paragraphs[5].title
    _, lookup = _run(question, "recover_after_1", [("search", title), ("lookup", "Page")])
    assert lookup.text == f"(Result 1/3) Page 5 of question 2 opened in {1900 + 2 + 5}."
    assert lookup.real_title == title


def test_altered_pages_follow_the_agent_when_only_some_observations_fail() -> None:
    regime = Regime("late_answerless", lambda t: t >= 2, how="answerless")
    question = SPLIT[3]
    gold = question.paragraphs[3].title
    shown, lookup = _run(question, regime, [("search", gold), ("lookup", "more")])
    assert not shown.failed
    assert lookup.text == f"(Result 1/1) {question.paragraphs[3].sentences[2]}"


def test_failed_paragraphs_wrap_around() -> None:
    pool = FailurePool([SPLIT[0], make_question(1, n_paragraphs=3, gold=(0,))])
    titles = [o.title for o in _run(SPLIT[0], "persistent", [("search", "x")] * 8, pool)]
    assert len(set(titles)) == 3
    assert titles[3:] == titles[:5]


def test_a_replicate_draws_other_paragraphs() -> None:
    first = Environment(SPLIT[0], "persistent", POOL).step("search", "x")
    replicate = Environment(SPLIT[0], "persistent", POOL, salt=replicate_salt(1)).step("search", "x")
    assert first is not None
    assert replicate is not None
    assert first.title != replicate.title


def test_errors_and_empty_results() -> None:
    erroneous = _run(SPLIT[0], "erroneous", [("search", "x")] * 5, None)
    assert {o.text for o in erroneous} == set(ERRORS)
    assert erroneous[4].text == erroneous[0].text
    assert all(o.replaced and o.title is None and o.how == "erroneous" for o in erroneous)
    empty = _run(SPLIT[0], "empty", [("search", SPLIT[0].gold_titles[0]), ("search", "??")], None)
    assert [o.text for o in empty] == [NO_RESULTS] * 2
    assert [o.replaced for o in empty] == [True, False]


def test_an_invalid_action_costs_a_step_and_an_observation_and_is_never_replaced() -> None:
    environment = Environment(SPLIT[0], "persistent", POOL)
    first = environment.step(" Fly ", "there")
    second = environment.step("SEARCH\n", "x")
    assert first is not None
    assert second is not None
    assert first.text == "Error: 'fly' is not a valid action. Valid actions: search, lookup, finish."
    assert (first.index, first.action, first.failed, first.replaced) == (1, "invalid", True, False)
    assert (second.index, second.action) == (2, "search")
    assert second.title == POOL.paragraphs_for(SPLIT[0])[0].title
    assert environment.steps_left == 6


def test_backup_searches_the_intact_pages_and_takes_an_index() -> None:
    question = SPLIT[4]
    gold = question.gold_titles[0]
    environment = Environment(question, "ts_recover_after_2", POOL)
    assert environment.actions == ("search", "lookup", "backup_search", "finish")
    steps = [
        environment.step(*call) for call in (("search", gold), ("backup_search", gold), ("search", gold))
    ]
    assert [o.failed for o in steps if o] == [True, False, False]
    assert steps[1] is not None
    assert steps[1].text == f"[{gold}] {question.knowledge_base[gold]}"
    assert [o.index for o in steps if o] == [1, 2, 3]
    alone = Environment(question, "recover_after_2", POOL).step("backup_search", gold)
    assert alone is not None
    assert alone.action == "invalid"


def test_a_switched_off_primary_returns_the_notice() -> None:
    environment = Environment(SPLIT[0], "ts_persistent", POOL)
    environment.disable_primary("Gone.")
    assert environment.actions == ("backup_search", "finish")
    shown = environment.step("search", "x")
    assert shown is not None
    assert (shown.text, shown.replaced, shown.how, shown.title) == ("Gone.", True, "disabled", None)


def test_finish_ends_the_episode_without_an_observation() -> None:
    environment = Environment(SPLIT[0], "clean")
    assert environment.step("Finish", "Ostrava") is None
    assert (environment.answer, environment.n_steps, environment.ended) == ("Ostrava", 1, True)
    with pytest.raises(RuntimeError, match="ended after 1 steps"):
        environment.step("search", "x")


def test_the_budget_ends_the_episode() -> None:
    environment = Environment(SPLIT[0], "clean", budget=2)
    ended = [environment.ended]
    for action in ("search", "nonsense"):
        environment.step(action, "x")
        ended.append(environment.ended)
    assert ended == [False, False, True]
    assert environment.answer is None
    with pytest.raises(RuntimeError, match="ended after 2 steps"):
        environment.step("finish", "x")


def test_what_cannot_be_set_up_is_refused() -> None:
    with pytest.raises(ValueError, match="give a FailurePool"):
        Environment(SPLIT[0], "persistent")
    with pytest.raises(ValueError, match="unknown regime 'nothing'"):
        Environment(SPLIT[0], "nothing", POOL)
    with pytest.raises(ValueError, match="no distractor page"):
        Environment(make_question(1, n_paragraphs=1, gold=(0,)), "plausible")
    with pytest.raises(ValueError, match="budget is 0"):
        Environment(SPLIT[0], "clean", budget=0)
    with pytest.raises(ValueError, match="'next'"):
        Environment(SPLIT[0], "clean", lookup="next")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown kind of failure 'x'; known are none, shuffled"):
        Environment(SPLIT[0], Regime("x", lambda t: True, how="x"))
