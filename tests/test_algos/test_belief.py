"""Beliefs of large two-outcome tables, read from bits: against the slow twin, and against the cells."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algos.belief import RELIABILITY, STRICT, Belief, Errors, believe, likelihood
from algos.planes import build_planes
from algos.table import PLANES_FROM, OutcomeTable
from tests import naive
from tests.conftest import examples
from tests.strategies import Asked, asked
from tests.test_algos.test_errors import assert_same, believing, errors_of, fast, repeating

SIDES = (naive.uniform([0]), naive.uniform([1]), naive.uniform([0, 1]))
SIZES = (1, 2, 63, 64, 65, 127, 128, 129, 200)

sometimes = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def two_sided(draw: st.DrawFn) -> Asked:
    """A two-outcome table around the ends of 64-bit words, and answers that may contradict it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    m, n = draw(st.sampled_from(SIZES)), draw(st.integers(1, 6))
    shares = draw(st.sampled_from([(0.4, 0.4, 0.2), (0.8, 0.1, 0.1), (0.0, 0.0, 1.0)]))
    cells = [[SIDES[side] for side in row] for row in rng.choice(3, (m, n), p=shares)]
    table = naive.build([2] * n, cells, prior=[Fraction(int(weight)) for weight in rng.integers(1, 5, m)])
    seen = st.sampled_from([(0,), (1,), (0, 1), ()])
    return Asked(table, tuple((e, draw(seen)) for e in draw(st.lists(st.sampled_from(table.tests), unique=True))))


def with_planes(table: OutcomeTable) -> OutcomeTable:
    return replace(table, planes=build_planes(table.columns.binary))


def assert_equal(here: Belief, there: Belief) -> None:
    for field in ("rows", "posterior", "log_copies", "mismatches", "said", "met"):
        assert getattr(here, field).tolist() == getattr(there, field).tolist(), field


@sometimes
@given(two_sided(), st.data())
def test_beliefs_from_bits(case: Asked, data: st.DataObject) -> None:
    """Every way to treat errors, exact answers, repeated evidence, hypotheses ruled out by hand, any order."""
    twin, same = data.draw(believing(case.table)), data.draw(repeating(case.table))
    order = data.draw(st.permutations(case.answers))
    cells = fast(case.table, twin.reliability, same)
    bits = with_planes(cells)
    found = believe(bits, order, errors=errors_of(twin), exact=twin.exact)
    assert_same(found, naive.state(case.table, dict(case.answers), twin, same))
    assert_equal(found, believe(cells, case.answers, errors=errors_of(twin), exact=twin.exact))
    assert set(np.flatnonzero(found.spent)) == {test for test, _ in case.answers}
    assert set(np.flatnonzero(found.answered)) == {test for test, seen in case.answers if len(seen) == 1}


@sometimes
@given(two_sided(), st.data())
def test_excluded_hypotheses_are_left_out_of_bits(case: Asked, data: st.DataObject) -> None:
    excluded = data.draw(st.sets(st.sampled_from(case.table.hypotheses)))
    kept = {x: w for x, w in naive.state(case.table, dict(case.answers)).weight.items() if x not in excluded}
    belief = believe(with_planes(fast(case.table)), case.answers, excluded)
    assert belief.rows.tolist() == list(kept)
    assert belief.posterior.tolist() == pytest.approx([float(w / sum(kept.values())) for w in kept.values()])


@settings(sometimes, max_examples=examples(100))
@given(asked(consistent=False), st.data())
def test_likelihood_of_any_cell(case: Asked, data: st.DataObject) -> None:
    """Several outcomes, partial cells, more than two outcomes, "does not apply", the same cell under another code."""
    test = data.draw(st.sampled_from(case.table.tests))
    outcomes = data.draw(st.sets(st.integers(0, case.table.outcomes[test] - 1)))
    wanted = [float(sum(row[test].get(v, Fraction(0)) for v in outcomes)) for row in case.table.cells]
    for other_codes in (False, True):
        table = OutcomeTable.build(**naive.arguments(case.table, other_codes=other_codes))
        assert likelihood(table, test, outcomes).tolist() == pytest.approx(wanted)


@sometimes
@given(asked(consistent=False), st.data())
def test_other_codes_say_the_same(case: Asked, data: st.DataObject) -> None:
    """Unknown cells as partial ones, so that most tests have partial cells and begin where another's end."""
    twin = data.draw(believing(case.table))
    trust = [float(naive.USUAL_RELIABILITY if r is None else r) for r in twin.reliability or ()]
    table = OutcomeTable.build(**naive.arguments(case.table, other_codes=True), reliability=trust)
    found = believe(table, case.answers, errors=errors_of(twin), exact=twin.exact)
    assert_same(found, naive.state(case.table, dict(case.answers), twin))


@pytest.mark.parametrize("errors", [STRICT, Errors.tolerant(0), Errors.tolerant(1), RELIABILITY])
def test_a_table_large_enough_for_bits(errors: Errors) -> None:
    """Rows go by turns: yes yes, yes no, no yes, either yes, either either; the answers are yes and yes."""
    kinds = [[0, 0], [0, 1], [1, 0], [-1, 0], [-1, -1]]
    table = OutcomeTable.build(kinds * (PLANES_FROM // 5) + kinds[:2], [2, 2], reliability=[0.9, 0.8])
    assert table.planes is not None
    belief = believe(table, [(1, [0]), (0, [0])], excluded=[0], errors=errors)
    yes, no, either = ((1.0, 1.0), (0.0, 0.0), (0.5, 0.5)) if errors is STRICT else ((0.9, 0.8), (0.1, 0.2), (0.5, 0.5))
    weight = [yes[0] * yes[1], yes[0] * no[1], no[0] * yes[1], either[0] * yes[1], either[0] * either[1]]
    kept = [0, 3, 4] if errors.ruled_out and errors.tolerance == 0 else [0, 1, 2, 3, 4]
    rows = [x for x in range(1, PLANES_FROM + 2) if x % 5 in kept]
    total = sum(weight[x % 5] for x in rows)
    assert belief.rows.tolist() == rows
    assert belief.posterior.tolist() == pytest.approx([weight[x % 5] / total for x in rows])
    assert belief.mismatches.tolist() == [int(x % 5 in (1, 2)) for x in rows]
    assert belief.log_copies.tolist() == [0.0] * len(rows)


def test_needs_hold_after_their_answer_or_when_it_could_not_be_told() -> None:
    """Tests 1 and 2 need test 0 answered 0 and 2; both are open once it could not be told."""
    table = OutcomeTable.build([[0, 0, 0], [1, 1, 1], [2, 0, 1]], [3, 2, 2], needs=[[], [[(0, 0)]], [[(0, 2)]]])
    for seen, met in (([0], [True, False]), ([2], [False, True]), ([0, 2], [True, True]), ([], [True, True])):
        assert believe(table, [(0, seen)]).met.tolist() == met
    assert believe(table, []).met.tolist() == [False, False]
    assert believe(table, [(1, [0])]).met.tolist() == [False, False]
