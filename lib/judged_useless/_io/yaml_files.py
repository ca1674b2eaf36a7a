"""YAML files that a user writes: read and checked, or refused with file and field."""

from pathlib import Path
from typing import Any

import pydantic
import yaml

from judged_useless._io.messages import first_fault


def read_yaml(path: str | Path, kind: Any) -> Any:  # noqa: ANN401 - a type, and what is of it
    """Return a YAML file's content as what it should be; a ValueError names file and field."""
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        return pydantic.TypeAdapter(kind).validate_python(content)
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: not YAML: {error}") from error
    except pydantic.ValidationError as error:
        raise ValueError(f"{path}: {first_fault(error)}") from error
