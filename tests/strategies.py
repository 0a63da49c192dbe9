"""Small random tables and the answers of a case, for hypothesis; everything is exact (see tests.naive).

Values are drawn from few numbers on purpose: equal scores, equal sides and equal copies must be common.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from tests import naive

WEIGHTS = st.integers(1, 4)


@st.composite
def cells(draw: st.DrawFn, outcomes: int, applicable: int) -> naive.Cell:
    """One outcome, unknown, a uniform or weighted choice of some outcomes, or "does not apply" where there is one."""
    kind = draw(st.sampled_from(["single", "single", "single", "unknown", "some", "weighted", "n/a"]))
    if kind == "n/a":
        return naive.uniform([outcomes - 1])
    if kind == "unknown":
        return naive.uniform(range(applicable))
    if kind == "single":
        return naive.uniform([draw(st.integers(0, applicable - 1))])
    some = draw(st.sets(st.integers(0, outcomes - 1), min_size=1))
    if kind == "some":
        return naive.uniform(some)
    weight = {outcome: draw(WEIGHTS) for outcome in sorted(some)}
    return {outcome: Fraction(w, sum(weight.values())) for outcome, w in weight.items()}


@st.composite
def tables(
    draw: st.DrawFn, *, max_hypotheses: int = 8, max_tests: int = 6, max_outcomes: int = 4, unit_cost: bool = False
) -> naive.Table:
    """m 1..8, n 1..6, K 2..4; half of the tables binary, with plain and unknown cells only."""
    m = draw(st.integers(1, max_hypotheses))
    n = draw(st.integers(1, max_tests))
    if draw(st.booleans()):
        outcomes = applicable = [2] * n
        sides = [naive.uniform([0]), naive.uniform([1]), naive.uniform([0, 1])]
        columns = [[draw(st.sampled_from(sides)) for _ in range(m)] for _ in range(n)]
    else:
        outcomes = [draw(st.integers(2, max_outcomes)) for _ in range(n)]
        applicable = [k - draw(st.integers(0, 1)) for k in outcomes]
        columns = [[draw(cells(k, a)) for _ in range(m)] for k, a in zip(outcomes, applicable, strict=True)]
    halves = st.integers(1, 6).map(lambda twice: Fraction(twice, 2))
    return naive.build(
        outcomes,
        [list(row) for row in zip(*columns, strict=True)],
        applicable=applicable,
        prior=draw(st.none() | st.lists(WEIGHTS.map(Fraction), min_size=m, max_size=m)),
        cost=None if unit_cost else draw(st.none() | st.lists(halves, min_size=n, max_size=n)),
        group=draw(st.none() | st.lists(st.integers(0, 2), min_size=m, max_size=m)),
    )


@dataclass(frozen=True)
class Asked:
    """A table and answers in the order they were given: one outcome, several, or none where it could not be told."""

    table: naive.Table
    answers: tuple[tuple[int, tuple[int, ...]], ...]


@st.composite
def asked(
    draw: st.DrawFn, *, consistent: bool = True, max_hypotheses: int = 8, max_tests: int = 6, max_outcomes: int = 4
) -> Asked:
    """Some tests of a table answered as one of its hypotheses would, or anyhow where not `consistent`."""
    table = draw(tables(max_hypotheses=max_hypotheses, max_tests=max_tests, max_outcomes=max_outcomes))
    truth = draw(st.sampled_from(table.hypotheses))
    answers = []
    for test in draw(st.lists(st.sampled_from(table.tests), unique=True)):
        seen = draw(st.sampled_from(sorted(table.cells[truth][test])))
        others = st.sets(st.integers(0, table.outcomes[test] - 1))
        kind = draw(st.sampled_from(["one", "one", "several", "unknown"]))
        if kind == "unknown":
            answers.append((test, ()))
        elif kind == "several":
            answers.append((test, tuple(sorted(draw(others) | ({seen} if consistent else set())))))
        else:
            answers.append((test, (seen if consistent else draw(st.integers(0, table.outcomes[test] - 1)),)))
    return Asked(table, tuple(answers))
