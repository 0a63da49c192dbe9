"""The case against a plain model: a list of changes and a list of changes taken back."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from diagnoser.advise import Adviser
from diagnoser.case import (
    Answered,
    Case,
    Confirmed,
    ErrorsChosen,
    Event,
    Excluded,
    Named,
    NoneOfThese,
    Noted,
    PolicyChosen,
    Proposed,
    Redone,
    Restored,
    Settings,
    State,
    StopChosen,
    Undone,
    Withdrawn,
    checked_settings,
)
from diagnoser.errors import UsageError
from tests.tables import yes_no

START = Settings(policy="gain", stop="unique")
TESTS = st.sampled_from(["ph", "colour", "flash"])
HYPOTHESES = st.sampled_from(["acid", "base", "salt"])
OUTCOMES = st.lists(st.sampled_from(["yes", "no", "n/a"]), unique=True).map(tuple)


class CaseMachine(RuleBasedStateMachine):
    """Every event at any time; the state must be what the standing changes amount to."""

    def __init__(self) -> None:
        super().__init__()
        self.case = Case.new(START)
        self.events: list[Event] = []
        self.done: list[Event] = []
        self.taken_back: list[Event] = []

    def change(self, event: Event) -> None:
        before = self.case
        self.case = self.case.with_event(event)
        self.events.append(event)
        self.done.append(event)
        self.taken_back.clear()
        assert self.case.with_event(Undone()).state == before.state
        assert self.case.with_event(Undone()).with_event(Redone()).state == self.case.state

    @rule(test=TESTS, outcomes=OUTCOMES, exact=st.booleans())
    def answer(self, test: str, outcomes: tuple[str, ...], exact: bool) -> None:
        self.change(Answered(test, outcomes, exact=exact))

    @rule(test=TESTS)
    def withdraw(self, test: str) -> None:
        if test in plain_state(self.done)["answers"]:
            self.change(Withdrawn(test))
        else:
            with pytest.raises(UsageError):
                self.case.with_event(Withdrawn(test))

    @rule(hypothesis=HYPOTHESES)
    def exclude_or_restore(self, hypothesis: str) -> None:
        out = hypothesis in plain_state(self.done)["excluded"]
        possible, refused = (Restored, Excluded) if out else (Excluded, Restored)
        with pytest.raises(UsageError):
            self.case.with_event(refused(hypothesis))
        self.change(possible(hypothesis))

    @rule(
        event=st.sampled_from(
            [
                PolicyChosen("odtn-r"),
                PolicyChosen("gain"),
                StopChosen("group"),
                ErrorsChosen("tolerance", 2),
                Confirmed("acid"),
                NoneOfThese(),
            ]
        )
    )
    def choose(self, event: Event) -> None:
        self.change(event)

    @rule(event=st.sampled_from([Proposed("ph", 0.5, "gain"), Noted("wind from the north"), Named("pump 3")]))
    def remark(self, event: Event) -> None:
        before = self.case
        self.case = before.with_event(event)
        self.events.append(event)
        assert self.case.state == before.state

    @rule()
    def undo(self) -> None:
        if not self.done:
            assert not self.case.can_undo
            with pytest.raises(UsageError, match="nothing to undo"):
                self.case.with_event(Undone())
            return
        self.taken_back.append(self.done.pop())
        self.case = self.case.with_event(Undone())
        self.events.append(Undone())

    @precondition(lambda self: self.taken_back)
    @rule()
    def redo(self) -> None:
        self.done.append(self.taken_back.pop())
        self.case = self.case.with_event(Redone())
        self.events.append(Redone())

    @invariant()
    def state_is_what_the_changes_amount_to(self) -> None:
        assert described(self.case.state) == plain_state(self.done)
        assert self.case.can_redo == bool(self.taken_back)

    @invariant()
    def state_is_a_fold(self) -> None:
        assert Case.new(START, self.events) == self.case


def plain_state(changes: list[Event]) -> dict[str, object]:
    """The slow twin: dictionaries, changed one event after another."""
    answers: dict[str, Answered] = {}
    excluded: list[str] = []
    settings: dict[str, object] = {"policy": "gain", "stop": "unique", "errors": "strict", "tolerance": 0}
    end: object = None
    for change in changes:
        if isinstance(change, Answered):
            answers[change.test] = change
        elif isinstance(change, Withdrawn):
            del answers[change.test]
        elif isinstance(change, Excluded):
            excluded.append(change.hypothesis)
        elif isinstance(change, Restored):
            excluded.remove(change.hypothesis)
        elif isinstance(change, PolicyChosen):
            settings["policy"] = change.policy
        elif isinstance(change, StopChosen):
            settings["stop"] = change.stop
        elif isinstance(change, ErrorsChosen):
            settings |= {"errors": change.mode, "tolerance": change.tolerance}
        else:
            end = change
    return {"answers": answers, "excluded": excluded, "settings": settings, "end": end}


def described(state: State) -> dict[str, object]:
    end = NoneOfThese() if state.none_of_these else Confirmed(state.confirmed) if state.confirmed else None
    chosen = state.settings
    return {
        "answers": {answer.test: answer for answer in state.answers},
        "excluded": list(state.excluded),
        "settings": {
            "policy": chosen.policy,
            "stop": chosen.stop,
            "errors": chosen.errors,
            "tolerance": chosen.tolerance,
        },
        "end": end,
    }


TestCaseMachine = CaseMachine.TestCase
TestCaseMachine.settings = hypothesis_settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_an_edited_answer_keeps_its_place() -> None:
    case = Case.new(START, [Answered("ph", ("acid",)), Answered("flash", ("yes",)), Answered("ph", ("base",))])
    assert case.state.answers == (Answered("ph", ("base",)), Answered("flash", ("yes",)))


def test_the_order_of_answers_changes_nothing_of_the_advice() -> None:
    """Priors that a sum in another order would round otherwise; b cannot be told, c leaves two outcomes."""
    rows = {"v": "1110", "w": "11?1", "x": "1?01", "y": "0111", "z": "?110"}
    adviser = Adviser(yes_no(rows, v=0.1, w=0.2, x=0.3, y=0.15, z=0.25))
    answers = [Answered("a", ("yes",)), Answered("b"), Answered("c", ("yes", "no"))]
    said = [adviser.advise(Case.new(START, order).state) for order in permutations(answers)]
    assert [candidate.hypothesis for candidate in said[0].candidates] == ["x", "w", "z", "v"]
    assert said[0].proposal is not None
    assert all(advice == said[0] for advice in said)


def test_a_new_change_ends_the_way_forth() -> None:
    case = Case.new(START, [Answered("ph", ("acid",)), Undone(), Answered("ph", ("base",))])
    with pytest.raises(UsageError, match="nothing to redo"):
        case.with_event(Redone())


def test_an_answer_without_outcomes_is_could_not_tell() -> None:
    assert Answered("ph").unknown
    assert not Answered("ph", ("n/a",)).unknown


def test_none_of_these_and_confirmed_replace_each_other() -> None:
    case = Case.new(START, [Confirmed("acid"), NoneOfThese()])
    assert (case.state.confirmed, case.state.none_of_these, case.state.closed) == (None, True, True)
    again = case.with_event(Confirmed("base")).state
    assert (again.confirmed, again.none_of_these) == ("base", False)


@pytest.mark.parametrize(
    ("errors", "tolerance", "words"),
    [
        ("lenient", 0, "strict, tolerance, reliability"),
        ("strict", -1, "0 or more"),
        ("reliability", 1, "nobody is ruled out"),
        ("tolerance", 0, "how many answers may be wrong"),
    ],
)
def test_ways_to_treat_errors_that_make_no_sense(errors: str, tolerance: int, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        checked_settings("gain", "unique", errors, tolerance)


def test_a_tolerance_alone_is_enough() -> None:
    assert checked_settings("gain", "unique", "strict", 2) == Settings("gain", "unique", "tolerance", 2)
    assert checked_settings("gain", "unique", "reliability") == Settings("gain", "unique", "reliability", 0)
