"""What changed in a table, named from the marks that a session keeps of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from diagnoser.digests import changes, digests
from diagnoser.formats import open_table
from diagnoser.kb import KnowledgeBase

TABLE = """name,first,second,third
aa,yes,yes,?
ab,yes,no,yes
ba,no,yes,yes|no
bb,no,no,no
cc,no,no,yes|no
"""


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return opened(tmp_path, TABLE)


def opened(folder: Path, text: str) -> KnowledgeBase:
    path = folder / "t.csv"
    path.write_text(text)
    return open_table(path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("ab,yes,no,yes", "ab,yes,yes,yes", 'hypothesis "ab", test "second"'),
        ("aa,yes,yes,?", "aa,yes,yes,no", 'hypothesis "aa", test "third"'),
        ("ba,no,yes,yes|no", "ba,no,yes,?", 'hypothesis "ba", test "third"'),  # cc has what was the table's 1st partial
        ("yes,no,yes\n", "no,yes,yes\n", 'hypothesis "ab", tests "first" and "second"'),
        ("bb,no,no,no\n", "", "1 of the hypotheses gone"),
        ("bb,no,no,no\n", "bb,no,no,no\nzz,yes,no,no\n", 'hypothesis "zz"'),
        ("aa,yes,yes,?\nab,yes,no,yes\n", "ab,yes,no,yes\naa,yes,yes,?\n", "the order of the hypotheses"),
    ],
)
def test_the_changed_row_and_test_are_named(kb: KnowledgeBase, tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in TABLE
    assert changes(digests(kb), opened(tmp_path, TABLE.replace(old, new, 1))) == words


def test_every_single_cell_is_found(kb: KnowledgeBase, tmp_path: Path) -> None:
    before = digests(kb)
    lines = [line.split(",") for line in TABLE.splitlines()]
    for x in range(1, 6):
        for d in range(1, 4):
            changed = [list(line) for line in lines]
            changed[x][d] = "no" if changed[x][d] != "no" else "yes"
            now = opened(tmp_path, "\n".join(map(",".join, changed)) + "\n")
            assert changes(before, now) == f'hypothesis "{lines[x][0]}", test "{lines[0][d]}"'


def test_what_is_no_cell_is_named_as_that(kb: KnowledgeBase) -> None:
    before = digests(kb)
    dearer = replace(kb, tests=(replace(kb.tests[0], cost=3.0), *kb.tests[1:]))
    assert changes(before, dearer) == 'test "first" (cost, outcomes or needs)'
    likelier = replace(kb, hypotheses=(replace(kb.hypotheses[0], prior=0.5), *kb.hypotheses[1:]))
    assert changes(before, likelier) == "the priors"
    grouped = replace(kb, hypotheses=(replace(kb.hypotheses[0], group="g"), *kb.hypotheses[1:]))
    assert changes(before, grouped) == 'hypothesis "aa" (group)'
    assert changes(before, kb.with_tests([0, 1])) == "1 of the tests gone"
    assert changes(before, kb.with_tests([1, 0, 2])) == "the order of the tests"
    one_more = changes(digests(kb.with_tests([0, 1])), kb)
    assert one_more == 'test "third"'


def test_reworded_is_not_changed(kb: KnowledgeBase) -> None:
    other = replace(kb, title="other", tests=tuple(replace(test, question="eh?") for test in kb.tests))
    assert digests(other) == digests(kb)


def test_a_mark_is_short() -> None:
    kb = open_table("gems_minerals")
    assert len(digests(kb).rows) == 8 * len(kb.hypotheses)
    assert len(digests(kb).tests) == 8 * len(kb.tests)
