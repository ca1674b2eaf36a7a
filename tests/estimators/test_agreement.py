"""Agreement and reader accuracy against statsmodels and by hand."""

import numpy as np
import pytest
from judged_useless.estimators.agreement import agreement, cohen_kappa
from judged_useless.estimators.estimate import UndefinedEstimateError
from statsmodels.stats.inter_rater import cohens_kappa, to_table


def labels(seed: int, n: int = 80) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    first = rng.choice(list("abcde"), size=n)
    second = np.where(rng.random(n) < 0.7, first, rng.choice(list("abcde"), size=n))
    return first.tolist(), second.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_kappa_equals_statsmodels(seed: int) -> None:
    a, b = labels(seed)
    table, _ = to_table(np.array([a, b]).T)
    expected = cohens_kappa(table, return_results=False)
    assert cohen_kappa(a, b, n_boot=50).value == pytest.approx(expected)
    binary, _ = to_table(np.array([[x in "ab", y in "ab"] for x, y in zip(a, b, strict=True)]).astype(int))
    expected = cohens_kappa(binary, return_results=False)
    assert cohen_kappa(a, b, positive=["a", "b"], n_boot=50).value == pytest.approx(expected)


def test_clusters_are_resampled_whole() -> None:
    a, b = labels(1, 40)
    pairs = [index // 2 for index in range(40)]
    wide = cohen_kappa(a * 2, b * 2, clusters=[*range(40)] * 2, n_boot=400)
    alone = cohen_kappa(a, b, n_boot=400)
    assert (wide.value, wide.low, wide.high) == pytest.approx((alone.value, alone.low, alone.high))
    assert cohen_kappa(a, b, clusters=pairs, n_boot=50).n_clusters == 20


def test_agreement_by_hand() -> None:
    found = agreement(["u", "u", "n", "n"], ["u", "n", "n", "u"], n_boot=50)
    assert (found.value, found.n) == (0.5, 4)


def test_undefined_and_bad_labels() -> None:
    with pytest.raises(UndefinedEstimateError, match="no item"):
        agreement([], [])
    with pytest.raises(UndefinedEstimateError, match="one and the same label"):
        cohen_kappa(["a", "a"], ["a", "a"])
    with pytest.raises(ValueError, match="one length, not 1, 2 and 1"):
        agreement(["a"], ["a", "b"])
    with pytest.raises(ValueError, match="b, item 2: no label"):
        cohen_kappa(["a", "b"], ["a", None])
    with pytest.raises(ValueError, match="none of"):
        cohen_kappa(["a", "b"], ["a", "b"], positive=["c"])
    with pytest.raises(TypeError, match="not one text"):
        cohen_kappa("ab", ["a", "b"])
