"""Measures of published numbers: what one cell's or two cells' episodes give, under the paper's names."""

from judged_useless.measures import answering_now, ending, firing, recorded, repairing, stating
from judged_useless.measures.options import REGIME_SETS as REGIME_SETS
from judged_useless.measures.options import Contrast as Contrast
from judged_useless.measures.options import Measure as Measure
from judged_useless.measures.options import Options as Options
from judged_useless.measures.options import Pooled as Pooled
from judged_useless.measures.options import Wording as Wording
from judged_useless.measures.options import regimes_of as regimes_of

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
