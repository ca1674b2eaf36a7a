"""The paper's printed numbers by table, a recomputed value held against them, and their own integrity.

Every number is a row of ``table_NN.csv``, ``text.csv``, ``figures.csv`` or ``dataset_card.csv`` in
``data/published``, transcribed from the paper (arXiv:2610.06191) with its printed precision.
"""

from judged_useless.published.comparing import compare, one_each, recomputed, show
from judged_useless.published.reading import (
    COLUMNS,
    QUANTITY,
    PublishedError,
    decimals,
    published,
    published_dir,
    read_file,
    tables,
)
from judged_useless.published.splits import as_counts, filled, on_split, unprinted, where_printed
from judged_useless.published.verifying import Problem, count_numbers, verify

__all__ = [
    "COLUMNS",
    "QUANTITY",
    "Problem",
    "PublishedError",
    "as_counts",
    "compare",
    "count_numbers",
    "decimals",
    "filled",
    "on_split",
    "one_each",
    "published",
    "published_dir",
    "read_file",
    "recomputed",
    "show",
    "tables",
    "unprinted",
    "verify",
    "where_printed",
]
