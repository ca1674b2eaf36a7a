"""Tables of registered tests: outcomes, cases and claims in words."""

import re
from collections.abc import Sequence

import pandas as pd

from paper_book.measures.cell_index import describe
from paper_book.published.transcribed import published
from paper_book.registered.load import load_claims
from paper_book.registered.record import printed_rows
from paper_book.registered.results import NOT_EVALUABLE, Answer, RegisteredCase, RegisteredResult
from paper_book.registered.rules import Criterion, Place, RegisteredTest, RuleCheck

#: The paper's word for an outcome that differs between cases, and ours.
_SAME_OUTCOME = {"mixed": "partial"}
_LATEX = {
    r"\Delta": "Δ", r"\geq": "≥", r"\leq": "≤", r"\kappa": "κ", r"\lambda": "λ", r"\to ": "→", "{=}": "=",
    r"^{\ddagger}": "‡",
}  # fmt: skip
#: What the record adds to the print: footnotes, and remarks on the layout.
_ADDED = re.compile(r" \[(e:|‡|the Doc|no test ID).*")
_MINUS = re.compile(r"(?<![\w.])-(?=[\d.])|(?<=[IΔ])-(?=[\d.])")
_SIGNS = {"above": ">", "at_least": "≥", "below": "<", "at_most": "≤", "equals": "="}
_BOUNDS = {"value": "", "low": "lower bound of ", "high": "upper bound of ", "p": "p of ", "n": "n of "}
_WORDS = {
    "delta": "Δ",
    "delta_stated": "Δ on stated judgments",
    "integration_index": "I",
    "kappa_binary_s2_local": "binary κ",
    "answered_after_5": "answered after 5 useless",
    "answered_after_5_stated": "answered after 5 stated useless",
    "paired_difference": "difference in success",
    "tool_call_difference": "difference in tool calls",
    "utility_difference": "difference in utility",
    "cost_adjusted_difference": "difference in cost-adjusted success",
    "useless_rate": "useless rate after failed results",
    "useless_rate_real": "useless rate after real results",
}


def printed_outcome(test: RegisteredTest) -> str:
    """Return a test's outcome in the paper's print, with signs in place of its markup."""
    rows = printed_rows(test)
    text = _ADDED.sub("", str(rows.loc[rows["measure"] == "printed_outcome", "note"].iloc[0]))
    for mark, sign in _LATEX.items():
        text = text.replace(mark, sign)
    return _MINUS.sub("−", text)


def published_label(test: RegisteredTest, case: RegisteredCase) -> str | None:
    """Return the outcome that the paper prints for a case; None for none, as where it is only reported."""
    if not (case.check.scored or case.check.verdicts):
        return None
    for other in test.published.singled_out:
        wanted = {name: getattr(other, name) for name in ("arm", "regimes", "minus")}
        if other.model not in (None, case.model) or other.check not in (None, case.check.name):
            continue
        if all(value is None or value == getattr(case.each, name) for name, value in wanted.items()):
            return other.outcome
    named = {verdict.label for verdict in case.check.rulings()}
    return test.published.each if test.published.each in named else None


def agreement(result: RegisteredResult) -> tuple[int, int]:
    """Return in how many decided cases the outcome is the published one, and how many can be compared."""
    labels = [(case.label, published_label(result.test, case)) for case in result.cases if case.decided]
    known = [(mine, theirs) for mine, theirs in labels if theirs is not None]
    return sum(mine == theirs for mine, theirs in known), len(known)


def cases_that_agree(results: Sequence[RegisteredResult]) -> tuple[int, int]:
    """Return in how many decided cases of all tests the outcome is the published one, and of how many."""
    counts = [agreement(result) for result in results]
    return sum(agree for agree, _ in counts), sum(known for _, known in counts)


def _agreement_text(result: RegisteredResult) -> str:
    agree, known = agreement(result)
    if result.outcome != NOT_EVALUABLE and result.test.published.each is None:
        theirs = _SAME_OUTCOME.get(result.test.published.outcome, result.test.published.outcome)
        return "agrees" if result.outcome == theirs else "differs"
    if not known:
        return ""
    if agree == known:
        whole = result.outcome != NOT_EVALUABLE
        return "agrees" if whole else f"agrees, as far as decided ({agree} of {known})"
    return f"differs in {known - agree} of {known}"


def outcome_rows(results: Sequence[RegisteredResult]) -> pd.DataFrame:
    """Return the whole table of tests: prediction, published and recomputed outcome, agreement."""
    return pd.DataFrame(
        {
            "test": result.test.key,
            "prediction": result.test.prediction,
            "models": ", ".join(result.test.models),
            "decided by": criteria_text(result.test),
            "published": result.test.published.outcome,
            "as printed": printed_outcome(result.test),
            "recomputed": result.outcome,
            "decided": f"{sum(case.decided for case in result.cases)} of {len(result.cases)}",
            "agreement": _agreement_text(result),
            "needs": result.verdict.partition(": ")[2].removeprefix("needs "),
        }
        for result in results
    )


def criteria_text(test: RegisteredTest) -> str:
    """Return the decision rule of a test in one line; "reported" where it has no criterion."""
    texts = [text for check in test.rule if (text := _rule_text(check))]
    suffix = ", Holm across models" if test.multiplicity == "holm" else ""
    suffix += f" ({test.ours})" if test.ours else ""
    return "; ".join(dict.fromkeys(texts)) + suffix if texts else "reported"


def _rule_text(check: RuleCheck) -> str:
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


def _criterion_text(check: RuleCheck, criterion: Criterion) -> str:
    measure = check.quantities[criterion.quantity].measure
    words = _WORDS.get(measure, measure.replace("_", " "))
    name, threshold = criterion.comparison
    return f"{_BOUNDS[criterion.bound]}{words} {_SIGNS[name]} {threshold:g}".replace("-", "−")


def _figure_text(name: str, answer: Answer, on_p: bool) -> str:
    figure = answer.figure
    if figure is None:
        return f"{name}: –"
    digits = 2 if answer.asked.measure in ("median_answer_action", "tool_call_difference") else 3
    text = f"{name} {figure.value:.{digits}f}"
    if figure.k is not None:
        text += f" ({figure.k}/{figure.n})"
    elif figure.low is not None and figure.high is not None:
        text += f" [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"
    if on_p and figure.p is not None:
        text += f", p {figure.p:.4g}"
    return text.replace("-", "−")


def _numbers_text(case: RegisteredCase) -> str:
    on_p = {criterion.quantity for criterion in case.check.criteria() if criterion.bound == "p"}
    return "; ".join(_figure_text(name, answer, name in on_p) for name, answer in case.answers.items())


def _where(case: RegisteredCase) -> str:
    given = case.each.given().values()
    texts = [f"minus {each.arm}" if isinstance(each, Place) else str(each) for each in given]
    return ", ".join([*([case.model] if case.model else []), *texts])


def case_rows(results: Sequence[RegisteredResult]) -> pd.DataFrame:
    """Return the decided cases of tests with their numbers, and the outcome that the paper prints."""
    rows = [
        (
            result.test.key,
            case.check.name,
            _where(case),
            _numbers_text(case),
            case.label,
            published_label(result.test, case) or "",
            describe(case.needs),
        )
        for result in results
        for case in result.cases
        if case.decided
    ]
    columns = ["test", "check", "case", "numbers", "recomputed", "published", "needs"]
    return pd.DataFrame(rows, columns=columns)


def _section(name: str) -> tuple[str, str]:
    """Return a page, or a heading on it, in words and as an address."""
    page, mark, heading = name.partition("#")
    words = f": {heading.replace('-', ' ')}" if mark else ""
    return f"{page.replace('_', ' ')}{words}", f"{page}.html{mark}{heading}"


def claim_rows(results: Sequence[RegisteredResult]) -> pd.DataFrame:
    """Return the claims of Table 3 with their tests, sections and analyses."""
    by_key = {result.test.key: result.test for result in results}
    rows = []
    for claim in load_claims():
        table = published(3, row=claim.claim).set_index("column")["note"]
        tests = [by_key[key] for key in claim.tests if key in by_key]
        rows.append(
            {
                "claim": claim.claim,
                "sections": [_section(name) for name in claim.sections],
                "tests": [(f"{test.key}: {test.published.outcome}", f"#{test.anchor}") for test in tests],
                "exploratory": table["Exploratory"],
                "appendix": table["Appendix"],
            }
        )
    return pd.DataFrame(rows)
