"""Answers that copied the template, and what became of them when the agent was told (Appendix C.5)."""

import pandas as pd
from judged_useless import estimators
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError

from paper_book.measures.definitions import Contrast, Measure, Options, chosen, plain, probed, regimes_of
from paper_book.measures.ending import share_of
from paper_book.measures.outcomes import difference

_PROBE = "repair"


def repaired(cell: pd.DataFrame) -> pd.DataFrame:
    """Return a cell with the success of its repaired answers.

    Parameters
    ----------
    cell : pandas.DataFrame
        Episodes of one cell.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    UndefinedEstimateError
        If the run was not probed so.
    """
    probed(cell, "repaired_success", _PROBE)
    return cell.assign(success=cell["repaired_success"].infer_objects())


def _success(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    return estimators.mean_success(repaired(cell), regimes=regimes_of(regime, cell), **options.keywords())


def _difference(a: pd.DataFrame, b: pd.DataFrame, regime: str, options: Options) -> Estimate:
    return difference()(repaired(a), repaired(b), regime, options)


def _copies_template(answer: object) -> bool:
    # Here, because probes bring the models along, which take longer to import than all measures.
    from judged_useless.afterwards.replies import is_placeholder

    return isinstance(answer, str) and is_placeholder(answer)


def _placeholders(cell: pd.DataFrame) -> pd.DataFrame:
    """Return the episodes of a cell's own regimes that ended in a placeholder."""
    if "answer" not in cell:
        raise UndefinedEstimateError("the episodes do not hold their answers; those of a run directory do")
    return cell[cell["answer"].map(_copies_template).astype(bool)]


def _of_arm(cell: pd.DataFrame, regime: str) -> pd.DataFrame:
    """Return the regimes that the paper ran of each arm, where a row names none."""
    task = str(cell["task"].iloc[0]) if "task" in cell else "hotpotqa"
    return chosen(cell, regime or ("mean6" if task == "fever" else "mean6+plausible"))


def _n_placeholders(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = _of_arm(cell, regime)
    return plain("placeholder answers", len(_placeholders(part)), len(part), part, options)


def _n_repaired(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = _placeholders(_of_arm(probed(cell, "repaired_success", _PROBE), regime))
    real = part["repaired_answer"].map(
        lambda answer: isinstance(answer, str) and not _copies_template(answer)
    )
    return share_of("became real answers", real.to_numpy(dtype=bool), part, options)


def _n_repaired_correct(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = _placeholders(_of_arm(repaired(cell), regime))
    return plain("became right answers", part["success"].sum(), len(part), part, options)


#: Measures of one cell, whose answers were repaired.
MEASURES: dict[str, Measure] = {
    "success_repaired": _success,
    "n_placeholders": _n_placeholders,
    "n_repaired": _n_repaired,
    "n_repaired_correct": _n_repaired_correct,
}

#: Measures of two cells, whose answers were repaired.
CONTRASTS: dict[str, Contrast] = {"paired_difference_repaired": _difference}
