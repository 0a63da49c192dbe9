"""Wrong answers and repeated evidence: beliefs against the slow twin in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from algos.belief import RELIABILITY, STRICT, Belief, Errors, believe
from algos.decide import NO_ORDER, Plan, score_tests
from algos.stopping import POSTERIOR, UNIQUE, stop_rule
from algos.table import OutcomeTable
from algos.walk import walk
from diagnoser.policies import POLICIES
from tests import naive
from tests.conftest import examples
from tests.strategies import Asked, asked, tables

TRUST = [None, Fraction(1, 2), Fraction(4, 5), Fraction(99, 100)]
SCORED = ("gain", "odtn-r", "odtn-h", "information-gain")

often = settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
anyhow = asked(consistent=False)


def fast(
    table: naive.Table, trust: Sequence[Fraction | None] | None = None, same: Sequence[set[int]] = ()
) -> OutcomeTable:
    known = [float(naive.USUAL_RELIABILITY if r is None else r) for r in trust or [None] * len(table.tests)]
    number = {test: place for place, members in enumerate(same) for test in members}
    return OutcomeTable.build(
        **naive.arguments(table), reliability=known, evidence=[number.get(test, -1) for test in table.tests]
    )


def errors_of(twin: naive.Errors) -> Errors:
    return {"strict": STRICT, "reliability": RELIABILITY}.get(twin.mode, Errors.tolerant(twin.tolerance))


@st.composite
def believing(draw: st.DrawFn, table: naive.Table) -> naive.Errors:
    """Any way to treat errors: the reliability of each test, how many to tolerate, and which answers are exact."""
    n = len(table.tests)
    return naive.Errors(
        draw(st.sampled_from(["strict", "tolerance", "tolerance", "reliability"])),
        tuple(draw(st.lists(st.sampled_from(TRUST), min_size=n, max_size=n))),
        draw(st.integers(0, 3)),
        draw(st.frozensets(st.sampled_from(table.tests))),
    )


@st.composite
def repeating(draw: st.DrawFn, table: naive.Table) -> list[set[int]]:
    """Sets of tests that repeat each other's evidence; none in two of them."""
    number = draw(st.lists(st.integers(0, 3), min_size=len(table.tests), max_size=len(table.tests)))
    sets = [{test for test in table.tests if number[test] == place} for place in range(3)]
    return [members for members in sets if len(members) > 1]


def assert_same(belief: Belief, now: naive.State) -> None:
    assert belief.rows.tolist() == list(now.candidates)
    assert belief.posterior.tolist() == pytest.approx([float(p) for p in now.posterior.values()], rel=1e-9, abs=1e-12)
    assert belief.mismatches.tolist() == list(now.mismatches.values())
    assert np.exp2(belief.log_copies).tolist() == pytest.approx([float(count) for count in now.copies.values()])


@often
@given(anyhow, st.data())
def test_belief_with_errors_and_repeated_evidence(case: Asked, data: st.DataObject) -> None:
    """Several outcomes at once, mismatches, exact answers, inconsistent answers, any order."""
    twin = data.draw(believing(case.table))
    same = data.draw(repeating(case.table))
    order = data.draw(st.permutations(case.answers))
    found = believe(fast(case.table, twin.reliability, same), order, errors=errors_of(twin), exact=twin.exact)
    assert_same(found, naive.state(case.table, dict(case.answers), twin, same))


@often
@given(anyhow, st.data())
def test_the_order_of_answers_does_not_matter_to_the_last_digit(case: Asked, data: st.DataObject) -> None:
    twin = data.draw(believing(case.table))
    table = fast(case.table, twin.reliability, data.draw(repeating(case.table)))
    here, there = (
        believe(table, answers, errors=errors_of(twin), exact=twin.exact)
        for answers in (case.answers, data.draw(st.permutations(case.answers)))
    )
    assert here.rows.tolist() == there.rows.tolist()
    assert here.posterior.tolist() == there.posterior.tolist()
    assert here.log_copies.tolist() == there.log_copies.tolist()
    assert here.said.tolist() == there.said.tolist()


# ------------------------------------------------------------------------------------------------------------- by hand


def test_of_repeated_evidence_the_lowest_test_counts() -> None:
    """Test 0 says 1/2 against 1, test 1 says 1 against 1/2: whichever was answered first, test 0 alone is weighed."""
    slow = naive.from_signs(["*+", "+*"])
    alone = fast(slow)
    repeating = fast(slow, same=[{0, 1}])
    assert believe(alone, [(0, [0]), (1, [0])]).posterior.tolist() == pytest.approx([1 / 2, 1 / 2])
    for answers in ([(0, [0]), (1, [0])], [(1, [0]), (0, [0])]):
        assert believe(repeating, answers).posterior.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert believe(repeating, [(1, [0])]).posterior.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert believe(repeating, [(0, []), (1, [0])]).posterior.tolist() == pytest.approx([2 / 3, 1 / 3])  # not told


def test_repeated_evidence_still_rules_out() -> None:
    table = fast(naive.from_signs(["++", "*-", "*+"]), same=[{0, 1}])
    belief = believe(table, [(0, [0]), (1, [0])])
    assert belief.rows.tolist() == [0, 2]
    assert belief.posterior.tolist() == pytest.approx([2 / 3, 1 / 3])


def test_reliability_by_hand() -> None:
    """r = 0.9 of two outcomes: 0.9 against 0.1, nobody leaves. r = 0.8 of three, two of them seen: 0.9 against 0.2."""
    table = OutcomeTable.build([[0, 0], [1, 2]], [2, 3], reliability=[0.9, 0.8])
    belief = believe(table, [(0, [0])], errors=RELIABILITY)
    assert belief.posterior.tolist() == pytest.approx([0.9, 0.1])
    assert belief.mismatches.tolist() == [0, 1]
    belief = believe(table, [(1, [0, 1])], errors=RELIABILITY)
    assert belief.posterior.tolist() == pytest.approx([0.9 / 1.1, 0.2 / 1.1])


def test_tolerance_by_hand() -> None:
    """Rows with none, one, two mismatches; the second answer is exact or not."""
    table = OutcomeTable.build([[0, 0], [1, 0], [0, 1], [1, 1]], [2, 2], reliability=[0.9, 0.9])
    answers = [(0, [0]), (1, [0])]
    assert believe(table, answers, errors=Errors.tolerant(0)).rows.tolist() == [0]
    belief = believe(table, answers, errors=Errors.tolerant(1))
    assert belief.rows.tolist() == [0, 1, 2]
    assert belief.posterior.tolist() == pytest.approx([0.81 / 0.99, 0.09 / 0.99, 0.09 / 0.99])
    assert believe(table, answers, errors=Errors.tolerant(1), exact=[1]).rows.tolist() == [0, 1]
    assert believe(table, answers, errors=Errors.tolerant(2)).rows.tolist() == [0, 1, 2, 3]


# ---------------------------------------------------------------------------------------------------- what must hold


@often
@given(tables(), st.integers(0, 3), st.data())
def test_a_few_wrong_answers_are_tolerated(table: naive.Table, tolerance: int, data: st.DataObject) -> None:
    """The truth stays possible under tolerance k with at most k wrong answers, exact answers being right."""
    truth = data.draw(st.sampled_from(table.hypotheses))
    wrong = data.draw(st.sets(st.sampled_from(table.tests), max_size=tolerance))
    answers = []
    for test in data.draw(st.permutations(table.tests)):
        right = sorted(table.cells[truth][test])
        allowed = range(table.outcomes[test]) if test in wrong else right
        answers.append((test, [data.draw(st.sampled_from(allowed))]))
    exact = set(table.tests) - wrong
    belief = believe(fast(table), answers, errors=Errors.tolerant(tolerance), exact=exact)
    assert truth in belief.rows
    assert belief.posterior[belief.rows == truth] > 0


@often
@given(anyhow, st.sampled_from([RELIABILITY, Errors.tolerant(1), Errors.tolerant(5)]))
def test_perfect_reliability_does_no_harm(case: Asked, errors: Errors) -> None:
    """With r = 1 a mismatch is impossible, and yet everyone may have one: still a distribution."""
    belief = believe(fast(case.table, [Fraction(1)] * len(case.table.tests)), case.answers, errors=errors)
    if len(belief.rows):
        assert np.isfinite(belief.posterior).all()
        assert belief.posterior.sum() == pytest.approx(1)
        fewest = belief.mismatches == belief.mismatches.min()
        assert belief.posterior[fewest].sum() == pytest.approx(1)


@pytest.mark.parametrize("stop", [(UNIQUE, 0.0), (POSTERIOR, 0.9)])
@pytest.mark.parametrize("policy", SCORED)
@often
@given(case=anyhow, data=st.data())
def test_every_belief_can_be_walked_on_from(
    policy: str, stop: tuple[int, float], case: Asked, data: st.DataObject
) -> None:
    """From tolerated mismatches too, and with a repeated test that takes the place of a mismatched one."""
    twin = data.draw(believing(case.table))
    table = fast(case.table, twin.reliability, data.draw(repeating(case.table)))
    belief = believe(table, case.answers, errors=errors_of(twin), exact=twin.exact)
    assume(len(belief.rows))
    plan = Plan(POLICIES[policy].rule, NO_ORDER, stop_rule(table, *stop))
    seen = score_tests(table, belief, plan)
    spent = {test for test, _ in case.answers}
    assert seen.choice not in spent
    shares = np.zeros(table.hypotheses)
    found = walk(table, belief, plan, by_hypothesis=shares)
    assert found.complete
    assert 0 <= found.expected_cost <= found.worst_cost + 1e-9
    assert shares.sum() == pytest.approx(found.expected_cost)
    assert -1e-9 <= found.unresolved_probability <= 1 + 1e-9


@pytest.mark.parametrize("policy", SCORED)
@settings(often, max_examples=examples(60))
@given(case=asked(max_hypotheses=7, max_tests=5, max_outcomes=3), data=st.data())
def test_walk_with_repeated_evidence(policy: str, case: Asked, data: st.DataObject) -> None:
    """The posterior that decides leaves out repeated factors; the chance of a case has them all."""
    table, same = naive.plain(case.table), data.draw(repeating(case.table))
    given_answers = {test: seen for test, seen in case.answers if len(seen) < 2}

    def rate(now: naive.State, test: int) -> Fraction | float:
        found = naive.scores(table, now, test)
        score = {"gain": found.gain, "odtn-r": found.odtn_r, "odtn-h": found.odtn_h}
        return score.get(policy, found.information_bits) / table.cost[test]

    def below(answers: naive.Answers, joint: dict[int, Fraction]) -> tuple[Fraction, int]:
        now = naive.state(table, answers, same_evidence=same)
        useful = [test for test in table.tests if test not in now.spent and naive.informative(table, now, test)]
        if not useful:
            return Fraction(0), 1
        rates = {test: rate(now, test) for test in useful}
        slack = 1 - naive.RELATIVE_TIE if policy == "information-gain" else 1
        test = min(test for test, r in rates.items() if r >= max(rates.values()) * slack)
        cost, nodes = sum(joint.values()) * table.cost[test], 1
        for v in range(len(naive.scores(table, now, test).outcome_probability)):
            later = {x: mass * table.cells[x][test].get(v, Fraction(0)) for x, mass in joint.items()}
            later = {x: mass for x, mass in later.items() if mass}
            if later:
                part = below({**answers, test: (v,)}, later)
                cost, nodes = cost + part[0], nodes + part[1]
        return cost, nodes

    built = fast(case.table, same=same)
    belief = believe(built, list(given_answers.items()))
    found = walk(built, belief, Plan(POLICIES[policy].rule, NO_ORDER, stop_rule(built, UNIQUE)))
    start = naive.state(table, given_answers, same_evidence=same)
    cost, nodes = below(given_answers, dict(start.posterior))
    assert found.expected_cost == pytest.approx(float(cost), rel=1e-9, abs=1e-12)
    assert found.inner_nodes + found.leaves == nodes
