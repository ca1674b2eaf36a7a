"""How Δ depends on choices, against loops written from its definition (paper §2 and Appendix C.1)."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import combinations, product
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from judged_useless.estimators import time_matched_contrast
from judged_useless.estimators.estimate import UndefinedEstimateError
from paper_book import sensitivity
from paper_book.sensitivity import (
    answers_behind,
    contrast_by_step,
    interval_by_seed,
    left_out,
    linear_probability_contrast,
    one_choice_at_a_time,
    permutation_test,
    specification_curve,
)

Decision = dict[str, Any]
WEIGHT: dict[str, Callable[[int, int], float]] = {
    "mantel_haenszel": lambda a, b: a * b / (a + b),
    "equal": lambda a, b: 1.0,
    "n": lambda a, b: a + b,
}
STRATUM: dict[str, Callable[[Decision], Hashable]] = {
    "step": lambda d: d["t"],
    "question": lambda d: (d["question_id"], d["t"]),
    "regime": lambda d: (d["regime"], d["t"]),
}


def decisions_of(rows: Iterable[Mapping[Any, Any]]) -> list[Decision]:
    """Every decision with the run of USELESS before it, in plain loops."""
    found = []
    for number, row in enumerate(rows):
        for t in range(1, len(row["actions"])):
            run = 0
            while run < t and row["judgments"][t - 1 - run] == "USELESS":
                run += 1
            answers = row["actions"][t] == "finish"
            found.append({**row, "episode": number, "t": t, "run": run, "answers": answers})
    return found


def compared(
    decisions: list[Decision], window: tuple[int, int] = (3, 6), gap: int = 2
) -> list[tuple[Decision, bool]]:
    """The decisions in the two groups, and whether each is in (a)."""
    inside = [d for d in decisions if window[0] <= d["t"] <= window[1]]
    return [(d, d["run"] == d["t"]) for d in inside if d["run"] == d["t"] or 1 <= d["run"] <= d["t"] - gap]


def by_hand(
    pairs: list[tuple[Decision, bool]], strata: str = "step", weights: str = "mantel_haenszel"
) -> float:
    counts: dict[Hashable, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for decision, in_a in pairs:
        stratum = counts[STRATUM[strata](decision)]
        stratum[0 if in_a else 2] += 1
        stratum[1 if in_a else 3] += decision["answers"]
    both = [each for each in counts.values() if each[0] and each[2]]
    total = sum(WEIGHT[weights](n_a, n_b) for n_a, _, n_b, _ in both)
    if not total:
        return float("nan")
    return sum(WEIGHT[weights](n_a, n_b) * (x_a / n_a - x_b / n_b) for n_a, x_a, n_b, x_b in both) / total


def steps(window: str) -> tuple[int, int]:
    first, *last = map(int, window.split("–"))
    return first, *(last or [first])  # type: ignore[return-value]


@pytest.fixture(scope="module")
def curves(cells: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return {name: specification_curve(cell, n_boot=40) for name, cell in cells.items()}


@pytest.fixture(scope="module")
def tables(cells: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return {name: one_choice_at_a_time(cell) for name, cell in cells.items()}


ARMS = ("unaided", "enforced_rule")


@pytest.mark.parametrize("arm", ARMS)
def test_every_specification_equals_its_definition(
    cells: dict[str, pd.DataFrame], curves: dict[str, pd.DataFrame], arm: str
) -> None:
    decisions = decisions_of(cells[arm].to_dict("records"))
    grouped: dict[tuple[str, int], list[tuple[Decision, bool]]] = {}
    for row in curves[arm].to_dict("records"):
        key = row["window"], row["gap"]
        pairs = grouped.setdefault(key, compared(decisions, steps(row["window"]), row["gap"]))
        expected = by_hand(pairs, row["strata"], row["weights"])
        assert row["value"] == pytest.approx(expected, abs=1e-12, nan_ok=True), row
        if pd.isna(row["value"]):
            assert key == ("3", 3)  # no run of 1 or more leaves out three of three results
        else:
            assert (row["n_a"], row["n_b"]) == (sum(a for _, a in pairs), sum(not a for _, a in pairs))
            assert row["answers_b"] == sum(d["answers"] for d, a in pairs if not a)


def test_the_curve_is_every_combination_once_and_sorted(curves: dict[str, pd.DataFrame]) -> None:
    curve = curves["unaided"]
    windows = ("3–6", "4–6", "5–6", "3", "4", "5", "6")
    every = {
        each for each in product(windows, (1, 2, 3), STRATUM, WEIGHT)
        if "–" in each[0] or each[2] != "step" or each[3] == "mantel_haenszel"
    }  # fmt: skip
    found = list(curve[["window", "gap", "strata", "weights"]].itertuples(index=False, name=None))
    assert len(found) == len(set(found))
    assert set(found) == every
    assert curve["value"].dropna().is_monotonic_increasing
    published = curve[curve["published"]]
    assert published[["window", "gap", "strata", "weights"]].to_numpy().tolist() == [
        ["3–6", 2, "step", "mantel_haenszel"]
    ]


@pytest.mark.parametrize(
    "options", [{"gap": 1}, {"weights": "equal"}, {"weights": "n", "strata": "question"}]
)
def test_intervals_equal_the_definition_on_copied_questions(random_cell: Any, options: Any) -> None:
    cell = random_cell(1, 8)
    by_question = [list(part.to_dict("records")) for _, part in cell.groupby("question_id", sort=False)]
    rng, values = Random(0), []
    for _ in range(40):
        drawn = [by_question[rng.randrange(8)] for _ in range(8)]
        rows = [row | {"question_id": i} for i, rows in enumerate(drawn) for row in rows]
        pairs = compared(decisions_of(rows), gap=options.get("gap", 2))
        values.append(
            by_hand(pairs, options.get("strata", "step"), options.get("weights", "mantel_haenszel"))
        )
    found = time_matched_contrast(cell, n_boot=40, **options)
    ordered = sorted(values)
    assert (found.low, found.high) == pytest.approx((ordered[1], ordered[38]), abs=1e-12)


@pytest.mark.parametrize(
    ("choice", "unaided", "rule"),
    [
        ("as published", "-0.065 [-0.095, -0.039]", "0.329 [0.286, 0.373]"),
        ("steps 4–6", "-0.066 [-0.098, -0.038]", "0.441 [0.395, 0.487]"),
        ("steps 5–6", "-0.060 [-0.091, -0.030]", "0.794 [0.725, 0.865]"),
        ("step 3", "-0.057 [-0.124, -0.006]", "-0.056 [-0.132, 0.004]"),
        ("step 4", "-0.082 [-0.141, -0.031]", "-0.047 [-0.092, -0.008]"),
        ("step 5", "-0.069 [-0.116, -0.030]", "0.904 [0.859, 0.943]"),
        ("step 6", "-0.050 [-0.091, -0.012]", "0.107 [-0.054, 0.296]"),
        ("strata question × step", "-0.076 [-0.109, -0.046]", "0.293 [0.245, 0.343]"),
        ("linear model", "-0.065 [-0.093, -0.037]", "0.329 [0.286, 0.372]"),
    ],
)
def test_known_values(tables: dict[str, pd.DataFrame], choice: str, unaided: str, rule: str) -> None:
    """The first and the strata as in Tables 6 and 22, the others computed apart from this code."""
    for arm, expected in zip(ARMS, (unaided, rule), strict=True):
        row = tables[arm].loc[choice]
        assert f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]" == expected


@pytest.mark.parametrize("arm", ARMS)
def test_one_choice_differs_from_the_published_form_in_that_choice_only(
    cells: dict[str, pd.DataFrame], tables: dict[str, pd.DataFrame], arm: str
) -> None:
    table, rows = tables[arm], cells[arm].to_dict("records")
    decisions = decisions_of(rows)
    pairs = compared(decisions)
    expected = {
        "gap 1": by_hand(compared(decisions, gap=1)),
        "gap 3": by_hand(compared(decisions, gap=3)),
        "strata regime × step": by_hand(pairs, "regime"),
        "weights equal": by_hand(pairs, weights="equal"),
        "weights n": by_hand(pairs, weights="n"),
        "clusters episode": by_hand(pairs),
        "clusters decision": by_hand(pairs),
    } | {
        f"without {name}": by_hand([each for each in pairs if each[0]["regime"] != name])
        for name in cells[arm]["regime"].unique()
    }
    assert {key: table.loc[key, "value"] for key in expected} == pytest.approx(expected, abs=1e-12)
    assert table.loc["clusters decision", "n_clusters"] == len(pairs)
    assert set(table["reason"]) == {""}


@pytest.mark.parametrize("cluster", ["episode", "decision"])
def test_other_clusters_are_what_is_resampled(random_cell: Any, cluster: str) -> None:
    cell = random_cell(3, 6)
    rows = cell.to_dict("records")
    pairs = compared(decisions_of(rows))
    n = len(rows) if cluster == "episode" else len(pairs)
    by_cluster: list[list[tuple[Decision, bool]]] = [[] for _ in range(n)]
    for place, pair in enumerate(pairs):
        by_cluster[pair[0]["episode"] if cluster == "episode" else place].append(pair)
    rng = Random(0)
    drawn = [[each for _ in range(n) for each in by_cluster[rng.randrange(n)]] for _ in range(60)]
    values = sorted(value for value in map(by_hand, drawn) if np.isfinite(value))
    row = one_choice_at_a_time(cell, n_boot=60).loc[f"clusters {cluster}"]
    low, high = values[int(0.025 * len(values))], values[int(0.975 * len(values)) - 1]
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-12)
    assert row["method"] == f"{cluster}-cluster bootstrap, percentile"


@pytest.mark.parametrize("by", ["question_id", "regime"])
def test_left_out_equals_the_rest(random_cell: Any, by: str) -> None:
    cell = random_cell(5)
    pairs = compared(decisions_of(cell.to_dict("records")))
    names = cell[by].unique()
    expected = {name: by_hand([each for each in pairs if each[0][by] != name]) for name in names}
    found = left_out(cell, by)
    assert dict(zip(found[by], found["value"], strict=True)) == pytest.approx(expected, abs=1e-12)
    assert (found["value"] - found["change"]).tolist() == pytest.approx(
        [by_hand(pairs)] * len(names), abs=1e-12
    )
    assert found["value"].is_monotonic_increasing


@pytest.mark.parametrize(("by", "ends"), [("question_id", (-0.067, -0.061)), ("regime", (-0.072, -0.048))])
def test_no_question_and_no_regime_makes_the_unaided_contrast(
    cells: dict[str, pd.DataFrame], by: str, ends: tuple[float, float]
) -> None:
    values = left_out(cells["unaided"], by)["value"]
    assert (round(values.min(), 3), round(values.max(), 3)) == ends
    assert len(values) == cells["unaided"][by].nunique()


@pytest.mark.parametrize("seed", range(3))
def test_the_linear_model_equals_mantel_haenszel_and_its_sandwich(random_cell: Any, seed: int) -> None:
    cell = random_cell(seed, 20)
    pairs = compared(decisions_of(cell.to_dict("records")))
    t = np.array([d["t"] for d, _ in pairs])
    question = np.array([d["question_id"] for d, _ in pairs])
    x = np.column_stack([[a for _, a in pairs], t[:, None] == np.unique(t)]).astype(float)
    y = np.array([d["answers"] for d, _ in pairs], dtype=float)
    bread = np.linalg.inv(x.T @ x)
    residual = y - x @ (bread @ x.T @ y)
    scores = np.array([x[question == q].T @ residual[question == q] for q in np.unique(question)])
    (n, k), groups = x.shape, len(scores)
    correction = groups / (groups - 1) * (n - 1) / (n - k)
    se = np.sqrt((bread @ (scores.T @ scores) @ bread)[0, 0] * correction)
    found = linear_probability_contrast(cell)
    centre = by_hand(pairs)
    assert found.value == pytest.approx(centre, abs=1e-12)
    assert (found.low, found.high) == pytest.approx(
        (centre - 1.959964 * se, centre + 1.959964 * se), abs=1e-6
    )
    assert (found.n, found.n_clusters, found["se"]) == (n, groups, pytest.approx(se))


def told(pairs: list[tuple[Decision, bool]]) -> tuple[dict[Hashable, list[tuple[Decision, bool]]], float]:
    """The decisions by question and step, and the sum of the weights."""
    cells = defaultdict(list)
    for pair in pairs:
        cells[STRATUM["question"](pair[0])].append(pair)
    sides = [(sum(a for _, a in cell), sum(not a for _, a in cell)) for cell in cells.values()]
    return cells, sum(n_a * n_b / (n_a + n_b) for n_a, n_b in sides)


def test_permutation_p_equals_the_enumeration_of_all_deals(episode: Any) -> None:
    rows = [
        *(episode("q1", "---", "finish" if i < 1 else "search", regime=f"r{i}") for i in range(2)),
        *(episode("q1", "-+-", "finish", regime=f"s{i}") for i in range(2)),
        *(episode("q2", "---", "search", regime=f"r{i}") for i in range(3)),
        *(episode("q2", "-+-", "finish" if i else "search", regime=f"s{i}") for i in range(3)),
    ]
    pairs = compared(decisions_of(rows))
    cells, weight = told(pairs)
    deals = []
    for cell in cells.values():
        n_a, x, n = sum(a for _, a in cell), sum(d["answers"] for d, _ in cell), len(cell)
        deals.append([sum(i < n_a for i in chosen) - n_a * x / n for chosen in combinations(range(n), x)])
    values = np.array([sum(each) / weight for each in product(*deals)])
    found = permutation_test(rows, n_permutations=20_000)
    centre = by_hand(pairs, "question")
    exact = (np.abs(values) >= abs(centre) - 1e-12).mean()
    assert found["contrast"] == pytest.approx(centre, abs=1e-12)
    assert found.value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert (found.n, found.n_clusters, found["n_strata"]) == (10, 2, 2)


def test_seeds_give_the_interval_of_each(cells: dict[str, pd.DataFrame]) -> None:
    found: Any = interval_by_seed(cells["unaided"], (0, 7))
    for seed in (0, 7):
        one = time_matched_contrast(cells["unaided"], seed=seed)
        assert found.loc[seed].tolist() == [one.low, one.high]
    spread = interval_by_seed(cells["unaided"]).std()
    assert (spread > 0).all()
    assert (spread < 0.002).all()


@pytest.mark.parametrize("arm", ARMS)
def test_steps_add_up_to_the_contrast(cells: dict[str, pd.DataFrame], arm: str) -> None:
    table = contrast_by_step(cells[arm], n_boot=40)
    pairs = compared(decisions_of(cells[arm].to_dict("records")))
    assert table["t"].tolist() == [3, 4, 5, 6]
    for row in table.to_dict("records"):
        here = [each for each in pairs if each[0]["t"] == row["t"]]
        assert row["value"] == pytest.approx(by_hand(here), abs=1e-12)
        assert row["answers_a"] == sum(d["answers"] for d, a in here if a)
        assert row["n_b"] == sum(not a for _, a in here)
    assert (table["weight"] * table["value"]).sum() == pytest.approx(by_hand(pairs), abs=1e-12)


def test_few_answers_carry_the_unaided_contrast(cells: dict[str, pd.DataFrame]) -> None:
    found: Any = answers_behind(cells["unaided"]).set_index("group")
    pairs = compared(decisions_of(cells["unaided"].to_dict("records")))
    answers = [d["question_id"] for d, a in pairs if not a and d["answers"]]
    assert found.loc["both", "answers"] == 43
    assert found.loc["(b)", ["answers", "answered"]].tolist() == [32, 26] == [len(answers), len(set(answers))]
    assert found.loc["(b)", "most"] == max(map(answers.count, answers))
    assert found.loc["(a)", "questions"] == len({d["question_id"] for d, a in pairs if a})


def test_where_the_contrast_is_undefined_so_is_its_sensitivity(episode: Any) -> None:
    alone = [episode(f"q{i}", "----", regime="persistent") for i in range(3)]
    for name in (
        "specification_curve",
        "one_choice_at_a_time",
        "left_out",
        "permutation_test",
        "answers_behind",
    ):
        with pytest.raises(UndefinedEstimateError, match="no decision in group"):
            getattr(sensitivity, name)(alone)
    same = [*alone, episode("q9", "-+--", regime="recover_after_1")]
    with pytest.raises(UndefinedEstimateError, match="permutation test is undefined"):
        permutation_test(same)
    left = one_choice_at_a_time(same, n_boot=20).loc["without persistent"]
    assert "no decision in group" in left["reason"]
    assert np.isnan(left["value"])


@pytest.mark.parametrize(("option", "value"), [("gap", 0), ("weights", "by hand")])
def test_unknown_choices_are_refused(cells: dict[str, pd.DataFrame], option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=option):
        time_matched_contrast(cells["unaided"], **{option: value})
