"""Each thing that others add takes one entry of their own, and no change to a file of the project."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from judged_useless import run_cell
from judged_useless.agent.stoppers import STOPPERS, FinishOnly
from judged_useless.environment.regimes import REGIMES, Regime
from judged_useless.models import PROVIDERS, Decoding, Generation, Message
from judged_useless.protocol.conditions import CONDITIONS, PARTS, Condition
from judged_useless.protocol.signals import JUDGMENT_TOKENS

CELL: dict[str, Any] = {"task": "atlas", "n_questions": 4, "progress": False}


async def test_a_regime(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    odd = Regime("odd_ones_fail", lambda t: t % 2 == 1)
    monkeypatch.setitem(REGIMES, odd.name, odd)
    run = await run_cell(model="scripted:never", regimes=[odd.name], out=tmp_path / "run", **CELL)
    for failed in run.episodes()["failed"]:
        assert failed == [True, False, True, False, True, False, True, False][: len(failed)]
        assert failed


class AtOnce(FinishOnly):
    """Leaves only the answer after one useless result."""

    def must_wait(self, episode: Any) -> bool:
        """Wait for each judgment."""
        return True

    async def before_turn(self, episode: Any) -> None:
        """Act on the first."""
        if episode.rule.run >= 1:
            episode.conversation.leave_only_finish()


async def test_a_condition_with_a_stopper_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(STOPPERS, "at_once", AtOnce)
    monkeypatch.setitem(PARTS, "at_once", Condition(stopper="at_once"))
    monkeypatch.setitem(CONDITIONS, "impatient", ("side_channel_signal", "at_once"))
    run = await run_cell(
        model="scripted:never", condition="impatient", regimes=["persistent"], out=tmp_path / "run", **CELL
    )
    episodes = run.episodes()
    assert set(episodes["condition"]) == {"impatient"}
    assert episodes["actions"].map(len).median() == 2


class Parrot:
    """Searches for the same thing, and calls everything useless."""

    provider, max_concurrency, simulated = "mine", 4, True

    def __init__(self, name: str) -> None:
        self.name, self.decoding = name, Decoding(temperature=0.0, max_new_tokens=64)

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
        """Return the one thing it says."""
        judged = options.get("max_new_tokens") == JUDGMENT_TOKENS
        text = "USELESS" if judged else "Thought: hm\nAction: search[Oslo]"
        return Generation(text=text, finish_reason="stop")

    def describe(self) -> dict[str, Any]:
        """Return what the manifest keeps."""
        return {"name": self.name}

    async def aclose(self) -> None:
        """Hold nothing."""


async def test_a_backend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = ModuleType("backend_of_mine")
    module.Parrot = Parrot  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(PROVIDERS, "mine", "backend_of_mine:Parrot")
    run = await run_cell(model="mine:parrot", regimes=["persistent"], out=tmp_path / "run", **CELL)
    episodes = run.episodes()
    assert set(episodes["model"]) == {"parrot"}
    assert {tuple(words) for words in episodes["judgments"]} == {("USELESS",) * 8}
