"""Claims decide by what was computed, and fail loudly on the paper's own episodes."""

from typing import Any

import numpy as np
import pytest
from paper_book.claims import Claim, ClaimError, check_claims

HOLDS, OPEN = Claim("It holds.", True, "1 of 1"), Claim("It is open.", None, "needs more")


@pytest.mark.parametrize("source", ["embedded", "hub"])
@pytest.mark.parametrize("false", [False, np.False_, np.array([1.0])[0] > 2])
def test_a_claim_that_fails_on_released_episodes_is_an_error(false: Any, source: str) -> None:
    with pytest.raises(ClaimError, match=r"^It fails\. \(0\.1 of 3\)$"):
        check_claims([HOLDS, Claim("It fails.", false, "0.1 of 3"), OPEN], source=source)


@pytest.mark.parametrize("source", ["runs/mine", ["runs/a", "runs/b"]])
def test_on_other_episodes_it_is_a_finding(source: object) -> None:
    table = check_claims([HOLDS, Claim("It fails.", np.False_, "0.1"), OPEN], source=source)  # type: ignore[arg-type]
    assert table.frame.to_dict("list") == {
        "claim": ["It holds.", "It fails.", "It is open."],
        "verdict": ["holds", "does not hold", "cannot be told"],
        "decided by": ["1 of 1", "0.1", "needs more"],
    }


def test_all_that_fail_are_named() -> None:
    claims = [Claim("First.", False, "a"), HOLDS, Claim("Second.", False, "b")]
    with pytest.raises(ClaimError, match=r"^First\. \(a\); Second\. \(b\)$"):
        check_claims(claims, source="embedded")


def test_held_and_open_claims_pass() -> None:
    assert check_claims([HOLDS, OPEN], source="embedded").frame["verdict"].to_list() == [
        "holds",
        "cannot be told",
    ]
