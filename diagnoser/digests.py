"""Short marks of a table's rows and tests, so that a session can say later which of them changed.

A mark is 48 bits over what decides: a row's over its group and its cells, a test's over its outcomes, its cost and its
cells, each cell with the name of what it belongs to. So a changed cell shows in one row and in one test, whatever their
order. The priors have no mark: one more row changes them all.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diagnoser.kb import UNKNOWN, Hypothesis, KnowledgeBase, Test

_BYTES, _LETTERS = 6, 8
MOST_NAMED = 3
"""Rows or tests that are named; of more, their number is said."""


@dataclass(frozen=True, slots=True)
class Digests:
    """One mark of eight letters for each row and for each test, in the table's order, without anything between."""

    rows: str
    tests: str


def digests(kb: KnowledgeBase) -> Digests:
    """The marks of a table."""
    columns = [_cells(kb, place) for place in range(len(kb.tests))]
    by_name = sorted(range(len(kb.tests)), key=lambda d: kb.tests[d].id)
    rows_by_name = sorted(range(len(kb.hypotheses)), key=lambda x: kb.hypotheses[x].id)
    row_ids, test_ids = _ids(kb.hypotheses), _ids(kb.tests)
    rows = (
        _mark([h.id, h.group], (part for d in by_name for part in (test_ids[d], columns[d][x])))
        for x, h in enumerate(kb.hypotheses)
    )
    tests = (
        _mark(_decisive(test), (part for x in rows_by_name for part in (row_ids[x], column[x])))
        for test, column in zip(kb.tests, columns, strict=True)
    )
    return Digests("".join(rows), "".join(tests))


def changes(recorded: Digests, kb: KnowledgeBase) -> str:
    """Where a table is not as it was, given that its fingerprint differs: `substance "chlorine", test "ph"`."""
    now = digests(kb)
    rows = _compared(recorded.rows, now.rows, [hypothesis.id for hypothesis in kb.hypotheses])
    tests = _compared(recorded.tests, now.tests, [test.id for test in kb.tests])
    # A row put in or taken out shows in every test, and a test in every row.
    through_rows = bool(rows.gone or (rows.changed and not rows.all_changed))
    through_tests = bool(tests.gone or (tests.changed and not tests.all_changed))
    parts = []
    if rows.changed and not (rows.all_changed and through_tests):
        parts.append(_named(kb.hypothesis_word, kb.hypotheses_word, rows.changed))
        parts[-1] += "" if tests.changed else " (group)"
    if tests.changed and not (tests.all_changed and through_rows):
        parts.append(_named("test", "tests", tests.changed))
        parts[-1] += "" if rows.changed else " (cost, outcomes or needs)"
    for found, words in ((rows, kb.hypotheses_word), (tests, "tests")):
        if found.gone:
            parts.append(f"{found.gone:,} of the {words} gone")
        if found.moved:
            parts.append(f"the order of the {words}")
    return ", ".join(parts) or "the priors"


@dataclass(frozen=True, slots=True)
class _Compared:
    changed: list[str]
    """Ids whose marks were not there before."""
    all_changed: bool
    gone: int
    """How many fewer there are."""
    moved: bool
    """The order of those that are as before is another."""


def _compared(before: str, after: str, ids: Sequence[str]) -> _Compared:
    old, new = _split(before), _split(after)
    known = set(old)
    changed = [name for mark, name in zip(new, ids, strict=True) if mark not in known]
    kept = [mark for mark in new if mark in known]
    stayed = set(kept)
    moved = [mark for mark in old if mark in stayed] != kept
    return _Compared(changed, len(changed) == len(new), max(0, len(old) - len(new)), moved)


def _named(one: str, several: str, ids: Sequence[str]) -> str:
    if len(ids) > MOST_NAMED:
        return f"{len(ids):,} {several}"
    return f"{one if len(ids) == 1 else several} " + " and ".join(f'"{name}"' for name in ids)


def _split(marks: str) -> list[str]:
    return [marks[start : start + _LETTERS] for start in range(0, len(marks), _LETTERS)]


def _mark(head: list[object], cells: Iterable[bytes]) -> str:
    digest = hashlib.blake2b(json.dumps(head).encode(), digest_size=_BYTES)
    digest.update(b"".join(cells))
    return base64.b64encode(digest.digest()).decode("ascii")


def _decisive(test: Test) -> list[object]:
    outcomes = [outcome.id for outcome in test.outcomes]
    about = [test.id, outcomes, test.cost.hex(), test.reliability, test.cuts, test.tolerance]
    return [*about, test.needs, test.same_evidence]


def _ids(of: Sequence[Hypothesis] | Sequence[Test]) -> list[bytes]:
    return [json.dumps(one.id).encode() for one in of]


def _cells(kb: KnowledgeBase, place: int) -> list[bytes]:
    """What each row holds under a test; entries of `partials` by what they say, for their numbers may shift."""
    codes = kb.codes[place :: len(kb.tests)]
    partials = kb.tests[place].partials
    words = {code: json.dumps(code if code >= UNKNOWN else partials[-2 - code]).encode() + b";" for code in set(codes)}
    raw = kb.intervals.get(place)
    if raw is None:
        return [words[code] for code in codes]
    return [words[code] + json.dumps(raw[row]).encode() for row, code in enumerate(codes)]
