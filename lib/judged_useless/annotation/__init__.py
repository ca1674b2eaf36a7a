"""Labelling results and stated judgments: rubric, blinded items, annotators, agreement, adjudication."""

from judged_useless.annotation.annotators import annotate, check_folder, read_labels
from judged_useless.annotation.effects import judged_accuracy, stated_contrasts, to_adjudicate
from judged_useless.annotation.items import Item, annotation_items, key_table, reference_sample
from judged_useless.annotation.labels import STREAMS, Rubric, Ruling, load_rubric
from judged_useless.annotation.resolving import (
    annotator_agreement,
    disagreements,
    final_labels,
    primary_accuracy,
    with_stated,
)
from judged_useless.annotation.sheet import SheetError, read_sheet, write_sheet

__all__ = [
    "STREAMS",
    "Item",
    "Rubric",
    "Ruling",
    "SheetError",
    "annotate",
    "annotation_items",
    "annotator_agreement",
    "check_folder",
    "disagreements",
    "final_labels",
    "judged_accuracy",
    "key_table",
    "load_rubric",
    "primary_accuracy",
    "read_labels",
    "read_sheet",
    "reference_sample",
    "stated_contrasts",
    "to_adjudicate",
    "with_stated",
    "write_sheet",
]
