"""Made-up episodes for the tests, and the hub's folder layout around real and made-up ones."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import strategies as st
from judged_useless.episodes.formats import write_parquet
from judged_useless.sources.readers import load_episodes

#: No language model made these; the name says so wherever it is printed.
MADE_UP = "simulated:answers-on-two-of-three"
CARD = """---
configs:
- config_name: default
  data_files:
  - split: test300
    path: data/test300-*.parquet
  - split: fresh300
    path: data/fresh300-*.parquet
---
Two released cells, and cells of a simulated agent.
"""
_LETTERS = {"-": "USELESS", "+": "USEFUL", "?": "UNPARSED", ".": None}


def judgments(letters: str) -> list[str | None]:
    """Spell judgments: - useless, + useful, ? unparsed, . none."""
    return [_LETTERS[letter] for letter in letters]


def episode(letters: str = "--+", *, answered: bool = True, **fields: Any) -> dict[str, Any]:
    """Return a whole episode whose results were judged so, with a search before each."""
    actions = ["search"] * len(letters) + ["finish"] * answered
    return {
        "model": MADE_UP,
        "condition": "unaided",
        "split": "test300",
        "question_id": "q1",
        "regime": "persistent",
        "actions": actions,
        "judgments": judgments(letters),
        "success": False,
    } | fields


def made_up_cell(split: str, condition: str = "unaided", n_questions: int = 6) -> pd.DataFrame:
    """Return one cell of a simulated agent that answers on two questions of three."""
    regimes = ("clean", "persistent", "recover_after_1", "recover_after_2", "recover_after_3",
               "late_onset_from_3")  # fmt: skip
    rows = [
        episode(
            "++--" if (number + place) % 2 else "-------",
            answered=(number + place) % 3 > 0,
            condition=condition,
            split=split,
            question_id=f"made-up-{number}",
            regime=regime,
            success=(number + place) % 3 == 1,
        )
        for number in range(n_questions)
        for place, regime in enumerate(regimes)
    ]
    return pd.DataFrame(rows)


def hub_folder(folder: Path, cells: Mapping[str, Iterable[pd.DataFrame]] | None = None) -> Path:
    """Fill a folder in the hub's layout: by default the two real cells and made-up ones beside them."""
    if cells is None:
        cells = {
            "test300": [load_episodes(), made_up_cell("test300")],
            "fresh300": [made_up_cell("fresh300"), made_up_cell("fresh300", "budget")],
        }
    for split, frames in cells.items():
        frame = pd.concat(frames, ignore_index=True)
        write_parquet(frame, folder / "data" / f"{split}-00000-of-00001.parquet")
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return folder


_STEPS = st.tuples(
    st.sampled_from(["search", "search", "lookup", "invalid", "backup_search"]),
    st.sampled_from(["USELESS", "USELESS", "USELESS", "USEFUL", "UNPARSED", None]),
    st.booleans(),
)
REGIME_NAMES = ("clean", "persistent", "recover_after_2", "late_onset_from_3", "recover_after_7",
                "ts_recover_after_1", "of our own")  # fmt: skip


@st.composite
def random_episodes(draw: st.DrawFn, max_size: int = 6) -> list[dict[str, Any]]:
    """Draw valid episodes: any courses of action, judgments cut short or missing, failures given or not."""
    rows = []
    for number in range(draw(st.integers(1, max_size))):
        steps = draw(st.lists(_STEPS, max_size=9))
        judged = [judgment for _, judgment, _ in steps]
        row = episode(
            question_id=f"q{draw(st.integers(0, 3))}",
            regime=draw(st.sampled_from(REGIME_NAMES)),
            model=f"m{number}",
            actions=[action for action, _, _ in steps] + ["finish"] * draw(st.booleans()),
            judgments=judged[: draw(st.integers(0, len(steps)))],
            success=draw(st.booleans()),
        )
        given = draw(st.booleans())
        rows.append(row | ({"failed": [failed for _, _, failed in steps]} if given else {}))
    return rows
