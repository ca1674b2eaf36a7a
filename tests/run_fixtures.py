"""Fixtures for tests that run cells; a plugin, so that a test names it where it needs it."""

import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext

import hamlets
import pytest
from judged_useless.tasks import TASKS


@contextmanager
def _registered() -> Iterator[None]:
    before = dict(TASKS)
    hamlets.register()
    yield
    TASKS.clear()
    TASKS.update(before)


@pytest.fixture
def hamlet_tasks() -> Iterator[None]:
    """Have the made-up tasks known by name, for as long as a test runs."""
    with _registered():
        yield


@pytest.fixture(scope="module")
def hamlets_of_module() -> Iterator[None]:
    """Have them known for as long as the tests of a module run, which share a run."""
    with _registered():
        yield


@pytest.fixture(scope="session")
def processes() -> ForkServerContext:
    """Return a context whose processes are forked from one that has imported the library."""
    context = multiprocessing.get_context("forkserver")
    # The server imports before it is told this process's path, so it has to have it from the start.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        context.set_forkserver_preload(["judged_useless.runs.cell", "run_children"])
        first = context.Process(target=os.getpid)
        first.start()
        first.join(60)
    return context
