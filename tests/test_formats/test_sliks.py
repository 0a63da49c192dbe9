"""SLIKS keys: the sample by eye, and what is no key."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnoser.errors import BadTable
from diagnoser.formats import open_table, read_table
from tests.conftest import SHARED
from tests.test_formats.fuzzing import into, refuses_or_reads

SHAPES = SHARED / "data" / "foreign" / "sliks" / "shapes.js"


def test_the_sample() -> None:
    if not SHAPES.is_file():
        pytest.skip("the SLIKS sample is not beside the repository")
    reading = read_table(SHAPES)
    kb = reading.kb
    assert kb.title == "Shapes"
    assert [h.id for h in kb.hypotheses] == [
        "Circle", "Square", "Rectangle", "Rhombus", "Triangle", "Regular polygon", 'Half disc, "D" shape',
    ]  # fmt: skip
    assert [t.id for t in kb.tests] == ["Outline", "Number of corners", "Sides all equal", "Right angles", "Drawn as"]
    assert [o.id for o in kb.tests[1].outcomes] == ["none", "three", "four", "five or more"]
    assert kb.cell(0, 0).outcomes == ((1, 1.0),)  # circle: curved
    assert kb.cell(0, 2).unknown  # "?"
    assert kb.cell(0, 4).outcomes == ((0, 0.5), (1, 0.5))  # "12"
    assert [v for v, _ in kb.cell(5, 1).outcomes] == [1, 2, 3]  # "234"
    assert kb.cell(4, 4).outcomes == ((1, 1.0),)  # "2+"
    assert [v for v, _ in kb.cell(6, 1).outcomes] == [0, 1]  # "12"
    assert reading.left_out == ("links of 1 item: they are no answers",)


TINY = """var dataset = "<h1>Tiny</h1>"; // a key
var chars = [["Name"], ["CAT2|Wings \\u0026 legs", 'a', 'b'],
  ["Size", "1", "2", "3", "4", "5", "6", "7", "8", "9", "ten"]];
/* many
lines */
var items = [[""], ["ant", "12", "10"], ["bee", 1, "2 10", ""], ["cat", "", "?"]];
"""


def put(place: Path, text: str) -> Path:
    path = place / "key.js"
    path.write_text(text, "utf-8")
    return path


def test_a_tiny_key(tmp_path: Path) -> None:
    kb = open_table(put(tmp_path, TINY))
    assert [t.id for t in kb.tests] == ["Wings & legs", "Size"]
    assert [v for v, _ in kb.cell(0, 0).outcomes] == [0, 1]
    assert kb.cell(0, 1).outcomes == ((9, 1.0),)  # 10 is the tenth, not 1 and 0
    assert [v for v, _ in kb.cell(1, 1).outcomes] == [1, 9]
    assert kb.cell(2, 0).unknown
    assert kb.cell(2, 1).unknown


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"12", "10"', '"13", "10"', r'line 6, value "13": this is no cell of a character with 2 states'),
        ('["bee", 1, "2 10", ""]', '["bee", 1]', 'line 6, value "bee": the item has 1 cells for 2 characters'),
        ('"ant"', '"bee"', "the hypothesis stands in line 6 already"),
        ('["cat", "", "?"]];', '["cat", "", "?"]', "an array is opened and never closed"),
        ('["Name"]', "[alert()]", r'line 2, value "\("'),
        ("var items", "var item", 'there is no array "items"'),
        ("'a'", "'a", 'line 2, value "b": this does not belong'),
        ("'b']", "'b]", "line 2: a text is opened and never closed"),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(BadTable, match=words):
        open_table(put(tmp_path, TINY.replace(old, new)))


def test_brackets_a_million_deep(tmp_path: Path) -> None:
    with pytest.raises(BadTable, match="does not belong"):
        open_table(put(tmp_path, "var chars = " + "[" * 1_000_000))


def test_mutants(tmp_path: Path) -> None:
    path = tmp_path / "key.js"
    assert refuses_or_reads(lambda: read_table(path), into(path), [TINY.encode()], seed=5) > 0


def test_an_entry_left_out_between_commas_keeps_its_place(tmp_path: Path) -> None:
    chars = 'var chars = [["Name"], ["a", "x", "y"], ["b", "x", "y"], ["c", "x", "y"]];\n'
    kb = open_table(put(tmp_path, chars + 'var items = [["Name"], ["A", "1",, "2", ""], ["B", 2, 1, 1,]];\n'))
    assert [kb.cell(0, test).unknown for test in range(3)] == [False, True, False]
    assert kb.cell(0, 2).outcomes == ((1, 1.0),)
    assert [kb.cell(1, test).outcomes for test in range(3)] == [((1, 1.0),), ((0, 1.0),), ((0, 1.0),)]
