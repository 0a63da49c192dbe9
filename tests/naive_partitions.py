"""Impurity and two-way partitions word by word from their definitions, slow and in exact order; for tests only."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations

Row = Sequence[float]
Measure = Callable[[float], float]

NEAR = 1e-12


def measure(name: str, order: float = 2.0) -> Measure:
    """h_c of a share above 0."""
    return {
        "entropy": lambda q: -math.log2(q),
        "gini": lambda q: 1 - q,
        "tsallis": lambda q: -math.log(q) if order == 1 else (1 - q ** (order - 1)) / (order - 1),
        "root": lambda q: math.sqrt((1 - q) / q),
    }[name]


def added(rows: Iterable[Row], k: int) -> list[float]:
    rows = list(rows)
    return [math.fsum(row[c] for row in rows) for c in range(k)]


def impurity(h: Measure, weights: Row) -> float:
    total = math.fsum(weights)
    return total * math.fsum(w / total * h(w / total) for w in weights if w > 0) if total > 0 else 0.0


def of_partition(h: Measure, table: Sequence[Row], left: Iterable[int]) -> float:
    k, inside = len(table[0]), set(left)
    sides = [[row for x, row in enumerate(table) if (x in inside) == side] for side in (True, False)]
    return sum(impurity(h, added(side, k)) for side in sides)


def first_least(h: Measure, table: Sequence[Row], choices: Iterable[Iterable[int]]) -> tuple[float, frozenset[int]]:
    best, found = math.inf, frozenset[int]()
    for choice in choices:
        left = frozenset(choice)
        value = of_partition(h, table, left)
        if value < best * (1 - NEAR):
            best, found = value, left
    return best, found


def exact(h: Measure, table: Sequence[Row]) -> float:
    n = len(table)
    return first_least(h, table, (c for size in range(1, n) for c in combinations(range(n), size)))[0]


def in_order(table: Sequence[Row], direction: Row) -> list[int]:
    def key(row: Row) -> Fraction:
        over = sum((Fraction(d) * Fraction(w) for d, w in zip(direction, row, strict=True)), Fraction())
        under = sum(map(Fraction, row), Fraction())
        return over / under if under else Fraction()

    return sorted(range(len(table)), key=lambda x: key(table[x]))


def along(h: Measure, table: Sequence[Row], direction: Row) -> tuple[float, frozenset[int]]:
    order = in_order(table, direction)
    return first_least(h, table, (order[:size] for size in range(1, len(order))))


def masks(k: int) -> Iterable[list[int]]:
    return ([(mask >> c) & 1 for c in range(k)] for mask in range(1, max(2 ** (k - 1), 2)))


def hcc(h: Measure, table: Sequence[Row]) -> float:
    best = math.inf
    for direction in masks(len(table[0])):
        value, _ = along(h, table, direction)
        best = value if value < best * (1 - NEAR) else best
    return best


def twoing(h: Measure, table: Sequence[Row]) -> float:
    best, found = math.inf, frozenset[int]()
    for direction in masks(len(table[0])):
        two = [[sum(w for w, d in zip(row, direction, strict=True) if d == side) for side in (1, 0)] for row in table]
        order = in_order(table, direction)
        value, left = first_least(h, two, (order[:size] for size in range(1, len(order))))
        if value < best * (1 - NEAR):
            best, found = value, left
    return of_partition(h, table, found)


def lca(h: Measure, table: Sequence[Row]) -> float:
    totals = added(table, len(table[0]))
    largest = totals.index(max(totals))
    return along(h, table, [float(c == largest) for c in range(len(totals))])[0]


def balanced(h: Measure, table: Sequence[Row]) -> float:
    totals = added(table, len(table[0]))
    best, direction = Fraction(0), [0] * len(totals)
    for mask in range(2 ** len(totals)):
        chosen = [(mask >> c) & 1 for c in range(len(totals))]
        value = sum((Fraction(t) * d for t, d in zip(totals, chosen, strict=True)), Fraction())
        if best < value <= sum(map(Fraction, totals)) / 2:
            best, direction = value, chosen
    return along(h, table, direction)[0]


def sliq(h: Measure, table: Sequence[Row], *, to_the_end: bool) -> float:
    left = set(range(len(table)))
    best = math.inf
    while len(left) > 1:
        now = of_partition(h, table, left)
        value, kept = first_least(h, table, ([y for y in sorted(left) if y != x] for x in sorted(left)))
        if not to_the_end and best < math.inf and not value < now * (1 - NEAR):
            break
        left = set(kept)
        best = value if value < best * (1 - NEAR) else best
    return best


def single_moves(table: Sequence[Row], left: frozenset[int]) -> Iterable[frozenset[int]]:
    moved = (left ^ {x} for x in range(len(table)))
    return (side for side in moved if 0 < len(side) < len(table))
