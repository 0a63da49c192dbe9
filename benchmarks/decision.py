"""One decision of odtn-r, and a whole case, against numpy matrix products and against reading the table once.

    python benchmarks/decision.py --table ../shared/data/wiser_clean.csv --sizes 10000x300 100000x1000

Prints ratios of CPU times of one run on one thread, best over best of several rounds, and checks that numpy chooses
the same test. Tables are random: two outcomes, one cell in five unknown, uneven priors.
"""

# ruff: noqa: E402
# The thread counts must be set before numpy is imported.

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray

from algos.belief import Answer, Belief, believe
from algos.decide import TIE, plan_of, score_tests
from algos.jit import kernel
from algos.scores import ODTN_R
from algos.table import UNKNOWN, Float64, Int8, OutcomeTable
from diagnoser.formats import open_table

UNKNOWN_SHARE = 0.2
BLOCK = 10_000
"""Rows generated at a time, so that the largest table needs no matrix of random numbers beside it."""
ROUND_SECONDS = 0.05
"""Calls are repeated within one round until they fill this: short ones are below the clock's grain."""


def random_table(hypotheses: int, tests: int, rng: np.random.Generator) -> OutcomeTable:
    """Two outcomes, one cell in five unknown, priors from 1 to 10 before scaling."""
    cells = rng.integers(0, 2, (hypotheses, tests), dtype=np.int8)
    for start in range(0, hypotheses, BLOCK):
        block = cells[start : start + BLOCK]
        block[rng.random(block.shape, dtype=np.float32) < UNKNOWN_SHARE] = UNKNOWN
    return OutcomeTable.build(cells, [2] * tests, prior=rng.uniform(1, 10, hypotheses))


def table_of(path: str) -> OutcomeTable:
    """A two-outcome table from a file."""
    kb = open_table(path)
    cells = np.frombuffer(kb.codes, np.int16).reshape(len(kb.hypotheses), len(kb.tests))
    return OutcomeTable.build(cells, [2] * len(kb.tests))


def float_planes(table: OutcomeTable) -> list[Float64]:
    """The table as three 0/1 matrices (m, n): gives the first outcome only, the second only, either."""
    planes = []
    for code in (0, 1, UNKNOWN):
        plane = np.empty(table.columns.binary.shape)
        np.equal(table.columns.binary, code, out=plane)
        planes.append(plane)
    return planes


def products_choice(planes: list[Float64], prior: Float64) -> int:
    """The root's test of odtn-r by two vector-matrix products a plane."""
    size = len(prior)
    ones = np.ones(size)
    (n_first, p_first), (n_second, p_second), (n_either, p_either) = ((ones @ plane, prior @ plane) for plane in planes)
    gain = (n_second * p_first + n_first * p_second + (n_first + n_second) / 2 * p_either) / (size - 1)
    score = np.where(n_first <= n_second, p_first, p_second) + gain
    score[(n_first == size) | (n_second == size) | (n_either == size)] = -np.inf
    best = score.max()
    return int(np.argmax(score >= best - TIE * abs(best)))


@kernel
def read_once(cells: Int8) -> int:
    """Every byte read, by adding them all up; 32-bit sums of a row keep up with the memory."""
    total = 0
    for x in range(cells.shape[0]):
        row, of_row = cells[x], np.int32(0)
        for e in range(cells.shape[1]):
            of_row = np.int32(of_row + row[e])
        total += of_row
    return total


def decide(table: OutcomeTable, belief: Belief) -> int:
    """The test odtn-r asks in this state; -1 at the end of the case."""
    return score_tests(table, belief, plan_of(table, ODTN_R)).choice


def answers_of(table: OutcomeTable, hidden: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """What the hidden hypothesis answers to each test, unknown cells settled by a coin."""
    codes = table.columns.binary[hidden]
    return np.where(codes == UNKNOWN, rng.integers(0, 2, table.tests), codes).astype(np.int8)


def whole_case(table: OutcomeTable, replies: NDArray[np.int8]) -> list[Belief]:
    """Every state of a case from the root to its end."""
    answers: list[Answer] = []
    states = [believe(table, answers)]
    while len(states[-1].rows) > 1 and (test := decide(table, states[-1])) >= 0:
        answers.append((test, (int(replies[test]),)))
        states.append(believe(table, answers))
    return states


def best_cpu_seconds(work: Callable[[], object], rounds: int) -> float:
    """Least CPU time of one call, averaged within a round."""
    started = time.process_time()
    work()
    calls = max(1, int(ROUND_SECONDS / max(time.process_time() - started, 1e-6)))
    times = []
    for _ in range(rounds):
        started = time.process_time()
        for _ in range(calls):
            work()
        times.append((time.process_time() - started) / calls)
    return min(times)


def report(name: str, table: OutcomeTable, rounds: int, cases: int, rng: np.random.Generator) -> None:
    """Print one table's ratios. Raises SystemExit where numpy chooses another test."""
    root = believe(table, [])
    planes = float_planes(table)
    chosen = decide(table, root)
    if products_choice(planes, table.prior) != chosen:
        raise SystemExit(f"{name}: numpy chooses another test")
    products = best_cpu_seconds(lambda: products_choice(planes, table.prior), rounds)
    read = best_cpu_seconds(lambda: read_once(table.columns.binary), rounds)
    decision = best_cpu_seconds(lambda: decide(table, root), rounds)
    print(f"{name}: numpy products / decision {products / decision:.1f}, decision / read {decision / read:.2f}")
    for _ in range(cases):
        hidden = int(rng.integers(table.hypotheses))
        replies = answers_of(table, hidden, rng)
        states = whole_case(table, replies)
        if hidden not in states[-1].rows:
            raise SystemExit(f"{name}: the case ends without its hypothesis")
        case = best_cpu_seconds(lambda replies=replies: whole_case(table, replies), rounds)
        choices = best_cpu_seconds(lambda states=states: [decide(table, s) for s in states if len(s.rows) > 1], rounds)
        print(
            f"{name}: case of {len(states) - 1} tests: decisions alone / read {choices / read:.1f}, "
            f"with beliefs / read {case / read:.1f}"
        )


def main() -> None:
    """Parse the options and report each table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", help="a two-outcome table in a file, reported first")
    parser.add_argument("--sizes", nargs="*", default=["10000x300", "100000x1000"], help="hypotheses x tests")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--cases", type=int, default=2, help="whole cases on each table")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    if options.table:
        report(options.table, table_of(options.table), options.rounds, options.cases, rng)
    for size in options.sizes:
        hypotheses, tests = (int(number) for number in size.split("x"))
        report(size, random_table(hypotheses, tests, rng), options.rounds, options.cases, rng)


if __name__ == "__main__":
    main()
