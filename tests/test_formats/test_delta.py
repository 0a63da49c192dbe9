"""DELTA: the published sample and three toy sets, cells read off the files by eye."""

from __future__ import annotations

import tempfile
from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnoser.errors import BadTable
from diagnoser.formats import open_table, read_table, write_delta
from diagnoser.formats.reading import Reading
from diagnoser.kb import NOT_APPLICABLE, Hypothesis, KnowledgeBase, Outcome, Test
from diagnoser.text import clean
from tests.conftest import SHARED
from tests.test_formats.fuzzing import into, refuses_or_reads
from tests.test_formats.small import several, tables

FOREIGN = SHARED / "data" / "foreign"
UNKNOWN = "unknown"


@pytest.fixture(scope="module")
def grass() -> Reading:
    return sample("delta_sample_grass")


def sample(name: str) -> Reading:
    if not (FOREIGN / name).is_dir():
        pytest.skip("the DELTA samples are not beside the repository")
    return read_table(FOREIGN / name)


def said(reading: Reading, item: str, test: int) -> object:
    """A cell: the range of a number, the labels of its outcomes, or unknown."""
    kb = reading.kb
    cell = kb.cell(kb.hypothesis_index[item], test)
    if cell.unknown:
        return UNKNOWN
    if cell.interval:
        return cell.interval
    return [kb.tests[test].outcomes[v].label.split(" ")[0] for v, _ in cell.outcomes]


def test_all_of_the_grass_is_accounted_for(grass: Reading) -> None:
    assert (grass.before.hypotheses, grass.before.tests) == (14, 89)
    assert (grass.after.hypotheses, grass.after.tests) == (14, 84)
    texts = [line for line in grass.left_out if line.endswith("it holds text")]
    assert [line.split(" ")[1] for line in texts] == ["1", "25", "87", "88", "89"]
    gaps, together = grass.left_out[5:]
    assert gaps.endswith(": character 38, character 48, character 54")  # 5/7, 1/3 and (3-)5/7-11, but no 1/1-3, 2/3
    assert together.endswith(": character 86")  # 86,1&2&3&5
    assert any("Windows-1252" in notice for notice in grass.kb.notices)
    assert grass.kb.title == "Grass Genera - character list"


# Tests are the characters 2 to 24, 26 to 86: character n is test n - 2 up to 24 and n - 3 after it.
@pytest.mark.parametrize(
    ("item", "character", "cell"),
    [
        ("Echinochloa", 2, (40, 360)),  # 2,40-360
        ("Echinochloa", 4, ["annual", "perennial"]),  # 4,1/2
        ("Echinochloa", 6, ["not"]),  # implicit 2: not pseudopetiolate
        ("Echinochloa", 8, UNKNOWN),  # nothing, no implicit value
        ("Echinochloa", 17, ["does"]),  # 16,2 rules 17 out
        ("Echinochloa", 18, UNKNOWN),  # a remark only
        ("Echinochloa", 20, ["does"]),  # 20,-
        ("Echinochloa", 26, (2.3, 7)),  # 26,2.3-7
        ("Echinochloa", 42, ["male", "sterile"]),  # 42,1<<10%> rarely>/2: comments within comments
        ("Bambusa", 2, (200, 3500)),  # 2,(200-)500-3500: the extreme belongs to it
        ("Bambusa", 11, ["an", "a"]),  # 11,1-2
        ("Bambusa", 41, (0, 3)),  # 41,0-3<? ...>
        ("Anisopogon", 4, ["perennial"]),  # 4<oat-like>,2
        ("Anisopogon", 10, ["present"]),  # implicit 1
        ("Anisopogon", 21, ["does"]),  # 20 is 2 by implication, which rules 21 to 24 out
        ("Anisopogon", 38, (7, 9)),  # 38,7-9
    ],
)
def test_cells_of_the_grass(grass: Reading, item: str, character: int, cell: object) -> None:
    assert said(grass, item, character - (2 if character < 25 else 3)) == cell


def test_what_a_test_needs(grass: Reading) -> None:
    """11 depends on 10: under its state 2, absent, it does not apply; so it needs state 1."""
    ligule, form = grass.kb.tests[8], grass.kb.tests[9]
    assert form.needs == (((ligule.id, ligule.outcomes[0].id),),)


def test_a_variant_takes_over_what_it_does_not_say() -> None:
    simple = sample("delta_simple")
    assert said(simple, "item 3", 0) == said(simple, "item 2", 0) == (1, 1)  # 2,1 of item 2
    assert said(simple, "item 3", 3) == ["state"]  # 5,3 of its own
    assert simple.kb.tests[3].outcomes[simple.kb.code(2, 3)].label == "state 5"
    assert said(simple, "item 4", 0) == UNKNOWN
    assert said(simple, "item 5", 1) == (1.01, 1.01)
    assert len(simple.kb.cell(4, 3).outcomes) == 3  # 5,1-2/2&3


def test_a_state_or_not_applicable() -> None:
    linked = sample("delta_linked")
    kb = linked.kb
    cell = kb.cell(2, kb.test_index["linked 2"])  # 7,2/-
    outcomes = kb.tests[kb.test_index["linked 2"]].outcomes
    assert [outcomes[v].id for v, _ in cell.outcomes] == ["state 10", NOT_APPLICABLE]
    assert [kb.tests[4].id, kb.tests[6].id] == ["linked 1 (comment 1)", "linked 1 (comment 3)"]
    inapplicable = sample("delta_inapplicable")
    assert said(inapplicable, "item 2", 4) == ["does"]  # 6,-
    assert said(inapplicable, "item 3", 4) == UNKNOWN


SPECS = "*CHARACTER TYPES 2,RN\n*NUMBERS OF STATES 1,2\n*IMPLICIT VALUES 1,2\n*DEPENDENT CHARACTERS 1,2:2\n"
CHARS = "*SHOW ~ tiny\n*CHARACTER LIST\n#1. wings <or none>/\n 1. yes/\n 2. no/\n\n#2. span/\n cm wide/\n"
ITEMS = "*ITEM DESCRIPTIONS\n# \\i{}ant\\i0{}/\n1,1 2,1-2\n# bee <Apis>/\n1,1 2,(0.5-)3-4.5(-6)\n# cat/\n"


def folder(place: Path, **texts: str) -> Path:
    for name, text in {"specs": SPECS, "chars": CHARS, "items": ITEMS, **texts}.items():
        (place / name.upper()).write_text(text, encoding="cp1252", newline="\r\n")
    return place


def test_a_tiny_set(tmp_path: Path) -> None:
    reading = read_table(folder(tmp_path))
    assert [h.id for h in reading.kb.hypotheses] == ["ant", "bee", "cat"]
    assert [t.id for t in reading.kb.tests] == ["wings", "span"]
    assert reading.kb.tests[1].unit == "cm wide"
    assert [said(reading, name, 1) for name in ("ant", "bee", "cat")] == [(1, 2), (0.5, 6), ["does"]]
    assert [said(reading, name, 0) for name in ("ant", "cat")] == [["yes"], ["no"]]


def test_characters_of_one_name_are_told_apart_by_number(tmp_path: Path) -> None:
    chars = CHARS.replace("#2. span", "#2. wings") + "\n#3. wings/\n 1. a/\n 2. b/\n"
    reading = read_table(folder(tmp_path, chars=chars, items=ITEMS.replace("1,1 2,1-2", "1,1 2,1-2 3,2")))
    assert [t.id for t in reading.kb.tests] == ["wings (or none)", "wings #2", "wings #3"]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"items": ITEMS + "# ant/\n1,1\n"}, r"line 7, value \"ant\": the hypothesis stands in line 2 already"),
        ({"items": ITEMS + "# dog/\n1,3\n"}, r"line 8, column \"character 1\", value \"3\": .* 2 states"),
        ({"items": ITEMS + "# dog/\n2,a\n"}, r"line 8, column \"character 2\", value \"a\": this is no number"),
        ({"items": ITEMS + "# dog/\n\n9,1\n"}, r"line 9, value \"9,1\": this is no attribute of a known character"),
        ({"items": ITEMS + "# dog/\n1<never closed,1\n"}, "a comment is opened and never closed"),
        ({"items": ITEMS + "# dog 1,1\n"}, "line 7: the item's name has no end"),
        ({"specs": "*NUMBER OF CHARACTERS 3\n"}, "2 characters are in the list, not 3"),
        ({"specs": "*CHARACTER TYPES 1,XX\n"}, 'unknown type "XX"'),
        ({"chars": "*SHOW x\n"}, r"CHARS: there is no directive \*CHARACTER LIST"),
        ({"chars": CHARS.replace("2. no", "3. no")}, "do not count up from 1"),
    ],
)
def test_mistakes_have_their_place(tmp_path: Path, texts: dict[str, str], words: str) -> None:
    with pytest.raises(BadTable, match=words):
        read_table(folder(tmp_path, **texts))


THREE = "*CHARACTER LIST\n#1. wings/\n 1. yes/\n 2. short/\n 3. no/\n\n#2. span/\n cm/\n"


@pytest.mark.parametrize(
    ("specs", "cell"),
    [
        ("*APPLICABLE CHARACTERS 1,1/2:2\n", ["does"]),
        ("*INAPPLICABLE CHARACTERS 1,3:2\n", ["does"]),
        ("*DEP CHA 1,3:2\n", ["does"]),  # three letters of each word count
        ("* dependent characters 1,3:2\n", ["does"]),
        ("*SHOW a key *DEPENDENT CHARACTERS 1,3:2\n", ["does"]),  # a star behind a blank begins a directive
        ("*COMMENT a star * and more\n*DEPENDENT CHARACTERS 1,3:2\n", ["does"]),
        ("*COMMENT DEPENDENT CHARACTERS 1,3:2\n", UNKNOWN),
        ("*APPLICABLE CHARACTERS 1,3:2\n", UNKNOWN),
    ],
)
def test_what_makes_a_character_apply(tmp_path: Path, specs: str, cell: object) -> None:
    items = "*ITEM DESCRIPTIONS\n# ant/\n1,3\n# bee/\n1,1 2,4\n# cat/\n1,2 2,6\n"
    reading = read_table(folder(tmp_path, specs=f"*CHARACTER TYPES 2,RN\n{specs}", chars=THREE, items=items))
    assert said(reading, "ant", 1) == cell
    assert reading.left_out == ()
    wings = reading.kb.tests[0]
    if cell != UNKNOWN:
        assert reading.kb.tests[1].needs == (((wings.id, "yes"), (wings.id, "short")),)


@pytest.mark.parametrize(
    "name", ["KEY STATES 2,~3/3~", "EXCLUDE CHARACTERS 1", "TREAT CHARACTERS AS VARIABLE 1", "1 x"]
)
@pytest.mark.parametrize("file", ["specs", "chars", "items"])
def test_a_directive_that_is_not_read_is_left_out_by_name(tmp_path: Path, name: str, file: str) -> None:
    text = {"specs": SPECS, "chars": CHARS, "items": ITEMS}[file]
    (line,) = read_table(folder(tmp_path, **{file: f"{text}\n*{name}\n"})).left_out
    assert f"{file.upper()}, line {text.count(chr(10)) + 2}: the directive *{name[:10]}" in line


def test_directives_that_change_no_cell_are_passed_over(tmp_path: Path) -> None:
    specs = SPECS + "*MANDATORY CHARACTERS 1\n*SPECIAL STORAGE\n*MAXIMUM NUMBER OF STATES 2\n*HEADING x\n"
    assert read_table(folder(tmp_path, specs=specs)).left_out == ()


@pytest.mark.parametrize(
    ("items", "lines"),
    [
        ("1,1&2 2,1-2", ["states that hold together (1&2) are read as either of them: character 1"]),
        ("1,1 2,1-2-3", ["the middle value of a range (4-5-6) is not kept: character 2"]),
        ("1,1 2,1/2-3", ["ranges with gaps between them are read as one"]),
        ("1,1 2,1-2/2-3", []),
        ("1,1 2,(1-)2-3(-4)<mean 2.5, n = 5>", []),
    ],
)
def test_what_of_a_value_is_left_out(tmp_path: Path, items: str, lines: list[str]) -> None:
    reading = read_table(folder(tmp_path, items=ITEMS.replace("1,1 2,1-2", items)))
    assert len(reading.left_out) == len(lines)
    assert all(line.startswith(start) for line, start in zip(reading.left_out, lines, strict=True))
    assert "comments of items are not kept" in reading.kb.notices or "<" not in items


LONG = "9" * 5000


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"items": ITEMS + f"# dog/\n2,{LONG}\n"}, 'ITEMS, line 8, column "character 2", value "9+…": .* too large; '),
        ({"items": ITEMS + f"# dog/\n1,{LONG}\n"}, 'ITEMS, line 8, column "character 1", value "9+…": '),
        ({"items": ITEMS + f"# dog/\n{LONG},1\n"}, 'ITEMS, line 8, value "9+…": .* known character; '),
        ({"chars": CHARS.replace("#2.", f"#{LONG}.")}, 'CHARS, line 7, value "9+…": .* 6 digits; '),
        ({"chars": CHARS.replace("2. no", f"{LONG}. no")}, 'CHARS, line 5, value "9+…": .* 6 digits; '),
        ({"specs": f"*NUMBER OF CHARACTERS {LONG}\n"}, 'SPECS, line 1, value "9+…": 2 characters are in the list'),
        ({"specs": f"\n*NUMBERS OF STATES\n1,{LONG}\n"}, 'SPECS, line 3, value "1,9+…": .* 6 digits; '),
        ({"specs": f"*CHARACTER TYPES {LONG},RN\n"}, 'SPECS, line 1, value "9+…": .* 6 digits; '),
        ({"specs": f"*IMPLICIT VALUES 1,{LONG}\n"}, 'SPECS, line 1, value "1,9+…": .* 6 digits; '),
        ({"specs": f"*APPLICABLE CHARACTERS 1,{LONG}:2\n"}, 'SPECS, line 1, value "1,9+…": .* 6 digits; '),
        ({"specs": f"*DEPENDENT CHARACTERS {LONG},1:2\n"}, 'SPECS, line 1, value "9+…": .* 6 digits; '),
        ({"specs": "*DEPENDENT CHARACTERS 1,3:2\n"}, 'SPECS, line 1, value "1,3:2": character 1 has 2 states; '),
        ({"specs": "*DEPENDENT CHARACTERS 1,2-1:2\n"}, 'SPECS, line 1, value "1,2-1:2": the range runs backwards; '),
        ({"specs": "*IMPLICIT VALUES 1,3\n"}, 'SPECS, line 1, value "1,3": character 1 has 2 states; '),
        ({"specs": "*CHARACTER TYPES 1\n"}, r'SPECS, line 1, value "1": \*CHARACTER TYPES has no value here; '),
        ({"specs": "*INPUT FILE more\n"}, r'SPECS, line 1, value "more": \*INPUT FILE is not followed; '),
        ({"items": ITEMS + "*ITEM DESCRIPTIONS\n"}, r"ITEMS, line 7: the directive \*ITEM DESCRIPTIONS stands twice; "),
    ],
)
def test_numbers_and_directives_without_sense_have_their_place(
    tmp_path: Path, texts: dict[str, str], words: str
) -> None:
    with pytest.raises(BadTable, match=words):
        read_table(folder(tmp_path, **texts))


def test_brackets_belong_to_names_and_comments_do_not(tmp_path: Path) -> None:
    colours = "#1. colour (of wings) <all/ any>/\n 1. low (rare)/\n 2. f()! <often>/\n"
    chars = f"*CHARACTER LIST\n{colours}\n#2. a:b|c!/\n g (l)/\n"
    reading = read_table(folder(tmp_path, chars=chars))
    colour, marks = reading.kb.tests
    assert (colour.id, colour.question) == ("colour (of wings)", "colour (of wings) (all/ any)")
    assert [o.id for o in colour.outcomes] == ["low (rare)", "f()."]
    assert (marks.id, marks.title, marks.unit) == ("a:b|c!", "a:b|c!", "g (l)")
    assert 'ids are other than names: "f()!" is "f()."' in reading.kb.notices


PARTS = st.sampled_from([*"()<>/\\{}:|!=#*+-,~ 1a", "1.", " *END", "n/a", "unknown", "\\i{}", "#2. ", "U"])
NAMES = st.lists(PARTS, min_size=1, max_size=5).map("".join).map(clean).filter(bool)
OUTCOMES = st.lists(NAMES.filter(lambda name: name != NOT_APPLICABLE), min_size=2, max_size=2, unique=True)


@several
@given(NAMES, OUTCOMES, st.lists(NAMES, min_size=2, max_size=2))
def test_names_come_back_as_they_were_or_as_it_is_said(test: str, outcomes: list[str], items: list[str]) -> None:
    kb = KnowledgeBase(
        "t",
        tuple(Hypothesis(f"h{x}", name, 0.5) for x, name in enumerate(items)),
        (Test(test, tuple(Outcome(name, name) for name in outcomes)),),
        array("h", [0, 1]),
    )
    with tempfile.TemporaryDirectory() as place:
        lost = " ".join(write_delta.write(kb, Path(place) / "out"))
        back = read_table(Path(place) / "out").kb
    read = [back.tests[0].title, *(o.label for o in back.tests[0].outcomes), *(h.name for h in back.hypotheses)]
    for old, new in zip([test, *outcomes, *items], read, strict=True):
        assert old == new or f'"{old}" to "{new}"' in lost


def test_what_has_no_place_is_said(tmp_path: Path) -> None:
    kb = read_table(folder(tmp_path)).kb
    wings, span = kb.tests
    tests = (replace(wings, name="Wings?", reliability=0.9), replace(span, tolerance=0.5, cost=2.0))
    kb = replace(kb, tests=tests, hypothesis_word="bug", hypotheses_word="bugs", cost_unit="minutes")
    lost = "\n".join(write_delta.write(kb, tmp_path / "out"))
    for words in ("names of the tests", "costs, reliabilities", "tolerances", '"bug" and "bugs"', '"minutes"'):
        assert words in lost


@pytest.mark.parametrize("ends", [None, (2.0, float("inf"))])
def test_a_numeric_test_with_cells_that_are_no_numbers_is_written_with_states(tmp_path: Path, ends: object) -> None:
    test = Test("a", (Outcome("<1", "low"), Outcome(">=1", "high")), unit="m", cuts=(1.0,))
    kb = KnowledgeBase("t", (Hypothesis("x", "x", 0.5), Hypothesis("y", "y", 0.5)), (test,), array("h", [0, 1]))
    lost = write_delta.write(replace(kb, intervals={0: ((0.0, 0.5), ends)}), tmp_path / "out")  # type: ignore[dict-item]
    assert any(line.startswith("numbers are not kept") for line in lost)
    assert list(read_table(tmp_path / "out").kb.codes) == [0, 1]


def test_comments_ten_thousand_deep(tmp_path: Path) -> None:
    deep = "<" * 10_000 + "x" + ">" * 10_000
    items = ITEMS.replace("1,1 2,1-2", f"1{deep},1 2,1-2")
    assert said(read_table(folder(tmp_path, items=items)), "ant", 0) == ["yes"]
    with pytest.raises(BadTable, match="never closed"):
        read_table(folder(tmp_path, items=items.replace(">,1", ",1")))


@pytest.mark.parametrize("name", ["specs", "chars", "items"])
def test_mutants(tmp_path: Path, name: str) -> None:
    place = folder(tmp_path)
    file = place / name.upper()
    assert refuses_or_reads(lambda: read_table(place), into(file), [file.read_bytes()], seed=7) > 0


@several
@given(tables())
def test_what_is_written_reads_back(kb: KnowledgeBase) -> None:
    rows = range(len(kb.hypotheses))
    known = [test.id for e, test in enumerate(kb.tests) if any(not kb.cell(x, e).unknown for x in rows)]
    plain = {_plain(h.name) for h in kb.hypotheses}
    if not known or len(plain) < len(rows):
        return
    with tempfile.TemporaryDirectory() as place:
        lost = write_delta.write(kb, Path(place) / "out")
        back = open_table(Path(place) / "out")
    for row in rows:
        for there, name in enumerate(known):
            here = kb.test_index[name]
            assert kind(kb, row, here) == kind(back, row, there)
    uneven = any(len({share for _, share in partial}) > 1 for test in kb.tests for partial in used(kb, test.id))
    assert any("probabilities" in line for line in lost) == uneven


def _plain(name: str) -> str:
    return name.translate(str.maketrans("<>\\{}", "()|()")).rstrip("/|")


def used(kb: KnowledgeBase, test: str) -> list[tuple[tuple[int, float], ...]]:
    e = kb.test_index[test]
    cells = [kb.cell(x, e) for x in range(len(kb.hypotheses))]
    return [cell.outcomes for cell in cells if not cell.unknown]


def kind(kb: KnowledgeBase, row: int, test: int) -> object:
    """The places of a cell's outcomes, "does not apply" by its name, or unknown."""
    cell = kb.cell(row, test)
    names = kb.tests[test].outcomes
    return (
        UNKNOWN if cell.unknown else {NOT_APPLICABLE if names[v].id == NOT_APPLICABLE else v for v, _ in cell.outcomes}
    )


def test_numbers_are_written_without_exponents(tmp_path: Path) -> None:
    reading = read_table(folder(tmp_path, items=ITEMS.replace("1,1 2,1-2", "1,1 2,0.00000001-20000000000000000000")))
    assert any("cut points" in line for line in write_delta.write(reading.kb, tmp_path / "out"))
    back = read_table(tmp_path / "out")
    assert said(back, "ant", 1) == (1e-8, 2e19)
    assert [said(back, name, 1) for name in ("bee", "cat")] == [(0.5, 6), ["does"]]
