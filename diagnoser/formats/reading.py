"""What was read from a file: the table, what the file held, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from diagnoser.errors import UsageError
from diagnoser.kb import NOT_APPLICABLE, UNKNOWN, KnowledgeBase

BLANKS = ("unknown", "no")
"""What a blank cell of a case may mean."""


@dataclass(frozen=True, slots=True)
class How:
    """How a file is to be read where it cannot say so itself."""

    cases: str | None = None
    """The column that names each row's diagnosis: rows are cases, to be grouped into frequencies."""
    absent: str = "unknown"
    """What a blank cell of a case means: "unknown", or the outcome that the column's other word is opposed to, "no"."""
    sheet: str | None = None
    """The sheet of a spreadsheet; the only one that has cells where left out."""

    def __post_init__(self) -> None:
        """Raises UsageError for another meaning of a blank."""
        if self.absent not in BLANKS:
            raise UsageError(f'a blank cannot mean "{self.absent}"; known: {", ".join(BLANKS)}')


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of a table's parts and of its cells by kind."""

    hypotheses: int
    tests: int
    known: int
    """Cells with one outcome, or with a number or a range."""
    variable: int
    """Cells with several outcomes."""
    unknown: int
    inapplicable: int

    @classmethod
    def of(cls, kb: KnowledgeBase) -> Tally:
        """The counts of a table as it is asked from."""
        n = len(kb.tests)
        known = variable = inapplicable = 0
        for index, test in enumerate(kb.tests):
            codes = kb.codes[index::n]
            counts = Counter(codes)
            single = [counts[v] for v in range(len(test.outcomes))]
            several = len(codes) - counts[UNKNOWN] - sum(single)
            none = single.pop() if test.outcomes[-1].id == NOT_APPLICABLE else 0
            if index in kb.intervals:  # a range across a cut point is one value, whatever bins it touches
                ranges = sum(c < UNKNOWN and i is not None for c, i in zip(codes, kb.intervals[index], strict=True))
                several, single = several - ranges, [*single, ranges]
            known, variable, inapplicable = known + sum(single), variable + several, inapplicable + none
        total = len(kb.codes)
        return cls(len(kb.hypotheses), n, known, variable, total - known - variable - inapplicable, inapplicable)


@dataclass(frozen=True)
class Reading:
    """A table with an account of its file."""

    kb: KnowledgeBase
    before: Tally
    """What the file held, whether or not it was taken."""
    left_out: tuple[str, ...] = ()
    """What was not taken and why, one line each; nothing else of the file is lost."""
    file: Path | None = None
    """Where the rows stand, with `lines`; None where the format has no lines."""
    lines: Mapping[str, int | None] = field(default_factory=dict)
    """The line of each hypothesis, by id."""

    @cached_property
    def after(self) -> Tally:
        """What the table holds."""
        return Tally.of(self.kb)

    @property
    def told(self) -> KnowledgeBase:
        """The table, with what was left out among its notices."""
        return replace(self.kb, notices=(*self.kb.notices, *(f"left out: {line}" for line in self.left_out)))
