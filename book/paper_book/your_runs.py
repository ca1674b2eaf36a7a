"""The first page of a book on runs of one's own: how each agent stops, beside those of the paper."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
from judged_useless.adapters import AgentLog, Audit, audit_log
from judged_useless.sources.readers import Source

from paper_book import figures
from paper_book.figures.style import Picture, spaced
from paper_book.page import Page, open_page
from paper_book.published.transcribed import published
from paper_book.reading import RELEASED, SIMULATED
from paper_book.tables.data_table import Notice, Table

#: An agent's name, its episodes and its audit.
Cell = tuple[str, pd.DataFrame, Audit]
#: What tells one agent from another.
_CELL = ["model", "condition", "task", "split"]
#: Agents whose episodes are drawn.
_DRAWN = 4
_HEAD = """# Your runs

**{n}, {episodes:,} episodes ({name}).** How each of them stops, by its own judgments:

{verdicts}

The verdicts are those of `judged-useless audit`: [what they mean](your_agent.md).

## Δ beside the paper's agents
"""
_TAIL = """
## What to do next

- **One agent, in full**: its [judgments](../notebooks/02_judgments.ipynb), and the same
  [with the rule and without](../notebooks/04_enforced_rule.ipynb).
- **Is it enough?** [Sensitivity](../notebooks/12_sensitivity.ipynb) says on how many answers a Δ rests, and
  how many questions would do.
- **It does not stop on its evidence?** [Put the rule into its loop](the_rule.md), with a
  [threshold for your source](../notebooks/11_best_stopping_point.ipynb).
- **The paper** stands on every page beside your numbers; [every table](../notebooks/08_full_tables.ipynb)
  has a row for each of your models.
"""


def first_page(source: Source, raw: Callable[[str], str], *, n_boot: int = 2000) -> str:
    """Return the first page of a book on own runs as MyST; empty where the source has none.

    `raw` makes a block of HTML.
    """
    names = [source] if isinstance(source, str | Path) else list(source)
    own = [name for name in names if name not in RELEASED]
    page = open_page(own, n_boot=n_boot) if own else None
    if page is None or page.missing:
        return ""

    def shown(given: Picture | Notice | Table) -> str:
        return raw(given._repr_mimebundle_()["text/html"])

    cells = list(_cells(page))
    verdicts = [{"agent": name, "verdict": _signed(audit.verdict)} for name, _, audit in cells]
    counted = "1 agent" if len(cells) == 1 else f"{len(cells)} agents"
    caption = f"Δ with its interval, and the share of right answers by regime (measured, {page.name})."
    return "\n".join(
        [
            _HEAD.format(
                n=counted,
                episodes=len(page.episodes),
                name=page.name,
                verdicts=shown(Table(pd.DataFrame(verdicts), "How each agent stops, in one sentence")),
            ),
            shown(figures.ladder(_rungs(cells), page.name)),
            "## What they did\n",
            *(shown(_strips(page, *cell[:2])) for cell in cells[:_DRAWN]),
            shown(Table(pd.DataFrame(map(_row, cells)).fillna(""), caption)),
            _TAIL,
        ]
    )


def _signed(text: str) -> str:
    return text.replace("= -", "= −").replace("[-", "[−").replace(", -", ", −")


def _cells(page: Page) -> Iterator[Cell]:
    """Yield each agent with its episodes and its audit."""
    n_boot, seed = page.options["n_boot"], page.options["seed"]
    several = [each for each in ("task", "split") if len(set(page.episodes[each])) > 1]
    for _, part in page.episodes.groupby(_CELL, sort=False, dropna=False):
        cell = part.iloc[0]
        mark = " (simulated)" if cell["model"].startswith(SIMULATED) else ""
        name = ", ".join([cell["model"], spaced(cell["condition"]) + mark, *cell[several].astype(str)])
        log = AgentLog.of_episodes(part.reset_index(drop=True), page.name)
        yield name, log.episodes, audit_log(log, n_boot=n_boot, seed=seed)


def _rungs(cells: list[Cell]) -> pd.DataFrame:
    printed = published(6, panel="delta", condition=["unaided", "enforced_rule"])
    names = printed["model"] + ", " + printed["condition"].map(spaced)
    bounds = ["value", "low", "high"]
    mine = pd.DataFrame([{each: audit.delta[each] for each in bounds} for _, _, audit in cells], dtype=float)
    theirs = printed[bounds].assign(name=names, own=False)
    return pd.concat([theirs, mine.assign(name=[name for name, *_ in cells], own=True)])


def _strips(page: Page, name: str, episodes: pd.DataFrame) -> Picture | Notice:
    """Draw one question of an agent, regime by regime."""
    one = Page(page.source, None, None, None, None, page.options, episodes, name=page.name)
    return figures.episode_strips(one, one.example(), title=name)


def _row(cell: Cell) -> dict[str, object]:
    """Return an agent's row: counts, Δ or why there is none, and success by regime."""
    name, episodes, audit = cell
    success = episodes.groupby("regime", sort=False)["success"].mean()
    delta = audit.delta.text() if audit.delta.defined else f"undefined: {audit.delta.reason}"
    if audit.delta.defined and audit.delta.low is None:
        delta = f"{audit.delta.value:.3f} (no interval: {audit.delta.reason})"
    row: dict[str, object] = {"agent": name, "questions": episodes["question_id"].nunique()}
    row |= {"episodes": len(episodes), "Δ": _signed(delta).replace("-0", "−0")}
    return row | {spaced(regime): f"{share:.0%}" for regime, share in success.items()}
