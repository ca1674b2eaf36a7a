"""What a notebook opens: a source's episodes with the options of a page, and what the page shows of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import pandas as pd
from judged_useless._io.messages import listed
from judged_useless.environment.regimes import FAIL
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.sources.readers import Names, Source

from paper_book.claims import Claim, claims_table
from paper_book.measures.own_models import MOST_MODELS
from paper_book.measures.recompute import recompute
from paper_book.published.comparing import one_each
from paper_book.published.on_splits import filled, on_split
from paper_book.published.transcribed import published
from paper_book.reading import (
    LEFT_OUT,
    is_release,
    is_simulated,
    model_shown,
    read_episodes,
    refuse_texts,
    refuse_unknown,
    source_name,
)
from paper_book.tables.compared import Comparison, counted_in, matched
from paper_book.tables.data_table import Notice, Table, framed, with_intervals
from paper_book.tables.number_texts import glued, in_words_of, number_of, printed_text
from paper_book.tables.paper_table import REGISTERED, PaperTable, headings, paper_table
from paper_book.undefined import undefined


@dataclass
class Page:
    """A page's episodes, and everything that it shows of them.

    `source`, `model`, `condition`, `split` and `regimes` are what was asked for, `options` those of its
    intervals; of `episodes` and `missing` (what the source lacks) one is empty; `name` is that of the source,
    for captions.
    """

    source: Source
    model: Names
    condition: Names
    split: Names
    regimes: Names
    options: Mapping[str, Any]
    episodes: pd.DataFrame
    missing: str = ""
    name: str = ""
    said: str = ""
    title: str = ""
    compared: pd.DataFrame | None = field(default=None, repr=False)

    @property
    def level(self) -> float:
        """Coverage of the intervals."""
        return float(self.options["level"])

    @property
    def about(self) -> str:
        """Model, condition and split, for captions."""
        given = (self.model, self.condition, self.split)
        return ", ".join(each if isinstance(each, str) else listed(each) for each in given if each)

    def name_of(self, rows: pd.DataFrame) -> str:
        """Return the name of what compared numbers rest on."""
        return source_name(self.source, rows)

    def but(self, **changes: Any) -> "Page":
        """Return the same page with other arguments, such as ``condition="enforced_rule"``."""
        asked = {name: getattr(self, name) for name in ("source", "model", "condition", "split", "regimes")}
        return open_page(**(asked | dict(self.options) | {"name": self.title} | changes))

    def estimate(self, estimator: Callable[..., Any], *others: "Page", by: str = "", **more: Any) -> Any:
        """Call an estimator on the page's episodes, with the page's options.

        Parameters
        ----------
        estimator : callable
            Of one table of episodes, or of several.
        *others : Page
            Whose episodes come second, and so on.
        by : str, optional
            Column; then a mapping is returned, with a result for each of its values that the page asked for,
            or else for each that is there.
        **more
            Further arguments of the estimator.

        Returns
        -------
        Estimate or pandas.DataFrame
            As the estimator; where these episodes do not give it, what shows why in its place.
        """
        if by:
            return {each: self._part(by, each).estimate(estimator, **more) for each in self._values(by)}
        taken = signature(estimator).parameters
        options = {name: value for name, value in self.options.items() if name in taken} | more
        try:
            for each in (self, *others):
                if each.episodes.empty:
                    raise UndefinedEstimateError(each.missing or "there are no episodes")
            first = {} if others or "episodes" not in taken else {"episodes": self.episodes}
            tables = [] if first else [each.episodes for each in (self, *others)]
            result = estimator(*tables, **first, **options)
        except UndefinedEstimateError as error:
            return undefined(estimator, str(error), self._regimes, options, 1 + len(others))
        if self.regimes is not None and isinstance(result, pd.DataFrame) and result.index.name == "regime":
            return result.reindex([*self._regimes, *result.index.difference(self._regimes)]).fillna({"n": 0})
        return result

    @property
    def _regimes(self) -> list[str]:
        asked = FAIL if self.regimes is None else self.regimes
        return [asked] if isinstance(asked, str) else list(asked)

    def _values(self, by: str) -> list[str]:
        asked = getattr(self, by, None)
        if asked is None:
            return list(dict.fromkeys(self.episodes[by]))
        return [asked] if isinstance(asked, str) else list(asked)

    def _part(self, by: str, value: str) -> "Page":
        part = self.episodes[self.episodes[by] == value].reset_index(drop=True)
        missing = self.missing or ("" if len(part) else f"the source has no episode with {by} {value!r}")
        labels: dict[str, Any] = {by: value} if hasattr(self, by) else {}
        return replace(self, episodes=part, missing=missing, **labels)

    def example(self) -> pd.DataFrame:
        """Return the episodes of the first question that ends in an answer in some regimes only."""
        if self.episodes.empty:
            return self.episodes
        ends = self.episodes["actions"].map(lambda actions: list(actions[-1:]) == ["finish"])
        question = ends.groupby(self.episodes["question_id"], sort=False).nunique().idxmax()
        return self.episodes[self.episodes["question_id"] == question]

    def beside(
        self, given: Any, *, caption: str = "", measure: str = "", by: str = "condition", **where: Any
    ) -> Comparison:
        """Put what was computed beside what the paper prints, with what would fill the gaps.

        Parameters
        ----------
        given : Estimate, mapping, or pandas.DataFrame
            An estimate; a mapping of them, or of tables of them; or rows of :func:`published`, which are
            then recomputed from the page's episodes by their measures.
        caption : str, optional
            What is compared.
        measure : str
            Published name of the measure, where estimates are given.
        by : str, default "condition"
            What the keys of a mapping are: a column of published numbers. Of ``"model"``, the paper's other
            models are shown as well.
        **where
            Which of the published numbers, such as ``table=6``; on another split, wherever they are printed.
        """
        if isinstance(given, pd.DataFrame) and "value_printed" in given:
            given = one_each(given)
            printed = on_split(given, self.split) if isinstance(self.split, str) else given
            rows = filled(recompute(printed, self.episodes, **self.options))
            rows = rows[rows["model"] == self.model] if isinstance(self.model, str) else rows
        else:
            rows = matched(self, given, measure=measure, by=by, where=where)
        names = headings("measures")
        words = " and ".join(
            names.get(each, each.replace("_", " ")) for each in dict.fromkeys(rows["measure"])
        )
        return Comparison(rows.reset_index(drop=True), caption or f"{words}: {self.about}", self)

    def table(
        self, given: Any, caption: str, *, by: str = "condition", digits: int = 3, name: str = ""
    ) -> Table | Notice:
        """Return a frame, or several, or estimates, as a table; a sentence where there is nothing in it."""
        frame = framed(given, by)
        why = note = str(frame.attrs.get("reason", ""))
        if {"value", "low", "high", "n", "reason"} <= set(frame):
            reasons = frame["reason"].replace("", None).dropna()
            why = "; ".join(dict.fromkeys(reasons))
            note = "; ".join(f"{label}: {reason}" for label, reason in reasons.items())
            frame = frame[frame["n"] > 0][["value", "low", "high", "n"]].astype({"n": int})
            caption = f"{caption}, with {self.level:.0%} intervals"
        if frame.empty:
            return self.absent(f"Not shown: {caption}", why)
        if frame.index.name:
            frame = frame.reset_index()
        if {"value", "low", "high"} <= set(frame):
            frame = with_intervals(frame, digits)
        return Table(frame.round(digits), f"{caption} ({name or self.name}).", note)

    def absent(self, what: str, reason: str = "") -> Notice:
        """Return the sentence that stands in the place of what cannot be shown."""
        why = reason or self.missing
        return Notice(f"{what.rstrip('.')}{f': {why}' if why else ''}.")

    def fill(self, *tables: int | str | pd.DataFrame) -> "Page":
        """Recompute tables of the paper, or rows of them, for the page to count and show; all by default."""
        from paper_book.coverage import recompute_everything, with_simulated_policies

        if not tables:
            self.compared = recompute_everything(self.episodes, **self.options)
            return self
        rows = pd.concat(
            [one_each(each) if isinstance(each, pd.DataFrame) else published(each) for each in tables]
        )
        compared = recompute(rows.drop_duplicates(), self.episodes, **self.options)
        if (rows["table"] == "7").any():
            compared = with_simulated_policies(compared, seed=self.options["seed"])
        self.compared = pd.concat([*([] if self.compared is None else [self.compared]), compared])
        return self

    def paper_table(self, table: int | str, *, folded: bool = False, **where: Any) -> PaperTable:
        """Return a table of the paper in its own layout, with what is recomputed beside it."""
        from paper_book.registered.load import load_documents

        documents = load_documents() if str(table) in REGISTERED else {}
        rows = self.rows(table, **where).rows
        return paper_table(rows, table, source=self.source, folded=folded, documents=documents)

    def rows(self, table: int | str = "", *, caption: str = "", **where: Any) -> Comparison:
        """Return what `fill` recomputed, of one table or all, such as ``model="qwen3-32b"``."""
        if self.compared is None or (table and str(table) not in set(self.compared["table"])):
            self.fill(*([table] if table else []))
        assert self.compared is not None
        where |= {"table": str(table)} if table else {}
        said = caption or (f"Table {table}" if table else "Published numbers")
        return Comparison(self.compared, said, self).only(**where)

    published = staticmethod(published)

    def printed(self, table: int | str = "text", **where: Any) -> str:
        """Return one published number as a text for a sentence, such as "97–100 %" or "29 of 165"."""
        text = printed_text(published(table, **where).iloc[0].to_dict())
        return text.replace("/", " of ").replace(" to ", "–")

    def glue(self, **values: Any) -> None:
        """Give values to the page's sentences under their names; a number with a format as a pair."""
        from myst_nb import glue

        for name, value in values.items():
            glue(name, value if hasattr(value, "_repr_mimebundle_") else glued(value), display=False)

    def sentence(self, form: str, **values: Any) -> str:
        """Return a sentence with values in it; where one is missing, that this source does not give it."""
        if any(not isinstance(each, str) and pd.isna(number_of(each)) for each in values.values()):
            return "This source does not have what the numbers of this sentence would rest on."
        return form.format(**{name: in_words_of(each) for name, each in values.items()})

    def between(self, given: Any, form: str = ".1%") -> str:
        """Return the interval of an estimate for a sentence, such as "99.3% to 99.9%"."""
        bounds = {name: float("nan") if given[name] is None else given[name] for name in ("low", "high")}
        return self.sentence("{low} to {high}", **{name: (each, form) for name, each in bounds.items()})

    def check(self, *claims: Claim, when: bool = True) -> Table:
        """Return the page's claims with their verdicts; on the paper's episodes one that fails raises.

        Elsewhere than where the claims are about, as `when` says, they are open.
        """
        released = is_release(self.source)
        told = [each if when else replace(each, holds=None, printed=None, asked=False) for each in claims]
        return claims_table(told, strict=released and not is_simulated(self.episodes))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return self.notice()._repr_mimebundle_()

    def notice(self) -> Notice:
        """Return what the page says of its source: what it holds, or what it lacks."""
        if self.missing:
            hub = " All released cells come with `make data`, then `SOURCE=hub`."
            fetched = hub if self.source == "embedded" else ""
            return Notice(
                f"Nothing on this page is recomputed, because {self.missing}. Published numbers are shown as "
                f"published; what would be recomputed stays empty.{fetched} Choose a source or parameters "
                "that fit: see 'Rerun this section'.",
                warns=True,
            )
        questions = self.episodes["question_id"].nunique()
        models = listed(dict.fromkeys(self.episodes["model"]))
        held = f"{len(self.episodes):,} episodes of {models} on {questions:,} questions ({self.name})."
        text = f"{'Recomputed' if is_release(self.source) else 'Measured'} here: {held}"
        if self.compared is not None:
            text = f"Loaded here: {held} {counted_in(self.compared)}"
            left = set(self.episodes["model"]) - set(self.compared["model"])
            if len(set(self.compared["model"][self.compared["own"].astype(bool)])) == MOST_MODELS and left:
                text += f" {MOST_MODELS} models that the paper does not have are shown, {len(left)} left out."
        parts = (self.said, text, str(self.episodes.attrs.get(LEFT_OUT, "")))
        return Notice(" ".join(filter(None, parts)), warns=bool(self.said))


def open_page(
    source: Source,
    *,
    model: Names = None,
    condition: Names = None,
    split: Names = None,
    regimes: Names | Sequence[str] = (),
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    name: str = "",
) -> Page:
    """Open a page on a source of episodes.

    Parameters
    ----------
    source, model, condition, split
        As in :func:`judged_useless.load_episodes`. Where a source of one's own has nothing of a single
        `model` that is named, its first one is shown, and the page says so.
    regimes : str, sequence of str, or None
        By default the five with failures, where a single `model` is named, as estimates pool what they are
        given; otherwise all, for the measures of published tables know their regimes.
    n_boot, seed, level
        Of every interval of the page.
    name : str, optional
        Name of the source, for captions.

    Returns
    -------
    Page
        It shows itself as a sentence on what is recomputed here, or on what is missing and how to get it.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    FileNotFoundError
        If a file is missing, or the hub's cache has not been filled.
    """
    if regimes == ():
        regimes = FAIL if isinstance(model, str) else None
    asked: dict[str, Any] = {"condition": condition, "split": split, "regimes": regimes}
    refuse_texts({"source": source, "model": model, **asked})
    said = ""
    if isinstance(model, str):
        model, said = model_shown(source, model, **asked)
    episodes, missing = read_episodes(source, model=model, **asked)
    if missing and model is not None:
        refuse_unknown(source, model, missing)
    options = {"n_boot": n_boot, "seed": seed, "level": level}
    mark = ", a SIMULATED agent" if is_simulated(episodes) else ""
    shown = f"{name}{mark}" if name else source_name(source, episodes)
    return Page(source, model, condition, split, regimes, options, episodes, missing, shown, said, name)
