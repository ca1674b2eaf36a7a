"""What is asked or labelled after a run is recorded: probes, annotation, and their results beside the run."""

from importlib import import_module
from typing import Any

#: Module -> public names in it, imported when first used: who reads a run needs no model.
_MODULES = {
    "adjudication": "annotator_agreement disagreements final_labels primary_accuracy to_adjudicate",
    "annotators": "annotate read_labels",
    "items": "annotation_items reference_sample",
    "label_effects": "judged_accuracy stated_contrasts with_stated",
    "probe_findings": "answer_now_branches merge_probes probe_results read_run",
    "probes": "PROBES",
    "replaying": "replay",
    "rubric": "STREAMS load_rubric",
    "sheet": "read_sheet write_sheet",
}
_PUBLIC = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module holds under that name
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
