"""The audit as one page that needs nothing but a browser."""

from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless._io.files import write_atomically
from judged_useless._io.messages import visible
from judged_useless.adapters.auditing import Audit

#: Where the figure's axes lie in the drawing: left, right, top, bottom.
_AXES = (50, 620, 20, 250)


def shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a dash where a number is missing."""
    return frame.astype(object).where(frame.notna(), "–")


def _table(frame: pd.DataFrame) -> Any:  # noqa: ANN401 - markup
    from markupsafe import Markup

    return Markup(shown(frame).to_html(index=False, border=0))  # noqa: S704 - numbers under our own names


def report_html(audit: Audit) -> str:
    """Return the report of an audit as HTML; what is from the log is shown, and never markup.

    Parameters
    ----------
    audit : Audit
        From :func:`~judged_useless.adapters.audit_log`.

    Returns
    -------
    str
        One page with its styles and its figure in it.
    """
    from jinja2 import Environment, StrictUndefined

    template = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")
    steps = audit.steps
    curves = {
        group: [
            (int(t), x / n)
            for t, n, x in steps[["t", f"decisions ({group})", f"answers ({group})"]].itertuples(index=False)
            if n
        ]
        for group in "ab"
    }
    left, right, top, bottom = _AXES
    last = int(steps["t"].max())
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(template).render(
        audit=audit,
        verdict=visible(audit.verdict), understood=[visible(each) for each in audit.understood],
        delta=visible(str(audit.delta)), design=visible(str(audit.design)), table=_table, curves=curves,
        ticks=range(1, last + 1, last // 20 + 1),
        x=lambda t: round(left + (right - left) * (t - 0.5) / last, 1),
        y=lambda rate: round(bottom - (bottom - top) * rate, 1),
    )  # fmt: skip


def write_report(audit: Audit, path: str | Path) -> Path:
    """Write the report of an audit, whole or not at all, and return its path."""
    text = report_html(audit)
    return write_atomically(Path(path), lambda file: file.write_text(text, encoding="utf-8"))
