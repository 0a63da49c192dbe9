"""The ends of a case on screen: what was found, what can be done there."""

from __future__ import annotations

import pytest

from diagnoser.advise import Advice
from diagnoser.case import Answered, Confirmed, Event, PolicyChosen, State, StopChosen, Undone
from diagnoser.errors import UsageError
from diagnoser.ui.verdict import Verdict

from .conftest import asked, changes, make_app, press, settled, text_of, title
from .table import SlowAdviser

SIZE = (80, 24)


@pytest.mark.parametrize(
    ("keys", "stop", "says", "then", "event"),
    [
        ("1 2", "unique", "FOUND  chlorine", "1", Confirmed("chlorine")),
        ("1 2", "unique", "FOUND  chlorine", "c", Confirmed("chlorine")),
        ("1 2", "unique", "FOUND  chlorine", "z", Undone()),
        ("1", "group", "ONE GROUP  Toxic gases", "1", StopChosen("unique")),
        ("1", "group", "ONE GROUP  Toxic gases", "z", Undone()),
        ("3 1", "unique", "NOTHING SEPARATES THESE 2", "z", Undone()),
    ],
)
async def test_ends_and_what_can_be_done_there(keys: str, stop: str, says: str, then: str, event: Event) -> None:
    app = make_app(stop=stop)
    async with app.run_test(size=SIZE) as pilot:
        case = await press(pilot, *keys.split())
        assert isinstance(case.panel.shown, Verdict)
        assert case.panel.shown.title == says
        await press(pilot, then)
        assert changes(app)[-1] == event


async def test_a_policy_that_is_not_for_the_table_says_so_and_another_goes_on() -> None:
    class Refusing(SlowAdviser):
        def advise(self, state: State) -> Advice:
            if state.settings.policy == "sparse":
                raise UsageError("this table knows too much")
            return super().advise(state)

    app = make_app(policy="sparse", adviser=Refusing)
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        assert isinstance(case.panel.shown, Verdict)
        assert case.panel.shown.title == "NO QUESTION"
        assert "sparse cannot say what to ask: this table knows too much." in text_of(app)
        case = await press(pilot, "1")
        assert changes(app)[-1] == PolicyChosen("rollout")
        assert asked(case) == "state"


async def test_what_could_not_be_told_can_be_answered_after_all() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        case = await press(pilot, "u", "u", "u", "n")  # caustics and gases: nothing left to ask
        assert isinstance(case.panel.shown, Verdict)
        assert case.panel.shown.title.startswith("NOTHING SEPARATES")
        case = await press(pilot, "1")
        assert asked(case) == "state"
        await press(pilot, "2")
        assert changes(app)[-1] == Answered("state", ("liquid",))
        assert "FOUND  bleach" in text_of(app)


async def test_only_skipped_tests_that_would_help_are_offered() -> None:
    # What is alkaline has no flash point, whatever it is; the twins are alike in everything.
    alkaline, twins = Answered("ph", ("alkaline",)), [Answered("state", ("solid",)), Answered("burns", ("yes",))]
    for answers, offered in (
        ([Answered("flash"), Answered("burns"), alkaline, Answered("state")], ["burns", "state"]),
        ([*twins, Answered("flash"), Answered("ph")], []),
    ):
        app = make_app(events=answers)
        async with app.run_test(size=SIZE) as pilot:
            case = await settled(pilot)
            assert isinstance(case.panel.shown, Verdict)
            assert case.panel.shown.title.startswith("NOTHING SEPARATES")
            assert [choice.test for choice in case.panel.shown.choices] == offered


async def test_a_contradiction_lists_the_answers_and_lets_one_be_given_again() -> None:
    answers = [Answered("state", ("gas",)), Answered("burns", ("no",)), Answered("ph", ("neutral",))]
    app = make_app(events=answers)
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        assert isinstance(case.panel.shown, Verdict)
        assert case.panel.shown.title == "NO CANDIDATE"
        case = await press(pilot, "3")
        assert asked(case) == "ph"
        await press(pilot, "1")
        assert "FOUND  chlorine" in text_of(app)


async def test_a_confirmed_case_is_closed_until_undone() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "1", "2", "1")
        assert "CONFIRMED  chlorine" in text_of(app)
        case = await press(pilot, "1", "u")
        assert isinstance(changes(app)[-1], Confirmed)
        await press(pilot, "z")
        assert title(case) == "FOUND  chlorine"


async def test_n_on_a_verdict_says_nothing_about_a_test() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "1", "2", "n")
        assert "FOUND  chlorine" in text_of(app)
        assert "applies to everything" not in text_of(app)
