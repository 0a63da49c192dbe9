"""Replay on a perfect code of four hypotheses and two tests, whose scores are worked out by hand.

Under `gain` with the four alike each test leaves two of them whatever the answer, (4 - 2) / (4 - 1) = 2/3 for both,
and the first is asked. Of the two left the other test rules out one of one: 1.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any

import pytest

from diagnoser.advise import Adviser
from diagnoser.case import (
    Answered,
    Confirmed,
    Event,
    Excluded,
    Noted,
    PolicyChosen,
    Proposed,
    Settings,
    Undone,
)
from diagnoser.digests import digests
from diagnoser.kb import Hypothesis, KnowledgeBase, Outcome, Test
from diagnoser.replay import Replay, replay
from diagnoser.session import Header, Session

YES_NO = (Outcome("yes", "yes"), Outcome("no", "no"))
KB = KnowledgeBase(
    title="Perfect code",
    hypotheses=tuple(Hypothesis(name, name, 0.25) for name in ("aa", "ab", "ba", "bb")),
    tests=(Test("first", YES_NO), Test("second", YES_NO)),
    codes=array("h", [0, 0, 0, 1, 1, 0, 1, 1]),
)
GOOD: tuple[Event, ...] = (
    Proposed("first", 2 / 3, "gain"),
    Answered("first", ("yes",)),
    Proposed("second", 1.0, "gain"),
    Answered("second", ("no",)),
)


@pytest.fixture(scope="module")
def adviser() -> Adviser:
    return Adviser(KB)


def session(events: tuple[Event, ...], kb: KnowledgeBase = KB, **header: Any) -> Session:
    begun = Header(kb.title, kb.fingerprint, kb.wording_fingerprint, "perfect.csv", Settings("gain", "unique"))
    return Session(replace(begun, **header), events, ("2025-01-01T12:00:00.000Z",) * len(events))


def test_a_good_case_agrees(adviser: Adviser) -> None:
    events = (*GOOD[:2], Noted("windy"), *GOOD[2:], Confirmed("ab"))
    again = replay(session(events), KB, adviser)
    assert (again.agreeing, again.proposals, again.first_difference, again.notes) == (2, 2, None, ())
    assert again.advice is not None
    assert [(c.hypothesis, c.posterior) for c in again.advice.candidates] == [("ab", 1.0)]
    assert again.case.state.confirmed == "ab"


def test_undo_unknown_and_rulings_are_part_of_what_is_run_again(adviser: Adviser) -> None:
    # Without aa three are left: `first` parts ab from ba and bb, 1/3 * 2/2 + 2/3 * 1/2 = 2/3; `second` parts ba, 2/3.
    events = (
        GOOD[0],
        Answered("first"),
        Proposed("second", 2 / 3, "gain"),
        Undone(),
        Excluded("aa"),
        Proposed("first", 2 / 3, "gain"),
        Answered("first", ("no",)),
        Proposed("second", 1.0, "gain"),
    )
    again = replay(session(events), KB, adviser)
    assert (again.agreeing, again.first_difference) == (4, None)


def first_difference(again: Replay) -> str:
    assert again.first_difference is not None
    return again.first_difference


def test_the_first_difference_is_named_and_the_rest_is_run(adviser: Adviser) -> None:
    events = (Proposed("second", 2 / 3, "gain"), GOOD[1], Proposed("second", 0.9, "gain"), GOOD[3])
    again = replay(session(events), KB, adviser)
    assert (again.agreeing, again.proposals) == (0, 2)
    assert first_difference(again) == (
        'event 1: "second" was asked; now it would be "first"; neither the table nor the version changed'
    )
    assert again.steps[2].difference == '"second" had the score 0.9; now it is 1'


@pytest.mark.parametrize(("score", "agrees"), [(2 / 3 * (1 + 5e-10), True), (2 / 3 * (1 + 5e-9), False)])
def test_scores_agree_to_nine_digits(adviser: Adviser, score: float, agrees: bool) -> None:
    again = replay(session((Proposed("first", score, "gain"),)), KB, adviser)
    assert (again.first_difference is None) == agrees


def test_the_policy_in_force_is_the_one_that_asks(adviser: Adviser) -> None:
    changed = (PolicyChosen("information-gain"), Proposed("first", 1.0, "information-gain"))  # one bit
    assert replay(session(changed), KB, adviser).first_difference is None
    again = replay(session(changed[1:]), KB, adviser)
    assert "asked by information-gain while gain was in force" in first_difference(again)
    assert again.cause == "the policy is another one"


def test_a_question_after_the_end_differs(adviser: Adviser) -> None:
    again = replay(session((*GOOD, Proposed("second", 1.0, "gain"))), KB, adviser)
    assert "event 5" in first_difference(again)
    assert "the case is identified" in first_difference(again)


def test_a_changed_table_is_named_as_the_cause() -> None:
    dearer = replace(KB, tests=(replace(KB.tests[0], cost=3.0), KB.tests[1]))
    again = replay(session(GOOD), dearer, Adviser(dearer))
    assert first_difference(again).startswith('event 1: "first" was asked; now it would be "second"')
    assert first_difference(again).endswith("the table changed since the session was recorded")
    assert again.notes == ()  # it is said once
    known = replay(session(GOOD, digests=digests(KB)), dearer, Adviser(dearer))
    assert known.cause == 'the table changed since the session was recorded: test "first" (cost, outcomes or needs)'
    assert known.notes == ()
    assert replay(session(GOOD[1:2]), dearer, Adviser(dearer)).notes == (
        "the table changed since the session was recorded",
    )


def test_a_table_that_lost_a_test_is_a_difference_not_an_error() -> None:
    fewer = replace(KB, tests=(replace(KB.tests[0], id="other"), KB.tests[1]))
    again = replay(session(GOOD[1:2]), fewer, Adviser(fewer))
    assert again.advice is None
    assert 'the table has no test "first"; the table changed since the session' in first_difference(again)


def test_a_changed_cell_is_named_with_its_row_and_its_test() -> None:
    changed = replace(KB, codes=array("h", [0, 0, 0, 1, 1, 0, 0, 1]))  # bb answers yes to the first
    again = replay(session(GOOD, digests=digests(KB)), changed, Adviser(changed))
    assert again.cause == 'the table changed since the session was recorded: hypothesis "bb", test "first"'


def test_what_was_confirmed_must_be_left(adviser: Adviser) -> None:
    again = replay(session((*GOOD, Confirmed("bb"))), KB, adviser)
    assert first_difference(again).startswith('event 5: "bb" was confirmed; now the answers rule it out')


def test_another_wording_is_only_a_note(adviser: Adviser) -> None:
    reworded = replace(KB, tests=(replace(KB.tests[0], question="Is it the first?"), KB.tests[1]))
    again = replay(session(GOOD), reworded, adviser)
    assert again.first_difference is None
    assert ["wording" in note for note in again.notes] == [True]


def test_another_version_of_the_program_is_named(adviser: Adviser) -> None:
    again = replay(session((Proposed("second", 1.0, "gain"),), program="0.0.9"), KB, adviser)
    assert "recorded by version 0.0.9" in first_difference(again)
    assert again.notes == ()
    again = replay(session(GOOD, program="0.0.9"), KB, adviser)
    assert (again.first_difference, len(again.notes)) == (None, 1)
    assert "recorded by version 0.0.9" in again.notes[0]


@pytest.mark.parametrize(
    ("events", "missing"),
    [
        ((Confirmed("gone"),), 'hypothesis "gone"'),
        ((Excluded("gone"), Undone()), 'hypothesis "gone"'),
        ((Answered("third", ("yes",)), Undone()), 'test "third"'),
        ((Answered("first", ("maybe",)), Undone()), 'outcome "maybe" of test "first"'),
    ],
)
def test_what_the_table_does_not_have_is_a_difference(
    adviser: Adviser, events: tuple[Event, ...], missing: str
) -> None:
    again = replay(session((*GOOD, *events)), KB, adviser)
    assert first_difference(again).startswith(f"event 5: the table has no {missing}; ")
    assert (again.agreeing, again.proposals) == (2, 2)
