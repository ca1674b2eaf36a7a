"""Steps of episodes as flat arrays: memory grows with the steps, not with the longest episode."""

import tracemalloc

import pandas as pd
from judged_useless.episodes.decisions import build_decision_points
from made_up_episodes import episode


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
