"""The lines at the foot of the case screen: what is wrong, what was just done, where the case is saved."""

from __future__ import annotations

from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from diagnoser.text import printable
from diagnoser.ui.presentation import MUTED, WARNING, shorten

_ECHO_SECONDS = 6.0


class Status(Vertical):
    """Warnings stay as long as they hold; an echo passes and makes way for where the case is saved."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.notices: tuple[str, ...] = ()
        self._warning, self._echo, self._saved = "", "", ""
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Warnings over the echo."""
        yield Static(id="notices")
        yield Static(id="echo")

    def saved(self, path: Path | None, warning: str) -> None:
        """Say where the case is saved, or warn that it is not."""
        self._saved = f"saved in {_from_home(path)}" if path is not None and not warning else "not saved"
        self._warning = warning
        self.place()

    def say(self, text: str, *, passing: bool = True) -> None:
        """Echo what was done; what does not pass stays until the next echo."""
        self._echo = text
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_ECHO_SECONDS, self.hush) if passing else None
        self.place()

    def hush(self) -> None:
        """No echo any more."""
        self._echo = ""
        self.place()

    def place(self) -> None:
        """Fit the lines to the width."""
        room = self.screen.size.width - 2
        lines = [line for line in (self._warning, *self.notices) if line]
        notices = self.query_one("#notices", Static)
        notices.display = bool(lines)
        # These name paths, which no reader of tables has made printable.
        notices.update(Content("\n").join(Content.styled(f" !  {printable(line)}", WARNING) for line in lines))
        echo = Content(f" {shorten(self._echo, room)}")
        saved = Content.styled(f" {shorten(self._saved, room)}", MUTED)
        self.query_one("#echo", Static).update(echo if self._echo else saved)


def _from_home(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
