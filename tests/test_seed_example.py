"""The example of the README works as printed, and every form of episodes gives the same estimate."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pytest
from hub_cache import own_cache
from judged_useless import FAIL, answer_rate_after_run, load_episodes, load_jsonl, time_matched_contrast
from judged_useless.estimators.estimate import Estimate
from judged_useless.sources.released import released_cells
from made_up_episodes import hub_folder

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hub_folder(tmp_path_factory.mktemp("hub"))


@pytest.fixture
def hub(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The released data set's name stands for a local folder; all else is the real thing."""
    own_cache(monkeypatch, tmp_path)
    load = datasets.load_dataset

    def local(path: str, **options: Any) -> Any:
        assert path == "benni23/judged-useless-episodes"
        return load(str(folder), **options)

    monkeypatch.setattr(datasets, "load_dataset", local)


def value_of(block: str) -> object:
    """Run a block of code and return the value of its last line, as a notebook shows it."""
    *lines, last = block.strip().splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(lines), names)
    return eval(last, names)


@pytest.mark.usefixtures("hub")
@pytest.mark.parametrize("block", BLOCKS)
def test_blocks_of_the_readme_give_the_printed_value(block: str) -> None:
    estimate = value_of(block)
    assert isinstance(estimate, Estimate)
    assert estimate.text(3) == "-0.065 [-0.095, -0.039]"
    assert block.rstrip().endswith(f"# Δ = {estimate.text(3)}")


@pytest.mark.usefixtures("hub")
def test_the_data_cards_form_gives_the_same() -> None:
    """The card's example names the regimes in a set of its own."""
    fail = {"persistent", "recover_after_1", "recover_after_2", "recover_after_3", "late_onset_from_3"}
    assert fail == set(FAIL)
    rows = datasets.load_dataset("benni23/judged-useless-episodes", split="test300")
    chosen = rows.filter(
        lambda e: e["model"] == "qwen3-8b" and e["condition"] == "unaided" and e["regime"] in fail
    )
    assert len(chosen) == 1500
    assert time_matched_contrast(list(chosen)).text(3) == "-0.065 [-0.095, -0.039]"


def from_datasets(folder: Path) -> Any:
    return list(from_datasets_unlisted(folder))


def from_datasets_unlisted(folder: Path) -> Any:
    rows = datasets.load_dataset(str(folder), split="test300")
    return rows.filter(lambda e: e["condition"] == "unaided" and e["model"] == "qwen3-8b")


def from_frame(_: Path) -> pd.DataFrame:
    return load_episodes(condition="unaided")


def from_dicts(_: Path) -> list[dict[str, Any]]:
    return [
        {str(name): list(value) if name in ("actions", "judgments") else value for name, value in row.items()}
        for row in load_episodes(condition="unaided").to_dict("records")
    ]


def from_minimal_dicts(_: Path) -> list[dict[str, Any]]:
    names = ("question_id", "regime", "actions", "judgments")
    return [{name: row[name] for name in names} for row in from_dicts(_)]


def from_generator(folder: Path) -> Iterator[dict[str, Any]]:
    yield from from_dicts(folder)


def from_json_lines(folder: Path) -> pd.DataFrame:
    path = folder.parent / "written.jsonl.gz"
    load_episodes(condition="unaided").to_json(path, orient="records", lines=True)
    return load_jsonl(path)


@pytest.mark.parametrize(
    "form",
    [from_datasets, from_datasets_unlisted, from_dicts, from_minimal_dicts, from_generator, from_json_lines],
)
def test_every_form_gives_the_same_estimate(
    form: Callable[[Path], Any], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_cache(monkeypatch, tmp_path)
    expected = time_matched_contrast(from_frame(folder))
    assert time_matched_contrast(form(folder)) == expected
    assert answer_rate_after_run(form(folder)) == answer_rate_after_run(from_frame(folder))


@pytest.mark.parametrize("condition", ["unaided", "enforced_rule"])
def test_embedded_cells_equal_the_released_values(condition: str) -> None:
    """Source: data/published/released_cells.csv, the authors' values at full precision."""
    cells = released_cells()
    released = cells.query("split == 'test300' and model == 'qwen3-8b' and condition == @condition").iloc[0]
    estimate = time_matched_contrast(load_episodes(condition=condition, regimes=FAIL))
    assert estimate["delta"] == pytest.approx(released["delta"], rel=0, abs=1e-12)
    assert estimate["ci_low"] == pytest.approx(released["ci_low"], rel=0, abs=1e-12)
    assert estimate["ci_high"] == pytest.approx(released["ci_high"], rel=0, abs=1e-12)


def test_answers_after_five_useless_results() -> None:
    """Source: paper, Appendix C.1: 1 of 292."""
    rate = answer_rate_after_run(load_episodes(condition="unaided"))
    assert (rate["answers"], rate.n) == (1, 292)


@pytest.mark.parametrize(
    ("condition", "printed"),
    [
        ("unaided", [".007", ".553", ".537", ".500", ".487"]),
        ("enforced_rule", [".153", ".527", ".527", ".470", ".547"]),
    ],
)
def test_success_per_regime(condition: str, printed: list[str]) -> None:
    """Source: paper, Table 13."""
    shares = load_episodes(condition=condition).groupby("regime", sort=False)["success"].mean()
    assert [f"{shares[regime]:.3f}".lstrip("0") for regime in FAIL] == printed
