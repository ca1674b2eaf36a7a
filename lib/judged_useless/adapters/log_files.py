"""Logs of an agent, of any form that can be read, as checked episodes and what there is to say of them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from judged_useless._io.files import UnreadableFileError, read_text, text_lines
from judged_useless._io.messages import listed, shown
from judged_useless._io.strict_json import strict_loads
from judged_useless.adapters import transcripts
from judged_useless.adapters.chat_episodes import ChatEpisode, Tools, answers_by_tool, chat_episodes
from judged_useless.adapters.csv_logs import Records, csv_records, refuse_misspelt
from judged_useless.adapters.transcripts import Chat
from judged_useless.episodes import frames
from judged_useless.episodes.formats import load_parquet, record_of_line
from judged_useless.episodes.schema import (
    FIELDS,
    KEY,
    MINIMUM,
    EpisodeError,
    NoEpisodesError,
    plain,
    refuse_repeated,
    validate,
)
from judged_useless.protocol.vocabulary import ACTIONS

_SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".csv", ".parquet", ".eval")
#: An episode's lists of one entry a result.
_BESIDE = ("judgments", "failed", "stated")


@dataclass(frozen=True)
class AgentLog:
    """What was read of an agent's logs: `episodes`, checked, and the chat of each, where there is one.

    Episodes of chats have also ``lexical``, a judgment of each result by the question's words in it, and
    ``sizes``, characters of the question and of each step. `forms` counts episodes by form of log, `tools`
    calls by (action, tool), `dropped` what was left out, by why, `paths` where it was read; `only_last` are
    tools of chats that may be the answer, by where they are called; `judge` is who judged it afterwards.
    """

    episodes: pd.DataFrame
    chats: tuple[ChatEpisode | None, ...]
    forms: Mapping[str, int]
    tools: Mapping[tuple[str, str], int]
    dropped: Mapping[str, int]
    paths: tuple[str, ...] = ()
    only_last: tuple[str, ...] = ()
    judge: str = ""

    @classmethod
    def of_episodes(cls, episodes: pd.DataFrame, form: str, paths: Iterable[str] = ()) -> "AgentLog":
        """Return episodes that are there already as a log of some form."""
        return cls(episodes, (None,) * len(episodes), {form: len(episodes)}, {}, {}, tuple(paths))


def read_log(
    paths: str | Path | Iterable[str | Path], *, mapping: Mapping[str, str] | None = None
) -> AgentLog:
    """Read an agent's logs.

    Parameters
    ----------
    paths : str, path, or several
        Files or folders of: episodes as JSON lines, JSON or Parquet; CSV of one row a step; messages of
        OpenAI (chat, Responses) or Anthropic, one conversation a line or file; ATIF trajectories; Claude Code
        sessions; Inspect logs; Scout transcript databases.
    mapping : mapping of str to str, optional
        Tool -> action (``search``, ``lookup``, ``finish`` ...), or an empty text for a tool whose calls are
        no steps. Otherwise ``answer``, ``final_answer``, ``finish`` and ``submit`` finish, and in chats any
        other tool is a search.

    Raises
    ------
    EpisodeError
        If a file is not what it should be, with file, line and reason; `NoEpisodesError` without any episode.
    ImportError
        If a form needs packages that are missing, with the line that installs them.
    """
    tools, dropped, forms = Tools(mapping), Counter[str](), Counter[str]()
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    tables: list[pd.DataFrame] = []
    places: list[tuple[Path, int]] = []
    chats: list[Chat] = []
    for path in (file for each in given for file in _files(Path(each), dropped)):
        try:
            read = _read(path, dropped)
        except UnreadableFileError as error:
            raise EpisodeError(str(error)) from error
        if not read:
            raise NoEpisodesError(f"{path}: no conversation is in it")
        if isinstance(read[0], Chat):
            chats += read
        else:
            records = _in_our_words(path, read, tools, dropped)
            tables.append(_checked(path, records))
            places += [(path, line) for line, _ in records]
            forms[f"a {path.suffix} of episodes"] += len(records)
    for path, records in _of_chats(chats, tools, dropped, forms).items() if chats else ():
        tables.append(_checked(path, records))
        places += [(path, line) for line, _ in records]
    table = tables[0] if len(tables) == 1 else _labelled(pd.concat(tables, ignore_index=True))
    if len(tables) > 1:
        refuse_repeated(table, lambda row: f"{places[row][0]}, line {places[row][1]}")
    if tools.unmet:
        why = f"of --map, since no such tool is in the log: {listed(sorted(tools.unmet))}"
        dropped[why] = len(tools.unmet)
    read_chats = tuple(table["chat"]) if "chat" in table else (None,) * len(table)
    only_last = tools.only_last(filter(None, read_chats))
    episodes = frames.settled(table.drop(columns="chat", errors="ignore"))
    return AgentLog(episodes, read_chats, forms, tools.calls, +dropped, tuple(map(str, given)), only_last)


def _files(path: Path, dropped: Counter[str]) -> list[Path]:
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder")
    if not path.is_dir():
        if not path.is_file():  # which would be waited for
            raise EpisodeError(f"{path}: expected a file or a folder")
        return [path]
    entries = sorted(path.iterdir())
    files = [file for file in entries if file.name.endswith(_SUFFIXES) and file.is_file()]
    if not files:
        raise NoEpisodesError(f"{path}: the folder holds no {', '.join(_SUFFIXES)} file")
    # A Scout database is a folder, and one of Inspect logs is indexed once.
    if files[0].suffix == ".eval" or _is_scout(files[0]):
        return [path]
    dropped["entries of folders that are no log"] += len(entries) - len(files)
    return files


def _is_scout(file: Path) -> bool:
    try:
        return file.suffix == ".parquet" and "transcript_id" in pq.read_schema(file).names
    except (pa.ArrowException, OSError):  # which reading it as episodes tells
        return False


def _read(path: Path, dropped: Counter[str]) -> Records | list[Chat]:
    """Return what a file holds: the records of episodes, or chats."""
    if path.is_dir() or path.suffix == ".eval" or _is_scout(path):
        return transcripts.read_transcripts(path)
    if path.suffix == ".parquet":
        rows = load_parquet(path).to_dict("records")
        return [(row, {str(k): plain(v) for k, v in record.items()}) for row, record in enumerate(rows, 1)]
    if path.suffix == ".csv":
        return csv_records(path, dropped)
    if not path.name.endswith(_SUFFIXES):
        raise EpisodeError(f"{path}: expected a file that ends in {', '.join(_SUFFIXES)}")
    records = _json_records(path)
    line, first = records[0]
    form = "" if "actions" in first else transcripts.form_of(first)
    if form == "Inspect log":
        return transcripts.read_transcripts(path)
    if form == "Claude Code":
        return transcripts.read_claude_code(path)
    if form == "message":
        records = [(1, {"messages": [record for _, record in records], "id": path.stem})]
    if form:
        return transcripts.chats_of_records(path, records)
    if "actions" in first:
        return records
    raise EpisodeError(
        f"{path}, line {line}: neither an episode (question_id, actions, judgments) nor a conversation "
        f"(messages, input, or one message a line); it has {listed(first)}"
    )


def _json_records(path: Path) -> Records:
    """Return the objects of JSON lines, or of a JSON file: one, or a list."""
    if path.suffix != ".json":
        records = [(line, record_of_line(path, line, text, ())) for line, text in text_lines(path)]
    else:
        try:
            content = strict_loads(read_text(path))
        except (ValueError, RecursionError) as error:
            raise EpisodeError(f"{path}: not JSON that can be read ({error})") from error
        records = list(enumerate(content if isinstance(content, list) else [content], 1))
    if not records:
        raise NoEpisodesError(f"{path}: the file holds nothing")
    for line, record in records:
        if not isinstance(record, dict):
            raise EpisodeError(f"{path}, line {line}: expected an object, found {shown(record)}")
    return records


def _checked(path: Path, records: Records) -> pd.DataFrame:
    table = _labelled(frames.fill_judgments(frames.from_records(record for _, record in records)))
    return validate(table, source=str(path), lines=[line for line, _ in records], required=MINIMUM)


def _labelled(table: pd.DataFrame) -> pd.DataFrame:
    """Return episodes whose labels are known of all, and success of all or none."""
    labels = {name: table[name].fillna("unknown") for name in KEY if name != "question_id" and name in table}
    unknown = [name for name in ("success",) if name in table and table[name].isna().any()]
    return table.assign(**labels).drop(columns=unknown)


def _in_our_words(path: Path, records: Records, tools: Tools, dropped: Counter[str]) -> Records:
    """Return records of episodes whose actions and judgments are our words; the last of each conversation."""
    last = {str(record.get("conversation", f"line {line}")): (line, record) for line, record in records}
    dropped["earlier lines of conversations that went on"] += len(records) - len(last)
    for line, record in last.values():
        refuse_misspelt(f"{path}, line {line}", record, FIELDS)
        record.setdefault("judgments", [])
        record |= {name: _words(record[name]) for name in ("judgments", "stated") if name in record}
        given = record.get("actions")
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            continue  # which the check refuses
        actions = [tools.named(each) for each in given]
        if None in actions:
            unknown = given[actions.index(None)]
            raise EpisodeError(
                f"{path}, line {line}: field 'actions': {shown(unknown)} is none of {', '.join(ACTIONS)}; "
                f"say what it is, as in --map {unknown}=search"
            )
        tools.calls.update(zip((action or "left out" for action in actions), given, strict=True))
        record["actions"] = [action for action in actions if action]
        for name in _BESIDE if "" in actions else ():
            if isinstance(record.get(name), list):
                beside = zip(record[name], actions, strict=False)
                record[name] = [each for each, action in beside if action]
    if any("conversation" in record for _, record in last.values()):
        _number(list(last.values()))
    return list(last.values())


def _words(judgments: object) -> object:
    """Return judgments in our words, and those after the last one left out: an answer's place has none."""
    if not isinstance(judgments, list):
        return judgments
    words = [each.strip().upper() or None if isinstance(each, str) else plain(each) for each in judgments]
    while words[-1:] == [None]:
        words.pop()
    return words


def _number(records: Records) -> None:
    """Give each record a number among those of its question, of which there may be many conversations."""
    seen = Counter[tuple[str, ...]]()
    for _, record in records:
        key = tuple(str(record.get(name)) for name in (*KEY, "task", "budget"))
        record.setdefault("seed", seen[key])
        seen[key] += 1


def _of_chats(
    chats: list[Chat], tools: Tools, dropped: Counter[str], forms: Counter[str]
) -> dict[Path, Records]:
    """Return the records of all chats, by file."""
    by_tool = any(answers_by_tool(chat.messages, tools) for chat in chats)
    found: dict[Path, Records] = {}
    for chat in chats:
        if "error" in chat.labels:
            dropped["chats that ended in an error"] += 1
            continue
        episodes = chat_episodes(chat.messages, tools, dropped, by_tool=by_tool, one=chat.one)
        labels = chat.labels | {"judgments": _words(chat.labels.get("judgments", []))}
        if len(episodes) > 1:  # what a record states of its results is of its only episode
            for name in ("judgments", "failed"):
                dropped[f"lists of {name} beside chats of several questions"] += name in chat.labels
                labels.pop(name, None)
        records = [(chat.line, episode.record() | labels | {"chat": episode}) for episode in episodes]
        if records:
            found.setdefault(chat.path, []).extend(records)
        forms[chat.form] += len(episodes)
    every = [each for records in found.values() for each in records]
    if not any(record["chat"].searched for _, record in every):
        raise NoEpisodesError(
            f"{chats[0].path}: no tool call in {len(chats)} chats, so nothing is decided; give actions that "
            "are written as text as episodes"
        )
    _number(every)
    return found
