"""Reading the registered tests from their file, with every fault named by line and field."""

from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from judged_useless._io.paths import data_dir
from pydantic import BaseModel, ValidationError

from paper_book.registered.models import Preregistration, RegisteredTest

Model = TypeVar("Model", bound=BaseModel)


class PreregistrationError(ValueError):
    """A file of registered tests or claims that is not what it should be; names file, line and field."""


class _Loader(yaml.SafeLoader):
    """Safe YAML in which a key may not be given twice."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[object] = set()
    for key, _ in node.value:
        if key.value in seen:
            raise yaml.MarkedYAMLError(problem=f"{key.value!r} is given twice", problem_mark=key.start_mark)
        seen.add(key.value)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _line(text: str, location: tuple[int | str, ...]) -> int:
    """Return the line of the innermost part of a location that the file has."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = next((value for key, value in node.value if key.value == part), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = node.value[part]
        else:
            found = None
        if found is None:
            break
        node = found
    return int(node.start_mark.line) + 1 if node is not None else 1


def read(path: Path, model: type[Model]) -> Model:
    """Read a YAML file into a model that forbids what it does not know.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    model : type of pydantic model
        What it must be.

    Returns
    -------
    pydantic model

    Raises
    ------
    PreregistrationError
        If the file is no YAML, gives a key twice, or a field is missing, unknown or wrong.
    FileNotFoundError
        If there is no such file.
    """
    text = path.read_text(encoding="utf-8")
    try:
        return model.model_validate(yaml.load(text, Loader=_Loader))  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise PreregistrationError(f"{path}, line {line}: {error.problem}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        given = first["input"]
        found = "" if isinstance(given, dict | list) else f", found {given!r}"
        raise PreregistrationError(
            f"{path}, line {_line(text, first['loc'])}: field {place or 'file'!r}: {first['msg']}{found}"
        ) from error


@lru_cache(maxsize=4)
def _preregistration(path: Path) -> Preregistration:
    return read(path, Preregistration)


def load_documents(path: Path | None = None) -> dict[str, str]:
    """Return the documents that fixed the tests: name → what it is about.

    Parameters
    ----------
    path : pathlib.Path, optional
        File of registered tests; the project's by default.

    Returns
    -------
    dict of str to str
        In order of time.

    Raises
    ------
    PreregistrationError
        If the file is not what it should be.
    """
    return dict(_preregistration(path or data_dir() / "preregistration.yaml").documents)


def load_tests(path: Path | None = None) -> tuple[RegisteredTest, ...]:
    """Return every registered test, in the order of the paper's Tables 4 and 5.

    Parameters
    ----------
    path : pathlib.Path, optional
        File of registered tests; the project's by default.

    Returns
    -------
    tuple of RegisteredTest

    Raises
    ------
    PreregistrationError
        If the file is not what it should be.

    Examples
    --------
    >>> [test.key for test in load_tests() if test.id == "T1"]
    ['A15 T1', 'A18 T1']
    """
    return _preregistration(path or data_dir() / "preregistration.yaml").tests
