"""What the screen says of the session file, to the end."""

from __future__ import annotations

from diagnoser.case import PolicyChosen

from .conftest import MemoryJournal, make_app, press, settled, text_of, title

SIZE = (80, 24)


async def test_a_full_disk_is_said_at_once_stays_on_screen_and_the_case_goes_on() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.journal.full = True  # type: ignore[attr-defined]
        case = await press(pilot, "1", "2")
        assert "the disk is full" in text_of(app)
        assert title(case) == "FOUND  chlorine"
        app.journal.full = False  # type: ignore[attr-defined]
        await press(pilot, "z")
        assert "the disk is full" not in text_of(app)


async def test_a_session_in_memory_says_so_from_the_start_to_the_end() -> None:
    app = make_app(journal=MemoryJournal("this session is kept in memory only: /home: read-only"))
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "1")
        assert "kept in memory only" in text_of(app)
        await pilot.press("ctrl+q")
    assert app.return_value == 0
    assert app.farewell == "the case is not saved: this session is kept in memory only: /home: read-only"


async def test_what_the_disk_refuses_to_the_end_is_counted_and_the_rest_is_named() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "u")
        app.journal.full = True  # type: ignore[attr-defined]
        await press(pilot, "1", "2")
        await pilot.press("ctrl+q")
    rest = "to go on from the rest: diagnoser run --resume sessions/case.jsonl"
    assert app.farewell == f"the last 2 answers are not saved; {rest}"


async def test_what_the_disk_takes_at_the_very_end_is_saved() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.journal.full = True  # type: ignore[attr-defined]
        await press(pilot, "1")
        app.journal.full = False  # type: ignore[attr-defined]
        await pilot.press("ctrl+q")
    assert app.farewell == "the case is saved; to go on: diagnoser run --resume sessions/case.jsonl"


async def test_a_question_that_was_not_saved_is_no_loss() -> None:
    app = make_app()
    app.journal.full = True  # type: ignore[attr-defined]
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+q")
    assert app.farewell == "the case is saved; to go on: diagnoser run --resume sessions/case.jsonl"


async def test_what_is_pending_is_recorded_first_and_a_full_disk_does_not_keep_the_case_shut() -> None:
    journal = MemoryJournal()
    journal.full = True
    app = make_app(journal=journal, pending=(PolicyChosen("odtn-h"),))
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        assert case.case is not None
        assert case.case.state.settings.policy == "odtn-h"
        assert journal.events[0] == PolicyChosen("odtn-h")
        assert "the disk is full" in text_of(app)


async def test_quitting_closes_the_session_and_says_where_it_is() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+q")
    assert app.farewell == "the case is saved; to go on: diagnoser run --resume sessions/case.jsonl"
    assert app.journal.closed  # type: ignore[attr-defined]
