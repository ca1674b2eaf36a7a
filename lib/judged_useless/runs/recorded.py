"""A run directory read back: as episodes, as trajectories, as one conversation."""

from collections.abc import Collection, Iterator
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless.episodes.frames import from_records, typed
from judged_useless.episodes.schema import OPTIONAL, REQUIRED, validate
from judged_useless.runs.checking import load_manifest, missing, record_check, require_manifest
from judged_useless.runs.retrieved_pages import with_pages
from judged_useless.runs.store import RunError, read_records

_FIELDS = (*REQUIRED, *OPTIONAL)
_READ = (*_FIELDS, "observation_meta", "gold_titles")


class Run:
    """A run directory.

    Parameters
    ----------
    path : str or pathlib.Path
        The directory.

    Raises
    ------
    RunError
        If it holds no manifest, or a broken one.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.manifest: dict[str, Any] = require_manifest(self.path, load_manifest)

    def __repr__(self) -> str:
        status, counts = self.manifest["status"], self.manifest["n_episodes"]
        return f"Run({str(self.path)!r}, {status}, {counts['done']} of {counts['planned']} episodes)"

    @property
    def simulated(self) -> bool:
        """Whether no language model was behind it."""
        return bool(self.manifest["simulated"])

    def trajectories(self, *, counted: bool = False) -> Iterator[dict[str, Any]]:
        """Yield every trajectory, regime by regime.

        Parameters
        ----------
        counted : bool, default False
            Compare them with the plan as well: of which questions they are, and at the end how many.

        Yields
        ------
        dict

        Raises
        ------
        RunError
            If one is damaged, or not of this cell; and, where they are counted, not of this run, or if the
            run says it is complete and is not.
        """
        questions = self.manifest.get("questions") if counted else None
        found: dict[str, list[str]] = {}
        for regime in self.manifest["spec"]["regimes"]:
            found[regime] = []
            for record in self._trajectories(regime, questions):
                found[regime].append(record["question_id"])
                yield record
        lacking = missing(self.path, self.manifest, found) if counted else ""
        if lacking and self.manifest["status"] == "complete":
            raise RunError(f"the run is complete by its manifest, but there are in {lacking}")

    def _trajectories(
        self, regime: str, questions: Collection[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        return read_records(self.path / f"{regime}.jsonl", record_check(self.manifest, regime, questions))

    def episodes(self) -> pd.DataFrame:
        """Return the trajectories as episodes.

        Returns
        -------
        pandas.DataFrame
            One row an episode, with all fields of the schema, sorted by regime as the run lists them and in
            the order of the questions once the run is complete; with the pages that its searches returned
            (``pages, gold_titles``, as `judged_useless.estimators.specificity` takes them). What was asked of
            them afterwards is merged in by `judged_useless.load_episodes`.

        Raises
        ------
        RunError
            If there is none yet, one is not of this run, or the run says it is complete and is not.
        EpisodeError
            If one is not what the schema says.
        """
        records = [
            {name: record[name] for name in _READ if name in record}
            for record in self.trajectories(counted=True)
        ]
        if not records:
            raise RunError(f"{self.path}: no episode has ended yet")
        frame = with_pages(from_records(records)[list(_FIELDS)], records)
        return typed(validate(frame, source=str(self.path)))

    def trajectory(self, question_id: str, regime: str) -> dict[str, Any]:
        """Return one trajectory.

        Parameters
        ----------
        question_id, regime : str
            Which one.

        Returns
        -------
        dict

        Raises
        ------
        KeyError
            If the run has none.
        """
        # A regime that is not the run's is no file of it either.
        known = regime in self.manifest["spec"]["regimes"]
        for record in self._trajectories(regime) if known else ():
            if record["question_id"] == question_id:
                return record
        raise KeyError(f"{self.path} has no episode of question {question_id!r} in regime {regime!r}")

    def transcript(self, question_id: str, regime: str) -> "Transcript":
        """Return one conversation in a form that a notebook shows.

        Parameters
        ----------
        question_id, regime : str
            Which one.

        Returns
        -------
        Transcript

        Raises
        ------
        KeyError
            If the run has none.
        """
        return Transcript(self.trajectory(question_id, regime))


class Transcript:
    """One conversation, shown as text or, in a notebook, as a table.

    Parameters
    ----------
    record : dict
        A trajectory.
    """

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record

    def __repr__(self) -> str:
        return "\n\n".join(f"{role}: {text}" for role, text in self._rows())

    def _repr_html_(self) -> str:
        caption = f"{self.record['question_id']}, {self.record['regime']}: {self.record['termination']}"
        if self.record["simulated"]:
            caption = f"{self.record['model']}, a SIMULATED agent. {caption}"
        cells = "".join(
            f'<tr><th scope="row">{escape(role)}</th>'
            f'<td style="white-space: pre-wrap; text-align: left">{escape(text)}</td></tr>'
            for role, text in self._rows()
        )
        return (
            f'<figure class="ju-table"><figcaption>{escape(caption)}</figcaption>'
            f'<div class="ju-scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
            f"<table>{cells}</table></div></figure>"
        )

    def _rows(self) -> Iterator[tuple[str, str]]:
        t = 0
        judgments, failed = self.record["judgments"], self.record["failed"]
        for message in self.record["messages"]:
            role, text = message["role"], message["content"]
            if role == "user" and text.startswith(("Observation: ", "<information>")):
                label = "failed observation" if failed[t] else "observation"
                role, t = f"{label} {t + 1} (judged {judgments[t] or 'not at all'})", t + 1
            yield role, text
