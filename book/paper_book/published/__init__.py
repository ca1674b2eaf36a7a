"""The paper's printed numbers by table, and recomputed values held against them.

Every number is a row of a file in ``data/published``, transcribed from the paper (arXiv:2610.06191) with its
printed precision. A table is one file and one row of ``titles.csv``.
"""

from paper_book.published.comparing import compare, one_each, show
from paper_book.published.on_splits import as_counts, filled, on_split, where_printed
from paper_book.published.transcribed import (
    COLUMNS,
    QUANTITY,
    PublishedError,
    check_files,
    count_numbers,
    decimals,
    published,
    published_dir,
    read_file,
    tables,
    titles,
)

__all__ = [
    "COLUMNS",
    "QUANTITY",
    "PublishedError",
    "as_counts",
    "check_files",
    "compare",
    "count_numbers",
    "decimals",
    "filled",
    "on_split",
    "one_each",
    "published",
    "published_dir",
    "read_file",
    "show",
    "tables",
    "titles",
    "where_printed",
]
