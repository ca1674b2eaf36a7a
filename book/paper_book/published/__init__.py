"""The paper's printed numbers by table, a recomputed value held against them, and their own integrity.

Every number is a row of ``table_NN.csv``, ``text.csv``, ``figures.csv`` or ``dataset_card.csv`` in
``data/published``, transcribed from the paper (arXiv:2610.06191) with its printed precision.
"""

from paper_book.published.comparing import compare, one_each, recomputed, show
from paper_book.published.on_splits import as_counts, filled, on_split, where_printed
from paper_book.published.transcribed import (
    COLUMNS,
    QUANTITY,
    PublishedError,
    decimals,
    published,
    published_dir,
    read_file,
    tables,
)
from paper_book.published.verifying import Problem, count_numbers, verify

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
    "verify",
    "where_printed",
]
