"""Policy improvement: look one decision ahead, then trust a base policy.

Level 0 is the base. Level L takes, among the `width` best tests of the base (score / cost, ties to the lowest index),
the one whose exact expected cost is least when the case goes on with level L - 1; ties within 1e-9 go to the lowest
index. The base's own choice is among them, so no level costs more than the one below it (policy improvement, Howard
1960), and the base's guarantee stays. States of at most `endgame` candidates are finished at the least cost any policy
can have, by branch and bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.belief import Belief
from algos.jit import kernel
from algos.scores import new_sums
from algos.stopping import stopped
from algos.table import Bool, Columns, OutcomeTable
from algos.walk import NODE_LIMIT, TIE, Plan, State, Walk, child, first_of_best, look, state_of, walk_state


class Ahead(NamedTuple):
    """How far to look."""

    level: int
    width: int
    endgame: int
    """Sets of at most this many candidates are finished exactly; 0 for none."""


def choose_ahead(table: OutcomeTable, belief: Belief, plan: Plan, ahead: Ahead) -> tuple[int, float]:
    """The test to ask, -1 when the case is over, and the expected cost of going on with it as level - 1."""
    expected, _, _, _, _, choice = _follow(
        table.columns, plan, *ahead, state_of(table, belief, plan.stop), True, NODE_LIMIT
    )
    return choice, expected


def walk_ahead(table: OutcomeTable, belief: Belief, plan: Plan, ahead: Ahead, node_limit: int = NODE_LIMIT) -> Walk:
    """Follow the improved policy from this state to every end."""
    state = state_of(table, belief, plan.stop)
    expected, worst, inner, leaves, unresolved, _ = _follow(table.columns, plan, *ahead, state, False, node_limit)
    return Walk(expected, worst, inner, leaves, unresolved, True)


@kernel
def _follow(
    columns: Columns,
    plan: Plan,
    level: int,
    width: int,
    endgame: int,
    state: State,
    decide_only: bool,
    node_limit: int,
) -> tuple[float, float, int, int, float, int]:
    """Expected and worst cost, inner nodes, leaves, unresolved probability and first test of level `level`."""
    if level == 0:
        expected, worst, inner, leaves, unresolved, _ = walk_state(columns, plan, state, node_limit, np.zeros(0))
        return expected, worst, inner, leaves, unresolved, -1
    if stopped(columns, plan.stop, state.rows, state.p):
        return 0.0, 0.0, 0, 1, 0.0, -1
    tests = columns.cells.shape[1]
    sums = new_sums(tests, columns.partial_probability.shape[1])
    scores, informative = np.zeros(tests), np.zeros(tests, np.bool_)
    first = look(columns, plan, state, sums, scores, informative)
    if first < 0:
        return 0.0, 0.0, 0, 1, 1.0, -1
    best, choice = np.inf, first
    if state.rows.shape[0] <= endgame:
        best, choice = _least(columns, plan, state)
    else:
        rates, open_tests = scores / columns.cost, informative.copy()
        for _ in range(width):
            e = first_of_best(rates, open_tests)
            if e < 0:
                break
            open_tests[e] = False
            total = columns.cost[e]
            for v in range(columns.outcomes[e]):
                if sums.can[v, e] > 0 and total < best * (1.0 + TIE):
                    total += sums.mass[v, e] * _follow(
                        columns, plan, level - 1, width, endgame, child(columns, state, e, v), False, node_limit
                    )[0]
            if total < best * (1.0 - TIE) or (total <= best * (1.0 + TIE) and e < choice):
                best, choice = min(best, total), e
    if decide_only:
        return best, 0.0, 0, 0, 0.0, choice
    expected, worst, inner, leaves, unresolved = columns.cost[choice], 0.0, 1, 0, 0.0
    for v in range(columns.outcomes[choice]):
        if sums.can[v, choice] > 0:
            below = _follow(columns, plan, level, width, endgame, child(columns, state, choice, v), False, node_limit)
            expected += sums.mass[v, choice] * below[0]
            worst = max(worst, below[1])
            inner += below[2]
            leaves += below[3]
            unresolved += sums.mass[v, choice] * below[4]
    return expected, worst + columns.cost[choice], inner, leaves, unresolved, choice


@kernel
def _least(columns: Columns, plan: Plan, state: State) -> tuple[float, int]:
    """The least expected cost from here and the test that begins it, by branch and bound; (0, -1) at an end."""
    if stopped(columns, plan.stop, state.rows, state.p):
        return 0.0, -1
    tests = columns.cells.shape[1]
    sums = new_sums(tests, columns.partial_probability.shape[1])
    scores, informative = np.zeros(tests), np.zeros(tests, np.bool_)
    if look(columns, plan, state, sums, scores, informative) < 0:
        return 0.0, -1
    best, choice = np.inf, -1
    rates, open_tests = scores / columns.cost, informative.copy()
    _drop_repeats(columns, state, open_tests)
    while True:
        e = first_of_best(rates, open_tests)
        if e < 0:
            return best, choice
        open_tests[e] = False
        total = columns.cost[e]
        for v in range(columns.outcomes[e]):
            if sums.can[v, e] > 0 and total < best * (1.0 + TIE):
                total += sums.mass[v, e] * _least(columns, plan, child(columns, state, e, v))[0]
        if total < best * (1.0 - TIE) or (total <= best * (1.0 + TIE) and e < choice):
            best, choice = min(best, total), e


@kernel
def _drop_repeats(columns: Columns, state: State, open_tests: Bool) -> None:
    """Of tests that say the same of all candidates at no less cost only the first is worth a look."""
    if columns.need_test.shape[0] > 0 or (columns.evidence >= 0).any():
        return
    rows = state.rows
    for e in range(open_tests.shape[0]):
        for other in range(e):
            if not open_tests[e]:
                break
            if not open_tests[other] or columns.cost[other] > columns.cost[e]:
                continue
            if columns.outcomes[other] != columns.outcomes[e] or columns.applicable[other] != columns.applicable[e]:
                continue
            same = True
            for x in rows:
                code = columns.cells[x, e]
                same &= code == columns.cells[x, other] and code >= -1
            if same:
                open_tests[e] = False
