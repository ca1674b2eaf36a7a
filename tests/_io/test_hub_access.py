"""Whether the hub can be reached: asked once, and ``datasets`` is left as it was."""

import datasets
import huggingface_hub
import pytest
from judged_useless._io.hub_access import cache_alone_unless_reachable, is_reachable


def answer(monkeypatch: pytest.MonkeyPatch, error: Exception | None) -> None:
    def dataset_info(*_: object, **__: object) -> None:
        if error is not None:
            raise error

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", dataset_info)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (None, True),
        (ValueError("no such data set"), True),
        (PermissionError("the cache"), True),
        (ConnectionResetError(), False),
        (TimeoutError(), False),
    ],
)
def test_only_a_request_that_does_not_get_through_says_no(
    error: Exception | None, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, error)
    assert is_reachable("someone/data") is expected
    with cache_alone_unless_reachable("someone/data"):
        assert datasets.config.HF_HUB_OFFLINE is not expected
    assert not datasets.config.HF_HUB_OFFLINE
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    with cache_alone_unless_reachable("someone/data"):
        assert datasets.config.HF_HUB_OFFLINE
    assert datasets.config.HF_HUB_OFFLINE
