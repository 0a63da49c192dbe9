"""Policy improvement: look one decision ahead, then trust a base policy.

Level 0 is the base. Level L takes, among the `width` best tests of the base (score / cost, ties to the lowest index),
the one whose exact expected cost is least when the case goes on with level L - 1; ties within 1e-9 go to the lowest
index. Level L - 1's own choice is among them, so no level costs more than the one below it (policy improvement, Howard
1960), and the base's guarantee stays. Where the tree below a compared test is too large to walk, that choice stands:
nothing is improved there, and nothing lost. From level 1 on, states of at most `endgame` candidates are finished at
the least cost any policy can have, by branch and bound; where that takes too many states they are compared as others
are. Costs are compared as the posterior expects them: the true ones
where no tests repeat each other's evidence; elsewhere a level may cost more than the one below.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from algos.belief import Belief
from algos.decide import TIE, Plan, Scores, State, first_of_best, score_state, state_of
from algos.steps import STEP_LIMIT, UNFINISHED, Joint, walk_steps
from algos.stopping import BUDGET, stopped
from algos.table import UNKNOWN, Bool, Float64, OutcomeTable
from algos.walk import Walk, child, walk_state

_NO_SHARES = np.zeros(0)

ENDGAME_STATES = 10_000
"""Most states looked at to finish one set of candidates exactly."""


class _TooManyStates(Exception):
    pass


class Ahead(NamedTuple):
    """How far to look."""

    level: int = 1
    width: int = 10
    endgame: int = 0
    """Sets of at most this many candidates are finished exactly, where that is quick; 0 for none."""


class Rollout:
    """An improved policy on one table, to be followed by `algos.steps`."""

    def __init__(self, table: OutcomeTable, plan: Plan, ahead: Ahead, node_limit: int = STEP_LIMIT) -> None:
        self._table, self._plan, self._ahead, self._limit = table, plan, ahead, node_limit
        self._below = Rollout(table, plan, ahead._replace(level=ahead.level - 1), node_limit) if ahead.level else None
        self._walks: dict[bytes, Walk] = {}
        self._choices: dict[bytes, int] = {}
        self._states_left = 0
        # Under a budget, giving up early would look cheap: an unresolved end is priced above all that can be spent.
        self._unresolved_price = 2 * plan.stop.threshold if plan.stop.kind == BUDGET else 0.0

    def begin(self, belief: Belief) -> State:
        """The state to follow the policy from. What was kept from another belief is forgotten."""
        self._walks.clear()
        self._choices.clear()
        if self._below is not None:
            self._below.begin(belief)
        return state_of(self._table, belief, self._plan.stop)

    def warm_up(self, belief: Belief) -> None:
        """Call each kernel once, which compiles it."""
        state, columns = self.begin(belief), self._table.columns
        first_of_best(self._look(state).score)
        child(columns, state, 0, 0)
        stopped(columns, self._plan.stop, state.rows, state.p)
        self._base_walk(state, 0)

    def choose(self, belief: Belief) -> tuple[int, float]:
        """The test to ask, -1 when the case is over, and the expected cost of asking it and going on one level down.

        That cost is infinite where it is not known.
        """
        state = self.begin(belief)
        return self._choose(state, self._look(state))

    def walk(
        self,
        belief: Belief,
        by_hypothesis: Float64 | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> Walk:
        """Follow the improved policy from this state to every end; by_hypothesis and progress: see `walk_steps`.

        Not complete where the tree of the base is too large already.
        """
        return self._walk(self.begin(belief), by_hypothesis, progress)

    def ask(self, state: State) -> int:
        """The test to ask; -1 when the case is over."""
        key = state.said.tobytes()
        if key not in self._choices:
            self._choices[key], _ = self._choose(state, self._look(state))
        return self._choices[key]

    def after(self, state: State, test: int, outcome: int) -> State:
        """The state after this answer."""
        return child(self._table.columns, state, test, outcome)

    def over(self, state: State) -> bool:
        """The stopping rule holds."""
        return bool(stopped(self._table.columns, self._plan.stop, state.rows, state.p))

    def _walk(
        self,
        start: State,
        by_hypothesis: Float64 | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> Walk:
        if not self._base_walk(start, STEP_LIMIT).complete:
            return UNFINISHED
        cases = Joint(start.rows, start.p)
        return walk_steps(self._table, self, start, cases, STEP_LIMIT, by_hypothesis, progress)

    def _base_walk(self, state: State, limit: int) -> Walk:
        return Walk(*walk_state(self._table.columns, self._plan, state, limit, _NO_SHARES))

    def _known_walk(self, state: State) -> Walk:
        """What it costs to go on from here with this level."""
        key = state.said.tobytes()
        if key not in self._walks:
            self._walks[key] = self._walk(state) if self._ahead.level else self._base_walk(state, self._limit)
        return self._walks[key]

    def _choose(self, state: State, seen: Scores) -> tuple[int, float]:
        if seen.choice < 0:
            return -1, 0.0
        if self._below is None:
            return seen.choice, np.inf
        if len(state.rows) <= self._ahead.endgame:
            self._states_left = ENDGAME_STATES
            with suppress(_TooManyStates):
                return self._least(state, np.inf)
        best, choice = np.inf, seen.choice
        rates = np.where(seen.informative, seen.score / self._table.columns.cost, -np.inf)
        for turn in range(self._ahead.width):
            e = seen.choice if turn == 0 else first_of_best(rates)
            if e < 0:
                break
            rates[e] = -np.inf
            total = float(self._table.columns.cost[e])
            for mass, below in self._branches(state, seen, e):
                if total <= best * (1 + TIE):
                    part = self._below._known_walk(below)
                    if not part.complete:
                        return self._below.ask(state), np.inf
                    total += mass * (part.expected_cost + self._unresolved_price * part.unresolved_probability)
            if total < best * (1 - TIE) or (total <= best * (1 + TIE) and e < choice):
                best, choice = min(best, total), e
        return choice, best

    def _least(self, state: State, bound: float) -> tuple[int, float]:
        """The first test of a policy of least expected cost; (-1, inf) where none costs at most `bound`."""
        self._states_left -= 1
        if self._states_left < 0:
            raise _TooManyStates
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
