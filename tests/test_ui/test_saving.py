"""What the screen says of the session file, to the end."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from diagnoser import journal
from diagnoser.advise import Advice
from diagnoser.case import Answered, PolicyChosen, Settings, State
from diagnoser.formats import open_table
from diagnoser.session import Header
from diagnoser.ui.app import DiagnoserApp
from diagnoser.ui.opening import Opened
from diagnoser.ui.request import CaseRequest

from .conftest import MemoryJournal, make_app, press, settled, text_of, title, until
from .table import SlowAdviser

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
    app = make_app(resumed=True)
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
        await press(pilot, "1")
        await pilot.press("ctrl+q")
    assert app.farewell == "the case is saved; to go on: diagnoser run --resume sessions/case.jsonl"
    assert app.journal.closed  # type: ignore[attr-defined]
    assert not app.journal.discarded  # type: ignore[attr-defined]


@pytest.mark.parametrize("resumed", [True, False])
async def test_a_new_session_without_an_answer_is_not_kept(resumed: bool) -> None:
    app = make_app(resumed=resumed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+q")
    assert app.journal.discarded != resumed  # type: ignore[attr-defined]
    assert ("no session is kept" in app.farewell) != resumed


class Wrong(SlowAdviser):
    """Has a mistake that shows with the second question."""

    def advise(self, state: State) -> Advice:
        if state.answers:
            raise ZeroDivisionError("division by zero")
        return super().advise(state)


async def test_a_mistake_of_the_program_is_one_line_and_the_case_is_saved() -> None:
    app = make_app(adviser=Wrong)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("1")
        await until(pilot, lambda: app.return_value is not None)
    assert app.return_value == 1
    assert app.farewell == (
        "the program made a mistake (ZeroDivisionError: division by zero); "
        "the case is saved; to go on: diagnoser run --resume sessions/case.jsonl"
    )


async def test_a_mistake_while_the_table_is_read_is_one_line_too() -> None:
    def opener(request: CaseRequest) -> Opened:
        raise ZeroDivisionError("division by zero")

    app = DiagnoserApp(CaseRequest("spills"), SlowAdviser, opener)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.return_value is not None)
    assert (app.return_value, app.farewell) == (1, "the program made a mistake (ZeroDivisionError: division by zero)")


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals there")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_told_to_end_it_gives_the_terminal_back_and_says_where_the_case_is(number: str, tmp_path: Path) -> None:
    import pty
    import termios

    table, session = tmp_path / "t.csv", tmp_path / "s.jsonl"
    table.write_text("name,first,second\naa,yes,yes\nab,yes,no\nba,no,yes\nbb,no,no\n")
    book = journal.create(session, Header.of(open_table(table), table, Settings("gain", "unique")))
    book.append(Answered("first", ("yes",)))
    book.close()
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    program = subprocess.Popen(
        [sys.executable, "-m", "diagnoser", "run", "--resume", str(session)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    shown = b""
    while b"NEXT" not in shown and select.select([ours], [], [], 60)[0]:
        shown += os.read(ours, 65_536)
    program.send_signal(getattr(signal, number))
    with suppress(OSError):  # where Linux says that the other end is closed
        while more := os.read(ours, 65_536):
            shown += more
    os.close(ours)
    assert program.wait() == 128 + getattr(signal, number)
    _, back, said = shown.partition(b"\x1b[?1049l")
    assert back  # from the alternate screen
    assert f"the case is saved; to go on: diagnoser run --resume {session}\r\n" in said.decode()
