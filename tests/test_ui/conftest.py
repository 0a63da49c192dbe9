"""An app on a table built by hand, with a session in memory that notes what was on screen when it was written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from diagnoser.case import Case, Event, Proposed, Settings
from diagnoser.errors import SessionNotSaved
from diagnoser.kb import KnowledgeBase
from diagnoser.ui.app import DiagnoserApp
from diagnoser.ui.case import CaseScreen
from diagnoser.ui.opening import Opened
from diagnoser.ui.panel import Asked
from diagnoser.ui.request import CaseRequest

from .table import SPILLS, SlowAdviser


class MemoryJournal:
    """Stands in for a session file."""

    def __init__(self, warning: str = "") -> None:
        self.path = None if warning else Path("sessions/case.jsonl")
        self.warning = warning
        self.events: list[Event] = []
        self.seen: list[str] = []
        """What the panel's border said when each event was written."""
        self.full = False
        self.unsaved = 0
        self.closed = self.discarded = False
        self.look: Callable[[], str] = lambda: ""

    def append(self, event: Event) -> None:
        self.seen.append(self.look())
        self.events.append(event)
        self.unsaved += 1
        if self.full:
            raise SessionNotSaved("sessions/case.jsonl: not saved: the disk is full; the case goes on in memory")
        self.unsaved = 0

    def discard(self) -> None:
        self.closed = self.discarded = True

    def close(self) -> int:
        self.closed = True
        if not self.full:
            self.unsaved = 0
        return self.unsaved


def make_app(
    kb: KnowledgeBase = SPILLS,
    *,
    journal: MemoryJournal | None = None,
    events: Iterable[Event] = (),
    adviser: Callable[[KnowledgeBase], Any] = SlowAdviser,
    stop: str = "unique",
    policy: str = "gain",
    pending: tuple[Event, ...] = (),
    resumed: bool = False,
) -> DiagnoserApp:
    """The app on this table; tests reach the journal as `app.journal`."""
    journal = journal or MemoryJournal()

    def opener(_request: CaseRequest) -> Opened:
        case = Case.new(Settings(policy, stop), events)
        return Opened(kb, case, journal, pending=pending, resumed=resumed)  # type: ignore[arg-type]

    app = DiagnoserApp(CaseRequest("spills"), adviser, opener)
    app.journal = journal  # type: ignore[attr-defined]
    return app


async def until(pilot: Pilot[Any], true: Callable[[], bool]) -> None:
    """Let the app work until something is so; give up after very many turns."""
    for _ in range(5000):
        await pilot.pause()
        if true():
            return
    raise AssertionError("it never came to be")


async def settled(pilot: Pilot[Any]) -> CaseScreen:
    """Wait until the screen shows the present state and takes answers."""
    found: list[CaseScreen] = []

    def ready() -> bool:
        found[:] = [screen for screen in pilot.app.screen_stack if isinstance(screen, CaseScreen)]
        return bool(found) and found[0].is_mounted and found[0].up_to_date and not found[0].panel.waiting

    await until(pilot, ready)
    return found[0]


async def press(pilot: Pilot[Any], *keys: str) -> CaseScreen:
    """Press keys one by one, each when the screen is ready for it."""
    case = await settled(pilot)
    for key in keys:
        await pilot.press(key)
        case = await settled(pilot)
    return case


async def at_rest(pilot: Pilot[Any]) -> None:
    """Wait until nothing is worked out any more, the cost to come neither."""
    await settled(pilot)
    await until(pilot, lambda: all(worker.is_finished for worker in pilot.app.workers))
    await pilot.pause()


def changes(app: DiagnoserApp) -> list[Event]:
    """The events of the session without the proposals."""
    return [event for event in app.journal.events if not isinstance(event, Proposed)]  # type: ignore[attr-defined]


def asked(case: CaseScreen) -> str:
    """The test in the panel."""
    assert isinstance(case.panel.shown, Asked)
    return case.panel.shown.test.id


def title(case: CaseScreen) -> str:
    return str(case.panel.border_title)


def text_of(app: DiagnoserApp) -> str:
    """All that stands on the screen, line by line."""
    return "\n".join("".join(segment.text for segment in line) for line in app.screen._compositor.render_strips())


@pytest.fixture(autouse=True)
def no_cursor_blink(monkeypatch: pytest.MonkeyPatch) -> None:
    from textual.widgets import Input

    monkeypatch.setattr(Input, "cursor_blink", False, raising=False)
