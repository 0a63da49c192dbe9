"""How much faster a tree is grown than scikit-learn's, at equal accuracy; ratios of CPU time in one run, one thread.

    python benchmarks/trees.py [ROWS]

Both trees reduce entropy and nothing else (trade-off infinite), so that they ask nearly the same. Four kinds of 50
columns: yes or no; eight whole numbers; real numbers by exact thresholds; the same in 255 bins, binning included.
Coded columns and 32-bit floats are made beforehand for each side; merging equal rows is part of our time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from algos.impurity import criterion_of
from algos.objects import objects_of
from algos.splits import NUMBER, Rules
from algos.table import Float64, Int64
from algos.trees import Features, Tree, grow
from diagnoser.columns import Coded, coded, stacked
from diagnoser.model import Feature, Model, routes_of

COLUMNS, ROUNDS = 50, 3
_Result = TypeVar("_Result")


def best(work: Callable[[], _Result], rounds: int = ROUNDS) -> tuple[float, _Result]:
    """Least CPU time of one call, and what it gives."""
    least = np.inf
    for _ in range(rounds):
        started = time.process_time()
        result = work()
        least = min(least, time.process_time() - started)
    return least, result


def drawn(kind: str, rows: int, rng: np.random.Generator) -> tuple[Float64, Int64]:
    """Columns and classes: five columns add up, two more matter together, the rest is noise."""
    if kind == "yes or no":
        values = rng.integers(0, 2, (rows, COLUMNS)).astype(float)
    elif kind == "eight numbers":
        values = rng.integers(0, 8, (rows, COLUMNS)).astype(float)
    else:
        values = rng.normal(size=(rows, COLUMNS))
    spread = values.std()
    score = values[:, :5].sum(axis=1) + 2 * values[:, 5] * values[:, 6] / spread + rng.normal(0, spread, rows)
    return values, (score > np.median(score)).astype(np.int64)


def ours(columns: list[Coded], labels: Int64) -> Tree:
    """Merge and grow."""
    rows = labels.size
    objects = objects_of(stacked(columns, rows), labels, np.ones(rows), 2)
    sizes = np.array([column.size for column in columns])
    features = Features(np.full(COLUMNS, NUMBER), sizes, np.ones(COLUMNS), np.full(COLUMNS, -1), np.zeros(0))
    return grow(objects, features, Rules(criterion_of("entropy"), trade_off=1.0, progress=False), 2)


def right(tree: Tree, columns: list[Coded], values: Float64, labels: Int64) -> float:
    """Share of new rows labelled rightly."""
    features = tuple(Feature(f"x{place}") for place in range(COLUMNS))
    model = Model("class", ("0", "1"), features, routes_of(tree, columns))
    return float(np.mean(model.labels[model.stops(list(values.T))] == labels))


def main() -> None:
    """Print a line for each kind of columns."""
    rows, rng = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, np.random.default_rng(1)
    for kind, bins in (("yes or no", None), ("eight numbers", None), ("exact", None), ("255 bins", 255)):
        values, labels = drawn(kind, 2 * rows, rng)
        known, new = values[:rows], values[rows:]
        weights, as_floats = np.ones(rows), known.astype(np.float32)

        def prepared(known: Float64 = known, bins: int | None = bins, weights: Float64 = weights) -> list[Coded]:
            return [coded(column, weights, bins) for column in known.T]

        columns = prepared()
        ours(columns, labels[:rows])
        if bins:
            fast, tree = best(lambda p=prepared, y=labels: ours(p(), y[:rows]))  # type: ignore[misc]
        else:
            fast, tree = best(lambda c=columns, y=labels: ours(c, y[:rows]))  # type: ignore[misc]
        peer = DecisionTreeClassifier(criterion="entropy", random_state=0)
        slow, peer = best(lambda p=peer, x=as_floats, y=labels: p.fit(x, y[:rows]), 1)  # type: ignore[misc]
        mine, theirs = right(tree, columns, new, labels[rows:]), peer.score(new.astype(np.float32), labels[rows:])
        print(f"{kind:14} scikit-learn / ours {slow / fast:6.1f}   right on new rows {mine:.3f}, theirs {theirs:.3f}")


if __name__ == "__main__":
    main()
