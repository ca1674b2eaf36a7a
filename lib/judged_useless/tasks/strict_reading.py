"""Questions from a file: JSON or JSON lines, also gzipped, in any of the three written forms."""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from judged_useless._io.strict_json import strict_loads
from judged_useless.tasks.question import Question


def read_questions(path: str | Path) -> list[Question]:
    """Read every question of a file.

    Parameters
    ----------
    path : str or Path
        A JSON list or JSON lines, gzipped if the name ends in ``.gz``. Each record may be a hub row, an
        original HotpotQA record (it has ``_id``) or a FEVER claim (it has ``knowledge_base``).

    Returns
    -------
    list of Question
        In the order of the file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file or a record is not what it should be, or an id comes twice; the message names the file,
        the line or record, and the field.
    """
    path = Path(path)
    seen: dict[str, str] = {}
    questions = []
    for where, record in _records(path):
        try:
            question = question_from(record)
        except ValueError as error:
            raise ValueError(f"{path}, {where}: {error}") from None
        if question.id in seen:
            raise ValueError(f"{path}, {where}: question {question.id!r} is already in {seen[question.id]}")
        seen[question.id] = where
        questions.append(question)
    if not questions:
        raise ValueError(f"{path}: no questions in it")
    return questions


def question_from(record: Mapping[str, Any]) -> Question:
    """Read one record, telling its form by its keys.

    Parameters
    ----------
    record : mapping
        A hub row, an original HotpotQA record or a FEVER claim.

    Returns
    -------
    Question

    Raises
    ------
    ValueError
        If a field is missing or has another form; the message names it.
    """
    if "_id" in record:
        return Question.from_original(record)
    if "knowledge_base" in record:
        return Question.from_fever(record)
    return Question.from_hub_row(record)


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each record with the words that locate it."""
    text = _text(path)
    if text.lstrip()[:1] == "[":
        located = [(f"record {number}", record) for number, record in enumerate(_parsed(text, path), start=1)]
    else:
        located = [
            (f"line {number}", _parsed(line, path, number))
            for number, line in enumerate(text.split("\n"), start=1)
            if line.strip()
        ]
    for where, record in located:
        if not isinstance(record, Mapping):
            raise ValueError(f"{path}, {where}: expected a JSON object, found {type(record).__name__}")
        yield where, record


def _text(path: Path) -> str:
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return data.decode("utf-8-sig")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: not a whole gzip file ({error})") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text ({error})") from None


def _parsed(text: str, path: Path, line: int | None = None) -> Any:  # noqa: ANN401 - whatever JSON holds
    try:
        return strict_loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {(line or 1) + error.lineno - 1}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:  # a key twice, a number too long, or brackets too deep
        where = f"{path}, line {line}" if line else str(path)
        raise ValueError(f"{where}: JSON that cannot be read ({error})") from None
