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
    said = " ".join(opened(tmp_path, PLAIN.replace(",", mark).encode(encoding)).notices)
    assert ("semicolons" in said, "tabs" in said) == (mark == ";", mark == "\t")
    assert ("Windows-1252" in said, "UTF-16" in said) == (encoding == "cp1252", encoding == "utf-16")


def test_decimal_commas_between_semicolons(tmp_path: Path) -> None:
    kb = opened(tmp_path, b"name;length;kind\ncat;2,5;x\ndog;3,0;y\ncow;2,5..3,5;x\n")
    assert sorted(o.id for o in kb.tests[0].outcomes) == ["2.5", "2.5..3.5", "3.0"]
    assert "decimal commas are read as points, so that 2,5 is 2.5" in kb.notices


def test_commas_that_are_no_decimals_stay(tmp_path: Path) -> None:
    kb = opened(tmp_path, b"name;a\ncat;red, brown\ndog;1,2,3\n")
    assert [o.id for o in kb.tests[0].outcomes] == ["red, brown", "1,2,3"]


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
