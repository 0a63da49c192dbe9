"""What is written reads back: folders the same to the fingerprint, CSV with every cell's meaning."""

from __future__ import annotations

import csv
import tempfile
from array import array
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnoser.formats import open_table, shipped_tables, write_csv, write_folder
from diagnoser.formats.folder import read_folder
from diagnoser.formats.formula import guarded, unguarded
from diagnoser.kb import DOES_NOT_APPLY, NOT_APPLICABLE, UNKNOWN, Group, Hypothesis, KnowledgeBase, Outcome, Test

WORDS = st.sampled_from(["red", "dark brown", "no", "0", "+", "-", "=1+1", "@x", "a|b", "c:0.5", "?", 'é, "q"', "'=x"])
several = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def tables(draw: st.DrawFn) -> KnowledgeBase:
    """Small tables with every kind of cell, and with names that mean something elsewhere."""
    m, n = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    tests, columns = [], []
    for e in range(n):
        names = draw(st.lists(WORDS, min_size=2, max_size=4, unique_by=str.casefold))
        none = draw(st.booleans())
        outcomes = (*(Outcome(name, draw(WORDS)) for name in names), *([DOES_NOT_APPLY] if none else []))
        size = len(outcomes)
        pairs = draw(st.lists(st.lists(st.integers(0, size - 1), min_size=2, max_size=size, unique=True), max_size=3))
        partials = []
        for pair in pairs:
            parts = draw(st.lists(st.integers(1, 5), min_size=len(pair), max_size=len(pair)))
            total = sum(parts)
            partials.append(tuple(sorted((v, w / total) for v, w in zip(pair, parts, strict=True))))
        kinds = [*range(size), UNKNOWN, *(-2 - k for k in range(len(partials)))]
        columns.append(draw(st.lists(st.sampled_from(kinds), min_size=m, max_size=m)))
        cost = draw(st.sampled_from([1.0, 0.1, 7.25]))
        tests.append(Test(f"t{e}", outcomes, draw(WORDS), cost=cost, partials=tuple(partials), note=draw(WORDS)))
    names = draw(st.lists(WORDS, min_size=m, max_size=m, unique=True))
    weights = draw(st.lists(st.integers(1, 9), min_size=m, max_size=m))
    group = [draw(st.sampled_from([None, "g"])) for _ in range(m)]
    return KnowledgeBase(
        title=draw(WORDS),
        hypotheses=tuple(
            Hypothesis(x, draw(WORDS), w / sum(weights), g, aliases=(draw(WORDS),))
            for x, w, g in zip(names, weights, group, strict=True)
        ),
        tests=tuple(tests),
        codes=array("h", [column[x] for x in range(m) for column in columns]),
        groups=(Group("g", "Group"),) if "g" in group else (),
    )


def meaning(kb: KnowledgeBase, row: int, test: int) -> object:
    """What a cell says, whatever its outcomes are called: places and shares, or nothing."""
    cell = kb.cell(row, test)
    if cell.unknown:
        return "unknown"
    shares = sorted(round(share, 12) for _, share in cell.outcomes)
    inapplicable = [share for v, share in cell.outcomes if kb.tests[test].outcomes[v].id == NOT_APPLICABLE]
    return shares, [round(share, 12) for share in inapplicable]


def same_cells(one: KnowledgeBase, other: KnowledgeBase, tests: list[str]) -> None:
    for row in range(len(one.hypotheses)):
        for there, name in enumerate(tests):
            assert meaning(one, row, one.test_index[name]) == meaning(other, row, there)
    for there, name in enumerate(tests):  # equal cells stay equal, different ones different
        here = one.test_index[name]
        cells = [one.cell(row, here) for row in range(len(one.hypotheses))]
        back = [other.cell(row, there) for row in range(len(one.hypotheses))]
        for a, b in zip(cells, back, strict=True):
            for c, d in zip(cells, back, strict=True):
                if not a.unknown and not c.unknown and len(a.outcomes) == len(c.outcomes) == 1:
                    assert (a == c) == (b == d)


@several
@given(tables())
def test_a_folder_reads_back(kb: KnowledgeBase) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "out"
        lost = write_folder.write(kb, folder)
        back = read_folder(folder).kb
    assert [h.prior for h in back.hypotheses] == pytest.approx([h.prior for h in kb.hypotheses], rel=1e-15)
    assert [h.group for h in back.hypotheses] == [h.group for h in kb.hypotheses]
    same_cells(kb, back, [test.id for test in kb.tests])
    if not lost:
        assert [o.label for t in back.tests for o in t.outcomes] == [o.label for t in kb.tests for o in t.outcomes]


@pytest.mark.parametrize("name", shipped_tables())
def test_shipped_tables_come_back_the_same(name: str, tmp_path: Path) -> None:
    kb = open_table(name)
    assert write_folder.write(kb, tmp_path / name) == ()
    back = open_table(tmp_path / name)
    assert (back.fingerprint, back.wording_fingerprint) == (kb.fingerprint, kb.wording_fingerprint)


@several
@given(tables())
def test_a_csv_file_reads_back_and_begins_no_formula(kb: KnowledgeBase) -> None:
    known = [test.id for e, test in enumerate(kb.tests) if any(_applies(kb, row, e) for row in range(_rows(kb)))]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "out.csv"
        if not known:
            return
        write_csv.write(kb, path)
        back = open_table(path)
        with path.open(newline="", encoding="utf-8") as file:
            fields = [field for row in csv.reader(file) for field in row]
    same_cells(kb, back, known)
    assert not [f for f in fields if f[:1] in {"=", "+", "@", "\t", "\r"} or (f[:1] == "-" and f != "-")]


def _rows(kb: KnowledgeBase) -> int:
    return len(kb.hypotheses)


def _applies(kb: KnowledgeBase, row: int, test: int) -> bool:
    cell = kb.cell(row, test)
    return not cell.unknown and any(kb.tests[test].outcomes[v].id != NOT_APPLICABLE for v, _ in cell.outcomes)


@pytest.mark.parametrize("text", ["=1", "+a", "@b", "-c", "'=1", "''+", "-", "-2.5", "plain", "'quoted'"])
def test_the_quote_before_a_formula_is_taken_off_again(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert guarded(text)[0] not in "=+@"
