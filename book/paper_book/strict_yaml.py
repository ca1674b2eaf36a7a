"""Reading the YAML files of the paper's matter, with every fault named by file, line and field."""

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

Model = TypeVar("Model", bound=BaseModel)


class RecordFileError(ValueError):
    """A file of measures, tests, claims or checks that is not what it should be; names file, line, field."""


class Strict(BaseModel):
    """A record that refuses what it does not know and never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Loader(yaml.SafeLoader):
    """Safe YAML in which a key may not be given twice."""


def _mapping(loader: Any, node: yaml.MappingNode) -> dict[Any, Any]:  # noqa: ANN401
    seen: set[object] = set()
    for key, _ in node.value:
        if key.value in seen:
            raise yaml.MarkedYAMLError(problem=f"{key.value!r} is given twice", problem_mark=key.start_mark)
        seen.add(key.value)
    loader.flatten_mapping(node)
    made: dict[Any, Any] = loader.construct_mapping(node, deep=True)
    return made


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
    """Read a YAML file into a model that forbids what it does not know, or raise `RecordFileError`."""
    text = path.read_text(encoding="utf-8")
    try:
        return model.model_validate(yaml.load(text, Loader=_Loader))  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise RecordFileError(f"{path}, line {line}: {error.problem}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        given = first["input"]
        found = "" if isinstance(given, dict | list) else f", found {given!r}"
        raise RecordFileError(
            f"{path}, line {_line(text, first['loc'])}: field {place or 'file'!r}: {first['msg']}{found}"
        ) from error
