"""CSV in every disguise: encodings, line ends, delimiters, decimal commas, blank columns."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diagnoser.errors import BadTable
from diagnoser.formats import READERS, open_table, read_table
from diagnoser.formats.reading import Tally
from diagnoser.kb import KnowledgeBase
from tests.conftest import SHARED
from tests.test_formats.fuzzing import into, refuses_or_reads

PLAIN = "name,colour,size\nréd ant,rouge,1\nbee,bleu,2\ncat,?,1\n"


def opened(place: Path, data: bytes, name: str = "a.csv") -> KnowledgeBase:
    (place / name).write_bytes(data)
    return open_table(place / name)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_same_table_in_every_disguise(tmp_path: Path, mark: str, encoding: str, end: str) -> None:
    kb = opened(tmp_path, PLAIN.replace("\n", end).replace(",", mark).encode(encoding))
    assert [h.id for h in kb.hypotheses] == ["réd ant", "bee", "cat"]
    assert kb.fingerprint == opened(tmp_path, PLAIN.encode()).fingerprint
    notices = " ".join(opened(tmp_path, PLAIN.replace(",", mark).encode(encoding)).notices)
    assert ("semicolons" in notices, "tabs" in notices) == (mark == ";", mark == "\t")
    assert ("Windows-1252" in notices, "UTF-16" in notices) == (encoding == "cp1252", encoding == "utf-16")


def test_decimal_commas_between_semicolons(tmp_path: Path) -> None:
    kb = opened(tmp_path, b"name;length;kind\ncat;2,5;x\ndog;3,0;y\ncow;2,5..3,5;x\n")
    assert sorted(o.id for o in kb.tests[0].outcomes) == ["2.5", "2.5..3.5", "3.0"]
    assert "decimal commas are read as points, so that 2,5 is 2.5" in kb.notices


def test_commas_that_are_no_decimals_stay(tmp_path: Path) -> None:
    kb = opened(tmp_path, b"name;a\ncat;red, brown\ndog;1,2,3\n")
    assert [o.id for o in kb.tests[0].outcomes] == ["red, brown", "1,2,3"]


def test_blank_columns_in_front_do_not_count(tmp_path: Path) -> None:
    kb = opened(tmp_path, b",,name,a,b\n,,x,1,0\n,,y,0,1\n,,z,?,1\n")
    plain = opened(tmp_path, b"name,a,b\nx,1,0\ny,0,1\nz,?,1\n")
    assert kb.fingerprint == plain.fingerprint
    assert [h.id for h in kb.hypotheses] == ["x", "y", "z"]
    with pytest.raises(BadTable, match="line 3, column 3"):
        opened(tmp_path, b",,name,a,b\n,,x,1,0\n,,x,0,1\n")


def said(place: Path, text: str) -> tuple[str, ...]:
    return opened(place, text.encode()).notices


def test_commas_that_part_thousands_are_no_decimals(tmp_path: Path) -> None:
    kb = opened(tmp_path, b"name;people\na;1,234\nb;1,234,567\n")
    assert [o.id for o in kb.tests[0].outcomes] == ["1,234", "1,234,567"]
    assert "commas in numbers part thousands, as in 1,234,567, and stay as they are" in kb.notices
    kb = opened(tmp_path, b"name;people\na;1,234.5\nb;2\n")
    assert [o.id for o in kb.tests[0].outcomes] == ["1,234.5", "2"]


def test_decimal_commas_that_may_part_thousands_are_said(tmp_path: Path) -> None:
    doubt = "decimal commas are read as points, so that 1,234 is 1.234; take them out if they part thousands"
    assert doubt in said(tmp_path, "name;people\na;1,234\nb;2,345\n")
    plain = "decimal commas are read as points, so that 2,5 is 2.5"
    assert plain in said(tmp_path, "name;people\na;1,234\nb;2,3\n")
    assert plain in said(tmp_path, "name;people\na;0,234\nb;1,345\n")
    kb = opened(tmp_path, b'name;people\na;"2,5"\nb; 3,5 \n')
    assert [o.id for o in kb.tests[0].outcomes] == ["2.5", "3.5"]
    assert plain in kb.notices


def test_points_that_may_part_thousands_are_said(tmp_path: Path) -> None:
    doubt = "points in numbers such as 1.234 stay as they are, though they may part thousands here"
    assert doubt in said(tmp_path, "name;people\na;1.234\nb;2,5\n")
    assert doubt in said(tmp_path, "name;people;a\na;1.234,5;2,5\nb;2.345,5;3,5\n")
    assert doubt not in said(tmp_path, "name;people\na;1.2\nb;2,5\n")


@pytest.mark.parametrize(
    "text",
    [
        "name;length, cm;kind\ncat;2,5;x\ndog;3,0;y\n",
        "name\tcolour, size\ncat\tred, big\ndog\tblue, small\n",
        "name,a,b;;\ncat,1,0;;\ndog,0,1;;\n",
    ],
)
def test_two_marks_in_every_line_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadTable, match=r"line 1: the fields may be divided by commas or by (semicolons|tabs)"):
        opened(tmp_path, text.encode())


def test_quotes_say_which_mark_divides(tmp_path: Path) -> None:
    kb = opened(tmp_path, b'name,"a;b"\ncat,"1;2"\ndog,"2;1"\n')
    assert [t.id for t in kb.tests] == ["a;b"]


@pytest.mark.parametrize("word", ["NULL", "null", "N.A.", "<NA>", "#N/A", "#REF!", "#DIV/0!", "#NAME?"])
def test_words_of_other_programs_for_unknown(tmp_path: Path, word: str) -> None:
    kb = opened(tmp_path, f"name,a\ncat,yes\ndog,no\ncow,{word}\n".encode())
    assert [o.id for o in kb.tests[0].outcomes] == ["yes", "no"]
    assert kb.cell(2, 0).unknown
    assert f'cells "{word}" are read as unknown' in kb.notices


def test_a_formula_that_is_a_text(tmp_path: Path) -> None:
    kb = opened(tmp_path, b'name,a\ncat,"=""yes"""\ndog,no\ncow,"\'=""yes"""\n')
    assert [o.id for o in kb.tests[0].outcomes] == ["yes", "no", '="yes"']


def test_what_looks_alike_is_said(tmp_path: Path) -> None:
    alike = 'column "a": outcomes that look alike but are different texts are kept as different outcomes'
    assert alike in said(tmp_path, "name,a\ncat,yes\u200b\ndog,no\ncow,yes\n")
    assert alike in said(tmp_path, "name,a\ncat,e\u0301\ndog,\u00e9\n")
    assert alike not in said(tmp_path, "name,a\ncat,e\ndog,\u00e9\n")
    equal = 'column "a": equal numbers that are written in two ways, as 1 and 1.0, are kept as different outcomes'
    assert equal in said(tmp_path, "name,a\ncat,1\ndog,1.0\ncow,0\n")
    assert equal not in said(tmp_path, "name,a\ncat,1\ndog,1.5\ncow,0\n")
    assert 'column "a": "\u2013" is read as an outcome, unlike "-"' in said(tmp_path, "name,a\ncat,\u2013\ndog,1\n")
    assert '"cat" and "Cat" look alike and are kept as two' in said(tmp_path, "name,a\ncat,1\nCat,0\n")
    assert '"a" and "A" look alike and are kept as two' in said(tmp_path, "name,a,A\ncat,1,0\ndog,0,1\n")


def test_a_column_of_priors_is_said_to_be_a_test(tmp_path: Path) -> None:
    notices = said(tmp_path, "name,Prior,a\ncat,0.6,yes\ndog,0.4,no\n")
    assert 'column "Prior": is read as a test; a kb.toml can say what else it is' in notices


def test_thousands_of_blank_columns(tmp_path: Path) -> None:
    blank = "," * 16_371
    kb = opened(tmp_path, f"name,a{blank}\ncat,yes{blank}\ndog,no{blank}\n".encode())
    assert [t.id for t in kb.tests] == ["a"]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,a,b\ncat,yes,?\ndog,no,\n")
    reading = read_table(tmp_path / "a.csv")
    assert reading.left_out == ('column "b": no row has a known outcome',)
    assert reading.before == Tally(2, 2, known=2, variable=0, unknown=2, inapplicable=0)
    assert reading.after == Tally(2, 1, known=2, variable=0, unknown=0, inapplicable=0)
    assert reading.lines == {"cat": 2, "dog": 3}


def test_a_transposed_table_is_said(tmp_path: Path) -> None:
    rows = {
        "colour": ["red", "green", "blue", "white"],
        "shape": ["round", "square", "long", "flat"],
        "taste": ["sweet", "sour", "salty", "bitter"],
    }
    names = [f"fruit {n}" for n in range(8)]
    lines = [",".join(["", *names]), *(",".join([test, *(words * 2)]) for test, words in rows.items())]
    kb = opened(tmp_path, "\n".join(lines).encode())
    upright = [["name", *rows], *([name, *(words[n % 4] for words in rows.values())] for n, name in enumerate(names))]
    assert not any("transposed" in notice for notice in kb.notices)  # three rows of four words each: not plain enough
    wide = "\n".join(",".join([f"t{r}", *[f"w{r}" if n % 2 else f"v{r}" for n in range(12)]]) for r in range(6))
    kb = opened(tmp_path, ("name," + ",".join(f"h{n}" for n in range(12)) + "\n" + wide).encode())
    assert any("looks transposed" in notice for notice in kb.notices)
    kb = opened(tmp_path, "\n".join(map(",".join, upright)).encode())
    assert not any("transposed" in notice for notice in kb.notices)


def test_the_table_of_the_paper() -> None:
    path = SHARED / "data" / "wiser_clean.csv"
    if not path.is_file():
        pytest.skip("the WISER table is not beside the repository")
    reading = read_table(path)
    assert (reading.after.hypotheses, reading.after.tests) == (255, 78)
    assert round(reading.after.unknown / (255 * 78), 3) == 0.120
    assert reading.before == reading.after


def test_mutants(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    seeds = [
        PLAIN.encode(),
        PLAIN.replace(",", ";").encode("cp1252"),
        b"x,1,0|1\ny,u,0:0.5|1:0.5\n",
        b"a,b\n+,-\n-,+\n",
    ]
    assert refuses_or_reads(lambda: read_table(path), into(path), seeds, seed=11) > 0


@pytest.mark.parametrize("end", sorted(READERS))
def test_a_line_of_two_gigabytes_is_refused(tmp_path: Path, end: str) -> None:
    path = tmp_path / f"a{end}"
    path.touch()
    os.truncate(path, 2 << 30)  # takes no room on the disk
    with pytest.raises(BadTable, match="the file has more than 500,000,000 bytes"):
        read_table(path)


def test_a_line_without_end_is_refused_or_read_in_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"name,a\ncat," + b"x" * 200_000)
    with pytest.raises(BadTable, match="131,072"):
        read_table(path)
