"""Looking ahead: never dearer than the base, and the best there is where it looks to the end."""

from __future__ import annotations

import csv
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import algos.rollout
from algos.belief import believe
from algos.decide import NO_ORDER, Plan, score_tests
from algos.rollout import Ahead, Rollout
from algos.stopping import GROUP, NEIGHBORHOOD, POSTERIOR, UNIQUE, Stop, stop_rule
from algos.table import UNKNOWN, OutcomeTable
from algos.walk import Walk, walk
from diagnoser.policies import POLICIES
from tests import naive
from tests.conftest import SHARED, examples, needs_compiler
from tests.strategies import Asked, asked, tables

STOPS = {"unique": (UNIQUE, 0.0), "group": (GROUP, 0.0), "near": (NEIGHBORHOOD, 0.0), "posterior": (POSTERIOR, 0.8)}
SLACK = 1e-9

often = settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
every_base = pytest.mark.parametrize("base", ["gain", "odtn-r", "information-gain"])
cases = asked(max_hypotheses=8, max_tests=5)
stops = st.sampled_from([*STOPS])


def fast(table: naive.Table) -> OutcomeTable:
    return OutcomeTable.build(**naive.arguments(table))


def stop_of(table: OutcomeTable, name: str) -> Stop:
    return stop_rule(table, *STOPS[name])


def improved(case: Asked, base: str, stop: str, ahead: Ahead) -> Walk:
    table = fast(case.table)
    found = Rollout(table, Plan(POLICIES[base].rule, NO_ORDER, stop_of(table, stop)), ahead).walk(
        believe(table, case.answers)
    )
    assert found.complete
    return found


def plain(case: Asked, base: str, stop: str) -> Walk:
    table = fast(case.table)
    return walk(table, believe(table, case.answers), Plan(POLICIES[base].rule, NO_ORDER, stop_of(table, stop)))


@pytest.mark.parametrize("width", [1, 3, 10])
@every_base
@often
@given(case=cases, stop=stops)
def test_no_level_is_dearer_than_the_one_below(base: str, width: int, case: Asked, stop: str) -> None:
    zero = plain(case, base, stop).expected_cost
    one = improved(case, base, stop, Ahead(1, width)).expected_cost
    two = improved(case, base, stop, Ahead(2, width)).expected_cost
    assert one <= zero + SLACK
    assert two <= one + SLACK


@pytest.mark.parametrize("width", [1, 3, 10])
@every_base
@often
@given(case=cases, stop=stops)
def test_finishing_small_sets_exactly_never_costs_more(base: str, width: int, case: Asked, stop: str) -> None:
    without = improved(case, base, stop, Ahead(1, width)).expected_cost
    assert improved(case, base, stop, Ahead(1, width, 3)).expected_cost <= without + SLACK


@every_base
@often
@given(case=cases, stop=stops, level=st.integers(0, 3))
def test_with_nothing_to_choose_from_it_is_the_base(base: str, case: Asked, stop: str, level: int) -> None:
    assert tuple(improved(case, base, stop, Ahead(level, 1))) == pytest.approx(tuple(plain(case, base, stop)))


@pytest.mark.parametrize("stop", ["unique", "group"])
@every_base
@often
@given(table=tables(max_hypotheses=4, max_tests=5))
def test_small_tables_are_finished_at_the_least_cost(base: str, stop: str, table: naive.Table) -> None:
    found = improved(Asked(table, ()), base, stop, Ahead(1, 1, 4))
    assert found.expected_cost == pytest.approx(float(naive.optimal(table, stop).expected), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("ahead", [Ahead(1, 3), Ahead(2, 10), Ahead(1, 10, 3), Ahead(1, 2, 8)])
@every_base
@often
@given(case=cases, stop=stops)
def test_the_choice_is_the_first_test_of_the_walk(base: str, ahead: Ahead, case: Asked, stop: str) -> None:
    """Asking the chosen test and walking on from each answer costs what the whole walk costs."""
    table = fast(case.table)
    plan = Plan(POLICIES[base].rule, NO_ORDER, stop_of(table, stop))
    belief = believe(table, case.answers)
    whole = Rollout(table, plan, ahead).walk(belief)
    choice, least = Rollout(table, plan, ahead).choose(belief)
    seen = score_tests(table, belief, plan)
    if seen.choice < 0:
        assert (choice, least, whole.inner_nodes) == (-1, 0, 0)
        return
    assert seen.informative[choice]
    parts = [
        (mass, Rollout(table, plan, ahead).walk(believe(table, [*case.answers, (choice, [v])])))
        for v, mass in enumerate(seen.probability[:, choice].tolist())
        if mass > 0
    ]
    cost = float(table.columns.cost[choice])
    assert whole.expected_cost == pytest.approx(cost + sum(mass * part.expected_cost for mass, part in parts))
    assert whole.worst_cost == pytest.approx(cost + max(part.worst_cost for _, part in parts))
    assert whole.inner_nodes == 1 + sum(part.inner_nodes for _, part in parts)
    assert whole.leaves == sum(part.leaves for _, part in parts)
    unresolved = sum(mass * part.unresolved_probability for mass, part in parts)
    assert whole.unresolved_probability == pytest.approx(unresolved)
    assert least >= whole.expected_cost - SLACK


@every_base
@often
@given(case=cases, width=st.sampled_from([1, 2, 3, 10]))
def test_the_choice_is_the_cheapest_of_the_best(base: str, case: Asked, width: int) -> None:
    """Every one of the `width` best tests, forced by hand: the chosen one is the first of the cheapest."""
    table = naive.plain(case.table)
    now = naive.state(table, dict(case.answers))

    def rate(test: int) -> Fraction | float:
        found = naive.scores(table, now, test)
        return {"gain": found.gain, "odtn-r": found.odtn_r}.get(base, found.information_bits) / table.cost[test]

    def total(test: int) -> Fraction:
        cost = table.cost[test]
        for v, mass in enumerate(naive.scores(table, now, test).outcome_probability):
            if mass:
                cost += mass * naive.walk(table, base, "unique", {**dict(case.answers), test: (v,)}).expected
        return cost

    left = [test for test in table.tests if test not in now.spent and naive.informative(table, now, test)]
    best: list[int] = []
    slack = 1 - naive.RELATIVE_TIE if base == "information-gain" else 1
    while left and len(best) < width:
        highest = max(map(rate, left))
        best.append(min(test for test in left if rate(test) >= highest * slack))
        left.remove(best[-1])
    built = fast(table)
    plan = Plan(POLICIES[base].rule, NO_ORDER, stop_rule(built, UNIQUE))
    choice, least = Rollout(built, plan, Ahead(1, width)).choose(believe(built, case.answers))
    if not best:
        assert choice == -1
        return
    totals = {test: total(test) for test in best}
    cheapest = min(totals.values())
    assert choice == min(test for test, cost in totals.items() if cost == cheapest)
    assert least == pytest.approx(float(cheapest))


@pytest.mark.parametrize(
    ("cheap", "greedy", "ahead", "cost"),
    [
        (1.7, 0, 0, 2.4),  # 2/3 / 1.7 = 0.392 < 1 / 2.4 = 0.417, and 2.4 < 3.4
        (1.3, 1, 0, 2.4),  # 2/3 / 1.3 = 0.513 > 0.417, but 2.4 < 2.6: looking ahead pays
        (1.1, 1, 1, 2.2),  # 2/3 / 1.1 = 0.606 > 0.417, and 2.2 < 2.4
    ],
)
def test_looking_ahead_by_hand(cheap: float, greedy: int, ahead: int, cost: float) -> None:
    """The first test names all four rows at once for 2.4; the two others, cheap each, do so together."""
    table = OutcomeTable.build([[0, 0, 0], [1, 0, 1], [2, 1, 0], [3, 1, 1]], [4, 2, 2], cost=[2.4, cheap, cheap])
    plan, start = Plan(POLICIES["gain"].rule, NO_ORDER, stop_rule(table, UNIQUE)), believe(table, [])
    assert score_tests(table, start, plan).choice == greedy
    assert Rollout(table, plan, Ahead()).choose(start) == (ahead, pytest.approx(cost))


def test_one_rollout_serves_several_beliefs() -> None:
    """What is kept from one belief is not taken for another with the same tests answered."""
    table = OutcomeTable.build([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [2, 0, 0], [2, 1, 1]], [3, 2, 2])
    plan = Plan(POLICIES["gain"].rule, NO_ORDER, stop_rule(table, UNIQUE))
    beliefs = [
        believe(table, []),
        believe(table, [], excluded=[0, 1, 2]),
        believe(table, [(0, [0, 1])]),
        believe(table, [(0, [1, 2])]),
        believe(table, [(0, [0, 2])]),
    ]
    shared = Rollout(table, plan, Ahead(1, 10))
    for belief in beliefs:
        assert shared.choose(belief) == Rollout(table, plan, Ahead(1, 10)).choose(belief)


TABLE = SHARED / "data" / "wiser_clean.csv"


@needs_compiler
@pytest.mark.skipif(not TABLE.is_file(), reason="wiser_clean.csv is not beside the repository")
def test_the_table_of_the_paper() -> None:
    with TABLE.open(newline="", encoding="utf-8") as file:
        cells = [[{"1": 0, "0": 1, "u": -1}[cell] for cell in row[:78]] for row in list(csv.reader(file))[1:]]
    table = OutcomeTable.build(np.array(cells), [2] * 78)
    plan = Plan(POLICIES["gain"].rule, NO_ORDER, stop_rule(table, UNIQUE))
    found = Rollout(table, plan, Ahead(1, 10)).walk(believe(table, []))
    assert found.expected_cost == pytest.approx(8.220098, abs=1e-6)
    assert found.worst_cost == 11
    assert found.inner_nodes + found.leaves == 597
    assert found.unresolved_probability == 0


def test_an_ending_that_takes_too_many_states_is_compared_as_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(7)
    cells = np.where(draw.random((12, 9)) < 0.3, UNKNOWN, draw.integers(0, 2, (12, 9)))
    table = OutcomeTable.build(cells, [2] * 9)
    start, plan = believe(table, []), Plan(POLICIES["gain"].rule, NO_ORDER, stop_rule(table, UNIQUE))
    ahead, best = (Rollout(table, plan, Ahead(1, 10, most)).walk(start).expected_cost for most in (0, 12))
    assert best < ahead - 0.01
    monkeypatch.setattr(algos.rollout, "ENDGAME_STATES", 0)
    assert Rollout(table, plan, Ahead(1, 10, 12)).walk(start).expected_cost == pytest.approx(ahead)
