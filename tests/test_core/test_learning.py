"""What sessions teach, on a table whose costs are worked out by hand.

Four hypotheses of a perfect code; `dear` repeats what `first` tells, for 3 instead of 1.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnoser.advise import Adviser
from diagnoser.case import Answered, Confirmed, Event, Excluded, PolicyChosen, Settings, Undone, Withdrawn
from diagnoser.kb import Hypothesis, KnowledgeBase, Outcome, Test
from diagnoser.learning import CouldNotTell, could_not_tell, learn_prior
from diagnoser.session import Header, Session

YES_NO = (Outcome("yes", "yes"), Outcome("no", "no"))
KB = KnowledgeBase(
    title="Perfect code",
    hypotheses=tuple(Hypothesis(name, name, 0.25) for name in ("aa", "ab", "ba", "bb")),
    tests=(Test("first", YES_NO), Test("second", YES_NO), Test("dear", YES_NO, cost=3.0)),
    codes=array("h", [0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1]),
)


def session(*events: Event, policy: str = "gain") -> Session:
    header = Header(KB.title, "f", "w", "t.csv", Settings(policy, "unique"), time="2025-01-01T12:00:00.000Z")
    return Session(header, events, (header.time,) * len(events))


@pytest.fixture(scope="module")
def adviser() -> Adviser:
    return Adviser(KB)


def told(adviser: Adviser, *sessions: Session) -> list[CouldNotTell]:
    return could_not_tell(adviser, sessions)


def test_the_table_and_the_confirmed_cases_are_weighed() -> None:
    cases = [session(Confirmed("ab"))] * 3 + [session(Confirmed("bb")), session(), session(Confirmed("gone"))]
    learned = learn_prior(KB, cases, 4.0)
    assert learned.prior == (1 / 8, 4 / 8, 1 / 8, 2 / 8)
    assert (learned.confirmed, learned.cases, learned.strength) == ((0, 3, 0, 1), 4, 4.0)
    assert learned.left_out == (
        "left out: 1 session that confirm nothing",
        "left out: 1 session that confirm a hypothesis the table does not have",
    )
    taken_back = learn_prior(KB, [session(Confirmed("ab"), Undone())], 4.0)
    assert taken_back.prior == (0.25,) * 4


@given(
    weights=st.lists(st.integers(1, 50), min_size=4, max_size=4),
    cases=st.lists(st.integers(0, 9), min_size=4, max_size=4),
    strength=st.integers(1, 1000),
)
def test_it_is_the_mean_of_a_dirichlet_posterior(weights: list[int], cases: list[int], strength: int) -> None:
    own = [Fraction(weight, sum(weights)) for weight in weights]
    kb = replace(KB, hypotheses=tuple(replace(h, prior=float(p)) for h, p in zip(KB.hypotheses, own, strict=True)))
    sessions = [session(Confirmed(h.id)) for h, n in zip(kb.hypotheses, cases, strict=True) for _ in range(n)]
    alpha = [strength * p + n for p, n in zip(own, cases, strict=True)]
    expected = [float(a / sum(alpha)) for a in alpha]
    assert learn_prior(kb, sessions, float(strength)).prior == pytest.approx(expected, rel=1e-12)


def test_what_an_answer_would_have_saved(adviser: Adviser) -> None:
    """Told, `second` is left to ask: 1. Not told, `second` and `dear`: 4."""
    assert told(adviser, session(Answered("first"))) == [CouldNotTell("first", 1, 1, pytest.approx(3.0), 1)]


def test_it_is_a_mean_over_the_moments_of_the_answers(adviser: Adviser) -> None:
    """Once `dear` is told `first` is worth nothing: the saving is 0."""
    early = session(Answered("first"))
    late = session(Answered("dear", ("yes",)), Answered("first"))
    answered = session(Answered("first", ("no",)))
    found = told(adviser, early, late, answered)
    assert found == [CouldNotTell("first", 3, 2, pytest.approx(1.5), 2)]


def test_without_another_test_the_case_ends_the_sooner() -> None:
    """Without `dear` the case is left with two, inseparable, after `second`: as dear as with an answer."""
    adviser = Adviser(KB.with_tests([0, 1]))
    assert told(adviser, session(Answered("first"))) == [CouldNotTell("first", 1, 1, pytest.approx(0.0), 1)]


def test_only_standing_answers_count_and_the_moment_is_theirs(adviser: Adviser) -> None:
    edited = session(Answered("first"), Answered("first", ("yes",)))
    gone = session(Answered("first"), Withdrawn("first"))
    undone = session(Answered("first"), Undone())
    assert told(adviser, edited, gone, undone) == []
    again = session(Answered("first", ("yes",)), Answered("second", ("yes",)), Answered("first"))
    # At the second answer to `first` only `second` stands: told, nothing is left to pay; not told, `dear` is.
    assert told(adviser, again) == [CouldNotTell("first", 2 - 1, 1, pytest.approx(3.0), 1)]


def test_the_settings_and_rulings_of_the_moment_count(adviser: Adviser) -> None:
    ruled = session(Excluded("ba"), Excluded("bb"), Answered("first"))
    assert told(adviser, ruled) == [CouldNotTell("first", 1, 1, pytest.approx(0.0), 1)]
    unfit = session(PolicyChosen("sparse"), Answered("first"))
    assert told(adviser, unfit) == [CouldNotTell("first", 1, 1, None, 0)]


def test_the_most_frequent_come_first(adviser: Adviser) -> None:
    cases = [session(Answered("second"))] * 2 + [session(Answered("first"))]
    assert [(one.test, one.unknown) for one in told(adviser, *cases)] == [("second", 2), ("first", 1)]
