"""The app: which screen is on, and how it ends."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from diagnoser.errors import DiagnoserError
from diagnoser.formats import open_table, shipped_tables
from diagnoser.kb import KnowledgeBase
from diagnoser.ui.background import Advises, Broken
from diagnoser.ui.case import CaseScreen
from diagnoser.ui.help import all_keys
from diagnoser.ui.opening import Opened, open_case
from diagnoser.ui.page import Page
from diagnoser.ui.request import CaseRequest
from diagnoser.ui.start import StartScreen


def load_adviser(kb: KnowledgeBase) -> Advises:
    """The adviser of a table; not imported before the first paint."""
    from diagnoser.advise import Adviser

    return Adviser(kb)


class DiagnoserApp(App[int]):
    """`run` returns an exit code or None; `farewell` is what to print to stderr after it."""

    TITLE = "Diagnoser"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "keys", "keys", key_display="?", id="app.keys", tooltip="this list"),
        Binding("ctrl+q", "quit", "quit", key_display="^q", priority=True, id="app.quit", tooltip="the case is saved"),
    ]

    def __init__(
        self,
        request: CaseRequest | None = None,
        adviser_factory: Callable[[KnowledgeBase], Advises] = load_adviser,
        opener: Callable[[CaseRequest], Opened] = open_case,
    ) -> None:
        super().__init__()
        self._request, self._adviser_factory, self._opener = request, adviser_factory, opener
        self.farewell = ""

    def on_mount(self) -> None:
        """The case that was asked for, or the choice of a table."""
        self._leave_when_told()
        if self._request is None:
            self.push_screen(StartScreen(shipped_tables, open_table))
        else:
            self._open(self._request)

    def on_start_screen_table_chosen(self, message: StartScreen.TableChosen) -> None:
        """Start a case."""
        self._open(CaseRequest(message.source))

    def _open(self, request: CaseRequest) -> None:
        self.push_screen(CaseScreen(request, self._opener, self._adviser_factory), self._opening_failed)

    async def action_quit(self) -> None:
        """Say where the case is saved, and leave."""
        self._leave(0)

    def on_broken(self, message: Broken) -> None:
        """Leave for a mistake of the program itself, in one line, with what becomes of the case."""
        self._leave(1, f"the program made a mistake ({type(message.error).__name__}: {message.error})")

    def _leave(self, code: int, reason: str = "") -> None:
        case = next((screen for screen in self.screen_stack if isinstance(screen, CaseScreen)), None)
        saved = case.leave() if case is not None else ""
        self.farewell = "; ".join(filter(None, (reason, saved)))
        self.exit(code)

    def _leave_when_told(self) -> None:
        """The terminal is given back when the program is told to end, too."""
        for name in ("SIGTERM", "SIGHUP"):
            # Windows has no SIGHUP and its loop takes no signals; a loop beside the main thread takes none either.
            with suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
                number = getattr(signal, name)
                asyncio.get_running_loop().add_signal_handler(number, self._leave, 128 + number)

    def action_keys(self) -> None:
        """Every key that works now."""
        if not isinstance(self.screen, Page):
            self.push_screen(Page("ALL KEYS", all_keys(self, self.screen)))

    def _opening_failed(self, error: DiagnoserError | None) -> None:
        if error is None:
            return
        if isinstance(self.screen, StartScreen):
            self.screen.tell(str(error))
        else:
            self.farewell = str(error)
            self.exit(error.exit_code)
