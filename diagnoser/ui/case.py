"""The case screen: one question, one key an answer.

    key -> event -> journal -> case -> worker: advise -> AdviceReady -> what is shown
                                               cost_left -> CostReady -> the figure in the top line

Workers hand over results by messages and never touch a widget. A result for an older state is dropped, and an answer
is taken only while the question it belongs to stands painted on the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from textual import events, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Footer, Static
from textual.worker import Worker, WorkerState, get_current_worker

from diagnoser.case import Answered, Case, Confirmed, Event, PolicyChosen, Redone, State, Undone
from diagnoser.errors import DiagnoserError, UsageError
from diagnoser.kb import NOT_APPLICABLE, KnowledgeBase
from diagnoser.ui import background
from diagnoser.ui import presentation as show
from diagnoser.ui.keys import KEYS, answers
from diagnoser.ui.opening import Opened
from diagnoser.ui.page import Page
from diagnoser.ui.panel import Asked, QuestionPanel
from diagnoser.ui.policy import PolicyScreen
from diagnoser.ui.request import CaseRequest
from diagnoser.ui.search import SearchScreen
from diagnoser.ui.sitting import Sitting
from diagnoser.ui.standing import Standing
from diagnoser.ui.status import Status
from diagnoser.ui.verdict import Choice, Verdict, no_question, verdict
from diagnoser.ui.why import why
from diagnoser.ui.widgets import RowList
from diagnoser.wording import answer_text

if TYPE_CHECKING:
    from diagnoser.advise import Advice


class CaseScreen(Screen[DiagnoserError]):
    """A case from its first question to its end. Dismissed with what is wrong if it cannot be opened."""

    BINDINGS = KEYS

    case: reactive[Case | None] = reactive(None, init=False)
    advice: reactive[Advice | None] = reactive(None, init=False, always_update=True)
    cost_left: reactive[tuple[float, float] | None] = reactive(None, init=False)
    """Expected and worst; None while it is being worked out, too."""
    chosen: reactive[str | None] = reactive(None, init=False)
    """The test that the operator wants to answer in place of the proposed one."""

    def __init__(
        self,
        request: CaseRequest,
        opener: Callable[[CaseRequest], Opened],
        adviser_factory: Callable[[KnowledgeBase], background.Advises],
    ) -> None:
        super().__init__()
        self._request, self._opener, self._adviser_factory = request, opener, adviser_factory
        self._sitting: Sitting | None = None
        self._adviser: background.Advises | None = None
        self._one_at_a_time = Lock()
        self._advised = -1
        """The version of the state that `advice` belongs to."""
        self._problem = ""
        """Why there is no advice for that state."""
        self._would_help: tuple[str, ...] = ()

    @property
    def kb(self) -> KnowledgeBase:
        """The table, once it is read."""
        assert self._sitting is not None  # noqa: S101 - there is no case to act on before
        return self._sitting.kb

    @property
    def up_to_date(self) -> bool:
        """What is shown belongs to the present state."""
        return self._sitting is not None and self._advised == self._sitting.version

    # -- composition ---------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Static(id="top")
        yield QuestionPanel(id="panel")
        yield Standing(id="standing")
        yield Static(id="groups")
        yield Status(id="status")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Paint first, then read."""
        source = self._request.source or str(self._request.resume)
        self._text("#top", Content.styled(f" {show.shorten(source, self.size.width - 2)}", show.STRONG))
        self.panel.rows.focus()
        self.call_after_refresh(self._prepare)

    # -- workers: they hand over messages and nothing else -------------------------------------------------------

    @work(thread=True, group="prepare", exit_on_error=False)
    def _prepare(self) -> None:
        background.prepare(self._request, self._opener, self._adviser_factory, self.post_message)

    @work(thread=True, exclusive=True, group="advise", exit_on_error=False)
    def _advise(self, adviser: background.Advises, version: int, state: State) -> None:
        worker = get_current_worker()
        with self._one_at_a_time:
            background.think(adviser, version, state, self.post_message, lambda: worker.is_cancelled)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """Tell the app of a mistake of the program."""
        if message.state is WorkerState.ERROR:
            self.post_message(background.Broken(message.worker.error))

    # -- messages ------------------------------------------------------------------------------------------------

    @on(background.OpeningFailed)
    def _opening_failed(self, message: background.OpeningFailed) -> None:
        """Leave with what is wrong."""
        self.dismiss(message.error)

    @on(background.TableRead)
    def _table_read(self, message: background.TableRead) -> None:
        """Show what is known without advice."""
        self._sitting = Sitting(message.opened)
        self.status.notices = message.opened.notices
        self._follow(self._sitting)
        self._place_figures()
        self.panel.title = "preparing the first question"
        self._say("getting ready; only the very first time this takes some seconds", passing=False)

    @on(background.AdviserReady)
    def _adviser_ready(self, message: background.AdviserReady) -> None:
        """Ask for the first question."""
        self._adviser = message.adviser
        if message.adviser.notice:
            self.status.notices += (message.adviser.notice,)
            self.status.place()
        self._think()

    @on(background.AdviceReady)
    def _advice_ready(self, message: background.AdviceReady) -> None:
        """Show it, unless the case has moved on."""
        sitting = self._sitting
        if sitting is None or message.version != sitting.version:
            return
        sitting.propose(message.advice.proposal)
        self._follow(sitting)
        if self.advice is None:
            self.status.hush()
        self._advised, self._problem = message.version, ""
        self.set_reactive(CaseScreen.cost_left, None)  # the figure of the state before
        self._would_help = message.would_help
        self.advice = message.advice

    @on(background.CostReady)
    def _cost_ready(self, message: background.CostReady) -> None:
        """Fill it in, unless the case has moved on."""
        if self._sitting is not None and message.version == self._sitting.version:
            self.cost_left = message.cost

    @on(background.AdviceFailed)
    def _advice_failed(self, message: background.AdviceFailed) -> None:
        """Say why there is no advice, and what can be done."""
        sitting = self._sitting
        if sitting is not None and message.version == sitting.version:
            self._follow(sitting)
            self.status.hush()
            self._advised, self._problem = message.version, str(message.error)
            self._place_panel()

    # -- changes of the case -------------------------------------------------------------------------------------

    def _change(self, event: Event, echo: str) -> None:
        if self._sitting is None:
            return
        try:
            self._sitting.change(event)
        except UsageError as error:
            self._say(str(error))
            return
        self._follow(self._sitting)
        self.chosen = None
        self.panel.wait()
        self._say(echo)
        self._think()

    def _follow(self, sitting: Sitting) -> None:
        self.case = sitting.case
        self.status.saved(sitting.path, sitting.unsaved)

    def _think(self) -> None:
        if self._adviser is not None and self._sitting is not None:
            self._advise(self._adviser, self._sitting.version, self._sitting.case.state)

    def _answer(self, outcomes: tuple[str, ...]) -> None:
        asked = self.panel.shown
        if self.panel.waiting or not isinstance(asked, Asked) or self.case is None:
            return
        answer = Answered(asked.test.id, outcomes)
        if answer == self.case.state.answer_to(answer.test):
            self.action_back()
            self._say("that is the answer already")
            return
        self._change(answer, f"{asked.test.title}: {answer_text(self.kb, answer)} – z undoes")

    def _take(self, row: object) -> None:
        match row:
            case show.OutcomeRow(outcome=outcome):
                self._answer(() if outcome is None else (outcome,))
            case Choice(event=None, test=test):
                self.chosen = test
            case Choice(event=event, label=label) if event is not None:
                self._change(event, f"{label} – z undoes")

    # -- keys and mouse ------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Refuse what was typed before the present question was painted."""
        answering = answers(self.active_bindings.get(event.key), self.panel.rows)
        if answering and not self.panel.accepts(event):
            event.stop()
            event.prevent_default()
            self._say(f"too early, not taken: {event.key}")

    @on(RowList.Chosen, "#outcomes")
    def _outcome_chosen(self, message: RowList.Chosen) -> None:
        if self.panel.waiting or not any(row is message.row for row in self.panel.rows.rows):
            return
        if self.panel.marked:
            self._answer(self.panel.marked)
        else:
            self._take(message.row)

    @on(RowList.Chosen, "#answers")
    def _answer_chosen(self, message: RowList.Chosen) -> None:
        if isinstance(message.row, show.AnswerRow):
            self.chosen = message.row.test
            self.panel.rows.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Undo and redo are dim, and do nothing, where there is nothing to take back."""
        case = self.case
        dim = {"undo": case is None or not case.can_undo, "redo": case is None or not case.can_redo}
        return None if dim.get(action) else True

    def action_answer(self, place: int) -> None:
        """A digit: commit the outcome, or mark it when others are marked."""
        row = self.panel.row(place)
        if row is None:
            self._say("no such answer here")
        elif self.panel.marked:
            self._mark(row)
        else:
            self._take(row)

    def action_mark(self) -> None:
        """Mark the highlighted outcome."""
        if not self.panel.waiting:
            self._mark(self.panel.rows.row)

    def _mark(self, row: object) -> None:
        self.panel.mark(row)
        if self.panel.marked:
            self._say(f"{len(self.panel.marked)} marked – Enter takes them, space unmarks", passing=False)
        else:
            self.status.hush()

    def action_unknown(self) -> None:
        """Could not tell: the test is spent."""
        self._answer(())

    def action_not_applicable(self) -> None:
        """The question makes no sense here."""
        asked = self.panel.shown
        if not isinstance(asked, Asked):
            return
        if asked.test.outcome_index(NOT_APPLICABLE) is None:
            self._say("this test applies to everything in the table")
            return
        self._answer((NOT_APPLICABLE,))

    def action_confirm(self) -> None:
        """Close the case with what was found, or say why it cannot be closed yet."""
        if self.panel.waiting or self.case is None or self.advice is None:
            return
        choices = self.panel.shown.choices if isinstance(self.panel.shown, Verdict) else ()
        confirm = next((choice for choice in choices if isinstance(choice.event, Confirmed)), None)
        left = len(self.advice.candidates)
        if confirm is not None:
            self._take(confirm)
        elif self.case.state.closed:
            self._say("the case is closed already – z takes that back")
        elif left > 1:
            self._say(f"{left} {self.kb.hypotheses_word} are left; c confirms when there is one")
        elif left == 0:
            self._say(f"no {self.kb.hypothesis_word} is left to confirm")

    def action_groups(self) -> None:
        """Every group that is still open, with its warning and what to do."""
        if self.advice is None:
            return
        text = show.groups_page(self.kb, self.advice)
        if text:
            self.app.push_screen(Page("OPEN GROUPS", text))
        else:
            self._say("none of those left is in a group")

    def action_undo(self) -> None:
        """Take the last change back."""
        self._change(Undone(), "undone – r redoes")

    def action_redo(self) -> None:
        """Take the last undo back."""
        self._change(Redone(), "done again – z undoes")

    def action_edit(self) -> None:
        """Go to the answers."""
        if self.case is not None and self.case.state.answers:
            self.query_one(Standing).answers.focus()
            self._say("choose the answer to change, then Enter")
        else:
            self._say("no answer to edit yet")

    def action_back(self) -> None:
        """To the proposed test."""
        self.chosen = None
        self.panel.rows.focus()

    def action_choose_test(self, how: str) -> None:
        """Choose a test, by "typing" or from the "ranking"."""
        if self.case is None:
            return

        def choose(test: str | None) -> None:
            if test is not None:
                self.chosen = test

        self.app.push_screen(SearchScreen(self.kb, self._listed(), typing=how == "typing"), choose)

    def _listed(self) -> list[show.ListedTest]:
        assert self.case is not None  # noqa: S101 - there is a table
        return show.listed_tests(self.kb, self.case.state, self._current)

    def action_why(self) -> None:
        """How the test in the panel splits what is left."""
        asked = self.panel.shown
        if self.case is None or self.advice is None or not isinstance(asked, Asked):
            self._say("there is no question to explain")
            return
        self.app.push_screen(
            Page("WHY THIS TEST", why(self.kb, self.case.state, self.advice, asked.test, asked.ranked))
        )

    def action_policy(self) -> None:
        """Choose another policy."""
        if self.case is None:
            return
        now = self.case.state.settings.policy

        def choose(policy: str | None) -> None:
            if policy is not None and policy != now:
                self._change(PolicyChosen(policy), f"policy {policy} – z undoes")

        self.app.push_screen(PolicyScreen(now), choose)

    # -- what is shown -------------------------------------------------------------------------------------------

    @property
    def _current(self) -> Advice | None:
        return self.advice if self.up_to_date and not self._problem else None

    @property
    def panel(self) -> QuestionPanel:
        """The question or the verdict."""
        return self.query_one(QuestionPanel)

    @property
    def status(self) -> Status:
        """Warnings and echoes."""
        return self.query_one(Status)

    def watch_case(self, case: Case) -> None:
        """The list of answers, and whether there is a way back or forth."""
        self.query_one(Standing).show_answers(self.kb, case.state.answers)
        self.refresh_bindings()

    def watch_advice(self, advice: Advice) -> None:
        """All that depends on who is left."""
        self.query_one(Standing).show_candidates(self.kb, advice.candidates)
        self._place_figures()
        self._place_panel()
        if isinstance(self.app.screen, SearchScreen):
            self.app.screen.renew(self._listed())

    def watch_cost_left(self) -> None:
        """The end of the top line."""
        self._place_figures()

    def watch_chosen(self, chosen: str | None) -> None:
        """Another test, or back to the proposed one."""
        if chosen is not None:
            self.status.hush()
        self._place_panel()

    def on_resize(self) -> None:
        """Fit the text to the new width."""
        if self.case is not None:
            self._place_figures()
            self._place_panel()
            self.status.place()

    def _place_figures(self) -> None:
        self._text("#top", show.top_line(self.kb, self.advice, self.cost_left, self.size.width))
        lines = show.group_lines(self.kb, self.advice, self.size.width) if self.advice else []
        self._text("#groups", Content("\n").join(lines) if lines else None)

    def _place_panel(self) -> None:
        if self.case is None:
            return
        state, advice = self.case.state, self._current
        ranked = {test.test: test for test in advice.tests} if advice else {}
        left = len(advice.candidates) if advice else None
        if self.chosen is not None:
            test, by_operator = self.chosen, True
        elif advice is not None and advice.status == "open" and advice.proposal and not state.closed:
            test, by_operator = advice.proposal.test, False
        elif advice is not None:
            self.panel.conclude(verdict(self.kb, state, advice, self._would_help))
            return
        elif self._problem and self.up_to_date:
            self.panel.conclude(no_question(self.kb, state, self._problem))
            return
        else:
            self.panel.wait()
            return
        asked = Asked(self.kb.tests[self.kb.test_index[test]], ranked.get(test), by_operator)
        self.panel.ask(self.kb, asked, left, state.answer_to(test), state.settings.policy)

    def _say(self, text: str, *, passing: bool = True) -> None:
        self.status.say(text, passing=passing)

    def _text(self, selector: str, text: Content | None) -> None:
        place = self.query_one(selector, Static)
        place.update(text or Content(""))
        place.display = text is not None

    # -- leaving -------------------------------------------------------------------------------------------------

    def leave(self) -> str:
        """Close the session's file. Returns where the case is saved, in a line for the terminal."""
        return "" if self._sitting is None else self._sitting.leave()
