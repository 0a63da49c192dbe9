"""ARFF: named rows, cases of a class, sparse rows; worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnoser.errors import BadTable
from diagnoser.formats import read_table
from diagnoser.formats.reading import How, Reading
from tests.test_formats.fuzzing import into, refuses_or_reads

NAMED = """% a comment
@RELATION 'two birds'
@ATTRIBUTE name STRING
@attribute "wing span" numeric
@attribute colour {red,'dark brown',"it\\'s blue"}
@attribute seen date "yyyy-MM-dd"

@DATA
robin, 22.5, red, 2001-01-01
'house sparrow',?,'dark brown',?
wren,15,'it\\'s blue',? , {0.5}
"""
CLASSES = """@relation weather
@attribute outlook {sunny, rainy}
@attribute heat real
@attribute play {yes, no}
@data
sunny,20,yes
rainy,30,yes
sunny,?,no
sunny,25,yes
{1 10}
"""


def opened(place: Path, text: str, **how: str) -> Reading:
    path = place / "a.arff"
    path.write_text(text, "utf-8")
    return read_table(path, How(**how))


def test_rows_with_names(tmp_path: Path) -> None:
    reading = opened(tmp_path, NAMED)
    kb = reading.kb
    assert kb.title == "two birds"
    assert [h.id for h in kb.hypotheses] == ["robin", "house sparrow", "wren"]
    assert [t.id for t in kb.tests] == ["wing span", "colour"]
    assert [kb.cell(row, 0).interval for row in range(3)] == [(22.5, 22.5), None, (15, 15)]
    assert [o.id for o in kb.tests[1].outcomes] == ["red", "dark brown", "it's blue"]
    assert [kb.code(row, 1) for row in range(3)] == [0, 1, 2]
    assert reading.left_out == ('attribute "seen": dates are no outcomes',)
    assert (reading.before.tests, reading.after.tests) == (3, 2)


def test_rows_are_cases_of_the_class(tmp_path: Path) -> None:
    kb = opened(tmp_path, CLASSES).kb
    assert [(h.id, h.prior) for h in kb.hypotheses] == [("yes", 0.8), ("no", 0.2)]
    assert dict(kb.cell(0, 0).outcomes) == {0: 0.75, 1: 0.25}  # the sparse row is sunny and yes, its first values
    assert kb.cell(0, 1).interval == (10, 30)
    assert kb.cell(1, 1).unknown


def test_another_attribute_is_the_diagnosis(tmp_path: Path) -> None:
    kb = opened(tmp_path, CLASSES, cases="outlook").kb
    assert [h.id for h in kb.hypotheses] == ["sunny", "rainy"]
    assert dict(kb.cell(0, 1).outcomes) == {0: 0.75, 1: 0.25}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("rainy,30,yes", "rainny,30,yes", 'line 7, column "outlook", value "rainny": .*; did you mean "rainy"'),
        ("rainy,30,yes", "rainy,hot,yes", 'line 7, column "heat", value "hot": this is no number'),
        ("rainy,30,yes", "rainy,30", "line 7: the row has 2 values for 3 attributes"),
        ("{1 10}", "{9 10}", 'line 10, value "9 10": this is no entry'),
        ("{1 10}", "{1 10", "line 10: a sparse row is opened and never closed"),
        ("heat real", "outlook real", 'line 3, value "outlook": the attribute stands in line 2 already'),
        ("heat real", "heat relational", 'the type "relational" is not read'),
        ("{yes, no}", "{yes, yes}", "its values are not all different"),
        ("@data", "@date", 'line 5, value "@date": this is no declaration'),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(BadTable, match=words):
        opened(tmp_path, CLASSES.replace(old, new))


@pytest.mark.parametrize("text", [NAMED, CLASSES])
def test_mutants(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.arff"
    assert refuses_or_reads(lambda: read_table(path), into(path), [text.encode()], seed=19) > 0
