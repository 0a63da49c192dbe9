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
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from algos.belief import Answer, Belief, believe, likelihood
from algos.jit import kernel
from algos.scores import COULD_NOT_TELL, GAIN, SEVERAL, cell_size_of, probability
from algos.steps import STEP_LIMIT, walk_steps
from algos.stopping import settled
from algos.table import UNKNOWN, Bool, Columns, Float64, Int64, OutcomeTable
from algos.walk import Walk, plan_of, score_tests

CHECKS = 6
"""Tests asked about the last hypothesis taken before the policy turns greedy again."""
NOBODY: Int64 = np.zeros(0, np.int64)
GREEDY = -1


class NotSparse(ValueError):
    """Some test is determinate for more than the square root of the hypotheses."""

    def __init__(self, alpha: float) -> None:
        super().__init__(f"a test is determinate for m^{alpha:.3f} of m hypotheses; the sparse policy is for m^0.5")
        self.alpha = alpha


class Sparsity(NamedTuple):
    """How sparse a table is."""

    alpha: float
    """The least that makes m^alpha the most hypotheses any one test is determinate for; at least 0."""
    taken: int
    """2 m^alpha, the hypotheses taken at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """Where the policy stands."""

    greedy: int
    """Greedy tests asked so far."""
    taken: Int64
    """Hypotheses taken at the last interruption and still candidates, ascending; none while greedy."""
    checks: int
    """Tests that may still be asked about the last hypothesis taken."""
    test: int
    """What to ask now to compare or check; GREEDY where the gain decides."""


AT_FIRST = Progress(0, NOBODY, 0, GREEDY)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The candidates and where the policy stands."""

    belief: Belief
    progress: Progress


def sparsity(table: OutcomeTable, *, force: bool = False) -> Sparsity:
    """Raises NotSparse where alpha is above 1/2, unless forced."""
    densest = max(1, _most_determinate(table.columns))
    alpha = math.log(densest) / math.log(table.hypotheses) if table.hypotheses > 1 else 0.0
    if densest**2 > table.hypotheses and not force:
        raise NotSparse(alpha)
    return Sparsity(alpha, 2 * densest)


def next_test(
    table: OutcomeTable,
    answers: Sequence[Answer],
    *,
    grouped: bool = False,
    force: bool = False,
    excluded: Collection[int] = (),
) -> int:
    """The test to ask after these answers, in the order they were given.

    -1 when the case is settled, contradictory, or nothing that is left can tell the candidates apart. Raises
    NotSparse as `sparsity` does and ValueError as `believe` does.
    """
    belief = believe(table, answers, excluded)
    state = replay(table, sparsity(table, force=force), answers, excluded)
    return ask(table, State(belief, state.progress), grouped)


def replay(table: OutcomeTable, sparse: Sparsity, answers: Sequence[Answer], excluded: Collection[int] = ()) -> State:
    """The state after these answers, in the order they were given."""
    state = State(believe(table, [], excluded), AT_FIRST)
    for test, outcomes in answers:
        state, _ = after(table, sparse, state, test, outcomes)
    return state


def after(
    table: OutcomeTable, sparse: Sparsity, state: State, test: int, outcomes: Collection[int]
) -> tuple[State, float]:
    """The state after one more answer, and the probability of that answer."""
    belief, chance = narrow(table, state.belief, test, outcomes)
    return State(belief, advance(table, sparse, state.progress, belief.rows, belief.spent)), chance


def narrow(table: OutcomeTable, belief: Belief, test: int, outcomes: Collection[int]) -> tuple[Belief, float]:
    """The belief after one more answer, and the probability of that answer."""
    seen, said = set(outcomes), belief.said.copy()
    if len(seen) in (0, table.columns.outcomes[test]):
        said[test] = COULD_NOT_TELL
        return replace(belief, said=said), 1.0
    said[test] = next(iter(seen)) if len(seen) == 1 else SEVERAL
    probabilities = likelihood(table, test, outcomes)[belief.rows]
    kept = probabilities > 0
    weight = (belief.posterior * probabilities)[kept]
    total = float(weight.sum())
    posterior = weight / total if total > 0.0 else np.full(len(weight), 1.0 / max(len(weight), 1))
    narrowed = replace(
        belief,
        rows=belief.rows[kept],
        posterior=posterior,
        log_copies=belief.log_copies[kept],
        mismatches=belief.mismatches[kept],
        said=said,
    )
    return narrowed, total


def advance(table: OutcomeTable, sparse: Sparsity, progress: Progress, rows: Int64, spent: Bool) -> Progress:
    """Where the policy stands after an answer that left these candidates, ascending, and these tests spent."""
    greedy, taken, checks = progress.greedy, progress.taken, progress.checks
    if progress.test == GREEDY:
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
    return Progress(greedy, NOBODY if test == GREEDY else taken, checks, test)


def ask(table: OutcomeTable, state: State, grouped: bool) -> int:
    """The test the policy asks; -1 when the case is over."""
    rows = state.belief.rows
    if len(rows) == 0 or settled(table.columns, rows, grouped):
        return -1
    if state.progress.test != GREEDY:
        return state.progress.test
    plan = plan_of(table, GAIN, grouped)
    return score_tests(table, state.belief, plan).choice


@dataclass(frozen=True, slots=True)
class SparseSteps:
    """The policy on one table, to be followed by `algos.steps`."""

    table: OutcomeTable
    sparse: Sparsity
    grouped: bool

    def begin(self, belief: Belief) -> State:
        """The state to follow the policy from."""
        return State(belief, AT_FIRST)

    def walk(
        self,
        belief: Belief,
        by_hypothesis: Float64 | None = None,
        tell: Callable[[float], object] | None = None,
        node_limit: int = STEP_LIMIT,
    ) -> Walk:
        """Follow the policy to every end, as `walk_steps` does."""
        return walk_steps(self.table, self, self.begin(belief), node_limit, by_hypothesis, tell)

    def ask(self, state: State) -> int:
        """The test to ask."""
        return ask(self.table, state, self.grouped)

    def after(self, state: State, test: int, outcome: int) -> tuple[State, float]:
        """The state after this answer, and the probability of the answer."""
        return after(self.table, self.sparse, state, test, [outcome])

    def over(self, state: State) -> bool:
        """One candidate is left, or one group."""
        return settled(self.table.columns, state.belief.rows, self.grouped)

    def candidates(self, state: State) -> tuple[Int64, Float64]:
        """Rows and posterior."""
        return state.belief.rows, state.belief.posterior


@kernel
def _most_determinate(columns: Columns) -> int:
    m, n = columns.cells.shape
    count = np.zeros(n, np.int64)
    for x in range(m):
        for e in range(n):
            if cell_size_of(columns, x, e) == 1:
                count[e] += 1
    return int(count.max())


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
