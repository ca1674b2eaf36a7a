"""Speed and memory of the estimators, against plain-Python loops that give the same numbers.

``python benchmarks/estimators.py`` times five tasks:

- *cells*: Δ with its 2,000-resample interval, and mean6 with its own, for 43 cells read from Parquet. The
  cells are made by resampling the questions of the two released ones; their clean regime is made up (a copy
  of recover_after_1), since the released cells have none, so the numbers mean nothing beyond the timing.
- *folder*: the same 43 cells read as one folder, and mean6 of each with its interval, against plain rows of
  the same files and one mean each, unchecked and without an interval.
- *lines*: 100,500 simulated episodes of 20,100 questions from JSON lines to Δ with its interval, against
  Python's own parser and one Δ, unchecked and without an interval.
- *hazard*: the hazard model of a released cell with 1,000 resamples, against a loop of fits in plain Python
  and one of NumPy fits.
- *table 7*: eleven policies, ten simulations of 300 questions each.

Ours runs in a process of its own, on one thread, timed from after the import, the first call included; its
peak memory is that process's. The loops apply a statistic, written as its definition reads, to the records of
every resample. A loop that would take minutes runs on a part: its results are checked on that part, and its
time is scaled, as the table says. Ratios are of CPU seconds, which other users of the machine change least.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from judged_useless import FAIL, load_episodes, load_jsonl, time_matched_contrast
from judged_useless.environment.regimes import REGIMES
from judged_useless.episodes.decisions import build_decision_points
from judged_useless.episodes.formats import load_parquet, write_parquet
from judged_useless.estimators.estimate import Estimate
from judged_useless.estimators.hazard import design_matrix, hazard_measures, hazard_model
from judged_useless.estimators.resampling import Resampling
from judged_useless.estimators.success import mean_success
from judged_useless.stopping.simulate import SIMULATED, Moment, simulate
from paper_book.simulated_measures import simulated_values

N_CELLS, N_BOOT = 43, 2000
N_HAZARD = 1000
N_LINES = 20_100
NEEDED = ("question_id", "regime", "actions", "judgments")
N_SIMULATIONS, N_QUESTIONS = 10, 300
MEMORY_LIMIT_MB = 600
Numbers = dict[str, list[float]]


# The cells.


def made_up_cells(folder: Path) -> None:
    """Write 43 cells of 300 questions: the released ones resampled, with a made-up clean regime."""
    rng = np.random.default_rng(0)
    for number in range(N_CELLS):
        real = load_episodes(condition="unaided" if number % 2 else "enforced_rule")
        clean = real[real["regime"] == "recover_after_1"].assign(regime="clean")
        cell = pd.concat([clean, real], ignore_index=True)
        rows = cell.groupby("question_id", sort=False).indices
        drawn = rng.choice(np.array(list(rows), dtype=object), size=len(rows))
        parts = [cell.iloc[rows[question]].assign(question_id=f"q{i}") for i, question in enumerate(drawn)]
        frame = pd.concat(parts, ignore_index=True).assign(model=f"made-up-{number:02d}")
        write_parquet(frame, folder / f"cell-{number:02d}.parquet")


def cells_ours(folder: Path) -> Numbers:
    results = {}
    for path in sorted(folder.glob("*.parquet")):
        cell = load_parquet(path)
        delta = time_matched_contrast(cell[cell["regime"].isin(FAIL)], n_boot=N_BOOT)
        mean6 = mean_success(cell, n_boot=N_BOOT)
        results[path.stem] = [*numbers_of(delta), *numbers_of(mean6)]
    return results


def decisions_of(row: dict[str, Any]) -> list[tuple[int, int, bool]]:
    """Return the decisions 3 to 6 of an episode, each as its step, its run and whether it answers."""
    found, run = [], 0
    for t in range(1, min(len(row["actions"]) - 1, 6) + 1):
        run = run + 1 if row["judgments"][t - 1] == "USELESS" else 0
        if t >= 3:
            found.append((t, run, row["actions"][t] == "finish"))
    return found


def contrast_by_loop(decisions: list[tuple[int, int, bool]]) -> float:
    """Return Δ of decisions, each as its step, its run and whether it answers."""
    counts: dict[int, list[int]] = {}
    for t, run, answered in decisions:
        if run == t:
            side = 0
        elif 1 <= run <= t - 2:
            side = 2
        else:
            continue
        stratum = counts.setdefault(t, [0, 0, 0, 0])
        stratum[side] += 1
        stratum[side + 1] += answered
    total = weights = 0.0
    for n_a, x_a, n_b, x_b in counts.values():
        if n_a and n_b:
            weight = n_a * n_b / (n_a + n_b)
            total += weight * (x_a / n_a - x_b / n_b)
            weights += weight
    return total / weights


def mean_by_loop(successes: list[tuple[str, bool]]) -> float:
    """Return the mean over regimes of the share of episodes that succeed."""
    counts: dict[str, list[int]] = {}
    for regime, success in successes:
        count = counts.setdefault(regime, [0, 0])
        count[0] += 1
        count[1] += success
    return sum(won / n for n, won in counts.values()) / len(counts)


def interval_by_loop(questions: list[list[Any]], statistic: Callable[[list[Any]], float]) -> list[float]:
    """Return a statistic of the records of all questions, and its bootstrap interval."""
    rng, n = Random(0), len(questions)
    values = []
    for _ in range(N_BOOT):
        drawn = [record for _ in range(n) for record in questions[rng.randrange(n)]]
        values.append(statistic(drawn))
    values.sort()
    everything = [record for records in questions for record in records]
    return [statistic(everything), values[int(0.025 * N_BOOT)], values[int(0.975 * N_BOOT) - 1]]


def cells_by_loop(folder: Path, n_cells: int) -> Numbers:
    results = {}
    for path in sorted(folder.glob("*.parquet"))[:n_cells]:
        decisions: dict[str, list[tuple[int, int, bool]]] = {}
        successes: dict[str, list[tuple[str, bool]]] = {}
        for row in pq.read_table(path).to_pylist():
            successes.setdefault(row["question_id"], []).append((row["regime"], row["success"]))
            mine = decisions.setdefault(row["question_id"], [])
            if row["regime"] in FAIL:
                mine += decisions_of(row)
        results[path.stem] = [
            *interval_by_loop(list(decisions.values()), contrast_by_loop),
            *interval_by_loop(list(successes.values()), mean_by_loop),
        ]
    return results


# A folder of cells, and a long file of lines.


def numbers_of(estimate: Estimate) -> list[float]:
    return [float(str(estimate[name])) for name in ("value", "low", "high")]


def folder_ours(folder: Path) -> Numbers:
    cells = load_episodes(folder).groupby("model", sort=False)
    return {str(model): numbers_of(mean_success(cell, n_boot=N_BOOT)) for model, cell in cells}


def folder_by_loop(folder: Path) -> list[float]:
    tables = [pq.read_table(path).to_pylist() for path in sorted(folder.glob("*.parquet"))]
    return [mean_by_loop([(row["regime"], row["success"]) for row in rows]) for rows in tables]


def made_up_lines(folder: Path) -> Numbers:
    (folder / "lines").mkdir()
    episodes = simulate("own-judgment count k=5", n_questions=N_LINES)
    episodes.to_json(folder / "lines" / "log.jsonl", orient="records", lines=True)
    return {}


def lines_ours(folder: Path) -> Numbers:
    episodes = load_jsonl(folder / "lines" / "log.jsonl", required=NEEDED)
    return {"Δ": numbers_of(time_matched_contrast(episodes, n_boot=N_BOOT))}


def lines_by_loop(folder: Path) -> float:
    with (folder / "lines" / "log.jsonl").open(encoding="utf-8") as stream:
        return contrast_by_loop([each for line in stream for each in decisions_of(json.loads(line))])


# The hazard model.


def hazard_ours() -> Numbers:
    cell = load_episodes(condition="enforced_rule", regimes=FAIL)
    started = clocks()
    model = hazard_model(cell, n_boot=N_HAZARD)
    seconds = since(started)
    measures = hazard_measures(build_decision_points(cell))
    values = np.stack([each.resampled(Resampling(N_HAZARD)) for each in measures.values()], axis=1)
    return {"seconds": seconds, "resamples": values.ravel().tolist(), "value": model["value"].tolist()}


def hazard_rows() -> tuple[list[list[list[float]]], int]:
    """Return the rows that a fit needs (regressors, then the outcome) by question, and the questions."""
    points = build_decision_points(load_episodes(condition="enforced_rule", regimes=FAIL))
    x, y, question = design_matrix(points)
    # One dummy of each kind is left out, so that a plain solve has one solution.
    names = np.column_stack([x[:, :2], np.ones(len(x)), x[:, 3:8], x[:, 9:]])
    rows: list[list[list[float]]] = [[] for _ in range(points.n_questions)]
    for q, regressors, answer in zip(question.tolist(), names.tolist(), y.tolist(), strict=True):
        rows[q].append([*regressors, answer])
    return rows, points.n_questions


def solved(a: list[list[float]], b: list[float]) -> list[float]:
    """Solve a small linear system by Gaussian elimination with pivoting."""
    k = len(b)
    m = [[*row, right] for row, right in zip(a, b, strict=True)]
    for i in range(k):
        pivot = max(range(i, k), key=lambda r: abs(m[r][i]))
        m[i], m[pivot] = m[pivot], m[i]
        for r in range(i + 1, k):
            factor = m[r][i] / m[i][i]
            for c in range(i, k + 1):
                m[r][c] -= factor * m[i][c]
    x = [0.0] * k
    for i in reversed(range(k)):
        x[i] = (m[i][k] - sum(m[i][c] * x[c] for c in range(i + 1, k))) / m[i][i]
    return x


def hazard_by_loop(n_boot: int) -> list[float]:
    rows, n = hazard_rows()
    rng, found = Random(0), []
    k = len(rows[0][0]) - 1
    for _ in range(n_boot):
        gram = [[0.0] * k for _ in range(k)]
        moment = [0.0] * k
        for _ in range(n):
            for row in rows[rng.randrange(n)]:
                answer = row[k]
                for i in range(k):
                    value = row[i]
                    if value:
                        moment[i] += value * answer
                        line = gram[i]
                        for j in range(k):
                            line[j] += value * row[j]
        found += solved(gram, moment)[:2]
    return found


def hazard_by_numpy_loop(n_boot: int) -> list[float]:
    rows, n = hazard_rows()
    tables = [np.array(each) for each in rows]
    rng, found = Random(0), []
    for _ in range(n_boot):
        drawn = [tables[rng.randrange(n)] for _ in range(n)]
        sample = np.concatenate([table for table in drawn if len(table)])
        found += np.linalg.lstsq(sample[:, :-1], sample[:, -1], rcond=None)[0][:2].tolist()
    return found


# Table 7.


def table7_ours() -> Numbers:
    results = {}
    for policy in SIMULATED:
        for measure, values in simulated_values(
            policy, n_questions=N_QUESTIONS, n_simulations=N_SIMULATIONS
        ).items():
            results[f"{policy}: {measure}"] = values.tolist()
    return results


def table7_by_loop(draws: list[Any]) -> Numbers:
    """Simulate one episode after the other, from the same random numbers."""
    results: Numbers = {}
    for policy, answers in SIMULATED.items():
        simulations: list[list[tuple[str, int, int, int, bool]]] = [[] for _ in range(N_SIMULATIONS)]
        probability: dict[tuple[int, int, int], float] = {}
        for row, (said, left, stopped) in enumerate(zip(*draws, strict=True)):
            regime = FAIL[row % len(FAIL)]
            decisions = simulations[row // (len(FAIL) * N_QUESTIONS)]
            run = failed_run = 0
            for t in range(1, 8):
                failed = REGIMES[regime].failed(t)
                useless = said[t - 1] < (0.99 if failed else 0.45)
                run = run + 1 if useless else 0
                failed_run = failed_run + 1 if failed else 0
                key = (t, run, failed_run)
                if key not in probability:
                    now = Moment(t, np.array([run]), np.array([failed_run]), 8)
                    probability[key] = float(answers(now)[0])
                answered = (not failed and not useless and left[t - 1] < 0.3) or stopped[t - 1] < probability[
                    key
                ]
                decisions.append((regime, t, run, failed_run, answered))
                if answered:
                    break
        for measure, of in (
            ("integration_index", index_by_loop),
            ("design_label_contrast", lambda each: groups_by_loop(each, by_design)),
            ("time_matched_contrast", lambda each: groups_by_loop(each, by_judgment)),
        ):
            results[f"{policy}: {measure}"] = [of(each) for each in simulations]
    return results


def index_by_loop(decisions: list[tuple[str, int, int, int, bool]]) -> float:
    counts = {False: [0, 0], True: [0, 0]}
    for _, t, _, failed_run, answered in decisions:
        if t <= 6 and failed_run in (1, 2, 4, 5):
            counts[failed_run > 3][0] += 1
            counts[failed_run > 3][1] += answered
    if not (counts[True][0] and counts[False][0]):
        return float("nan")
    return counts[True][1] / counts[True][0] - counts[False][1] / counts[False][0]


def by_design(regime: str, t: int, run: int) -> bool | None:
    return {"persistent": True, "late_onset_from_3": False}.get(regime)


def by_judgment(regime: str, t: int, run: int) -> bool | None:
    return True if run == t else False if 1 <= run <= t - 2 else None


def groups_by_loop(
    decisions: list[tuple[str, int, int, int, bool]], side_of: Callable[[str, int, int], bool | None]
) -> float:
    chosen = []
    for regime, t, run, _, answered in decisions:
        side = side_of(regime, t, run) if 3 <= t <= 6 else None
        if side is not None:
            chosen.append((t, t if side else 1, answered))
    try:
        return contrast_by_loop(chosen)
    except ZeroDivisionError:
        return float("nan")


# Running and reporting.


def clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def since(started: tuple[float, float]) -> list[float]:
    """Return wall-clock and CPU seconds since then."""
    return [now - then for now, then in zip(clocks(), started, strict=True)]


def run_task(task: str, folder: Path) -> None:
    """Run one task of ours and print its time, peak memory and results as JSON."""
    tasks: dict[str, Callable[[], Numbers]] = {
        "cells": lambda: cells_ours(folder), "folder": lambda: folder_ours(folder),
        "write lines": lambda: made_up_lines(folder), "lines": lambda: lines_ours(folder),
        "hazard": hazard_ours, "table 7": table7_ours,
    }  # fmt: skip
    started = clocks()
    results = tasks[task]()
    wall, cpu = results.pop("seconds", since(started))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"wall": wall, "cpu": cpu, "peak_mb": peak, "results": results}))


def ours(task: str, folder: Path, repeats: int = 3) -> dict[str, Any]:
    """Return the quickest of a few fresh processes."""
    single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, __file__, "--task", task, "--folder", str(folder)]
    runs = []
    for _ in range(repeats):
        done = subprocess.run(command, env=os.environ | single, check=True, capture_output=True, text=True)  # noqa: S603
        runs.append(json.loads(done.stdout))
    return min(runs, key=lambda run: float(run["cpu"]))


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return a function's CPU seconds and its result."""
    started = time.process_time()
    result = function()
    return time.process_time() - started, result


def assert_same(found: list[float], expected: list[float], tolerance: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance, equal_nan=True)


def compare(folder: Path, loop_cells: int, loop_fits: int) -> pd.DataFrame:
    rows = []

    def row(task: str, mine: dict[str, Any], loop: str, seconds: float, part: float, of: str) -> None:
        rows.append(
            {
                "task": task, "wall (s)": mine["wall"], "CPU (s)": mine["cpu"], "peak (MB)": mine["peak_mb"],
                "loop": loop, "loop CPU (s)": seconds / part, "loop measured on": of,
                "ratio": seconds / part / mine["cpu"],
            }
        )  # fmt: skip

    mine = ours("cells", folder)
    seconds, results = timed(lambda: cells_by_loop(folder, loop_cells))
    for cell, values in results.items():
        assert_same(mine["results"][cell], values, 1e-12)
    name = f"{N_CELLS} cells: Δ, mean6, {N_BOOT:,} resamples"
    row(name, mine, "Python", seconds, loop_cells / N_CELLS, f"{loop_cells} cells, scaled")

    mine = ours("folder", folder)
    seconds, means = timed(lambda: folder_by_loop(folder))
    assert_same([values[0] for values in mine["results"].values()], means, 1e-12)
    row(f"{N_CELLS} cells as a folder: mean6", mine, "plain rows, no interval", seconds, 1.0, "all of it")

    mine = ours("lines", folder)
    seconds, delta = timed(lambda: lines_by_loop(folder))
    assert_same(mine["results"]["Δ"][:1], [delta], 1e-12)
    row(f"{5 * N_LINES:,} episodes from JSON lines: Δ", mine, "json, no interval", seconds, 1.0, "all of it")

    mine = ours("hazard", folder)
    seconds, fits = timed(lambda: hazard_by_loop(loop_fits))
    assert_same(mine["results"]["resamples"][: len(fits)], fits, 1e-8)
    name = f"hazard model, {N_HAZARD:,} resamples"
    row(name, mine, "Python", seconds, loop_fits / N_HAZARD, f"{loop_fits} fits, scaled")
    n_fits = N_HAZARD // 5
    seconds, fits = timed(lambda: hazard_by_numpy_loop(n_fits))
    assert_same(mine["results"]["resamples"][: len(fits)], fits, 1e-8)
    row(name, mine, "NumPy fits", seconds, n_fits / N_HAZARD, f"{n_fits} fits, scaled")

    mine = ours("table 7", folder)
    n_episodes = N_SIMULATIONS * N_QUESTIONS * len(FAIL)
    draws = np.random.default_rng(0).random((3, n_episodes, 8)).tolist()
    seconds, results = timed(lambda: table7_by_loop(draws))
    for key, values in results.items():
        assert_same(mine["results"][key], values, 1e-12)
    row("Table 7: 11 policies × 10 simulations", mine, "Python", seconds, 1.0, "all of it")
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--loop-cells", type=int, default=2, help="cells that the Python loop does (of 43)")
    parser.add_argument("--loop-fits", type=int, default=20, help="fits that the Python loop does (of 1,000)")
    options = parser.parse_args()
    if options.task:
        run_task(options.task, options.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        made_up_cells(Path(folder))
        ours("write lines", Path(folder), 1)  # children inherit the peak
        table = compare(Path(folder), options.loop_cells, options.loop_fits)
    print(table.to_string(index=False, float_format=lambda value: f"{value:,.2f}"))
    print("\nResults of ours and of the loops are equal. The cells are made up; see --help.")
    heaviest = table["peak (MB)"].max()
    if heaviest >= MEMORY_LIMIT_MB:
        sys.exit(f"peak memory {heaviest:.0f} MB, allowed are {MEMORY_LIMIT_MB} MB")


if __name__ == "__main__":
    main()
