"""CSV files of one row a step, as records of episodes."""

import csv
import difflib
import io
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from judged_useless._io.files import read_text
from judged_useless._io.messages import listed, shown
from judged_useless.episodes.schema import KEY, WHOLE, EpisodeError, NoEpisodesError

#: Columns of a CSV file that are of the episode, and say which it is.
_OF_EPISODE = ("conversation", *KEY, "task", "seed", "budget")
#: Records and the lines they stand in.
Records = list[tuple[int, dict[str, Any]]]


def csv_records(path: Path, dropped: Counter[str]) -> Records:
    """Return one record an episode of a file with one row a step, and the line of its first step."""
    text = read_text(path)
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns, place = rows.fieldnames or (), f"{path}, line 1"
    for name in ("question_id", "action"):
        if name not in columns:
            raise EpisodeError(f"{place}: column {name!r} is missing; there is {listed(columns)}")
    if twice := [name for name, n in Counter(columns).items() if n > 1]:
        raise EpisodeError(f"{place}: column {shown(twice[0])} is there twice")
    known = ("action", "judgment", "t", "success", *_OF_EPISODE)
    refuse_misspelt(place, columns, known)
    if unread := [name for name in columns if name not in known]:
        dropped[f"columns of CSV files that are not read: {listed(unread)}"] = len(unread)
    found: dict[tuple[str, ...], tuple[int, dict[str, Any]]] = {}
    try:
        for row in rows:
            place = f"{path}, line {rows.line_num}"
            if None in row or None in row.values():
                raise EpisodeError(f"{place}: expected {len(columns)} columns")
            labels = {name: row[name] for name in _OF_EPISODE if row.get(name) or name == "question_id"}
            key = (*labels, *labels.values())
            record = found.setdefault(key, (rows.line_num, {"actions": [], "judgments": []}))[1]
            record["actions"].append(row["action"])
            record["judgments"].append(row.get("judgment") or None)
            t = str(len(record["actions"]))
            if row.get("t", t) != t:
                raise EpisodeError(f"{place}: t is {shown(row['t'])}, expected {t}: it counts from 1")
            if row.get("success"):
                labels["success"] = row["success"]
            cells = {name: _cell(name, value) for name, value in labels.items()}
            before = record.get("success", cells.get("success"))
            if "success" in cells and cells["success"] != before:
                raise EpisodeError(f"{place}: success is {shown(cells['success'])}, before it was {before}")
            record |= cells
    except csv.Error as error:
        raise EpisodeError(f"{path}, line {rows.line_num}: no CSV that can be read ({error})") from error
    if not found:
        raise NoEpisodesError(f"{path}: the file holds no step")
    return list(found.values())


def refuse_misspelt(place: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a name that would be passed over, though it is nearly one that is read and is not there."""
    there = set(names)
    for name in sorted(there - set(known)):
        if close := difflib.get_close_matches(name, set(known) - there, 1, 0.85):
            raise EpisodeError(f"{place}: {shown(name)} is not read; did you mean {close[0]!r}?")


def _cell(name: str, text: str) -> object:
    """Return a cell as its field has it; what it cannot be stays a text, which the check refuses."""
    if name == "success":
        return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)
    return int(text) if name in WHOLE and re.fullmatch(r"\s*-?\d+\s*", text) else text
