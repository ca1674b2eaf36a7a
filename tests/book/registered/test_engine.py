"""Deciding tests on episodes: the embedded cells, 43 simulated cells, and the logic of what is unknown."""

from typing import Any

import pandas as pd
import pytest
from judged_useless import load_episodes
from judged_useless.environment.regimes import MEAN6
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.inference import paired_contrast
from judged_useless.sources.released import released_cells
from made_up_cells import Behaviour, cells_of, make_cell
from paper_book.measures.cell_index import CellIndex, CellKey, manifest
from paper_book.registered.engine import adjust, evaluate, resolve
from paper_book.registered.load import load_tests
from paper_book.registered.results import NOT_EVALUABLE, Answer, Asked, Figure, RegisteredResult
from paper_book.registered.rules import Criterion, Place, Quantity

TESTS = {test.key: test for test in load_tests()}


@pytest.fixture(scope="module")
def embedded() -> dict[str, RegisteredResult]:
    return {result.test.key: result for result in evaluate(load_episodes(), TESTS.values())}


def test_embedded_cells_decide_no_whole_test_and_say_what_is_missing(
    embedded: dict[str, RegisteredResult],
) -> None:
    assert {result.outcome for result in embedded.values()} == {NOT_EVALUABLE}
    assert all(result.needs for result in embedded.values())


def test_j1_recomputes_one_of_292(embedded: dict[str, RegisteredResult]) -> None:
    """Table 5, J1: Qwen3-8B answers on 1/292 questions."""
    decided = {case.model: case for case in embedded["A12 J1"].cases if case.decided}
    assert list(decided) == ["qwen3-8b"]
    figure = decided["qwen3-8b"].answers["answers"].figure
    assert figure is not None
    assert (figure.k, figure.n) == (1, 292)
    assert embedded["A12 J1"].verdict == (
        "not evaluable: needs unaided on test300, persistent (qwen2.5-7b, llama3.1-8b, qwen3-32b)"
    )


def test_h3_recomputes_the_two_failures(embedded: dict[str, RegisteredResult]) -> None:
    """Table 4, H3: Qwen3-8B fails rec1 (LB -.057) and rec3 (LB -.060)."""
    labels, bounds = {}, {}
    for case in embedded["original H3"].cases:
        figure = case.answers["loss"].figure
        if figure is not None and figure.low is not None:
            labels[case.each.regimes], bounds[case.each.regimes] = case.label, round(figure.low, 3)
    assert labels == {"recover_after_1": "fail", "recover_after_2": "pass", "recover_after_3": "fail"}
    assert (bounds["recover_after_1"], bounds["recover_after_3"]) == (-0.057, -0.060)


@pytest.mark.parametrize(
    ("key", "needs"),
    [
        ("A3 H10", "budget on test300, persistent (qwen2.5-7b, llama3.1-8b, qwen3-8b)"),
        ("A5 D1", "budget on test300 with 16 actions, persistent (qwen2.5-7b, llama3.1-8b, qwen3-8b)"),
        ("A18 T2", "unaided on test300, persistent (qwen2.5-7b, llama3.1-8b); "
         "labelled stated judgments (replay --probe stated) of unaided on test300, persistent (qwen3-8b)"),
    ],
)  # fmt: skip
def test_needs_name_cells_regimes_and_probes(
    embedded: dict[str, RegisteredResult], key: str, needs: str
) -> None:
    assert embedded[key].verdict == f"not evaluable: needs {needs}"


#: What the 43 released cells can decide: the conditions of the four open models on both question sets.
DECIDABLE = [
    "original H4", "A3 H7", "A3 H8", "A3 H9", "A3 H10", "A8 L-H1", "A8 L-H7", "A8 L-H9", "A8 L-C1", "A8 L-C3",
    "A11 PP1", "A11 PP2", "A12 J1", "A12 J2", "A12 C", "A16 F1–F2", "A16 F3", "A16 F4", "A16 F5",
]  # fmt: skip


def released() -> list[tuple[str, str, str]]:
    table = released_cells()
    return list(zip(table["model"], table["condition"], table["split"], strict=True))


def simulated_cells() -> pd.DataFrame:
    """Return made-up cells under the names of the 43 released ones."""
    behaviours = {
        "enforced_rule": Behaviour(at_run=5, success=0.7),
        "combo": Behaviour(at_run=5, success=0.75),
        "stated_rule": Behaviour(at_run=5, obeys=0.4, success=0.5),
        "unaided": Behaviour(last=0.05, hazard=0.04),
    }
    frames = []
    for model, condition, split in released():
        cell = CellKey(model, condition, split=split)
        who = behaviours.get(cell.condition, Behaviour())
        frame = make_cell(cell, (*MEAN6, "plausible"), who)
        # As released: no task, budget or stated judgments, and no judgments in the clean regime.
        silent = frame["regime"].isin(["clean", "plausible"])
        none = frame["judgments"].map(lambda words: [None] * len(words))
        frames.append(frame.assign(judgments=frame["judgments"].where(~silent, none)))
    return pd.concat(frames, ignore_index=True).drop(columns=["task", "budget", "stated_by_label"])


def test_43_simulated_cells_decide_exactly_what_they_can() -> None:
    episodes = simulated_cells()
    assert episodes.groupby(["model", "condition", "split"]).ngroups == 43
    results = {result.test.key: result for result in evaluate(episodes, TESTS.values(), n_boot=200)}
    decided = {key: result.outcome for key, result in results.items() if result.outcome != NOT_EVALUABLE}
    print(f"decided by 43 simulated cells: {decided}")  # noqa: T201 - shown with pytest -s, as a report
    assert list(decided) == DECIDABLE
    for key, result in results.items():
        cells_wanted = cells_of([TESTS[key]])
        there = all((cell.model, cell.condition, cell.split) in set(released()) for cell in cells_wanted)
        if key in decided:
            assert there
        else:
            assert result.needs


def answer(p: float | None) -> dict[str, Answer]:
    asked = Asked("success", (), (), "")
    return {"gain": Answer(asked, None if p is None else Figure(0.1, p=p))}


def test_holm_with_a_missing_model_is_bounded_by_hand() -> None:
    # Missing p = 0: the others rank second and third of three. Missing p = 1: first and second.
    bounds = adjust({"a": answer(0.01), "b": answer(0.03), "c": answer(None)}, ())
    assert bounds["a"]["gain"].adjusted == pytest.approx((0.02, 0.03))
    assert bounds["b"]["gain"].adjusted == pytest.approx((0.03, 0.06))
    assert bounds["c"]["gain"].adjusted is None


def two_arms(models: list[str], gain: float, n: int = 60, split: str = "test300") -> pd.DataFrame:
    frames = [
        make_cell(CellKey(model, arm, split=split), MEAN6, Behaviour(success=success), n)
        for model in models
        for arm, success in (("unaided", 0.4), ("enforced_rule", 0.4 + gain))
    ]
    return pd.concat(frames, ignore_index=True)


def test_a_case_is_decided_as_far_as_the_missing_models_allow() -> None:
    (result,) = evaluate(two_arms(["qwen3-8b"], 0.4), [TESTS["original H1"]], n_boot=200)
    labels = {case.model: case.label for case in result.cases}
    assert labels == {
        "qwen2.5-7b": NOT_EVALUABLE, "llama3.1-8b": NOT_EVALUABLE, "qwen3-8b": "pass",
        "claude-haiku-4.5": NOT_EVALUABLE,
    }  # fmt: skip
    assert result.outcome == NOT_EVALUABLE


def test_optional_models_may_be_missing() -> None:
    models = ["qwen2.5-7b", "llama3.1-8b", "qwen3-8b"]
    (result,) = evaluate(two_arms(models, 0.4, split="fresh300"), [TESTS["A16 F4"]], n_boot=200)
    assert result.outcome == "pass"
    (whole,) = evaluate(
        two_arms([*models, "qwen3-32b"], 0.4, split="fresh300"), [TESTS["A16 F4"]], n_boot=200
    )
    assert len(whole.required) == 4


def test_an_undefined_interval_decides_nothing_and_says_why() -> None:
    cells = [CellKey(model, "budget") for model in TESTS["A3 H9"].models]
    never = Behaviour(hazard=0.0, last=0.0)
    episodes = pd.concat([make_cell(cell, MEAN6, never) for cell in cells])
    episodes = pd.concat([episodes, episodes.assign(condition="permit")])
    (result,) = evaluate(episodes, [TESTS["A3 H9"]], n_boot=50)
    assert result.verdict == "not evaluable: every resample gives the same value"


def test_first_questions_are_those_of_the_manifest() -> None:
    episodes = two_arms(["claude-sonnet-5"], 0.3, n=140)
    (result,) = evaluate(episodes, [TESTS["A7 S-H2"]], n_boot=50)
    figure = result.cases[0].answers["gain"].figure
    assert figure is not None
    assert figure.n == 100
    first = episodes[episodes["question_id"].isin(manifest("test300")[:100])]
    arms = [first[first["condition"] == arm] for arm in ("enforced_rule", "unaided")]
    by_hand = paired_contrast(*arms, regimes=["persistent"], n_boot=50)
    assert (figure.value, figure.low, figure.high) == (by_hand.value, by_hand.low, by_hand.high)


def test_cells_differ_in_task_split_and_budget() -> None:
    cells = [
        CellKey("m", "budget"),
        CellKey("m", "budget", budget=16),
        CellKey("m", "budget", "fever", "fever292"),
    ]  # fmt: skip
    frames = [make_cell(cell, ("persistent",)) for cell in cells]
    assert list(CellIndex(pd.concat(frames, ignore_index=True)).cells) == cells
    # Released episodes have neither task nor budget.
    bare = pd.concat([frames[0], frames[2]], ignore_index=True).drop(columns=["task", "budget"])
    assert list(CellIndex(bare).cells) == [cells[0], cells[2]]


def test_bad_episodes_are_refused_by_cell_and_field() -> None:
    episodes = make_cell(CellKey("m", "budget"), ("persistent",))
    assert CellIndex(episodes.iloc[:0]).cells == {}  # no episodes: every test then says what it needs
    with pytest.raises(EpisodeError, match="field 'success' is missing"):
        evaluate(episodes.drop(columns="success"), [])
    with pytest.raises(EpisodeError, match="row 1: field 'regime'"):
        evaluate(episodes.assign(regime=""), [])


@pytest.mark.parametrize(
    ("comparison", "meets", "misses"),
    [
        ("above", -0.049, -0.05), ("at_least", -0.05, -0.051), ("below", -0.051, -0.05),
        ("at_most", -0.05, -0.049), ("equals", -0.05, -0.049),
    ],
)  # fmt: skip
def test_comparisons_at_and_beside_the_threshold(comparison: str, meets: float, misses: float) -> None:
    criterion = Criterion.model_validate({"quantity": "x", comparison: -0.05})
    assert criterion.holds(meets)
    assert not criterion.holds(misses)
    # A sum of shares that is the threshold up to rounding is the threshold.
    assert criterion.holds(-0.05 + 1e-12) == criterion.holds(-0.05)


def test_places_fill_each_other_in() -> None:
    quantity = Quantity.model_validate(
        {"measure": "paired_difference", "arm": "combo", "minus": {"budget": 16}}
    )
    asked = resolve(TESTS["A4 F-H1"], "m", Place(regimes="clean"), quantity)
    assert asked.cells == (
        CellKey("m", "combo", "fever", "fever292", 8), CellKey("m", "combo", "fever", "fever292", 16),
    )  # fmt: skip
    assert asked.regimes == ("clean",)
    assert asked.printed_keys() == (("m", "combo", "fever", "fever292", "8", "clean", "paired_difference"),)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"measure": "success", "regimes": "clean"}, "an arm must be given"),
        ({"measure": "success", "arm": "combo"}, "regimes must be given"),
        ({"measure": "delta", "arm": "combo", "regimes": "fail", "minus": {"arm": "x"}}, "asked of 2"),
        ({"measure": "paired_difference", "arm": "combo", "regimes": "fail"}, "asked of 1"),
    ],
)
def test_an_incomplete_place_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        resolve(TESTS["original H1"], "m", Place(), Quantity.model_validate(fields))
