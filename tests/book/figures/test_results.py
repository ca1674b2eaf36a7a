"""What the figures of results draw: positions, colours, labels, and what they leave out."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from paper_book.figures.curves import beliefs, described_beliefs, hazards_by_run, judgments_by_position
from paper_book.figures.dots import answering_actions, contrast_forest, judged_and_answered_by_model
from paper_book.figures.matrix import contrast_heatmap, model_label, signed
from paper_book.figures.published_beside import described, where_from
from paper_book.figures.style import CONDITIONS, MODELS, PUBLISHED, RECOMPUTED
from paper_book.figures.tradeoff import cost_against_success

NOTHING = np.nan


def labels(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def title(axes: Axes) -> str:
    figure = axes.get_figure(root=True)
    assert figure is not None
    return figure.get_suptitle().replace("\n", " ")


def legend(axes: Axes) -> list[str]:
    figure = axes.get_figure(root=True)
    assert figure is not None
    return [text.get_text() for each in figure.legends for text in each.get_texts()]


def points(axes: Axes, colour: str) -> list[tuple[float, float]]:
    """Return the places of the markers of a colour."""
    return [
        (float(x), float(y))
        for line in axes.lines
        if line.get_marker() not in ("", "None", None) and to_hex(line.get_color()) == colour
        for x, y in zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True)
    ]


# --- the heat map ---------------------------------------------------------------------------------


def grids() -> tuple[pd.DataFrame, pd.DataFrame]:
    arms, models = ["unaided", "enforced_rule"], ["qwen3-8b", "qwen3-32b"]
    values = pd.DataFrame([[-0.06, -0.07], [0.33, NOTHING]], index=arms, columns=models)
    again = pd.DataFrame([[-0.05, NOTHING], [NOTHING, NOTHING]], index=arms, columns=models)
    return values, again


def test_heatmap_writes_each_value_and_its_replication() -> None:
    axes = contrast_heatmap(*grids(), title="A map", harness=["enforced_rule"])
    assert [text.get_text() for text in axes.texts] == ["−.06", "(−.05)", "−.07", "+.33", "·"]
    sizes = [float(text.get_fontsize()) for text in axes.texts]
    assert sizes[1] < sizes[0]
    assert labels(axes) == ["unaided", "enforced rule"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["qwen3\n8b", "qwen3\n32b"]
    assert [label.get_fontweight() for label in axes.get_yticklabels()] == ["normal", "bold"]
    assert title(axes) == "A map"


def test_heatmap_is_red_below_zero_blue_above_and_empty_where_nothing_is() -> None:
    axes = contrast_heatmap(*grids(), title="A map")
    image = axes.images[0]
    drawn: np.ma.MaskedArray[Any, Any] = np.ma.asarray(image.get_array())
    assert drawn.mask.tolist() == [[False, False], [False, True]]
    red, _, blue, _ = image.to_rgba(np.array([-0.3]))[0]
    assert red > blue
    red, _, blue, _ = image.to_rgba(np.array([0.3]))[0]
    assert blue > red


def test_heatmap_refuses_tables_that_differ() -> None:
    values, again = grids()
    with pytest.raises(ValueError, match="same rows and columns"):
        contrast_heatmap(values, again.iloc[::-1], title="x")
    with pytest.raises(ValueError, match="at least one each"):
        contrast_heatmap(values.iloc[:0], again.iloc[:0], title="x")


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, ".00"), (0.004, ".00"), (-0.006, "−.01"), (1.0, "+1.00"), (NOTHING, "·")]
)
def test_signs_as_the_paper_prints_them(value: float, text: str) -> None:
    assert signed(value) == text


def test_model_labels_take_two_lines() -> None:
    assert model_label("claude-haiku-4.5") == "claude-haiku\n4.5"
    assert model_label("mine") == "mine"


# --- rows -----------------------------------------------------------------------------------------


def comparison() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "value": [0.045, 0.129, NOTHING],
            "low": [0.029, NOTHING, NOTHING],
            "high": [0.062, NOTHING, NOTHING],
            "recomputed": [0.0451, NOTHING, 0.02],
            "recomputed_low": [0.03, NOTHING, 0.01],
            "recomputed_high": [0.06, NOTHING, 0.03],
            "decimals": [3, 3, 3],
        }
    )


def test_forest_puts_rows_below_the_heading_of_their_group() -> None:
    axes = contrast_forest(
        comparison(), ["a", "a", "b"], ["HotpotQA", "FEVER", "own"], title="t", xlabel="gain", source="here"
    )
    places = dict(zip(labels(axes), axes.get_yticks(), strict=True))
    assert list(places) == ["HotpotQA", "FEVER", "own", "a", "b"]
    assert places["a"] > places["HotpotQA"] > places["FEVER"] > places["b"] > places["own"]
    assert [x for x, _ in points_of_lines(axes, PUBLISHED)] == [0.045, 0.129]
    assert [x for x, _ in points_of_lines(axes, RECOMPUTED)] == [0.0451, 0.02]
    assert legend(axes) == ["published", "recomputed (here)"]
    with pytest.raises(ValueError, match="2 labels for 3 rows"):
        contrast_forest(comparison(), ["a"] * 2, ["x"] * 2, title="t", xlabel="x", source="s")
    with pytest.raises(ValueError, match="at least one"):
        contrast_forest(comparison().iloc[:0], [], [], title="t", xlabel="x", source="s")


def points_of_lines(axes: Axes, colour: str) -> list[tuple[float, float]]:
    """Return the points of marker-only lines of a colour."""
    return [
        (float(x), float(y))
        for line in axes.lines
        if line.get_linestyle() == "None" and to_hex(line.get_color()) == colour
        for x, y in zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True)
    ]


def actions() -> pd.DataFrame:
    rows = [
        ("qwen3-8b", "budget", 8, 8.0, NOTHING),
        ("qwen3-8b", "budget", 16, 16.0, NOTHING),
        ("qwen3-8b", "combo", 8, 6.0, 6.0),
        ("qwen3-8b", "combo", 16, NOTHING, 7.0),
    ]
    return pd.DataFrame(rows, columns=["model", "condition", "budget", "value", "recomputed"])


def test_answering_actions_are_bars_if_published_and_circles_if_recomputed() -> None:
    axes = answering_actions(actions(), title="t", source="here")
    assert [bar.get_width() for bar in axes.patches] == [8, 16, 6]  # type: ignore[attr-defined]
    light, dark = (to_hex(axes.patches[i].get_facecolor()) for i in (0, 1))
    assert light != dark
    assert to_hex(axes.patches[2].get_facecolor()) == light
    assert [x for x, _ in points_of_lines(axes, RECOMPUTED)] == [6, 7]
    assert labels(axes) == ["budget", "combo", "qwen3-8b"]
    with pytest.raises(ValueError, match="two budgets at most, found 8, 16, 32"):
        answering_actions(pd.concat([actions(), actions().assign(budget=32)]), title="t", source="s")


def test_judged_and_answered_by_model() -> None:
    agents = pd.DataFrame(
        {
            "model": ["qwen3-8b", "search-r1"],
            "useless": [0.996, NOTHING],
            "answered": [1 / 292, NOTHING],
            "answered_published": [1 / 292, 29 / 165],
        }
    )
    axes = judged_and_answered_by_model(agents, title="t", source="here")
    widths = [bar.get_width() for bar in axes.patches]  # type: ignore[attr-defined]
    assert widths == pytest.approx([99.6, 100 / 292])
    assert [x for x, _ in points_of_lines(axes, PUBLISHED)] == pytest.approx([100 / 292, 2900 / 165])
    assert labels(axes)[-2:] == ["qwen3-8b", "search-r1"]
    with pytest.raises(ValueError, match="at least one"):
        judged_and_answered_by_model(agents.iloc[:0], title="t", source="here")


def test_description_names_each_number_and_says_when_there_is_none() -> None:
    assert described(comparison(), ["first_run", "FEVER", "own"]) == (
        "first run: published 0.045 [0.029, 0.062], recomputed 0.0451 [0.0300, 0.0600]; "
        "FEVER: published 0.129; own: published nothing, recomputed 0.0200 [0.0100, 0.0300]."
    )


# --- curves ---------------------------------------------------------------------------------------


def test_hazards_are_lines_and_published_ones_span_their_two_lengths() -> None:
    table = pd.DataFrame(
        {"value": [0.0, 0.9], "low": [NOTHING, 0.8], "high": [NOTHING, 1.0]}, index=pd.Index([1, 5])
    )
    printed = pd.DataFrame(
        {"condition": ["unaided", "budget"], "first": [1, 4], "last": [2, 5], "value": [0.01, 0.08]}
    )
    axes = hazards_by_run({"unaided": table}, printed, title="t", source="here")
    line = next(line for line in axes.lines if len(np.asarray(line.get_xdata())) == 2)
    assert np.asarray(line.get_ydata()).tolist() == [0.0, 0.9]
    assert np.asarray(line.get_xdata()) == pytest.approx([1, 5], abs=0.11)
    assert to_hex(line.get_color()) == CONDITIONS["unaided"]
    assert [(x, y) for x, y in points(axes, CONDITIONS["budget"])] == [(4.5, 0.08)]
    assert legend(axes) == ["unaided", "budget", "published, two lengths"]
    assert axes.get_ylabel() == "probability of answering"
    with pytest.raises(ValueError, match="no hazard"):
        hazards_by_run({}, printed.iloc[:0], title="t", source="s")


def test_judgments_by_position_draws_failed_and_real_results_apart() -> None:
    judged = pd.DataFrame(
        {"failed": [False, False, True], "t": [1, 2, 1], "useless": [0.2, 0.5, 0.99], "n": [10, 10, 20]}
    )
    axes = judgments_by_position(judged, title="t")
    assert [np.asarray(line.get_ydata()).tolist() for line in axes.lines] == [[99.0], [20.0, 50.0]]
    assert legend(axes) == ["failed results", "real results"]
    with pytest.raises(ValueError, match="no judgment"):
        judgments_by_position(judged.iloc[:0], title="t")


def test_beliefs_take_three_panels_a_model_with_what_is_missing_as_bars() -> None:
    table = pd.DataFrame(
        {
            "model": ["qwen3-8b"] * 2 + ["another"],
            "failed": [1, 2, 1],
            "continue_reported": [0.8, 0.7, 0.5],
            "continue_ideal": [0.3, 0.1, 0.2],
            "continue_realized": [0.04, 0.02, 0.0],
            "answer_reported": [0.2, 0.2, 0.1],
            "answer_realized": [0.15, 0.14, 0.3],
            "answers": [0.0, 0.01, 1.0],
            "favors": [0.1, NOTHING, 0.4],
            "decisions": [10, 8, 4],
            "no_report": [1, 2, 0],
            "no_branch": [0, 0, 4],
        }
    )
    top = beliefs(table, title="Beliefs")
    figure = top.get_figure(root=True)
    assert figure is not None
    panels = figure.axes
    assert [axes.get_title() for axes in panels[:3]] == ["going on", "answering\nnow", "acts"]
    assert [axes.get_ylabel() for axes in panels[::3]] == ["qwen3-8b", "another"]
    drawn = [[np.asarray(line.get_ydata()).tolist() for line in axes.lines] for axes in panels]
    assert drawn[0] == [[0.8, 0.7], [0.3, 0.1], [0.04, 0.02]]
    assert drawn[1] == [[0.2, 0.2], [0.15, 0.14]]
    assert drawn[2][1] == [0.0, 0.01]
    assert drawn[3:] == [[[0.5], [0.2], [0.0]], [[0.1], [0.3]], [[0.4], [1.0]]]
    bars = [[patch.get_height() for patch in axes.patches if isinstance(patch, Rectangle)] for axes in panels]
    assert bars == [[0.1, 0.25], [0, 0], [0.1, 0.25], [0], [1], [0]]
    looks = {(line.get_linestyle(), line.get_marker(), line.get_color()) for line in panels[0].lines}
    assert len(looks) == 3  # told apart without colour, too
    assert legend(top) == [
        "the agent's own report", "realized value", "ideal observer", "answers", "share missing",
    ]  # fmt: skip
    first, second, third = described_beliefs(table).split("; ")
    assert first.startswith(
        "qwen3-8b after 1 failed results: going on is worth by its report 0.80, to the ideal"
    )
    assert second.endswith(
        "realized 0.14, share of decisions at which it answers 0.01"
    )  # no share that favors
    assert third.startswith("another after 1 failed results")
    with pytest.raises(ValueError, match="no belief"):
        beliefs(table.iloc[:0], title="t")


# --- cost -----------------------------------------------------------------------------------------


def test_cost_figure_leaves_out_arms_with_a_missing_number() -> None:
    arms = pd.DataFrame(
        {
            "model": ["qwen3-32b", "qwen3-8b", "qwen3-8b"],
            "condition": ["budget", "unaided", "combo"],
            "calls": [3.64, 4.79, NOTHING],
            "success": [0.581, 0.448, 0.478],
            "recomputed": [False, True, False],
        }
    )
    axes = cost_against_success(arms, title="t")
    drawn = {to_hex(line.get_color()): line for line in axes.lines if line.get_linestyle() == "None"}
    assert set(drawn) == {CONDITIONS["budget"], CONDITIONS["unaided"]}
    assert drawn[CONDITIONS["budget"]].get_markerfacecolor() == "white"
    assert drawn[CONDITIONS["unaided"]].get_markerfacecolor() == CONDITIONS["unaided"]
    assert drawn[CONDITIONS["budget"]].get_marker() == MODELS["qwen3-32b"][1]
    assert legend(axes) == ["unaided", "budget", "qwen3-8b", "qwen3-32b"]
    slopes = {
        round(float(np.diff(np.asarray(line.get_ydata()))[0] / np.diff(np.asarray(line.get_xdata()))[0]), 9)
        for line in axes.lines
        if line.get_linestyle() == ":"
    }
    assert slopes == {0.05}
    with pytest.raises(ValueError, match="no arm"):
        cost_against_success(arms.iloc[2:], title="t")


@pytest.mark.parametrize("colours", [CONDITIONS, {name: each for name, (each, _) in MODELS.items()}])
def test_no_two_share_a_colour(colours: dict[str, str]) -> None:
    assert len(set(colours.values())) == len(colours)


def test_a_long_forest_has_its_numbers_above_as_well_and_a_short_one_not() -> None:
    rows = pd.concat([comparison()] * 4, ignore_index=True)
    names = [f"row {row}" for row in range(len(rows))]
    long = contrast_forest(rows, ["a"] * len(rows), names, title="t", xlabel="x", source="s")
    short = contrast_forest(comparison(), ["a"] * 3, names[:3], title="t", xlabel="x", source="s")
    assert [axes.xaxis.get_tick_params()["labeltop"] for axes in (long, short)] == [True, False]
    heights = [axes.get_figure(root=True).get_figheight() for axes in (long, short)]  # type: ignore[union-attr]
    assert heights[0] < 2 * heights[1]


def test_a_map_says_what_stands_in_parentheses_only_where_something_does() -> None:
    assert contrast_heatmap(*grids(), title="t").get_xlabel() == "Δ"
    assert contrast_heatmap(*grids(), title="t", repeated="mine").get_xlabel() == "Δ (in parentheses: mine)"


def test_the_legend_of_hazards_promises_no_line_that_is_not_drawn() -> None:
    table = pd.DataFrame(
        {"value": [0.1], "low": [0.0], "high": [0.2]}, index=pd.Index([1], name="failed_run")
    )
    printed = pd.DataFrame({"condition": ["budget"], "first": [1], "last": [2], "value": [0.3]})
    axes = hazards_by_run({"unaided": table}, printed, title="t", source="here")
    figure = axes.get_figure(root=True)
    assert figure is not None
    (drawn,) = figure.legends
    looks = {line.get_label(): line.get_linestyle() for line in drawn.get_lines()}
    assert looks["unaided"] == "-"
    assert looks["budget"] == "None"
    assert drawn.get_title().get_text() == "lines: recomputed (here)"
    alone = hazards_by_run({}, printed, title="t", source="here").get_figure(root=True)
    assert alone is not None
    assert alone.legends[0].get_title().get_text() == ""


def test_a_caption_names_only_what_is_drawn() -> None:
    rows = comparison().assign(model="qwen3-8b")
    assert where_from(rows, "Table 9", "embedded") == (
        "published (Table 9) and recomputed (embedded released cells)"
    )
    none = rows.assign(recomputed=NOTHING)
    assert where_from(none, "Table 9", "embedded") == "published (Table 9); none is recomputed here"
    made_up = rows.assign(model="scripted:never")
    assert where_from(made_up, "Table 9", "runs").endswith("recomputed (runs, SIMULATED agents)")
