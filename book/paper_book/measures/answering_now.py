"""What answering at once comes to: branches replayed from recorded decisions (Appendices C.4 and D.2)."""

import pandas as pd
from judged_useless import estimators, stopping
from judged_useless.environment.regimes import MEAN4
from judged_useless.episodes.schema import missing
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.stopping.stopping_policies import StoppingPolicy

from paper_book.measures.definitions import (
    Contrast,
    Measure,
    Options,
    Wording,
    chosen,
    plain,
    probed,
    regimes_of,
)

_PROBE = "answer-now"
_OWN_5 = StoppingPolicy(own=5)


def branches(cell: pd.DataFrame, column: str = "answer_now") -> pd.DataFrame:
    """Return the answer-now branches that lie beside episodes, as the offline policies take them.

    Parameters
    ----------
    cell : pandas.DataFrame
        Episodes of one cell.
    column : {"answer_now", "answer_now_repaired"}
        Whether a placeholder counts by what the agent gave in its place when told.

    Returns
    -------
    pandas.DataFrame
        ``question_id, regime, t, success``, one row a decision that was replayed.

    Raises
    ------
    UndefinedEstimateError
        If the run was not probed so.
    """
    probed(cell, column, _PROBE)
    rows = [
        (question_id, regime, t, success)
        for question_id, regime, found in zip(cell["question_id"], cell["regime"], cell[column], strict=True)
        for t, success in enumerate(found, 1)
        if not missing(success)
    ]
    return pd.DataFrame(rows, columns=["question_id", "regime", "t", "success"])


def _success(column: str) -> Measure:
    """Share of right answers over all decisions of a regime, as under Table 12."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        made = branches(chosen(cell, regime), column)
        if made.empty:
            raise UndefinedEstimateError("no decision was replayed")
        return plain("right when told to answer", made["success"].mean(), len(made), made, options)

    return measure


def _compared(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    """Answering at the fifth useless judgment in a row minus what the agent did."""
    return options.once(
        cell,
        ("continue_or_answer", regime),
        lambda: stopping.continue_or_answer(
            cell, branches(cell), regimes=regimes_of(regime, cell), **options.keywords()
        ),
    )


def _part(name: str) -> Measure:
    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        whole = _compared(cell, regime, options)
        return plain(name.replace("_", " "), whole.parts[name], whole.n, cell, options)

    return measure


def _answering(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    # Averages are over the decisions after five useless judgments, single regimes over all decisions.
    measure = _part("answering") if regime == "mean4" else _success("answer_now")
    return measure(cell, regime, options)


def _values(cell: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the offline policies of Table 17, best first."""
    return options.once(
        cell,
        ("policy_values", options.price),
        lambda: stopping.policy_values(cell, branches(cell), price=options.price, regimes=MEAN4),
    )


def _best_utility(cell: pd.DataFrame, _: str, options: Options) -> Estimate:
    best = _values(cell, options).iloc[0]
    n = int(cell["regime"].isin(MEAN4).sum())
    return plain(f"utility of {best.name}", best["utility"], n, cell, options)


def _best_policy(cell: pd.DataFrame, _: str, options: Options) -> str:
    return str(_values(cell, options).index[0])


def _own_5(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    names = regimes_of(regime, cell)
    values = stopping.policy_values(cell, branches(cell), policies=[_OWN_5], regimes=names)
    n = int(cell["regime"].isin(names).sum())
    return plain("success of own 5", values["success"].iloc[0], n, cell, options)


def _regret(arm: pd.DataFrame, unaided: pd.DataFrame, regime: str, options: Options) -> Estimate:
    """Return the utility of the best policy on the unaided runs minus that of the arm's own runs."""
    best = _best_utility(unaided, regime, options)
    there = unaided.loc[unaided["regime"].isin(MEAN4), "question_id"].unique()
    same = arm[arm["question_id"].isin(there)]
    if same["question_id"].nunique() < len(there):
        raise UndefinedEstimateError("the arm lacks questions of the unaided runs")
    own = estimators.utility(
        same, price=options.price, regimes=regimes_of("mean4", same), **options.keywords() | {"n_boot": 1}
    )
    return plain("regret", best.value - own.value, own.n, same, options)


#: Measures of one cell, whose run was probed for answers at every decision.
MEASURES: dict[str, Measure] = {
    "answer_now_success": _answering,
    "answer_now_success_repaired": _success("answer_now_repaired"),
    "continue_success": _part("continuing"),
    "n_answering_better": _part("answering_better"),
    "n_continuing_better": _part("continuing_better"),
    "answering_minus_continuing": _compared,
    "success_of_own_5": _own_5,
    "utility_of_best_policy": _best_utility,
}

#: Measures of one cell whose result is a word.
WORDS: dict[str, Wording] = {"best_policy": _best_policy}

#: Measures of an arm, the first, and the unaided runs that were probed.
CONTRASTS: dict[str, Contrast] = {"regret": _regret}
