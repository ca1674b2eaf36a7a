"""Steps of episodes as flat arrays: memory grows with the steps, not with the longest episode."""

import tracemalloc

import pandas as pd
from judged_useless.episodes.decisions import build_decision_points
from judged_useless.episodes.frames import steps_of
from made_up_episodes import episode


def test_steps_by_hand() -> None:
    rows = [
        episode("-.", regime="recover_after_1"),
        episode("", answered=False),
        episode("+?", answered=False),
    ]
    steps = steps_of(pd.DataFrame(rows))
    assert steps.n_actions.tolist() == [3, 0, 2]
    assert steps.action.tolist() == [0, 0, 3, 0, 0]
    assert steps.judgment.tolist() == [0, -1, -1, 1, 2]
    assert steps.failed.tolist()[:2] == [1, 0]
    assert steps.episode.tolist() == [0, 0, 0, 2, 2]
    assert steps.start.tolist() == [0, 0, 0, 3, 3]


def test_one_endless_episode_among_many_costs_its_own_steps_only() -> None:
    rows = [episode("-" * 8, question_id=f"q{n}", answered=False) for n in range(3000)]
    rows.append(episode("-" * 20_000, question_id="endless", answered=False, budget=20_000))
    frame = pd.DataFrame(rows)
    tracemalloc.start()
    points = build_decision_points(frame)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(points.t) == 3000 * 7 + 19_999
    assert peak < 60e6
