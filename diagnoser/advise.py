"""The one bridge from a case to `algos`: who is left, and what to ask next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from diagnoser.case import Answered, State
from diagnoser.errors import UsageError
from diagnoser.kb import KnowledgeBase, Test
from diagnoser.policies import FORCED, USUAL_AHEAD, Policy, Rule, StopKind, find_policy, read_stop

if TYPE_CHECKING:
    from algos.belief import Belief
    from algos.decide import Plan, Scores
    from algos.order import Order
    from algos.rollout import Rollout
    from algos.sparse import Sparsity
    from algos.stopping import Stop

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


CELLS_WALKED_AT_ONCE = 2_000_000
"""Candidates times tests up to which the cost still to come is worked out with each answer."""
NODES_WALKED_AT_ONCE = 20_000


class Adviser:
    """A knowledge base made ready for choosing tests. The first use of a kernel loads or compiles it."""

    def __init__(self, kb: KnowledgeBase) -> None:
        import numpy as np

        from algos import jit
        from algos.table import USUAL_RELIABILITY, OutcomeTable, entropy_bits

        self.kb = kb
        self.notice = jit.cache_notice or ""
        """Why every start takes long; empty where it does not."""
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
            reliability=[USUAL_RELIABILITY if t.reliability is None else t.reliability for t in kb.tests],
            evidence=kb.evidence_of,
            needs=kb.needs_by_index,
        )
        self.stop = cache(self._work_out_stop)
        """The rule of this name made ready for the table. Raises UsageError for unknown names."""
        self._order = cache(self.work_out_order)

    def advise(self, state: State) -> Advice:
        """Who is left and what to ask next.

        Raises UsageError when the state names a test, outcome, hypothesis, policy or rule that does not exist.
        """
        from algos.decide import score_tests

        plan, policy = self._plan(state), find_policy(state.settings.policy)
        belief = self._believe(state)
        candidates = self._candidates(belief)
        if not candidates:
            return self._advice("contradiction", candidates, belief)
        scores = score_tests(self.table, belief, plan)
        if len(candidates) == 1:
            return self._advice("identified", candidates, belief)
        if scores.choice < 0:
            met: dict[StopKind, Status] = {StopKind.GROUP: "group", StopKind.POSTERIOR: "identified"}
            kind = read_stop(state.settings.stop).kind
            return self._advice(met.get(kind, "inseparable") if scores.over else "inseparable", candidates, belief)
        order = self._order(state.settings.stop) if policy.rule.ordered else None
        ranked = tuple(self._ranked(scores, belief, order))
        choice = scores.choice
        if policy.ahead:
            choice, _ = self.rollout(policy, plan).choose(belief)
        elif policy.rule is Rule.SPARSE:
            choice = self._sparse_choice(state, policy)
        proposal = next(test for test in ranked if test.test == self.kb.tests[choice].id)
        others = (test for test in ranked if test is not proposal)
        return self._advice("open", candidates, belief, (proposal, *others))

    def cost_left(self, state: State) -> tuple[float, float] | None:
        """Expected and worst cost still to come under the state's policy, in the table's cost unit.

        A policy that looks ahead is taken to go on as its base. None where the tree of answers is too large to walk
        at once. Raises UsageError as `advise` does.
        """
        from algos.walk import walk

        belief = self._believe(state)
        if not 0 < len(belief.rows) * self.table.tests <= CELLS_WALKED_AT_ONCE:
            return None
        left = walk(self.table, belief, self._plan(state), NODES_WALKED_AT_ONCE)
        return (left.expected_cost, left.worst_cost) if left.complete else None

    def _plan(self, state: State) -> Plan:
        from algos.decide import NO_ORDER, Plan

        policy, stop = find_policy(state.settings.policy), state.settings.stop
        order = self._order(stop).tests if policy.rule.ordered else NO_ORDER
        return Plan(self.score(policy), order, self.stop(stop))

    def score(self, policy: Policy) -> int:
        """The number in `algos.scores` of what ranks the tests."""
        from algos.noise import better_guarantee

        if policy.rule is Rule.SPARSE:
            return int(Rule.GAIN)  # between its checks
        return better_guarantee(self.table) if policy.rule is Rule.AUTO else int(policy.rule)

    def rollout(self, policy: Policy, plan: Plan) -> Rollout:
        """A policy that looks ahead."""
        from algos.rollout import Ahead, Rollout

        width, level, endgame = policy.ahead or USUAL_AHEAD
        return Rollout(self.table, plan, Ahead(level, width, endgame))

    def _sparse_choice(self, state: State, policy: Policy) -> int:
        from algos.sparse import next_test

        if state.settings.errors != "strict":
            raise UsageError("sparse names only what the answers prove; it treats errors strictly")
        answers, excluded = self._given(state)
        sparse, grouped = self.sparse_terms(state.settings.stop, policy)
        return next_test(self.table, sparse, answers, grouped=grouped, excluded=excluded)

    def sparse_terms(self, stop: str, policy: Policy) -> tuple[Sparsity, bool]:
        """How sparse the table is; whether the case ends at one group. Raises UsageError where sparse is not for it."""
        from algos.sparse import NotSparse, sparsity

        kind = read_stop(stop).kind
        if not kind.names_one:
            raise UsageError("sparse stops at one hypothesis or one group only")
        if len(self.table.columns.need_test):
            raise UsageError("sparse is for tables without needs")
        try:
            return sparsity(self.table, force=policy.name.endswith(FORCED)), kind == StopKind.GROUP
        except NotSparse as error:
            raise UsageError(f"{error}; sparse{FORCED} takes it all the same") from None

    def _work_out_stop(self, stop: str) -> Stop:
        from algos.stopping import stop_rule

        rule = read_stop(stop)
        return stop_rule(self.table, rule.kind, rule.threshold)

    def work_out_order(self, stop: str) -> Order:
        """The fixed order of tests. Raises UsageError where it is too large to work out."""
        from algos.order import TooManyStates, fixed_order

        try:
            return fixed_order(self.table, self.stop(stop))
        except TooManyStates as error:
            raise UsageError(f"{error}; choose a policy that looks at the answers") from None

    def _believe(self, state: State) -> Belief:
        from algos.belief import RELIABILITY, STRICT, Errors, believe

        mode, tolerance = state.settings.errors, state.settings.tolerance
        errors = {"strict": STRICT, "reliability": RELIABILITY}.get(mode) or Errors.tolerant(
            min(tolerance, self.table.tests)
        )
        answers, excluded = self._given(state)
        exact = [self.kb.test_index[a.test] for a in state.answers if a.exact]
        return believe(self.table, answers, excluded, errors, exact)

    def _given(self, state: State) -> tuple[list[tuple[int, list[int]]], list[int]]:
        """The answers that count, in the order given, and the hypotheses ruled out by hand, all as positions."""
        answers = [(self.kb.test_index[a.test], self._outcomes(a)) for a in standing_answers(self.kb, state)]
        return answers, [self._hypothesis(h) for h in state.excluded]

    def _outcomes(self, answer: Answered) -> list[int]:
        test = self.kb.tests[self.kb.test_index[answer.test]]
        if answer.reading is not None:
            raise UsageError(f'test "{answer.test}": choose the range that the number lies in')
        return [_outcome(test, answer, outcome) for outcome in answer.outcomes]

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
            Candidate(known[row].id, posterior, known[row].group, mismatches)
            for row, posterior, mismatches in zip(
                belief.rows[order].tolist(),
                belief.posterior[order].tolist(),
                belief.mismatches[order].tolist(),
                strict=True,
            )
        )

    def _ranked(self, scores: Scores, belief: Belief, order: Order | None) -> Iterator[RankedTest]:
        import numpy as np

        from algos.table import UNKNOWN

        value = scores.score
        if order is not None:
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
        silent = (self.table.columns.cells[belief.rows] == UNKNOWN).sum(axis=0)
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


def standing_answers(kb: KnowledgeBase, state: State) -> list[Answered]:
    """The answers that count: those to a test that another answer has made pointless are dormant.

    A test is pointless when one of its needs is answered otherwise, or rests on a pointless test itself.
    Raises UsageError for a test that the table does not have.
    """
    given = {answer.test: answer for answer in state.answers}
    for test in given:
        if test not in kb.test_index:
            raise UsageError(f'the table has no test "{test}"')

    def pointless(test: str) -> bool:
        return any(all(fails(*need) for need in any_of) for any_of in kb.tests[kb.test_index[test]].needs)

    def fails(test: str, outcome: str) -> bool:
        answer = given.get(test)
        return pointless(test) or (answer is not None and not answer.unknown and outcome not in answer.outcomes)

    return [answer for answer in state.answers if not pointless(answer.test)]


def _outcome(test: Test, answer: Answered, outcome: str) -> int:
    index = test.outcome_index(outcome)
    if index is None:
        known = ", ".join(o.id for o in test.outcomes)
        raise UsageError(f'test "{answer.test}" has no outcome "{outcome}"; known: {known}')
    return index
