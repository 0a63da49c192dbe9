"""The start screen, and how a case is opened: real files, real sessions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from textual.widgets import Input

from diagnoser.case import Answered, Case, Confirmed, ErrorsChosen, PolicyChosen, Settings, StopChosen
from diagnoser.errors import BadSession, BadTable, DiagnoserError
from diagnoser.journal import resume
from diagnoser.kb import KnowledgeBase
from diagnoser.session import read_session
from diagnoser.ui import app as app_module
from diagnoser.ui.app import DiagnoserApp
from diagnoser.ui.opening import Opened, open_case
from diagnoser.ui.request import CaseRequest
from diagnoser.ui.sitting import Sitting
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
    monkeypatch.setattr(app_module, "shipped_tables", lambda: {name: Path(name) for name in tables})
    monkeypatch.setattr(app_module, "open_table", lambda path: tables[path.name])
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
        assert 'A blank cell of the table means "unknown".' in shown


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
    assert opened.pending == (PolicyChosen("odtn-h"),)
    Sitting(opened).leave()
    assert read_session(session).events == (PolicyChosen("odtn-h"),)


def test_resuming_with_another_rule_and_tolerance_are_events_and_the_same_ones_are_none(
    table: Path, tmp_path: Path
) -> None:
    session = tmp_path / "case.jsonl"
    open_case(CaseRequest(str(table), session=session)).journal.close()
    request = CaseRequest(None, stop="budget:3", resume=session, tolerance=1)
    opened = open_case(request)
    assert opened.pending == (StopChosen("budget:3"), ErrorsChosen("tolerance", 1))
    Sitting(opened).leave()
    again = open_case(request)
    again.journal.close()
    assert again.pending == ()


@pytest.mark.parametrize(
    ("lost", "kept", "missing"),
    [
        ("name,hard\nruby,yes\ngarnet,no\nemerald,?\n", "", 'test "colour"'),
        ("name,colour,hard\nruby,pink,yes\ngarnet,pink,no\nemerald,green,?\n", "", 'outcome "red" of test "colour"'),
        ("name,colour,hard\nspinel,red,yes\ngarnet,red,no\nemerald,green,?\n", "confirmed", '"ruby"'),
    ],
)
def test_a_session_whose_answers_the_table_does_not_know_is_refused_in_one_line(
    table: Path, tmp_path: Path, lost: str, kept: str, missing: str
) -> None:
    session = tmp_path / "case.jsonl"
    journal = open_case(CaseRequest(str(table), session=session)).journal
    journal.append(Confirmed("ruby") if kept else Answered("colour", ("red",)))
    journal.close()
    table.write_text(lost, encoding="utf-8")
    with pytest.raises(BadSession, match="the table changed") as caught:
        open_case(CaseRequest(None, resume=session))
    assert missing in str(caught.value)
    assert f"{session}, line 2" in str(caught.value)
    resume(session)[1].close()  # it is not locked


async def test_the_screen_ends_in_that_line(table: Path, tmp_path: Path) -> None:
    session = tmp_path / "case.jsonl"
    journal = open_case(CaseRequest(str(table), session=session)).journal
    journal.append(Answered("colour", ("red",)))
    journal.close()
    table.write_text("name,hard\nruby,yes\ngarnet,no\nemerald,?\n", encoding="utf-8")
    app = DiagnoserApp(CaseRequest(None, resume=session), SlowAdviser)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.return_value is not None)
    assert app.return_value == 3
    assert 'the table has no test "colour"' in app.farewell


@pytest.mark.parametrize("wrong", [{"policy": "best"}, {"stop": "never"}, {"source": "gone.csv"}])
def test_what_cannot_be_opened_leaves_the_session_to_others(table: Path, tmp_path: Path, wrong: dict[str, str]) -> None:
    session = tmp_path / "case.jsonl"
    open_case(CaseRequest(str(table), session=session)).journal.close()
    with pytest.raises(DiagnoserError):
        open_case(CaseRequest(wrong.get("source"), wrong.get("policy"), wrong.get("stop"), resume=session))
    resume(session)[1].close()


def test_other_priors_come_with_their_own_column(table: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("name,a,b\nruby,8,1\ngarnet,1,1\nemerald,1,8\n", encoding="utf-8")
    new.write_text("7\n2\n1\n", encoding="utf-8")
    session = tmp_path / "case.jsonl"
    first = open_case(CaseRequest(str(table), session=session, prior=old, prior_column=2))
    first.journal.close()
    assert [h.prior for h in first.kb.hypotheses] == pytest.approx([0.1, 0.1, 0.8])
    again = open_case(CaseRequest(None, resume=session))
    again.journal.close()
    assert again.kb.fingerprint == first.kb.fingerprint
    other = open_case(CaseRequest(None, resume=session, prior=new))
    other.journal.close()
    assert [h.prior for h in other.kb.hypotheses] == pytest.approx([0.7, 0.2, 0.1])


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
from diagnoser.errors import UsageError
from diagnoser.ui.app import DiagnoserApp
from diagnoser.ui.request import CaseRequest

def opener(request):
    print(sorted({"numba", "pydantic", "pandas", "numpy", "sklearn"} & set(sys.modules)), "reading" in painted())
    raise UsageError("seen enough")

def painted():
    return str(app.screen.panel.border_title)

async def main():
    global app
    app = DiagnoserApp(CaseRequest("gems_minerals"), opener=opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.workers.wait_for_complete()

asyncio.run(main())
"""


def test_nothing_heavy_is_loaded_before_the_first_paint() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_PAINT], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "[] True", done.stdout + done.stderr
