"""What each figure draws: positions, labels, number of artists; and the picture around it."""

import base64
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from judged_useless import answer_rate_after_run, load_episodes
from judged_useless.environment.regimes import MEAN6, REGIMES
from judged_useless.estimators.estimate import Estimate
from made_up_episodes import episode
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from paper_book.figures.published_beside import judged_and_answered, published_and_recomputed
from paper_book.figures.strips import contrasted_histories, episode_strips, failure_schedules
from paper_book.figures.style import COLOURS, PUBLISHED, RECOMPUTED, Picture, picture, short

HOSTILE = "<script>alert('1')</script> \" & $\\frac{$"
SHARE = {"value": 0.96, "low": 0.95, "high": 0.97}
AFTER = Estimate(
    "answers", 0.25, 0.1, 0.45, 0.95, "Wilson interval", n=20, n_clusters=20, parts={"answers": 5, "k": 4}
)


def comparison() -> pd.DataFrame:
    """Three rows: published and recomputed with intervals, published only, recomputed without interval."""
    return pd.DataFrame(
        {
            "value": [-0.06, 0.2, np.nan],
            "low": [-0.10, 0.1, np.nan],
            "high": [-0.04, 0.3, np.nan],
            "recomputed": [-0.065, np.nan, 0.1],
            "recomputed_low": [-0.095, np.nan, np.nan],
            "recomputed_high": [-0.039, np.nan, np.nan],
        }
    )


def schedules() -> pd.DataFrame:
    return pd.DataFrame(
        {t: [REGIMES[name].failed(t) for name in MEAN6] for t in range(1, 8)}, index=list(MEAN6)
    )


def draw_comparison() -> Axes:
    return published_and_recomputed(
        comparison(), ["one", HOSTILE, "three"], title="Δ by arm", xlabel="Δ (difference)", source="mine"
    )


def draw_strips() -> Axes:
    rows = pd.DataFrame([episode("-+?."), episode("--", question_id="q2", judgments=["USELESS"])])
    return episode_strips(rows, ["first", HOSTILE], title="Two episodes")


DRAWINGS: dict[str, Callable[[], Axes]] = {
    "contrasted histories": contrasted_histories,
    "episode strips": draw_strips,
    "failure schedules": lambda: failure_schedules(schedules(), title="Schedules"),
    "published and recomputed": draw_comparison,
    "judged and answered": lambda: judged_and_answered(SHARE, AFTER, title="Judged and answered"),
}


def ticks(axes: Axes, which: str = "y") -> list[str]:
    labels = axes.get_yticklabels() if which == "y" else axes.get_xticklabels()
    return [label.get_text() for label in labels]


def title(axes: Axes) -> str:
    figure = axes.get_figure(root=True)
    assert figure is not None
    return (figure.get_suptitle() or axes.get_title()).replace("\n", " ")


def legend(axes: Axes) -> list[str]:
    figure = axes.get_figure(root=True)
    assert figure is not None
    return [text.get_text() for each in figure.legends for text in each.get_texts()]


def points(line: Line2D) -> NDArray[np.float64]:
    return np.asarray(line.get_xydata(), dtype=np.float64)


def tiles(axes: Axes) -> dict[tuple[int, int], tuple[str, str]]:
    """Return the tiles of a strip: (row from the bottom, column) -> (colour, text)."""
    rectangles = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    texts = list(axes.texts)
    assert len(rectangles) == len(texts)
    return {
        (round(text.get_position()[1]), int(text.get_position()[0])): (
            to_hex(patch.get_facecolor()),
            text.get_text(),
        )
        for patch, text in zip(rectangles, texts, strict=True)
    }


@pytest.mark.parametrize("name", DRAWINGS)
def test_every_figure_has_a_title_and_a_named_axis(name: str) -> None:
    axes = DRAWINGS[name]()
    assert title(axes)
    assert axes.get_xlabel()
    assert all(ticks(axes))


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_same_drawing_gives_the_same_bytes(name: str) -> None:
    once, again = (picture(DRAWINGS[name](), caption="c", alt="a").svg for _ in range(2))
    assert once == again
    assert "<!--" not in once
    assert "<dc:date>" not in once
    root = ElementTree.fromstring(once)
    assert root.tag.endswith("svg")
    assert not re.findall(r'(?:href|src)="(?!#)', once)  # nothing from another file or host


@pytest.mark.parametrize("name", DRAWINGS)
def test_nothing_is_drawn_outside_the_picture(name: str) -> None:
    """Ticks, labels and legends all lie within the figure, so that none is cut off on the page."""
    axes = DRAWINGS[name]()
    figure = axes.get_figure(root=True)
    assert figure is not None
    if name in ("published and recomputed", "episode strips"):
        axes.set_yticks(axes.get_yticks(), ["a label", *["another"] * (len(axes.get_yticks()) - 1)])
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 >= -0.05
    assert box.y0 >= -0.05
    assert box.x1 <= width + 0.05
    assert box.y1 <= height + 0.05


def test_published_and_recomputed_points_and_intervals() -> None:
    axes = draw_comparison()
    assert ticks(axes) == ["one", HOSTILE, "three"]
    assert axes.get_xlabel() == "Δ (difference)"
    printed, mine = axes.lines
    assert (printed.get_color(), mine.get_color()) == (PUBLISHED, RECOMPUTED)
    np.testing.assert_allclose(points(printed), np.array([[-0.06, 2.14], [0.2, 1.14]]))
    np.testing.assert_allclose(points(mine), np.array([[-0.065, 1.86], [0.1, -0.14]]))
    spans = [each for each in axes.collections if isinstance(each, LineCollection)]
    np.testing.assert_allclose(
        np.concatenate([each.get_segments() for each in spans]),
        [[[-0.10, 2.14], [-0.04, 2.14]], [[0.1, 1.14], [0.3, 1.14]], [[-0.095, 1.86], [-0.039, 1.86]]],
    )
    assert legend(axes) == ["published", "recomputed (mine)"]


def test_zero_is_marked_when_asked_and_an_absent_kind_is_left_out() -> None:
    only = comparison().assign(recomputed=np.nan)
    axes = published_and_recomputed(only, ["a", "b", "c"], title="t", xlabel="x", source="s", zero=True)
    assert points(axes.lines[0])[:, 0].tolist() == [0, 0]
    assert legend(axes) == ["published"]


@pytest.mark.parametrize("labels", [[], ["a", "b"], ["a"] * 4])
def test_labels_that_do_not_fit_are_refused(labels: list[str]) -> None:
    with pytest.raises(ValueError, match=f"{len(labels)} labels for 3 rows; expected one each"):
        published_and_recomputed(comparison(), labels, title="t", xlabel="x", source="s")
    with pytest.raises(ValueError, match=f"{len(labels)} labels for 1 episodes; expected one each"):
        episode_strips(pd.DataFrame([episode()]), labels, title="t")
    with pytest.raises(ValueError, match="0 labels for 0 rows"):
        published_and_recomputed(comparison().iloc[:0], [], title="t", xlabel="x", source="s")


def test_bars_are_shares_in_per_cent_with_their_intervals() -> None:
    axes = judged_and_answered(SHARE, AFTER, title="t")
    useless, answered = (patch for patch in axes.patches if isinstance(patch, Rectangle))
    assert (useless.get_width(), answered.get_width()) == (96, 25)
    assert to_hex(useless.get_facecolor()) == COLOURS["USELESS"]
    assert to_hex(answered.get_facecolor()) == COLOURS["answer"]
    spans = [each.get_segments()[0] for each in axes.collections if isinstance(each, LineCollection)]
    np.testing.assert_allclose(spans, [[[95, 1], [97, 1]], [[10, 0], [45, 0]]])
    assert [text.get_text() for text in axes.texts] == ["96.0 %", "25.0 %"]
    assert axes.get_xlabel() == "share (%)"
    assert axes.get_xlim() == (0, 100)
    assert ticks(axes) == ["results\njudged useless", "answered after\n4 in a row"]


def test_an_undefined_interval_is_not_drawn() -> None:
    axes = judged_and_answered({"value": 1.0, "low": None, "high": None}, AFTER, title="t")  # type: ignore[dict-item]
    assert len(axes.collections) == 1


def test_a_missing_share_is_said_in_words() -> None:
    axes = judged_and_answered(SHARE, Estimate.undefined("no run of five"), title="t")
    assert [text.get_text() for text in axes.texts] == ["96.0 %", "not available"]
    assert len([patch for patch in axes.patches if isinstance(patch, Rectangle)]) == 1
    assert ticks(axes)[1] == "answered after\na number in a row"


def test_the_key_figure_of_the_released_episodes() -> None:
    after = answer_rate_after_run(load_episodes(condition="unaided"))
    axes = judged_and_answered(SHARE, after, title="t")
    assert axes.texts[1].get_text() == f"{100 / 292:.1f} %"
    assert "5 in a row" in ticks(axes)[1]


def test_contrasted_histories_follow_the_definition() -> None:
    drawn = tiles(contrasted_histories(5))
    text = {place: shown for place, (_, shown) in drawn.items()}
    rows = ["".join(text[row, column] for column in range(6)) for row in (3, 2, 1, 0)]
    assert rows == ["–––––?", "·+–––?", "··+––?", "···+–?"]  # (a), then the runs of 3, 2 and 1
    assert drawn[3, 0][0] == COLOURS["USELESS"]
    assert drawn[2, 1][0] == COLOURS["USEFUL"]
    assert ticks(contrasted_histories(5))[0].startswith("(a)")
    assert len(ticks(contrasted_histories(3))) == 2
    with pytest.raises(ValueError, match="t must be at least 3, not 2"):
        contrasted_histories(2)


def test_strips_show_judgments_and_answers() -> None:
    drawn = tiles(draw_strips())
    assert {place: text for place, (_, text) in drawn.items()} == {
        (1, 0): "–", (1, 1): "+", (1, 2): "?", (1, 3): " ", (1, 4): "A",
        (0, 0): "–", (0, 1): " ", (0, 2): "A",
    }  # fmt: skip
    assert drawn[1, 0][0] == COLOURS["USELESS"]
    assert drawn[1, 3][0] == drawn[0, 1][0] == COLOURS["unjudged"]
    assert drawn[1, 4][0] == COLOURS["answer"]
    assert ticks(draw_strips(), "x") == [str(t) for t in range(1, 9)]


def test_a_longer_episode_is_drawn_whole() -> None:
    axes = episode_strips(pd.DataFrame([episode("-" * 15, budget=16)]), ["doubled budget"], title="t")
    assert axes.get_xlim() == (0, 16)
    assert len(tiles(axes)) == 16


def test_strips_of_the_released_episodes_hold_every_action() -> None:
    some = load_episodes(condition="unaided").head(5)
    axes = episode_strips(some, some["regime"].to_list(), title="t")
    drawn = tiles(axes)
    assert len(drawn) == sum(map(len, some["actions"]))
    assert sum(text == "A" for _, text in drawn.values()) == sum(
        actions[-1] == "finish" for actions in some["actions"]
    )


def test_schedules_mark_what_fails() -> None:
    axes = failure_schedules(schedules(), title="t")
    drawn = tiles(axes)
    assert ticks(axes) == list(MEAN6)
    for row, (_, fails) in enumerate(schedules().iterrows()):
        shown = [drawn[len(MEAN6) - 1 - row, t][1] for t in range(7)]
        assert shown == ["×" if each else "✓" for each in fails]
    assert axes.get_xlabel() == "observation"


def test_nothing_is_kept_by_pyplot() -> None:
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    for draw in DRAWINGS.values():
        draw()
    assert pyplot.get_fignums() == before


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


def test_captions_and_alternative_texts_are_never_markup() -> None:
    drawn = picture(draw_strips(), caption=HOSTILE, alt=HOSTILE)
    bundle = drawn._repr_mimebundle_()
    page = Elements(bundle["text/html"])
    assert [tag for tag, _ in page.found] == ["figure", "img", "figcaption"]
    image = page.found[1][1]
    assert image["alt"] == HOSTILE
    assert page.text == HOSTILE
    source = image["src"] or ""
    assert base64.b64decode(source.removeprefix("data:image/svg+xml;base64,")).decode() == drawn.svg
    assert "script" not in drawn.svg
    assert bundle["text/plain"] == f"Figure: {HOSTILE}\n{HOSTILE}"


@pytest.mark.parametrize(("caption", "alt"), [("", "alt"), ("caption", ""), ("caption", " \n"), ("", "")])
def test_a_picture_needs_a_caption_and_an_alternative_text(caption: str, alt: str) -> None:
    with pytest.raises(ValueError, match="needs a caption and an alternative text"):
        picture(contrasted_histories(), caption=caption, alt=alt)


def test_axes_without_a_figure_are_refused() -> None:
    axes = contrasted_histories()
    axes.remove()
    with pytest.raises(ValueError, match="belong to no figure"):
        picture(axes, caption="c", alt="a")


def test_a_picture_is_frozen() -> None:
    drawn = Picture("<svg/>", "caption", "alt")
    with pytest.raises(AttributeError):
        drawn.caption = "another"  # type: ignore[misc]


def test_a_name_of_20000_letters_neither_swells_nor_breaks_a_figure() -> None:
    name = "m" * 20_000
    axes = published_and_recomputed(
        comparison(), ["one", f"{name}, unaided", "three"], title=name, xlabel="Δ", source=name
    )
    # Warnings are errors here: a layout that finds no room would warn.
    drawn = picture(axes, caption=f"Of {name}.", alt=f"{name}: 0.1; one: 0.2")
    assert ticks(axes) == ["one", f"{'m' * 22}…,\nunaided", "three"]
    assert title(axes) == "m" * 39 + "…"
    assert max(map(len, legend(axes))) < 70
    assert len(drawn.svg) < 300_000
    assert max(len(drawn.caption), len(drawn.alt)) < 250
    assert drawn.alt.endswith("…: 0.1; one: 0.2")
    assert short("qwen2.5-7b, stated_judgment_rule, budget of 16") == (
        "qwen2.5-7b, stated_judgment_rule, budget of 16"
    )
    assert len(short("many words " * 1000)) == 300
