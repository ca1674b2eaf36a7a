"""What a published number needs: which measure, of which cells, at which price."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from judged_useless import load_episodes
from judged_useless._io.paths import data_dir
from judged_useless.estimators.estimate import Estimate
from paper_book.measures.calculator import plain
from paper_book.measures.quantities import quantity_of
from paper_book.measures.recompute import recompute
from paper_book.measures.registry import Registry, registry
from paper_book.published.transcribed import published
from paper_book.registered.engine import evaluate
from paper_book.registered.rules import RegisteredTest
from paper_book.strict_yaml import read

_HOTPOT = ("hotpotqa", "test300", 8)


def _only(table: str | int, **wanted: Any) -> dict[Any, Any]:
    record: dict[Any, Any] = published(table, **wanted).to_dict("records")[0]
    return record


@pytest.mark.parametrize(
    ("table", "wanted", "measure", "cells"),
    [
        (17, {"measure": "regret", "condition": "permit", "model": "qwen3-8b"}, "regret",
         ("permit", "unaided")),
        (17, {"measure": "utility", "model": "qwen3-8b"}, "utility_of_best_policy", ("unaided",)),
        (17, {"measure": "best_policy", "model": "qwen3-8b"}, "best_policy", ("unaided",)),
        (19, {"measure": "utility", "condition": "budget", "model": "qwen3-8b"}, "utility", ("budget",)),
        (12, {"measure": "paired_difference_repaired", "condition": "combo - budget", "model": "qwen3-8b",
              "task": "hotpotqa"}, "paired_difference_repaired", ("combo", "budget")),
        ("text", {"condition": "answer_now - unaided", "model": "qwen3-8b"}, "answering_minus_continuing",
         ("unaided",)),
        ("text", {"condition": "own_5_policy", "model": "qwen3-8b"}, "success_of_own_5", ("unaided",)),
        ("text", {"measure": "answer_now_success", "model": "claude-haiku-4.5"}, "success_where_fired",
         ("enforced_rule",)),
        ("text", {"measure": "exhausted_where_rule_fired", "model": "claude-haiku-4.5"},
         "exhausted_where_rule_fired", ("unaided", "enforced_rule")),
        (5, {"measure": "backup_share_of_first_exits", "model": "qwen3-8b"}, "backup_share_of_first_exits",
         ("both_exits",)),
        (5, {"measure": "useless_rate_real", "model": "search-r1"}, "useless_rate_real", ("unaided",)),
    ],
)  # fmt: skip
def test_cells_of_a_number(table: Any, wanted: dict[str, Any], measure: str, cells: tuple[str, ...]) -> None:
    what = quantity_of(_only(table, **wanted))
    assert what.name == measure
    model = wanted["model"]
    assert list(what.keys) == [(model, condition, *_HOTPOT) for condition in cells]


def test_three_runs_need_each_of_them() -> None:
    keys = quantity_of(_only(28, model="qwen3-8b", split="test300-three-runs")).keys
    assert [(key[1], key[3]) for key in keys] == [
        (condition, split)
        for split in ("test300", "test300-run2", "test300-run3")
        for condition in ("enforced_rule", "unaided")
    ]


def test_prices_and_per_cent_tell_rows_of_one_name_apart() -> None:
    rows = published(17, model="qwen3-8b", condition="permit").to_dict("records")
    assert [quantity_of(row).price for row in rows] == [0.0, 0.02, 0.05]
    assert quantity_of(_only(8, measure="useless_rate")).scale == 100
    assert quantity_of(_only(13, measure="success")).scale == 1
    # Printed as k of n, so there is nothing to scale.
    haiku = _only("text", measure="exhausted_where_rule_fired", model="claude-haiku-4.5")
    assert (quantity_of(haiku).scale, haiku["k"]) == (1, 282)


def test_every_number_has_a_measure_or_a_reason() -> None:
    without = [
        (record["table"], record["row"], record["measure"])
        for record in published().to_dict("records")
        if not quantity_of(record).why_not and not quantity_of(record).has_call
    ]
    assert without == []


def test_no_measure_is_without_a_number_and_every_call_is_there() -> None:
    """Every measure is one of the paper, if only of several cells."""
    used = {quantity_of(record).name for record in published().to_dict("records")}
    assert set(registry().measures) - used == set()
    for name, row in registry().measures.items():
        assert bool(row.why_not) != callable(row.function(row.cells)), name


def lookups(part: pd.DataFrame, *, level: float) -> Estimate:
    """Return the share of episodes that look something up."""
    uses = part["actions"].map(lambda actions: "lookup" in list(actions))
    return plain("looks something up", uses.mean(), len(part), part, level, count=float(uses.sum()))


def test_a_measure_is_an_estimator_and_a_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Added without touching another file: it fills a table's row, and decides a registered test."""
    module = ModuleType("measures_of_mine")
    module.lookups = lookups  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    row = 'measures:\n  looks_up: {call: "measures_of_mine:lookups"}\n'
    file = tmp_path / "measures.yaml"
    text = (data_dir() / "measures.yaml").read_text(encoding="utf-8")
    file.write_text(text.replace("measures:\n", row, 1), encoding="utf-8")
    monkeypatch.setitem(registry().measures, "looks_up", read(file, Registry).measures["looks_up"])

    episodes = load_episodes(condition="unaided")
    direct = lookups(episodes[episodes["regime"] == "persistent"], level=0.95)
    printed = published(13, model="qwen3-8b", condition="unaided", regime="persistent", measure="success")
    held = recompute(printed.assign(measure="looks_up"), episodes, n_boot=5).iloc[0]
    assert (held["recomputed"], held["recomputed_k"]) == (direct.value, direct.parts["count"])
    assert 0 < direct.value < 1

    asked = {"measure": "looks_up", "arm": "unaided", "regimes": "persistent"}
    check = {"quantities": {"share": asked}, "pass_if": [{"quantity": "share", "above": 0}]}
    test = RegisteredTest.model_validate(
        {"id": "X", "document": "ours", "prediction": "Some look up.", "models": ["qwen3-8b"]}
        | {"rule": [check], "published": {"outcome": "pass", "each": "pass"}}
    )
    (result,) = evaluate(episodes, [test], n_boot=5)
    assert result.outcome == "pass"
