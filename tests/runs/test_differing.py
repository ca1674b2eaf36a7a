"""In what two specifications differ is told in words, without hashes."""

from judged_useless.runs.cell_spec import differences


def test_values_are_shown_and_hashes_are_named() -> None:
    old = {
        "k": 5, "regimes": ["clean"], "model": {"name": "a", "rates": {"knows": 0.2}}, "data_sha256": "1a",
        "prompts_sha256": {"judgment": "2b", "weigh": "3c"}, "trajectories_sha256": {"clean": "4d"},
    }  # fmt: skip
    new = {
        "k": 5, "regimes": ["clean", "persistent"], "model": {"name": "b", "rates": {"knows": 0.5}},
        "data_sha256": "9f", "prompts_sha256": {"judgment": "8e", "weigh": "7d"},
        "trajectories_sha256": {"clean": "6c", "persistent": "5b"},
    }  # fmt: skip
    assert differences(old, old) == []
    assert differences(old, new) == [
        "regimes: ['clean'] there, ['clean', 'persistent'] now",
        "model.name: 'a' there, 'b' now",
        "model.rates.knows: 0.2 there, 0.5 now",
        "the questions are not the same",
        "the prompts have another wording (judgment, weigh)",
        "the run's trajectories in clean are not the ones that were asked",
    ]
