"""A page of text over the case: why this test, all keys."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from diagnoser.ui.presentation import shorten


class Page(ModalScreen[None]):
    """Text to read; any of the closing keys leads back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q,w,g,question_mark", "dismiss", "back", id="page.back"),
    ]

    def __init__(self, title: str, text: Content) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """One scrolling box."""
        with VerticalScroll(id="page", classes="box"):
            yield Static(self._text, markup=False)

    def on_mount(self) -> None:
        """Its title stands in the border."""
        box = self.query_one("#page")
        box.border_title = Content(shorten(self._title, 60))
        box.border_subtitle = Content("esc goes back")
        box.focus()
