"""What some answers leave: the candidates, their posterior, and which tests are used up.

Everything is computed from the list of answers, so the order of answers never matters and undo is exact.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from algos.table import UNKNOWN, Bool, Float64, Int64, OutcomeTable, cell_sizes

Answer = tuple[int, Collection[int]]
"""A test with the outcomes the operator saw; none, or all of them, is "could not tell"."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """A state of the case. |H| candidates, n tests."""

    rows: Int64
    """(|H|,) candidates, ascending."""
    posterior: Float64
    """(|H|,) sums to 1; empty after a contradiction."""
    log_copies: Float64
    """(|H|,) log2 of the product of cell sizes over unanswered tests."""
    spent: Bool
    """(n,) asked, whatever the answer: not to be asked again."""
    answered: Bool
    """(n,) asked with a known answer."""


def believe(table: OutcomeTable, answers: Sequence[Answer], excluded: Collection[int] = ()) -> Belief:
    """The state after these answers, each test at most once, without the excluded hypotheses.

    A candidate is compatible with every answer; its weight is its prior times the probability of each answer
    (weights are kept as logarithms, so no number of answers makes them vanish). Raises ValueError for a test
    answered twice and for a test, outcome or hypothesis out of range.
    """
    columns = table.columns
    log_weight = np.log2(table.prior)
    log_copies = table.log_copies.copy()
    alive = np.ones(table.hypotheses, dtype=np.bool_)
    if not all(0 <= row < table.hypotheses for row in excluded):
        raise ValueError(f"excluded hypotheses {sorted(excluded)} are out of range")
    alive[list(excluded)] = False
    spent = np.zeros(table.tests, dtype=np.bool_)
    answered = np.zeros(table.tests, dtype=np.bool_)
    for test, outcomes in sorted(answers, key=lambda answer: answer[0]):  # rounding must not depend on the order
        if not 0 <= test < table.tests:
            raise ValueError(f"test {test} is out of range")
        if spent[test]:
            raise ValueError(f"test {test} is answered twice")
        spent[test] = True
        seen = set(outcomes)
        if not seen <= set(range(int(columns.outcomes[test]))):
            raise ValueError(f"outcomes {sorted(seen)} of test {test} are out of range")
        if len(seen) in (0, columns.outcomes[test]):
            continue
        answered[test] = True
        probability = likelihood(table, test, seen)
        alive &= probability > 0
        log_weight += np.log2(np.where(probability > 0, probability, 1.0))
        log_copies -= np.log2(cell_sizes(columns, columns.cells[:, test], test))
    rows = np.flatnonzero(alive)
    weight = np.exp2(log_weight[rows] - log_weight[rows].max(initial=-np.inf))
    return Belief(rows, weight / weight.sum(), log_copies[rows], spent, answered)


def likelihood(table: OutcomeTable, test: int, outcomes: Collection[int]) -> Float64:
    """(m,) probability that each hypothesis gives one of these outcomes."""
    columns = table.columns
    chosen = np.zeros(columns.partial_probability.shape[1], dtype=np.bool_)
    chosen[list(outcomes)] = True
    codes = columns.cells[:, test].astype(np.int64)
    applicable = int(columns.applicable[test])
    probability = chosen[np.maximum(codes, 0)].astype(np.float64)
    probability[codes == UNKNOWN] = chosen[:applicable].sum() / applicable
    partial = codes < UNKNOWN
    entries = columns.partial_start[test] - 2 - codes[partial]
    probability[partial] = columns.partial_probability[entries][:, chosen].sum(axis=1)
    return probability
