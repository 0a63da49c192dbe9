"""Mean cost of the sparse policy against odtn-r on random tables with alpha = 1/2.

    python benchmarks/sparse.py [m ...]

Each test is determinate for the whole part of sqrt(m) random hypotheses, with a random one of two outcomes, and
unknown for all others. There are 30 sqrt(m) tests, so a hypothesis is determinate on about 30 of them: enough to
rule out nearly every rival of any hypothesis. Both policies meet the same hidden hypotheses, which give
the same answers; a case ends with one candidate left, or with nothing left to ask.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from algos.belief import believe
from algos.scores import ODTN_R
from algos.simulate import draw_cases
from algos.sparse import after, ask, narrow, replay, sparsity
from algos.table import UNKNOWN, Int64, OutcomeTable
from algos.walk import plan_of, score_tests

SEED = 1
SIZES = (100, 1_000, 10_000)
CASES = {100: 200, 1_000: 60, 10_000: 10}
TESTS_PER_ROOT = 30


class End(NamedTuple):
    """How one case ended."""

    tests: int
    candidates: Int64


def random_table(m: int, rng: np.random.Generator) -> OutcomeTable:
    """m hypotheses, 30 sqrt(m) tests, alpha = 1/2."""
    root = math.isqrt(m)
    cells = np.full((m, TESTS_PER_ROOT * root), UNKNOWN, np.int16)
    for test in range(cells.shape[1]):
        cells[rng.choice(m, root, replace=False), test] = rng.integers(0, 2, root)
    return OutcomeTable.build(cells, np.full(cells.shape[1], 2))


def run_sparse(table: OutcomeTable, outcomes: Int64) -> End:
    """One case whose hypothesis gives these (n,) outcomes."""
    sparse = sparsity(table)
    state = replay(table, sparse, [])
    asked = 0
    while (test := ask(table, state, grouped=False)) >= 0:
        state, _ = after(table, sparse, state, test, [int(outcomes[test])])
        asked += 1
    return End(asked, state.belief.rows)


def run_odtn_r(table: OutcomeTable, outcomes: Int64) -> End:
    """The same with odtn-r."""
    belief = believe(table, [])
    asked = 0
    while len(belief.rows) > 1 and (test := score_tests(table, belief, plan_of(table, ODTN_R)).choice) >= 0:
        belief, _ = narrow(table, belief, test, [int(outcomes[test])])
        asked += 1
    return End(asked, belief.rows)


def compare(m: int, cases: int) -> Iterator[tuple[End, End]]:
    """Each case as sparse and as odtn-r end it. Raises SystemExit when one of them loses the truth."""
    rng = np.random.default_rng([SEED, m])
    table = random_table(m, rng)
    policies: tuple[Callable[[OutcomeTable, Int64], End], ...] = (run_sparse, run_odtn_r)
    for truth, outcomes in zip(*draw_cases(table, believe(table, []), cases, rng), strict=True):
        ends = [policy(table, outcomes) for policy in policies]
        if any(truth not in end.candidates for end in ends):
            raise SystemExit(f"hypothesis {truth} of {m} was ruled out by its own answers")
        yield ends[0], ends[1]


def main() -> None:
    """Print one line a size; the ratio with its standard error over the cases."""
    print(f"{'m':>6} {'n':>5} {'cases':>5} {'sparse':>8} {'odtn-r':>8} {'ratio':>12} {'named':>13}")
    for m in [int(size) for size in sys.argv[1:]] or SIZES:
        ends = list(compare(m, CASES.get(m, 10)))
        tests = np.array([[end.tests for end in case] for case in ends], dtype=float)
        sparse, odtn_r = tests.mean(axis=0)
        ratio = sparse / odtn_r
        error = (tests[:, 0] - ratio * tests[:, 1]).std(ddof=1) / math.sqrt(len(tests)) / odtn_r
        named = " / ".join(f"{sum(len(case[p].candidates) == 1 for case in ends)}" for p in range(2))
        n = TESTS_PER_ROOT * math.isqrt(m)
        print(f"{m:6} {n:5} {len(ends):5} {sparse:8.1f} {odtn_r:8.1f} {ratio:6.2f} ±{error:4.2f} {named:>13}")


if __name__ == "__main__":
    main()
