"""The project's own format: a folder with kb.toml and table.csv, as docs/table-format.md describes it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from diagnoser.errors import BadTable
from diagnoser.formats.cells import CellError, Partials, alternatives, bins, interval, number, weigh, weight
from diagnoser.formats.formula import unguarded
from diagnoser.formats.kb_toml import Declared, Head, read_head
from diagnoser.formats.prior import scaled
from diagnoser.formats.reading import Reading, Tally
from diagnoser.formats.rows import records
from diagnoser.kb import DOES_NOT_APPLY, UNKNOWN, Hypothesis, KnowledgeBase, Test
from diagnoser.text import clean, nearest

_Interval = tuple[float, float] | None


def read_folder(folder: Path) -> Reading:
    """Read kb.toml and table.csv of a folder. Raises BadTable, whose `others` are further cells that are wrong."""
    declared = read_head(folder / "kb.toml")
    head = declared.head
    sheet, weights, left_out = _weighted(_read_sheet(folder / "table.csv", declared), head)
    hypotheses = _hypotheses(sheet, weights, declared)
    used = {hypothesis.group for hypothesis in hypotheses}
    unused = [f'group "{group.id}" has no member' for group in declared.groups if group.id not in used]
    tests: list[Test] = []
    codes = array("h", bytes(2 * len(hypotheses) * len(declared.tests)))
    intervals: dict[int, tuple[_Interval, ...]] = {}
    columns = [_Column(sheet, test, head) for test in declared.tests]
    if wrong := [error for column in columns for error in column.errors]:
        wrong[0].others = tuple(wrong[1:])
        raise wrong[0]
    for index, (test, column) in enumerate(zip(declared.tests, columns, strict=True)):
        codes[index :: len(declared.tests)] = column.codes()
        tests.append(column.test())
        if test.cuts:
            intervals[index] = column.intervals()
    kb = KnowledgeBase(
        title=head.title,
        hypotheses=hypotheses,
        tests=tuple(tests),
        codes=codes,
        groups=declared.groups,
        intervals=intervals,
        version=head.version,
        licence=head.licence,
        scope=head.scope,
        disclaimer=head.disclaimer,
        sources=tuple(head.sources),
        hypothesis_word=head.hypothesis,
        hypotheses_word=head.hypotheses or _plural(head.hypothesis),
        cost_unit=head.cost_unit,
        blank=head.blank,
        notices=tuple(unused),
    )
    lines = dict(zip((h.id for h in hypotheses), sheet.lines, strict=True))
    return Reading(kb, Tally.of(kb), tuple(left_out), sheet.path, lines)


def _plural(word: str) -> str:
    return "hypotheses" if word == "hypothesis" else f"{word}s"


@dataclass(frozen=True, slots=True)
class _Sheet:
    """table.csv: where each column is, and its rows with the lines they begin on."""

    path: Path
    places: dict[str, int]
    rows: list[list[str]]
    lines: list[int]

    def column(self, name: str | None) -> list[str]:
        """The fields of one column; empty texts for none."""
        return [row[self.places[name]] for row in self.rows] if name else [""] * len(self.rows)

    def error(self, row: int, column: str, problem: str, remedy: str, value: str | None = None) -> BadTable:
        """The error in one field."""
        return BadTable(self.path, problem, remedy, line=self.lines[row], column=column, value=value)


def _read_sheet(path: Path, declared: Declared) -> _Sheet:
    lines: list[int] = []
    rows: list[list[str]] = []
    names: list[str] = []
    for line, row in records(path):
        fields = [unguarded(clean(field)) for field in row]
        if not names:
            names, widest = fields, len(fields)
            while names and not names[-1]:
                names.pop()
            if not names:
                raise BadTable(path, "the header is empty", "name every column", line=line)
            places = _places(path, line, names, declared)
        elif any(fields):
            if not len(names) <= len(fields) <= widest or any(fields[len(names) :]):
                problem = f"the row has {len(fields)} fields, the header {len(names)}"
                raise BadTable(path, problem, "add or remove commas; put a field with a comma in quotes", line=line)
            rows.append(fields)
            lines.append(line)
    if not rows:
        raise BadTable(path, "there is a header and no row", "add a row for each hypothesis")
    return _Sheet(path, places, rows, lines)


def _places(path: Path, line: int, names: Sequence[str], declared: Declared) -> dict[str, int]:
    """The place of every column, the first one's too, once they are all known and all there."""
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if not name and place:
            raise BadTable(path, "the column has no name", "name it or remove it", line=line, column=place + 1)
        if name in places:
            problem = f"column {places[name] + 1} has this name too"
            raise BadTable(path, problem, "remove one of them", line=line, column=place + 1, value=name)
        places[name] = place
    wanted = [*(column for _, column in declared.head.columns.places()), *(test.id for test in declared.tests)]
    unknown = [name for name in names[1:] if name not in set(wanted)]
    missing = [name for name in wanted if name not in places]
    if names[0] in wanted:
        problem = "the first column is the name of the hypothesis and nothing else"
        raise BadTable(path, problem, "put a column of names in front", line=line, column=1, value=names[0])
    if missing:
        problem = f"no column for {_quoted(missing)} of kb.toml"
        remedy = f"add it{f', or is it {_quoted(unknown)}?' if unknown else ' or take it out of kb.toml'}"
        raise BadTable(path, problem, remedy, line=line)
    if unknown:
        problem = f"kb.toml does not name {_quoted(unknown)}"
        raise BadTable(path, problem, "add a test or name it under [columns], or remove it", line=line)
    return places


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _weighted(sheet: _Sheet, head: Head) -> tuple[_Sheet, list[float], list[str]]:
    """The rows whose prior is not 0, their priors before scaling, and what is left out with the others."""
    name = head.columns.prior
    if not name:
        return sheet, [1.0] * len(sheet.rows), []
    kept: dict[int, float] = {}
    notices: list[str] = []
    for row, text in enumerate(sheet.column(name)):
        if number(text) == 0:
            notices.append(f'line {sheet.lines[row]}: "{sheet.rows[row][0]}" has prior 0')
            continue
        try:
            kept[row] = weight(text)
        except CellError as error:
            raise sheet.error(row, name, error.problem, error.remedy, text) from None
    if not kept:
        raise sheet.error(0, name, "every prior is 0", "give the rows positive priors")
    rows, lines = [sheet.rows[row] for row in kept], [sheet.lines[row] for row in kept]
    return replace(sheet, rows=rows, lines=lines), list(kept.values()), notices


def _hypotheses(sheet: _Sheet, weights: Sequence[float], declared: Declared) -> tuple[Hypothesis, ...]:
    columns = declared.head.columns
    first = next(iter(sheet.places))
    names = [row[0] for row in sheet.rows]
    ids = sheet.column(columns.id) if columns.id else names
    for column, texts in {first: names, columns.id or first: ids}.items():
        seen: dict[str, int] = {}
        for row, text in enumerate(texts):
            if not text:
                raise sheet.error(row, column, "the hypothesis has no name or id", "write it")
            if text in seen:
                problem = f"line {sheet.lines[seen[text]]} has it too"
                raise sheet.error(row, column, problem, "rename one of them", text)
            seen[text] = row
    known = [group.id for group in declared.groups]
    groups = sheet.column(columns.group)
    for row, group in enumerate(groups):
        if group and group not in known:
            problem = "kb.toml has no such group"
            raise sheet.error(row, columns.group or "", problem, nearest(group, known), group)
    extra = [{name: row[sheet.places[name]] for name in columns.extra if row[sheet.places[name]]} for row in sheet.rows]
    priors, notes = scaled(weights), sheet.column(columns.note)
    aliases = [_several(text) for text in sheet.column(columns.aliases)]
    return tuple(
        Hypothesis(ids[row], name, priors[row], groups[row] or None, aliases[row], notes[row], extra[row])
        for row, name in enumerate(names)
    )


def _several(text: str) -> tuple[str, ...]:
    return tuple(alias for part in text.split("|") if (alias := part.strip()))


class _Column:
    """The cells of one test, `errors` where there are any. A text that occurs again costs one look-up."""

    def __init__(self, sheet: _Sheet, test: Test, head: Head) -> None:
        self._test, self._head = test, head
        self._texts = sheet.column(test.id)
        self._places = {outcome.id: index for index, outcome in enumerate(test.outcomes)}
        if head.inapplicable == "outcome":
            self._places["-"] = len(test.outcomes)
        self._partials = Partials()
        self._code: dict[str, int] = {}
        self._interval: dict[str, tuple[float, float]] = {}
        self.errors: list[BadTable] = []
        for text in dict.fromkeys(self._texts):
            try:
                self._code[text] = self._read(text)
            except CellError as error:
                row = self._texts.index(text)
                self.errors.append(sheet.error(row, test.id, error.problem, error.remedy, text))

    def codes(self) -> array[int]:
        """One code a row."""
        return array("h", map(self._code.__getitem__, self._texts))

    def intervals(self) -> tuple[_Interval, ...]:
        """The number or range of each row."""
        return tuple(map(self._interval.get, self._texts))

    def test(self) -> Test:
        """The test with what its cells add to it."""
        last = len(self._test.outcomes)
        partials = tuple(self._partials)
        inapplicable = last in self._code.values() or any(cell[-1][0] == last for cell in partials)
        more = (DOES_NOT_APPLY,) if inapplicable else ()
        return replace(self._test, outcomes=(*self._test.outcomes, *more), partials=partials)

    def _read(self, text: str) -> int:
        if not text:
            if self._head.blank == "unknown":
                return UNKNOWN
            if self._head.blank in self._places:
                return self._places[self._head.blank]
            problem = f'a blank means "{self._head.blank}", which is no outcome of this test'
            raise CellError(problem, 'write "?" if it is unknown')
        if text == "?" or (text == "-" and self._head.inapplicable == "unknown"):
            return UNKNOWN
        if self._test.cuts and text != "-":
            ends = self._interval[text] = interval(text)
            touched = bins(ends, self._test.cuts, self._test.tolerance)
            return self._partials.code(tuple((index, 1.0 / len(touched)) for index in touched))
        parts = alternatives(text)
        for part in parts:
            if part.label not in self._places:
                raise CellError(f'no outcome "{part.label}" of this test', nearest(part.label, self._places))
        indices = [self._places[part.label] for part in parts]
        return self._partials.code(weigh(parts, indices, self._head.misreported_weight))
