"""Rows of text, without a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from diagnoser.advise import Advice, Candidate
from diagnoser.case import Answered, Settings, State
from diagnoser.kb import Hypothesis
from diagnoser.text import printable
from diagnoser.ui import presentation as show
from diagnoser.ui.verdict import verdict
from diagnoser.wording import open_groups

from .table import BURNS, FLASH, PH, SPILLS, SlowAdviser, choice, knowledge_base

START = State(Settings("gain", "unique"))


@given(st.text(), st.integers(0, 40))
def test_fit_fills_the_width_exactly_whatever_the_text(text: str, width: int) -> None:
    assert cell_len(show.fit(text, width)) == width
    assert printable(show.fit(text, width)) == show.fit(text, width)  # no control character is left


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("Chlorine", 8, "Chlorine"),
        ("Chlorine", 7, "Chlori…"),
        ("塩素ガス", 8, "塩素ガス"),
        ("塩素ガス", 7, "塩素ガ…"),
        ("塩素ガス", 6, "塩素…"),  # a wide character is never cut in half
        ("\x1b[31mred", 20, r"\x1b[31mred"),
        ("a\nb\tc", 9, "a b c"),
        ("abc", 0, ""),
    ],
)
def test_shorten(text: str, width: int, shown: str) -> None:
    assert show.shorten(text, width) == shown


@pytest.mark.parametrize(
    ("amount", "unit", "shown"),
    [(2.0, "minutes", "2 min"), (0.5, "minutes", "0.5 min"), (14.4, "minutes", "14 min"), (1.0, "tests", "1 test"),
     (3.0, "tests", "3 tests"), (2.0, "coins", "2 coins"),
     (0.04, "minutes", "0.04 min"), (0.126, "minutes", "0.13 min"), (0.0, "tests", "0 tests")],
)  # fmt: skip
def test_cost(amount: float, unit: str, shown: str) -> None:
    assert show.cost(amount, unit) == shown


def test_top_line_says_all_where_there_is_room_and_drops_the_least_needed_first() -> None:
    advice = SlowAdviser(SPILLS).advise(START)
    known = " Spills   10 of 10 left   3.3 of 3.3 bits open"
    assert show.top_line(SPILLS, advice, None, 80).plain == known
    full = " Spills   10 of 10 left   3.3 of 3.3 bits open   about 3.2 min to go (worst 9)"
    assert show.top_line(SPILLS, advice, (3.2, 9.0), 80).plain == full
    assert show.top_line(SPILLS, advice, (3.2, 9.0), 60).plain == " Spills   10 of 10 left   3.3 of 3.3 bits open"
    assert show.top_line(SPILLS, advice, (3.2, 9.0), 30).plain == " Spills   10 of 10 left"


def test_outcome_rows_have_a_key_each_and_count_those_that_stay() -> None:
    advice = SlowAdviser(SPILLS).advise(START)
    ranked = {test.test: test for test in advice.tests}
    rows = show.outcome_rows(FLASH, ranked["flash"], 10, None)
    assert [(row.key, row.label, row.stay) for row in rows] == [
        ("1", "cool", 1),
        ("2", "warm", 3),
        ("n", "does not apply", 6),
        ("u", "could not tell", 10),
    ]
    silent = show.outcome_rows(PH, ranked["ph"], 10, None)
    assert [row.stay for row in silent] == [3, 5, 4, 10]  # the one that the table is silent on stays each time


def test_the_standing_answer_is_marked() -> None:
    rows = show.outcome_rows(BURNS, None, None, Answered("burns", ("no",)))
    assert [row.standing for row in rows] == [False, True, False]
    assert "now" in show.draw_outcome(rows[1], 76, label_width=14, marked=False).plain


def test_group_lines_name_the_leading_group_its_warning_and_how_many_more() -> None:
    def lines(*candidates: tuple[str, float]) -> list[str]:
        found = tuple(
            Candidate(name, share, SPILLS.hypotheses[SPILLS.hypothesis_index[name]].group) for name, share in candidates
        )
        return [line.plain for line in show.group_lines(SPILLS, Advice("open", found, 1.0, 3.3, None, ()), 80)]

    assert lines(("chlorine", 0.6), ("petrol", 0.3), ("lye", 0.1)) == [
        " !  Toxic gases for 1 of 3 · 2 more groups open (g)",
        "    Stay upwind.",
    ]
    assert lines(("petrol", 0.5), ("diesel", 0.5)) == [" !  Fuels for all 2", "    No open flame within 50 m."]


def test_listed_tests_are_the_ranked_ones_then_the_answered_then_the_rest() -> None:
    state = State(Settings("gain", "unique"), (Answered("state", ("gas",)),))
    rows = show.listed_tests(SPILLS, state, SlowAdviser(SPILLS).advise(state))
    assert [(row.test.id, row.rank) for row in rows] == [("burns", 1), ("ph", 2), ("state", None), ("flash", None)]
    assert [row.test.id for row in show.found_tests(rows, "PAPER wet")] == ["ph"]
    assert [row.test.id for row in show.found_tests(rows, "alkal")] == ["ph"]
    assert [row.test.id for row in show.found_tests(rows, "")] == [row.test.id for row in rows]


def test_a_name_that_begins_with_what_is_typed_goes_before_all_else() -> None:
    tests = [
        choice("a", "hard soft", name="Texture"),
        choice("b", "yes no", name="Feel", question="Is it hard?"),
        choice("c", "yes no", name="Orchard"),
        choice("d", "yes no", name="How hard"),
        choice("e", "yes no", name="Hardness"),
        choice("f", "yes no", name="Colour"),
    ]
    rows = [show.ListedTest(test, None, None, None) for test in tests]
    assert [row.test.id for row in show.found_tests(rows, "Hard")] == ["e", "d", "c", "b", "a"]


def test_of_equally_probable_groups_one_with_a_warning_leads() -> None:
    # 0.1 + 0.2 is not quite 0.3, which must not decide.
    found = [Candidate(h, p, "caustic") for h, p in (("lye", 0.1), ("bleach", 0.2))]
    found += [Candidate("petrol", 0.3, "fuels"), Candidate("chlorine", 0.4, "gases")]
    assert [group.name for group in open_groups(SPILLS, found)] == ["Toxic gases", "Fuels", "Caustics"]
    advice = Advice("open", tuple(found), 1.0, 3.3, None, ())
    assert show.groups_page(SPILLS, advice).plain.splitlines()[:4] == [
        "Toxic gases   1 of 4 left, 40.0 %",
        "!  Stay upwind.",
        "Keep people upwind and call for breathing sets.",
        "",
    ]


@pytest.mark.parametrize(
    ("answers", "stop", "title", "says"),
    [
        ("state=gas burns=no", "unique", "FOUND  chlorine", "also Cl2|Greenish|Keep people upwind|one candidate is"),
        ("state=gas", "group", "ONE GROUP  Toxic gases", 'rule "group": all candidates left are in one group'),
        ("state=solid burns=yes", "unique", "NOTHING SEPARATES THESE 2", "no test is left that would help"),
        ("state=solid burns=yes", "budget:5", "NOTHING IN THE BUDGET SEPARATES THESE 2", "take the cost above 5"),
        ("state=gas burns=no ph=neutral", "unique", "NO CANDIDATE", "no candidate is left"),
    ],
)  # fmt: skip
def test_each_end_says_what_it_is_and_what_stopped_it(answers: str, stop: str, title: str, says: str) -> None:
    pairs = [answer.split("=") for answer in answers.split()]
    state = State(Settings("gain", stop), tuple(Answered(test, (outcome,)) for test, outcome in pairs))
    end = verdict(SPILLS, state, SlowAdviser(SPILLS).advise(state))
    text = "\n".join(line.plain for line in end.lines)
    assert end.title == title
    assert all(part in text for part in says.split("|"))


def test_no_row_is_wider_than_its_place_with_the_worst_of_names() -> None:
    worst = "漢字 with e\u0301 and 👩‍🚒 and \x1b[2J and [red]markup[/] " * 3
    kb = knowledge_base([BURNS], [(Hypothesis("a", worst, 0.5, aliases=(worst,)), "yes"),
                                  (Hypothesis("b", worst, 0.5), "no")], title=worst)  # fmt: skip
    advice = SlowAdviser(kb).advise(START)
    for width in (20, 37, 80):
        assert show.top_line(kb, advice, (3.2, 9.0), width).cell_length <= width
        row = show.draw_candidate(kb, advice.candidates[0], width, 0.5)
        assert row.cell_length <= width
        assert "\x1b" not in row.plain
