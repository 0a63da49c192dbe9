"""What is written reads back as the same table; what a format cannot hold is said."""

from __future__ import annotations

import csv
import tempfile
import tomllib
from array import array
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnoser.errors import DiagnoserError
from diagnoser.formats import open_table, shipped_tables, write_csv, write_folder
from diagnoser.formats.cells import bin_outcomes
from diagnoser.formats.formula import guarded, unguarded
from diagnoser.formats.schema import kb_schema
from diagnoser.kb import DOES_NOT_APPLY, NOT_APPLICABLE, UNKNOWN, Cell, Group, Hypothesis, KnowledgeBase, Outcome, Test
from diagnoser.text import clean
from tests.tables import yes_no

MARKS_AND_LETTERS = "=+-@'\"|:!?,;\t\n\r \x1b\u2028\ud800#\\[x1\u00e9"
PIECES = st.sampled_from([*MARKS_AND_LETTERS, "n/a", "unknown", "U", "yes", "no", "0.5", "..", "red"])
WILD = st.lists(PIECES, max_size=4).map("".join) | st.text(max_size=6)
TAME = WILD.map(clean)
MARKS = {"", "?", "-", "unknown", "n/a"}
TEST_IDS = TAME.filter(lambda text: text and "=" not in text)
OUTCOME_IDS = TAME.filter(lambda text: text not in MARKS and not set(text) & set("|:!"))
NAMES = TAME.filter(bool)
TENTHS = st.integers(-40, 40).map(lambda tenths: tenths / 10)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def partials(draw: st.DrawFn, outcomes: int) -> tuple[tuple[int, float], ...]:
    """Several outcomes, alike or with probabilities as a reader makes them of weights."""
    some = sorted(draw(st.sets(st.integers(0, outcomes - 1), min_size=2)))
    weights = draw(st.none() | st.lists(st.integers(1, 1000), min_size=len(some), max_size=len(some)))
    if weights is None:
        return tuple((outcome, 1.0 / len(some)) for outcome in some)
    return tuple((outcome, weight / sum(weights)) for outcome, weight in zip(some, weights, strict=True))


def numbered(cells: list[Any]) -> tuple[array[int], tuple[Any, ...]]:
    """Codes of cells: an outcome, None, or several; the several ones numbered down the rows."""
    several = list(dict.fromkeys(cell for cell in cells if isinstance(cell, tuple)))
    return array(
        "h",
        [-2 - several.index(c) if isinstance(c, tuple) else UNKNOWN if c is None else c for c in cells],
    ), tuple(several)


@st.composite
def nominal(draw: st.DrawFn, m: int, ids: Any, texts: Any) -> tuple[Test, array[int], None]:
    names = draw(st.lists(ids, min_size=2, max_size=4, unique=True))
    k = len(names) + draw(st.booleans())
    kinds = st.none() | st.integers(0, k - 1) | partials(k)
    cells = draw(st.lists(kinds, min_size=m, max_size=m))
    used = any(cell == len(names) or (isinstance(cell, tuple) and cell[-1][0] == len(names)) for cell in cells)
    outcomes = [Outcome(name, draw(texts) or name) for name in names]
    codes, several = numbered(cells)
    return Test("", (*outcomes, *([DOES_NOT_APPLY] if used else [])), partials=several), codes, None


@st.composite
def numeric(draw: st.DrawFn, m: int, ids: Any, texts: Any) -> tuple[Test, array[int], tuple[Any, ...]]:
    """Its bins are found by fractions. Where numbers are any floats there is no tolerance, so no rounding."""
    plain = draw(st.booleans())
    values = TENTHS if plain else FLOATS
    tolerance = draw(st.integers(0, 10)) / 10 if plain else 0.0
    cuts = tuple(sorted(draw(st.sets(values.map(lambda value: value + 0.0), min_size=1, max_size=4))))
    ends = st.tuples(values, values).map(lambda both: (min(both), max(both))) | values.map(lambda value: (value, value))
    said = draw(st.lists(st.none() | st.just("n/a") | ends, min_size=m, max_size=m))
    k = len(cuts) + 1
    exact, slack = [Fraction(repr(cut)) for cut in cuts], Fraction(repr(tolerance))
    cells: list[Any] = []
    for cell in said:
        if cell is None or cell == "n/a":
            cells.append(None if cell is None else k)
            continue
        low, high = (Fraction(repr(end)) for end in cell)
        bins = [
            b for b in range(k) if (b == k - 1 or low - slack < exact[b]) and (b == 0 or high + slack >= exact[b - 1])
        ]
        cells.append(bins[0] if len(bins) == 1 else tuple((b, 1.0 / len(bins)) for b in bins))
    codes, several = numbered(cells)
    unit = draw(TAME)
    own = draw(st.none() | st.lists(ids, min_size=k, max_size=k, unique=True))
    outcomes = bin_outcomes(cuts, unit) if own is None else tuple(Outcome(name, draw(texts) or name) for name in own)
    named = len({outcome.id for outcome in outcomes}) == k  # cuts that 15 digits do not part need names of their own
    if not named:
        outcomes = tuple(Outcome(f"bin {b}", f"bin {b}") for b in range(k))
    more = (DOES_NOT_APPLY,) if "n/a" in said else ()
    test = Test("", (*outcomes, *more), unit=unit, cuts=cuts, tolerance=tolerance, partials=several)
    return test, codes, tuple(cell if isinstance(cell, tuple) else None for cell in said)


@st.composite
def knowledge_bases(draw: st.DrawFn, *, wild: bool = False) -> KnowledgeBase:
    """Tables as our readers make them; wild ones have ids and texts that no reader of ours lets in."""
    tests_ids, outcome_ids, names, texts = (WILD,) * 4 if wild else (TEST_IDS, OUTCOME_IDS, NAMES, TAME)
    m = draw(st.integers(1, 5))
    ids = draw(st.lists(tests_ids, min_size=1, max_size=4, unique=True))
    columns = [draw(nominal(m, outcome_ids, texts) | numeric(m, OUTCOME_IDS, TAME)) for _ in ids]
    tests: list[Test] = []
    for place, (test, _, _) in enumerate(columns):
        pairs = [(tests[e].id, o.id) for e in range(place) for o in tests[e].outcomes if o is not DOES_NOT_APPLY]
        needs = draw(st.lists(st.lists(st.sampled_from(pairs), min_size=1, max_size=2), max_size=2)) if pairs else []
        others = [name for name in ids if name != ids[place]]
        same = draw(st.lists(st.sampled_from(others), unique=True)) if others else []
        tests.append(
            replace(
                test,
                id=ids[place],
                name=draw(texts),
                question=draw(texts),
                cost=draw(st.floats(1e-6, 1e9)),
                category=draw(texts),
                reliability=draw(st.none() | st.floats(0, 1, exclude_min=True)),
                needs=tuple(map(tuple, needs)),
                same_evidence=tuple(same),
                provenance=draw(st.sampled_from(["", "hand", "source", "rule"])),
                note=draw(texts),
            )
        )
    codes = array("h", bytes(2 * m * len(tests)))
    for place, (_, column, _) in enumerate(columns):
        codes[place :: len(tests)] = column
    groups = draw(st.lists(NAMES, max_size=2, unique=True))
    weights = draw(st.none() | st.lists(st.integers(1, 1000), min_size=m, max_size=m)) or [1] * m
    rows = draw(st.lists(st.tuples(names, names), min_size=m, max_size=m, unique_by=(lambda r: r[0], lambda r: r[1])))
    keys = draw(st.lists(names.filter(lambda key: key not in ids), max_size=2, unique=True))
    hypotheses = tuple(
        Hypothesis(
            row[0],
            row[0] if draw(st.booleans()) and row[0] not in {other[1] for other in rows} else row[1],
            weight / sum(weights),
            draw(st.sampled_from(groups) | st.none()) if groups else None,
            tuple(draw(st.lists(texts if wild else NAMES.filter(lambda text: "|" not in text), max_size=2))),
            draw(texts),
            {key: value for key in keys if (value := draw(texts))},
        )
        for row, weight in zip(rows, weights, strict=True)
    )
    titles = {name: draw(texts) for name in ("version", "licence", "scope", "disclaimer")}
    words = {name: draw(NAMES) for name in ("title", "hypothesis_word", "hypotheses_word", "cost_unit")}
    return KnowledgeBase(
        hypotheses=hypotheses,
        tests=tuple(tests),
        codes=codes,
        groups=tuple(Group(name, draw(texts) or name, draw(texts), draw(texts)) for name in groups),
        intervals={place: raw for place, (_, _, raw) in enumerate(columns) if raw is not None},
        sources=tuple(draw(st.lists(NAMES, max_size=2))),
        **titles,
        **words,
    )


Written = tuple[KnowledgeBase, tuple[str, ...], list[list[str]]]
"""The table read back, what could not be held, and the cells of the CSV file as another program reads them."""


def folder_of(kb: KnowledgeBase, place: str) -> Written:
    folder = Path(place) / "folder"
    lines = write_folder.write(kb, folder)
    with (folder / "table.csv").open(encoding="utf-8", newline="") as file:
        cells = list(csv.reader(file))
    return open_table(folder), lines, cells


def csv_of(
    kb: KnowledgeBase, place: str, name: str = "bare.csv"
) -> tuple[KnowledgeBase, tuple[str, ...], list[list[str]]]:
    path = Path(place) / name
    lines = write_csv.write(kb, path)
    with path.open(encoding="utf-8", newline="") as file:
        cells = list(csv.reader(file))
    return open_table(path), lines, cells


def begins_formula(cell: str) -> bool:
    """As the documentation says: a minus alone and a negative number are none."""
    if cell[:1] == "-" and (cell == "-" or is_number(cell)):
        return False
    return cell[:1] in {"=", "+", "-", "@", "\t", "\r"}


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def meaning(kb: KnowledgeBase) -> list[list[Any]]:
    """Every cell by places of outcomes, "n/a" by name, shares to twelve digits; None where unknown."""

    def said(test: Test, cell: Cell) -> dict[object, float] | None:
        return None if cell.unknown else {at(test, o): round(share, 12) for o, share in cell.outcomes}

    def at(test: Test, outcome: int) -> object:
        return NOT_APPLICABLE if outcome == test.applicable else outcome

    return [[said(test, kb.cell(x, e)) for e, test in enumerate(kb.tests)] for x in range(len(kb.hypotheses))]


def by_name(kb: KnowledgeBase) -> dict[str, dict[str, Any]]:
    """Every cell by the ids of hypothesis, test and outcome; None where unknown."""
    return {
        test.id: {
            h.id: None if cell.unknown else {test.outcomes[o].id: share for o, share in cell.outcomes}
            for x, h in enumerate(kb.hypotheses)
            for cell in [kb.cell(x, e)]
        }
        for e, test in enumerate(kb.tests)
    }


@given(kb=knowledge_bases())
@settings(deadline=None)
def test_a_table_comes_back_from_a_folder(kb: KnowledgeBase) -> None:
    with tempfile.TemporaryDirectory() as place:
        back, lines, cells = folder_of(kb, place)
    assert lines == ()
    assert meaning(back) == meaning(kb)
    assert back.intervals == kb.intervals
    assert back.fingerprint == kb.fingerprint
    assert back.wording_fingerprint == kb.wording_fingerprint
    assert not any(begins_formula(cell) for row in cells for cell in row)


@given(kb=knowledge_bases(wild=True))
@settings(deadline=None)
def test_a_table_of_another_program_keeps_its_cells_and_every_change_is_said(kb: KnowledgeBase) -> None:
    with tempfile.TemporaryDirectory() as place:
        back, lines, cells = folder_of(kb, place)
    assert len(back.tests) == len(kb.tests)
    assert meaning(back) == meaning(kb)
    same = back.fingerprint == kb.fingerprint and back.wording_fingerprint == kb.wording_fingerprint
    assert same == (lines == ())
    assert not any(begins_formula(cell) for row in cells for cell in row)


@given(kb=knowledge_bases(wild=True) | knowledge_bases())
@settings(deadline=None)
def test_cells_come_back_from_a_bare_csv(kb: KnowledgeBase) -> None:
    known = [
        any(not c.unknown and {o for o, _ in c.outcomes} - {test.applicable} for c in (kb.cell(x, e) for x in rows))
        for rows in [range(len(kb.hypotheses))]
        for e, test in enumerate(kb.tests)
    ]
    with tempfile.TemporaryDirectory() as place:
        if not any(known):
            with pytest.raises(DiagnoserError, match="no test has a known outcome"):
                csv_of(kb, place)
            return
        back, lines, cells = csv_of(kb, place)
    kept = [e for e, is_known in enumerate(known) if is_known]
    assert len(back.tests) == len(kept)
    assert any("left out, for no row has a known outcome" in line for line in lines) == (len(kept) < len(kb.tests))
    renamed = any(line.startswith("renamed") for line in lines)
    if not renamed:
        expected = by_name(kb)
        assert by_name(back) == {kb.tests[e].id: expected[kb.tests[e].id] for e in kept}
    for place_back, e in enumerate(kept):  # whatever they are called: the same cells are the same, with the same shares
        for x in range(len(kb.hypotheses)):
            one, other = kb.cell(x, e), back.cell(x, place_back)
            assert one.unknown == other.unknown
            if not one.unknown:
                assert sorted(round(s, 12) for _, s in one.outcomes) == sorted(round(s, 12) for _, s in other.outcomes)
    assert not any(begins_formula(cell) for row in cells for cell in row)


@given(text=WILD)
def test_a_guard_is_taken_off_where_it_was_put_on(text: str) -> None:
    text = clean(text)
    assert unguarded(guarded(text)) == text
    assert not begins_formula(guarded(text))


@pytest.mark.parametrize("text", ["-", "-5", "-0.5e-7", "red", "'tis", "5", ""])
def test_a_harmless_cell_gets_no_guard(text: str) -> None:
    assert guarded(text) == unguarded(text) == text


@pytest.mark.parametrize("name", sorted(shipped_tables()))
def test_a_shipped_table_comes_back(name: str, tmp_path: Path) -> None:
    kb = open_table(name)
    back, lines, _ = folder_of(kb, str(tmp_path))
    assert lines == ()
    assert (back.fingerprint, back.wording_fingerprint) == (kb.fingerprint, kb.wording_fingerprint)
    bare, _, _ = csv_of(kb, str(tmp_path))
    assert by_name(bare) == by_name(kb)


def test_misreadings_and_blanks_come_back_as_what_they_mean(tmp_path: Path) -> None:
    (tmp_path / "kb.toml").write_text(
        'format = 1\ntitle = "t"\nblank = "no"\nmisreported_weight = 0.1\n[[tests]]\nid = "a"\n'
        'outcomes = [{ id = "yes" }, { id = "no" }]\n'
    )
    (tmp_path / "table.csv").write_text("x,a\none,yes|no!\ntwo,\nthree,?\nfour,-\n")
    back, lines, cells = folder_of(open_table(tmp_path), str(tmp_path))
    assert lines == ()
    assert [row[1] for row in cells] == ["a", "yes:0.9|no:0.1", "no", "?", "-"]
    assert [back.cell(x, 0).outcomes for x in (0, 1, 3)] == [((0, 0.9), (1, 0.1)), ((1, 1.0),), ((2, 1.0),)]
    assert back.blank == "no"


def one_test(test: Test, codes: list[int], **more: Any) -> KnowledgeBase:
    names = [f"h{row}" for row in range(len(codes))]
    hypotheses = tuple(Hypothesis(name, name, 1 / len(codes)) for name in names)
    return replace(KnowledgeBase("t", hypotheses, (test,), array("h", codes)), **more)


def test_ids_that_are_marks_are_renamed_and_named(tmp_path: Path) -> None:
    ids = ("?", "-", "a|b", "a/b", "x!")
    test = Test("p=q", tuple(Outcome(name, name) for name in ids))
    other = Test("r", (Outcome("yes", "yes"), Outcome("no", "no")), needs=((("p=q", "a|b"),),))
    kb = replace(one_test(test, [0, 1, 2, 3, 4]), tests=(test, other), codes=array("h", [0, 0, 1, 0, 2, 0, 3, 1, 4, 1]))
    back, lines, _ = folder_of(kb, str(tmp_path))
    assert back.tests[0].id == "p~q"
    assert [outcome.id for outcome in back.tests[0].outcomes] == ["(?)", "(-)", "a/b", "a/b (2)", "x."]
    assert [outcome.label for outcome in back.tests[0].outcomes] == [*ids]
    assert back.tests[1].needs == ((("p~q", "a/b"),),)
    assert lines[0] == 'renamed tests: "p=q" to "p~q"'
    assert lines[1].startswith('renamed outcomes of "p=q": "?" to "(?)", "-" to "(-)", "a|b" to "a/b"')


def test_numbers_that_do_not_agree_with_cells_leave_the_cells(tmp_path: Path) -> None:
    test = Test("a", (Outcome("<1", "low"), Outcome(">=1", "high")), unit="m", cuts=(1.0,))
    kb = one_test(test, [0, 1], intervals={0: (None, (0.0, 0.5))})
    back, lines, cells = folder_of(kb, str(tmp_path))
    assert [row[1] for row in cells] == ["a", "<1", ">=1"]
    assert back.tests[0].cuts == ()
    assert len(lines) == 1
    assert "cut points are not kept" in lines[0]


def test_a_range_without_end_is_written_with_the_largest_number(tmp_path: Path) -> None:
    test = Test("a", (Outcome("<1", "below 1"), Outcome(">=1", "1 or more")), unit="", cuts=(1.0,))
    kb = one_test(test, [0, 1], intervals={0: ((-5.0, -3.0), (1.0, float("inf")))})
    back, lines, cells = folder_of(kb, str(tmp_path))
    assert [row[1] for row in cells] == ["a", "'-5..-3", "1..1.7976931348623157e+308"]
    assert back.codes == kb.codes
    assert len(lines) == 1


def test_shares_and_priors_that_do_not_sum_to_one_are_scaled(tmp_path: Path) -> None:
    test = Test("a", (Outcome("x", "x"), Outcome("y", "y")), partials=(((0, 3.0), (1, 1.0)),))
    kb = one_test(test, [-2, 0])
    kb = replace(kb, hypotheses=tuple(replace(h, prior=p) for h, p in zip(kb.hypotheses, (3.0, 1.0), strict=True)))
    back, lines, _ = folder_of(kb, str(tmp_path))
    assert back.cell(0, 0).outcomes == ((0, 0.75), (1, 0.25))
    assert [h.prior for h in back.hypotheses] == [0.75, 0.25]
    assert len(lines) == 2


def test_a_test_with_one_outcome_gets_a_second(tmp_path: Path) -> None:
    kb = one_test(Test("a", (Outcome("red", "red"), DOES_NOT_APPLY)), [0, 1])
    back, lines, _ = folder_of(kb, str(tmp_path))
    assert [outcome.id for outcome in back.tests[0].outcomes] == ["red", "not red", "n/a"]
    assert list(back.codes) == [0, 2]
    assert 'a second outcome "not red" is added' in lines[0]


def test_needs_in_a_circle_are_refused(tmp_path: Path) -> None:
    yes = (Outcome("yes", "yes"), Outcome("no", "no"))
    tests = (Test("a", yes, needs=((("b", "yes"),),)), Test("b", yes, needs=((("a", "yes"),),)))
    kb = replace(one_test(tests[0], [0]), tests=tests, codes=array("h", [0, 0]))
    with pytest.raises(DiagnoserError, match="circle"):
        folder_of(kb, str(tmp_path))


def test_a_text_longer_than_a_field_is_refused(tmp_path: Path) -> None:
    kb = yes_no({"x": "1", "y": "0"})
    long = replace(kb.hypotheses[0], note="n" * 131_073)
    with pytest.raises(DiagnoserError, match="131,072"):
        folder_of(replace(kb, hypotheses=(long, kb.hypotheses[1])), str(tmp_path))


def test_a_bare_csv_of_signs_comes_back_the_same(tmp_path: Path) -> None:
    path = tmp_path / "signs.csv"
    path.write_text("name,a,b\nx,+,-\ny,-,-\nz,?,?\n")
    kb = open_table(path)
    back, lines, cells = csv_of(kb, str(tmp_path), "signs2.csv")
    assert back.fingerprint == kb.fingerprint
    assert cells[1:] == [["x", "'+", "-"], ["y", "-", "-"], ["z", "?", "?"]]
    assert lines == ("the title and what the table says of itself are not kept",)


@pytest.mark.parametrize("plus", ["+", "+\t"])
def test_a_sign_becomes_a_word_where_a_minus_means_that_it_does_not_apply(tmp_path: Path, plus: str) -> None:
    kb = one_test(Test("a", (Outcome(plus, "+"), Outcome("-", "-"), DOES_NOT_APPLY)), [0, 1, 2])
    back, lines, cells = csv_of(kb, str(tmp_path))
    assert [row[1] for row in cells] == ["a", "present", "absent", "-"]
    assert [outcome.id for outcome in back.tests[0].outcomes] == ["present", "absent", "n/a"]
    said = f'renamed outcomes of "a": "{plus}" to "present", "-" to "absent"'
    assert said.replace("\t", " ") in lines


@pytest.mark.parametrize("names", [["yes", "no"], ["yes", "n/a"], ["u", "0"]])
def test_names_that_might_be_cells_are_names_in_a_bare_csv(tmp_path: Path, names: list[str]) -> None:
    kb = yes_no(dict(zip(names, ["10", "01"], strict=True)))
    renamed = replace(kb, tests=(replace(kb.tests[0], id="u"), replace(kb.tests[1], id="yes")))
    back, lines, cells = csv_of(renamed, str(tmp_path))
    assert cells[0] == ["", "test u", "test yes"]
    assert [h.id for h in back.hypotheses] == names
    assert list(back.codes) == list(kb.codes)
    assert 'renamed tests: "u" to "test u", "yes" to "test yes"' in lines


def test_a_test_called_like_one_of_its_outcomes_is_renamed_in_a_bare_csv(tmp_path: Path) -> None:
    back, lines, _ = csv_of(
        one_test(Test("red", (Outcome("red", "red"), Outcome("blue", "blue"))), [0, 1]), str(tmp_path)
    )
    assert [test.id for test in back.tests] == ["test red"]
    assert 'renamed tests: "red" to "test red"' in lines


def test_cells_with_several_ranges_may_be_numbered_in_any_order(tmp_path: Path) -> None:
    outcomes = (Outcome("<1", "below 1"), Outcome("1..2", "1 to 2"), Outcome(">=2", "2 or more"))
    partials = (((0, 0.5), (1, 0.5)), ((1, 0.5), (2, 0.5)))
    test = Test("a", outcomes, unit="", cuts=(1.0, 2.0), partials=partials)
    kb = one_test(test, [-3, -2], intervals={0: ((1.5, 2.5), (0.5, 1.5))})
    back, lines, _ = folder_of(kb, str(tmp_path))
    assert lines == ()
    assert meaning(back) == [[{1: 0.5, 2: 0.5}], [{0: 0.5, 1: 0.5}]]


def test_what_a_bare_csv_has_no_place_for_is_said(tmp_path: Path) -> None:
    _, lines, _ = csv_of(open_table("hazmat"), str(tmp_path))
    said = " ".join(lines)
    for words in ("groups", "costs", "questions", "cut points", "reliabilities", "order of outcomes", "labels"):
        assert words in said
    _, lines, _ = csv_of(replace(yes_no({"x": "1", "y": "0"}), title="bare"), str(tmp_path))
    assert lines == ()


def check(schema: Any, value: Any, root: Any, at: str = "") -> None:
    """A small check of a JSON schema; a keyword that it does not know is a mistake."""
    ignored = {"title", "description", "default", "$schema", "$defs"}
    for key, wanted in schema.items():
        match key:
            case "$ref":
                check(root["$defs"][wanted.rpartition("/")[2]], value, root, at)
            case "type":
                kinds = {"string": str, "array": list, "object": dict, "integer": int, "number": (int, float)}
                if wanted == "null" or not isinstance(value, kinds[wanted]):
                    raise ValueError(f"{at} is no {wanted}")
            case "anyOf":
                if not any(fits(one, value, root, at) for one in wanted):
                    raise ValueError(f"{at} is none of those allowed")
            case "properties":
                for name in value.keys() & wanted.keys():
                    check(wanted[name], value[name], root, f"{at}/{name}")
            case "additionalProperties":
                if more := value.keys() - schema["properties"].keys():
                    raise ValueError(f"{at} has {more}")
            case "required":
                if missing := set(wanted) - value.keys():
                    raise ValueError(f"{at} lacks {missing}")
            case "items":
                for place, item in enumerate(value if isinstance(value, list) else ()):
                    check(wanted, item, root, f"{at}/{place}")
            case "minItems":
                if isinstance(value, list) and len(value) < wanted:
                    raise ValueError(f"{at} is too short")
            case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
                lower, strict = "in" in key.lower()[-7:], key.startswith("exclusive")
                if (value == wanted and strict) or (value < wanted if lower else value > wanted):
                    raise ValueError(f"{at} is out of range")
            case "const":
                if value != wanted:
                    raise ValueError(f"{at} is not {wanted}")
            case "enum":
                if value not in wanted:
                    raise ValueError(f"{at} is none of {wanted}")
            case _:
                assert key in ignored, key


def fits(schema: Any, value: Any, root: Any, at: str) -> bool:
    try:
        check(schema, value, root, at)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", sorted(shipped_tables()))
def test_the_schema_accepts_a_shipped_table(name: str) -> None:
    schema = kb_schema()
    check(schema, tomllib.loads((shipped_tables()[name] / "kb.toml").read_text("utf-8")), schema)


@pytest.mark.parametrize(
    "change",
    [
        {"colour": "red"},
        {"format": 2},
        {"title": 5},
        {"tests": []},
        {"tests": [{"id": "a", "outcomes": [{"id": "x"}]}]},
        {"tests": [{"id": "a", "reliability": 1.5}]},
        {"tests": [{"id": "a", "reliability": 0}]},
        {"tests": [{"id": "a", "needs": [3]}]},
        {"misreported_weight": 1},
        {"inapplicable": "maybe"},
        {"groups": [{"name": "without an id"}]},
    ],
)
def test_the_schema_refuses(change: dict[str, Any]) -> None:
    schema = kb_schema()
    good = {"format": 1, "title": "t", "tests": [{"id": "a", "cuts": [1, 2.5], "needs": ["b=yes", ["b=yes", "c=no"]]}]}
    check(schema, good, schema)
    with pytest.raises(ValueError, match=r" (is|has|lacks) "):
        check(schema, good | change, schema)
