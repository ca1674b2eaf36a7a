"""Published numbers that no run fills, and why."""

from collections.abc import Mapping
from typing import Any

from paper_book.measures.needs import needed

_VERDICTS = "a count of verdicts; see the section on registered tests"
_SIMULATED = "a setting of the simulated policies, printed as it is"
#: Numbers that are no measurement: definitions, settings of the experiment, bounds and verdicts of tests.
NOT_MEASURED = {
    "definition": "a definition, printed as it is",
    "setting": "a setting of the experiment, printed as it is",
    "claim_map": "where the paper tests a claim, printed as it is",
    "threshold": "the bound of a registered decision rule, printed as it is",
    "outcome": "the verdict on a registered test; see the section on registered tests",
    "printed_outcome": "the verdict on a registered test; see the section on registered tests",
    "tests_passed": _VERDICTS,
    "tests_failed": _VERDICTS,
    "n_unstable": _VERDICTS,
    "answer_probability": _SIMULATED,
    "judgment_probability": _SIMULATED,
    "recall_step": "what a reader finds in the conversation of one episode",
}
#: Numbers of single cells that nothing here can give, by measure or by row.
_NOT_GIVEN = {
    "unparsed_rate": "the paper does not say of which runs",
    "contrasts-of-table-12-that-changed-significance": "a count of contrasts of Table 12",
    "rerun-with-identical-settings-minus-first-run": "a second run with the same seeds, which is the same "
    "cell here",
}
_ANNOTATION = "labels of two annotators and a person: judged-useless annotate prints these numbers for a run"
#: Measures on such labels; other measures are too where they are of development questions in no condition.
_ANNOTATED = (
    "kappa_s1", "kappa_s2", "kappa_s1_reference", "kappa_s2_reference", "kappa_s2_local",
    "kappa_binary_s1", "kappa_binary_s2", "kappa_binary_s1_reference", "kappa_binary_s2_reference",
    "kappa_binary_s2_local", "n_labeled", "n_disagreements", "n_changed", "precision", "recall",
    "balanced_accuracy", "n_errors", "useful_rate",
)  # fmt: skip
_SEVERAL = "a range or a count over several cells"
_SEVERAL_TESTS = "the lowest of several bounds; see the section on registered tests"


def why_not(record: Mapping[Any, Any]) -> str:
    """Return why no run fills a number.

    Parameters
    ----------
    record : mapping
        A row of published numbers.

    Returns
    -------
    str
        Empty for a number that runs, with their probes, can give.
    """
    what = needed(record)
    name = str(record["measure"])
    if name in NOT_MEASURED:
        return NOT_MEASURED[name]
    if record["task"] == "simulated":
        return "simulated policies, which need no episodes"
    for key in (str(record["row"]), name if record["model"] else ""):
        if key in _NOT_GIVEN:
            return _NOT_GIVEN[key]
    if name in _ANNOTATED or (record["split"] == "dev100" and not record["condition"]):
        return _ANNOTATION
    if name == "paired_difference" and not record["regime"] and not what.several_cells:
        return _SEVERAL_TESTS
    return _SEVERAL if what.several_cells else ""
