"""What a policy costs on random cases, where its whole tree is too large to walk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.belief import Belief
from algos.jit import kernel
from algos.scores import new_room, probability
from algos.stopping import stopped
from algos.table import Bool, Columns, Float64, OutcomeTable
from algos.walk import Plan, State, child, look, state_of


class Sample(NamedTuple):
    """Random cases under one policy."""

    cost: Float64
    """(runs,) of each case, in the table's unit."""
    resolved: Bool
    """(runs,) the stopping rule held at the end."""


def simulate(table: OutcomeTable, belief: Belief, plan: Plan, runs: int, seed: int) -> Sample:
    """Cases drawn from the posterior, answers from the table, the same for the same seed."""
    return Sample(*_simulate(table.columns, plan, state_of(table, belief, plan.stop), runs, seed))


@kernel
def _simulate(columns: Columns, plan: Plan, start: State, runs: int, seed: int) -> tuple[Float64, Bool]:
    np.random.seed(seed)
    room = new_room(columns)
    cumulative = np.cumsum(start.p)
    cost, resolved = np.zeros(runs), np.zeros(runs, np.bool_)
    for run in range(runs):
        place = np.searchsorted(cumulative, np.random.random() * cumulative[-1], side="right")
        truth = start.rows[min(place, start.rows.shape[0] - 1)]
        state = start
        while True:
            if stopped(columns, plan.stop, state.rows, state.p):
                resolved[run] = True
                break
            test = look(columns, plan, state, room)
            if test < 0:
                break
            chance = np.random.random()
            seen = -1
            for v in range(columns.outcomes[test]):
                share = probability(columns, truth, test, v)
                if share > 0.0:
                    seen = v
                    chance -= share
                    if chance < 0.0:
                        break
            state = child(columns, state, test, seen)
        cost[run] = state.cost - start.cost
    return cost, resolved
