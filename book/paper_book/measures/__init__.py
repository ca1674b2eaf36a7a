"""Measures of published numbers: what one cell's or two cells' episodes give, under the paper's names."""

from paper_book.measures import answering_now, ending, firing, repairing, stating
from paper_book.measures import outcomes as recorded
from paper_book.measures.definitions import REGIME_SETS as REGIME_SETS
from paper_book.measures.definitions import Contrast as Contrast
from paper_book.measures.definitions import Measure as Measure
from paper_book.measures.definitions import Options as Options
from paper_book.measures.definitions import Pooled as Pooled
from paper_book.measures.definitions import Wording as Wording
from paper_book.measures.definitions import regimes_of as regimes_of

#: Measures of one cell.
MEASURES: dict[str, Measure] = {
    **recorded.MEASURES,
    **ending.MEASURES,
    **firing.MEASURES,
    **answering_now.MEASURES,
    **repairing.MEASURES,
    **stating.MEASURES,
}

#: Measures of two cells: of the same questions the first minus the second, unless the name says otherwise.
CONTRASTS: dict[str, Contrast] = {
    **recorded.CONTRASTS,
    **ending.CONTRASTS,
    **firing.CONTRASTS,
    **answering_now.CONTRASTS,
    **repairing.CONTRASTS,
}

#: Measures of several runs of the same two cells.
POOLED: dict[str, Pooled] = dict(recorded.POOLED)

#: Measures of one cell whose result is a word.
WORDS: dict[str, Wording] = dict(answering_now.WORDS)
