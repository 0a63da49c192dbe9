"""The policy for sparse tables, on which each test says something definite about few hypotheses only.

Source: Jia et al., NeurIPS 2019, Theorem 4.8, of which the paper gives the idea; the steps are our reading of it.
Where every test is determinate for at most m^alpha hypotheses, alpha <= 1/2, the truth soon stands out as the one
that left few answers open. So the greedy policy is interrupted after 1, 2, 4, 8, ... of its tests:

    take     the 2 m^alpha candidates with fewest cells left open among the tests asked (ties: lowest index)
    compare  while two of them remain: the first test on which two of them share no outcome; none: back to greedy
    check    one of them left: up to 6 tests determinate for it, most rivals ruled out first; it goes: back to greedy

Taking a hypothesis only decides what is asked. It is never named before the answers have ruled out all others.

Unlike the other policies this one depends on the order of the answers, so a state carries where the policy stands.
An answer to another test than the one asked moves the policy on as if that had been asked; so does "could not tell".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from algos.belief import Answer, Belief, believe, likelihood
from algos.decide import Scores, State, plan_of, score_state, state_of
from algos.jit import kernel
from algos.noise import open_cells
from algos.scores import GAIN, NOT_ASKED, cell_size_of, probability
from algos.steps import STEP_LIMIT, Joint, walk_steps
from algos.stopping import settled
from algos.table import UNKNOWN, Bool, Columns, Float64, Int64, OutcomeTable
from algos.walk import Walk, child

CHECKS = 6
"""Tests asked about the last hypothesis taken before the policy turns greedy again."""
NOBODY: Int64 = np.zeros(0, np.int64)
GREEDY = -1


class NotSparse(ValueError):
    """Some test is determinate for more than the square root of the hypotheses."""

    def __init__(self, known: int, hypotheses: int) -> None:
        most = math.isqrt(hypotheses)
        super().__init__(
            f"a test is known for {known} of {hypotheses} hypotheses; sparse is for tables with at most {most} on each"
        )


class Sparsity(NamedTuple):
    """How sparse a table is."""

    alpha: float
    """The least that makes m^alpha the most hypotheses any one test is determinate for; at least 0."""
    taken: int
    """2 m^alpha, the hypotheses taken at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where the policy stands between greedy tests, comparisons and checks."""

    greedy: int
    """Greedy tests asked so far."""
    taken: Int64
    """Hypotheses taken at the last interruption and still candidates, ascending; none while greedy."""
    checks: int
    """Tests that may still be asked about the last hypothesis taken."""
    test: int
    """What to ask now to compare or check; GREEDY where the gain decides."""


AT_FIRST = Standing(0, NOBODY, 0, GREEDY)


def sparsity(table: OutcomeTable, *, force: bool = False) -> Sparsity:
    """Raises NotSparse where alpha is above 1/2, unless forced."""
    open_per_test = open_cells(table.columns).sum(axis=0)
    densest = max(1, table.hypotheses - int(open_per_test.min()))
    if densest**2 > table.hypotheses and not force:
        raise NotSparse(densest, table.hypotheses)
    alpha = math.log(densest) / math.log(table.hypotheses) if table.hypotheses > 1 else 0.0
    return Sparsity(alpha, 2 * densest)


def next_test(
    table: OutcomeTable,
    sparse: Sparsity,
    answers: Sequence[Answer],
    *,
    grouped: bool = False,
    excluded: Collection[int] = (),
) -> int:
    """The test to ask after these answers, in the order they were given.

    -1 when the case is settled, contradictory, or nothing that is left can tell the candidates apart. Raises
    ValueError as `believe` does.
    """
    steps = SparseSteps(table, sparse, grouped)
    state, _ = steps.begin(believe(table, answers, excluded))
    return steps.ask((state, replay(table, sparse, answers, excluded)))


def replay(
    table: OutcomeTable, sparse: Sparsity, answers: Sequence[Answer], excluded: Collection[int] = ()
) -> Standing:
    """Where the policy stands after these answers, in the order they were given."""
    rows = believe(table, [], excluded).rows
    spent, standing = np.zeros(table.tests, np.bool_), AT_FIRST
    for test, outcomes in answers:
        spent[test] = True
        if outcomes:
            rows = rows[likelihood(table, test, outcomes)[rows] > 0]
        standing = advance(table, sparse, standing, rows, spent)
    return standing


def advance(table: OutcomeTable, sparse: Sparsity, standing: Standing, rows: Int64, spent: Bool) -> Standing:
    """Where the policy stands after an answer that left these candidates, ascending, and these tests spent."""
    greedy, taken, checks = standing.greedy, standing.taken, standing.checks
    if standing.test == GREEDY:
        greedy += 1
        if greedy & (greedy - 1) == 0:
            taken = _least_open(table.columns, rows, spent, sparse.taken)
            checks = CHECKS
    elif len(taken) == 1:
        checks -= 1
    taken = taken[np.isin(taken, rows, assume_unique=True)]
    test = GREEDY
    if len(taken) > 1:
        test = _comparison(table.columns, taken, spent)
    elif len(taken) == 1 and checks > 0:
        test = _check(table.columns, int(taken[0]), rows, spent)
    return Standing(greedy, NOBODY if test == GREEDY else taken, checks, test)


class SparseSteps:
    """The policy on one table, to be followed by `algos.steps`."""

    def __init__(self, table: OutcomeTable, sparse: Sparsity, grouped: bool) -> None:
        self._table, self._sparse, self._plan = table, sparse, plan_of(table, GAIN, grouped)
        self._grouped = grouped

    def begin(self, belief: Belief) -> tuple[State, Standing]:
        """The state to follow the policy from."""
        return state_of(self._table, belief, self._plan.stop), AT_FIRST

    def warm_up(self, belief: Belief) -> None:
        """Call each kernel once, which compiles it."""
        (state, _), columns = self.begin(belief), self._table.columns
        score_state(columns, self._plan, state)
        child(columns, state, 0, 0)
        settled(columns, state.rows, self._grouped)
        rows, spent = np.sort(state.rows), state.said != NOT_ASKED
        _least_open(columns, rows, spent, self._sparse.taken)
        _comparison(columns, rows[:1], spent)
        _check(columns, int(rows[0]), rows, spent)

    def walk(
        self,
        belief: Belief,
        by_hypothesis: Float64 | None = None,
        progress: Callable[[float], object] | None = None,
        node_limit: int = STEP_LIMIT,
    ) -> Walk:
        """Follow the policy to every end, as `walk_steps` does."""
        cases = Joint(belief.rows, belief.posterior)
        return walk_steps(self._table, self, self.begin(belief), cases, node_limit, by_hypothesis, progress)

    def ask(self, at: tuple[State, Standing]) -> int:
        """The test to ask; -1 when the case is over."""
        state, standing = at
        if len(state.rows) == 0 or self.over(at):
            return -1
        if standing.test != GREEDY:
            return standing.test
        return Scores(*score_state(self._table.columns, self._plan, state)).choice

    def after(self, at: tuple[State, Standing], test: int, outcome: int) -> tuple[State, Standing]:
        """The state after this answer."""
        state = child(self._table.columns, at[0], test, outcome)
        rows, spent = np.sort(state.rows), state.said != NOT_ASKED
        return state, advance(self._table, self._sparse, at[1], rows, spent)

    def over(self, at: tuple[State, Standing]) -> bool:
        """One candidate is left, or one group."""
        return settled(self._table.columns, at[0].rows, self._grouped)


@kernel
def _least_open(columns: Columns, rows: Int64, spent: Bool, size: int) -> Int64:
    """Of these candidates the `size` with fewest cells left open among the tests asked, ascending."""
    left_open = np.zeros(rows.shape[0], np.int64)
    asked = np.flatnonzero(spent)
    for i in range(rows.shape[0]):
        for e in asked:
            if cell_size_of(columns, rows[i], int(e)) > 1:
                left_open[i] += 1
    first = np.argsort(left_open, kind="mergesort")[:size]  # stable: ties go to the lowest index
    return rows[np.sort(first)]


@kernel
def _comparison(columns: Columns, taken: Int64, spent: Bool) -> int:
    """The first unspent test on which two of these hypotheses share no outcome; -1 where there is none."""
    kinds = np.empty(taken.shape[0], np.int64)  # one hypothesis for each different cell of the test
    for e in range(spent.shape[0]):
        if spent[e]:
            continue
        found = 0
        for x in taken:
            seen = False
            for i in range(found):
                seen = seen or columns.cells[kinds[i], e] == columns.cells[x, e]
            if seen:
                continue
            for i in range(found):
                if _disjoint(columns, kinds[i], x, e):
                    return e
            kinds[found] = x
            found += 1
    return -1


@kernel
def _disjoint(columns: Columns, x: int, y: int, e: int) -> bool:
    for v in range(columns.outcomes[e]):
        if probability(columns, x, e, v) > 0.0 and probability(columns, y, e, v) > 0.0:
            return False
    return True


@kernel
def _check(columns: Columns, z: int, rows: Int64, spent: Bool) -> int:
    """Of the informative unspent tests determinate for z the first that rules out most rivals; -1 without any."""
    tests = spent.shape[0]
    expected = np.full(tests, UNKNOWN, np.int64)
    for e in range(tests):
        if not spent[e] and cell_size_of(columns, z, e) == 1:
            for v in range(columns.outcomes[e]):
                if probability(columns, z, e, v) > 0.0:
                    expected[e] = v
    ruled_out = np.zeros(tests, np.int64)
    informative = np.zeros(tests, np.bool_)
    for x in rows:
        for e in range(tests):
            if expected[e] >= 0:
                if probability(columns, x, e, expected[e]) == 0.0:
                    ruled_out[e] += 1
                    informative[e] = True
                elif cell_size_of(columns, x, e) > 1:
                    informative[e] = True
    best = -1
    for e in range(tests):
        if informative[e] and (best < 0 or ruled_out[e] > ruled_out[best]):
            best = e
    return best
