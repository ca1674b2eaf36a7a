import pytest
from judged_useless.environment.failures import FAULTS
from judged_useless.environment.regimes import FAIL, MEAN3, MEAN4, MEAN6, REGIMES, get_regime


def _failures(name: str, n: int = 8) -> list[int]:
    return [t for t in range(1, n + 1) if get_regime(name).failed(t)]


@pytest.mark.parametrize(
    ("name", "failures"),
    [
        ("clean", []),
        ("persistent", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("recover_after_1", [1]),
        ("recover_after_5", [1, 2, 3, 4, 5]),
        ("recover_after_7", [1, 2, 3, 4, 5, 6, 7]),
        ("late_onset_from_3", [3, 4, 5, 6, 7, 8]),
        ("late_onset_from_5", [5, 6, 7, 8]),
        ("ts_recover_after_2", [1, 2]),
        ("ts_late_onset_from_6", [6, 7, 8]),
        ("intermittent_0_1", []),
        ("intermittent_1.0_1", [1, 2, 3, 4, 5, 6, 7, 8]),
    ],
)
def test_schedules(name: str, failures: list[int]) -> None:
    assert get_regime(name).name == name
    assert _failures(name) == failures


def test_entries_are_named_and_their_faults_exist() -> None:
    assert all(regime.name == name and regime.how in FAULTS for name, regime in REGIMES.items())
    assert set(MEAN6) == {"clean", *FAIL}
    assert {*MEAN6, *MEAN3, *MEAN4} <= set(REGIMES)
    assert {f"ts_{name}" for name in MEAN6} <= set(REGIMES)
    assert all(get_regime(name) is regime for name, regime in REGIMES.items())
    ours = {"stale", "partial", "erroneous", "empty"}
    assert ours < set(REGIMES)
    assert not ours & {*MEAN6, *MEAN3, *MEAN4}  # they are in no average of the paper


@pytest.mark.parametrize(
    "name",
    [
        "", "unknown", "recover_after_0", "recover_after_07", "recover_after_", "recover_after_-1",
        "late_onset_from_0", "intermittent_1.5_1", "intermittent_0.5", "intermittent_.5_1", "ts_ts_clean",
        "ts_unknown", "clean\n", " persistent", "ts_ persistent", " recover_after_1",
    ],
)  # fmt: skip
def test_unknown_names_raise_and_list(name: str) -> None:
    with pytest.raises(ValueError, match=r"known are clean, persistent, .*recover_after_<c>"):
        get_regime(name)


def test_intermittent_fails_at_its_rate_and_by_its_seed() -> None:
    n = 4000
    rate = len(_failures("intermittent_0.3_7", n)) / n
    # Four standard errors of a share of 0.3.
    assert abs(rate - 0.3) < 4 * (0.3 * 0.7 / n) ** 0.5
    assert _failures("intermittent_0.3_7", 60) != _failures("intermittent_0.3_8", 60)
    assert set(_failures("intermittent_0.3_7", 60)) < set(_failures("intermittent_0.6_7", 60))
