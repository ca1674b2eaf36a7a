"""What the page of all episodes shows: each as a few letters, and what was written in it where known."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from judged_useless._io.messages import visible
from judged_useless._io.paths import data_dir
from judged_useless.afterwards.recorded_turns import RecordedTurns
from judged_useless.episodes.decisions import observations_of
from judged_useless.episodes.schema import KEY
from judged_useless.runs.recorded import Run
from judged_useless.sources.readers import Source

from paper_book.figures.style import COLOURS
from paper_book.reading import read_episodes, source_name
from paper_book.tables.written_steps import run_folders, steps_said

#: Letters of actions, judgments and results, as the page's script reads them.
ACTIONS = {"search": "s", "lookup": "l", "backup_search": "b", "finish": "f", "invalid": "i"}
JUDGED, FAILED = {"USELESS": "-", "USEFUL": "+", "UNPARSED": "?"}, {True: "x", False: "v"}
#: Episodes, and characters of texts, that keep a page below three megabytes; characters of one text.
EPISODES, WORDS, LONGEST = 120_000, 1_500_000, 4_000
#: What the project's own runs are, which are shown for their words.
DEMO = ", and demo runs of a real model that is too small to answer, with what it wrote"


def _with_demo(source: Source) -> Source:
    """Return the source; beside the embedded cells the project's runs of a real model, which have words."""
    return ["embedded", str(data_dir() / "demo")] if source == "embedded" else source


class _Numbered(dict[Any, int]):
    """Values in order of first appearance, each with its number."""

    def __missing__(self, value: object) -> int:
        self[value] = len(self)
        return self[value]


def _patterns(frame: pd.DataFrame) -> list[tuple[str, str, str, int, str]]:
    """Return of each episode its actions, judgments and failures in letters, whether it is right, its end."""
    seen = observations_of(frame)
    judged = "".join(seen["judgment"].map(JUDGED).fillna("."))
    failed = "".join(seen["failed"].astype(object).map(FAILED).fillna("."))
    actions = ["".join(map(ACTIONS.__getitem__, each)) for each in frame["actions"]]
    ends = np.cumsum([len(each) - each.count("f") for each in actions]).tolist()
    there = frame["termination"] if "termination" in frame else pd.Series("", frame.index)
    return [
        (each, judged[start:end], failed[start:end], int(right), str(ended))
        for each, start, end, right, ended in zip(
            actions, [0, *ends[:-1]], ends, frame["success"], there.fillna(""), strict=True
        )
    ]


def _written(source: Source, rows: Mapping[tuple[str, ...], int]) -> dict[int, list[str]]:
    """Return of each row that a run folder has the words of: what was asked, then the texts of its steps."""
    found: dict[int, list[str]] = {}
    for folder in run_folders(source):
        run = Run(folder)
        for record in run.trajectories():
            row = rows.get(tuple(record[name] for name in KEY))
            if row is not None:
                asked = next((each["content"] for each in record["messages"] if each["role"] == "user"), "")
                steps = steps_said(RecordedTurns(record, run.manifest["spec"]))
                texts = [asked, *(text for step in steps for text in (step.thought, step.text, step.result))]
                found[row] = [*map(_cut, texts)]
    return found


def _cut(text: str) -> str:
    return visible(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def explorer_data(source: Source) -> dict[str, Any]:
    """Return all episodes of a source as the page's script reads them.

    Texts of models and data are made visible here, and are text to the script. Of a source with more than
    `EPISODES` the first are shown, and words of as many questions as `WORDS` has room for; ``left_out`` and
    ``without_words`` count the others.
    """
    given = _with_demo(source)
    episodes, missing = read_episodes(given, model=None, condition=None, split=None, regimes=None)
    frame = episodes.head(EPISODES).reset_index(drop=True)
    cells, questions, regimes, patterns, texts = (_Numbered() for _ in range(5))
    columns: list[list[int]] = [
        [cells[each] for each in zip(*(frame[name].map(visible) for name in KEY[:3]), strict=True)],
        [questions[visible(each)] for each in frame["question_id"]],
        [regimes[visible(each)] for each in frame["regime"]],
        [patterns[each] for each in (_patterns(frame) if len(frame) else ())],
    ]
    keys = list(zip(*(frame[name] for name in KEY), strict=True))
    rows = {key: row for row, key in reversed(list(enumerate(keys)))}
    written = _written(given, rows) if len(frame) else {}
    shown: dict[int, list[int]] = {}
    room = WORDS
    # By question, so that what is beside itself has its words on both sides.
    for row in sorted(written, key=lambda row: (columns[1][row], row)):
        room -= sum(len(json.dumps(text)) for text in set(written[row]) if text not in texts)
        if room < 0:
            break
        shown[row] = [texts[each] for each in written[row]]
    return {
        "about": visible(missing or source_name(source, frame)) + (DEMO if given != source else ""),
        "left_out": len(episodes) - len(frame),
        "without_words": len(written) - len(shown),
        "cells": list(cells),
        "questions": list(questions),
        "regimes": list(regimes),
        "patterns": list(patterns),
        "rows": columns,
        "texts": list(texts),
        "written": shown,
        "colours": {name: COLOURS[name] for name in ("USELESS", "USEFUL", "UNPARSED", "answer", "unjudged")},
    }
