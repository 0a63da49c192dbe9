"""The case screen, driven by its keys: messages and events first, pictures in test_pictures."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual import events
from textual.content import Content
from textual.widgets import Static

from diagnoser.advise import Advice
from diagnoser.case import Answered, Confirmed, PolicyChosen, Proposed, Redone, State, Undone
from diagnoser.errors import BadTable, UsageError
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import POLICIES
from diagnoser.ui.app import DiagnoserApp
from diagnoser.ui.case import CaseScreen
from diagnoser.ui.request import CaseRequest
from diagnoser.ui.search import SearchScreen
from diagnoser.ui.widgets import RowList

from .conftest import asked, at_rest, changes, make_app, press, settled, text_of, title, until
from .table import CAUSTIC, FUELS, GASES, SPILLS, SlowAdviser, many_hypotheses, many_outcomes

SIZE = (80, 24)


class SlowToAnswer(SlowAdviser):
    """Holds back every advice but the first until it is told to go on."""

    def __init__(self, kb: KnowledgeBase) -> None:
        super().__init__(kb)
        self.go = threading.Event()

    def advise(self, state: State) -> Advice:
        if state.answers:
            assert self.go.wait(10)
        return super().advise(state)


async def test_a_digit_answers_the_proposed_test() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        assert asked(case) == "state"
        case = await press(pilot, "1")
        assert changes(app) == [Answered("state", ("gas",))]
        assert asked(case) == "burns"
        assert "Physical state: gas – z undoes" in text_of(app)


async def test_each_proposal_is_written_once_and_before_it_is_shown() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        app.journal.look = lambda: title(app.screen)  # type: ignore[attr-defined]
        await press(pilot, "1", "w", "escape", "t", "escape")
        proposals = [event.test for event in app.journal.events if isinstance(event, Proposed)]  # type: ignore[attr-defined]
        assert proposals == ["state", "burns"]
        assert "Does it burn" not in app.journal.seen[-1]  # type: ignore[attr-defined]


async def test_the_journal_has_the_answer_before_the_screen_moves() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        answers = case.query_one("#answers", RowList)
        app.journal.look = lambda: f"{len(answers.rows)} answers under {title(case)}"  # type: ignore[attr-defined]
        await press(pilot, "1")
        assert app.journal.seen[-2:] == [  # type: ignore[attr-defined]
            "0 answers under NEXT  What has come out?",
            "1 answers under NEXT  What has come out?",  # the proposal, before its question is shown
        ]


async def test_a_digit_typed_while_advice_is_computed_answers_nothing() -> None:
    adviser = SlowToAnswer(SPILLS)
    app = make_app(adviser=lambda _kb: adviser)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("1")
        await pilot.pause()
        await pilot.press("2", "u", "enter", "space", "n")
        assert changes(app) == [Answered("state", ("gas",))]
        assert "too early" in text_of(app)
        adviser.go.set()
        case = await settled(pilot)
        assert asked(case) == "burns"
        assert changes(app) == [Answered("state", ("gas",))]


async def test_a_key_older_than_the_question_on_screen_does_not_answer_it() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        bounced = events.Key("1", "1")
        await press(pilot, "1")
        app.post_message(bounced)
        await pilot.pause()
        await settled(pilot)
        assert changes(app) == [Answered("state", ("gas",))]


async def test_a_click_older_than_the_question_on_screen_does_not_answer_it() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        early = events.Click(case.panel.rows, 3, 0, 0, 0, 1, False, False, False, 3, 2)
        await press(pilot, "1")
        case.panel.rows.post_message(early)
        await pilot.pause()
        assert changes(app) == [Answered("state", ("gas",))]


async def test_undo_while_waiting_drops_the_advice_that_is_on_its_way() -> None:
    adviser = SlowToAnswer(SPILLS)
    app = make_app(adviser=lambda _kb: adviser)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("1")
        await pilot.press("z")
        adviser.go.set()
        case = await settled(pilot)
        assert asked(case) == "state"
        assert case.case is not None
        assert case.case.state.answers == ()


async def test_a_click_answers() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.click("#outcomes", offset=(5, 1))
        await settled(pilot)
        assert changes(app) == [Answered("state", ("liquid",))]


async def test_arrows_and_enter_answer() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "down", "down", "enter")
        assert changes(app) == [Answered("state", ("solid",))]


async def test_unknown_spends_the_test_and_rules_nothing_out() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        case = await press(pilot, "u")
        assert changes(app) == [Answered("state")]
        assert asked(case) != "state"
        assert "10 of 10 left" in text_of(app)


async def test_space_marks_several_and_enter_takes_them() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        case = await press(pilot, "space", "3", "down", "space", "space")
        assert case.panel.marked == ("gas", "solid")
        assert "2 marked" in text_of(app)
        case = await press(pilot, "2")
        assert "3 marked" in text_of(app)
        case = await press(pilot, "2")
        assert "2 marked" in text_of(app)
        assert changes(app) == []
        await press(pilot, "enter")
        assert changes(app) == [Answered("state", ("gas", "solid"))]


async def test_does_not_apply_only_where_the_test_has_it() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "n")
        assert changes(app) == []
        case = await press(pilot, "u", "u", "u")
        assert asked(case) == "flash"
        await press(pilot, "3")  # that row has a letter, not a digit
        assert len(changes(app)) == 3
        await press(pilot, "n")
        assert changes(app)[-1] == Answered("flash", ("n/a",))


async def test_undo_and_redo_are_events_and_lead_back_and_forth() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        case = await press(pilot, "1", "1", "z")
        assert asked(case) == "burns"
        case = await press(pilot, "z", "r")
        assert asked(case) == "burns"
        assert changes(app)[2:] == [Undone(), Undone(), Redone()]
        await press(pilot, "z", "z", "z")
        assert changes(app)[5:] == [Undone()]  # there was one answer to take back


async def test_undo_and_redo_are_offered_only_where_they_lead_somewhere() -> None:
    app = make_app()

    def offered(case: CaseScreen) -> tuple[bool, bool]:
        return case.active_bindings["z"].enabled, case.active_bindings["r"].enabled

    async with app.run_test(size=SIZE) as pilot:
        assert offered(await press(pilot)) == (False, False)
        assert offered(await press(pilot, "1")) == (True, False)
        assert offered(await press(pilot, "z")) == (False, True)


async def test_a_remapped_key_is_refused_while_advice_is_computed_too() -> None:
    adviser = SlowToAnswer(SPILLS)
    app = make_app(adviser=lambda _kb: adviser)
    app.set_keymap({"case.unknown": "x"})
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("1")
        await pilot.pause()
        await pilot.press("x")
        assert "too early, not taken: x" in text_of(app)
        adviser.go.set()
        await press(pilot, "x")
        assert changes(app) == [Answered("state", ("gas",)), Answered("burns")]


class SlowToCost(SlowAdviser):
    """Says what is asked at once and what it may cost when it is told to; the n-th figure is n."""

    def __init__(self, kb: KnowledgeBase) -> None:
        super().__init__(kb)
        self.go, self.begun = threading.Event(), 0

    def cost_left(self, state: State) -> tuple[float, float] | None:
        self.begun += 1
        mine = float(self.begun)
        assert self.go.wait(10)
        return mine, mine


async def test_the_question_stands_before_the_cost_to_come_is_known_and_an_old_figure_is_dropped() -> None:
    adviser = SlowToCost(SPILLS)
    app = make_app(adviser=lambda _kb: adviser)
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        assert asked(case) == "state"
        assert "to go" not in text_of(app)
        await until(pilot, lambda: adviser.begun == 1)
        await pilot.press("1")
        figures: list[object] = []
        case.watch(case, "cost_left", lambda figure: figures.append(figure), init=False)
        adviser.go.set()
        await at_rest(pilot)
        assert figures == [(2.0, 2.0)]
        assert "about 2 min to go (worst 2)" in text_of(app)
        assert asked(case) == "burns"


async def test_at_the_end_there_is_no_cost_to_come() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await at_rest(pilot)
        assert "about 3.2 min to go (worst 9)" in text_of(app)
        await press(pilot, "1", "2")
        await at_rest(pilot)
        assert "to go" not in text_of(app).splitlines()[0]


async def test_search_answers_another_test_than_the_proposed() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "slash")
        assert isinstance(app.screen, SearchScreen)
        case = await press(pilot, *"paper", "enter")
        assert asked(case) == "ph"
        assert title(case).startswith("ANSWER")
        case = await press(pilot, "2")
        assert changes(app) == [Answered("ph", ("neutral",))]
        assert title(case).startswith("NEXT")


async def test_escape_goes_back_to_the_proposed_test() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        case = await press(pilot, "slash", *"paper", "enter", "escape")
        assert asked(case) == "state"
        assert changes(app) == []


async def test_the_ranked_list_shows_scores_costs_and_who_stays() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "1", "t")
        shown = text_of(app)
        assert "1 Burns" in shown
        assert "yes 2 · no 1" in shown
        assert "answered: gas" in shown
        case = await press(pilot, "down", "enter")
        assert asked(case) == "ph"


async def test_any_earlier_answer_can_be_given_again() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        case = await press(pilot, "1", "2", "e", "enter")
        assert asked(case) == "state"
        assert "now" in text_of(app)
        case = await press(pilot, "2")
        assert changes(app)[-1] == Answered("state", ("liquid",))
        assert case.case is not None
        assert [answer.test for answer in case.case.state.answers] == ["state", "burns"]


async def test_why_tells_the_split_and_what_the_policy_promises() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "1", "w")
        shown = text_of(app)
        assert "2 stay    67 %" in shown
        assert "0.92 of the 1.58 bits" in shown  # the entropy of 2/3 and 1/3, of three alike
        assert f"Guarantee: {POLICIES['gain'].guarantee[:30]}" in shown


async def test_why_of_a_test_that_helps_nobody_and_where_a_column_comes_from() -> None:
    """No gas has a flash point."""
    tests = tuple(replace(test, provenance="hand") if test.id == "ph" else test for test in SPILLS.tests)
    app = make_app(replace(SPILLS, tests=tests))
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "1", "slash", *"flash", "enter", "w")
        assert "It tells none of the 3 left apart, whatever the answer." in text_of(app)
        await press(pilot, "escape", "slash", *"paper", "enter", "w")
        assert "How to: Hold it with tongs; do not touch the liquid." in text_of(app)
        assert "Its column: written by hand" in text_of(app)


async def test_advice_that_cannot_be_given_says_why_and_undo_leads_back() -> None:
    class Refusing(SlowAdviser):
        def advise(self, state: State) -> Advice:
            if state.answers:
                raise UsageError("sparse is for tables without needs")
            return super().advise(state)

    app = make_app(adviser=Refusing)
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        assert asked(case) == "state"
        await pilot.press("1")
        await until(pilot, lambda: "sparse is for tables without needs" in text_of(app))
        await pilot.press("z")
        case = await settled(pilot)
        assert asked(case) == "state"
        assert changes(app) == [Answered("state", ("gas",)), Undone()]


async def test_another_policy_can_be_chosen() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "p", "down", "enter")
        assert changes(app) == [PolicyChosen("odtn-r")]
        assert app.journal.events[-1].policy == "odtn-r"  # type: ignore[attr-defined]
        assert "odtn-r ─╯" in text_of(app)


async def test_a_resumed_case_goes_on_where_it_was() -> None:
    proposal = Proposed("burns", 2 / 3, "gain")
    app = make_app(events=[Answered("state", ("gas",)), proposal])
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        assert asked(case) == "burns"
        assert app.journal.events == []  # type: ignore[attr-defined]


async def test_markup_in_a_name_is_shown_as_it_is() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3", "2")
        assert "[bold]x[/]" in text_of(app)
        case = await press(pilot, "2")
        assert title(case) == r"FOUND  \[bold]x\[/]"  # Textual gives titles back escaped
        assert "FOUND  [bold]x[/]" in text_of(app)
        await press(pilot, "1")
        assert "CONFIRMED  [bold]x[/]" in text_of(app)


async def test_thirty_outcomes_ten_by_key_all_by_arrows() -> None:
    app = make_app(many_outcomes(30))
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        assert case.panel.rows.size.height < 30  # it scrolls
        await press(pilot, "0")
        assert changes(app) == [Answered("shade", ("shade9",))]
        await press(pilot, "z", *["down"] * 25)
        assert "shade25" in text_of(app)
        await press(pilot, "enter")
        assert changes(app)[-1] == Answered("shade", ("shade25",))


async def test_of_five_thousand_hypotheses_only_those_in_sight_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    from diagnoser.ui import standing

    drawn: list[object] = []
    real: Callable[..., Any] = standing.draw_candidate
    monkeypatch.setattr(standing, "draw_candidate", lambda kb, c, *rest: drawn.append(c) or real(kb, c, *rest))
    app = make_app(many_hypotheses(5000))
    async with app.run_test(size=SIZE) as pilot:
        case = await settled(pilot)
        assert "5000 of 5000 left" in text_of(app)
        assert len(set(drawn)) < 24
        case.query_one("#candidates").focus()
        await press(pilot, "end")
        assert "stone 4999" in text_of(app)
        await press(pilot, "1")
        assert "2500 of 5000 left" in text_of(app)
        assert len(set(drawn)) < 100


async def test_a_table_that_cannot_be_read_ends_the_app_with_its_line_and_code() -> None:
    def opener(request: CaseRequest) -> Any:
        raise BadTable("spills.csv", "the row is too short", "add a cell", line=3)

    app = DiagnoserApp(CaseRequest("spills.csv"), SlowAdviser, opener)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.return_value is not None)
    assert app.return_value == 3
    assert app.farewell == "spills.csv, line 3: the row is too short; add a cell"


async def test_help_lists_every_binding_of_the_screen() -> None:
    app = make_app()
    async with app.run_test(size=(80, 60)) as pilot:
        case = await settled(pilot)
        await press(pilot, "question_mark")
        shown = text_of(app)
        for bindings in case._bindings.key_to_bindings.values():
            for binding in bindings:
                if binding.id is not None:
                    assert binding.description in shown, binding.id
                    assert binding.tooltip, binding.id


@pytest.mark.parametrize("width", [40, 60, 80, 140])
async def test_no_line_is_longer_than_its_place(width: int) -> None:
    wordy = replace(SPILLS, title="Everything that was ever spilled between here and the far side of the river")
    wordy = replace(wordy, tests=(replace(wordy.tests[0], name="What it looks like " * 5), *wordy.tests[1:]))
    app = make_app(wordy)
    async with app.run_test(size=(width, 24)) as pilot:
        case = await press(pilot, "1")
        for name in ("top", "groups", "echo"):
            place = case.query_one(f"#{name}", Static)
            content = place.content
            assert isinstance(content, Content)
            lines = content.split()
            assert lines
            assert max(line.cell_length for line in lines) <= place.content_region.width, name
            assert len(lines) == place.content_region.height, name


async def test_a_new_size_is_filled_without_a_new_answer() -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "1")
        await pilot.resize_terminal(120, 40)
        case = await settled(pilot)
        assert asked(case) == "burns"
        assert changes(app) == [Answered("state", ("gas",))]
        await press(pilot, "1")
        assert changes(app)[-1] == Answered("burns", ("yes",))


async def test_the_command_palette_changes_the_theme() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "ctrl+p", *"theme")
        await until(pilot, lambda: "Change the current theme" in text_of(app))
        await press(pilot, "escape", "1")
        assert changes(app) == [Answered("state", ("gas",))]


async def test_c_says_why_nothing_can_be_confirmed_yet() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "c")
        assert "10 substances are left; c confirms when there is one" in text_of(app)
        assert changes(app) == []
        await press(pilot, "1", "2", "c", "c")
        assert "the case is closed already" in text_of(app)
        assert changes(app)[2:] == [Confirmed("chlorine")]


async def test_g_lists_every_open_group_with_what_to_do() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "g")
        shown = text_of(app)
        for group in (GASES, FUELS, CAUSTIC):
            for text in (group.name, group.action, group.warning):
                assert text in shown
        await press(pilot, "g", "1", "g")
        assert "Fuels" not in text_of(app)


async def test_with_every_step_the_candidates_begin_at_the_top() -> None:
    app = make_app(many_hypotheses(300))
    async with app.run_test(size=SIZE) as pilot:
        case = await press(pilot, "2")
        rows = case.query_one("#candidates", RowList)
        assert rows.rows[0].hypothesis == "h150"
        await press(pilot, "z")
        assert (rows.rows[0].hypothesis, rows.highlighted, rows.scroll_offset.y) == ("h0", 0, 0)
        rows.scroll_to(y=40, animate=False)
        await press(pilot, "1")
        assert rows.scroll_offset.y == 0


async def test_help_begins_with_the_answers() -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "question_mark")
        lines = [line.strip("│ ") for line in text_of(app).splitlines() if line.startswith("│")]
        assert lines[0].startswith("1 … 0")
        assert lines[1].startswith("u")
        assert not any("Focus" in line or "Copy" in line for line in lines[:14])


class Forgetful(SlowAdviser):
    """Keeps nothing for the next start, as where no folder can be written."""

    notice = "every start takes \x1b[31mlong"


async def test_that_every_start_takes_long_stands_at_the_foot() -> None:
    app = make_app(adviser=Forgetful)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert "!  every start takes \\x1b[31mlong" in text_of(app)
