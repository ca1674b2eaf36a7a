"""How Δ is made, as drawn, against counts in plain loops over the released episodes."""

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from paper_book import figures
from paper_book.figures.style import Picture
from paper_book.page import Page, open_page
from paper_book.sensitivity import contrast_by_step
from paper_book.tables.data_table import Notice, Table

ARMS = ("unaided", "enforced_rule")


def opened(*conditions: str, split: str = "test300") -> Page:
    return open_page("embedded", model="qwen3-8b", condition=list(conditions), split=split, n_boot=20)


def counted(condition: str) -> dict[tuple[str, int], list[int]]:
    """Decisions and answers of a group at a step, from the definition (paper, Appendix C.1)."""
    found = {(group, t): [0, 0] for group in "ab" for t in range(3, 7)}
    for row in opened(condition).episodes.query("regime != 'clean'").to_dict("records"):
        judged = list(row["judgments"])
        for t in range(3, 7):
            if len(row["actions"]) <= t:
                continue
            run = next((i for i, each in enumerate(reversed(judged[:t])) if each != "USELESS"), t)
            group = "a" if run == t else "b" if 1 <= run <= t - 2 else ""
            if group:
                found[group, t][0] += 1
                found[group, t][1] += row["actions"][t] == "finish"
    return found


@pytest.fixture(scope="module")
def drawn() -> Picture:
    arms = opened(*ARMS)
    picture = figures.rates_by_step(arms, arms.estimate(contrast_by_step, by="condition"))
    assert isinstance(picture, Picture)
    return picture


def panels(picture: Picture) -> list[Axes]:
    figure = picture.axes.get_figure(root=True)
    assert figure is not None
    return figure.axes


@pytest.mark.parametrize(("place", "arm"), list(enumerate(ARMS)))
def test_rates_gaps_and_shade_are_those_of_the_episodes(drawn: Picture, place: int, arm: str) -> None:
    axes, counts = panels(drawn)[place], counted(arm)
    rates: dict[str, Any] = {
        group: [100 * counts[group, t][1] / counts[group, t][0] for t in range(3, 7)] for group in "ab"
    }
    for line, group in zip(axes.get_lines(), "ab", strict=True):
        assert np.asarray(line.get_xdata()).tolist() == [3, 4, 5, 6]
        assert np.asarray(line.get_ydata()) == pytest.approx(rates[group])
    (shade,) = axes.collections
    corners = {(float(x), round(float(y), 6)) for x, y in np.asarray(shade.get_paths()[0].vertices)}
    assert corners == {(t, round(rates[g][t - 3], 6)) for g in "ab" for t in range(3, 7)}
    written = [float(text.get_text().replace("−", "-")) for text in axes.texts]
    gaps = [(a - b) / 100 for a, b in zip(rates["a"], rates["b"], strict=True)]
    assert written == pytest.approx(gaps, abs=0.005)
    weights = [1 / (1 / counts["a", t][0] + 1 / counts["b", t][0]) for t in range(3, 7)]
    delta = np.average(gaps, weights=weights)
    title = axes.get_title(loc="left")
    assert float(title.rpartition("= ")[2].replace("−", "-")) == pytest.approx(delta, abs=0.0005)
    for (group, t), (n, answers) in counts.items():
        assert f"({group}) {answers} of {n}" in drawn.alt, (group, t)


def test_a_condition_that_is_missing_is_left_out_and_said() -> None:
    arms = opened("unaided", "budget")
    steps = arms.estimate(contrast_by_step, by="condition")
    picture = figures.rates_by_step(arms, steps)
    assert isinstance(picture, Picture)
    assert len(panels(picture)) == 1
    table = arms.table(steps, "Steps")
    assert isinstance(table, Table)
    assert table.note == "budget: the source has no episode with condition 'budget'"
    assert set(table.frame["condition"]) == {"unaided"}


def test_where_nothing_is_compared_a_sentence_stands() -> None:
    page = opened("unaided", split="fresh300")
    steps = page.estimate(contrast_by_step, by="condition")
    assert isinstance(figures.rates_by_step(page, steps), Notice)
    assert isinstance(page.table(steps, "Steps"), Notice)
