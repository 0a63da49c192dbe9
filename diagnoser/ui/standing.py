"""How the case stands: who is left on one side, what was answered on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from diagnoser.case import Answered
from diagnoser.kb import KnowledgeBase
from diagnoser.ui.presentation import AnswerRow, about, answer_rows, draw_answer, draw_candidate
from diagnoser.ui.widgets import RowList

if TYPE_CHECKING:
    from diagnoser.advise import Candidate


class Standing(Horizontal):
    """Candidates and answers; what the table covers as long as there is no answer."""

    def compose(self) -> ComposeResult:
        """Two columns."""
        with Vertical(classes="column"):
            yield Static("CANDIDATES", classes="heading", markup=False)
            candidates: RowList[Candidate] = RowList(id="candidates")
            yield candidates
        with Vertical(classes="column"):
            yield Static(id="answers-heading", classes="heading")
            yield RowList[AnswerRow](id="answers")
            with VerticalScroll(id="about-scroll", can_focus=False):
                yield Static(id="about")

    @property
    def answers(self) -> RowList[AnswerRow]:
        """The list of answers; choosing one edits it."""
        return self.query_one("#answers", RowList)

    def show_answers(self, kb: KnowledgeBase, answers: tuple[Answered, ...]) -> None:
        """In the order first given."""
        rows = answer_rows(kb, answers)
        title = max((cell_len(row.title) for row in rows), default=0)
        value = max((cell_len(row.value) for row in rows), default=0)
        self.answers.show(rows, [row.test for row in rows], lambda row, width: draw_answer(row, width, title, value))
        self.answers.display = bool(answers)
        self.query_one("#about-scroll").display = not answers
        self.query_one("#about", Static).update(about(kb))
        self.query_one("#answers-heading", Static).update(Content("ANSWERS" if answers else "ABOUT THIS TABLE"))

    def show_candidates(self, kb: KnowledgeBase, candidates: tuple[Candidate, ...]) -> None:
        """The most probable first."""
        most = candidates[0].posterior if candidates else 0.0
        rows = self.query_one("#candidates", RowList)
        rows.show(
            candidates,
            [candidate.hypothesis for candidate in candidates],
            lambda candidate, width: draw_candidate(kb, candidate, width, most),
        )
        rows.to_top()  # the order is new: what was highlighted may be far down
