"""The paper's printed numbers by table, and recomputed values held against them.

Every number is a row of a file in ``data/published``, transcribed from the paper (arXiv:2610.06191) with its
printed precision. A table is one file and one row of ``titles.csv``.
"""

from paper_book.published.transcribed import published

__all__ = ["published"]
