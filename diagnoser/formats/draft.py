"""A table in the making, for readers of other programs' files: what they found, put together and checked once.

A reader names the tests and the hypotheses, puts what the file says into cells and says what it leaves out. Cells
that nothing is put into are unknown. A test without any known outcome is left out; one whose rows all have the same
single outcome stays, for the file knows its other outcomes.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from diagnoser.errors import BadTable
from diagnoser.formats.cells import CellError, Partials, bin_outcomes, bins
from diagnoser.formats.prior import scaled
from diagnoser.formats.reading import Reading, Tally
from diagnoser.kb import DOES_NOT_APPLY, NOT_APPLICABLE, UNKNOWN, Group, Hypothesis, KnowledgeBase, Test
from diagnoser.text import clean

MOST_BINS = 8
"""Ranges that are made for a numeric test whose file has no cut points."""

Range = tuple[float, float]
Shares = Mapping[str, float]
"""Outcome ids with positive weights that need not sum to 1; NOT_APPLICABLE is one of the ids."""


@dataclass(slots=True)
class _Column:
    test: Test
    line: int | None
    numeric: bool
    known: frozenset[str]
    """Ids that a cell may have."""
    cells: dict[int, Shares | Range] = field(default_factory=dict)


class Draft:
    """What a reader has found so far."""

    def __init__(self, path: Path, title: str) -> None:
        self.path = path
        self.title = title
        self._hypotheses: list[Hypothesis] = []
        self._groups: list[Group] = []
        self._columns: list[_Column] = []
        self._places: dict[str, int] = {}
        self._lines: dict[str, int | None] = {}
        self._notices: list[str] = []
        self._left_out: list[str] = []
        self._extra_cells = Tally(0, 0, 0, 0, 0, 0)

    def add_test(self, test: Test, line: int | None = None) -> int:
        """The number of a new test; without outcomes it is numeric, its cells are ranges, and it may have cuts.

        Raises BadTable for an id that another test has, and for outcomes with the same id.
        """
        number = self._places.setdefault(test.id, len(self._columns))
        if number < len(self._columns):
            other = self._columns[number]
            where = f"in line {other.line}" if other.line else f"as number {number + 1}"
            problem = f'the test "{test.id}" stands {where} already'
            raise BadTable(self.path, problem, "rename one of them", line=line, value=test.id)
        ids = [outcome.id for outcome in test.outcomes]
        twice = next((name for name, times in Counter(ids).items() if times > 1), None)
        if twice is not None:
            problem = f'the test "{test.id}" has this outcome twice'
            raise BadTable(self.path, problem, "rename one of them", line=line, value=twice)
        self._columns.append(_Column(test, line, numeric=not ids, known=frozenset((*ids, NOT_APPLICABLE))))
        return len(self._columns) - 1

    def test(self, number: int) -> Test:
        """A test as it was added."""
        return self._columns[number].test

    def add_hypothesis(self, hypothesis: Hypothesis, line: int | None = None) -> int:
        """The number of a new hypothesis; its prior is a positive weight. Raises BadTable for an id known already."""
        if not hypothesis.id:
            raise BadTable(self.path, "the hypothesis has no name", "name it", line=line)
        if hypothesis.id in self._lines:
            before = self._lines[hypothesis.id]
            where = f" in line {before}" if before else ""
            problem = f"the hypothesis stands{where} already"
            raise BadTable(self.path, problem, "rename one of them", line=line, value=hypothesis.id)
        self._lines[hypothesis.id] = line
        self._hypotheses.append(hypothesis)
        return len(self._hypotheses) - 1

    def add_group(self, group: Group) -> None:
        """A group that hypotheses name."""
        self._groups.append(group)

    def put(self, hypothesis: int, test: int, said: Shares | Range) -> None:
        """What the file says of one cell: outcomes with weights, or a number or range of a numeric test.

        A numeric test also takes {NOT_APPLICABLE: 1.0}. Raises BadTable for an outcome the test does not have.
        """
        column = self._columns[test]
        if isinstance(said, Mapping):
            for outcome in said:
                if outcome not in column.known:
                    name = self._hypotheses[hypothesis].id
                    problem = f'the test "{column.test.id}" has no such outcome, which stands at "{name}"'
                    line = self._lines[name]
                    raise BadTable(self.path, problem, "mend the cell or declare it", line=line, value=outcome)
        column.cells[hypothesis] = said

    def leave_out(self, words: str, cells: Tally | None = None) -> None:
        """One line on what is not taken and why; `cells`: what it held, for the account."""
        self._left_out.append(clean(words))
        if cells is not None:
            mine = self._extra_cells
            self._extra_cells = Tally(
                mine.hypotheses + cells.hypotheses,
                mine.tests + cells.tests,
                mine.known + cells.known,
                mine.variable + cells.variable,
                mine.unknown + cells.unknown,
                mine.inapplicable + cells.inapplicable,
            )

    def remark(self, words: str) -> None:
        """One line on how something was read; said once however often it comes."""
        if clean(words) not in self._notices:
            self._notices.append(clean(words))

    def finish(self, **more: object) -> Reading:
        """The table with its account; more: further fields of KnowledgeBase, such as scope or cost_unit.

        Raises BadTable where no hypothesis or no test is left.
        """
        if not self._hypotheses:
            raise BadTable(self.path, "there is no hypothesis", "choose a file with rows")
        before = self._before()
        kept = []
        for column in self._columns:
            ranges = [said for said in column.cells.values() if isinstance(said, tuple)]
            if not column.cells:
                self._left_out.append(f'test "{column.test.id}": no row has a known outcome')
            elif column.numeric and not column.test.cuts and not cut_points(ranges):
                self._left_out.append(f'test "{column.test.id}": no two rows have different numbers')
            else:
                kept.append(column)
        if not kept:
            raise BadTable(self.path, "there is no test with a known outcome", "choose a file with a table")
        m, n = len(self._hypotheses), len(kept)
        codes = array("h", bytes(2 * m * n))
        tests: list[Test] = []
        intervals: dict[int, tuple[Range | None, ...]] = {}
        names = {column.test.id for column in kept}
        for index, column in enumerate(kept):
            test, codes[index::n] = self._numeric(column) if column.numeric else self._nominal(column)
            tests.append(test.among(names))
            if column.numeric:
                raw = [column.cells.get(row) for row in range(m)]
                intervals[index] = tuple(cell if isinstance(cell, tuple) else None for cell in raw)
        priors = scaled([hypothesis.prior for hypothesis in self._hypotheses])
        kb = KnowledgeBase(
            title=clean(self.title) or clean(self.path.stem) or "table",
            hypotheses=tuple(replace(h, prior=p) for h, p in zip(self._hypotheses, priors, strict=True)),
            tests=tuple(tests),
            codes=codes,
            groups=tuple(self._groups),
            intervals=intervals,
            notices=tuple(self._notices),
        )
        return Reading(replace(kb, **more), before, tuple(self._left_out), self.path, self._lines)  # type: ignore[arg-type]

    def _before(self) -> Tally:
        known = variable = inapplicable = 0
        for column in self._columns:
            for said in column.cells.values():
                several = isinstance(said, Mapping) and len(said) > 1
                none = isinstance(said, Mapping) and set(said) == {NOT_APPLICABLE}
                variable += several
                inapplicable += none
                known += not several and not none
        extra = self._extra_cells
        m, n = len(self._hypotheses), len(self._columns)
        return Tally(
            m + extra.hypotheses,
            n + extra.tests,
            known + extra.known,
            variable + extra.variable,
            m * n - known - variable - inapplicable + extra.unknown,
            inapplicable + extra.inapplicable,
        )

    def _nominal(self, column: _Column) -> tuple[Test, array[int]]:
        used = any(isinstance(said, Mapping) and NOT_APPLICABLE in said for said in column.cells.values())
        outcomes = (*column.test.outcomes, *([DOES_NOT_APPLY] if used else []))
        place = {outcome.id: index for index, outcome in enumerate(outcomes)}
        partials = Partials()

        def code(row: int) -> int:
            said = column.cells.get(row)
            if not isinstance(said, Mapping):
                return UNKNOWN
            total = sum(said.values())
            return partials.code(tuple(sorted((place[name], share / total) for name, share in said.items())))

        codes = self._codes(column, code)
        return replace(column.test, outcomes=outcomes, partials=tuple(partials)), codes

    def _numeric(self, column: _Column) -> tuple[Test, array[int]]:
        cuts = column.test.cuts or cut_points([said for said in column.cells.values() if isinstance(said, tuple)])
        used = any(isinstance(said, Mapping) for said in column.cells.values())
        outcomes = (*bin_outcomes(cuts, column.test.unit), *([DOES_NOT_APPLY] if used else []))
        partials = Partials()

        def code(row: int) -> int:
            said = column.cells.get(row)
            if said is None:
                return UNKNOWN
            if isinstance(said, Mapping):
                return len(outcomes) - 1
            touched = bins(said, cuts, column.test.tolerance)
            return partials.code(tuple((place, 1 / len(touched)) for place in touched))

        codes = self._codes(column, code)
        unit = column.test.unit or ""
        return replace(column.test, outcomes=outcomes, unit=unit, cuts=cuts, partials=tuple(partials)), codes

    def _codes(self, column: _Column, code: Callable[[int], int]) -> array[int]:
        try:
            return array("h", map(code, range(len(self._hypotheses))))
        except CellError as error:
            raise BadTable(self.path, error.problem, error.remedy, line=column.line, column=column.test.id) from None


def cut_points(ranges: Sequence[Range]) -> tuple[float, ...]:
    """Ascending cuts between the ends of these ranges, at most MOST_BINS - 1; none where all ends are the same.

    Each lies half-way between two neighbouring ends, rounded as far as it stays between them; of more than fit, those
    that part the ends most evenly are kept.
    """
    ends = sorted({end for both in ranges for end in both})
    middles = [_between(low, high) for low, high in pairwise(ends)]
    most = MOST_BINS - 1
    if len(middles) <= most:
        return tuple(middles)
    return tuple(middles[round((place + 1) * len(middles) / (most + 1)) - 1] for place in range(most))


def _between(low: float, high: float) -> float:
    middle = low + (high - low) / 2
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if low < short < high:
            return short
    return high  # nothing lies between neighbouring floats; a cut belongs to the bin on its right


_NOT_IN_IDS = str.maketrans({"|": "/", ":": ";", "!": ".", "=": "~"})


def safe_id(text: str) -> str:
    """A name as the id of an outcome: without the marks that have a meaning in cells and needs."""
    name = clean(text).translate(_NOT_IN_IDS)
    return f"({name})" if name.casefold() in {"", "?", "-", "unknown", NOT_APPLICABLE} else name


def safe_test(text: str) -> str:
    """A name as the id of a test."""
    name = clean(text).replace("=", "~")
    return name or "()"
