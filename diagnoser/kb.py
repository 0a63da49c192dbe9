"""A knowledge base: hypotheses by tests, in frozen values.

Cells are kept as one flat array of 16-bit codes, row after row, the same codes that `algos` reads:

    code >= 0   the single outcome with this index in the test's list
    -1          unknown: the table is silent, every applicable outcome is equally likely
    <= -2       entry -2 - code of the test's `partials`: several outcomes with probabilities

"Does not apply" is an outcome of its own, `NOT_APPLICABLE`, last in the list of every test that has such a cell;
an unknown cell does not stand for it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

from diagnoser.errors import UsageError

UNKNOWN = -1
NOT_APPLICABLE = "n/a"
MAX_PARTIALS = 30_000

Partial = tuple[tuple[int, float], ...]
"""Outcome indices with their probabilities, ascending; probabilities sum to 1."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One possible result of a test: a stable id for files, a label for people."""

    id: str
    label: str


DOES_NOT_APPLY = Outcome(NOT_APPLICABLE, "does not apply")


@dataclass(frozen=True, slots=True)
class Test:
    """One question: its outcomes in declared order, its cost, and how to ask it."""

    __test__: ClassVar[bool] = False  # pytest must not collect it

    id: str
    outcomes: tuple[Outcome, ...]
    name: str = ""
    question: str = ""
    cost: float = 1.0
    category: str = ""
    reliability: float | None = None
    unit: str | None = None
    """Text after the number; None for a test that is not numeric."""
    cuts: tuple[float, ...] = ()
    """Ascending cut points of a numeric test; bin i holds cuts[i-1] <= value < cuts[i]."""
    tolerance: float = 0.0
    """The table's plus-minus, in the test's unit."""
    needs: tuple[tuple[tuple[str, str], ...], ...] = ()
    """All of these must hold; each is a set of (test id, outcome id) of which any will do."""
    same_evidence: tuple[str, ...] = ()
    provenance: str = ""
    note: str = ""
    partials: tuple[Partial, ...] = ()

    @property
    def title(self) -> str:
        """The short name for lists."""
        return self.name or self.id

    @property
    def applicable(self) -> int:
        """Number of outcomes without "does not apply"."""
        return len(self.outcomes) - (self.outcomes[-1].id == NOT_APPLICABLE)

    def among(self, tests: Set[str]) -> Test:
        """The test where only these others are left."""
        needs = (tuple(need for need in any_of if need[0] in tests) for any_of in self.needs)
        same = tuple(test for test in self.same_evidence if test in tests)
        return replace(self, needs=tuple(any_of for any_of in needs if any_of), same_evidence=same)

    def outcome_index(self, outcome: str) -> int | None:
        """Position of an outcome id, or None."""
        for index, known in enumerate(self.outcomes):
            if known.id == outcome:
                return index
        return None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One thing the case may turn out to be."""

    id: str
    name: str
    prior: float
    """Probability before any answer; the priors of a table sum to 1."""
    group: str | None = None
    aliases: tuple[str, ...] = ()
    note: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Group:
    """Hypotheses that are treated alike, and what to do for them."""

    id: str
    name: str
    action: str = ""
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """What the table says of one hypothesis on one test."""

    outcomes: Partial
    unknown: bool = False
    interval: tuple[float, float] | None = None
    """The raw number or range of a numeric test."""


@dataclass(frozen=True, eq=False)
class KnowledgeBase:
    """A whole table. Index order, which settles ties, is the order of `tests` and of each test's outcomes."""

    title: str
    hypotheses: tuple[Hypothesis, ...]
    tests: tuple[Test, ...]
    codes: array[int]
    """m * n codes of type 'h', row after row."""
    groups: tuple[Group, ...] = ()
    intervals: Mapping[int, tuple[tuple[float, float] | None, ...]] = field(default_factory=dict)
    """Raw numbers or ranges by index of numeric test, one entry a hypothesis."""
    version: str = ""
    licence: str = ""
    scope: str = ""
    disclaimer: str = ""
    sources: tuple[str, ...] = ()
    hypothesis_word: str = "hypothesis"
    hypotheses_word: str = "hypotheses"
    cost_unit: str = "tests"
    blank: str = "unknown"
    notices: tuple[str, ...] = ()
    """What the reader wants said about the file, one line each."""

    def code(self, hypothesis: int, test: int) -> int:
        """The code of one cell."""
        return self.codes[hypothesis * len(self.tests) + test]

    def cell(self, hypothesis: int, test: int) -> Cell:
        """One cell as outcome indices with probabilities."""
        code, asked = self.code(hypothesis, test), self.tests[test]
        raw = self.intervals.get(test)
        interval = raw[hypothesis] if raw else None
        if code >= 0:
            return Cell(((code, 1.0),), interval=interval)
        if code == UNKNOWN:
            share = 1.0 / asked.applicable
            return Cell(tuple((v, share) for v in range(asked.applicable)), unknown=True)
        return Cell(asked.partials[-2 - code], interval=interval)

    @cached_property
    def test_index(self) -> Mapping[str, int]:
        """Position of each test id."""
        return {test.id: index for index, test in enumerate(self.tests)}

    @cached_property
    def hypothesis_index(self) -> Mapping[str, int]:
        """Position of each hypothesis id."""
        return {hypothesis.id: index for index, hypothesis in enumerate(self.hypotheses)}

    @cached_property
    def group_by_id(self) -> Mapping[str, Group]:
        """Each declared group."""
        return {group.id: group for group in self.groups}

    @cached_property
    def group_of(self) -> tuple[int, ...]:
        """Number of each hypothesis' group; a hypothesis without one is a group of its own."""
        numbers: dict[str | tuple[str], int] = {}
        return tuple(numbers.setdefault(h.group or (h.id,), len(numbers)) for h in self.hypotheses)

    @cached_property
    def evidence_of(self) -> tuple[int, ...]:
        """Number of each test's set of tests that repeat its evidence, directly or through another; -1 for none."""
        sets = [
            {self.test_index[test.id], *(self.test_index[other] for other in test.same_evidence)} for test in self.tests
        ]
        merged: list[set[int]] = []
        for members in sets:
            apart = [known for known in merged if not known & members]
            merged = [*apart, members.union(*(known for known in merged if known & members))]
        numbers = {test: number for number, members in enumerate(merged) if len(members) > 1 for test in members}
        return tuple(numbers.get(test, -1) for test in range(len(self.tests)))

    @cached_property
    def needs_by_index(self) -> tuple[tuple[tuple[tuple[int, int], ...], ...], ...]:
        """`Test.needs` of each test with positions of tests and outcomes in place of ids."""

        def position(test: str, outcome: str) -> tuple[int, int]:
            index = self.test_index[test]
            place = self.tests[index].outcome_index(outcome)
            if place is None:
                raise UsageError(f'test "{test}" has no outcome "{outcome}"')
            return index, place

        return tuple(tuple(tuple(position(*need) for need in any_of) for any_of in test.needs) for test in self.tests)

    def with_tests(self, indices: Sequence[int]) -> KnowledgeBase:
        """The table with these tests only, in this order; what they need of the others is dropped with a notice.

        Raises UsageError for no index, one that does not exist, or one given twice.
        """
        n = len(self.tests)
        if not indices or len(set(indices)) < len(indices) or not all(0 <= index < n for index in indices):
            raise UsageError(f"tests are chosen once each by numbers from 0 to {n - 1}")
        kept = {self.tests[index].id for index in indices}
        tests = tuple(self.tests[index].among(kept) for index in indices)
        codes = array("h", bytes(2 * len(self.hypotheses) * len(tests)))
        for place, index in enumerate(indices):
            codes[place :: len(tests)] = self.codes[index::n]
        intervals = {place: self.intervals[index] for place, index in enumerate(indices) if index in self.intervals}
        freed = [
            f'"{self.tests[i].id}"' for i, test in zip(indices, tests, strict=True) if test.needs != self.tests[i].needs
        ]
        notice = (f"needs of tests left out are dropped from {', '.join(freed)}",) if freed else ()
        return replace(self, tests=tests, codes=codes, intervals=intervals, notices=(*self.notices, *notice))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over all that decides which test is asked: ids in order, cells, priors, costs, needs, groups."""
        return _digest(self._decisive())

    @cached_property
    def wording_fingerprint(self) -> str:
        """SHA-256 over what people read: titles, names, questions, labels, notes, actions."""
        return _digest(self._wording())

    def _decisive(self) -> Iterator[object]:
        yield [(h.id, h.prior.hex(), h.group) for h in self.hypotheses]
        for test in self.tests:
            yield [test.id, [o.id for o in test.outcomes], test.cost.hex(), test.reliability, test.cuts, test.tolerance]
            yield [test.needs, test.same_evidence, test.partials]
        yield [(test, raw) for test, raw in sorted(self.intervals.items())]
        yield self.codes

    def _wording(self) -> Iterator[object]:
        yield [self.title, self.version, self.licence, self.scope, self.disclaimer, self.sources, self.cost_unit]
        yield [self.hypothesis_word, self.hypotheses_word]
        yield [(h.name, h.aliases, h.note, sorted(h.extra.items())) for h in self.hypotheses]
        for test in self.tests:
            yield [test.name, test.question, test.category, test.unit, test.provenance, test.note]
            yield [o.label for o in test.outcomes]
        yield [(g.id, g.name, g.action, g.warning) for g in self.groups]


def _digest(parts: Iterator[object]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, array):
            little = array(part.typecode, part)
            if sys.byteorder == "big":
                little.byteswap()
            digest.update(little.tobytes())
        else:
            digest.update(json.dumps(part, ensure_ascii=True, separators=(",", ":")).encode() + b"\n")
    return digest.hexdigest()
