"""When a case is over, besides running out of tests.

    unique        one candidate is left
    group         all candidates are in one group
    neighborhood  all candidates lie in D_x of some hypothesis x of the table, possible or not;
                  D_x = x and all that share an outcome with x on every test
    clique        no two candidates can be told apart by any test of the table
    posterior     some candidate has at least the probability `threshold`
    budget        one candidate is left; no test is asked that would take the cost above `threshold`

Source: Jia et al., NeurIPS 2019, section 5 (neighborhood and clique). Scores look at groups under `group` only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algos.jit import kernel
from algos.table import Bool, Columns, Float64, Int64, OutcomeTable, cell_outcomes

UNIQUE, GROUP, NEIGHBORHOOD, CLIQUE, POSTERIOR, BUDGET = range(6)

ROUNDING = 1e-12
"""By this relative difference a posterior may miss its threshold."""

Bits = NDArray[np.uint64]


class Stop(NamedTuple):
    """A stopping rule made ready for one table."""

    kind: int
    threshold: float
    near: Bits
    """(m, words) bit y of row x: no test of the table tells x from y; filled for neighborhood and clique only."""


def stop_rule(table: OutcomeTable, kind: int, threshold: float = 0.0) -> Stop:
    """The rule of this kind. threshold: a probability for POSTERIOR, a cost for BUDGET."""
    near = inseparable(table) if kind in (NEIGHBORHOOD, CLIQUE) else np.zeros((0, 0), np.uint64)
    return Stop(int(kind), float(threshold), near)


def inseparable(table: OutcomeTable) -> Bits:
    """(m, words) bit sets: bit y of row x is set when x and y share an outcome on every test; m n K words of work."""
    m = table.hypotheses
    near = np.full((m, (m + 63) // 64), ~np.uint64(0))
    near[:, -1] >>= np.uint64(-m % 64)
    for test in range(table.tests):
        gives = cell_outcomes(table.columns, test)
        packed = np.packbits(gives, axis=0, bitorder="little")
        padded = np.zeros((near.shape[1] * 8, gives.shape[1]), np.uint8)
        padded[: packed.shape[0]] = packed
        _meet(near, np.ascontiguousarray(padded.T).view(np.uint64), gives)
    return near


@kernel
def _meet(near: Bits, givers: Bits, gives: Bool) -> None:
    """Keep in near[x] those that share an outcome with x; givers: (K, words), gives: (m, K)."""
    shared = np.zeros(near.shape[1], np.uint64)
    for x in range(near.shape[0]):
        shared[:] = 0
        for v in range(gives.shape[1]):
            if gives[x, v]:
                for w in range(shared.shape[0]):
                    shared[w] |= givers[v, w]
        for w in range(shared.shape[0]):
            near[x, w] &= shared[w]


@kernel
def settled(columns: Columns, rows: Int64, grouped: bool) -> bool:
    """One candidate is left, or one group where `grouped`."""
    same = grouped or rows.shape[0] == 1  # loops, not array expressions: those compile slowly
    if grouped:
        for x in rows:
            same &= columns.group[x] == columns.group[rows[0]]
    return same


@kernel
def stopped(columns: Columns, stop: Stop, rows: Int64, p: Float64) -> bool:
    """The rule holds for these candidates with masses p. At least one is left."""
    if rows.shape[0] == 1:
        return True
    if stop.kind == GROUP:
        return settled(columns, rows, True)
    if stop.kind == NEIGHBORHOOD:
        return _share_a_neighbour(stop.near, rows)
    if stop.kind == CLIQUE:
        for i in range(rows.shape[0]):
            for j in range(i):
                word = stop.near[rows[i], rows[j] // 64]
                if (word >> np.uint64(rows[j] % 64)) & np.uint64(1) == 0:
                    return False
        return True
    if stop.kind == POSTERIOR:
        return bool(p.max() >= stop.threshold * (1.0 - ROUNDING))
    return False


@kernel
def _share_a_neighbour(near: Bits, rows: Int64) -> bool:
    for w in range(near.shape[1]):
        common = near[rows[0], w]
        for x in rows:
            common &= near[x, w]
            if common == 0:
                break
        if common != 0:
            return True
    return False
