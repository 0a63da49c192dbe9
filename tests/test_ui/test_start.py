"""The start screen, and how a case is opened: real files, real sessions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from textual.widgets import Input

from diagnoser.case import Answered, Case, PolicyChosen, Settings
from diagnoser.errors import BadTable
from diagnoser.journal import read_session
from diagnoser.kb import KnowledgeBase
from diagnoser.ui import opening
from diagnoser.ui.app import DiagnoserApp
from diagnoser.ui.opening import Opened, open_case
from diagnoser.ui.request import CaseRequest
from diagnoser.ui.start import StartScreen

from .conftest import MemoryJournal, press, settled, text_of, until
from .table import SPILLS, SlowAdviser, many_outcomes

CSV = "name,colour,hard\nruby,red,yes\ngarnet,red,no\nemerald,green,?\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "my stones, café.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> dict[str, KnowledgeBase]:
    """Two tables in place of the shipped ones."""
    tables = {"spills": SPILLS, "shades": many_outcomes(3)}
    monkeypatch.setattr(opening, "shipped_tables", lambda: {name: Path(name) for name in tables})
    monkeypatch.setattr(opening, "read_table", lambda path: tables[path.name])
    return tables


def start_app(shelf: dict[str, KnowledgeBase]) -> DiagnoserApp:
    def opener(request: CaseRequest) -> Opened:
        if request.source not in shelf:
            raise BadTable(str(request.source), "there is no such file", "check the path")
        return Opened(shelf[request.source], Case.new(Settings("gain", "unique")), MemoryJournal())  # type: ignore[arg-type]

    return DiagnoserApp(None, SlowAdviser, opener)


async def test_the_start_screen_lists_tables_with_size_scope_and_disclaimer(shelf: dict[str, KnowledgeBase]) -> None:
    app = start_app(shelf)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        shown = text_of(app)
        assert "10 substances, 4 tests" in shown
        assert "Ten substances for trying out the screen." in shown
        assert "Not for use on a real spill." in shown


@pytest.mark.parametrize("how", ["enter", "mouse"])
async def test_a_table_is_opened_by_key_or_mouse(shelf: dict[str, KnowledgeBase], how: str) -> None:
    app = start_app(shelf)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        if how == "enter":
            await pilot.press("down", "enter")
        else:
            await pilot.click("#tables", offset=(4, 1))
        case = await settled(pilot)
        assert "Which shade" in text_of(app)
        assert case.case is not None


async def test_a_wrong_path_is_named_and_what_was_typed_stays(shelf: dict[str, KnowledgeBase]) -> None:
    app = start_app(shelf)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("tab", *"gone.csv", "enter")
        await until(pilot, lambda: "gone.csv: there is no such file; check the path" in text_of(app))
        assert isinstance(app.screen, StartScreen)
        assert app.screen.query_one(Input).value == "gone.csv"
        assert app.return_value is None


async def test_a_case_on_disk_is_gone_on_with_after_it_was_left(table: Path, tmp_path: Path) -> None:
    session = tmp_path / "case.jsonl"
    app = DiagnoserApp(CaseRequest(str(table), session=session), SlowAdviser)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "u")
        await pilot.press("ctrl+q")
    assert [event.event for event in read_session(session).events] == ["proposed", "answered", "proposed"]

    again = DiagnoserApp(CaseRequest(None, resume=session), SlowAdviser)
    async with again.run_test(size=(80, 24)) as pilot:
        case = await settled(pilot)
        assert case.case is not None
        assert [answer.unknown for answer in case.case.state.answers] == [True]
        await press(pilot, "z")
        await pilot.press("ctrl+q")
    assert [event.event for event in read_session(session).events][3:] == ["undone", "proposed"]


def test_resuming_with_another_policy_is_an_event(table: Path, tmp_path: Path) -> None:
    session = tmp_path / "case.jsonl"
    open_case(CaseRequest(str(table), session=session)).journal.close()
    opened = open_case(CaseRequest(None, "odtn-h", resume=session))
    opened.journal.close()
    assert opened.case.state.settings.policy == "odtn-h"
    assert read_session(session).events == (PolicyChosen("odtn-h"),)


def test_resuming_on_a_changed_table_is_noticed(table: Path, tmp_path: Path) -> None:
    session = tmp_path / "case.jsonl"
    open_case(CaseRequest(str(table), session=session)).journal.close()
    table.write_text(CSV.replace("emerald,green,?", "emerald,green,yes"), encoding="utf-8")
    opened = open_case(CaseRequest(None, resume=session))
    opened.journal.close()
    assert opened.notices == ("the table is not the one that this session was started with",)


async def test_with_an_unwritable_home_the_case_runs_in_memory(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home" / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    app = DiagnoserApp(CaseRequest(str(table)), SlowAdviser)
    async with app.run_test(size=(80, 24)) as pilot:
        case = await press(pilot, "1")
        assert case.case is not None
        assert isinstance(case.case.state.answers[0], Answered)
        assert "this session is kept in memory only" in text_of(app)
        await pilot.press("ctrl+q")
    assert app.farewell.startswith("the case is not saved")


FIRST_PAINT = """
import asyncio, sys
from diagnoser.ui.app import DiagnoserApp
from diagnoser.ui.request import CaseRequest

def opener(request):
    print(sorted({"numba", "pydantic", "pandas", "numpy", "sklearn"} & set(sys.modules)), "reading" in painted())
    raise SystemExit

def painted():
    return str(app.screen.panel.border_title)

async def main():
    global app
    app = DiagnoserApp(CaseRequest("gems_minerals"), opener=opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.workers.wait_for_complete()

try:
    asyncio.run(main())
except BaseException:
    pass
"""


def test_nothing_heavy_is_loaded_before_the_first_paint() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_PAINT], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[0] == "[] True", done.stdout + done.stderr
