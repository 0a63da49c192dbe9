"""Every test of the table, the best first: type to find one, Enter to answer it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from diagnoser.kb import KnowledgeBase
from diagnoser.ui.presentation import MUTED, STRONG, ListedTest, draw_test, found_tests
from diagnoser.ui.widgets import RowList


class SearchScreen(ModalScreen[str | None]):
    """Dismissed with a test id, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "back", id="search.back"),
        Binding("down", "move(1)", show=False, id="search.down"),
        Binding("up", "move(-1)", show=False, id="search.up"),
        Binding("slash", "type", "type to filter", show=False, id="search.type"),
    ]

    def __init__(self, kb: KnowledgeBase, listed: Sequence[ListedTest], *, typing: bool) -> None:
        super().__init__()
        self._kb, self._listed, self._typing = kb, listed, typing

    def compose(self) -> ComposeResult:
        """What is typed, what is found, and the highlighted one in full."""
        with Vertical(id="search", classes="box"):
            yield Input(placeholder="type a part of a name, question or outcome", compact=True, id="filter")
            yield Static(id="columns", markup=False)
            yield RowList[ListedTest](always_highlight=True, id="tests")
            yield Static(id="detail", markup=False)

    def on_mount(self) -> None:
        """Start in the field or in the list."""
        box = self.query_one("#search")
        box.border_title = Content("ANSWER ANOTHER TEST" if self._typing else "NEXT TESTS, BEST FIRST")
        box.border_subtitle = Content("enter answers it · / types · esc goes back")
        self._filter()
        self.query_one("#filter" if self._typing else "#tests").focus()

    def renew(self, listed: Sequence[ListedTest]) -> None:
        """Show new figures; what is typed and highlighted stays."""
        self._listed = listed
        self._filter()

    def on_input_changed(self) -> None:
        """Show what matches."""
        self._filter()

    def on_input_submitted(self) -> None:
        """Take the highlighted test."""
        self.query_one("#tests", RowList).action_choose()

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        """Take the test."""
        if isinstance(message.row, ListedTest):
            self.dismiss(message.row.test.id)

    def on_row_list_highlighted(self) -> None:
        """Show its question and outcomes in full."""
        self._detail()

    def action_move(self, rows: int) -> None:
        """Move in the list while typing."""
        self.query_one("#tests", RowList).action_move(rows)

    def action_type(self) -> None:
        """Back to the field."""
        self.query_one("#filter").focus()

    def _filter(self) -> None:
        words = self.query_one("#filter", Input).value
        found = found_tests(self._listed, words)
        rows = self.query_one("#tests", RowList)
        rows.show(found, [row.test.id for row in found], lambda row, width: draw_test(self._kb, row, width))
        self.query_one("#columns", Static).update(
            Content.styled(f"{len(found)} of {len(self._listed)} tests; score per cost, cost, who would stay", MUTED)
        )
        self._detail()

    def _detail(self) -> None:
        row = self.query_one("#tests", RowList).row
        place = self.query_one("#detail", Static)
        if not isinstance(row, ListedTest):
            place.update(Content.styled("no test matches; esc goes back", MUTED))
            return
        stays = {branch.outcome: branch.candidates_left for branch in row.ranked.branches} if row.ranked else {}
        labels = [
            f"{outcome.label} {stays[outcome.id]}" if outcome.id in stays else outcome.label
            for outcome in row.test.outcomes
        ]
        question = row.test.question or row.test.title
        place.update(Content.assemble((question, STRONG), "\n", (" · ".join(labels), MUTED)))
