"""Random cases against the exact walk of the same policy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from algos.belief import Belief, believe, likelihood
from algos.decide import NO_ORDER, Plan, score_tests
from algos.simulate import Sample, draw_cases, simulate
from algos.stopping import BUDGET, GROUP, POSTERIOR, UNIQUE, stop_rule
from algos.table import OutcomeTable
from algos.walk import Walk, walk
from diagnoser.policies import POLICIES
from tests import naive
from tests.conftest import WITHOUT_COMPILER

RUNS = 1000 if WITHOUT_COMPILER else 4000


def noisy(seed: int = 3) -> OutcomeTable:
    """Half of the cells unknown, uneven priors and costs."""
    random = np.random.default_rng(seed)
    cells = random.choice([0, 1, -1, -1], size=(14, 9))
    return OutcomeTable.build(cells, [2] * 9, prior=random.integers(1, 5, 14), cost=random.integers(1, 4, 9) / 2)


def many_outcomes() -> OutcomeTable:
    """Weighted cells, "does not apply", groups, and two tests that repeat each other's evidence."""
    weighted = {0: Fraction(1, 8), 1: Fraction(5, 8), 2: Fraction(2, 8)}
    one, two, three = naive.uniform([0]), naive.uniform([1]), naive.uniform([2])
    either = naive.uniform([0, 1])
    rows = [
        [weighted, one, either],
        [one, either, two],
        [three, weighted, one],
        [either, two, weighted],
        [two, three, two],
        [weighted, either, one],
    ]
    slow = naive.build([3, 3, 3], rows, applicable=[2, 3, 2], prior=[Fraction(x) for x in (1, 2, 3, 3, 2, 1)])
    arguments = naive.arguments(slow) | {"group": [0, 0, 1, 1, 2, 2]}
    return OutcomeTable.build(**arguments, evidence=[-1, 4, 4])


def chained() -> OutcomeTable:
    """The last two tests need an outcome of the first."""
    cells = np.random.default_rng(8).choice([0, 1, -1], size=(10, 6))
    return OutcomeTable.build(cells, [2] * 6, needs=[[], [], [], [], [[(0, 0)]], [[(0, 1), (1, 1)]]])


CASES = {
    "noisy": (noisy(), "odtn-r", (UNIQUE, 0.0), []),
    "noisy, from two answers": (noisy(), "gain", (UNIQUE, 0.0), [(0, [0]), (3, [])]),
    "a threshold": (noisy(), "information-gain", (POSTERIOR, 0.6), []),
    "a budget": (noisy(), "gain", (BUDGET, 3.0), []),
    "many outcomes": (many_outcomes(), "gain", (UNIQUE, 0.0), []),
    "groups": (many_outcomes(), "odtn-h", (GROUP, 0.0), []),
    "needs": (chained(), "gain", (UNIQUE, 0.0), []),
}


def prepared(name: str) -> tuple[OutcomeTable, Belief, Plan]:
    table, policy, stop, answers = CASES[name]
    return table, believe(table, answers), Plan(POLICIES[policy].rule, NO_ORDER, stop_rule(table, *stop))


def enumerated(name: str) -> Walk:
    """Every hypothesis with every run of answers it can give, each answer apart from the others."""
    table, _, plan = prepared(name)
    answers = CASES[name][3]

    def below(x: int, given: list[tuple[int, list[int]]]) -> tuple[float, float, float]:
        now = believe(table, given)
        seen = score_tests(table, now, plan)
        if seen.choice < 0:
            return 0.0, 0.0, float(not seen.over)
        possible = range(table.columns.outcomes[seen.choice])
        chances = [(v, float(likelihood(table, seen.choice, [v])[x])) for v in possible]
        parts = [(p, below(x, [*given, (seen.choice, [v])])) for v, p in chances if p > 0]
        price = float(table.columns.cost[seen.choice])
        cost, unresolved = (sum(p * part[place] for p, part in parts) for place in (0, 2))
        return price + cost, price + max(part[1] for _, part in parts), unresolved

    start = believe(table, answers)
    ends = [below(x, answers) for x in start.rows.tolist()]
    mean = [float(start.posterior @ [end[place] for end in ends]) for place in (0, 2)]
    return Walk(mean[0], max(end[1] for end in ends), 0, 0, mean[1], True)


def cases_of(table: OutcomeTable, belief: Belief, plan: Plan, runs: int, seed: int) -> Sample:
    return simulate(table, belief, plan, draw_cases(table, belief, runs, np.random.default_rng(seed)))


@pytest.mark.parametrize("name", CASES)
def test_the_mean_is_that_of_the_walk(name: str) -> None:
    """Within five standard errors, once in millions by chance; the seed is fixed."""
    table, belief, plan = prepared(name)
    exact, shares = enumerated(name), np.zeros(table.hypotheses)
    walked = walk(table, belief, plan, by_hypothesis=shares)
    assert walked.expected_cost == pytest.approx(exact.expected_cost)
    assert shares.sum() == pytest.approx(exact.expected_cost)
    assert walked.worst_cost == pytest.approx(exact.worst_cost)
    assert walked.unresolved_probability == pytest.approx(exact.unresolved_probability, abs=1e-12)
    sample = cases_of(table, belief, plan, RUNS, 12345)
    assert sample.cost.shape == sample.resolved.shape == (RUNS,)
    assert abs(sample.cost.mean() - exact.expected_cost) <= 5 * sample.cost.std(ddof=1) / RUNS**0.5 + 1e-12
    unresolved = exact.unresolved_probability
    assert abs(1 - sample.resolved.mean() - unresolved) <= 5 * (unresolved * (1 - unresolved) / RUNS) ** 0.5 + 1e-9
    assert sample.cost.max() <= exact.worst_cost + 1e-9


def test_the_cases_are_worth_drawing() -> None:
    """Costs differ from case to case, and some cases stay open."""
    for name in CASES:
        table, belief, plan = prepared(name)
        assert walk(table, belief, plan).worst_cost > walk(table, belief, plan).expected_cost
    assert 0 < walk(*prepared("noisy")).unresolved_probability < 1


def test_the_same_seed_gives_the_same_cases() -> None:
    table, belief, plan = prepared("noisy")
    first, again, other = (cases_of(table, belief, plan, 200, seed) for seed in (1, 1, 2))
    assert first.cost.tolist() == again.cost.tolist()
    assert first.resolved.tolist() == again.resolved.tolist()
    assert first.cost.tolist() != other.cost.tolist()


def test_a_case_that_is_over_costs_nothing() -> None:
    table = OutcomeTable.build([[0], [1]], [2])
    plan = Plan(POLICIES["gain"].rule, NO_ORDER, stop_rule(table, UNIQUE))
    sample = cases_of(table, believe(table, [(0, [1])]), plan, 10, 0)
    assert sample.cost.tolist() == [0.0] * 10
    assert sample.resolved.all()


def test_answers_are_those_of_the_table() -> None:
    """Every answer is possible; how often each is given is within five standard errors of its probability."""
    table = many_outcomes()
    cases = draw_cases(table, believe(table, [(0, [0, 1])]), RUNS, np.random.default_rng(5))
    belief = believe(table, [(0, [0, 1])])
    for x, chance in zip(belief.rows.tolist(), belief.posterior.tolist(), strict=True):
        mine = cases.outcomes[cases.truth == x]
        assert abs(len(mine) / RUNS - chance) <= 5 * (chance * (1 - chance) / RUNS) ** 0.5
        for e in range(table.tests):
            for v in range(3):
                share = float(likelihood(table, e, [v])[x])
                assert abs((mine[:, e] == v).mean() - share) <= 5 * (share * (1 - share) / len(mine)) ** 0.5 + 1e-12
    assert set(cases.truth) <= set(belief.rows)


def test_cases_drawn_in_parts_are_those_drawn_at_once() -> None:
    table = noisy()
    start, random = believe(table, []), np.random.default_rng(9)
    parts = [draw_cases(table, start, runs, random) for runs in (1, 7, 0, 12)]
    whole = draw_cases(table, start, 20, np.random.default_rng(9))
    assert np.concatenate([part.truth for part in parts]).tolist() == whole.truth.tolist()
    assert np.concatenate([part.outcomes for part in parts]).tolist() == whole.outcomes.tolist()
