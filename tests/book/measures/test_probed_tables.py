"""The paper's tables on probed runs of every cell, as made up by ``make_probed_cells.py``.

The simulated cells say nothing about any model: here they show that nothing stays empty which runs can fill.
"""

import pandas as pd
import pytest
from make_probed_cells import probed_cells
from paper_book.measures.filling import RELEASED, RUN, how_to_fill
from paper_book.measures.recompute import recompute
from paper_book.measures.registry import registry
from paper_book.published.transcribed import published
from paper_book.tables.paper_table import paper_table

#: Resamples: none of these tests looks at an interval.
N_BOOT = 20
#: Tables of words need nothing, and Table 7 no episodes.
TABLES = [str(number) for number in range(1, 29) if number not in (1, 3, 7)]
#: (table, row, measure) of the numbers of Tables 4 and 5 that are about several cells or annotators.
EMPTY = {
    ("4", "H9", "integration_index"),
    ("4", "F-H9", "integration_index"),
    ("4", "C1", "paired_difference"),
    ("4", "C3", "integration_index"),
    ("4", "C4", "median_answer_action"),
    ("4", "L-H1", "paired_difference"),
    ("5", "J2", "delta"),
    ("5", "16b", "kappa_binary_s2_local"),
    ("5", "E2", "paired_difference"),
}


@pytest.fixture(scope="module")
def episodes() -> pd.DataFrame:
    return probed_cells()


@pytest.fixture(scope="module")
def compared(episodes: pd.DataFrame) -> pd.DataFrame:
    return recompute(published(), episodes, n_boot=N_BOOT)


def _printed(compared: pd.DataFrame) -> pd.DataFrame:
    rows = compared[compared[["value", "low", "high", "k"]].notna().any(axis=1)]
    not_measured = {name for name, row in registry().measures.items() if row.why_not}
    return rows[~rows["measure"].isin(not_measured - {"kappa_binary_s2_local"})]


@pytest.mark.parametrize("table", TABLES)
def test_every_number_of_a_table_is_filled(compared: pd.DataFrame, table: str) -> None:
    rows = _printed(compared[compared["table"] == table])
    assert len(rows) > 8
    empty = rows[rows["recomputed"].isna()]
    found = set(empty[["table", "row", "measure"]].itertuples(index=False, name=None))
    assert found == {key for key in EMPTY if key[0] == table}, empty["reason"].tolist()


def test_nothing_that_runs_could_fill_stays_empty_elsewhere(compared: pd.DataFrame) -> None:
    empty = compared[compared["recomputed"].isna() & (compared["recomputed_words"] == "")]
    kinds = {how_to_fill(record) for record in _printed(empty).to_dict("records")}
    assert not {kind for kind in kinds if kind in (RELEASED, RUN) or kind.startswith("judged-useless")}


def test_policies_have_names_and_prices_matter(compared: pd.DataFrame) -> None:
    rows = compared[compared["table"] == "17"]
    names = rows.loc[rows["measure"] == "best_policy", "recomputed_words"]
    assert len(names) == 9
    assert names.str.fullmatch(r"(own \d( or cap \d)?|cap \d)").all()
    # No policy is better at a higher price.
    best = rows[rows["measure"] == "utility"].groupby("model")["recomputed"]
    assert all(group.is_monotonic_decreasing and group.nunique() == 3 for _, group in best)
    html = paper_table(compared, 17, source="SIMULATED").html
    assert all(f">{name} " in html for name in set(names))


def test_per_cent_are_compared_as_per_cent(compared: pd.DataFrame) -> None:
    rows = compared[
        (compared["unit"] == "percent") & compared["recomputed"].notna() & compared["value"].notna()
    ]
    assert len(rows) > 12
    assert (rows["recomputed"] > 1).mean() > 0.8
    share = compared[(compared["measure"] == "switched_by_4") & (compared["model"] == "qwen2.5-7b")]
    by_unit = share[share["condition"] == "unaided"].groupby("unit")["recomputed"].first()
    assert by_unit["percent"] == pytest.approx(100 * by_unit["share"])
