"""What each figure draws: positions, colours, labels, what it leaves out; and the picture around it."""

import base64
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from judged_useless.environment.regimes import FAIL, MEAN6, REGIMES
from judged_useless.estimators import answer_rate_after_run, useless_rate
from judged_useless.estimators.estimate import Estimate
from made_up_episodes import episode
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from paper_book import figures
from paper_book.figures.maps import model_label, signed
from paper_book.figures.style import (
    COLOURS,
    CONDITIONS,
    MODELS,
    PUBLISHED,
    RECOMPUTED,
    Picture,
    contrast,
    ink,
    short,
)
from paper_book.page import Page, open_page
from paper_book.published.transcribed import published
from paper_book.tables.compared import Comparison
from paper_book.tables.data_table import Notice

HOSTILE = "<script>alert('1')</script> \" & $\\frac{$"
NOTHING = np.nan
PAGE = open_page("embedded", model="qwen3-8b", condition="unaided", split="test300", n_boot=20)
NONE = open_page("embedded", model="llama3.1-8b", condition="unaided", split="test300", n_boot=20)
AFTER = Estimate(
    "answers", 0.25, 0.1, 0.45, 0.95, "Wilson interval", n=20, n_clusters=20, parts={"answers": 5, "k": 4}
)
JUDGED = pd.DataFrame(
    {"value": [0.96], "low": [0.95], "high": [0.97], "n": [100]}, index=pd.Index(["persistent"])
)


def compared(**columns: Sequence[object]) -> Comparison:
    """Return rows of a comparison; what is not given is blank."""
    blank: dict[Any, Any] = (
        published(6, panel="delta", model="qwen3-8b", condition="unaided").iloc[0].to_dict()
    )
    n = max(map(len, columns.values()))
    nothing: dict[str, object] = {
        **dict.fromkeys(("value", "low", "high", "recomputed_low", "recomputed_high", "recomputed"), NOTHING),
        **dict.fromkeys(("value_printed", "low_printed", "high_printed", "recomputed_words"), ""),
        "own": False,
        "simulated": False,
    }
    given: dict[Any, Any] = {name: [value] * n for name, value in (blank | nothing).items()}
    rows = pd.DataFrame(given | columns)
    for name in ("value", "low", "high"):
        rows[f"{name}_printed"] = rows[name].map(lambda each: "" if pd.isna(each) else str(each))
    return Comparison(rows, "A caption", PAGE)


THREE = compared(
    condition=["unaided", "budget", HOSTILE],
    model=["qwen3-8b", "mine", "mine"],
    value=[-0.06, 0.2, NOTHING], low=[-0.10, 0.1, NOTHING], high=[-0.04, 0.3, NOTHING],
    recomputed=[-0.065, NOTHING, 0.1], recomputed_low=[-0.095, NOTHING, NOTHING],
    recomputed_high=[-0.039, NOTHING, NOTHING],
)  # fmt: skip


def drawn(shown: Picture | Notice) -> Picture:
    assert isinstance(shown, Picture), shown
    return shown


def forest(**options: Any) -> Picture:
    return drawn(figures.forest(THREE, "condition", title="Δ by arm", xlabel="Δ (difference)", **options))


def strips(*rows: dict[str, Any]) -> Axes:
    return drawn(figures.episode_strips(PAGE, pd.DataFrame(rows))).axes


DRAWINGS: dict[str, Callable[[], Picture]] = {
    "contrasted histories": figures.contrasted_histories,
    "failure schedules": lambda: figures.failure_schedules(MEAN6),
    "episode strips": lambda: drawn(
        figures.episode_strips(PAGE, pd.DataFrame([episode("-+?."), episode("--", regime=HOSTILE)]))
    ),
    "forest": forest,
    "judged and answered": lambda: drawn(figures.judged_and_answered(PAGE, JUDGED, AFTER)),
}


def ticks(axes: Axes, which: str = "y") -> list[str]:
    labels = axes.get_yticklabels() if which == "y" else axes.get_xticklabels()
    return [label.get_text() for label in labels]


def legend(axes: Axes) -> list[str]:
    figure = axes.get_figure(root=True)
    assert figure is not None
    return [text.get_text() for each in figure.legends for text in each.get_texts()]


def ys(line: Line2D) -> list[float]:
    return [float(y) for y in np.asarray(line.get_ydata())]


def markers(axes: Axes, colour: str) -> list[tuple[float, float]]:
    """Return the points of marker-only lines of a colour."""
    return [
        (float(x), float(y))
        for line in axes.lines
        if line.get_linestyle() == "None" and to_hex(line.get_color()) == colour
        for x, y in zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True)
    ]


def tiles(axes: Axes) -> dict[tuple[int, int], tuple[str, str]]:
    """Return the tiles of a strip: (row from the bottom, column) -> (colour, text)."""
    rectangles = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    return {
        (round(text.get_position()[1]), int(text.get_position()[0])): (
            to_hex(patch.get_facecolor()),
            text.get_text(),
        )
        for patch, text in zip(rectangles, axes.texts, strict=True)
    }


# --- every figure ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_same_drawing_gives_the_same_bytes_from_no_other_file(name: str) -> None:
    once, again = (DRAWINGS[name]().svg for _ in range(2))
    assert once == again
    assert "<!--" not in once
    assert ElementTree.fromstring(once).tag.endswith("svg")
    assert not re.findall(r'(?:href|src)="(?!#)', once)


@pytest.mark.parametrize("name", DRAWINGS)
def test_nothing_is_drawn_outside_the_picture_and_all_is_named(name: str) -> None:
    axes = DRAWINGS[name]().axes
    figure = axes.get_figure(root=True)
    assert figure is not None
    assert figure.get_suptitle()
    assert axes.get_xlabel()
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.05
    assert box.x1 <= width + 0.05
    assert box.y1 <= height + 0.05


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_captions_and_alternative_texts_are_never_markup_and_steer_nothing() -> None:
    picture = figures.style.picture(forest().axes, f"{HOSTILE}\x1b\u202e", f"{HOSTILE}\x07")
    page = Elements(picture._repr_mimebundle_()["text/html"])
    assert [tag for tag, _ in page.found] == ["figure", "img", "figcaption"]
    image = page.found[1][1]
    assert image["alt"] == f"{HOSTILE}␇"
    assert page.text == f"{HOSTILE}␛<U+202E>"
    source = image["src"] or ""
    assert base64.b64decode(source.removeprefix("data:image/svg+xml;base64,")).decode() == picture.svg
    assert "script" not in picture.svg


def test_a_name_of_20000_letters_neither_swells_nor_breaks_a_figure() -> None:
    name = "m" * 20_000
    rows = compared(condition=["one", f"{name}, unaided"], value=[0.1, 0.2])
    # Warnings are errors here: a layout that finds no room would warn.
    shown = drawn(figures.forest(rows, "condition", title=name, xlabel="Δ"))
    assert len(shown.svg) < 300_000
    assert max(len(shown.caption), len(shown.alt)) < 700
    assert len(short("many words " * 1000)) == 300


@pytest.mark.parametrize(
    "shown",
    [
        lambda: figures.episode_strips(NONE, NONE.episodes),
        lambda: figures.judgments_by_position(NONE, pd.DataFrame()),
        lambda: figures.forest(compared(value=[1]).only(model="none"), "model", title="t", xlabel="x"),
        lambda: figures.hazards_by_run(NONE, {}, published(13).iloc[:0]),
        lambda: figures.judged_and_answered(
            NONE, NONE.estimate(useless_rate, failed=True), NONE.estimate(answer_rate_after_run)
        ),
        lambda: figures.cost_against_success(compared(measure=["success", "tool_calls"])),
        lambda: figures.contrast_heatmap(compared(value=[1]), ["unaided"], values="recomputed", split="x"),
    ],
)
def test_where_there_is_nothing_to_draw_a_sentence_says_so(shown: Callable[[], Picture | Notice]) -> None:
    assert isinstance(shown(), Notice)


# --- strips ---------------------------------------------------------------------------------------


def test_contrasted_histories_follow_the_definition() -> None:
    shown = tiles(figures.contrasted_histories(5).axes)
    rows = ["".join(shown[row, column][1] for column in range(6)) for row in (3, 2, 1, 0)]
    assert rows == ["–––––?", "·+–––?", "··+––?", "···+–?"]  # (a), then the runs of 3, 2 and 1
    assert shown[3, 0][0] == COLOURS["USELESS"]
    assert len(ticks(figures.contrasted_histories(3).axes)) == 2
    with pytest.raises(ValueError, match="at least 3"):
        figures.contrasted_histories(2)


def test_strips_show_judgments_and_answers() -> None:
    axes = strips(episode("-+?."), episode("--", judgments=["USELESS"]))
    assert {place: text for place, (_, text) in tiles(axes).items()} == {
        (1, 0): "–", (1, 1): "+", (1, 2): "?", (1, 3): " ", (1, 4): "A",
        (0, 0): "–", (0, 1): " ", (0, 2): "A",
    }  # fmt: skip
    assert tiles(axes)[1, 3][0] == tiles(axes)[0, 1][0] == COLOURS["unjudged"]
    assert axes.get_xlim() == (0, 8)
    assert strips(episode("-" * 15, budget=16)).get_xlim() == (0, 16)


def test_schedules_mark_what_fails() -> None:
    shown = tiles(figures.failure_schedules(MEAN6).axes)
    for row, name in enumerate(MEAN6):
        marks = [shown[len(MEAN6) - 1 - row, t - 1][1] for t in range(1, 8)]
        assert marks == ["×" if REGIMES[name].failed(t) else "✓" for t in range(1, 8)]


# --- rows -----------------------------------------------------------------------------------------


def test_a_forest_draws_points_intervals_and_zero() -> None:
    axes = forest().axes
    assert ticks(axes) == ["unaided", "budget", HOSTILE]
    assert [x for x, _ in markers(axes, PUBLISHED)] == [-0.06, 0.2]
    assert [x for x, _ in markers(axes, RECOMPUTED)] == [-0.065, 0.1]
    spans = [each for each in axes.collections if isinstance(each, LineCollection)]
    ends = np.concatenate([each.get_segments() for each in spans])[:, :, 0]
    np.testing.assert_allclose(ends, [[-0.10, -0.04], [0.1, 0.3], [-0.095, -0.039]])
    assert legend(axes) == ["published", "recomputed (embedded released cells)"]
    assert [0, 0] in [np.asarray(line.get_xdata()).tolist() for line in axes.lines]
    assert forest().alt.startswith("unaided: published −0.06 [−0.1, −0.04], recomputed −0.065 [−0.095")


def test_rows_stand_below_the_heading_of_their_group_in_the_order_of_the_words() -> None:
    axes = forest(group="model", words={"mine": "my model", "budget": "with a budget"}).axes
    places = dict(zip(ticks(axes), axes.get_yticks(), strict=True))
    assert list(places) == ["with a budget", HOSTILE, "unaided", "my model", "qwen3-8b"]
    assert places["my model"] > places["with a budget"] > places[HOSTILE]
    assert places[HOSTILE] > places["qwen3-8b"] > places["unaided"]
    arms = compared(
        condition=["unaided", "budget"] * 2, regime=["persistent", "persistent", "a", "a"], value=[0.1] * 4
    )
    rows = ticks(drawn(figures.forest(arms, "condition", group="regime", title="t", xlabel="x")).axes)
    assert rows == ["unaided", "budget"] * 2 + ["persistent", "a"]
    many = compared(condition=[f"arm {i}" for i in range(12)], value=[0.1] * 12)
    long = drawn(figures.forest(many, "condition", title="t", xlabel="x")).axes
    assert [each.xaxis.get_tick_params()["labeltop"] for each in (long, axes)] == [True, False]
    endless = compared(condition=[f"arm {i}" for i in range(200)], value=[0.1] * 200)
    cut = drawn(figures.forest(endless, "condition", title="t", xlabel="x"))
    assert (len(ticks(cut.axes)), cut.caption.endswith("The first 80 of 200 rows.")) == (80, True)


def test_answering_actions_are_bars_if_published_and_circles_if_recomputed() -> None:
    rows = compared(
        condition=["budget", "budget", "combo", "combo"], budget=[8, 16, 8, 16],
        value=[8.0, 16.0, 6.0, NOTHING], recomputed=[NOTHING, NOTHING, 6.0, 7.0], decimals=[0] * 4,
    )  # fmt: skip
    axes = drawn(figures.answering_actions(rows)).axes
    assert [bar.get_width() for bar in axes.patches] == [8, 16, 6]  # type: ignore[attr-defined]
    light, dark, third = (to_hex(bar.get_facecolor()) for bar in axes.patches)
    assert light == third != dark
    assert [x for x, _ in markers(axes, RECOMPUTED)] == [6, 7]


def test_bars_are_shares_in_per_cent_with_their_intervals() -> None:
    axes = drawn(figures.judged_and_answered(PAGE, JUDGED, AFTER)).axes
    useless, answered = (patch for patch in axes.patches if isinstance(patch, Rectangle))
    assert (useless.get_width(), answered.get_width()) == (96, 25)
    spans = [each.get_segments()[0] for each in axes.collections if isinstance(each, LineCollection)]
    np.testing.assert_allclose(spans, [[[95, 1], [97, 1]], [[10, 0], [45, 0]]])
    assert [text.get_text() for text in axes.texts] == ["96.0 %", "25.0 %"]
    assert ticks(axes)[1] == "answered after\n4 in a row"
    absent = drawn(figures.judged_and_answered(PAGE, JUDGED, Estimate.undefined("no run of five"))).axes
    assert [text.get_text() for text in absent.texts] == ["96.0 %", "not available"]


# --- maps -----------------------------------------------------------------------------------------


def arms(**options: Any) -> Axes:
    rows = compared(
        model=["qwen3-8b", "qwen3-32b", "qwen3-8b", "qwen3-8b"],
        condition=["unaided", "unaided", "enforced_rule", "unaided"],
        split=["test300", "test300", "test300", "fresh300"],
        value=[-0.06, -0.07, 0.33, -0.05],
        recomputed=[-0.064, NOTHING, NOTHING, NOTHING],
    )
    return drawn(
        figures.contrast_heatmap(rows, ["unaided", "enforced_rule"], split="test300", **options)
    ).axes


def test_heatmap_writes_each_value_and_its_replication() -> None:
    axes = arms(values="published", again="fresh300")
    assert [text.get_text() for text in axes.texts] == ["−.06", "(−.05)", "−.07", "+.33", "·"]
    assert ticks(axes) == ["unaided", "enforced rule"]
    assert ticks(axes, "x") == ["qwen3\n8b", "qwen3\n32b"]
    assert [label.get_fontweight() for label in axes.get_yticklabels()] == ["normal", "bold"]
    assert axes.get_xlabel() == "Δ (in parentheses: fresh300)"
    red, _, blue, _ = axes.images[0].to_rgba(np.array([-0.3]))[0]
    assert red > blue
    mine = arms(values="recomputed", again="fresh300")
    assert [text.get_text() for text in mine.texts] == ["−.06"]
    assert mine.get_xlabel() == "Δ"


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, ".00"), (0.004, ".00"), (-0.006, "−.01"), (1.0, "+1.00"), (NOTHING, "·")]
)
def test_signs_as_the_paper_prints_them(value: float, text: str) -> None:
    assert signed(value) == text
    assert model_label("claude-haiku-4.5") == "claude-haiku\n4.5"


def test_cost_figure_leaves_out_arms_with_a_missing_number() -> None:
    rows = compared(
        model=["qwen3-32b", "qwen3-32b", "qwen3-8b", "qwen3-8b", "qwen3-8b"],
        condition=["budget", "budget", "unaided", "unaided", "combo"],
        measure=["tool_calls", "success"] * 2 + ["success"],
        value=[3.64, 0.581, NOTHING, NOTHING, 0.478],
        recomputed=[NOTHING, NOTHING, 4.79, 0.448, NOTHING],
    )
    axes = drawn(figures.cost_against_success(rows)).axes
    shown = {to_hex(line.get_color()): line for line in axes.lines if line.get_linestyle() == "None"}
    assert set(shown) == {CONDITIONS["budget"], CONDITIONS["unaided"]}
    assert shown[CONDITIONS["budget"]].get_markerfacecolor() == "white"
    assert shown[CONDITIONS["unaided"]].get_markerfacecolor() == CONDITIONS["unaided"]
    assert shown[CONDITIONS["budget"]].get_marker() == MODELS["qwen3-32b"][1]
    dotted = next(line for line in axes.lines if line.get_linestyle() == ":")
    assert np.diff(ys(dotted))[0] / np.diff(np.asarray(dotted.get_xdata()))[0] == pytest.approx(0.05)


@pytest.mark.parametrize("colours", [CONDITIONS, {name: each for name, (each, _) in MODELS.items()}])
def test_no_two_share_a_colour_and_all_stand_out(colours: dict[str, str]) -> None:
    assert len(set(colours.values())) == len(colours)
    assert all(contrast(each, "white") >= 3 for each in colours.values())
    assert all(contrast(ink(each), each) >= 4.5 for each in COLOURS.values())


# --- curves ---------------------------------------------------------------------------------------


def test_hazards_are_lines_and_published_ones_span_their_two_lengths() -> None:
    table = pd.DataFrame(
        {"value": [0.0, 0.9], "low": [NOTHING, 0.8], "high": [NOTHING, 1.0]}, index=pd.Index([1, 5])
    )
    printed = published(13, model="qwen3-8b", measure="hazard_4_5", condition="budget").head(1)
    axes = drawn(figures.hazards_by_run(PAGE, {"unaided": table}, printed)).axes
    line = next(line for line in axes.lines if len(np.asarray(line.get_xdata())) == 2)
    assert ys(line) == [0.0, 0.9]
    assert to_hex(line.get_color()) == CONDITIONS["unaided"]
    ((x, y),) = markers(axes, CONDITIONS["budget"]) or [(4.5, printed["value"].iloc[0])]
    assert (x, y) == (4.5, printed["value"].iloc[0])
    figure = axes.get_figure(root=True)
    assert figure is not None
    looks = {each.get_label(): each.get_linestyle() for each in figure.legends[0].get_lines()}
    assert (looks["unaided"], looks["budget"]) == ("-", "None")  # a line would promise one that is not drawn


def test_judgments_by_position_draws_failed_and_real_results_apart() -> None:
    judged = pd.DataFrame(
        {"failed": [False, False, True], "t": [1, 2, 1], "useless": [0.2, 0.5, 0.99], "n": [10, 10, 20]}
    )
    shown = drawn(figures.judgments_by_position(PAGE, judged))
    assert [ys(line) for line in shown.axes.lines] == [[99.0], [20.0, 50.0]]
    assert shown.alt == "real at 1: 20.0% of 10; real at 2: 50.0% of 10; failed at 1: 99.0% of 20."


def test_beliefs_take_three_panels_a_model_with_what_is_missing_as_bars(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = pd.DataFrame(
        {
            "model": ["qwen3-8b"] * 2 + ["another"], "failed": [1, 2, 1],
            "continue_reported": [0.8, 0.7, 0.5], "continue_ideal": [0.3, 0.1, 0.2],
            "continue_realized": [0.04, 0.02, 0.0], "answer_reported": [0.2, 0.2, 0.1],
            "answer_realized": [0.15, 0.14, 0.3], "answers": [0.0, 0.01, 1.0], "favors": [0.1, NOTHING, 0.4],
            "decisions": [10, 8, 4], "no_report": [1, 2, 0], "no_branch": [0, 0, 4],
        }
    )  # fmt: skip
    monkeypatch.setattr("paper_book.figures.curves.belief_table", lambda _: table)
    shown = drawn(figures.beliefs(PAGE, {"qwen3-8b": table}, model="qwen3-8b"))
    figure = shown.axes.get_figure(root=True)
    assert figure is not None
    panels = figure.axes
    assert [axes.get_title() for axes in panels[:3]] == ["going on", "answering\nnow", "acts"]
    lines = [[ys(line) for line in axes.lines] for axes in panels]
    assert lines[:2] == [[[0.8, 0.7], [0.3, 0.1], [0.04, 0.02]], [[0.2, 0.2], [0.15, 0.14]]]
    assert lines[3:] == [[[0.5], [0.2], [0.0]], [[0.1], [0.3]], [[0.4], [1.0]]]
    bars = [[patch.get_height() for patch in axes.patches if isinstance(patch, Rectangle)] for axes in panels]
    assert bars == [[0.1, 0.25], [0, 0], [0.1, 0.25], [0], [1], [0]]
    assert len({(line.get_linestyle(), line.get_marker()) for line in panels[0].lines}) == 3
    assert "qwen3-8b after 1 failed results: going on is worth by its report 0.80, to the ideal" in shown.alt


def test_real_episodes_go_into_the_figures_as_they_are() -> None:
    page: Page = PAGE
    failed, after = page.estimate(useless_rate, failed=True), page.estimate(answer_rate_after_run)
    shown = drawn(figures.judged_and_answered(page, failed, after))
    assert shown.axes.texts[1].get_text() == f"{100 / 292:.1f} %"
    assert shown.caption.startswith("qwen3-8b, unaided, test300, persistent regime (embedded released cells)")
    one = page.example()
    assert set(one["regime"]) == set(FAIL)
    assert len(tiles(drawn(figures.episode_strips(page, one)).axes)) == sum(map(len, one["actions"]))
