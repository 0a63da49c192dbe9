"""One test chosen, and a whole policy's tree of answers walked to its exact expected cost.

Expected cost = sum over inner nodes of the probability of reaching them times the cost of their test.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from algos.belief import Belief
from algos.jit import kernel
from algos.planes import Planes, sum_planes, unpack
from algos.scores import (
    COULD_NOT_TELL,
    LOW_ADAPTIVE,
    NON_ADAPTIVE,
    NOT_ASKED,
    ODTN_H,
    Room,
    add_up,
    by_pairs,
    cell_size_of,
    mark_informative,
    new_room,
    probability,
    rate_all,
    rate_pairs,
    score_all,
    sum_branches,
)
from algos.stopping import BUDGET, GROUP, POSTERIOR, UNIQUE, Stop, stop_rule, stopped
from algos.table import Bool, Columns, Float64, Int32, Int64, OutcomeTable, chance_of

TIE = 1e-9
"""Scores within this relative distance of the best are equal; the lowest index wins."""

PLANES_SHARE = 3
"""Planes beat rows while one hypothesis in this many is left; benchmarks/decision.py has the figures."""
NODE_LIMIT = 2_000_000
_Array = TypeVar("_Array", Int64, Float64)
NO_ORDER = np.arange(0)
"""For the policies that follow no fixed order."""


class Plan(NamedTuple):
    """What a policy asks and when it ends."""

    rule: int
    """A number of `algos.scores`."""
    order: Int64
    """(n,) all tests, read by the two fixed-order rules only."""
    stop: Stop


def plan_of(table: OutcomeTable, rule: int, grouped: bool = False) -> Plan:
    """A policy by score alone, to the end at one hypothesis, or at one group."""
    return Plan(int(rule), NO_ORDER, stop_rule(table, GROUP if grouped else UNIQUE))


class State(NamedTuple):
    """A belief as kernels see it. |H| candidates (group by group under the group rule), n tests."""

    rows: Int64
    p: Float64
    log_copies: Float64
    said: Int64
    met: Bool
    cost: float
    """Of the tests asked so far."""


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


class Scores(NamedTuple):
    """One state seen by a policy. n tests, K = most outcomes."""

    choice: int
    """The test to ask; -1 when the case is over or none is worth asking."""
    over: bool
    """The stopping rule holds."""
    score: Float64
    """(n,) before division by cost."""
    informative: Bool
    """(n,) may be asked: open, and can tell candidates apart."""
    probability: Float64
    """(K, n) of each outcome."""
    stay: Int32
    """(K, n) candidates that can give it."""


def score_tests(table: OutcomeTable, belief: Belief, plan: Plan) -> Scores:
    """Scores of all tests and the policy's choice. The belief holds at least one candidate."""
    state = state_of(table, belief, plan.stop)
    columns, planes, many = table.columns, table.planes, PLANES_SHARE * len(state.rows) >= table.hypotheses
    if planes is not None and many and by_pairs(columns, plan.rule, plan.stop.kind == GROUP):
        return Scores(*_score_planes(columns, planes, plan, state))
    return Scores(*score_state(table.columns, plan, state))


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


def state_of(table: OutcomeTable, belief: Belief, stop: Stop) -> State:
    """The belief in the order of rows that kernels want."""
    rows, p, log_copies = belief.rows, belief.posterior, belief.log_copies
    if stop.kind == GROUP:
        order = np.argsort(table.columns.group[rows], kind="stable")
        rows, p, log_copies = rows[order], p[order], log_copies[order]
    spent = float(table.columns.cost[belief.said != NOT_ASKED].sum())
    return State(rows, p, log_copies, belief.said, belief.met, spent)


@kernel
def look(columns: Columns, plan: Plan, state: State, room: Room) -> int:
    """Fill the room for one state; the policy's choice, -1 when no test is worth asking."""
    sum_branches(columns, plan.rule, state.rows, state.p, state.log_copies, plan.stop.kind == GROUP, room)
    return _judge(columns, plan, state, room)


@kernel
def _judge(columns: Columns, plan: Plan, state: State, room: Room) -> int:
    """`look` where the sums are there already."""
    close(state.said, room.closed)
    close_others(columns, plan.stop, state.met, state.cost, room.closed)
    mark_informative(room, state.rows.shape[0])
    if plan.stop.kind == POSTERIOR:
        _add_uneven(columns, state.rows, room)
    score_all(columns, plan.rule, state.rows, state.log_copies, state.said, plan.stop.kind == GROUP, room)
    rate_all(room)
    return choose(plan, room)


@kernel
def close(said: Int64, closed: Bool) -> None:
    """A test is asked once."""
    for e in range(closed.shape[0]):
        closed[e] = said[e] != NOT_ASKED


@kernel
def close_others(columns: Columns, stop: Stop, met: Bool, spent: float, closed: Bool) -> None:
    """Close also the tests that need what does not hold, and those beyond the budget."""
    if stop.kind == BUDGET:
        for e in range(closed.shape[0]):
            closed[e] |= spent + columns.cost[e] > stop.threshold * (1.0 + TIE)
    if columns.need_test.shape[0] == 0:
        return
    for e in range(closed.shape[0]):
        for clause in range(columns.clause_start[e], columns.clause_start[e + 1]):
            holds = False
            for need in range(columns.need_start[clause], columns.need_start[clause + 1]):
                holds |= met[need]
            closed[e] |= not holds


@kernel
def _add_uneven(columns: Columns, rows: Int64, room: Room) -> None:
    """Under a posterior rule a test also helps when all can give the same outcomes, with different probabilities."""
    informative = room.informative
    for e in range(informative.shape[0]):
        if room.closed[e] or informative[e]:
            continue
        for v in range(columns.outcomes[e]):
            usual = probability(columns, rows[0], e, v)
            for x in rows:
                if abs(probability(columns, x, e, v) - usual) > TIE:
                    informative[e] = True


@kernel
def score_state(columns: Columns, plan: Plan, state: State) -> tuple[int, bool, Float64, Bool, Float64, Int32]:
    """The kernel of `score_tests`."""
    room = new_room(columns)
    sum_branches(columns, plan.rule, state.rows, state.p, state.log_copies, plan.stop.kind == GROUP, room)
    return _seen(columns, plan, state, room)


@kernel
def _score_planes(
    columns: Columns, planes: Planes, plan: Plan, state: State
) -> tuple[int, bool, Float64, Bool, Float64, Int32]:
    """`score_state` for most of a large two-outcome table."""
    room = new_room(columns)
    total = sum_planes(planes, state.rows, state.p, room.packed)
    unpack(room.packed, total, state.rows.shape[0], room.sums)
    return _seen(columns, plan, state, room)


@kernel
def _seen(columns: Columns, plan: Plan, state: State, room: Room) -> tuple[int, bool, Float64, Bool, Float64, Int32]:
    """What `Scores` holds, from the sums; once the case is over no test is worth asking."""
    choice = _judge(columns, plan, state, room)
    over = stopped(columns, plan.stop, state.rows, state.p)
    if over:
        choice = -1
        for e in range(room.informative.shape[0]):
            room.informative[e] = False
    return choice, over, room.score, room.informative, room.sums.mass, room.sums.can


@kernel
def choose(plan: Plan, room: Room) -> int:
    """The test the policy asks, -1 when none that is left can tell candidates apart."""
    if plan.rule in (LOW_ADAPTIVE, NON_ADAPTIVE):
        first = -1
        for e in plan.order:
            tells = room.rate[e] > -np.inf
            if first < 0 and (tells or (plan.rule == NON_ADAPTIVE and not room.closed[e])):
                first = e
            if tells:
                return int(first)
        return -1
    return first_of_best(room.rate)


@kernel
def first_of_best(rates: Float64) -> int:
    """The lowest index among the rates that equal the best; -1 where all are -inf."""
    best, first = -np.inf, -1
    for e in range(rates.shape[0]):
        if rates[e] > best:
            if rates[e] - TIE * abs(rates[e]) > best:
                first = e  # better than all before by more than a tie, so it is none of them
            best = rates[e]
    while first >= 0 and rates[first] < best - TIE * abs(best):
        first += 1
    return first


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
