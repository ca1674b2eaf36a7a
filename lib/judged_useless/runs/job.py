"""Work that makes one record an episode: running it, or asking something of it afterwards."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from judged_useless.models.base import Model
from judged_useless.runs.store import Check, Key


class Job(Protocol):
    """What is done, with one model.

    Attributes
    ----------
    model : Model
        What generates.
    regimes : tuple of str
        One file each.
    """

    @property
    def model(self) -> Model: ...  # noqa: D102

    @property
    def regimes(self) -> tuple[str, ...]: ...  # noqa: D102

    def keys(self) -> Sequence[Key]:
        """Return regime and question id of every record, in the order in which they are worked on."""
        ...

    def spec(self) -> dict[str, Any]:
        """Return what decides every byte of the records but the timings; it has ``regimes``."""
        ...

    def run_id(self) -> str:
        """Return a name for the folder."""
        ...

    def another(self, different: str) -> str:
        """Return what to say of a folder that holds something else, and what to do about it."""
        ...

    def manifest(self, path: Path) -> dict[str, Any] | None:
        """Return the manifest of a folder with every field that is read, or None; refuse a broken one.

        One that this job goes beyond, and can go on with, is returned as an unfinished one of this job.
        """
        ...

    def check(self, regime: str) -> Check:
        """Return a check of a record that is in a regime's file: that it is whole, and one of `keys`."""
        ...

    async def produce(self, model: Model, key: Key) -> dict[str, Any]:
        """Return one record; it has ``question_id`` and ``calls``."""
        ...
