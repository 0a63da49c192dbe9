"""The start screen: the shipped tables and a path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Input, Static
from textual.worker import Worker, WorkerState

from diagnoser import __version__
from diagnoser.errors import DiagnoserError
from diagnoser.kb import KnowledgeBase
from diagnoser.text import printable
from diagnoser.ui.background import Broken
from diagnoser.ui.presentation import MUTED, STRONG, about, fit, shorten
from diagnoser.ui.widgets import RowList


@dataclass(frozen=True, slots=True)
class ShippedTable:
    """A table that comes with the program."""

    name: str
    kb: KnowledgeBase | None = None
    """None until it is read."""
    problem: str = ""


def draw_table(table: ShippedTable, width: int) -> Content:
    """`hazmat   Spilled chemicals   40 substances, 20 tests`."""
    size = table.problem
    if table.kb is not None:
        size = f"{len(table.kb.hypotheses)} {table.kb.hypotheses_word}, {len(table.kb.tests)} tests"
    room = max(10, width - 17 - 28 - 2)
    title = table.kb.title if table.kb else ""
    return Content.assemble(
        (fit(table.name, 17), STRONG), " ", fit(title, room), " ", (shorten(size, 28), MUTED)
    ).truncate(width)


class StartScreen(Screen[None]):
    """Choose a table."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "list / path", id="start.next"),
    ]

    @dataclass
    class TableRead(Message):
        """A shipped table is read."""

        table: ShippedTable

    @dataclass
    class TableChosen(Message):
        """A case is to be started on this table, a shipped name or a path."""

        source: str

    def __init__(self, shipped: Callable[[], dict[str, Path]], read: Callable[[Path], KnowledgeBase]) -> None:
        super().__init__()
        self._shipped, self._read = shipped, read
        self._tables: dict[str, ShippedTable] = {}

    def compose(self) -> ComposeResult:
        """Title, tables, what the highlighted one covers, a path."""
        yield Static(
            Content.assemble((" Diagnoser ", STRONG), (f"{__version__}   which table fits the case?", MUTED)), id="top"
        )
        with Vertical(id="shipped"):
            yield RowList[ShippedTable](always_highlight=True, id="tables")
        with VerticalScroll(id="scope", can_focus=False):
            yield Static(id="about", markup=False)
        yield Input(placeholder="or the path of a table: a folder with kb.toml, or a CSV file", compact=True, id="path")
        yield Static(id="problem", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Paint first, then read the tables."""
        self.query_one("#shipped").border_title = Content("TABLES")
        self.query_one("#shipped").border_subtitle = Content("enter starts a case")
        self.query_one("#path").border_title = Content("PATH")
        self.query_one("#tables").focus()
        self.call_after_refresh(self._list)

    @work(thread=True, exit_on_error=False)
    def _list(self) -> None:
        paths = self._shipped()
        for name in paths:
            self.post_message(self.TableRead(ShippedTable(name)))
        for name, path in paths.items():
            try:
                table = ShippedTable(name, self._read(path))
            except DiagnoserError as error:
                table = ShippedTable(name, problem=str(error))
            self.post_message(self.TableRead(table))

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """Tell the app of a mistake of the program."""
        if message.state is WorkerState.ERROR:
            self.post_message(Broken(message.worker.error))

    def on_start_screen_table_read(self, message: TableRead) -> None:
        """One more row, or a row with more in it."""
        self._tables[message.table.name] = message.table
        self.query_one("#tables", RowList).show(tuple(self._tables.values()), tuple(self._tables), draw_table)
        self._describe()

    def on_row_list_highlighted(self) -> None:
        """What it covers."""
        self._describe()

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        """Open it."""
        if isinstance(message.row, ShippedTable):
            self._open(message.row.name)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Open the path."""
        if message.value.strip():
            self._open(message.value.strip())

    def _open(self, source: str) -> None:
        self.query_one("#problem", Static).update(Content(""))
        self.post_message(self.TableChosen(source))

    def tell(self, problem: str) -> None:
        """Say why a table cannot be opened; what was typed stays."""
        self.query_one("#problem", Static).update(Content.styled(printable(problem), "$text-error"))

    def _describe(self) -> None:
        table = self.query_one("#tables", RowList).row
        if isinstance(table, ShippedTable) and table.kb is not None:
            self.query_one("#about", Static).update(about(table.kb))
