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

import numpy as np

from algos.belief import believe
from algos.decide import plan_of
from algos.scores import ODTN_R
from algos.simulate import Sample, draw_cases, simulate
from algos.sparse import SparseSteps, sparsity
from algos.steps import simulate_steps
from algos.table import UNKNOWN, OutcomeTable

SEED = 1
SIZES = (100, 1_000, 10_000)
CASES = {100: 200, 1_000: 60, 10_000: 10}
TESTS_PER_ROOT = 30


def random_table(m: int, rng: np.random.Generator) -> OutcomeTable:
    """m hypotheses, 30 sqrt(m) tests, alpha = 1/2."""
    root = math.isqrt(m)
    cells = np.full((m, TESTS_PER_ROOT * root), UNKNOWN, np.int16)
    for test in range(cells.shape[1]):
        cells[rng.choice(m, root, replace=False), test] = rng.integers(0, 2, root)
    return OutcomeTable.build(cells, np.full(cells.shape[1], 2))


def compare(m: int, cases: int) -> tuple[Sample, Sample]:
    """The same cases as sparse and as odtn-r end them."""
    rng = np.random.default_rng([SEED, m])
    table = random_table(m, rng)
    start, steps = believe(table, []), SparseSteps(table, sparsity(table), grouped=False)
    drawn = draw_cases(table, start, cases, rng)
    sparse = simulate_steps(table, steps, steps.begin(start), drawn)
    return sparse, simulate(table, start, plan_of(table, ODTN_R), drawn)


def main() -> None:
    """Print one line a size; the ratio with its standard error over the cases."""
    print(f"{'m':>6} {'n':>5} {'cases':>5} {'sparse':>8} {'odtn-r':>8} {'ratio':>12} {'named':>13}")
    for m in [int(size) for size in sys.argv[1:]] or SIZES:
        samples = compare(m, CASES.get(m, 10))
        tests = np.array([sample.cost for sample in samples])  # each costs 1
        sparse, odtn_r = tests.mean(axis=1)
        ratio, cases = sparse / odtn_r, tests.shape[1]
        error = (tests[0] - ratio * tests[1]).std(ddof=1) / math.sqrt(cases) / odtn_r
        named = " / ".join(str(sample.resolved.sum()) for sample in samples)
        n = TESTS_PER_ROOT * math.isqrt(m)
        print(f"{m:6} {n:5} {cases:5} {sparse:8.1f} {odtn_r:8.1f} {ratio:6.2f} ±{error:4.2f} {named:>13}")


if __name__ == "__main__":
    main()
