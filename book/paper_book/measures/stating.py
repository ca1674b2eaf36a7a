"""Judgments that agents state in their thoughts, and what they report of their chances (C.4, D.3, D.4)."""

import numpy as np
import pandas as pd
from judged_useless import estimators
from judged_useless.episodes.decisions import build_decision_points
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import with_judgments

from paper_book.measures.definitions import Measure, Options, chosen, plain, probed
from paper_book.measures.ending import Bools

#: Decisions of each model after a failed, and after a real, result (Appendix D.4).
PER_STRATUM = 80


def labelled(cell: pd.DataFrame) -> pd.DataFrame:
    """Return a cell whose stated judgments are an annotator's, as in Amendments 16 and 18.

    Parameters
    ----------
    cell : pandas.DataFrame
        Episodes of one cell.

    Returns
    -------
    pandas.DataFrame
        With the labels in the place of what the keyword reader found.

    Raises
    ------
    UndefinedEstimateError
        If the thoughts were not labelled.
    """
    return probed(cell, "stated_by_label", "stated").assign(stated=cell["stated_by_label"])


def _delta(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    return options.once(
        cell,
        ("delta_stated", regime),
        lambda: estimators.time_matched_contrast(
            labelled(chosen(cell, regime)), judgments="stated", **options.keywords()
        ),
    )


def _side(part: str) -> Measure:
    """Decisions on one side of the contrast."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        contrast = _delta(cell, regime, options)
        return plain("decisions", contrast.parts[part], contrast.n, cell, options)

    return measure


def _after_5(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = labelled(chosen(cell, regime))
    return estimators.answer_rate_after_run(part, k=5, regime=regime, judgments="stated", level=options.level)


def _sample(row: str) -> Measure:
    """One row of the comparison with the side channel, on 80 and 80 decisions of the failure regimes."""

    def measure(cell: pd.DataFrame, _: str, options: Options) -> Estimate:
        if "failed" not in cell or cell["failed"].isna().any():
            raise UndefinedEstimateError("the episodes do not say which results failed")
        table = options.once(
            cell,
            "stated_agreement",
            lambda: estimators.stated_agreement(
                labelled(chosen(cell, "fail")), per_stratum=PER_STRATUM, **options.keywords()
            ),
        )
        found = Estimate.from_row(table.T[row].to_dict())
        count = {"count": float(round(found.value * found.n))} if row == "explicit" else {}
        return Estimate(**dict(found) | {"parts": count})  # type: ignore[arg-type]

    return measure


def _explicit(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    if not regime:
        return _sample("explicit")(cell, regime, options)
    return _share_judged(labelled(chosen(cell, regime)), options, within_window=True)


def _none(cell: pd.DataFrame, _: str, options: Options) -> Estimate:
    """Return the share of decisions at which the keyword reader finds no judgment (Appendix D.3)."""
    part = chosen(cell, "mean6")
    if "stated" not in part or part["stated"].isna().any():
        raise UndefinedEstimateError("no judgments stated in the reasoning were read for these episodes")
    found = _share_judged(part, options, within_window=False)
    return plain("no judgment stated", 1 - found.value, found.n, part, options)


def _share_judged(part: pd.DataFrame, options: Options, *, within_window: bool) -> Estimate:
    points = build_decision_points(with_judgments(part, "stated"))
    inside: Bools = np.ones(len(points.t), dtype=bool)
    if within_window:
        # What was labelled: decisions up to 6, up to 7 in persistent.
        persistent = part["regime"].eq("persistent").to_numpy()[points.episode]
        inside = points.t <= np.where(persistent, 7, 6)
    if not inside.any():
        raise UndefinedEstimateError("there is no decision")
    return plain("judgment stated", points.judged[inside].mean(), int(inside.sum()), part, options)


def _favoured(cell: pd.DataFrame, _: str, options: Options) -> Estimate:
    part = chosen(probed(cell, "prefer", "beliefs"), "persistent+plausible")
    return estimators.answers_when_favoured(part, **options.keywords())


#: Measures of one cell, whose thoughts were labelled or which was asked for its beliefs.
MEASURES: dict[str, Measure] = {
    "delta_stated": _delta,
    "n_all_useless": _side("n_a"),
    "n_reference": _side("n_b"),
    "answered_after_5_stated": _after_5,
    "share_explicit": _explicit,
    "agreement": _sample("agreement"),
    "kappa": _sample("kappa"),
    "share_no_judgment": _none,
    "answered_where_report_favors": _favoured,
}
