"""Exact evaluation of odtn-r on the WISER table against the same walk in numpy matrix products.

    python benchmarks/evaluate.py ../shared/data/wiser_clean.csv

On a random table of 10,000 x 300 with 20 % unknown it is compared with single decisions at the root.

Prints ratios of CPU times of one run, best of several rounds each, and checks that both walks give the same cost.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from algos.belief import believe
from algos.decide import TIE, plan_of, score_tests
from algos.scores import ODTN_R
from algos.table import OutcomeTable
from algos.walk import walk
from diagnoser.formats import open_table

ROUNDS = 7


class Planes:
    """The table as three 0/1 matrices (m, n): gives the first outcome only, the second only, either."""

    def __init__(self, cells: NDArray[np.int16]) -> None:
        self.first, self.second, self.either = ((cells == code).astype(float) for code in (0, 1, -1))


def numpy_walk(planes: Planes, rows: NDArray[np.int64], weight: NDArray[np.float64], spent: NDArray[np.bool_]) -> float:
    """Expected number of tests of odtn-r from this state on; weight is not normalised."""
    size = len(rows)
    if size == 1:
        return 0.0
    mass = weight.sum()
    both = np.vstack([np.ones(size), weight / mass])
    (n_first, p_first), (n_second, p_second), (n_either, p_either) = (
        both @ plane[rows] for plane in (planes.first, planes.second, planes.either)
    )
    gain = (n_second * p_first + n_first * p_second + (n_first + n_second) / 2 * p_either) / (size - 1)
    score = np.where(n_first <= n_second, p_first, p_second) + gain
    score[spent | (n_first == size) | (n_second == size) | (n_either == size)] = -np.inf
    best = score.max()
    if best == -np.inf:
        return 0.0
    test = int(np.argmax(score >= best - TIE * abs(best)))
    later = spent.copy()
    later[test] = True
    cost = float(mass)
    for plane in (planes.first, planes.second):
        factor = plane[rows, test] + planes.either[rows, test] / 2
        stays = factor > 0
        if stays.any():
            cost += numpy_walk(planes, rows[stays], (weight * factor)[stays], later)
    return cost


def best_cpu_seconds(work: Callable[[], object]) -> float:
    """Least CPU time of one call."""
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    """Time both walks and print the ratio."""
    kb = open_table(sys.argv[1])
    cells = np.frombuffer(kb.codes, np.int16).reshape(len(kb.hypotheses), len(kb.tests))
    table = OutcomeTable.build(cells, [2] * len(kb.tests))
    start, planes = believe(table, []), Planes(cells)
    plan = plan_of(table, ODTN_R)

    def compiled() -> float:
        return walk(table, start, plan).expected_cost

    def products() -> float:
        return numpy_walk(planes, start.rows, table.prior, np.zeros(table.tests, np.bool_))

    if abs(compiled() - products()) > 1e-9:
        raise SystemExit("the two walks do not agree")
    slow, fast = best_cpu_seconds(products), best_cpu_seconds(compiled)
    print(f"expected tests of odtn-r                    {compiled():.6f}")
    print(f"numpy matrix products / compiled walk (CPU) {slow / fast:.1f}")
    large_table()


def large_table() -> None:
    """Print how many single decisions the evaluation of a large table costs."""
    rng = np.random.default_rng(1)
    cells = rng.integers(0, 2, (10_000, 300)).astype(np.int8)
    cells[rng.random(cells.shape) < 0.2] = -1
    table = OutcomeTable.build(cells, [2] * 300)
    start, plan = believe(table, []), plan_of(table, ODTN_R)
    score_tests(table, start, plan)
    decision = best_cpu_seconds(lambda: score_tests(table, start, plan))
    whole = best_cpu_seconds(lambda: walk(table, start, plan))
    found = walk(table, start, plan)
    nodes = found.inner_nodes + found.leaves
    print(f"10,000 x 300: walk of {nodes:,} nodes / one decision (CPU) {whole / decision:.0f}")


if __name__ == "__main__":
    main()
