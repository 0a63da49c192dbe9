"""Time of a partition against pcext, and how often each method wins on random tables.

    python benchmarks/partitions.py [--tables N]

Times: 50 values, 9 classes, whole numbers 0 to 7, Gini; CPU time on one thread, best over best of several rounds.
Wins: the share of tables on which a method's impurity is least among hcc, pcext, sliqext and lca (the experiment of
Laber, Molinaro, Mello Pereira, ICML 2018, Tables 1 and 2), and, of multi, on which it is no worse than all four.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from algos.impurity import Criterion, criterion_of
from algos.partitions import METHODS, part
from algos.table import Float64

SEED = 1
FOUR = ("hcc", "pcext", "sliqext", "lca")
SIZES = ((12, 3), (12, 5), (25, 5), (25, 9), (50, 3), (50, 9))
ROUND_SECONDS = 0.05
EQUAL = 1e-9


def best_cpu_seconds(call: Callable[[], object], rounds: int = 7) -> float:
    """Of one call, the best of several rounds."""
    call()
    best = np.inf
    for _ in range(rounds):
        calls, started = 0, time.process_time()
        while time.process_time() - started < ROUND_SECONDS:
            call()
            calls += 1
        best = min(best, (time.process_time() - started) / calls)
    return float(best)


def print_times() -> None:
    """Each method over pcext."""
    criterion = criterion_of("gini")
    table = np.random.default_rng(SEED).integers(0, 8, (50, 9)).astype(np.float64)
    seconds = {m: best_cpu_seconds(lambda m=m: part(table, METHODS.index(m), criterion)) for m in (*FOUR, "multi")}
    for method in ("lca", "sliqext", "multi", "hcc"):
        print(f"50 x 9, gini: {method} / pcext {seconds[method] / seconds['pcext']:.2f}")


def wins(tables: list[Float64], criterion: Criterion) -> dict[str, float]:
    """The share of tables that each of the four wins, ties counting for all, and on which multi is as good as each."""
    found = {m: np.array([part(t, METHODS.index(m), criterion)[1] for t in tables]) for m in (*FOUR, "multi")}
    least = np.min([found[m] for m in FOUR], axis=0) * (1 + EQUAL)
    return {method: float((found[method] <= least).mean()) for method in found}


def main() -> None:
    """Print the ratios and a line for each size and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=2000)
    number = parser.parse_args().tables
    print_times()
    print(f"wins of {number} tables, %: " + "  ".join(f"{m:>7}" for m in (*FOUR, "multi")))
    for n, k in SIZES:
        rng = np.random.default_rng([SEED, n, k])
        tables = [rng.integers(0, 8, (n, k)).astype(np.float64) for _ in range(number)]
        for measure in ("gini", "entropy"):
            shares = wins(tables, criterion_of(measure))
            print(f"{n:>3} x {k} {measure:<8}          " + "  ".join(f"{100 * s:7.1f}" for s in shares.values()))


if __name__ == "__main__":
    main()
