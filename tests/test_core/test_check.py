"""Remarks on tables: each kind by hand, pairs and shares by going through every cell."""

from __future__ import annotations

from array import array
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnoser.check import Check, Finding
from diagnoser.kb import DOES_NOT_APPLY, UNKNOWN, Hypothesis, KnowledgeBase, Outcome, Test

YES, NO = Outcome("yes", "yes"), Outcome("no", "no")
MAYBE = -2


def table(
    rows: list[list[int]], tests: list[Test] | None = None, groups: list[str | None] | None = None
) -> KnowledgeBase:
    m, n = len(rows), len(rows[0])
    made = tests or [Test(f"t{e}", (YES, NO), partials=(((0, 0.5), (1, 0.5)),)) for e in range(n)]
    return KnowledgeBase(
        title="by hand",
        hypotheses=tuple(
            Hypothesis(f"h{x}", f"h{x}", 1 / m, group=group) for x, group in enumerate(groups or [None] * m)
        ),
        tests=tuple(made),
        codes=array("h", [code for row in rows for code in row]),
    )


def of_kind(kb: KnowledgeBase, kind: str) -> list[Finding]:
    return [finding for finding in Check(kb).findings if finding.kind == kind]


def test_inseparable_ones_are_named_with_the_tests_to_fill_in() -> None:
    kb = table([[0, 0, 0], [0, UNKNOWN, 0], [0, 1, 0], [1, 1, 1]])
    (found,) = of_kind(kb, "inseparable")
    assert found.hypotheses == ("h0", "h1", "h2")  # h0 and h2 differ on t1, both look like h1
    assert found.tests == ("t1",)
    figures = Check(kb).figures
    assert (figures.inseparable_pairs, figures.undeclared_pairs) == (2, 2)


def test_a_group_declares_them() -> None:
    kb = table([[0, 0], [0, 0], [1, 1]], groups=["a", "a", None])
    assert of_kind(kb, "inseparable") == []
    figures = Check(kb).figures
    assert (figures.inseparable_pairs, figures.undeclared_pairs) == (1, 0)


def test_equal_rows_are_inseparable_without_any_unknown() -> None:
    (found,) = of_kind(table([[0, 1], [0, 1], [1, 0]]), "inseparable")
    assert found.tests == ()
    assert "all known cells are the same" in found.words


def test_tests_that_tell_nobody_apart() -> None:
    kb = table([[0, 0, MAYBE], [0, UNKNOWN, 1], [0, MAYBE, UNKNOWN]])
    assert [found.tests for found in of_kind(kb, "separates nobody")] == [("t0",), ("t1",), ("t2",)]
    assert of_kind(table([[0], [1]]), "separates nobody") == []


def test_what_is_hardly_known() -> None:
    rows = [[0, UNKNOWN, UNKNOWN], [1, UNKNOWN, 0], [0, UNKNOWN, 1]]
    kb = table(rows)
    assert [found.tests for found in of_kind(kb, "seldom known")] == [("t1",)]
    assert [found.hypotheses for found in of_kind(kb, "mostly unknown")] == [("h0",)]


def test_all_negative_rows_and_columns() -> None:
    kb = table([[1, 0, 1], [1, 1, 1]])
    assert [found.tests or found.hypotheses for found in of_kind(kb, "all negative")] == [("h1",), ("t0",), ("t2",)]


def test_tests_that_say_the_same_under_other_names() -> None:
    tests = [
        Test("a", (YES, NO)),
        Test("b", (Outcome("off", "off"), Outcome("on", "on"))),
        Test("c", (YES, NO)),
    ]
    kb = table([[0, 1, 0], [1, 0, 1], [0, 1, 1]], tests)
    assert [found.tests for found in of_kind(kb, "same pattern")] == [("a", "b")]
    repeated = [Test("a", (YES, NO), same_evidence=("b",)), *tests[1:]]
    assert of_kind(table([[0, 1, 0], [1, 0, 1], [0, 1, 1]], repeated), "same pattern") == []


def test_a_cell_where_its_test_cannot_be_asked() -> None:
    tests = [Test("burns", (YES, NO)), Test("flash", (YES, NO, DOES_NOT_APPLY), needs=((("burns", "yes"),),))]
    kb = table([[0, 0], [1, 1], [1, 2], [1, UNKNOWN], [UNKNOWN, 1]], tests)
    (found,) = of_kind(kb, "forbidden")
    assert (found.level, found.hypotheses, found.tests) == ("error", ("h1",), ("flash",))
    assert '"h1" has "no" on "flash", which needs burns=yes' in found.words


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 9).flatmap(
        lambda n: st.lists(st.lists(st.sampled_from([0, 1, UNKNOWN, MAYBE]), min_size=n, max_size=n), min_size=1)
    )
)
def test_figures_by_going_through_every_cell(rows: list[list[int]]) -> None:
    figures = Check(table(rows)).figures
    can = {0: {0}, 1: {1}, UNKNOWN: {0, 1}, MAYBE: {0, 1}}
    alike = [all(can[a] & can[b] for a, b in zip(x, y, strict=True)) for x, y in combinations(rows, 2)]
    cells = [code for row in rows for code in row]
    assert figures.inseparable_pairs == sum(alike)
    assert figures.unknown_share == pytest.approx(cells.count(UNKNOWN) / len(cells))
    assert figures.variable_share == pytest.approx(cells.count(MAYBE) / len(cells))
    assert figures.most_unsure_of_a_hypothesis == max(sum(code < 0 for code in row) for row in rows)
    assert figures.most_unsure_of_a_test == max(sum(code < 0 for code in test) for test in zip(*rows, strict=True))
