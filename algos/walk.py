"""A whole policy's tree of answers walked to its exact expected cost.

Expected cost = sum over inner nodes of the probability of reaching them times the cost of their test.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from algos.belief import Belief
from algos.decide import Plan, State, choose, close, close_others, look, state_of
from algos.jit import kernel
from algos.scores import (
    COULD_NOT_TELL,
    NOT_ASKED,
    ODTN_H,
    add_up,
    by_pairs,
    cell_size_of,
    new_room,
    probability,
    rate_pairs,
)
from algos.stopping import BUDGET, GROUP, POSTERIOR, UNIQUE, stopped
from algos.table import Columns, Float64, Int64, OutcomeTable, chance_of

NODE_LIMIT = 2_000_000


_Array = TypeVar("_Array", Int64, Float64)


class Walk(NamedTuple):
    """The figures of a policy's tree. Costs in the table's unit."""

    expected_cost: float
    worst_cost: float
    inner_nodes: int
    leaves: int
    """A fixed order may ask what tells nobody apart; its outcomes then count as one, for all go on alike."""
    unresolved_probability: float
    """Probability of ending with no test left to ask before the stopping rule holds."""
    complete: bool
    """False when the node limit ended the walk: the figures are then lower bounds."""


def walk(
    table: OutcomeTable,
    belief: Belief,
    plan: Plan,
    node_limit: int = NODE_LIMIT,
    by_hypothesis: Float64 | None = None,
) -> Walk:
    """Follow the policy from this state to every end.

    by_hypothesis: (m,) filled with each hypothesis' share of the expected cost: its posterior times its own cost.
    """
    shares = np.zeros(0) if by_hypothesis is None else by_hypothesis
    return Walk(*walk_state(table.columns, plan, state_of(table, belief, plan.stop), node_limit, shares))


@kernel
def earlier_evidence(evidence: Int64, said: Int64, e: int) -> int:
    """The lowest answered test that repeats the evidence of test e; -1 where there is none."""
    if evidence[e] < 0:
        return -1
    for other in range(said.shape[0]):
        answered = said[other] != NOT_ASKED and said[other] != COULD_NOT_TELL
        if other != e and answered and evidence[other] == evidence[e]:
            return other
    return -1


@kernel
def weight_factor(columns: Columns, said: Int64, x: int, e: int, v: int, earlier: int) -> float:
    """What answer v to test e does to the weight of x; of repeated evidence only the lowest test counts."""
    chance = probability(columns, x, e, v)
    if earlier < 0:
        return chance
    if earlier < e or said[earlier] < 0 or chance == 0.0:
        return 1.0 if chance > 0.0 else 0.0
    replaced = probability(columns, x, earlier, said[earlier])
    return chance / replaced if replaced > 0.0 else 1.0  # a mismatch that was tolerated keeps its weight


@kernel
def walk_state(
    columns: Columns, plan: Plan, start: State, node_limit: int, by_hypothesis: Float64
) -> tuple[float, float, int, int, float, bool]:
    """The kernel of `walk`."""
    # Depth first. A pending state keeps its candidates in one slice of three shared buffers that grow as a stack;
    # `path` holds the tests asked on the way to the state at hand.
    tests = columns.cells.shape[1]
    room = new_room(columns)
    # Kernels are handed their arguments by value, so in small states the many arrays of `columns` cost more than the
    # sums: the fast way hands on what it needs alone.
    pairs = by_pairs(columns, plan.rule, plan.stop.kind == GROUP) and plan.stop.kind != POSTERIOR
    restricted = plan.stop.kind == BUDGET or columns.need_test.shape[0] > 0
    by_size = plan.stop.kind in (UNIQUE, BUDGET)
    with_copies = plan.rule == ODTN_H
    # What decides counts repeated evidence once. How likely a case is to come here counts every answer, each drawn
    # apart from the others; `joint` is that probability together with the candidate, kept where the two differ.
    repeats = columns.evidence.max() >= 0
    said, met = start.said.copy(), start.met.copy()
    all_rows, all_p, all_copies = start.rows.copy(), start.p.copy(), start.log_copies.copy()
    all_joint = start.p.copy()
    path = np.full(tests + 1, -1, np.int64)
    depth_now = 0
    # Pending states: start and end of the slice, depth, test asked last, its outcome; reach, cost so far.
    places, figures = np.empty((64, 5), np.int64), np.empty((64, 2), np.float64)
    waiting = _push(places, figures, 0, 0, start.rows.shape[0], 0, -1, -1, 1.0, 0.0)
    expected, worst, unresolved = 0.0, 0.0, 0.0
    inner, leaves = 0, 0
    while waiting > 0:
        if inner + leaves >= node_limit:
            return expected, worst, inner, leaves, unresolved, False
        waiting -= 1
        first, end, depth = places[waiting, 0], places[waiting, 1], places[waiting, 2]
        asked, outcome = places[waiting, 3], places[waiting, 4]
        reach, cost = figures[waiting, 0], figures[waiting, 1]
        for level in range(depth - 1 if depth > 0 else 0, depth_now):
            said[path[level]] = NOT_ASKED
        depth_now = depth
        if depth > 0:
            path[depth - 1] = asked
            said[asked] = outcome
        for need in range(met.shape[0]):
            test = columns.need_test[need]
            if start.said[test] == NOT_ASKED:
                met[need] = said[test] == columns.need_outcome[need]
        rows, p, log_copies = all_rows[first:end], all_p[first:end], all_copies[first:end]
        size = end - first
        done = size == 1 or (not by_size and stopped(columns, plan.stop, rows, p))
        test = -1
        if not done and pairs:
            close(said, room.closed)
            if restricted:
                close_others(columns, plan.stop, met, start.cost + cost, room.closed)
            rate_pairs(plan.rule, size, add_up(columns.binary, rows, p, room.packed), room)
            test = choose(plan, room)
        elif not done:
            test = look(columns, plan, State(rows, p, log_copies, said, met, start.cost + cost), room)
        if test < 0:
            leaves += 1
            worst = max(worst, cost)
            if not done:
                unresolved += reach
            continue
        inner += 1
        expected += reach * columns.cost[test]
        cost += columns.cost[test]
        if by_hypothesis.shape[0] > 0:
            for i in range(size):
                share = all_joint[first + i] if repeats else reach * p[i]
                by_hypothesis[rows[i]] += share * columns.cost[test]
        need_room = end + size * columns.outcomes[test]
        if need_room > all_rows.shape[0]:
            larger = 2 * need_room
            all_rows, all_p, all_copies = (
                grown(all_rows, end, larger),
                grown(all_p, end, larger),
                grown(all_copies, end, larger),
            )
            all_joint = grown(all_joint, end, larger) if repeats else all_joint
            rows, p, log_copies = all_rows[first:end], all_p[first:end], all_copies[first:end]
        if waiting + columns.outcomes[test] > places.shape[0]:
            larger = 2 * (waiting + columns.outcomes[test])
            places, figures = grown(places, waiting, larger), grown(figures, waiting, larger)
        top = end
        if room.rate[test] == -np.inf and met.shape[0] == 0 and not repeats:
            # A fixed order may ask what tells nobody apart. Its answers lead to states that go on alike, so one of
            # them stands for all; the expected cost is linear in the weights.
            for i in range(size):
                all_rows[top + i], all_p[top + i], all_copies[top + i] = rows[i], p[i], log_copies[i]
            waiting = _push(places, figures, waiting, top, top + size, depth + 1, test, 0, reach, cost)
            continue
        earlier = earlier_evidence(columns.evidence, said, test)
        applicable, partial_start = columns.applicable[test], columns.partial_start[test]
        for v in range(columns.outcomes[test]):
            begin = top
            mass, total = 0.0, 0.0
            for i in range(size):
                code = int(columns.binary[rows[i], test]) if pairs else int(columns.cells[rows[i], test])
                chance = chance_of(code, v, applicable, partial_start, columns.partial_probability)
                factor = chance if earlier < 0 else weight_factor(columns, said, rows[i], test, v, earlier)
                all_rows[top], all_p[top], all_copies[top] = rows[i], p[i] * factor, log_copies[i]
                if with_copies and code < 0:
                    all_copies[top] -= np.log2(cell_size_of(columns, rows[i], test))
                if repeats:
                    all_joint[top] = all_joint[first + i] * chance
                mass += all_joint[top] if repeats else reach * p[i] * chance
                total += p[i] * factor
                top += 1 if chance > 0.0 else 0  # no branch: which rows stay cannot be foreseen
            if top == begin:
                continue
            if top == begin + 1:  # settled under every rule
                leaves += 1
                worst = max(worst, cost)
                top = begin
                continue
            for i in range(begin, top):
                all_p[i] = all_p[i] / total if total > 0.0 else 1.0 / (top - begin)
            waiting = _push(places, figures, waiting, begin, top, depth + 1, test, v, mass, cost)
    return expected, worst, inner, leaves, unresolved, inner + leaves <= node_limit


@kernel
def grown(values: _Array, filled: int, room: int) -> _Array:
    """A copy of the first `filled` entries with space for `room`."""
    larger = np.empty((room, *values.shape[1:]), values.dtype)
    larger[:filled] = values[:filled]
    return larger


@kernel
def child(columns: Columns, state: State, e: int, v: int) -> State:
    """The state after outcome v of test e; empty where nobody can give it."""
    earlier = earlier_evidence(columns.evidence, state.said, e)
    size = state.rows.shape[0]
    rows, p, log_copies = np.empty(size, np.int64), np.empty(size, np.float64), np.empty(size, np.float64)
    top, total = 0, 0.0
    for i in range(size):
        factor = weight_factor(columns, state.said, state.rows[i], e, v, earlier)
        if factor > 0.0:
            rows[top] = state.rows[i]
            p[top] = state.p[i] * factor
            log_copies[top] = state.log_copies[i] - np.log2(cell_size_of(columns, state.rows[i], e))
            total += float(p[top])
            top += 1
    for i in range(top):
        p[i] = p[i] / total if total > 0.0 else 1.0 / top
    said, met = state.said.copy(), state.met.copy()
    said[e] = v
    for need in range(met.shape[0]):
        if columns.need_test[need] == e:
            met[need] = columns.need_outcome[need] == v
    return State(rows[:top], p[:top], log_copies[:top], said, met, state.cost + columns.cost[e])


@kernel
def _push(
    places: Int64,
    figures: Float64,
    waiting: int,
    first: int,
    end: int,
    depth: int,
    asked: int,
    outcome: int,
    reach: float,
    cost: float,
) -> int:
    places[waiting, 0], places[waiting, 1], places[waiting, 2] = first, end, depth
    places[waiting, 3], places[waiting, 4] = asked, outcome
    figures[waiting, 0], figures[waiting, 1] = reach, cost
    return waiting + 1
