"""A run directory read back: as episodes, as trajectories, as one conversation."""

import warnings
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless._io.messages import listed, visible
from judged_useless.episodes.frames import from_records, typed
from judged_useless.episodes.schema import OPTIONAL, REQUIRED, validate
from judged_useless.protocol.rule import IntegrationRule
from judged_useless.runs.manifests import require_manifest
from judged_useless.runs.run_files import RunError, read_records
from judged_useless.runs.trajectories import trajectory_check

_EPISODE_FILES = (".jsonl", ".jsonl.gz", ".parquet")
_FIELDS = (*REQUIRED, *OPTIONAL)


class Run:
    """A run directory; `RunError` if it holds no manifest, or a broken one."""

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

    def require_complete(self, *, or_give: str = "") -> None:
        """Raise `RunError` if episodes are missing: what ends first is not like the rest."""
        if not self.complete:
            raise RunError(
                f"{self.path}: the run is {self.manifest['status']}, with {self.counts} episodes; finish it "
                f"first, with the call that started it{or_give}"
            )

    def trajectories(self) -> Iterator[dict[str, Any]]:
        """Yield every trajectory, by regime; `RunError` if one is damaged, of another run, or missing."""
        planned, lacking = self.manifest["spec"]["n_questions"], []
        for regime in self.manifest["spec"]["regimes"]:
            n = 0
            for n, record in enumerate(self._trajectories(regime), 1):  # noqa: B007 - the last one is read
                yield record
            if n < planned:
                lacking.append(f"{self.path / regime}.jsonl: {n} of {planned} trajectories")
        if lacking and self.complete:
            raise RunError(f"the run is complete by its manifest, but there are in {'; '.join(lacking)}")

    def _trajectories(self, regime: str) -> Iterator[dict[str, Any]]:
        check = trajectory_check(self.manifest, regime, self.manifest["questions"])
        return read_records(self.path / f"{regime}.jsonl", check)

    def episodes(self, *, allow_partial: bool = False) -> pd.DataFrame:
        """Return the trajectories as episodes.

        Parameters
        ----------
        allow_partial : bool, default False
            Return, with a warning, what there is of a run that is not complete. Short episodes end first:
            estimates from the first of them are not those of the whole run.

        Returns
        -------
        pandas.DataFrame
            One row an episode, with all fields of the schema, by regime and, once the run is complete, in the
            order of the questions; with ``gold_titles`` and ``pages``: the title that a real search returned,
            or None, as `judged_useless.estimators.specificity` takes them. What was asked afterwards is
            merged in by `judged_useless.load_episodes`.

        Raises
        ------
        RunError
            If the run is not complete or says that it is and is not, or an episode is not of this run.
        EpisodeError
            If one is not what the schema says.
        """
        if not allow_partial:
            self.require_complete(or_give=", or read what there is with allow_partial=True")
        rows = []
        for record in self.trajectories():
            row = {name: record[name] for name in _FIELDS}
            if "gold_titles" in record:
                # A lookup shows a sentence of the current page.
                row["pages"] = [
                    seen["real_title"] if "search" in seen["action"] and not seen["failed"] else None
                    for seen in record["observation_meta"]
                ]
                row["gold_titles"] = record["gold_titles"]
            rows.append(row)
        if not rows:
            raise RunError(f"{self.path}: no episode has ended yet")
        self._say_what_is_odd()
        return typed(validate(from_records(rows), source=str(self.path)))

    def _say_what_is_odd(self) -> None:
        if not self.complete:
            said = f"the run is {self.manifest['status']}, with {self.counts} episodes: short ones end first"
            warnings.warn(f"{self.path}: {said}", stacklevel=3)
        known = {f"{regime}.jsonl" for regime in self.manifest["spec"]["regimes"]}
        files = {file.name for file in self.path.iterdir() if file.name.endswith(_EPISODE_FILES)}
        if others := sorted(files - known):
            warnings.warn(f"{self.path}: not of this run, and not read: {listed(others)}", stacklevel=3)

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
        return Transcript(self.trajectory(question_id, regime), self.manifest["spec"]["options"]["k"])


class Transcript:
    """The conversation of a trajectory, the k-th useless result in a row marked, as text or as a table."""

    def __init__(self, record: dict[str, Any], k: int) -> None:
        self.record, self.k = record, k

    def __repr__(self) -> str:
        return "\n\n".join(f"{role}{mark and f' ({mark})'}: {text}" for role, mark, text in self._rows())

    def _repr_html_(self) -> str:
        about = "{model}{0}, {condition}. {question_id}, {regime}: {termination}"
        caption = escape(about.format(", a SIMULATED agent" * self.record["simulated"], **self.record))
        style = "white-space: pre-wrap; text-align: left; overflow-wrap: anywhere"
        rows = (
            (escape(role) + (mark and f" <mark>{mark}</mark>"), text) for role, mark, text in self._rows()
        )
        row = f'<tr><th scope="row">{{}}</th><td style="{style}">{{}}</td></tr>'
        cells = "".join(row.format(role, escape(text)) for role, text in rows)
        return (
            f'<figure class="ju-table"><figcaption>{caption}</figcaption>'
            f'<div class="ju-scroll" tabindex="0" role="region" aria-label="{caption}">'
            f"<table>{cells}</table></div></figure>"
        )

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        t, rule = 0, IntegrationRule(self.k)
        judgments, failed = self.record["judgments"], self.record["failed"]
        acted = {each["t"] for each in self.record["events"] if each["event"] == "rule_fired"}
        for message in self.record["messages"]:
            role, mark, text = message["role"], "", message["content"]
            if role == "user" and text.startswith(("Observation: ", "<information>")):
                role = f"{'failed ' * failed[t]}observation {t + 1} (judged {judgments[t] or 'not at all'})"
                t += 1
                if rule.observe(judgments[t - 1]) and (rule.run == self.k or t in acted):
                    what = "the rule leaves only finish" if t in acted else "nothing is done"
                    mark = f"{rule.run} USELESS in a row: {what}"
            yield role, mark, visible(text)
