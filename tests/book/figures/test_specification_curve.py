"""What the specification curve and the planning figure draw, against the tables they are given."""

import numpy as np
import pandas as pd
import pytest
from judged_useless.estimators import plan_questions
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from paper_book.figures import specification_curve as draw_curve
from paper_book.figures import study_sizes as draw_sizes
from paper_book.figures.specification_curve import SIDES, sides
from paper_book.figures.style import Picture
from paper_book.page import Page, open_page
from paper_book.sensitivity import specification_curve
from paper_book.tables.data_table import Notice

ARMS = ("unaided", "enforced_rule")


def opened(condition: str, split: str = "test300") -> Page:
    return open_page("embedded", model="qwen3-8b", condition=condition, split=split, n_boot=200)


@pytest.fixture(scope="module")
def curves() -> dict[str, pd.DataFrame]:
    return {arm: opened(arm).estimate(specification_curve) for arm in ARMS}


def drawn_curve(arm: str, curves: dict[str, pd.DataFrame]) -> tuple[Picture, pd.DataFrame]:
    found = draw_curve(opened(arm), curves[arm])
    assert isinstance(found, Picture)
    return found, curves[arm].dropna(subset=["value"]).reset_index(drop=True)


@pytest.mark.parametrize("arm", ARMS)
def test_values_and_intervals_are_those_of_the_table(curves: dict[str, pd.DataFrame], arm: str) -> None:
    picture, rows = drawn_curve(arm, curves)
    points = [line for line in picture.axes.get_lines() if line.get_marker() == "."]
    xy = np.concatenate([np.asarray(line.get_xydata()) for line in points])
    assert xy[xy[:, 0].argsort()].tolist() == list(
        map(list, zip(range(len(rows)), rows["value"], strict=True))
    )
    bars = [each for each in picture.axes.collections if isinstance(each, LineCollection)]
    ends = {tuple(path.ravel()) for each in bars for path in map(np.asarray, each.get_segments())}
    assert ends == {
        (i, low, i, high) for i, (low, high) in enumerate(zip(rows["low"], rows["high"], strict=True))
    }
    (diamond,) = (line for line in picture.axes.get_lines() if line.get_marker() == "D")
    assert np.asarray(diamond.get_ydata()).tolist() == rows["value"][rows["published"]].tolist()


@pytest.mark.parametrize("arm", ARMS)
def test_colours_say_on_which_side_of_zero_an_interval_lies(
    curves: dict[str, pd.DataFrame], arm: str
) -> None:
    picture, rows = drawn_curve(arm, curves)
    where = sides(rows)
    for name, (words, colour) in SIDES.items():
        points = [
            line for line in picture.axes.get_lines()
            if line.get_marker() == "." and to_hex(str(line.get_color())) == colour
        ]  # fmt: skip
        assert sum(len(np.asarray(line.get_xdata())) for line in points) == (where == name).sum()
        if (where == name).any():
            assert f"{words}: {(where == name).sum()}" in picture.alt
    assert (rows["high"][where == "below"] < 0).all()
    assert (rows["low"][where == "above"] > 0).all()


def test_it_says_what_it_shows(curves: dict[str, pd.DataFrame]) -> None:
    picture, rows = drawn_curve("enforced_rule", curves)
    assert picture.axes.get_ylabel() == "Δ (difference of\nprobabilities)"
    for part in ("qwen3-8b, enforced_rule, test300", "embedded released cells", "95%"):
        assert part in picture.caption
    assert picture.alt.startswith(f"{len(rows)} values from ")
    assert "Published form: 0.329" in picture.alt
    assert "steps 5: 0.904" in picture.alt


def test_planned_widths_and_powers_are_drawn_as_given() -> None:
    plans = {arm: opened(arm).estimate(plan_questions) for arm in ARMS}
    picture = draw_sizes(opened("unaided"), plans)
    assert isinstance(picture, Picture)
    figure = picture.axes.get_figure(root=True)
    assert figure is not None
    for axes, column in zip(figure.axes, ("width", "power"), strict=True):
        for line, plan in zip(axes.get_lines(), plans.values(), strict=False):
            assert np.asarray(line.get_xdata()).tolist() == plan.index.tolist()
            assert np.asarray(line.get_ydata()).tolist() == plan[column].tolist()
    assert figure.axes[1].get_xlabel() == "questions of the study (log scale)"
    assert f"unaided, 300 questions: width {plans['unaided'].loc[300, 'width']:.3f}" in picture.alt


def test_a_source_without_the_arm_is_said_instead() -> None:
    page = opened("unaided", "fresh300")
    for found in (
        draw_curve(page, page.estimate(specification_curve)),
        draw_sizes(page, {"unaided": page.estimate(plan_questions)}),
    ):
        assert isinstance(found, Notice)
        assert "fresh300" in found.text
