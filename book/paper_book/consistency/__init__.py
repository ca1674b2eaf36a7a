"""Computed checks between the paper's own numbers, and between the paper and what was released with it."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path

import pandas as pd

from paper_book.consistency import counts, release, statements, text
from paper_book.consistency import table_checks as tables
from paper_book.consistency.comparison import Comparison
from paper_book.consistency.record_of_paper import Record, load

__all__ = ["CHECKS", "Check", "Comparison", "Record", "load", "run", "summary", "table"]


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes
    ----------
    name : str
        Its key in :data:`CHECKS`.
    places : str
        Tables and sections it is about.
    compare : callable
        Yields its comparisons for a record.
    """

    name: str
    places: str
    compare: Callable[[Record], Iterator[Comparison]]

    @property
    def rule(self) -> str:
        """What should hold, in a sentence."""
        said = (self.compare.__doc__ or "").strip().splitlines()[0].removeprefix("Check that ")
        return said[0].upper() + said[1:]


_LISTED: tuple[tuple[str, Callable[[Record], Iterator[Comparison]]], ...] = (
    ("all tables, text", tables.intervals),
    ("all tables, text, figures, card", tables.same_quantity),
    ("Tables 13, 14, 16, 25, 26", tables.shares_are_counts),
    ("Tables 2, 13, 14, 16, 19, 24, Appendix D.2", tables.means_of_regimes),
    ("Tables 13, 14", tables.index_is_a_difference),
    ("Tables 4, 5, 12, 15, 20–22, 25–27, text", tables.paired_differences),
    ("Tables 5, 6, 19, 20, Appendix C.1", tables.utilities),
    ("Tables 4, 16", tables.calls_under_budgets),
    ("Tables 16, 24", tables.answered_shares),
    ("Tables 13, 17", tables.regrets),
    ("Tables 15, 27, 28", tables.pooled_runs),
    ("Appendix D.2", tables.answering_or_continuing),
    ("Appendix A, Table 13", tables.net_correct),
    ("§§3–6, Figures 3 and 6, Tables 4–25", text.ranges),
    ("Appendix C.1, Table 6", text.cost_adjusted_ranges),
    ("§5, §7, Tables 16, 18", text.growth_of_calls),
    ("§4, Figure 4, Table 16", text.medians_at_the_deadline),
    ("Appendix C.1, Table 6", text.upper_bounds),
    ("§7, Appendix D.4", text.shares_add_up),
    ("§2, Table 7", text.simulated_clock),
    ("Tables 4, 5 and the tables they rest on", counts.verdicts),
    ("§5, §6, Tables 4, 5", counts.totals_of_tests),
    ("Tables 3, 4, 5", counts.claim_map),
    ("abstract, §1, Table 2", counts.agents),
    ("Appendix C.5, Table 12", counts.changed_significance),
    ("§1, Appendix B.4", counts.endings),
    ("Tables 2, 5, 6, 9, 13, 19, 22, text, figures", release.released_cells),
    ("dataset card", release.number_of_cells),
    ("dataset card, §2", release.settings_of_the_card),
    ("dataset card, Appendix A", release.unparsed_judgments),
    ("Appendix C.1, D.3–D.5", statements.cited_tables),
    ("Tables 2, 9, 13", statements.arms_of_table_2),
    ("Figure 5, Table 9", statements.prompt_cues_stay_flat),
    ("§6, Table 26", statements.rule_raises_success),
    ("Tables 3, 4", statements.registered_fever_tests),
    ("Appendix A", statements.contexts),
    ("§2, Appendix A", statements.thresholds_on_development_questions),
    ("Table 9, Appendix B.4", statements.saved_judgments),
    ("Appendix D.2, Table 24", statements.one_mean4),
    ("§4, Tables 5, 6", statements.stated_rule_of_qwen3_32b),
    ("§5, Table 20", statements.reader_and_qwen25),
    ("Table 23, Appendix D.3, D.4", statements.explicit_judgments),
    ("all tables, text", statements.signs_of_zero),
    ("§1, §3, §6, Tables 6, 22", statements.unaided_contrasts),
)
#: Every check by name.
CHECKS: dict[str, Check] = {
    name: Check(name, places, compare)
    for places, compare in _LISTED
    for name in [compare.__name__.replace("_", "-")]
}


def run(name: str, record: Record | None = None) -> list[Comparison]:
    """Return the comparisons of one check.

    Parameters
    ----------
    name : str
        A key of :data:`CHECKS`.
    record : Record, optional
        The numbers; the project's own by default.

    Returns
    -------
    list of Comparison
        At least one.

    Raises
    ------
    KeyError
        If there is no such check; the message lists those there are.
    LookupError
        If a number that the check compares is not there.
    """
    if name not in CHECKS:
        raise KeyError(f"there is no check {name!r}; there are {', '.join(CHECKS)}")
    found = list(CHECKS[name].compare(record or load()))
    if not found:
        raise LookupError(f"the check {name} compares nothing")
    return found


@lru_cache(maxsize=2)
def _table(folder: Path | None) -> pd.DataFrame:
    rows = [
        {"check": name, "tables": check.places} | asdict(comparison)
        for name, check in CHECKS.items()
        for comparison in run(name, load(folder))
    ]
    return pd.DataFrame(rows, columns=["check", "tables", *(field.name for field in fields(Comparison))])


def table(folder: Path | None = None) -> pd.DataFrame:
    """Return every comparison of every check.

    Parameters
    ----------
    folder : pathlib.Path, optional
        Where the published numbers lie; the project's own by default.

    Returns
    -------
    pandas.DataFrame
        Columns ``check, tables``, then the fields of :class:`Comparison`: ``what``, ``left_place``, ``left``,
        ``right_place``, ``right``, ``gap``, ``allowed``, ``holds`` and ``note``.
    """
    return _table(folder).copy()


def summary(folder: Path | None = None) -> pd.DataFrame:
    """Return how many comparisons of each check hold.

    Parameters
    ----------
    folder : pathlib.Path, optional
        Where the published numbers lie; the project's own by default.

    Returns
    -------
    pandas.DataFrame
        One row a check: ``check, rule, tables, comparisons, hold``.
    """
    grouped = table(folder).groupby("check", sort=False)["holds"]
    counted = pd.DataFrame({"comparisons": grouped.size(), "hold": grouped.sum()})
    rows = [
        {"check": name, "rule": check.rule, "tables": check.places} | counted.loc[name].astype(int).to_dict()
        for name, check in CHECKS.items()
    ]
    return pd.DataFrame(rows)
