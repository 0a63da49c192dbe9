"""Drafts: what other programs' files say, put together once; worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnoser.errors import BadTable
from diagnoser.formats.draft import MOST_BINS, Draft, cut_points, safe_id
from diagnoser.formats.reading import Tally
from diagnoser.kb import NOT_APPLICABLE, Cell, Hypothesis, Outcome, Test

RED, BROWN = Outcome("red", "red"), Outcome("brown", "dark brown")


def small() -> Draft:
    draft = Draft(Path("a.xml"), "Small")
    for name, weight in (("ash", 3.0), ("beech", 1.0)):
        draft.add_hypothesis(Hypothesis(name, name, weight), line=7)
    return draft


def test_the_five_kinds_of_cell() -> None:
    draft = small()
    colour = draft.add_test(Test("colour", (RED, BROWN)))
    length = draft.add_test(Test("length", (), unit="mm"))
    scent = draft.add_test(Test("scent", (Outcome("yes", "yes"), Outcome("no", "no"))))
    draft.put(0, colour, {"red": 3.0, "brown": 1.0})
    draft.put(1, colour, {NOT_APPLICABLE: 1.0})
    draft.put(0, length, (2.0, 4.0))
    draft.put(1, scent, {"no": 2.0})
    reading = draft.finish(cost_unit="minutes")
    kb = reading.kb
    assert [h.prior for h in kb.hypotheses] == [0.75, 0.25]
    assert kb.cost_unit == "minutes"
    assert kb.cell(0, 0) == Cell(((0, 0.75), (1, 0.25)))
    assert kb.tests[0].outcomes[2].id == NOT_APPLICABLE
    assert kb.cell(1, 0) == Cell(((2, 1.0),))
    assert kb.tests[1].cuts == (3.0,)
    assert [o.label for o in kb.tests[1].outcomes] == ["below 3 mm", "3 mm or more"]
    assert kb.cell(0, 1) == Cell(((0, 0.5), (1, 0.5)), interval=(2.0, 4.0))
    assert kb.cell(1, 1).unknown
    assert kb.cell(1, 2) == Cell(((1, 1.0),))
    assert reading.before == reading.after == Tally(2, 3, known=2, variable=1, unknown=2, inapplicable=1)


def test_what_tells_nobody_apart_is_left_out_and_counted() -> None:
    draft = small()
    draft.add_test(Test("silent", (RED, BROWN)))
    same = draft.add_test(Test("weight", ()))
    kept = draft.add_test(Test("colour", (RED, BROWN)))
    for row in (0, 1):
        draft.put(row, same, (5.0, 5.0))
        draft.put(row, kept, {"red": 1.0})
    draft.leave_out("pictures: they are no answers", Tally(0, 1, 2, 0, 0, 0))
    reading = draft.finish()
    assert [test.id for test in reading.kb.tests] == ["colour"]
    assert reading.left_out == (
        "pictures: they are no answers",
        'test "silent": no row has a known outcome',
        'test "weight": no two rows have different numbers',
    )
    assert reading.before == Tally(2, 4, known=6, variable=0, unknown=2, inapplicable=0)
    assert reading.after == Tally(2, 1, known=2, variable=0, unknown=0, inapplicable=0)
    assert reading.told.notices[0] == "left out: pictures: they are no answers"


def test_names_given_twice_are_refused_with_both_places() -> None:
    draft = small()
    with pytest.raises(BadTable, match='line 9, value "ash": the hypothesis stands in line 7 already'):
        draft.add_hypothesis(Hypothesis("ash", "ash", 1.0), line=9)
    draft.add_test(Test("colour", (RED,)), line=2)
    with pytest.raises(BadTable, match=r'line 5, value "colour": .* stands in line 2 already'):
        draft.add_test(Test("colour", (BROWN,)), line=5)
    with pytest.raises(BadTable, match="this outcome twice"):
        draft.add_test(Test("hue", (RED, RED)))


def test_an_outcome_that_is_not_declared_is_refused() -> None:
    draft = small()
    draft.add_test(Test("colour", (RED, BROWN)))
    with pytest.raises(BadTable, match=r'line 7, value "blue": the test "colour" has no such outcome.*"ash"'):
        draft.put(0, 0, {"blue": 1.0})


@pytest.mark.parametrize(
    ("text", "name"),
    [("a|b", "a/b"), ("a:b!", "a;b."), ("x=y", "x~y"), ("?", "(?)"), ("-", "(-)"), (" Unknown ", "(Unknown)")],
)
def test_marks_of_our_own_format_leave_ids(text: str, name: str) -> None:
    assert safe_id(text) == name


def test_cuts_lie_between_the_ends() -> None:
    assert cut_points([(1, 2), (4, 9)]) == (1.5, 3.0, 6.0)
    assert cut_points([(5, 5), (5, 5)]) == ()
    assert cut_points([(1.00001, 1.00002)]) == (1.000015,)


@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)).map(lambda two: tuple(sorted(two)))))
def test_cuts_ascend_and_part_different_ends(ranges: list[tuple[float, float]]) -> None:
    cuts, ends = cut_points(ranges), sorted({end for both in ranges for end in both})
    assert list(cuts) == sorted(set(cuts))
    assert len(cuts) == min(max(len(ends) - 1, 0), MOST_BINS - 1)
    assert all(ends[0] < cut <= ends[-1] for cut in cuts)
    if len(cuts) == len(ends) - 1:
        assert all(low < cut <= high for low, cut, high in zip(ends, cuts, ends[1:], strict=False))
