"""Random cases, for policies whose whole tree is too large to walk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.belief import Belief
from algos.decide import Plan, State, look, state_of
from algos.jit import kernel
from algos.scores import new_room
from algos.stopping import stopped
from algos.table import Bool, Columns, Float64, Int64, OutcomeTable, chance_of
from algos.walk import child


class Cases(NamedTuple):
    """Hidden hypotheses with all they would answer. n tests."""

    truth: Int64
    """(runs,) drawn from the posterior."""
    outcomes: Int64
    """(runs, n) drawn from the table; a policy sees those of the tests that it asks."""


class Sample(NamedTuple):
    """How cases went under one policy."""

    cost: Float64
    """(runs,) of each case, in the table's unit."""
    resolved: Bool
    """(runs,) the stopping rule held at the end."""


def draw_cases(table: OutcomeTable, belief: Belief, runs: int, random: np.random.Generator) -> Cases:
    """The next cases of this generator: drawn in two parts they are those drawn at once.

    Given the hypothesis each answer is drawn apart from the others, also where tests repeat each other's evidence.
    """
    numbers = random.random((runs, 1 + table.tests))
    cumulative = np.cumsum(belief.posterior)
    places = np.searchsorted(cumulative, numbers[:, 0] * cumulative[-1], side="right")
    truth = belief.rows[np.minimum(places, len(belief.rows) - 1)]
    return Cases(truth, _answer(table.columns, truth, np.ascontiguousarray(numbers[:, 1:])))


def simulate(table: OutcomeTable, belief: Belief, plan: Plan, cases: Cases) -> Sample:
    """Take each case from this belief to its end."""
    return Sample(*_simulate(table.columns, plan, state_of(table, belief, plan.stop), cases.outcomes))


@kernel
def _answer(columns: Columns, truth: Int64, numbers: Float64) -> Int64:
    """(runs, n) what these hypotheses answer on every test, from (runs, n) random numbers in [0, 1)."""
    outcomes = np.zeros(numbers.shape, np.int64)
    for run in range(numbers.shape[0]):
        for e in range(numbers.shape[1]):
            code, below = int(columns.cells[truth[run], e]), 0.0
            applicable, partial_start = columns.applicable[e], columns.partial_start[e]
            for v in range(columns.outcomes[e]):
                chance = chance_of(code, v, applicable, partial_start, columns.partial_probability)
                if chance > 0.0 and below <= numbers[run, e]:  # the last possible outcome takes what rounding leaves
                    outcomes[run, e] = v
                below += chance
    return outcomes


@kernel
def _simulate(columns: Columns, plan: Plan, start: State, outcomes: Int64) -> tuple[Float64, Bool]:
    runs, room = outcomes.shape[0], new_room(columns)
    cost, resolved = np.zeros(runs), np.zeros(runs, np.bool_)
    for run in range(runs):
        state = start
        while True:
            if stopped(columns, plan.stop, state.rows, state.p):
                resolved[run] = True
                break
            test = look(columns, plan, state, room)
            if test < 0:
                break
            state = child(columns, state, test, outcomes[run, test])
        cost[run] = state.cost - start.cost
    return cost, resolved
