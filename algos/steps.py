"""Policies that are followed one answer at a time: over their whole tree, or along random cases.

Those that choose by score alone have kernels for this, `algos.walk` and `algos.simulate`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from algos.belief import Belief, likelihood
from algos.simulate import Cases, Sample
from algos.table import Float64, Int64, OutcomeTable
from algos.walk import Walk

_State = TypeVar("_State")

STEP_LIMIT = 20_000
"""Nodes up to which such a tree is walked, and up to which a base is walked to compare its tests."""

UNFINISHED = Walk(0.0, 0.0, 0, 0, 0.0, False)
"""Of a tree that is too large."""


class Steps(Protocol[_State]):
    """A policy with states of its own."""

    def begin(self, belief: Belief) -> _State:
        """The state to follow the policy from."""
        ...

    def warm_up(self, belief: Belief) -> None:
        """Call each kernel once, which compiles it."""
        ...

    def walk(self, belief: Belief, by_hypothesis: Float64, progress: Callable[[float], object]) -> Walk:
        """`walk_steps` from here, as far as it is worth trying."""
        ...

    def ask(self, state: _State) -> int:
        """The test to ask; -1 when the case is over or none is worth asking."""
        ...

    def after(self, state: _State, test: int, outcome: int) -> _State:
        """The state after this answer, which some candidate can give."""
        ...

    def over(self, state: _State) -> bool:
        """The stopping rule holds."""
        ...


class Joint(NamedTuple):
    """The candidates with the probability that a case is of one and comes here."""

    rows: Int64
    mass: Float64


def walk_steps(
    table: OutcomeTable,
    steps: Steps[_State],
    start: _State,
    cases: Joint,
    node_limit: int,
    by_hypothesis: Float64 | None = None,
    progress: Callable[[float], object] | None = None,
) -> Walk:
    """Follow the policy to every end, depth first; `complete` is false where there are more nodes than the limit.

    cases: the candidates of the start with their posterior. What decides counts repeated evidence once; how likely a
    case is to come somewhere counts every answer, each drawn apart from the others. by_hypothesis: (m,) filled as by
    `algos.walk.walk`. progress: called with the probability of the ends reached so far.
    """
    expected, worst, unresolved, ended = 0.0, 0.0, 0.0, 0.0
    inner, leaves = 0, 0
    pending = [(start, cases, 0.0)]
    while pending:
        if inner + leaves + len(pending) > node_limit:
            return UNFINISHED
        state, (rows, mass), cost = pending.pop()
        test, reach = steps.ask(state), float(mass.sum())
        if test < 0:
            leaves += 1
            worst = max(worst, cost)
            ended += reach
            if not steps.over(state):
                unresolved += reach
            if progress is not None:
                progress(ended)
            continue
        inner += 1
        price = float(table.columns.cost[test])
        expected += reach * price
        if by_hypothesis is not None:
            by_hypothesis[rows] += mass * price
        for outcome in range(int(table.columns.outcomes[test])):
            chance = likelihood(table, test, [outcome])[rows]
            can = chance > 0
            if can.any():
                later = Joint(rows[can], (mass * chance)[can])
                pending.append((steps.after(state, test, outcome), later, cost + price))
    return Walk(expected, worst, inner, leaves, unresolved, True)


def simulate_steps(table: OutcomeTable, steps: Steps[_State], start: _State, cases: Cases) -> Sample:
    """Take each case to its end."""
    runs = len(cases.truth)
    cost, resolved = np.zeros(runs), np.zeros(runs, np.bool_)
    for run in range(runs):
        state = start
        while (test := steps.ask(state)) >= 0:
            cost[run] += table.columns.cost[test]
            state = steps.after(state, test, int(cases.outcomes[run, test]))
        resolved[run] = steps.over(state)
    return Sample(cost, resolved)
