"""The examples of the library's docstrings give what they say."""

import doctest
import importlib
from pathlib import Path

import judged_useless
import pytest

LIBRARY = Path(judged_useless.__file__).parent
# Only modules with an example are imported, so that no optional backend is asked for.
MODULES = sorted(
    ".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in LIBRARY.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0
    assert result.failed == 0
