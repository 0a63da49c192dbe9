"""The panel with the question or the end of the case. It knows whether an answer may be taken now, and no more."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from diagnoser.case import Answered
from diagnoser.kb import KnowledgeBase, Test
from diagnoser.ui.presentation import MUTED, OutcomeRow, draw_outcome, outcome_rows, question_line, shorten
from diagnoser.ui.verdict import Choice, Verdict, draw_choice
from diagnoser.ui.widgets import RowList

if TYPE_CHECKING:
    from diagnoser.advise import RankedTest

_ELSEWHERE = 12
"""Lines that the rest of the screen needs at least: top, frame, some candidates, groups, echo, keys."""
_ELSEWHERE_AT_THE_END = 9
"""The same without groups and with fewer candidates."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question and how it splits what is left."""

    test: Test
    ranked: RankedTest | None
    by_operator: bool = False
    """Chosen by the operator, not proposed."""


class QuestionPanel(Vertical):
    """Shows a question or a verdict.

    An answer counts for what is painted: input that is older than that is refused, so that a key typed while the next
    question is being worked out never answers it.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.shown: Asked | Verdict | None = None
        self.marked: tuple[str, ...] = ()
        self._answerable_from = math.inf

    def compose(self) -> ComposeResult:
        """Text above, the rows, text below."""
        with VerticalScroll(id="head-scroll", can_focus=False):
            yield Static(id="head")
        yield RowList[Any](always_highlight=True, id="outcomes")
        yield Static(id="foot")

    def on_mount(self) -> None:
        """No click before there is a question."""
        self.rows.accepts_click = self.accepts
        self.title = "reading the table"

    @property
    def rows(self) -> RowList[Any]:
        """The outcomes or choices."""
        return self.query_one("#outcomes", RowList)

    @property
    def title(self) -> str:
        """The text in the upper border."""
        return str(self._border_title or "")

    @title.setter
    def title(self, text: str) -> None:
        self.border_title = Content(shorten(text, self._width - 4))

    @property
    def waiting(self) -> bool:
        """Nothing can be answered now."""
        return self._answerable_from == math.inf

    def accepts(self, event: events.InputEvent) -> bool:
        """The input was made with the present question in sight."""
        return event.time >= self._answerable_from

    def wait(self) -> None:
        """Take no answer until something new is shown."""
        self._answerable_from = math.inf
        self.marked = ()
        self.rows.faded = True

    def ask(self, kb: KnowledgeBase, asked: Asked, left: int | None, answer: Answered | None, policy: str) -> None:
        """Show a question."""
        test = asked.test
        question = test.question or test.title
        word = "ANSWER" if asked.by_operator else "NEXT"
        fits = cell_len(question) + len(word) + 2 <= self._width - 4
        self.title = f"{word}  {question if fits else test.title}"
        below = question_line(kb, test, asked.ranked, left or 0, None if asked.by_operator else policy)
        if asked.by_operator:
            below += " · esc goes back"
        self.border_subtitle = Content(shorten(below, self._width - 4))
        rows = outcome_rows(test, asked.ranked, left, answer)
        widest = max(cell_len(row.label) for row in rows)
        before = self.shown
        same = isinstance(before, Asked) and before.test is test and before.by_operator == asked.by_operator
        self.rows.show(
            rows,
            [row.outcome or "" for row in rows],
            lambda row, width: draw_outcome(row, width, label_width=widest, marked=row.outcome in self.marked),
        )
        self._settle(asked, Content("" if fits else question), Content.styled(test.note, MUTED), same)

    def conclude(self, verdict: Verdict) -> None:
        """Show the end of the case."""
        self.title = verdict.title
        self.border_subtitle = None
        self.rows.show(verdict.choices, [choice.key + choice.label for choice in verdict.choices], draw_choice)
        self._settle(verdict, Content("\n").join(verdict.lines), Content(""), verdict == self.shown)

    def row(self, place: int) -> object | None:
        """The row that a digit stands for."""
        if self.waiting or place >= len(self.rows.rows):
            return None
        row = self.rows.rows[place]
        numbered = isinstance(row, Choice) or (isinstance(row, OutcomeRow) and row.key.isdigit())
        return row if numbered else None

    def mark(self, row: object) -> None:
        """Mark an outcome, or take its mark away."""
        if isinstance(row, OutcomeRow) and row.outcome is not None:
            rest = tuple(outcome for outcome in self.marked if outcome != row.outcome)
            self.marked = rest if len(rest) < len(self.marked) else (*rest, row.outcome)
            self.rows.refresh()

    @property
    def _width(self) -> int:
        return self.screen.size.width - 2

    def _settle(self, shown: Asked | Verdict, head: Content, foot: Content, same: bool) -> None:
        if self.waiting or not same:
            self._answerable_from = math.inf
            self.marked = ()
            self.rows.highlighted = 0
            self.call_after_refresh(self._painted, shown)
        self.shown = shown
        self.rows.faded = False
        at_end = isinstance(shown, Verdict)
        room = max(4, self.screen.size.height - (_ELSEWHERE_AT_THE_END if at_end else _ELSEWHERE))
        inside = self._width - 2
        wanted = len(self.rows.rows)
        head_lines = head.get_height({}, inside) if head else 0
        foot_lines = foot.get_height({}, inside) if foot else 0
        head_room = min(head_lines, max(room - wanted, room // 2, room - 4 if at_end else 0))
        rows_room = min(wanted, max(1, room - head_room))
        self.query_one("#head", Static).update(head)
        scroll = self.query_one("#head-scroll")
        scroll.can_focus = head_lines > head_room  # so that keys can scroll it
        scroll.display, scroll.styles.height = bool(head_room), head_room
        self.rows.display, self.rows.styles.height = bool(wanted), rows_room
        below = self.query_one("#foot", Static)
        below.update(foot)
        below.display = 0 < foot_lines <= room - head_room - rows_room

    def _painted(self, shown: Asked | Verdict) -> None:
        if shown is self.shown:
            self._answerable_from = Message().time  # by the clock of input events
