"""BIF networks: one root and several, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnoser.errors import BadTable
from diagnoser.formats import open_table, read_table
from diagnoser.kb import KnowledgeBase
from tests.test_formats.fuzzing import into, refuses_or_reads

ONE = """network "colds" { property author me ; }
variable illness { type discrete [ 3 ] { flu, cold, none }; }
variable fever { type discrete [ 2 ] { yes, no }; property position = (1, 2) ; }
variable cough { type discrete [ 2 ] { yes, no }; }
probability ( illness ) { table 0.2, 0.3, 0.5; } // prior
probability ( fever | illness ) {
  (flu) 0.9, 0.1;
  (none) 0, 1;
  default 0.25, 0.75;
}
probability ( cough | illness ) { table 0.5, 0.6, 0.1, 0.5, 0.4, 0.9; }
"""
MANY = """variable a { type discrete [ 2 ] { present, absent }; }
variable b { type discrete [ 2 ] { present, absent }; }
variable unused { type discrete [ 2 ] { x, y }; }
variable pain { type discrete [ 2 ] { yes, no }; }
probability ( a ) { table 0.2, 0.8; }
probability ( b ) { table 0.5, 0.5; }
probability ( unused ) { table 0.5, 0.5; }
probability ( pain | a, b ) {
  (present, present) 0.99, 0.01;
  (present, absent) 0.75, 0.25;
  (absent, present) 0.5, 0.5;
  (absent, absent) 0.01, 0.99;
}
"""


def put(place: Path, text: str) -> Path:
    path = place / "net.bif"
    path.write_text(text, "utf-8")
    return path


def shares(kb: KnowledgeBase, row: int, test: int) -> list[float]:
    found = dict(kb.cell(row, test).outcomes)
    return [found.get(v, 0.0) for v in range(len(kb.tests[test].outcomes))]


def test_the_states_of_one_root(tmp_path: Path) -> None:
    kb = open_table(put(tmp_path, ONE))
    assert kb.title == "colds"
    assert [(h.id, h.prior) for h in kb.hypotheses] == [("flu", 0.2), ("cold", 0.3), ("none", 0.5)]
    assert [t.id for t in kb.tests] == ["fever", "cough"]
    assert [shares(kb, row, 0) for row in range(3)] == [[0.9, 0.1], [0.25, 0.75], [0.0, 1.0]]
    assert [shares(kb, row, 1) for row in range(3)] == [[0.5, 0.5], [0.6, 0.4], [0.1, 0.9]]


def test_one_of_several_roots(tmp_path: Path) -> None:
    reading = read_table(put(tmp_path, MANY))
    kb = reading.kb
    assert [h.id for h in kb.hypotheses] == ["a", "b"]
    assert [h.prior for h in kb.hypotheses] == pytest.approx([0.2, 0.8])  # odds of 1/4 and 1
    assert [shares(kb, row, 0) for row in range(2)] == [[0.75, 0.25], [0.5, 0.5]]
    assert reading.left_out == ('variable "unused": no finding depends on it',)
    assert any("exactly one" in notice for notice in kb.notices)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("0.9, 0.1", "0.9, 0.2", 'line 7, value "fever": the probabilities sum to 1.1, not to 1'),
        ("(flu) 0.9, 0.1", "(flue) 0.9, 0.1", 'line 7, value "flue": these are no states'),
        ("default 0.25, 0.75;", "", 'line 3, value "fever": 2 of 3 distributions are given'),
        ("[ 3 ]", "[ 4 ]", 'line 2, value "illness": 3 states are named, not 4'),
        ("cough | illness", "cough | fever", "cough depend on findings"),
        ("variable cough", "variable fever", 'line 4, value "fever": the variable stands in line 3 already'),
        ("0.1, 0.5, 0.4, 0.9; }\n", "0.1, 0.5, 0.4, 0.9;", "the file ends in the middle"),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = ONE.replace(old, new)
    if "depend on" in words:
        text = text.replace("table 0.5, 0.6, 0.1, 0.5, 0.4, 0.9;", "table 0.5, 0.6, 0.5, 0.4;")
    with pytest.raises(BadTable, match=words):
        open_table(put(tmp_path, text))


@pytest.mark.parametrize("text", [ONE, MANY])
def test_mutants(tmp_path: Path, text: str) -> None:
    path = tmp_path / "net.bif"
    assert refuses_or_reads(lambda: read_table(path), into(path), [text.encode()], seed=9) > 0


def test_the_state_for_present_may_stand_second(tmp_path: Path) -> None:
    """The network of MANY with the states of b the other way round, and its rows unchanged."""
    text = MANY.replace(
        "variable b { type discrete [ 2 ] { present, absent }", "variable b { type discrete [ 2 ] { no, yes }"
    )
    for old, new in (("(present, present)", "(present, yes)"), ("(present, absent)", "(present, no)"),
                     ("(absent, present)", "(absent, yes)"), ("(absent, absent)", "(absent, no)")):  # fmt: skip
        text = text.replace(old, new)
    turned, plain = open_table(put(tmp_path, text)), open_table(put(tmp_path, MANY))
    assert turned.fingerprint == plain.fingerprint


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (MANY.replace("{ present, absent }", "{ s0, s1 }", 1), 'which state of "a" says that it is there: s0, s1'),
        (ONE.replace("(none) 0, 1;", "(flu) 0.2, 0.8;"), 'line 8, value "flu": these states have their probabilities'),
        (ONE.replace("default 0.25", "table 0.9, 0.1, 0.5, 0.1, 0.9, 0.5; default 0.25"), "are given already"),
    ],
)
def test_what_can_be_read_two_ways_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(BadTable, match=says):
        open_table(
            put(tmp_path, text.replace("(present,", "(s0,").replace("(absent,", "(s1,") if "s0" in text else text)
        )
