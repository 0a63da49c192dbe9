"""The one bridge from a case to `algos`: who is left, and what to ask next."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from diagnoser.case import Answered, Settings, State
from diagnoser.errors import UsageError
from diagnoser.kb import KnowledgeBase, Test
from diagnoser.policies import Rule, find_policy, find_stop

if TYPE_CHECKING:
    from algos.belief import Belief
    from algos.order import Order
    from algos.table import Float64
    from algos.walk import Scores

Status = Literal["open", "identified", "group", "inseparable", "contradiction"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hypothesis that is still possible."""

    hypothesis: str
    posterior: float
    group: str | None
    mismatches: int = 0


@dataclass(frozen=True, slots=True)
class Branch:
    """What one outcome of a test would leave."""

    outcome: str
    probability: float
    candidates_left: int


@dataclass(frozen=True, slots=True)
class RankedTest:
    """A test that would tell candidates apart."""

    test: str
    score: float
    """In the policy's own measure, before division by cost; for a fixed order the score that placed it there."""
    cost: float
    silent: int
    """Candidates on which the table does not know this test."""
    branches: tuple[Branch, ...]
    """One for each declared outcome, in declared order; "does not apply" last where the test has it."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Everything the screen and the commands say about a case."""

    status: Status
    candidates: tuple[Candidate, ...]
    """Most probable first, ties in the table's order."""
    entropy_bits: float
    """Uncertainty left over the candidates."""
    entropy_bits_at_start: float
    proposal: RankedTest | None
    """What the policy asks; None unless the status is "open"."""
    tests: tuple[RankedTest, ...]
    """Best first; every test not yet spent that would tell candidates apart."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a policy costs over all cases the table allows."""

    policy: str
    stop: str
    expected_cost: float
    worst_cost: float
    nodes: int
    """Inner nodes and leaves of the tree of answers."""
    exact: bool
    standard_error: float
    """Of the expected cost; 0 when it is exact."""
    unresolved_probability: float
    """Probability that a case ends with no test left that could tell the rest apart."""
    entropy_bound_bits: float | None
    """No policy costs less; None where some cases cannot be resolved and the bound does not hold."""
    seconds: float
    """To prepare and walk the tree, without compiling."""


CELLS_WALKED_AT_ONCE = 2_000_000
"""Candidates times tests up to which the cost still to come is worked out with each answer."""
NODES_WALKED_AT_ONCE = 20_000


class Adviser:
    """A knowledge base made ready for choosing tests. The first use of a kernel loads or compiles it."""

    def __init__(self, kb: KnowledgeBase) -> None:
        import numpy as np

        from algos.table import OutcomeTable, entropy_bits

        self.kb = kb
        self._entropy = entropy_bits
        m, n = len(kb.hypotheses), len(kb.tests)
        self.table = OutcomeTable.build(
            np.frombuffer(kb.codes, dtype=np.int16).reshape(m, n),
            [len(test.outcomes) for test in kb.tests],
            applicable=[test.applicable for test in kb.tests],
            partials=[test.partials for test in kb.tests],
            prior=[hypothesis.prior for hypothesis in kb.hypotheses],
            cost=[test.cost for test in kb.tests],
            group=kb.group_of,
        )
        self._fixed_order = cache(self._work_out_order)

    def advise(self, state: State) -> Advice:
        """Who is left and what to ask next.

        Raises UsageError when the state names a test, outcome, hypothesis, policy or rule that does not exist.
        """
        from algos.scores import settled
        from algos.walk import score_tests

        rule, grouped = _rules(state)
        belief = self._believe(state)
        candidates = self._candidates(belief)
        if not candidates:
            return self._advice("contradiction", candidates, belief)
        if settled(self.table.columns, belief.rows, grouped):
            return self._advice("identified" if len(candidates) == 1 else "group", candidates, belief)
        scores = score_tests(self.table, belief, rule, grouped, self._order(rule, grouped).tests)
        if scores.choice < 0:
            return self._advice("inseparable", candidates, belief)
        ranked = tuple(self._ranked(scores, belief, rule, grouped))
        proposal = next(test for test in ranked if test.test == self.kb.tests[scores.choice].id)
        others = (test for test in ranked if test is not proposal)
        return self._advice("open", candidates, belief, (proposal, *others))

    def cost_left(self, state: State) -> tuple[float, float] | None:
        """Expected and worst cost still to come under the state's policy, in the table's cost unit.

        None where the tree of answers is too large to walk at once. Raises UsageError as `advise` does.
        """
        from algos.walk import walk

        rule, grouped = _rules(state)
        belief = self._believe(state)
        if not 0 < len(belief.rows) * self.table.tests <= CELLS_WALKED_AT_ONCE:
            return None
        order = self._order(rule, grouped).tests
        left = walk(self.table, belief, rule, grouped, order, NODES_WALKED_AT_ONCE)
        return (left.expected_cost, left.worst_cost) if left.complete else None

    def evaluate(self, policy: str, stop: str) -> Evaluation:
        """The exact figures of a policy from the first question on.

        Raises UsageError for unknown names and where the policy's tree or order is too large to work out.
        """
        from algos.belief import believe
        from algos.walk import walk

        rule, grouped = _rules(State(Settings(policy, stop)))
        start = believe(self.table, [])
        walk(self.table, start, rule, grouped, self._order(rule, grouped).tests, 0)  # compiled before the clock starts
        started = time.perf_counter()
        order = self._work_out_order(grouped) if rule.ordered else self._order(rule, grouped)
        figures = walk(self.table, start, rule, grouped, order.tests)
        if not figures.complete:
            raise UsageError(f"the tree of answers of {policy} is too large to walk on this table")
        return Evaluation(
            policy=policy,
            stop=stop,
            expected_cost=figures.expected_cost,
            worst_cost=figures.worst_cost,
            nodes=figures.inner_nodes + figures.leaves,
            exact=True,
            standard_error=0.0,
            unresolved_probability=figures.unresolved_probability,
            entropy_bound_bits=None if figures.unresolved_probability > 0 else self.entropy_bound(stop),
            seconds=time.perf_counter() - started,
        )

    def entropy_bound(self, stop: str) -> float:
        """No policy that always ends can have a lower expected cost.

        The answers must carry the entropy of what is asked for, at most log2 K bits a test; each costs at least as
        much as the cheapest test.
        """
        import numpy as np

        group, prior = self.table.columns.group, self.table.prior
        mass: Float64 = np.bincount(group, weights=prior).astype(np.float64) if stop == "group" else prior
        most = int(self.table.columns.outcomes.max())
        return self._entropy(mass) / float(np.log2(max(most, 2))) * float(self.table.columns.cost.min())

    def _order(self, rule: Rule, grouped: bool) -> Order:
        from algos.order import NOTHING_FIXED

        return self._fixed_order(grouped) if rule.ordered else NOTHING_FIXED

    def _work_out_order(self, grouped: bool) -> Order:
        from algos.order import TooManyStates, fixed_order

        try:
            return fixed_order(self.table, grouped)
        except TooManyStates as error:
            raise UsageError(f"{error}; choose a policy that looks at the answers") from None

    def _believe(self, state: State) -> Belief:
        from algos.belief import believe

        return believe(self.table, list(self._answers(state)), [self._hypothesis(h) for h in state.excluded])

    def _answers(self, state: State) -> Iterator[tuple[int, list[int]]]:
        for answer in state.answers:
            index = self.kb.test_index.get(answer.test)
            if index is None:
                raise UsageError(f'the table has no test "{answer.test}"')
            if answer.reading is not None:
                raise UsageError(f'test "{answer.test}": choose the range that the number lies in')
            yield index, [_outcome(self.kb.tests[index], answer, outcome) for outcome in answer.outcomes]

    def _hypothesis(self, hypothesis: str) -> int:
        index = self.kb.hypothesis_index.get(hypothesis)
        if index is None:
            raise UsageError(f'the table has no {self.kb.hypothesis_word} "{hypothesis}"')
        return index

    def _candidates(self, belief: Belief) -> tuple[Candidate, ...]:
        import numpy as np

        # Equal posteriors may differ in the last digits; the table's order decides between them.
        order = np.argsort(-belief.posterior.round(12), kind="stable")
        known = self.kb.hypotheses
        return tuple(
            Candidate(known[row].id, posterior, known[row].group)
            for row, posterior in zip(belief.rows[order].tolist(), belief.posterior[order].tolist(), strict=True)
        )

    def _ranked(self, scores: Scores, belief: Belief, rule: Rule, grouped: bool) -> Iterator[RankedTest]:
        import numpy as np

        value = scores.score
        if rule.ordered:
            order = self._order(rule, grouped)
            value = np.zeros(self.table.tests)
            value[order.tests[: len(order.score)]] = order.score
            # The fixed order may ask what tells nobody apart any more.
            asked = scores.informative.copy()
            asked[scores.choice] = True
            useful = order.tests[asked[order.tests]]
        else:
            useful = np.flatnonzero(scores.informative)
            rate = value / self.table.columns.cost
            useful = useful[np.argsort(-rate[useful].round(12), kind="stable")]
        silent = (self.table.columns.cells[belief.rows] == -1).sum(axis=0)
        for e in useful.tolist():
            outcomes = self.kb.tests[e].outcomes
            mass, stay = scores.probability[:, e].tolist(), scores.stay[:, e].tolist()
            branches = tuple(Branch(o.id, mass[v], stay[v]) for v, o in enumerate(outcomes))
            yield RankedTest(self.kb.tests[e].id, float(value[e]), self.kb.tests[e].cost, int(silent[e]), branches)

    def _advice(
        self,
        status: Status,
        candidates: tuple[Candidate, ...],
        belief: Belief,
        tests: tuple[RankedTest, ...] = (),
    ) -> Advice:
        return Advice(
            status=status,
            candidates=candidates,
            entropy_bits=self._entropy(belief.posterior),
            entropy_bits_at_start=self.table.entropy_bits,
            proposal=tests[0] if tests else None,
            tests=tests,
        )


def _rules(state: State) -> tuple[Rule, bool]:
    """The policy's rule, and whether the case ends at one group."""
    settings = state.settings
    if settings.errors != "strict":
        raise UsageError(f'errors are treated strictly only; "{settings.errors}" is not known')
    return find_policy(settings.policy).rule, find_stop(settings.stop) == "group"


def _outcome(test: Test, answer: Answered, outcome: str) -> int:
    index = test.outcome_index(outcome)
    if index is None:
        known = ", ".join(o.id for o in test.outcomes)
        raise UsageError(f'test "{answer.test}" has no outcome "{outcome}"; known: {known}')
    return index
