"""The bridge to the kernels on tables small enough to check by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

import algos.order
import diagnoser.advise
from diagnoser.advise import Adviser, Status
from diagnoser.case import Answered, Case, Event, Excluded, Settings
from diagnoser.errors import UsageError
from tests.tables import yes_no

CODE = {"w": "11", "x": "10", "y": "01", "z": "00"}


def case(*events: Event, policy: str = "gain", stop: str = "unique") -> Case:
    return Case.new(Settings(policy, stop), events)


def test_a_perfect_code_takes_two_questions() -> None:
    advice = Adviser(yes_no(CODE)).advise(case().state)
    assert advice.proposal is not None
    assert advice.proposal.test == "a"  # both are equally good: the first wins
    assert advice.proposal.score == pytest.approx(2 / 3)  # either outcome rules out two of the other three
    assert [(b.outcome, b.probability, b.candidates_left) for b in advice.proposal.branches] == [
        ("yes", 0.5, 2),
        ("no", 0.5, 2),
    ]
    assert Adviser(yes_no(CODE)).cost_left(case().state) == (2, 2)
    assert advice.entropy_bits == advice.entropy_bits_at_start == 2


@pytest.mark.parametrize(
    ("answers", "status", "left"),
    [
        ([Answered("a", ("yes",))], "open", {"w", "x"}),
        ([Answered("a", ("yes",)), Answered("b", ("no",))], "identified", {"x"}),
        ([Answered("a"), Answered("b", ("no",))], "inseparable", {"x", "z"}),
        ([Answered("a", ("yes", "no"))], "open", set(CODE)),
        ([Excluded("w"), Excluded("x"), Answered("a", ("yes",))], "contradiction", set()),
        ([Excluded("w"), Excluded("x"), Excluded("y")], "identified", {"z"}),
    ],
)
def test_status(answers: list[Event], status: Status, left: set[str]) -> None:
    advice = Adviser(yes_no(CODE)).advise(case(*answers).state)
    assert advice.status == status
    assert {c.hypothesis for c in advice.candidates} == left


def test_an_unknown_cell_halves_the_weight_of_a_known_answer() -> None:
    """Prior 1/4 and 3/4; the second gives yes half of the time: 1/4 against 3/8, that is 2/5 and 3/5."""
    advice = Adviser(yes_no({"x": "11", "y": "?0"}, x=0.25, y=0.75)).advise(case(Answered("a", ("yes",))).state)
    assert [(c.hypothesis, pytest.approx(c.posterior)) for c in advice.candidates] == [("y", 0.6), ("x", 0.4)]
    assert advice.entropy_bits == pytest.approx(-(0.4 * math.log2(0.4) + 0.6 * math.log2(0.6)))
    assert Adviser(yes_no({"x": "1", "y": "?"})).advise(case().state).tests[0].silent == 1


@pytest.mark.parametrize(
    ("events", "settings", "words"),
    [
        ([Answered("q", ("yes",))], {}, 'no test "q"'),
        ([Answered("a", ("perhaps",))], {}, 'no outcome "perhaps"; known: yes, no'),
        ([Excluded("v")], {}, 'no hypothesis "v"'),
        ([], {"policy": "best"}, 'no policy is called "best"'),
        ([], {"stop": "never"}, 'no stopping rule is called "never"'),
    ],
)
def test_unknown_names(events: list[Event], settings: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Adviser(yes_no(CODE)).advise(case(*events, **settings).state)


def test_no_cost_is_named_where_nobody_is_left_or_the_tree_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    adviser = Adviser(yes_no(CODE))
    assert adviser.cost_left(case(*map(Excluded, CODE)).state) is None
    monkeypatch.setattr(diagnoser.advise, "NODES_WALKED_AT_ONCE", 6)  # the tree has seven
    assert adviser.cost_left(case().state) is None
    assert adviser.cost_left(case(Answered("a", ("yes",))).state) == (1, 1)


@pytest.mark.parametrize(
    ("settings", "needs", "words"),
    [
        (Settings("sparse", "unique"), (), "sparse:force takes it all the same"),
        (Settings("sparse:force", "posterior:0.9"), (), "stops at one hypothesis or one group only"),
        (Settings("sparse:force", "unique", "tolerance", 1), (), "treats errors strictly"),
        (Settings("sparse:force", "unique"), ((("a", "yes"),),), "is for tables without needs"),
    ],
)
def test_what_sparse_is_not_for(settings: Settings, needs: Any, words: str) -> None:
    kb = yes_no(CODE)
    kb = replace(kb, tests=(kb.tests[0], replace(kb.tests[1], needs=needs)))
    with pytest.raises(UsageError, match=words):
        Adviser(kb).advise(Case.new(settings).state)


def test_a_fixed_order_that_would_take_too_long_names_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algos.order, "fixed_order", partial(algos.order.fixed_order, state_limit=1))
    with pytest.raises(UsageError, match="choose a policy that looks at the answers"):
        Adviser(yes_no(CODE)).advise(case(policy="non-adaptive").state)
