"""Style rules that nothing uses are left out, and no other."""

import importlib.util
from pathlib import Path

import pytest

_FILE = Path(__file__).parents[3] / "book/_ext/lean.py"
_SPEC = importlib.util.spec_from_file_location("lean", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
lean = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(lean)


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        (".on{a:b}.off{a:b}", ".on{a:b}"),
        (".off .on,.on>p{a:b}", ".off .on,.on>p{a:b}"),
        ("p:not(.off){a:b}", "p:not(.off){a:b}"),
        ("@media print{.off{a:b}}@media print{.on{a:b}.off{c:d}}", "@media print{.on{a:b}}"),
        ("/*! whose */ .off{a:b}/* why */p{c:d}", "/*! whose */p{c:d}"),
        (
            "@font-face{src:url(x.woff)}@keyframes k{from{a:b}}",
            "@font-face{src:url(x.woff)}@keyframes k{from{a:b}}",
        ),
    ],
)
def test_rules_of_classes_that_nothing_uses_go(css: str, kept: str) -> None:
    assert lean.pruned(css, {"on"}) == kept
