"""One test chosen, and a whole policy's tree of answers walked to its exact expected cost.

Expected cost = sum over inner nodes of the probability of reaching them times the cost of their test.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from algos.belief import Belief
from algos.jit import kernel
from algos.scores import (
    LOW_ADAPTIVE,
    NON_ADAPTIVE,
    ODTN_H,
    cell_size_of,
    new_sums,
    probability,
    score_all,
    settled,
    sum_branches,
)
from algos.table import Bool, Columns, Float64, Int32, Int64, OutcomeTable

_Scalar = TypeVar("_Scalar", bound=np.generic)

TIE = 1e-9
"""Scores within this relative distance of the best are equal; the lowest index wins."""

NODE_LIMIT = 2_000_000
NO_ORDER = np.arange(0)
"""For the policies that follow no fixed order."""


class Walk(NamedTuple):
    """The figures of a policy's tree. Costs in the table's unit."""

    expected_cost: float
    worst_cost: float
    inner_nodes: int
    leaves: int
    unresolved_probability: float
    """Probability that no test is left that could tell the remaining candidates apart."""
    complete: bool
    """False when the node limit ended the walk: the figures are then lower bounds."""


class Scores(NamedTuple):
    """One state seen by a policy. n tests, K = most outcomes."""

    choice: int
    """The test to ask; -1 when none is worth asking."""
    score: Float64
    """(n,) before division by cost."""
    informative: Bool
    """(n,) may be asked: not spent, and can tell candidates apart."""
    probability: Float64
    """(K, n) of each outcome."""
    stay: Int32
    """(K, n) candidates that can give it."""


def score_tests(table: OutcomeTable, belief: Belief, rule: int, grouped: bool, order: Int64 = NO_ORDER) -> Scores:
    """Scores of all tests and the policy's choice. The belief holds at least one candidate.

    rule: a number of `algos.scores`; order: (n,) all tests, read by the two fixed-order rules only.
    """
    state = _by_group(table, belief, grouped)
    return Scores(*_score_tests(table.columns, int(rule), order, grouped, *state, belief.spent, belief.answered))


def walk(
    table: OutcomeTable,
    belief: Belief,
    rule: int,
    grouped: bool,
    order: Int64 = NO_ORDER,
    node_limit: int = NODE_LIMIT,
) -> Walk:
    """Follow the policy from this state to every end. Stops at one candidate, or one group where `grouped`."""
    state = _by_group(table, belief, grouped)
    return Walk(*_walk(table.columns, int(rule), order, grouped, *state, belief.spent, belief.answered, node_limit))


def _by_group(table: OutcomeTable, belief: Belief, grouped: bool) -> tuple[Int64, Float64, Float64]:
    if not grouped:
        return belief.rows, belief.posterior, belief.log_copies
    order = np.argsort(table.columns.group[belief.rows], kind="stable")
    return belief.rows[order], belief.posterior[order], belief.log_copies[order]


@kernel
def _score_tests(
    columns: Columns,
    rule: int,
    order: Int64,
    grouped: bool,
    rows: Int64,
    p: Float64,
    log_copies: Float64,
    spent: Bool,
    answered: Bool,
) -> tuple[int, Float64, Bool, Float64, Int32]:
    tests = columns.cells.shape[1]
    sums = new_sums(tests, columns.partial_probability.shape[1])
    scores, informative = np.zeros(tests), np.zeros(tests, np.bool_)
    sum_branches(columns, rows, p, log_copies, rule == ODTN_H, grouped, sums)
    score_all(columns, rule, rows, log_copies, spent, answered, grouped, sums, scores, informative)
    choice = choose(columns, rule, order, spent, scores, informative)
    return choice, scores, informative, sums.mass, sums.can


@kernel
def choose(columns: Columns, rule: int, order: Int64, spent: Bool, scores: Float64, informative: Bool) -> int:
    """The test the policy asks, -1 when none that is left can tell candidates apart."""
    if not informative.any():
        return -1
    if rule in (LOW_ADAPTIVE, NON_ADAPTIVE):
        for e in order:
            if informative[e] or (rule == NON_ADAPTIVE and not spent[e]):
                return int(e)
    return first_of_best(scores / columns.cost, informative)


@kernel
def first_of_best(rates: Float64, allowed: Bool) -> int:
    """The lowest index among the allowed rates that equal the best; -1 where none is allowed."""
    best = -np.inf
    for e in range(rates.shape[0]):
        if allowed[e]:
            best = max(best, rates[e])
    enough = best - TIE * abs(best)
    for e in range(rates.shape[0]):
        if allowed[e] and rates[e] >= enough:
            return e
    return -1


@kernel
def _walk(
    columns: Columns,
    rule: int,
    order: Int64,
    grouped: bool,
    rows: Int64,
    p: Float64,
    log_copies: Float64,
    spent_before: Bool,
    answered_before: Bool,
    node_limit: int,
) -> tuple[float, float, int, int, float, bool]:
    # Depth first. A pending state keeps its candidates in one slice of three shared buffers that grow as a stack;
    # `path` holds the tests asked on the way to the state at hand.
    tests = columns.cells.shape[1]
    sums = new_sums(tests, columns.partial_probability.shape[1])
    scores, informative = np.zeros(tests), np.zeros(tests, np.bool_)
    spent, answered = spent_before.copy(), answered_before.copy()
    all_rows, all_p, all_copies = rows.copy(), p.copy(), log_copies.copy()
    path = np.full(tests + 1, -1, np.int64)
    depth_now = 0
    pending = [(0, rows.shape[0], 0, -1, 1.0, 0.0)]  # start, end, depth, test asked last, reach, cost so far
    expected, worst, unresolved = 0.0, 0.0, 0.0
    inner, leaves = 0, 0
    while len(pending) > 0:
        if inner + leaves >= node_limit:
            return expected, worst, inner, leaves, unresolved, False
        start, end, depth, asked, reach, cost = pending.pop()
        for level in range(depth - 1 if depth > 0 else 0, depth_now):
            spent[path[level]] = spent_before[path[level]]
            answered[path[level]] = answered_before[path[level]]
        depth_now = depth
        if depth > 0:
            path[depth - 1] = asked
            spent[asked] = True
            answered[asked] = True
        rows, p, log_copies = all_rows[start:end], all_p[start:end], all_copies[start:end]
        size = end - start
        test = -1
        done = settled(columns, rows, grouped)
        if not done:
            sum_branches(columns, rows, p, log_copies, rule == ODTN_H, grouped, sums)
            score_all(columns, rule, rows, log_copies, spent, answered, grouped, sums, scores, informative)
            test = choose(columns, rule, order, spent, scores, informative)
        if test < 0:
            leaves += 1
            worst = max(worst, cost)
            if not done:
                unresolved += reach
            continue
        inner += 1
        expected += reach * columns.cost[test]
        cost += columns.cost[test]
        # A fixed order may ask what tells nobody apart. Its answers lead to states that go on alike, so one of them
        # stands for all; the expected cost is linear in the weights.
        need = end + size * columns.outcomes[test]
        if need > all_rows.shape[0]:
            room = 2 * need
            all_rows, all_p, all_copies = _grown(all_rows, room), _grown(all_p, room), _grown(all_copies, room)
            rows, p, log_copies = all_rows[start:end], all_p[start:end], all_copies[start:end]
        top = end
        if not informative[test]:
            for i in range(size):
                all_rows[top + i], all_p[top + i], all_copies[top + i] = rows[i], p[i], log_copies[i]
            pending.append((top, top + size, depth + 1, test, reach, cost))
            continue
        for v in range(columns.outcomes[test]):
            if sums.can[v, test] == 0:
                continue
            first = top
            total = 0.0
            for i in range(size):
                chance = probability(columns, rows[i], test, v)
                if chance > 0.0:
                    all_rows[top] = rows[i]
                    all_p[top] = p[i] * chance
                    all_copies[top] = log_copies[i] - np.log2(cell_size_of(columns, rows[i], test))
                    total += float(all_p[top])
                    top += 1
            for i in range(first, top):
                all_p[i] = all_p[i] / total if total > 0.0 else 1.0 / (top - first)
            pending.append((first, top, depth + 1, test, reach * total, cost))
    return expected, worst, inner, leaves, unresolved, True


@kernel
def _grown(values: NDArray[_Scalar], room: int) -> NDArray[_Scalar]:
    larger = np.empty(room, values.dtype)
    larger[: values.shape[0]] = values
    return larger
