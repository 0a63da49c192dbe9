"""The one widget of our own: a list of one-line rows that draws only those in sight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

T = TypeVar("T")


class RowList(ScrollView, Generic[T], can_focus=True, inherit_bindings=False):
    """Rows of any number, each drawn by a function of the row and the width in cells.

    A row is known by its key: new rows keep the highlight on the key it was on.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--highlight", "rows--hover"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "row up", show=False, id="rows.up"),
        Binding("down", "move(1)", "row down", show=False, id="rows.down"),
        Binding("pageup", "page(-1)", "page up", show=False, id="rows.pageup"),
        Binding("pagedown", "page(1)", "page down", show=False, id="rows.pagedown"),
        Binding("home", "go(0)", "first row", show=False, id="rows.home"),
        Binding("end", "go(-1)", "last row", show=False, id="rows.end"),
        Binding("enter", "choose", "choose the row", show=False, id="rows.enter"),
    ]

    highlighted: reactive[int | None] = reactive(None)
    hovered: reactive[int | None] = reactive(None)
    faded: reactive[bool] = reactive(False)
    """Drawn dim: what is shown is no longer the last word."""

    @dataclass
    class Chosen(Message):
        """A row was chosen by Enter or the mouse."""

        rows: RowList[Any]
        row: object

        @property
        def control(self) -> RowList[Any]:
            """The list, for `on` selectors."""
            return self.rows

    @dataclass
    class Highlighted(Message):
        """Another row is highlighted."""

        rows: RowList[Any]
        index: int | None

        @property
        def control(self) -> RowList[Any]:
            """The list, for `on` selectors."""
            return self.rows

    def __init__(self, *, always_highlight: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._always_highlight = always_highlight
        self._draw: Callable[[T, int], Content] = lambda _row, _width: Content("")
        self._keys: Sequence[str] = ()
        self.rows: Sequence[T] = ()
        self.accepts_click: Callable[[events.Click], bool] = lambda _click: True

    def show(self, rows: Sequence[T], keys: Sequence[str], draw: Callable[[T, int], Content]) -> None:
        """Put these rows in place of the old ones."""
        before = self._keys[self.highlighted] if self.highlighted is not None else None
        self.rows, self._keys, self._draw = rows, keys, draw
        self.hovered = None
        if before is not None and before in keys:
            self.highlighted = keys.index(before)
        else:
            self.highlighted = 0 if rows else None
            self.scroll_home(animate=False)
        self.virtual_size = Size(0, len(rows))
        self.refresh(layout=True)

    def to_top(self) -> None:
        """Highlight and show the first row."""
        self.highlighted = 0 if self.rows else None
        self.scroll_home(animate=False, force=True)

    @property
    def row(self) -> T | None:
        """The highlighted row."""
        return None if self.highlighted is None else self.rows[self.highlighted]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """One line a row."""
        return len(self.rows)

    def render_line(self, y: int) -> Strip:
        """Draw one visible row."""
        width = self.scrollable_content_region.width
        index = y + self.scroll_offset.y
        style = self.visual_style
        if not 0 <= index < len(self.rows):
            return Strip.blank(width, style.rich_style)
        content = self._draw(self.rows[index], width - 1)
        pointer = " "
        if self.faded:
            content = content.without_spans.stylize("dim")
        elif index == self.highlighted and (self._always_highlight or self.has_focus):
            pointer = "›"  # the background alone is faint without colours
            style = self.get_visual_style("rows--highlight")
        elif index == self.hovered:
            style = self.get_visual_style("rows--hover")
        line = Visual.to_strips(self, Content.assemble((pointer, "bold"), content), width, 1, style)
        return (line[0] if line else Strip.blank(width)).adjust_cell_length(width, style.rich_style)

    def validate_highlighted(self, highlighted: int | None) -> int | None:
        """Keep it on a row."""
        if highlighted is None or not self.rows:
            return None
        return max(0, min(highlighted, len(self.rows) - 1))

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Bring it into sight."""
        self.refresh()
        if highlighted is not None and self.is_mounted:
            self.scroll_to_region(Region(0, highlighted, 1, 1), animate=False, force=True)
        self.post_message(self.Highlighted(self, highlighted))

    def action_move(self, rows: int) -> None:
        """Up or down."""
        self.highlighted = (self.highlighted if self.highlighted is not None else -1) + rows

    def action_page(self, pages: int) -> None:
        """Up or down by what is in sight."""
        self.action_move(pages * max(1, self.scrollable_content_region.height - 1))

    def action_go(self, index: int) -> None:
        """To the first or the last row."""
        self.highlighted = index % len(self.rows) if self.rows else None

    def action_choose(self) -> None:
        """Tell the screen."""
        if self.highlighted is not None:
            self.post_message(self.Chosen(self, self.rows[self.highlighted]))

    def _row_at(self, event: events.MouseEvent) -> int | None:
        offset = event.get_content_offset(self)
        if offset is None:
            return None
        index = offset.y + self.scroll_offset.y
        return index if 0 <= index < len(self.rows) else None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show which row a click would choose."""
        self.hovered = self._row_at(event)

    def on_leave(self) -> None:
        """No row any more."""
        self.hovered = None

    def on_click(self, event: events.Click) -> None:
        """Choose the row under the mouse."""
        index = self._row_at(event)
        if index is not None and self.accepts_click(event):
            self.highlighted = index
            self.action_choose()
