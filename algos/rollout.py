"""Policy improvement: look one decision ahead, then trust a base policy.

Level 0 is the base. Level L takes, among the `width` best tests of the base (score / cost, ties to the lowest index),
the one whose exact expected cost is least when the case goes on with level L - 1; ties within 1e-9 go to the lowest
index. The base's own choice is among them, so no level costs more than the one below it (policy improvement, Howard
1960), and the base's guarantee stays. From level 1 on, states of at most `endgame` candidates are finished at the
least cost any policy can have, by branch and bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.belief import Belief
from algos.stopping import BUDGET
from algos.table import UNKNOWN, Bool, OutcomeTable
from algos.walk import (
    NODE_LIMIT,
    TIE,
    Plan,
    Scores,
    State,
    Walk,
    child,
    first_of_best,
    score_state,
    state_of,
    walk_state,
)

_END = Walk(0.0, 0.0, 0, 1, 0.0, True)
_NO_SHARES = np.zeros(0)


class Ahead(NamedTuple):
    """How far to look."""

    level: int = 1
    width: int = 10
    endgame: int = 0
    """Sets of at most this many candidates are finished exactly; 0 for none."""


class Rollout:
    """An improved policy on one table."""

    def __init__(self, table: OutcomeTable, plan: Plan, ahead: Ahead, node_limit: int = NODE_LIMIT) -> None:
        self._table, self._plan, self._ahead, self._limit = table, plan, ahead, node_limit
        self._known: dict[tuple[int, bytes], Walk] = {}
        # Under a budget, giving up early would look cheap: an unresolved end is priced above all that can be spent.
        self._unresolved_price = 2 * plan.stop.threshold if plan.stop.kind == BUDGET else 0.0

    def choose(self, belief: Belief) -> tuple[int, float]:
        """The test to ask, -1 when the case is over, and the expected cost of asking it and going on one level down."""
        self._known.clear()
        state = state_of(self._table, belief, self._plan.stop)
        return self._choose(self._ahead.level, state, self._look(state))

    def walk(self, belief: Belief) -> Walk:
        """Follow the improved policy from this state to every end."""
        self._known.clear()
        return self._follow(self._ahead.level, state_of(self._table, belief, self._plan.stop))

    def _choose(self, level: int, state: State, seen: Scores) -> tuple[int, float]:
        if seen.choice < 0:
            return -1, 0.0
        if len(state.rows) <= self._ahead.endgame:
            return self._least(state, np.inf)
        best, choice = np.inf, seen.choice
        if not seen.informative[seen.choice]:  # a fixed order may ask what tells nobody apart
            return seen.choice, np.inf
        rates = np.where(seen.informative, seen.score / self._table.columns.cost, -np.inf)
        for turn in range(self._ahead.width):
            e = seen.choice if turn == 0 else first_of_best(rates)
            if e < 0:
                break
            rates[e] = -np.inf
            total = float(self._table.columns.cost[e])
            for mass, below in self._branches(state, seen, e):
                if total <= best * (1 + TIE):
                    part = self._follow(level - 1, below)
                    total += mass * (part.expected_cost + self._unresolved_price * part.unresolved_probability)
            if total < best * (1 - TIE) or (total <= best * (1 + TIE) and e < choice):
                best, choice = min(best, total), e
        return choice, best

    def _follow(self, level: int, state: State) -> Walk:
        key = level, state.said.tobytes()
        if key not in self._known:
            self._known[key] = self._work_out(level, state)
        return self._known[key]

    def _work_out(self, level: int, state: State) -> Walk:
        columns = self._table.columns
        if level == 0:
            return Walk(*walk_state(columns, self._plan, state, self._limit, _NO_SHARES))
        seen = self._look(state)
        choice, _ = self._choose(level, state, seen)
        if choice < 0:
            return _END._replace(unresolved_probability=float(not seen.over))
        cost = float(columns.cost[choice])
        total = Walk(cost, cost, 1, 0, 0.0, True)
        for mass, below in self._branches(state, seen, choice):
            part = self._follow(level, below)
            total = Walk(
                total.expected_cost + mass * part.expected_cost,
                max(total.worst_cost, cost + part.worst_cost),
                total.inner_nodes + part.inner_nodes,
                total.leaves + part.leaves,
                total.unresolved_probability + mass * part.unresolved_probability,
                total.complete and part.complete,
            )
        return total

    def _least(self, state: State, bound: float) -> tuple[int, float]:
        """The first test of a policy of least expected cost; (-1, inf) where none costs at most `bound`."""
        seen = self._look(state)
        if seen.choice < 0:
            return -1, 0.0 if seen.over else self._unresolved_price
        columns = self._table.columns
        best, choice = bound, -1
        open_tests = self._different(state, seen.informative)
        rates = np.where(open_tests, seen.score / columns.cost, -np.inf)
        cheapest = float(columns.cost[open_tests].min())
        while cheapest < best * (1 - TIE) and (e := first_of_best(rates)) >= 0:
            rates[e] = -np.inf
            total = float(columns.cost[e])
            for mass, below in self._branches(state, seen, e):
                if total > best * (1 + TIE):
                    break
                room = (best * (1 + 2 * TIE) - total) / mass if mass > 0 else np.inf
                total += mass * self._least(below, room)[1]
            if total < best * (1 - TIE) or (total <= best * (1 + TIE) and (choice < 0 or e < choice)):
                best, choice = min(best, total), e
        return (choice, best) if choice >= 0 else (-1, np.inf)

    def _different(self, state: State, open_tests: Bool) -> Bool:
        """Of tests that say the same of all candidates the first of the cheapest is enough."""
        columns = self._table.columns
        kept = open_tests.copy()
        if len(columns.need_test) or (columns.evidence >= 0).any():
            return kept
        first: dict[tuple[int, int, bytes], int] = {}
        cells = columns.cells[state.rows]
        for e in sorted(np.flatnonzero(open_tests).tolist(), key=lambda e: (columns.cost[e], e)):
            codes = cells[:, e]
            if (codes >= UNKNOWN).all():
                pattern = int(columns.outcomes[e]), int(columns.applicable[e]), codes.tobytes()
                kept[e] = first.setdefault(pattern, e) == e
        return kept

    def _look(self, state: State) -> Scores:
        return Scores(*score_state(self._table.columns, self._plan, state))

    def _branches(self, state: State, seen: Scores, e: int) -> list[tuple[float, State]]:
        """Each outcome of test e that somebody can give: its probability and the state after it."""
        columns = self._table.columns
        possible = np.flatnonzero(seen.stay[: columns.outcomes[e], e])
        return [(float(seen.probability[v, e]), child(columns, state, e, int(v))) for v in possible]
