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
    assert reading.left_out == (
        "the weight of 1 row: rows with names are no cases to be counted",
        'attribute "seen": dates are no outcomes',
    )
    assert [h.prior for h in kb.hypotheses] == pytest.approx([1 / 3] * 3)
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


def test_a_row_counts_as_often_as_its_weight_says(tmp_path: Path) -> None:
    text = CLASSES.replace("rainy,30,yes", "rainy,30,yes, {5}").replace("{1 10}", "{1 10}, { 0.5 }")
    kb = opened(tmp_path, text).kb
    assert [(h.id, h.prior) for h in kb.hypotheses] == [("yes", pytest.approx(7.5 / 8.5)), ("no", 1 / 8.5)]
    assert dict(kb.cell(0, 0).outcomes) == pytest.approx({0: 2.5 / 7.5, 1: 5 / 7.5})
    assert "2 rows with a weight: it says how many cases the row stands for" in kb.notices
    assert 'rows are read as cases of "play"' in kb.notices
    unweighted = opened(tmp_path, text.replace(", {5}", " {1}").replace(", { 0.5 }", "")).kb  # no comma, as WEKA has it
    assert [h.prior for h in unweighted.hypotheses] == [0.8, 0.2]


def test_a_quoted_question_mark_is_a_value(tmp_path: Path) -> None:
    text = "@relation r\n@attribute n string\n@attribute a {yes,'?',no}\n@data\nx,yes\ny,'?'\nz,?\n"
    kb = opened(tmp_path, text).kb
    assert [(o.id, o.label) for o in kb.tests[0].outcomes] == [("yes", "yes"), ("(?)", "?"), ("no", "no")]
    assert kb.code(1, 0) == 1
    assert kb.cell(2, 0).unknown


def test_all_that_weka_reads(tmp_path: Path) -> None:
    plain = opened(tmp_path, CLASSES)
    text = """% WEKA does not mind any of this
  @Relation\tweather % of today
@attribute\toutlook\t{sunny,\trainy,} % the last comma too
@ATTRIBUTE 'heat' real % in degrees
@attribute play{yes, no}
@data % here
sunny\t20\tyes
rainy , 30\t, yes % a comment
sunny,?,no
 sunny, 25, "yes"
 { 1\t10 } % sparse
"""
    reading = opened(tmp_path, text)
    assert reading.kb.fingerprint == plain.kb.fingerprint
    assert reading.left_out == plain.left_out == ()


def test_commas_braces_and_comments_within_quotes(tmp_path: Path) -> None:
    text = """@relation r
@attribute n string
@attribute a {x,'a, {b} % c',"d}e\\"f"}
@data
{0 'p, q', 1 'a, {b} % c'}
{0 "r % s", 1 "d}e\\"f"}
{0 t}
"""
    kb = opened(tmp_path, text).kb
    assert [h.id for h in kb.hypotheses] == ["p, q", "r % s", "t"]
    assert [o.label for o in kb.tests[0].outcomes] == ["x", "a, {b} % c", 'd}e"f']
    assert [kb.code(row, 0) for row in range(3)] == [1, 2, 0]


def test_what_follows_a_type_is_said(tmp_path: Path) -> None:
    text = CLASSES.replace("heat real", "heat real [0,50]").replace("{yes, no}", "{yes, no} {0.5}")
    assert opened(tmp_path, text).left_out == (
        'attribute "heat": "[0,50]" behind its type is not read',
        'attribute "play": "{0.5}" behind its type is not read',
    )


def test_a_line_end_within_a_value(tmp_path: Path) -> None:
    text = "@relation r\n@attribute n string\n@attribute a {x,y}\n@data\n'two\\nlines',x\n'a\\\\n',y\n"
    assert [h.id for h in opened(tmp_path, text).kb.hypotheses] == ["two lines", "a\\n"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("rainy,30,yes", "rainny,30,yes", 'line 7, column "outlook", value "rainny": .*; did you mean "rainy"'),
        ("rainy,30,yes", "rainy,hot,yes", 'line 7, column "heat", value "hot": this is no number'),
        ("rainy,30,yes", "rainy,30", "line 7: the row has 2 values for 3 attributes"),
        ("{1 10}", "{9 10}", 'line 10, value "9 10": this is no entry'),
        ("{1 10}", "{1 10", "line 10: a sparse row is opened and never closed"),
        ("{1 10}", "{1 10} yes", 'line 10, column 8, value "yes": text follows the end of the row; take it out'),
        ("{1 10}", "{1 10},", 'line 10, column 7, value ",": text follows the end of the row'),
        (
            "{1 10}",
            "{1 10, 1 11}",
            'line 10, column "heat", value "1 11": the row has this attribute already; leave one',
        ),
        ("{1 10}", "{1 10 20}", 'line 10, value "20}": a comma is expected'),
        ("{1 10}", "{1 10,}", "line 10: this is no entry"),
        ("{1 10}", "{1 10, {2}", 'line 10, value "{2": this is no entry'),
        ("{1 10}", "{1 10} {0}", 'column 8, value "0": the weight of the row is no positive number; write it as'),
        ("rainy,30,yes", "rainy,30,yes, {-1}", 'line 7, column 15, value "-1": the weight of the row is no positive'),
        ("rainy,30,yes", "rainy,30,yes, {1} x", 'line 7, column 15, value "[{]1[}] x": text follows'),
        ("rainy,30,yes", "rainy,'?',yes", 'column "heat", value "[?]": this is no number'),
        ("rainy,30,yes", "'?',30,yes", 'column "outlook", value "[?]": the attribute has no such value'),
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
