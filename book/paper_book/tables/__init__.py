"""The paper's tables in their own layout: each printed number, and below it the recomputed one."""

from paper_book.tables.paper_table import PaperTable, paper_table
from paper_book.tables.texts import printed_text, recomputed_text

__all__ = ["PaperTable", "paper_table", "printed_text", "recomputed_text"]
