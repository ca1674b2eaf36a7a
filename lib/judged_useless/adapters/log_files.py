"""Logs of an agent, of any form that can be read, as checked episodes and what there is to say of them."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless._io.files import UnreadableFileError, read_text, text_lines
from judged_useless._io.messages import listed, shown
from judged_useless._io.strict_json import strict_loads
from judged_useless.adapters.chat_episodes import ChatEpisode, Tools, calls_an_answer_tool, chat_episodes
from judged_useless.adapters.transcripts import (
    Chat,
    chats_of_records,
    has_messages,
    is_claude_code,
    is_message,
    read_claude_code,
    read_transcripts,
)
from judged_useless.episodes.formats import load_parquet, record_of_line
from judged_useless.episodes.frames import fill_judgments, from_records, settled
from judged_useless.episodes.schema import (
    KEY,
    MINIMUM,
    WHOLE,
    EpisodeError,
    NoEpisodesError,
    refuse_repeated,
    validate,
)
from judged_useless.protocol.vocabulary import ACTIONS

_SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".csv", ".parquet", ".eval")
#: Columns of a CSV file that are of the episode, and say which it is.
_OF_EPISODE = ("conversation", *KEY, "task", "seed", "budget", "success")
#: Lists of an episode that have one entry a result.
_BESIDE = ("judgments", "failed", "stated")


@dataclass(frozen=True)
class AgentLog:
    """What was read of an agent's logs.

    Attributes
    ----------
    episodes : pandas.DataFrame
        One row an episode, checked. Those of chats have also ``lexical`` (a judgment of each result by the
        question's words in it) and ``sizes`` (characters of the question and of each step).
    chats : tuple of ChatEpisode or None
        The conversation of each episode, where there is one.
    forms : mapping of str to int
        Episodes of each form of log.
    tools : mapping of (action, tool) to int
        As which action each tool was read, and its calls.
    dropped : mapping of str to int
        What was left out, by why.
    """

    episodes: pd.DataFrame
    chats: tuple[ChatEpisode | None, ...]
    forms: Mapping[str, int]
    tools: Mapping[tuple[str, str], int]
    dropped: Mapping[str, int]


def read_log(
    paths: str | Path | Iterable[str | Path], *, mapping: Mapping[str, str] | None = None
) -> AgentLog:
    """Read an agent's logs.

    Parameters
    ----------
    paths : str, path, or several
        Files, or folders of them: episodes as JSON lines, JSON or Parquet; a CSV file of one row a step;
        message lists of OpenAI (chat, Responses) or Anthropic, one conversation a line or file; ATIF
        trajectories; Claude Code sessions; Inspect logs; Scout transcript databases.
    mapping : mapping of str to str, optional
        Tool -> ``search``, ``lookup``, ``backup_search``, ``finish``, ``invalid``, or an empty text for a
        tool whose calls are no steps. In chats a tool that is not named is a search, unless it is called
        ``answer``, ``final_answer``, ``finish`` or ``submit``.

    Returns
    -------
    AgentLog

    Raises
    ------
    EpisodeError
        If a file is not what it should be; the message names file, line and reason.
    NoEpisodesError
        If there is no episode in it.
    FileNotFoundError
        If there is no such file or folder.
    ImportError
        If a form needs packages that are missing; the message has the line that installs them.
    """
    tools, dropped = Tools(mapping), Counter[str]()
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    frames: list[pd.DataFrame] = []
    chats: list[Chat] = []
    forms = Counter[str]()
    for path in (file for each in given for file in _files(Path(each))):
        read = _read(path, tools, dropped)
        if isinstance(read, pd.DataFrame):
            frames.append(read.assign(chat=None))
            forms[f"episodes of {''.join(path.suffixes[-2:])}"] += len(read)
        else:
            chats += read
    if chats:
        frames.append(_of_chats(chats, tools, dropped, forms))
    frame = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    if len(frames) > 1:
        refuse_repeated(frame, lambda row: f"the logs, episode {row + 1}")
    said = {why: n for why, n in dropped.items() if n}
    return AgentLog(frame.drop(columns="chat"), tuple(frame["chat"]), dict(forms), dict(tools.calls), said)


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder")
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.name.endswith(_SUFFIXES))
    if not files:
        raise NoEpisodesError(f"{path}: the folder holds no {', '.join(_SUFFIXES)} file")
    kinds = {"".join(file.suffixes[-1:]) for file in files}
    # Scout reads these as a whole: its database is a folder, and a folder of Inspect logs is indexed once.
    return [path] if kinds == {".eval"} or _is_scout(files[0]) else files


def _is_scout(file: Path) -> bool:
    import pyarrow.parquet as pq

    return file.suffix == ".parquet" and "transcript_id" in pq.read_schema(file).names


def _read(path: Path, tools: Tools, dropped: Counter[str]) -> pd.DataFrame | list[Chat]:
    try:
        if path.is_dir() or path.suffix == ".eval":
            return read_transcripts(path)
        if path.suffix == ".parquet":
            return read_transcripts(path) if _is_scout(path) else load_parquet(path)
        if path.suffix == ".csv":
            return _episodes(path, *_csv_records(path), tools, dropped)
        if not path.name.endswith(_SUFFIXES):
            raise EpisodeError(f"{path}: expected a file that ends in {', '.join(_SUFFIXES)}")
        numbers, records = _json_records(path)
    except UnreadableFileError as error:
        raise EpisodeError(str(error)) from error
    first = records[0]
    if "eval" in first and "version" in first:
        return read_transcripts(path)
    if is_claude_code(first):
        return read_claude_code(path)
    if "actions" in first:
        return _episodes(path, numbers, records, tools, dropped)
    if is_message(first):
        return chats_of_records(path, [1], [{"messages": records, "id": path.stem}])
    if has_messages(first):
        return chats_of_records(path, numbers, records)
    raise EpisodeError(
        f"{path}, line {numbers[0]}: neither an episode (question_id, actions, judgments) nor a conversation "
        f"(messages, input, or one message a line); it has {listed(first)}"
    )


def _json_records(path: Path) -> tuple[list[int], list[dict[str, Any]]]:
    """Return the objects of a file of JSON lines, or of JSON (one, or a list), and where each is."""
    if path.suffix == ".json":
        try:
            content = strict_loads(read_text(path))
        except (ValueError, RecursionError) as error:
            raise EpisodeError(f"{path}: not JSON that can be read ({error})") from error
        records = content if isinstance(content, list) else [content]
        numbers = list(range(1, len(records) + 1))
        for number, record in zip(numbers, records, strict=True):
            if not isinstance(record, dict):
                raise EpisodeError(f"{path}, entry {number}: expected an object, found {shown(record)}")
    else:
        lines = list(text_lines(path))
        numbers = [number for number, _ in lines]
        records = [record_of_line(path, number, line, ()) for number, line in lines]
    if not records:
        raise NoEpisodesError(f"{path}: the file holds nothing")
    return numbers, records


def _csv_records(path: Path) -> tuple[list[int], list[dict[str, Any]]]:
    """Return one record an episode of a file with one row a step, and the line of its first step."""
    text = read_text(path)
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns = rows.fieldnames or ()
    labels = [name for name in _OF_EPISODE if name in columns]
    for name in ("question_id", "action"):
        if name not in columns:
            raise EpisodeError(f"{path}, line 1: column {name!r} is missing; there is {listed(columns)}")
    found: dict[tuple[str, ...], tuple[int, dict[str, Any]]] = {}
    try:
        for row in rows:
            place = f"{path}, line {rows.line_num}"
            if None in row or None in row.values():
                raise EpisodeError(f"{place}: expected {len(columns)} columns")
            key = tuple(row[name] for name in labels if name != "success")
            if key not in found:
                found[key] = (rows.line_num, {"actions": [], "judgments": []})
            record = found[key][1]
            record |= {name: _cell(name, row[name], place) for name in labels if row[name]}
            record["actions"].append(row["action"])
            record["judgments"].append(row.get("judgment") or None)
            if row.get("t") and row["t"] != str(len(record["actions"])):
                raise EpisodeError(f"{place}: t is {shown(row['t'])}, expected {len(record['actions'])}")
    except csv.Error as error:
        raise EpisodeError(f"{path}, line {rows.line_num}: no CSV that can be read ({error})") from error
    if not found:
        raise NoEpisodesError(f"{path}: the file holds no step")
    for _, record in found.values():
        while record["judgments"][-1:] == [None]:  # an answer has none, nor has a last result
            record["judgments"].pop()
    return [line for line, _ in found.values()], [record for _, record in found.values()]


def _cell(name: str, text: str, place: str) -> Any:  # noqa: ANN401 - a text, number or truth
    try:
        if name == "success":
            return {"true": True, "1": True, "false": False, "0": False}[text.strip().lower()]
        return int(text) if name in WHOLE else text
    except (KeyError, ValueError):
        expected = "true or false" if name == "success" else "a whole number"
        raise EpisodeError(f"{place}: {name} is {shown(text)}, expected {expected}") from None


def _episodes(
    path: Path, numbers: list[int], records: list[dict[str, Any]], tools: Tools, dropped: Counter[str]
) -> pd.DataFrame:
    """Return records of episodes as checked ones, in our words."""
    latest: dict[Any, int] = {}
    for row, record in enumerate(records):
        latest[str(record["conversation"]) if "conversation" in record else row] = row
    rows = sorted(latest.values())  # a proxy writes a conversation anew after each reply
    dropped["earlier lines of conversations that went on"] += len(records) - len(rows)
    lines = [numbers[row] for row in rows]
    chosen = [
        _in_our_words(records[row], tools, f"{path}, line {line}")
        for row, line in zip(rows, lines, strict=True)
    ]
    if "conversation" in chosen[0]:
        _number(chosen)
    frame = fill_judgments(from_records(chosen))
    return settled(validate(frame, source=str(path), lines=lines, required=MINIMUM))


def _in_our_words(record: dict[str, Any], tools: Tools, place: str) -> dict[str, Any]:
    """Return an episode whose actions and judgments are our words, without steps that are none."""
    for name in ("judgments", "stated"):
        if isinstance(record.get(name), list):
            record[name] = [
                each.strip().upper() or None if isinstance(each, str) else each for each in record[name]
            ]
    given = record.get("actions")
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        return record  # which the check refuses
    actions = [tools.named(each) for each in given]
    tools.calls.update(zip((action or "left out" for action in actions), given, strict=True))
    for action, raw in zip(actions, given, strict=True):
        if action is None:
            raise EpisodeError(
                f"{place}: field 'actions': {shown(raw)} is none of {', '.join(ACTIONS)}; say what it is, as "
                f"in --map {raw}=search"
            )
    kept = [step for step, action in enumerate(actions) if action]
    for name in _BESIDE if len(kept) < len(actions) else ():
        if isinstance(record.get(name), list):
            record[name] = [record[name][step] for step in kept if step < len(record[name])]
    return record | {"actions": [action for action in actions if action]}


def _number(records: list[dict[str, Any]]) -> None:
    """Give each record a number among those of its question, of which there may be many conversations."""
    if any(record.get("seed") is not None for record in records):
        return
    seen = Counter[tuple[str, ...]]()
    for record in records:
        key = tuple(str(record.get(name)) for name in (*KEY, "task", "budget"))
        record["seed"] = seen[key]
        seen[key] += 1


def _of_chats(chats: list[Chat], tools: Tools, dropped: Counter[str], forms: Counter[str]) -> pd.DataFrame:
    """Return the episodes of all chats, checked."""
    by_tool = any(calls_an_answer_tool(chat.messages, tools) for chat in chats)
    records: list[dict[str, Any]] = []
    places: list[tuple[Path, int]] = []
    for chat in chats:
        if "error" in chat.labels:
            dropped["chats that ended in an error"] += 1
            continue
        episodes = chat_episodes(chat.messages, tools, dropped, by_tool=by_tool, one=chat.one)
        for episode in episodes:
            # What a record states beside its messages is of its only episode.
            own = (
                chat.labels
                if len(episodes) == 1
                else {
                    name: value for name, value in chat.labels.items() if name not in ("judgments", "failed")
                }
            )
            records.append(episode.record() | own | {"chat": episode})
            places.append((chat.path, chat.line))
            forms[chat.form] += 1
    if not any(record["chat"].searched for record in records):
        raise NoEpisodesError(
            f"no tool call in {len(chats)} chats, so nothing is decided; give actions that are written as "
            "text as episodes"
        )
    _number(records)
    for name in (*KEY, "success"):  # known of all, or of none
        there = [name in record for record in records]
        for record in records if any(there) and not all(there) else ():
            if name == "success":
                record.pop(name, None)
            else:
                record.setdefault(name, "unknown")
    frame = from_records(records)
    for path in dict.fromkeys(path for path, _ in places):
        rows = [row for row, (of, _) in enumerate(places) if of == path]
        lines = [places[row][1] for row in rows]
        validate(frame.iloc[rows], source=str(path), lines=lines, required=MINIMUM)
    return settled(frame)
