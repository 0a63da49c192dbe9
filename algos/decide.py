"""One state seen by a policy: the score of every test, and the test it asks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.belief import Belief
from algos.jit import kernel
from algos.planes import Planes, sum_planes, unpack
from algos.scores import (
    LOW_ADAPTIVE,
    NON_ADAPTIVE,
    NOT_ASKED,
    Room,
    by_pairs,
    mark_informative,
    new_room,
    probability,
    rate_all,
    score_all,
    sum_branches,
)
from algos.stopping import BUDGET, GROUP, POSTERIOR, UNIQUE, Stop, stop_rule, stopped
from algos.table import Bool, Columns, Float64, Int32, Int64, OutcomeTable

TIE = 1e-9
"""Scores within this relative distance of the best are equal; the lowest index wins."""
PLANES_SHARE = 3
"""Planes beat rows while one hypothesis in this many is left; benchmarks/decision.py has the figures."""
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
