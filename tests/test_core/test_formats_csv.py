"""Bare CSV files: golden readings by hand, one bad file an error, and tables written at random."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnoser.errors import BadTable
from diagnoser.formats import open_table
from diagnoser.kb import KnowledgeBase
from tests.conftest import SHARED


def read(folder: Path, text: str | bytes) -> KnowledgeBase:
    path = folder / "bare.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return open_table(path)


def said(kb: KnowledgeBase) -> list[list[str]]:
    """Each cell as the ids of its outcomes, "?" for unknown."""
    return [
        [
            "?" if kb.cell(x, e).unknown else "|".join(test.outcomes[v].id for v, _ in kb.cell(x, e).outcomes)
            for e, test in enumerate(kb.tests)
        ]
        for x in range(len(kb.hypotheses))
    ]


def outcomes(kb: KnowledgeBase) -> dict[str, list[str]]:
    return {test.id: [outcome.id for outcome in test.outcomes] for test in kb.tests}


def test_wiser(tmp_path: Path) -> None:
    path = SHARED / "data" / "wiser_clean.csv"
    if not path.exists():
        pytest.skip("../shared/data/wiser_clean.csv is not here")
    rows = [line.split(",") for line in re.split("[\r\n]+", path.read_bytes().decode())[1:]]
    assert (len(rows), {len(row) for row in rows}) == (255, {78})
    unknown = sum(row.count("u") for row in rows)
    assert round(100 * unknown / (255 * 78), 1) == 12.0
    kb = open_table(path)
    assert (len(kb.hypotheses), len(kb.tests)) == (255, 78)
    assert [h.id for h in kb.hypotheses[:2]] == ["H1", "H2"]
    assert [test.id for test in kb.tests] == [str(number) for number in range(78)]
    assert {tuple(labels) for labels in outcomes(kb).values()} == {("1", "0")}
    assert list(kb.codes) == [{"1": 0, "0": 1, "u": -1}[cell] for row in rows for cell in row]
    assert list(kb.codes).count(-1) == unknown
    assert abs(sum(h.prior for h in kb.hypotheses) - 1) < 1e-12


def test_the_symptom_file_has_a_duplicate_column() -> None:
    path = SHARED / "data" / "foreign" / "symptoms" / "cases.csv"
    if not path.exists():
        pytest.skip("../shared/data/foreign is not here")
    with pytest.raises(BadTable, match='line 1, column 118, value "fluid_overload": column 46 has this name too'):
        open_table(path)


def test_words_come_before_other_labels_and_marks_are_unknown(tmp_path: Path) -> None:
    kb = read(
        tmp_path,
        " name , a,b ,c,d,e\r\n"
        "cat ,no,red,?,0,absent\r"
        "dog, yes,Blue,+,1,U\n"
        "cow,NA,RED,-,*,present\n"
        'rat,Unknown,"blue|red",,u,n/a\n'
        "emu,yes|no,red:0.7|Blue:0.3,+|-,1,nan",
    )
    assert [h.name for h in kb.hypotheses] == ["cat", "dog", "cow", "rat", "emu"]
    assert outcomes(kb) == {
        "a": ["yes", "no"],
        "b": ["red", "Blue"],
        "c": ["+", "-"],
        "d": ["1", "0"],
        "e": ["present", "absent"],
    }
    assert said(kb) == [
        ["no", "red", "?", "0", "absent"],
        ["yes", "Blue", "+", "1", "?"],
        ["?", "red", "-", "?", "present"],
        ["?", "red|Blue", "?", "?", "?"],
        ["yes|no", "red|Blue", "+|-", "1", "?"],
    ]
    assert kb.cell(4, 1).outcomes == ((0, 0.7), (1, 0.3))
    assert kb.cell(3, 1).outcomes == ((0, 0.5), (1, 0.5))
    assert 'column "b": "RED" is read as "red"' in kb.notices
    assert 'cells "n/a" are read as unknown' in kb.notices


def test_minus_is_no_beside_plus_and_else_does_not_apply(tmp_path: Path) -> None:
    kb = read(tmp_path, "name,a,b,c\ncat,-,-,-\ndog,+,red,-\ncow,-,blue,?\n")
    assert outcomes(kb) == {"a": ["+", "-"], "b": ["red", "blue", "n/a"], "c": ["+", "-"]}
    assert said(kb) == [["-", "n/a", "-"], ["+", "red", "-"], ["-", "blue", "?"]]
    assert kb.tests[1].applicable == 2
    without = read(tmp_path, "name,b,c\ncat,-,-\ndog,red,-\ncow,blue,?\n")
    assert outcomes(without) == {"b": ["red", "blue", "n/a"]}
    assert 'left out: column "c": no row has a known outcome' in without.notices


def test_one_outcome_gets_a_second(tmp_path: Path) -> None:
    kb = read(tmp_path, "name,a,b,c,d,e\ncat,1,0,red,no,-\ndog,1,?,,?,x\ncow,?,0,red,NO,x\n")
    assert outcomes(kb) == {
        "a": ["1", "0"],
        "b": ["1", "0"],
        "c": ["red", "not red"],
        "d": ["yes", "no"],
        "e": ["x", "not x", "n/a"],
    }
    assert said(kb)[0] == ["1", "0", "red", "no", "n/a"]
    assert 'column "c": all known rows have "red"; the other outcome is called "not red"' in kb.notices


@pytest.mark.parametrize(
    ("text", "hypotheses", "tests"),
    [
        ("name,a\ncat,1\ndog,0\n", ["cat", "dog"], ["a"]),
        ("1,0\n0,1\n", ["H1", "H2"], ["T1", "T2"]),
        ("cat,1,u\ndog,0,1\n", ["cat", "dog"], ["T1", "T2"]),
        ("a,b\n1,0\n0,u\n", ["H1", "H2"], ["a", "b"]),
        ("0,1,2\n1,1,0\n0,u,1\n", ["H1", "H2"], ["0", "1", "2"]),
        ("name,1,2,3\ncat,1,1,0\n", ["cat"], ["1", "2", "3"]),
        (",0,1\n0,u,1\n1,1,0\n", ["0", "1"], ["0", "1"]),
        ("id,a\n7,x\n8,y\n9,y\n", ["7", "8", "9"], ["a"]),
        ("legs,wings\n4,no\n4,yes\n2,no\n2,yes\n", ["H1", "H2", "H3", "H4"], ["legs", "wings"]),
        ("3,2\n1,2\n3,2\n1,1\n3,1\n", ["H1", "H2", "H3", "H4", "H5"], ["T1", "T2"]),
        ("name,a,,\ncat,1,,\ndog,0\n\n,,,\n", ["cat", "dog"], ["a"]),
        ("name,a,,b\ncat,1,,0\ndog,0,,1\n", ["cat", "dog"], ["a", "b"]),
        ("name,a\ncat,1,\ndog,0,\n", ["cat", "dog"], ["a"]),
        ('name,a\n"cat, ""big""", "1"\n"d\r\nog",0\n', ['cat, "big"', "d og"], ["a"]),
        ("\ufeffname,a\rcat,1\r\ndog,0\n", ["cat", "dog"], ["a"]),
        ("name,\x1b[2Jred\ncat\u202e,1\n", ["cat\\u202e"], ["\\x1b[2Jred"]),
        ("name,a" + "," * 16_381 + "\ncat,1" + "," * 16_381 + "\ndog,0\n", ["cat", "dog"], ["a"]),
    ],
)
def test_names(tmp_path: Path, text: str, hypotheses: list[str], tests: list[str]) -> None:
    kb = read(tmp_path, text)
    assert [h.id for h in kb.hypotheses] == hypotheses
    assert [test.id for test in kb.tests] == tests


def test_what_might_be_read_otherwise_is_said(tmp_path: Path) -> None:
    assert read(tmp_path, "1,0\n0,1\n").notices == (
        "line 1 is read as a row, not as a header: the tests are called T1, T2, ...",
        "the file has no column of names: the hypotheses are called H1, H2, ...",
    )
    assert read(tmp_path, "id,a\n7,x\n8,y\n").notices == (
        "the numbers in the first column are read as the names of the hypotheses",
    )
    rows = "".join(f"h{number},{number / 8},t{number}\n,,\n" for number in range(11))
    assert read(tmp_path, "name,mass,note\n" + rows).notices == (
        "rows without any cell filled in are left out: 11",
        'column "mass": each number is an outcome of its own; a kb.toml can give ranges',
        'column "note": every row has an outcome of its own; is this a test?',
    )
    mixed = read(tmp_path, "name,a,b,c,d,e,f\ncat,1,1,1,1,1,1\ndog,yes,yes,yes,yes,yes,yes\n")
    columns = 'columns "a", "b", "c", "d", "e" and 1 more'
    assert mixed.notices == (f"{columns}: words that mean the same are kept as different outcomes",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,a,b\ncat,1,0\ndog,1\n", ("line 3", "2 fields, expected 3", "as many")),
        ("name,a\ncat,1,0\n", ("line 2", "3 fields, expected 2")),
        ("name,a,b\ncat,1,5,\ndog,1,0\n", ("line 2", "4 fields, expected 3")),
        ("name,a,b\ncat,1,0\ndog,1,5,\n", ("line 3", "4 fields, expected 3")),
        ("name,a,\ncat,1,\ndog,1\ncow,1,0\n", ("line 3", "2 fields, expected 3")),
        ("name,a\ncat,1\n\ncat,0\n", ("line 4", "column 1", '"cat"', "line 2 already", "rename")),
        ("colour,shape\nred,round\nred,square\n", ("line 3", '"red"', "if this is a test, put names in front")),
        ("name,a\ncat,1\n,0\n", ("line 3", "has no name", "write its name")),
        ("name,a\ncat,1\n?,0\n", ("line 3", 'value "?"', "this is no name")),
        (",1,0\ncat,1,0\ndog,0,1\n", ("line 1", "has no name")),
        ("name,a,b,a\ncat,1,1,0\n", ("line 1", "column 4", '"a"', "column 2 has this name too", "rename")),
        ("name,a,,b\ncat,1,x,0\n", ("line 1", "column 3", "has cells and no name", "name it")),
        ("cat,1,red\ndog,0,blue\n", ("line 1", "column 2", '"1"', "a header or a row", "put a header in front")),
        ("cat,red\ndog,red\ncow,blue\n", ("line 1", '"red"', "a header or a row")),
        ("0,1\n0,0\n1,1\n", ("line 1", "a header or a row")),
        ("name,dead\ncat,dead\ndog,alive\n", ("line 1", '"dead"', "rename this test")),
        ("name\ncat\ndog\n", ("there is no test", "put a column of outcomes")),
        ("name,a\ncat,?\ndog,\n", ("there is no test",)),
        ('name,a\ncat,1\n"dog,0\ncow,1\n', ("line 3", "never closed", '""')),
        ('name,a\ncat,1\n"dog"gy,0\n', ("line 3", "text follows a closing quote")),
        ("name,a\ncat," + '"' + "x" * 140_000 + '"\n', ("line 2", "131,072 characters")),
        ("name,a\ncat,red|\n", ("line 2", 'column "a"', '"red|"', "missing beside", "take the mark out")),
        ("name,a\n\ncat,red|red\n", ("line 3", "stands there twice", "once")),
        ("name,a\ncat,red|?\n", ("line 2", '"?" is unknown', "write it alone")),
        ("name,a\ncat,red!\n", ("line 2", 'every outcome is marked "!"', "leave the mark off")),
        ("name,a\ncat,red|blue:0.5!\n", ("line 2", 'marked "!" has a probability')),
        ("name,a\ncat,red:0.5|blue\n", ("line 2", "all or none")),
        ("name,a\ncat,red:0.5|blue:0.6\n", ("line 2", "sum to 1.1, not to 1")),
        ("name,a\ncat,red:1.5|blue:-0.5\n", ("line 2", "not between 0 and 1")),
    ],
)
def test_bad_files(tmp_path: Path, text: str, said: tuple[str, ...]) -> None:
    with pytest.raises(BadTable) as caught:
        read(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(str(tmp_path / "bare.csv"))
    assert "\n" not in message
    for words in said:
        assert words in message


def test_too_many_different_cells_are_refused(tmp_path: Path) -> None:
    rows = "".join(f"h{n},a:0.{n:06d}|b:0.{1_000_000 - n:06d}\n" for n in range(1, 30_002))
    with pytest.raises(BadTable, match=r'line 30002, column "t", .*more than 30,000 different cells'):
        read(tmp_path, "name,t\n" + rows)
    rows = "".join(f"h{n},x{n}\n" for n in range(30_001))
    with pytest.raises(BadTable, match="more than 30,000 different outcomes"):
        read(tmp_path, "name,t\n" + rows)


LABELS = ["red", "light blue", "größer", "a,b", 'say "x"', "12", "yes", "no", "x:y"]
CELLS = st.one_of(
    st.just(()),
    st.sampled_from(LABELS).map(lambda label: (label,)),
    st.lists(st.sampled_from(LABELS), min_size=2, max_size=4, unique=True).map(tuple),
)


@st.composite
def files(draw: st.DrawFn) -> tuple[list[str], list[list[tuple[str, ...]]], bytes]:
    """Test names, cells and a file that says them, written without the csv module."""
    m, n = draw(st.integers(2, 6)), draw(st.integers(1, 5))
    tests = [f"test {place}" for place in range(n)]
    cells = [[draw(CELLS) for _ in range(n)] for _ in range(m)]
    for place in range(n):  # at least two outcomes, so that none is added
        cells[0][place], cells[1][place] = ("red",), ("no",)

    def field(text: str) -> str:
        quoted = '"' in text or "," in text or draw(st.booleans())
        padded = " " * draw(st.integers(0, 2))
        return padded + ('"' + text.replace('"', '""') + '"' if quoted else text + padded)

    unknown = st.sampled_from(["", "?", "*", "u", "NA"])
    ends = st.sampled_from(["\n", "\r\n", "\r"])
    text = draw(st.sampled_from(["", "\ufeff"])) + ",".join(map(field, ["name", *tests])) + draw(ends)
    for row, said in enumerate(cells):
        fields = [field(f"h{row}"), *(field("|".join(cell) or draw(unknown)) for cell in said)]
        text += ",".join(fields) + draw(ends)
    return tests, cells, text.encode()


@settings(max_examples=150, deadline=None)
@given(files())
def test_any_table_reads_back(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[list[str], list[list[tuple[str, ...]]], bytes]
) -> None:
    tests, cells, data = made
    kb = read(tmp_path_factory.mktemp("any"), data)
    assert [test.id for test in kb.tests] == tests
    for e, test in enumerate(kb.tests):
        seen = list(dict.fromkeys(label for row in cells for label in row[e]))
        words = [word for word in ("yes", "no") if word in seen]
        assert [o.id for o in test.outcomes] == words + [label for label in seen if label not in words]
        for x, row in enumerate(cells):
            cell = kb.cell(x, e)
            assert cell.unknown == (not row[e])
            if row[e]:
                assert {test.outcomes[v].id: p for v, p in cell.outcomes} == dict.fromkeys(row[e], 1 / len(row[e]))


@pytest.mark.parametrize("cell", ["R|r", "yes|YES", "R:0.5|r:0.5", "R|r!", "ss|ß", "g|R|r"])
def test_two_spellings_of_one_outcome_in_a_cell_are_refused(tmp_path: Path, cell: str) -> None:
    with pytest.raises(BadTable) as caught:
        read(tmp_path, f"name,a\nx,g\ny,{cell}\n")
    error = caught.value
    assert (error.line, error.column, error.value) == (3, "a", cell)
    assert error.problem == "an outcome stands there twice"
