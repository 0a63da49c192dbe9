"""When a case ends and which tests are open: the kernels against the slow twins and recursions in fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from algos.belief import believe
from algos.decide import NO_ORDER, Plan, score_tests
from algos.stopping import BUDGET, CLIQUE, NEIGHBORHOOD, POSTERIOR, UNIQUE, Stop, inseparable, stop_rule
from algos.table import Needs, OutcomeTable
from algos.walk import walk
from diagnoser.policies import POLICIES
from tests import naive
from tests.conftest import examples
from tests.strategies import Asked, asked, tables

SCORED = ("gain", "odtn-r", "odtn-h", "information-gain")
THRESHOLDS = [Fraction(1, 2), Fraction(3, 5), Fraction(2, 3), Fraction(3, 4), Fraction(9, 10), Fraction(1)]

often = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
every_scored = pytest.mark.parametrize("policy", SCORED)


def fast(table: naive.Table, needs: Sequence[Needs] | None = None) -> OutcomeTable:
    return OutcomeTable.build(**naive.arguments(table), needs=needs)


def figures(table: OutcomeTable, case: Asked, policy: str, stop: Stop, order: Sequence[int] = ()) -> list[float]:
    """Expected cost, worst cost, nodes and unresolved probability, by the kernel."""
    plan = Plan(POLICIES[policy].rule, np.array(order, np.int64), stop)
    found = walk(table, believe(table, case.answers), plan)
    assert found.complete
    return [
        found.expected_cost,
        found.worst_cost,
        found.inner_nodes + found.leaves,
        found.unresolved_probability,
    ]


def near(cost: naive.Cost) -> object:
    return pytest.approx(
        [float(cost.expected), float(cost.worst), cost.nodes, float(cost.unresolved_probability)], rel=1e-9, abs=1e-12
    )


def slow_walk(
    case: Asked,
    policy: str,
    *,
    over: Callable[[naive.State], bool] = lambda now: len(now.candidates) == 1,
    is_open: Callable[[naive.Answers, int], bool] = lambda answers, test: True,
    informative: Callable[[naive.Table, naive.State, int], bool] = naive.informative,
    order: Sequence[int] = (),
) -> naive.Cost:
    """Section 7 for any rule: over ends the case, is_open says whether a test may be asked after these answers."""
    table = naive.plain(case.table)
    start = naive.state(table, dict(case.answers))

    def rate(now: naive.State, test: int) -> Fraction | float:
        found = naive.scores(table, now, test)
        score = {"gain": found.gain, "odtn-r": found.odtn_r, "odtn-h": found.odtn_h}
        return score.get(policy, found.information_bits) / table.cost[test]

    def choose(answers: naive.Answers, now: naive.State) -> int | None:
        left = [test for test in table.tests if test not in now.spent and is_open(answers, test)]
        useful = [test for test in left if informative(table, now, test)]
        if not useful:
            return None
        if policy == "low-adaptive":
            return next(test for test in order if test in useful)
        if policy == "non-adaptive":
            return next(test for test in order if test in left)
        rates = {test: rate(now, test) for test in useful}
        slack = 1 - naive.RELATIVE_TIE if policy == "information-gain" else 1
        return min(test for test, r in rates.items() if r >= max(rates.values()) * slack)

    def below(answers: naive.Answers) -> naive.Cost:
        now = naive.state(table, answers)
        reach = now.reach_probability / start.reach_probability
        done = over(now)
        test = None if done else choose(answers, now)
        if test is None:
            return naive.Cost(Fraction(0), Fraction(0), 1, Fraction(0) if done else reach)
        outcomes = sorted({v for x in now.candidates for v in table.cells[x][test]})
        parts = [below({**answers, test: (v,)}) for v in outcomes]
        return naive.Cost(
            reach * table.cost[test] + sum(part.expected for part in parts),
            table.cost[test] + max(part.worst for part in parts),
            1 + sum(part.nodes for part in parts),
            sum((part.unresolved_probability for part in parts), Fraction(0)),
        )

    return below(dict(case.answers))


# ------------------------------------------------------------------------------------------ neighborhood and clique


@pytest.mark.parametrize(("stop", "kind"), [("neighborhood", NEIGHBORHOOD), ("clique", CLIQUE)])
@every_scored
@often
@given(asked(max_hypotheses=7, max_tests=5, max_outcomes=3))
def test_neighborhood_and_clique(stop: str, kind: int, policy: str, case: Asked) -> None:
    table = fast(case.table)
    wanted = naive.walk(case.table, policy, stop, dict(case.answers))
    assert figures(table, case, policy, stop_rule(table, kind)) == near(wanted)


def test_a_chain_is_a_neighborhood_and_no_clique() -> None:
    """x cannot be told from y nor y from z, but x from z: all three lie around y."""
    slow = naive.from_signs(["+", "*", "-"])
    table, nobody = fast(slow), Asked(slow, ())
    assert figures(table, nobody, "gain", stop_rule(table, NEIGHBORHOOD)) == [0, 0, 1, 0]
    assert figures(table, nobody, "gain", stop_rule(table, CLIQUE)) == [1, 1, 3, 0]
    assert figures(table, nobody, "gain", stop_rule(table, UNIQUE)) == [1, 1, 3, 1]


def test_a_hypothesis_ruled_out_before_still_has_a_neighborhood() -> None:
    """The second test rules y out, and tells x from z no more: D_y still holds both."""
    slow = naive.from_signs(["++", "**", "-+"])
    table = fast(slow)
    belief = believe(table, [], excluded=[1])
    plan = Plan(POLICIES["gain"].rule, NO_ORDER, stop_rule(table, NEIGHBORHOOD))
    seen = score_tests(table, belief, plan)
    assert (seen.over, seen.choice) == (True, -1)
    assert not seen.informative.any()


def bit(near_bits: np.ndarray, x: int, y: int) -> bool:
    return bool(int(near_bits[x, y // 64]) >> (y % 64) & 1)


@often
@given(tables())
def test_inseparable(table: naive.Table) -> None:
    """Partial cells, unknown cells and "does not apply" included; bits beyond the last hypothesis stay empty."""
    found = inseparable(fast(table))
    assert found.shape == (len(table.cells), 1)
    for x in table.hypotheses:
        shared = {
            y for y in table.hypotheses if all(table.cells[x][e].keys() & table.cells[y][e].keys() for e in table.tests)
        }
        assert int(found[x, 0]) == sum(1 << y for y in shared)


def test_does_not_apply_is_an_outcome_of_its_own() -> None:
    """An unknown cell may be either applicable outcome, not the third; `a or n/a` meets them all."""
    sets = [[2], [0, 1], [0, 2], [1]]
    rows = [[naive.uniform(some)] for some in sets]
    found = inseparable(fast(naive.build([3], rows, applicable=[2])))
    assert [int(row[0]) for row in found] == [0b0101, 0b1110, 0b0111, 0b1010]


@pytest.mark.parametrize("m", [1, 63, 64, 65, 127, 128, 130])
def test_inseparable_across_words(m: int) -> None:
    cells = np.random.default_rng(m).choice([0, 1, -1, -1, -1], size=(m, 4))
    found = inseparable(OutcomeTable.build(cells, [2] * 4))
    assert found.shape == (m, -(-m // 64))
    for x in range(m):
        apart = ((cells[x] != cells) & (cells[x] >= 0) & (cells >= 0)).any(axis=1)
        assert [bit(found, x, y) for y in range(m)] == (~apart).tolist()
        assert not any(bit(found, x, y) for y in range(m, 64 * found.shape[1]))


# ------------------------------------------------------------------------------------------------ posterior and budget


def uneven(table: naive.Table, now: naive.State, test: int) -> bool:
    """Section 4: under a posterior rule also "if the sets agree but their probabilities differ"."""
    return any(table.cells[x][test] != table.cells[now.candidates[0]][test] for x in now.candidates)


@every_scored
@often
@given(asked(max_hypotheses=6, max_tests=5, max_outcomes=3), st.sampled_from(THRESHOLDS))
def test_posterior(policy: str, case: Asked, threshold: Fraction) -> None:
    table = fast(case.table)
    wanted = slow_walk(case, policy, over=lambda now: max(now.posterior.values()) >= threshold, informative=uneven)
    assert figures(table, case, policy, stop_rule(table, POSTERIOR, float(threshold))) == near(wanted)


@pytest.mark.parametrize("policy", SCORED)
def test_probabilities_alone_decide_under_a_posterior_rule(policy: str) -> None:
    """Both tests may end either way on both rows; only the second says more often yes on x: 3/4 against 1/4."""
    often_yes, seldom_yes = {0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1, 4), 1: Fraction(3, 4)}
    slow = naive.build([2, 2], [[naive.uniform([0, 1]), often_yes], [naive.uniform([0, 1]), seldom_yes]])
    table = fast(slow)
    nobody = Asked(slow, ())
    assert figures(table, nobody, policy, stop_rule(table, POSTERIOR, 0.75)) == [1, 1, 3, 0]
    assert figures(table, nobody, policy, stop_rule(table, POSTERIOR, 0.8)) == [1, 1, 3, 1]
    assert figures(table, nobody, policy, stop_rule(table, UNIQUE)) == [0, 0, 1, 1]


@every_scored
@often
@given(asked(max_hypotheses=7, max_tests=5, max_outcomes=3), st.integers(0, 12))
def test_budget(policy: str, case: Asked, halves: int) -> None:
    """What was spent before counts; the worst case never goes beyond."""
    table, budget = fast(case.table), Fraction(halves, 2)
    costs = case.table.cost

    def affordable(answers: naive.Answers, test: int) -> bool:
        return sum(costs[e] for e in answers) + costs[test] <= budget

    found = figures(table, case, policy, stop_rule(table, BUDGET, float(budget)))
    assert found == near(slow_walk(case, policy, is_open=affordable))
    spent = sum(costs[test] for test, _ in case.answers)
    assert found[1] <= max(budget - spent, 0)


def test_a_budget_of_tenths_is_spent_to_the_last() -> None:
    """0.1 + 0.2 is a little more than 0.3 in floating point and must not matter."""
    slow = naive.from_signs(["++", "+-", "-+", "--"])
    arguments = naive.arguments(slow) | {"cost": [0.1, 0.2]}
    table = OutcomeTable.build(**arguments)
    plan = Plan(POLICIES["gain"].rule, NO_ORDER, stop_rule(table, BUDGET, 0.3))
    found = walk(table, believe(table, []), plan)
    assert found.worst_cost == pytest.approx(0.3)
    assert found.unresolved_probability == 0


# --------------------------------------------------------------------------------------------------------------- needs


@st.composite
def needing(draw: st.DrawFn) -> tuple[Asked, list[list[list[tuple[int, int]]]]]:
    """A case, and for each test clauses of which all must hold, each a few outcomes of other tests."""
    case = draw(asked(max_hypotheses=7, max_tests=5, max_outcomes=3))
    table = case.table
    assume(len(table.tests) > 1)

    def clauses(test: int) -> list[list[tuple[int, int]]]:
        others = [(e, v) for e in table.tests if e < test for v in range(table.outcomes[e])]
        if not others or draw(st.booleans()):
            return []
        some = st.lists(st.sampled_from(others), min_size=1, max_size=2, unique=True)
        return draw(st.lists(some, min_size=1, max_size=2))

    return case, [clauses(test) for test in table.tests]


def needs_hold(table: naive.Table, needs: Sequence[Needs], answers: naive.Answers, test: int) -> bool:
    """Every clause has a test that was answered so, or asked and not told."""

    def holds(e: int, v: int) -> bool:
        return e in answers and (v in answers[e] or len(set(answers[e])) in (0, table.outcomes[e]))

    return all(any(holds(e, v) for e, v in clause) for clause in needs[test])


@pytest.mark.parametrize("policy", [*SCORED, "low-adaptive", "non-adaptive"])
@often
@given(needing())
def test_walk_with_needs(policy: str, given_case: tuple[Asked, list[list[list[tuple[int, int]]]]]) -> None:
    case, needs = given_case
    order = naive.non_adaptive_order(naive.plain(case.table)).tests
    table = fast(case.table, needs)
    wanted = slow_walk(
        case, policy, is_open=lambda answers, test: needs_hold(case.table, needs, answers, test), order=order
    )
    found = figures(table, case, policy, stop_rule(table, UNIQUE), order)
    if not any(needs) and policy == "non-adaptive":  # answers that tell nobody apart are then one branch
        found[2] = wanted.nodes
    assert found == near(wanted)


@often
@given(needing())
def test_a_test_is_open_only_while_its_needs_hold(
    given_case: tuple[Asked, list[list[list[tuple[int, int]]]]],
) -> None:
    case, needs = given_case
    table, answers = fast(case.table, needs), dict(case.answers)
    now = naive.state(naive.plain(case.table), answers)
    plan = Plan(POLICIES["gain"].rule, NO_ORDER, stop_rule(table, UNIQUE))
    seen = score_tests(table, believe(table, case.answers), plan)
    for test in case.table.tests:
        wanted = test not in answers and needs_hold(case.table, needs, answers, test)
        wanted = wanted and len(now.candidates) > 1 and naive.informative(naive.plain(case.table), now, test)
        assert bool(seen.informative[test]) is wanted


@pytest.mark.parametrize(
    ("answers", "opened"),
    [
        ([], False),
        ([(0, [1])], False),
        ([(0, [0])], True),
        ([(0, [])], True),
        ([(0, [0, 1])], True),
        ([(0, [0, 2])], True),
        ([(0, [1, 2])], False),
        ([(1, [0])], False),
    ],
)
def test_needs_by_hand(answers: list[tuple[int, list[int]]], opened: bool) -> None:
    """The last test needs outcome 0 of the first."""
    cells = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [2, 1, 1], [-1, -1, 0], [-1, -1, 1]]
    table = OutcomeTable.build(cells, [3, 2, 2], needs=[[], [], [[(0, 0)]]])
    plan = Plan(POLICIES["gain"].rule, NO_ORDER, stop_rule(table, UNIQUE))
    assert bool(score_tests(table, believe(table, answers), plan).informative[2]) is opened
