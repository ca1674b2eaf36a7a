"""Published quantities held against episodes, and how much of the paper they give."""

import pandas as pd
import pytest
from judged_useless import FAIL, answer_rate_after_run, load_episodes, time_matched_contrast
from made_up_episodes import MADE_UP, made_up_cell
from paper_book.measures.filling import filling
from paper_book.measures.quantities import quantity_of
from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published


def test_a_value_is_what_its_estimator_gives() -> None:
    episodes = load_episodes()
    printed = published(6, panel="delta", model="qwen3-8b", condition=["unaided", "permit"], split="test300")
    held = recompute(printed, episodes, n_boot=200, seed=3)
    unaided = episodes[(episodes["condition"] == "unaided") & episodes["regime"].isin(FAIL)]
    estimate = time_matched_contrast(unaided, n_boot=200, seed=3)
    row = held[held["condition"] == "unaided"].iloc[0]
    assert (row["recomputed"], row["recomputed_low"], row["recomputed_high"]) == (
        estimate.value, estimate.low, estimate.high,
    )  # fmt: skip
    assert row["reason"] == ""
    other = held[held["condition"] == "permit"].iloc[0]
    assert pd.isna(other["recomputed"])
    assert other["reason"] == "needs the cells permit on test300, fail (qwen3-8b)"


def test_counts_are_compared_as_counts() -> None:
    printed = published("text", panel="C.1", measure="answered_after_5")
    held = recompute(printed, load_episodes())
    row = held[(held["model"] == "qwen3-8b") & (held["condition"] == "unaided")].iloc[0]
    rate = answer_rate_after_run(load_episodes(condition="unaided"))
    assert (row["k"], row["n"]) == (1, 292)
    assert row["recomputed"] == rate.value
    assert bool(row["equal"])
    changed = printed.assign(k=printed["k"] + 1)
    held = recompute(changed, load_episodes())
    assert not held.loc[held["model"] == "qwen3-8b", "equal"].astype(bool).any()


def test_a_model_the_paper_lacks_is_added_with_an_empty_published_column() -> None:
    episodes = pd.concat([load_episodes(), made_up_cell("test300")], ignore_index=True)
    printed = published(6, panel="delta", condition="unaided", split="test300")
    held = recompute(printed, episodes, n_boot=100)
    assert len(held) == len(printed) + 1
    own = held[held["model"] == MADE_UP].iloc[0]
    assert pd.isna(own["value"])
    assert own["value_printed"] == ""
    assert pd.isna(own["equal"])
    cell = made_up_cell("test300")
    assert own["recomputed"] == time_matched_contrast(cell[cell["regime"] != "clean"], n_boot=100).value


def test_every_embedded_number_equals_the_paper(everything: pd.DataFrame) -> None:
    """Every number that two cells give is the printed one: the paper's whole text is the reference."""
    printed = everything[everything["value"].notna() & everything["recomputed"].notna()]
    assert len(printed) >= 40
    different = printed[~printed["equal"].fillna(True).astype(bool)]
    columns = ["table", "row", "column", "measure", "value_printed", "recomputed"]
    assert different[columns].to_dict("records") == []


def test_what_is_not_recomputed_has_a_reason(everything: pd.DataFrame) -> None:
    lacking = everything["recomputed"].isna()
    assert (everything.loc[lacking, "reason"] != "").all()
    assert (everything.loc[~lacking, "reason"] == "").all()


@pytest.mark.parametrize("n_second", [6, 4])
def test_several_seeds_of_a_cell_are_one_reason_for_every_measure(n_second: int) -> None:
    def model(seed: int, n_questions: int) -> pd.DataFrame:
        arms = [made_up_cell("test300", arm, n_questions) for arm in ("unaided", "enforced_rule")]
        return pd.concat(arms, ignore_index=True).assign(model="qwen3-8b", seed=seed)

    printed = published(model="qwen3-8b", split="test300")
    both = pd.concat([model(1, 6), model(2, n_second)], ignore_index=True)
    held, alone = (recompute(printed, each, n_boot=20) for each in (both, model(1, 6)))
    there = alone["recomputed"].notna()
    assert {"delta", "success", "net_correct_where_fired"} <= {
        quantity_of(record).name for record in alone[there].to_dict("records")
    }
    assert held["recomputed"].isna().all()
    arm = r"(unaided|enforced_rule)"
    several = (
        rf"the cell qwen3-8b × {arm} × hotpotqa × test300 × 8 has several seeds \(1, 2\), and 'made-up-0' in"
    )
    reason = rf"{several} clean more than once: give the episodes of one seed at a time"
    assert held.loc[there, "reason"].str.fullmatch(reason).all()
    kinds = filling(held[there])
    assert kinds["what would fill them"].str.fullmatch(reason).all()
