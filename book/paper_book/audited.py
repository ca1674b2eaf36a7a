"""What the page on an agent of the reader's own opens: its log, as episodes and as an audit."""

from collections.abc import Mapping
from typing import Any

from judged_useless.adapters import AgentLog, Audit, audit_log, judge_log, read_log
from judged_useless.models import get_model

from paper_book.page import Page, open_page


async def open_log(
    log: str | list[str],
    *,
    mapping: Mapping[str, str] | None = None,
    budget: int | None = None,
    judge: str | None = None,
    n_boot: int = 2000,
    seed: int = 0,
) -> tuple[Page, Audit]:
    """Open a page on an agent's log, and audit it.

    Parameters
    ----------
    log : str or list of str
        Files or folders, as for :func:`judged_useless.adapters.read_log`; "embedded" for the paper's unaided
        qwen3-8b.
    mapping, budget, n_boot, seed
        As for `read_log` and `audit_log`.
    judge : str, optional
        ``provider:name`` of a model that judges each result; what it takes is printed before.
    """
    if log == "embedded":
        page = open_page(log, model="qwen3-8b", condition="unaided", n_boot=n_boot, seed=seed)
        return page, audit_log(AgentLog.of_episodes(page.episodes, log), n_boot=n_boot, seed=seed)
    read = read_log(log, mapping=mapping)
    if judge:
        model = get_model(judge)
        try:
            read = await judge_log(read, model)
        finally:
            await model.aclose()
    audit = audit_log(read, budget=budget, n_boot=n_boot, seed=seed)
    options: dict[str, Any] = {"n_boot": n_boot, "seed": seed, "level": 0.95}
    name = f"{log}{', a SIMULATED agent' if audit.simulated else ''}"
    return Page(log, None, None, None, None, options, read.episodes, name=name), audit
