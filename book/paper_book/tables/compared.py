"""Published numbers of a page beside those recomputed from its episodes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

import pandas as pd
from judged_useless._io.messages import listed
from judged_useless.estimators.estimate import Estimate

from paper_book.measures.filling import to_fill
from paper_book.measures.own_models import of_the_paper
from paper_book.published.comparing import compare, one_each
from paper_book.published.on_splits import as_counts, filled, where_printed, without_numbers
from paper_book.published.transcribed import published
from paper_book.reading import is_simulated, our_numbers
from paper_book.tables.data_table import comparison_table

if TYPE_CHECKING:
    from paper_book.page import Page

#: What tells the rows of a comparison apart, in the order of the table's columns.
_LABELS = ("task", "split", "model", "budget", "condition", "regime", "measure")


@dataclass(frozen=True)
class Comparison:
    """Published numbers beside recomputed ones: a table that figures and claims read as well."""

    rows: pd.DataFrame
    caption: str
    page: "Page"

    @property
    def source(self) -> str:
        """Name of what the recomputed numbers rest on."""
        return self.page.name_of(self.rows)

    @property
    def printed(self) -> str:
        """Where the published numbers stand."""
        return where_printed(self.rows)

    @property
    def origin(self) -> str:
        """What is shown, for a caption: published numbers, and recomputed ones only if there are any."""
        mine = self.rows["recomputed"].notna().any()
        return f"published ({self.printed}) " + (
            f"and {our_numbers(self.source)}" if mine else "only; none is recomputed here"
        )

    @property
    def recomputed(self) -> "Comparison":
        """The rows with a recomputed number."""
        return replace(self, rows=self.rows[self.rows["recomputed"].notna()])

    @property
    def once(self) -> "Comparison":
        """Each quantity that has a number, once, from where most of it is printed."""
        return replace(self, rows=one_each(filled(self.rows)))

    def only(self, **names: str | float | Sequence[str]) -> "Comparison":
        """Return the rows with these values, such as ``condition=["unaided", "budget"]``."""
        rows = self.rows
        for name, given in names.items():
            rows = rows[rows[name].isin([given] if isinstance(given, str | float | int) else list(given))]
        return replace(self, rows=rows)

    @property
    def decisive(self) -> pd.DataFrame:
        """What can decide a claim of the paper: its own cells, as language models fill them."""
        return of_the_paper(self.rows)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        # One quantity may stand in several tables.
        rows = self.rows.drop_duplicates([*_LABELS, "value_printed", "low_printed", "recomputed"])
        if rows.empty:
            return self.page.absent(
                f"Neither this source nor the paper has such numbers: {self.caption}"
            )._repr_mimebundle_()
        names = [name for name in _LABELS if len(set(rows[name].astype(str))) > 1]
        if not isinstance(self.page.model, str) and "model" not in names:
            names = ["model", *names]
        labels = {name: [str(each) for each in rows[name]] for name in names or ("model", "condition")}
        caption = f"{self.caption}. Published: {self.printed}."
        table = comparison_table(rows, labels, caption=caption, source=self.source, **to_fill(rows))
        return table._repr_mimebundle_()


def matched(
    page: "Page",
    given: Any,  # noqa: ANN401 - an estimate, a table of them, or a mapping of either
    *,
    measure: str,
    by: str,
    where: Mapping[str, Any],
) -> pd.DataFrame:
    """Return a row for each estimate beside what the paper prints of it, blank where it prints nothing."""
    fixed = {name: str(getattr(page, name)) for name in ("model", "condition", "split") if name != by}
    estimates = [(fixed | {"measure": measure} | labels, each) for labels, each in _flat(given, by)]
    every = published()
    every = every[every["measure"].isin({measure, *(labels["measure"] for labels, _ in estimates)})]
    every = every[every["budget"].fillna(8).eq(8)]
    for name, value in where.items():
        chosen = every[every[name] == (str(value) if name == "table" else value)]
        # On other questions than the table's, a number stands elsewhere.
        every = every if name == "table" and page.split not in set(chosen["split"]) else chosen
    there = one_each(every[every["split"] == page.split])
    if by == "model":
        others = there[(there["condition"] == page.condition) & ~there["model"].isin(["", *given])]
        absent = Estimate.undefined(page.missing or "the source has no episode of it")
        estimates += [(fixed | {"measure": measure, "model": each}, absent) for each in others["model"]]
        order = list(dict.fromkeys([*published(2)["model"], *(labels["model"] for labels, _ in estimates)]))
        estimates.sort(key=lambda each: order.index(each[0]["model"]))
    nothing = not estimates
    if nothing:  # of no quantity: the columns are still those of any other
        estimates = [(fixed | {"measure": measure}, Estimate.undefined("the source has no episode of it"))]
    printed = pd.concat([_printed_row(there, every, labels) for labels, _ in estimates])
    results = [each for _, each in estimates]
    counts = [each.parts.get("count", each.parts.get("answers", nan)) for each in results]
    if any(count == count for count in counts):
        printed = as_counts(printed)
    numbers = [{"value": each.value, "low": each.low, "high": each.high} for each in results]
    places = range(len(results))
    computed = pd.DataFrame(numbers, dtype=float).assign(place=places)
    rows = compare(printed.assign(place=places), computed, on=["place"])
    whole = rows["value"].isna() & rows["decimals"].eq(0)  # counted, here or elsewhere in the paper
    made = rows.drop(columns="place").assign(
        value=rows["value"].fillna((rows["k"] / rows["n"]).astype("Float64").astype(float)),
        decimals=rows["decimals"].where(~whole, 3),
        recomputed_k=counts,
        recomputed_n=[each.n for each in results],
        reason=[each.reason for each in results],
        recomputed_words="",
        own=~rows["model"].isin(every["model"]),
        simulated=is_simulated(page.episodes),
    )
    return made[:0] if nothing else made


def _flat(given: Any, by: str) -> Iterator[tuple[dict[str, str], Estimate]]:  # noqa: ANN401 - as for `matched`
    """Yield each estimate with its labels."""
    if isinstance(given, Estimate):
        yield {}, given
    elif isinstance(given, pd.DataFrame):
        for key, row in zip(given.index, given.to_dict("records"), strict=True):
            known = row["value"] == row["value"]
            each = Estimate.from_row(row) if known else Estimate.undefined(str(row["reason"]))
            yield {str(given.index.name): str(key)}, each
    else:
        for key, part in given.items():
            yield from (({by: str(key)} | labels, each) for labels, each in _flat(part, by))


def _printed_row(there: pd.DataFrame, every: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the published row of a quantity; one without numbers, where the paper prints none."""
    found = there
    for name, value in labels.items():
        found = found[found[name] == value]
    if len(found):
        return found.head(1)
    same = every[every["measure"] == labels["measure"]]
    regime = same[same["regime"] == labels.get("regime")]
    return without_numbers((regime if len(regime) else same).head(1)).assign(**labels, note="")


def counted_in(compared: pd.DataFrame) -> str:
    """Return how many of a page's published numbers are recomputed, and what stands beside them."""
    rows = compared
    there, printed = rows["recomputed"].notna() & (rows["table"] != "7"), rows["value"].notna()
    mine = int((printed & there).sum())
    text = (
        f"{mine:,} of the {int(printed.sum()):,} published numbers in the tables and figures of this page "
        f"{'is' if mine == 1 else 'are'} recomputed from them"
    )
    own = rows[rows["own"].astype(bool) & there]
    if own.empty:
        return f"{text}."
    count = "1 more number is" if len(own) == 1 else f"{len(own):,} more numbers are"
    return f"{text}; {count} of {listed(dict.fromkeys(own['model']))}, not in the paper."
