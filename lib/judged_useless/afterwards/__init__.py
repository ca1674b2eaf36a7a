"""What is asked or labelled after a run is recorded: probes, annotation, and their results beside the run."""

from judged_useless.afterwards.annotators import annotate, check_folder, read_labels
from judged_useless.afterwards.beside import answer_now_branches, probe_results, read_run
from judged_useless.afterwards.effects import judged_accuracy, stated_contrasts, to_adjudicate
from judged_useless.afterwards.items import Item, annotation_items, key_table, reference_sample
from judged_useless.afterwards.labels import STREAMS, Rubric, Ruling, load_rubric
from judged_useless.afterwards.probes import PROBES, Probe, get_probe
from judged_useless.afterwards.replaying import replay
from judged_useless.afterwards.replies import is_placeholder
from judged_useless.afterwards.resolving import (
    annotator_agreement,
    disagreements,
    final_labels,
    primary_accuracy,
    with_stated,
)
from judged_useless.afterwards.sheet import SheetError, read_sheet, write_sheet

__all__ = [
    "PROBES",
    "STREAMS",
    "Item",
    "Probe",
    "Rubric",
    "Ruling",
    "SheetError",
    "annotate",
    "annotation_items",
    "annotator_agreement",
    "answer_now_branches",
    "check_folder",
    "disagreements",
    "final_labels",
    "get_probe",
    "is_placeholder",
    "judged_accuracy",
    "key_table",
    "load_rubric",
    "primary_accuracy",
    "probe_results",
    "read_labels",
    "read_run",
    "read_sheet",
    "reference_sample",
    "replay",
    "stated_contrasts",
    "to_adjudicate",
    "with_stated",
    "write_sheet",
]
