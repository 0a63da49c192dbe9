"""What another policy would have asked: followed by hand on small tables, and by a slow twin of the draw."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import replace

import pytest

from diagnoser.advise import Adviser
from diagnoser.case import Answered, Confirmed, Event, Excluded, NoneOfThese, Settings
from diagnoser.counterfactual import instead, recorded_cost, truth_of
from diagnoser.errors import UsageError
from diagnoser.kb import UNKNOWN, Hypothesis, KnowledgeBase, Outcome, Test
from diagnoser.session import Header, Session

YES_NO = (Outcome("yes", "yes"), Outcome("no", "no"))


def question(identity: str, cost: float) -> Test:
    return Test(identity, YES_NO, cost=cost)


# aa and ab differ in `half`, ba and bb too; `first` parts the two pairs; `lone` says only whether it is aa.
KB = KnowledgeBase(
    title="Pairs",
    hypotheses=tuple(Hypothesis(name, name, 0.25) for name in ("aa", "ab", "ba", "bb")),
    tests=(question("first", 1.0), question("half", 1.0), question("lone", 0.1)),
    codes=array("h", [0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1]),
)


@pytest.fixture(scope="module")
def adviser() -> Adviser:
    return Adviser(KB)


def session(*events: Event, time: str = "2025-01-01T12:00:00.000Z", kb: KnowledgeBase = KB) -> Session:
    header = Header(kb.title, "f", "w", "pairs.csv", Settings("gain", "unique"), time=time)
    return Session(header, events, (time,) * len(events))


def test_the_truth_is_what_was_confirmed_or_the_only_one_left(adviser: Adviser) -> None:
    one = Answered("lone", ("yes",))
    assert truth_of(session(one), adviser) == "aa"
    assert truth_of(session(Confirmed("bb")), adviser) == "bb"
    assert truth_of(session(), adviser) is None
    assert truth_of(session(one, NoneOfThese()), adviser) is None
    assert truth_of(session(Confirmed("gone")), adviser) is None


def test_recorded_answers_come_first_then_the_row_of_the_truth(adviser: Adviser) -> None:
    """Per cost `lone` is best by far for gain: 1/4 * 3/3 + 3/4 * 1/3 = 1/2 for 0.1; then for ab, ba, bb the others."""
    recorded = session(Answered("first", ("yes",)), Answered("half"), Confirmed("ab"))
    other = instead(recorded, adviser, "gain", "ab")
    assert [(one.answer.test, one.answer.outcomes, one.source) for one in other.asked] == [
        ("lone", ("no",), "table"),
        ("first", ("yes",), "recorded"),
    ]
    assert (other.status, other.cost, other.truth) == ("identified", pytest.approx(1.1), "ab")
    assert recorded_cost(KB, recorded.case.state) == 2.0


def test_a_fixed_order_and_what_was_ruled_out_by_hand(adviser: Adviser) -> None:
    """With aa and ba out by hand `half` tells nothing and `lone` neither: one question is left."""
    other = instead(session(Excluded("aa"), Excluded("ba")), adviser, "information-gain", "bb")
    assert [(one.answer.test, one.answer.outcomes) for one in other.asked] == [("first", ("no",))]


def test_a_recorded_could_not_tell_stays_so(adviser: Adviser) -> None:
    other = instead(session(Answered("lone"), Confirmed("ab")), adviser, "gain", "ab")
    assert (other.asked[0].answer, other.asked[0].source) == (Answered("lone"), "recorded")
    assert other.status == "identified"


def test_what_the_table_leaves_open_is_drawn_alike_for_every_policy_and_as_often_as_it_says() -> None:
    shares = ((0, 0.75), (1, 0.25))
    tests = (question("open", 1.0), replace(question("some", 1.0), partials=(shares,)), question("sure", 1.0))
    kb = KnowledgeBase(
        title="Open",
        hypotheses=tuple(Hypothesis(name, name, 0.5) for name in ("x", "y")),
        tests=tests,
        codes=array("h", [UNKNOWN, -2, 0, 1, 1, 1]),
    )
    adviser, cases = Adviser(kb.with_tests([0, 1])), 2000
    drawn: dict[str, Counter[str]] = {"open": Counter(), "some": Counter()}
    for number in range(cases):
        recorded = session(time=f"2025-01-01T12:00:00.{number:04}Z", kb=kb)
        one, two = (instead(recorded, adviser, policy, "x") for policy in ("gain", "information-gain"))
        answers = [{asked.answer.test: asked for asked in other.asked} for other in (one, two)]
        for test in answers[0].keys() & answers[1].keys():
            assert answers[0][test] == answers[1][test]
        for test, asked in answers[0].items():
            assert asked.source == "drawn"
            drawn[test][asked.answer.outcomes[0]] += 1
    for test, share in (("open", 0.5), ("some", 0.75)):
        asked_at_all = drawn[test].total()
        if asked_at_all > 200:
            assert drawn[test]["yes"] / asked_at_all == pytest.approx(share, abs=0.05)
    assert max(counter.total() for counter in drawn.values()) == cases


def test_names_that_do_not_exist_are_refused(adviser: Adviser) -> None:
    with pytest.raises(UsageError, match="no policy"):
        instead(session(), adviser, "guess", "ab")
