"""Figures that show single episodes, and what is compared between them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from judged_useless.environment.regimes import REGIMES
from judged_useless.stopping.simulate import World, simulate
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from paper_book.figures.style import COLOURS, Picture, add_legend, ink, new_axes, picture, spaced
from paper_book.tables.data_table import Notice

if TYPE_CHECKING:
    from paper_book.page import Page

_LETTERS = {"USELESS": "–", "USEFUL": "+", "UNPARSED": "?"}
_NAMES = {
    "USELESS": "judged useless",
    "USEFUL": "judged useful",
    "answer": "answered",
    "failed": "failed: another question's paragraph",
    "real": "real result",
}
#: What tells a clock from evidence: a source that fails from the start, and one that turns bad.
_TWO = {"persistent": "fails throughout", "late_onset_from_3": "fails from the third on"}
#: Agents of the simulation that stop on one thing only.
_ARCHETYPES = {"never": "never stops", "clock": "clock, action 6", "evidence": "own-judgment count k=5"}
#: Tiles of a strip, and the space between two.
_COLUMNS = 9


def _tile(axes: Axes, x: float, y: float, colour: str, text: str, *, dashed: bool = False) -> None:
    look = {"facecolor": "white", "edgecolor": colour, "linestyle": "--"}
    solid = {"facecolor": colour, "edgecolor": "white"}
    axes.add_patch(Rectangle((x + 0.06, y - 0.36), 0.88, 0.72, linewidth=1.5, **(look if dashed else solid)))  # type: ignore[arg-type]
    written = "black" if dashed else ink(colour)
    axes.text(x + 0.5, y, text, ha="center", va="center", color=written, fontsize=12, weight="bold")


def _strip_axes(labels: Sequence[str], columns: int, title: str, xlabel: str) -> Axes:
    axes = new_axes(1.9 + 0.42 * len(labels), title, grid="")
    axes.set_xlim(0, columns)
    axes.set_ylim(-0.6, len(labels) - 0.4)
    axes.set_yticks(np.arange(len(labels))[::-1], labels)
    axes.set_xticks(np.arange(columns) + 0.5, [str(t) for t in range(1, columns + 1)])
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_xlabel(xlabel)
    return axes


def _legend(axes: Axes, kinds: Iterable[str], columns: int, **other: str) -> None:
    names = {kind: _NAMES[kind] for kind in kinds} | other
    add_legend(
        axes, [Patch(facecolor=COLOURS[key], label=text) for key, text in names.items()], columns=columns
    )


def contrasted_histories(t: int = 5) -> Picture:
    """Draw what Δ compares at a fixed step (the paper's Figure 2, redrawn from its definition)."""
    if t < 3:
        raise ValueError(f"t is {t}, expected at least 3: before that no history is in (b)")
    runs = [t, *range(t - 2, 0, -1)]
    labels = [f"(a) run of {t}", *(f"(b) run of {run}" for run in runs[1:])]
    axes = _strip_axes(
        labels, t + 1, f"Two kinds of history after {t} results", "result seen, then the decision"
    )
    for y, run in zip(range(len(runs) - 1, -1, -1), runs, strict=True):
        for place in range(1, t + 1):
            if place > t - run:
                _tile(axes, place - 1, y, COLOURS["USELESS"], "–")
            elif place == t - run:
                _tile(axes, place - 1, y, COLOURS["USEFUL"], "+")
            else:
                _tile(axes, place - 1, y, COLOURS["unjudged"], "·", dashed=True)
        _tile(axes, t, y, "black", "?", dashed=True)
    axes.set_xticks(np.arange(t + 1) + 0.5, [*map(str, range(1, t + 1)), "answer?"])
    _legend(axes, ("USELESS", "USEFUL"), 3, unjudged="either")
    return picture(
        axes,
        f"What Δ compares at a fixed step, here after {t} results. In (a) every result so far was judged "
        "useless. In (b) the latest result was too, but an earlier one was not; the run since then is 1 to "
        f"{t - 2} results long. An agent that integrates answers more often in (a). Drawn from the "
        "definition (the paper's Figure 2).",
        f"Rows of {t} tiles. Row (a): {t} results judged useless. Rows (b): a result judged useful, preceded "
        f"by any results, then a run of {', '.join(map(str, runs[1:]))} judged useless. After each row the "
        "decision: answer or go on?",
    )


def failure_schedules(regimes: Sequence[str], *, observations: int = 7) -> Picture:
    """Draw which observations fail in each regime, by the definitions of the library."""
    axes = _strip_axes(
        [*map(spaced, regimes)], observations, "Which observations fail, by regime", "observation"
    )
    failed = {name: [t for t in range(1, observations + 1) if REGIMES[name].failed(t)] for name in regimes}
    for y, name in enumerate(reversed(regimes)):
        for t in range(1, observations + 1):
            fails = t in failed[name]
            _tile(axes, t - 1, y, COLOURS["failed" if fails else "real"], "×" if fails else "✓")
    _legend(axes, ("failed", "real"), 1)
    words = "; ".join(f"{spaced(name)}: {', '.join(map(str, ts)) or 'none'}" for name, ts in failed.items())
    return picture(
        axes,
        f"{len(regimes)} regimes, for the {observations} observations before the last action. The paper's "
        "success measure (mean6) is the equal-weight mean over the six of this setting. Drawn from the "
        "definitions in the library.",
        f"Observations that fail. {words}.",
    )


def _strip(axes: Axes, x: float, y: float, row: Mapping[Any, Any]) -> str:
    """Draw an episode as a row of tiles from x on, and return it in words."""
    marks = []
    for place, action in enumerate(row["actions"]):
        judgment = row["judgments"][place] if place < len(row["judgments"]) else None
        kind, letter = str(judgment or "unjudged"), _LETTERS.get(str(judgment), " ")
        if action == "finish":
            kind, letter = "answer", "A"
        _tile(axes, x + place, y, COLOURS[kind], letter)
        marks.append(kind.lower() if kind != "unjudged" else action)
    return " ".join(marks)


def archetypes(page: "Page") -> Picture | Notice:
    """Draw agents whose stopping is known, and the page's, on a source that fails throughout or turns bad."""
    real = page.episodes[page.episodes["regime"].isin(_TWO)]
    arms = real.groupby("question_id", sort=False)["regime"].transform("size")
    real = real[arms == arms.max()]
    if set(real["regime"]) != set(_TWO):
        return page.absent(f"Not drawn beside simulated agents: no question has {' and '.join(_TWO)}")
    answered = real["actions"].map(lambda each: each[-1] == "finish")
    found = real["regime"].eq("persistent") | real["judgments"].map(lambda each: list(each[:1]) == ["USEFUL"])
    typical = found & (answered == real["condition"].eq("enforced_rule"))
    typical = typical.groupby(real["question_id"], sort=False).all()
    question, why = typical.idxmax(), "on which only the rule brings answers, and the right one begins useful"
    real = real[real["question_id"] == question].sort_values(
        "condition", key=lambda each: each == "enforced_rule"
    )
    world = World(useless_if_failed=1, useless_if_real=0, answer_if_useful=0, regimes=tuple(_TWO))
    shown = {
        f"{name}\n(simulated)": simulate(policy, n_questions=1, world=world)
        for name, policy in _ARCHETYPES.items()
    }
    shown |= {f"{page.model},\n{spaced(name)}": part for name, part in real.groupby("condition", sort=False)}
    title = "What agents stop on"
    axes = _strip_axes(list(shown), 2 * _COLUMNS - 1, title, "action")
    for side, words in enumerate(_TWO.values()):
        axes.text(side * _COLUMNS + 4, len(shown) - 0.4, words, ha="center", va="bottom", fontsize=11)
    axes.set_xticks(
        *zip(*((_COLUMNS * side + t - 0.5, str(t)) for side in (0, 1) for t in range(1, 9)), strict=True)
    )
    axes.set_ylim(-0.6, len(shown))
    said = []
    for y, (name, episodes) in zip(range(len(shown) - 1, -1, -1), shown.items(), strict=True):
        rows = {row["regime"]: row for row in episodes.to_dict("records")}
        marks = [_strip(axes, side * _COLUMNS, y, rows[each]) for side, each in enumerate(_TWO)]
        said.append(f"{' '.join(name.split())}: {'; '.join(marks)}")
    _legend(axes, ("USELESS", "USEFUL", "answer"), 2)
    return picture(
        axes,
        "Each tile is an action, marked by how its result was judged; A is the answer. The left source fails "
        "from the start, the right one from the third result on. A clock answers at the same action on both, "
        "an agent that goes by the evidence where its run of useless results is long enough. Below simulated "
        f"agents {page.model} on question {question}, the first {why if typical.any() else 'of all'} "
        f"({page.name}).",
        ". ".join(said) + ".",
    )


def episode_strips(
    page: "Page", episodes: pd.DataFrame, *, title: str = "One question, regime by regime"
) -> Picture | Notice:
    """Draw episodes action by action: how each result was judged, and where the agent answered."""
    if episodes.empty:
        return page.absent("No episode is drawn")
    columns = max(8, *map(len, episodes["actions"]))
    axes = _strip_axes([*map(spaced, episodes["regime"])], columns, title, "action")
    words = []
    for y, row in enumerate(episodes.to_dict("records")):
        words.append(f"{spaced(row['regime'])}: {_strip(axes, 0, len(episodes) - 1 - y, row)}")
    _legend(axes, ("USELESS", "USEFUL", "answer"), 2, unjudged="no judgment")
    about = ", ".join(filter(None, (page.about, f"question {episodes['question_id'].iloc[0]}")))
    return picture(
        axes,
        f"{about} ({page.name}): each tile is an action, marked by how the agent judged its result. A stands "
        "for the answer; an episode without A ended without one. In clean and plausible no judgment is asked "
        "for unless the condition needs it.",
        ". ".join(words) + ".",
    )
