"""A run directory read back: as episodes, as trajectories, as one conversation."""

from collections.abc import Collection, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless.episodes.frames import from_records, typed
from judged_useless.episodes.schema import OPTIONAL, REQUIRED, validate
from judged_useless.runs.manifests import require_manifest
from judged_useless.runs.run_files import RunError, read_records
from judged_useless.runs.trajectories import trajectory_check

_FIELDS = (*REQUIRED, *OPTIONAL)
#: Actions that show a page; a lookup shows a sentence of the current one.
_SEARCHES = ("search", "backup_search")


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
        self.manifest: dict[str, Any] = require_manifest(self.path, of_run=True)

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r}, {self.manifest['status']}, {self.counts} episodes)"

    @property
    def simulated(self) -> bool:
        """Whether no language model was behind it."""
        return bool(self.manifest["simulated"])

    @property
    def complete(self) -> bool:
        """Whether every episode has ended, as the manifest says."""
        return bool(self.manifest["status"] == "complete")

    @property
    def counts(self) -> str:
        """Episodes that have ended, of those planned: ``73 of 240``."""
        return "{done} of {planned}".format(**self.manifest["n_episodes"])

    def require_complete(self) -> None:
        """Raise `RunError` if episodes are missing: what ends first is not like the rest."""
        if not self.complete:
            raise RunError(
                f"{self.path}: the run is {self.manifest['status']}, with {self.counts} episodes; finish it "
                "first, with the call that started it"
            )

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
        found: dict[str, set[str]] = {}
        for regime in self.manifest["spec"]["regimes"]:
            found[regime] = set()
            for record in self._trajectories(regime, questions):
                found[regime].add(record["question_id"])
                yield record
        if counted:
            self._compare_with_plan(found)

    def _trajectories(
        self, regime: str, questions: Collection[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        return read_records(self.path / f"{regime}.jsonl", trajectory_check(self.manifest, regime, questions))

    def _compare_with_plan(self, found: Mapping[str, Collection[str]]) -> None:
        planned, lacking = self.manifest["spec"]["n_questions"], []
        for regime, questions in found.items():
            file = self.path / f"{regime}.jsonl"
            if len(questions) > planned:
                raise RunError(f"{file}: {len(questions)} trajectories, expected {planned}")
            if len(questions) < planned:
                lacking.append(f"{file}: {len(questions)} of {planned} trajectories")
        if lacking:
            if self.complete:
                raise RunError(f"the run is complete by its manifest, but there are in {'; '.join(lacking)}")
            return
        first, *others = found
        for regime in others:
            if foreign := set(found[regime]) - set(found[first]):
                raise RunError(
                    f"{self.path / regime}.jsonl: question_id {min(foreign)!r} is there, but not in "
                    f"{first}.jsonl"
                )

    def episodes(self) -> pd.DataFrame:
        """Return the trajectories as episodes.

        Returns
        -------
        pandas.DataFrame
            One row an episode, with all fields of the schema, sorted by regime as the run lists them and in
            the order of the questions once the run is complete; with ``gold_titles`` and ``pages``, for each
            observation the title that a real search returned and None for anything else, as
            `judged_useless.estimators.specificity` takes them. What was asked of them afterwards is merged in
            by `judged_useless.load_episodes`.

        Raises
        ------
        RunError
            If there is none yet, one is not of this run, or the run says it is complete and is not.
        EpisodeError
            If one is not what the schema says.
        """
        rows = []
        for record in self.trajectories(counted=True):
            row = {name: record[name] for name in _FIELDS}
            if "gold_titles" in record:
                row["pages"] = [_page(seen) for seen in record["observation_meta"]]
                row["gold_titles"] = record["gold_titles"]
            rows.append(row)
        if not rows:
            raise RunError(f"{self.path}: no episode has ended yet")
        return typed(validate(from_records(rows), source=str(self.path)))

    def trajectory(self, question_id: str, regime: str) -> dict[str, Any]:
        """Return the trajectory of a question in a regime; KeyError if the run has none."""
        # A regime that is not the run's is no file of it either.
        known = regime in self.manifest["spec"]["regimes"]
        for record in self._trajectories(regime) if known else ():
            if record["question_id"] == question_id:
                return record
        raise KeyError(f"{self.path} has no episode of question {question_id!r} in regime {regime!r}")

    def transcript(self, question_id: str, regime: str) -> "Transcript":
        """Return the conversation of a question in a regime, as a notebook shows it."""
        return Transcript(self.trajectory(question_id, regime))


def _page(seen: Mapping[str, Any]) -> str | None:
    title: str | None = seen["real_title"]
    return title if seen["action"] in _SEARCHES and not seen["failed"] else None


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
