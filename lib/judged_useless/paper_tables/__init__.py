"""The paper's tables in their own layout: each printed number, and below it the recomputed one."""

from judged_useless.paper_tables.layout import TITLES
from judged_useless.paper_tables.table import PaperTable, paper_table
from judged_useless.paper_tables.texts import printed_text, recomputed_text

__all__ = ["TITLES", "PaperTable", "paper_table", "printed_text", "recomputed_text"]
