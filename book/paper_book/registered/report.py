"""Tables of registered tests: outcomes, cases, and numbers beside the published ones."""

import re
from collections.abc import Sequence

import pandas as pd

from paper_book.published.transcribed import published
from paper_book.registered.models import RegisteredTest
from paper_book.registered.registered_cells import describe
from paper_book.registered.results import NOT_EVALUABLE, Answer, Case, Result
from paper_book.registered.rules import Check, Criterion
from paper_book.registered.test_measures import MEASURES

#: The paper's word for an outcome that differs between cases, and ours.
_SAME_OUTCOME = {"mixed": "partial"}
_LATEX = {
    r"\Delta": "Δ",
    r"\geq": "≥",
    r"\leq": "≤",
    r"\kappa": "κ",
    r"\lambda": "λ",
    r"\to ": "→",
    "{=}": "=",
    r"^{\ddagger}": "‡",
}
#: What the record adds to the print: footnotes, and remarks on the layout.
_ADDED = re.compile(r" \[(e:|‡|the Doc|no test ID).*")
_MINUS = re.compile(r"(?<![\w.])-(?=[\d.])|(?<=[IΔ])-(?=[\d.])")
_SIGNS = {"above": ">", "at_least": "≥", "below": "<", "at_most": "≤", "equals": "="}
_BOUNDS = {"value": "", "low": "lower bound of ", "high": "upper bound of ", "p": "p of ", "n": "n of "}
_WORDS = {
    "delta": "Δ",
    "integration_index": "I",
    "kappa_binary": "binary κ",
    "answered_after_5": "answered after 5 useless",
}


def printed_rows(test: RegisteredTest) -> pd.DataFrame:
    """Return the published rows of a test: its figures, thresholds and outcome as printed.

    Parameters
    ----------
    test : RegisteredTest
        The test.

    Returns
    -------
    pandas.DataFrame
        As from :func:`paper_book.published.published`.
    """
    return published(test.table, panel=test.document, row=test.id)


def printed_outcome(test: RegisteredTest) -> str:
    """Return a test's outcome in the paper's print, with signs in place of its markup.

    Parameters
    ----------
    test : RegisteredTest
        The test.

    Returns
    -------
    str
    """
    rows = printed_rows(test)
    text = _ADDED.sub("", str(rows.loc[rows["measure"] == "printed_outcome", "note"].iloc[0]))
    for mark, sign in _LATEX.items():
        text = text.replace(mark, sign)
    return _MINUS.sub("−", text)


def published_label(test: RegisteredTest, case: Case) -> str | None:
    """Return the outcome that the paper prints for a case.

    Parameters
    ----------
    test : RegisteredTest
        The test.
    case : Case
        One of its cases.

    Returns
    -------
    str or None
        None where the paper prints none, as for a quantity that is only reported.
    """
    if not (case.check.scored or case.check.verdicts):
        return None
    for other in test.published.singled_out:
        wanted = {name: getattr(other, name) for name in ("arm", "regimes", "minus")}
        here = {name: getattr(case.each, name) for name in wanted}
        if other.model not in (None, case.model) or other.check not in (None, case.check.name):
            continue
        if all(value is None or value == here[name] for name, value in wanted.items()):
            return other.outcome
    named = {verdict.label for verdict in case.check.rulings()}
    return test.published.each if test.published.each in named else None


def agreement(result: Result) -> tuple[int, int]:
    """Return in how many decided cases the outcome is the published one, and how many can be compared.

    Parameters
    ----------
    result : Result
        A test on given episodes.

    Returns
    -------
    tuple of int
        Cases that agree; decided cases with a published outcome.
    """
    labels = [(case.label, published_label(result.test, case)) for case in result.cases if case.decided]
    known = [(mine, theirs) for mine, theirs in labels if theirs is not None]
    return sum(mine == theirs for mine, theirs in known), len(known)


def _agreement_text(result: Result) -> str:
    agree, known = agreement(result)
    if result.outcome != NOT_EVALUABLE and result.test.published.each is None:
        theirs = _SAME_OUTCOME.get(result.test.published.outcome, result.test.published.outcome)
        return "agrees" if result.outcome == theirs else "differs"
    if not known:
        return ""
    if agree == known:
        return (
            "agrees" if result.outcome != NOT_EVALUABLE else f"agrees, as far as decided ({agree} of {known})"
        )
    return f"differs in {known - agree} of {known}"


def outcome_rows(results: Sequence[Result]) -> pd.DataFrame:
    """Return the whole table of tests: prediction, published and recomputed outcome, agreement.

    Parameters
    ----------
    results : sequence of Result
        Tests on given episodes.

    Returns
    -------
    pandas.DataFrame
        One row a test: ``test`` (document and id), ``prediction``, ``decided by`` (its criteria),
        ``published`` (outcome), ``as printed``, ``recomputed`` (outcome), ``decided`` (cases decided, of all)
        ``agreement`` and ``needs`` (what is missing for the outcome; empty for nothing).
    """
    rows = []
    for result in results:
        test = result.test
        rows.append(
            {
                "test": test.key,
                "prediction": test.prediction,
                "models": ", ".join(test.models),
                "decided by": criteria_text(test),
                "published": test.published.outcome,
                "as printed": printed_outcome(test),
                "recomputed": result.outcome,
                "decided": f"{sum(case.decided for case in result.cases)} of {len(result.cases)}",
                "agreement": _agreement_text(result),
                "needs": result.verdict.partition(": ")[2].removeprefix("needs "),
            }
        )
    return pd.DataFrame(rows)


def criteria_text(test: RegisteredTest) -> str:
    """Return the decision rule of a test in one line; "reported" where it has no criterion.

    Parameters
    ----------
    test : RegisteredTest
        The test.

    Returns
    -------
    str
    """
    texts = [text for check in test.rule if (text := _rule_text(check))]
    suffix = ", Holm across models" if test.multiplicity == "holm" else ""
    return "; ".join(dict.fromkeys(texts)) + suffix if texts else "reported"


def _rule_text(check: Check) -> str:
    """Return the criteria of a check in words; empty without any."""
    texts = []
    for verdict in check.rulings():
        criteria = [_criterion_text(check, each) for each in verdict.all]
        if verdict.any:
            criteria.append(" or ".join(_criterion_text(check, each) for each in verdict.any))
        if criteria:
            texts.append(("" if check.pass_if else f"{verdict.label}: ") + " and ".join(criteria))
    if check.applies_if and texts:
        applies = " and ".join(_criterion_text(check, each) for each in check.applies_if)
        texts.append(f"{check.otherwise} unless {applies}")
    return "; ".join(texts)


def _criterion_text(check: Check, criterion: Criterion) -> str:
    quantity = check.quantities[criterion.quantity]
    words = _WORDS.get(quantity.measure, quantity.measure.replace("_", " "))
    if quantity.minus is not None or any(each.minus is not None for each in check.each):
        words = f"difference in {words}" if MEASURES[quantity.measure].difference else words
    if quantity.failed is not None:
        words += " after failed results" if quantity.failed else " after real results"
    name, threshold = criterion.comparison
    return f"{_BOUNDS[criterion.bound]}{words} {_SIGNS[name]} {threshold:g}".replace("-", "−")


def _figure_text(name: str, answer: Answer, on_p: bool) -> str:
    figure = answer.figure
    if figure is None:
        return f"{name}: –"
    digits = 2 if answer.asked.measure in ("median_answer_action", "tool_calls") else 3
    text = f"{name} {figure.value:.{digits}f}"
    if figure.k is not None:
        text += f" ({figure.k}/{figure.n})"
    elif figure.low is not None and figure.high is not None:
        text += f" [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"
    if on_p and figure.p is not None:
        text += f", p {figure.p:.4g}"
    return text.replace("-", "−")


def _numbers_text(case: Case) -> str:
    on_p = {criterion.quantity for criterion in case.check.criteria() if criterion.bound == "p"}
    return "; ".join(_figure_text(name, answer, name in on_p) for name, answer in case.answers.items())


def _where(case: Case) -> str:
    given = case.each.given()
    texts = [f"minus {value.arm}" if name == "minus" else str(value) for name, value in given.items()]  # type: ignore[attr-defined]
    return ", ".join(texts)


def case_rows(results: Sequence[Result], *, decided: bool = True) -> pd.DataFrame:
    """Return the cases of tests with their numbers.

    Parameters
    ----------
    results : sequence of Result
        Tests on given episodes.
    decided : bool, default True
        Only the cases that are decided.

    Returns
    -------
    pandas.DataFrame
        One row a case: ``test``, ``check``, ``case`` (model and what tells it apart), ``numbers``,
        ``recomputed`` and ``published`` (labels; empty where the paper prints none) and ``needs``.
    """
    rows = []
    for result in results:
        for case in result.cases:
            if decided and not case.decided:
                continue
            rows.append(
                {
                    "test": result.test.key,
                    "check": case.check.name,
                    "case": ", ".join(filter(None, (case.model, _where(case)))),
                    "numbers": _numbers_text(case),
                    "recomputed": case.label,
                    "published": published_label(result.test, case) or "",
                    "needs": describe(case.needs),
                }
            )
    columns = ["test", "check", "case", "numbers", "recomputed", "published", "needs"]
    return pd.DataFrame(rows, columns=columns)


def cases_that_agree(results: Sequence[Result]) -> tuple[int, int]:
    """Return in how many decided cases of all tests the outcome is the published one, and of how many.

    Parameters
    ----------
    results : sequence of Result
        Tests on given episodes.

    Returns
    -------
    tuple of int
        Cases that agree; decided cases with a published outcome.
    """
    counts = [agreement(result) for result in results]
    return sum(agree for agree, _ in counts), sum(known for _, known in counts)
