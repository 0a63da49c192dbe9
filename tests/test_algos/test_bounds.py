"""Bounds against the optimum by dynamic programming (slow twin), against enumerated codes, and by hand."""

from __future__ import annotations

import csv
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from algos import bounds, scores
from algos.belief import believe
from algos.bounds import Bound, lower_bound
from algos.decide import plan_of
from algos.table import OutcomeTable
from algos.walk import walk
from tests import naive
from tests.conftest import SHARED, TOO_SLOW, WITHOUT_COMPILER, examples
from tests.strategies import tables

WISER = SHARED / "data" / "wiser_clean.csv"
often = settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
seldom = settings(often, max_examples=examples(40))
both_stops = pytest.mark.parametrize("stop", ["unique", "group"])


def bound(table: naive.Table, stop: str = "unique", seconds: float = 2.0) -> Bound:
    return lower_bound(OutcomeTable.build(**naive.arguments(table)), stop == "group", seconds)


# ---------------------------------------------------------------------------------------------- against the optimum


@both_stops
@often
@given(tables(max_hypotheses=7, max_tests=5, max_outcomes=3))
def test_searched_to_the_end_it_is_the_optimum(stop: str, table: naive.Table) -> None:
    found = bound(table, stop)
    assert found.exact
    assert found.cost == pytest.approx(float(naive.optimal(table, stop).expected), rel=1e-9, abs=1e-12)


@both_stops
@often
@given(tables(max_hypotheses=7, max_tests=5, max_outcomes=3), st.integers(1, 20_000))
def test_never_above_the_optimum_however_little_is_searched(stop: str, table: naive.Table, work: int) -> None:
    found = bound(table, stop, work / bounds.WORK_PER_SECOND)
    best = float(naive.optimal(table, stop).expected)
    assert found.cost <= best * (1 + 1e-9)
    assert not found.exact or found.cost == pytest.approx(best, rel=1e-9)


@often
@given(tables(unit_cost=True, max_hypotheses=7, max_tests=5))
def test_at_least_the_entropy_where_every_pair_is_separable(table: naive.Table) -> None:
    assume(separable(table))
    for work in (1, 5000):
        assert bound(table, seconds=work / bounds.WORK_PER_SECOND).cost >= naive.entropy_bound(table) - 1e-9


def separable(table: naive.Table) -> bool:
    return all(
        any(not table.cells[x][e].keys() & table.cells[y][e].keys() for e in table.tests)
        for x in table.hypotheses
        for y in range(x)
    )


@seldom
@given(tables(max_hypotheses=7, max_tests=5, max_outcomes=3))
def test_more_work_never_lowers_it(table: naive.Table) -> None:
    costs = [bound(table, seconds=work / bounds.WORK_PER_SECOND).cost for work in (1, 2000, 20_000, 10**8)]
    assert costs == sorted(costs) or costs == pytest.approx(sorted(costs), rel=1e-9)


@seldom
@given(tables())
def test_deterministic(table: naive.Table) -> None:
    assert bound(table, seconds=1e-6) == bound(table, seconds=1e-6)


# ----------------------------------------------------------------------------------------------------------- by hand


def signs(*rows: str, **also: list[int]) -> OutcomeTable:
    codes = [[{"+": 0, "-": 1, "*": -1}[sign] for sign in row] for row in rows]
    return OutcomeTable.build(codes, [2] * len(rows[0]), **also)


def test_three_hypotheses_and_an_unknown_cell() -> None:
    """The first test splits one from two, the second those two. Asked first the second splits with a half on each side:
    (x, y) and (x, z) then both need the first."""
    found = lower_bound(signs("+*", "-+", "--"), False)
    assert found.exact
    assert found.cost == pytest.approx(1 + 2 / 3)


def test_a_dear_test_that_cannot_be_avoided() -> None:
    """The cheap test splits {x, y} from z; x and y need the dear one. Cheap first: 1 + 2/3 * 10."""
    table = signs("++", "+-", "-+", cost=[1, 10])
    found = lower_bound(table, False)
    assert found.exact
    assert found.cost == pytest.approx(1 + 20 / 3)


def test_one_test_with_three_outcomes_settles_three() -> None:
    table = OutcomeTable.build([[0], [1], [2]], [3], cost=[4])
    assert lower_bound(table, False) == Bound(4.0, "the optimum, by exhaustive search", True)


def test_groups_need_no_test_inside_them() -> None:
    table = signs("++", "+-", "-+", "--", group=[0, 0, 1, 1])
    assert lower_bound(table, True).cost == pytest.approx(1)
    assert lower_bound(table, False).cost == pytest.approx(2)


def test_nothing_to_ask() -> None:
    assert lower_bound(signs("+"), False).cost == 0
    assert lower_bound(signs("+*", "*-", "**"), False, seconds=0).cost == 0
    assert lower_bound(signs("**", "**"), False) == Bound(0.0, "the optimum, by exhaustive search", True)


def test_tiny_priors_and_many_outcomes() -> None:
    table = OutcomeTable.build([[v] for v in range(70)], [70], prior=[1.0] + [1e-300] * 69)
    assert lower_bound(table, False).cost == pytest.approx(1)


def test_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "PAIR_LIMIT", 3)
    assert lower_bound(signs("++", "+-", "-+", "--"), False).cost == 0


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(2, 4))
def test_code_length_is_the_least_of_all_trees(weights: list[int], letters: int) -> None:
    masses = np.sort(np.array(weights, dtype=np.float64))
    assert bounds._code_length(masses, letters) == pytest.approx(least_tree(tuple(masses), letters))


def least_tree(masses: tuple[float, ...], letters: int) -> float:
    """Every way of merging 2 to `letters` of the masses."""
    if len(masses) == 1:
        return 0.0
    return min(
        sum(masses[i] for i in chosen)
        + least_tree((*(x for i, x in enumerate(masses) if i not in chosen), sum(masses[i] for i in chosen)), letters)
        for size in range(2, min(letters, len(masses)) + 1)
        for chosen in combinations(range(len(masses)), size)
    )


# ------------------------------------------------------------------------------------------------------------- WISER


@pytest.fixture(scope="module")
def wiser() -> OutcomeTable:
    if WITHOUT_COMPILER:
        pytest.skip(TOO_SLOW)
    if not WISER.is_file():
        pytest.skip("wiser_clean.csv is not beside the repository")
    with WISER.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return OutcomeTable.build([[{"1": 0, "0": 1, "u": -1}[cell] for cell in row[:78]] for row in rows], [2] * 78)


def test_wiser_to_the_end(wiser: OutcomeTable) -> None:
    """The default budget reaches the optimum. A policy of this cost was walked in fractions, apart from this code."""
    found = lower_bound(wiser, False)
    assert found.exact
    assert found.cost == pytest.approx(33463 / 4080, abs=1e-9)


def test_wiser_between_the_entropy_and_the_best_policy_found(wiser: OutcomeTable) -> None:
    assert 8.08 < lower_bound(wiser, False, seconds=0.01).cost <= 8.201961


def test_wiser_part_way_into_a_case(wiser: OutcomeTable) -> None:
    """Forty of its rows: no policy goes below the bound."""
    part = OutcomeTable.build(wiser.columns.cells[:40], [2] * 78)
    found = lower_bound(part, False)
    assert found.cost > part.entropy_bits
    for rule in (scores.GAIN, scores.ODTN_R, scores.ODTN_H, scores.INFORMATION):
        assert walk(part, believe(part, []), plan_of(part, rule)).expected_cost >= found.cost - 1e-9
