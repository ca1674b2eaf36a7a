"""What is asked or labelled after a run is recorded: probes, annotation, and their results beside the run."""

from importlib import import_module
from typing import Any

#: Public names and the module of each, imported when first used: who reads a run needs no model.
_PUBLIC = {
    "PROBES": "probes",
    "STREAMS": "rubric",
    "annotate": "annotators",
    "annotation_items": "items",
    "annotator_agreement": "adjudication",
    "answer_now_branches": "probe_findings",
    "disagreements": "adjudication",
    "final_labels": "adjudication",
    "judged_accuracy": "label_effects",
    "key_table": "items",
    "load_rubric": "rubric",
    "merge_probes": "probe_findings",
    "primary_accuracy": "adjudication",
    "probe_results": "probe_findings",
    "read_labels": "annotators",
    "read_run": "probe_findings",
    "read_sheet": "sheet",
    "reference_sample": "items",
    "replay": "replaying",
    "stated_contrasts": "label_effects",
    "to_adjudicate": "adjudication",
    "with_stated": "label_effects",
    "write_sheet": "sheet",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module holds under that name
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
