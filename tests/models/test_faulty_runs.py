"""A run over a misbehaving server: what failed is missing, not recorded as something else, and is resumed."""

from pathlib import Path
from typing import Any

import pytest
from faulty_server import TEXT, FaultyServer
from hamlet_cell import run
from http_models import PROVIDERS, Waits, make
from judged_useless.models.base import CostCapReachedError, FatalModelError
from judged_useless.models.costs import Price
from judged_useless.models.retry import Retries
from judged_useless.models.server import ServerModel
from judged_useless.runs.cell import IncompleteRunError
from judged_useless.runs.recorded import Run
from validate_run import validate_run

pytestmark = [pytest.mark.parametrize("provider", PROVIDERS), pytest.mark.usefixtures("hamlet_tasks")]
pytest_plugins = ("run_fixtures",)

REGIMES = ("persistent", "recover_after_2")
FAULTS = (
    "500", "529", "rate_limit", "rate_limit_7", "hang", "reset", "cut_body", "cut_stream", "cut_json",
    "malformed", "html", "json_list", "error_in_200", "empty_choice", "null_text", "broken_off", "overflow",
    "silent_cut",
)  # fmt: skip


def once(provider: str, url: str, **options: Any) -> ServerModel:
    """Return a model that never tries again, so that every fault is one to the run."""
    return make(provider, url, retries=Retries(attempts=1, sleep=Waits()), timeout=0.5, **options)


async def cell(model: ServerModel, out: Path, **options: Any) -> Run:
    arguments: dict[str, Any] = {"n_questions": 2, "budget": 3, "concurrency": 1, "k": 5}
    return await run(out, model, regimes=REGIMES, **(arguments | options))


async def test_what_failed_is_missing_and_the_same_call_runs_just_that(provider: str, tmp_path: Path) -> None:
    async with FaultyServer("ok") as server:
        model = once(provider, server.url)
        undisturbed = await cell(model, tmp_path / "undisturbed", n_questions=12)
        # Once some episodes have ended, a fault after every two replies; each ends one, and the next begins.
        server.faults = ["ok"] * 15 + [f for fault in FAULTS for f in ("ok", "ok", fault)] + ["ok"]
        with pytest.raises(IncompleteRunError) as caught:
            await cell(model, tmp_path / "disturbed", n_questions=12)
        check_what_is_there(caught.value, tmp_path / "disturbed")
        resumed = await cell(model, tmp_path / "disturbed", n_questions=12)
        await model.aclose()
    assert validate_run(resumed.path) == []
    assert resumed.episodes().equals(undisturbed.episodes())


def check_what_is_there(error: IncompleteRunError, path: Path) -> None:
    there = Run(path)
    assert error.missing == len(FAULTS)
    assert there.manifest["status"] == "incomplete"
    assert there.manifest["n_episodes"]["done"] == 12 * len(REGIMES) - len(FAULTS)
    texts = {call["text"] for trajectory in there.trajectories() for call in trajectory["calls"]}
    assert texts == {TEXT}
    with pytest.warns(UserWarning, match=f"with {there.counts} episodes"):
        assert set(there.episodes(allow_partial=True)["termination"]) == {"budget_exhausted"}


async def test_a_wrong_key_ends_the_run_at_once(provider: str, tmp_path: Path) -> None:
    async with FaultyServer("unauthorized") as server:
        model = once(provider, server.url)
        with pytest.raises(FatalModelError, match="401"):
            await cell(model, tmp_path / "run")
        # One more may have passed the gate while the run was being stopped.
        assert len(server.requests) <= 2
        server.faults = ["ok"]
        assert (await cell(model, tmp_path / "run")).manifest["status"] == "complete"
        await model.aclose()


async def test_a_cost_cap_ends_the_run_and_a_higher_one_resumes_it(provider: str, tmp_path: Path) -> None:
    price = Price(input=1.0, output=10.0, source="made up for the test", as_of="2026-11-30")  # type: ignore[arg-type]
    async with FaultyServer("ok") as server:
        model = once(provider, server.url, price=price, cost_cap_usd=0.005)
        with pytest.raises(CostCapReachedError):
            await cell(model, tmp_path / "run")
        assert model._meter.spent_usd <= 0.005
        assert Run(tmp_path / "run").manifest["status"] == "stopped"
        richer = once(provider, server.url, price=price, cost_cap_usd=1.0)
        resumed = await cell(richer, tmp_path / "run")
        await model.aclose()
        await richer.aclose()
    assert resumed.manifest["status"] == "complete"
    assert validate_run(resumed.path) == []
