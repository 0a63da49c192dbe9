"""A bare CSV file: a table without kb.toml, whose outcomes are the words in its cells.

Line 1 is a header unless every field of it that would name a test is a cell: one of the words and marks below, or a
number that its own column holds again. Counting up from 0 or 1 (`0,1,2`) is a header too. Where only some fields
look like cells, a word stands again in its own column, or it counts to two, either reading may be wrong, and the
file is refused.

The first column names the hypotheses unless it holds cells: nothing but words and marks, or nothing but words, marks
and numbers of which a half or more are repeats. A column without a header never is a test. Names must differ: a text
column with repeats is a column of names with a mistake, never a test. Without names the rows are `H1`, `H2`, ...

Everything that might have been read otherwise is said in the notices.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from diagnoser.errors import BadTable
from diagnoser.formats.cells import Alternative, CellError, Partials, alternatives, number, weigh
from diagnoser.formats.formula import unguarded
from diagnoser.formats.reading import How, Reading, Tally
from diagnoser.formats.rows import loose_records
from diagnoser.kb import DOES_NOT_APPLY, MAX_PARTIALS, UNKNOWN, Hypothesis, KnowledgeBase, Outcome, Test
from diagnoser.text import clean, looks

POSITIVE = ("1", "yes", "true", "present", "+")
NEGATIVE = ("0", "no", "false", "absent", "-")
RANK = {word: rank for rank, word in enumerate(POSITIVE + NEGATIVE)}
PARTNER = dict(zip(POSITIVE + NEGATIVE, NEGATIVE + POSITIVE, strict=True))
_SHEET_ERRORS = {"#n/a", "#ref!", "#div/0!", "#value!", "#name?", "#num!", "#null!"}
_UNKNOWN = frozenset({"", "?", "*", "u", "na", "n/a", "n.a.", "<na>", "nan", "null", "unknown"} | _SHEET_ERRORS)
_PLAIN_UNKNOWN = frozenset({"", "?", "unknown"})
_DASHES = frozenset("\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}")
_NO_TESTS = frozenset({"group", "prior", "aliases"})
"""Columns of a folder's table that are no tests unless they are declared."""
NO_NAMES = frozenset({"", "?", "*", "+", "-"})
_MISREPORTED_WEIGHT = 0.05
_MANY = 10
_SAMPLE = 200


def read(path: Path, how: How) -> Reading:
    """Read a CSV file, of cases where `how` says so. Raises BadTable."""
    rows, notices = loose_records(path)
    return read_rows(path, rows, how, notices)


def read_rows(path: Path, rows: Iterable[tuple[int, list[str]]], how: How, said: Sequence[str]) -> Reading:
    """The table that these rows make, each with its line; said: notices on how they were come by. Raises BadTable."""
    if how.cases is not None:
        from diagnoser.formats.cases import group_cases

        return group_cases(path, rows, how, said)
    grid = _read_grid(path, rows)
    first, named = _layout(grid)
    m = len(grid.lines) - first
    ids = _hypothesis_ids(grid, first) if named else [f"H{row + 1}" for row in range(m)]
    notices = _Notices()
    for words in said:
        notices.say(words)
    if not first:
        notices.say("line 1 is read as a row, not as a header: the tests are called T1, T2, ...")
    if not named:
        notices.say("the file has no column of names: the hypotheses are called H1, H2, ...")
    elif all(number(name) is not None for name in ids):
        notices.say("the numbers in the first column are read as the names of the hypotheses")
    if grid.blank_rows:
        notices.say(f"rows without any cell filled in are left out: {grid.blank_rows}")
    if _looks_transposed(grid, first, int(named)):
        notices.say("the table looks transposed: the cells of a row are more alike than those of a column")
    _remark_on_names(ids, notices)
    left_out: list[str] = []
    tests: list[Test] = []
    columns: list[array[int]] = []
    signs = "+" in grid.texts
    for column, name in _test_columns(grid, first, int(named)):
        cells = grid.column(column, first)
        test, codes = _read_column(grid, name, cells, first, signs, notices)
        if test is None:
            left_out.append(f'column "{name}": no row has a known outcome')
            continue
        if first and name.casefold() in _NO_TESTS:
            notices.add("is read as a test; a kb.toml can say what else it is", name)
        tests.append(test)
        columns.append(array("h", map(codes.__getitem__, cells)))
    _remark_on_names([test.id for test in tests], notices)
    if not tests:
        raise BadTable(path, "there is no test", "put a column of outcomes beside the names")
    n = len(tests)
    codes_of_all = array("h", bytes(2 * m * n))
    for index, codes_of_one in enumerate(columns):
        codes_of_all[index::n] = codes_of_one
    kb = KnowledgeBase(
        title=clean(path.stem) or "table",
        hypotheses=tuple(Hypothesis(name, name, 1.0 / m) for name in ids),
        tests=tuple(tests),
        codes=codes_of_all,
        notices=notices.lines(),
    )
    after, lost = Tally.of(kb), len(left_out)
    before = replace(after, tests=after.tests + lost, unknown=after.unknown + lost * m)
    lines = dict(zip(ids, grid.lines[first:], strict=True))
    return Reading(kb, before, tuple(left_out), path, lines)


@dataclass(frozen=True, slots=True)
class _Grid:
    """The file's fields as numbers of their texts, row after row: a cell costs one look-up, a text is read once."""

    path: Path
    texts: list[str]
    fields: array[int]
    stride: int
    lead: int
    """Blank columns before all others; columns count from behind them."""
    width: int
    """Columns that hold anything; those behind them are blank."""
    lines: array[int]
    blank_rows: int

    def column(self, column: int, first: int) -> array[int]:
        """The fields of one column from row `first` on."""
        return self.fields[first * self.stride + self.lead + column :: self.stride]

    def top(self) -> list[str]:
        """The fields of line 1."""
        return [self.texts[number] for number in self.fields[self.lead : self.lead + self.width]]

    def place(self, column: int) -> int:
        """Where a column stands in the file; the first is 1."""
        return self.lead + column + 1


class _Numbers(dict[str, int]):
    """Numbers texts as they are first asked for."""

    def __missing__(self, text: str) -> int:
        self[text] = place = len(self)
        return place


class _Notices:
    """Remarks on the file; the same remark on many columns is one line."""

    def __init__(self) -> None:
        self._columns: dict[str, list[str]] = {}

    def say(self, text: str) -> None:
        self._columns.setdefault(text, [])

    def add(self, text: str, column: str) -> None:
        self._columns.setdefault(text, []).append(column)

    def lines(self) -> tuple[str, ...]:
        return tuple(f"{_listed(columns)}: {text}" if columns else text for text, columns in self._columns.items())


def _remark_on_names(names: Sequence[str], notices: _Notices) -> None:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(looks(name), name)
        if other != name:
            notices.say(f'"{other}" and "{name}" look alike and are kept as two')
            return


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(f'"{column}"' for column in columns[:5])
    more = f" and {len(columns) - 5} more" if len(columns) > 5 else ""
    return f"column {shown}" if len(columns) == 1 else f"columns {shown}{more}"


def _read_grid(path: Path, rows: Iterable[tuple[int, list[str]]]) -> _Grid:
    numbers = _Numbers()
    fields, lines = array("i"), array("q")
    lengths: dict[int, int] = {}  # of the rows below the first, with the first line that has each
    stride = least = blank_rows = 0
    for line, row in rows:
        if not any(row):
            blank_rows += len(row) > 1
            continue
        if not lines:
            stride, least = len(row), _filled(row)
        else:
            lengths.setdefault(len(row), line)
            if len(row) != stride:
                if len(row) < least or any(row[stride:]):
                    raise _ragged(path, line, len(row), max(least, min(len(row), stride)))
                row = (row + [""] * stride)[:stride]
        fields.extend(map(numbers.__getitem__, row))
        lines.append(line)
    if not lengths:
        raise BadTable(path, "there is one line only", "put a header and at least one row into the file")
    texts = [unguarded(clean(text)) for text in numbers]
    blank = {place for place, text in enumerate(texts) if not text}
    width = stride
    while width > 1 and blank.issuperset(fields[width - 1 :: stride]):
        width -= 1
    lead = 0
    while lead < width - 1 and blank.issuperset(fields[lead::stride]):
        lead += 1
    shortest, longest = min(lengths), max(lengths)
    if shortest < width:
        raise _ragged(path, lengths[shortest], shortest, width)
    if stride < longest and shortest < longest:  # one comma too many here, not one behind every row
        raise _ragged(path, lengths[longest], longest, stride)
    return _Grid(path, texts, fields, stride, lead, width - lead, lines, blank_rows)


def _looks_transposed(grid: _Grid, first: int, offset: int) -> bool:
    """Rows that hold few different cells each, where columns hold many; judged by the first rows."""
    marks = {number for number, text in enumerate(grid.texts) if is_mark(text)}
    starts = range(first * grid.stride + grid.lead, len(grid.fields), grid.stride)[:_SAMPLE]
    across = [len(set(grid.fields[start + offset : start + grid.width]) - marks) for start in starts]
    down = [len(set(grid.column(column, first)[:_SAMPLE]) - marks) for column in range(offset, grid.width)]
    if len(across) < 3 or len(down) < 3:
        return False
    return sum(down) / len(down) > 2 * max(sum(across) / len(across), 1)


def _filled(row: Sequence[str]) -> int:
    """Number of fields up to the last that is not blank."""
    return max(index for index, field in enumerate(row, 1) if field)


def _ragged(path: Path, line: int, fields: int, expected: int) -> BadTable:
    remedy = "give every row as many; a column of names needs a header too"
    return BadTable(path, f"the row has {fields} fields, expected {expected}", remedy, line=line)


def is_mark(text: str) -> bool:
    """Whether this text in a cell means unknown."""
    return text.casefold() in _UNKNOWN


def is_word(text: str) -> bool:
    """Whether this text can be nothing but a cell, such as `yes`, `0` or `+|-`."""
    return all(part.strip().casefold() in RANK for part in text.split("|"))


def _layout(grid: _Grid) -> tuple[int, bool]:
    """Row of the first hypothesis (1 below a header, else 0), and whether the first column holds their names."""
    top = grid.top()
    named = _holds_names([grid.texts[field] for field in grid.column(0, 1)], blank_header=not top[0])
    names = top[1:] if named else top
    counted = any(names == [str(start + place) for place in range(len(names))] for start in (0, 1))
    if counted and (len(names) > 2 or (named and not top[0])):
        return 1, named
    doubtful: list[int] = []
    data = any(names)
    for column in range(int(named), grid.width):
        text = top[column]
        if not text:
            continue
        cell = is_mark(text) or is_word(text)
        if not cell and text in {grid.texts[field] for field in set(grid.column(column, 1))}:
            doubtful.append(column)
            cell = number(text) is not None
        elif cell:
            doubtful.append(column)
        data = data and cell
    if not doubtful or (data and not counted):
        return (0 if doubtful else 1), named
    column = doubtful[0]
    problem = "the first line may be a header or a row, for this field may be a cell"
    remedy = "rename this test, or put a header in front if there is none"
    raise BadTable(grid.path, problem, remedy, line=grid.lines[0], column=grid.place(column), value=top[column])


def _holds_names(texts: Sequence[str], *, blank_header: bool) -> bool:
    known = [text for text in texts if not is_mark(text)]
    if blank_header and known:
        return True
    different = set(known)
    if all(is_word(text) for text in different):
        return False
    if all(is_word(text) or number(text) is not None for text in different):
        return 2 * len(different) > len(known)
    return True


def _hypothesis_ids(grid: _Grid, first: int) -> list[str]:
    lines: dict[str, int] = {}
    for field, line in zip(grid.column(0, first), grid.lines[first:], strict=True):
        name = grid.texts[field]
        if name in NO_NAMES:
            problem = "the hypothesis has no name" if not name else "this is no name of a hypothesis"
            remedy = "write its name in the first column; a column of cells must not mix with names"
            raise BadTable(grid.path, problem, remedy, line=line, column=grid.place(0), value=name or None)
        if name in lines:
            problem = f"the hypothesis stands in line {lines[name]} already"
            remedy = (
                "rename one of them; if rows are cases, convert with --cases; if this is a test, put names in front"
            )
            raise BadTable(grid.path, problem, remedy, line=line, column=grid.place(0), value=name)
        lines[name] = line
    return list(lines)


def _test_columns(grid: _Grid, first: int, offset: int) -> list[tuple[int, str]]:
    """Column and name of each test."""
    columns = range(offset, grid.width)
    if not first:
        return [(column, f"T{place}") for place, column in enumerate(columns, 1)]
    top = grid.top()
    places: dict[str, int] = {}
    for column in columns:
        name, line = top[column], grid.lines[0]
        if not name:
            if any(grid.texts[field] for field in set(grid.column(column, 1))):
                problem, remedy = "the column has cells and no name", "name it in the first line"
                raise BadTable(grid.path, problem, remedy, line=line, column=grid.place(column))
            continue
        if name in places:
            problem = f"column {places[name] + 1} has this name too"
            remedy = "rename one of them; if line 1 is no header, put one in front"
            raise BadTable(grid.path, problem, remedy, line=line, column=grid.place(column), value=name)
        places[name] = column
    return [(column, name) for name, column in places.items()]


def _read_column(
    grid: _Grid, name: str, cells: array[int], first: int, signs: bool, notices: _Notices
) -> tuple[Test | None, dict[int, int]]:
    """One test and the code of each text in its column; no test where nothing is known."""
    spelling: dict[str, str] = {}
    parts: dict[int, tuple[Alternative, ...]] = {}
    codes: dict[int, int] = {}
    field = 0
    try:
        for field in dict.fromkeys(cells):
            text = grid.texts[field]
            if is_mark(text):
                codes[field] = UNKNOWN
                if text.casefold() not in _PLAIN_UNKNOWN:
                    notices.say(f'cells "{text}" are read as unknown')
                continue
            parts[field] = alternatives(text)
            keys = [part.label.casefold() for part in parts[field]]
            if len(set(keys)) < len(keys):  # "R|r" are one outcome here, unlike in a folder
                raise CellError("an outcome stands there twice", "name it once; capitals make no difference")
            for key, part in zip(keys, parts[field], strict=True):
                if key in _UNKNOWN:
                    raise CellError(f'"{part.label}" is unknown and cannot be one of several', "write it alone")
                if spelling.setdefault(key, part.label) != part.label:
                    notices.add(f'"{part.label}" is read as "{spelling[key]}"', name)
        if len(spelling) > MAX_PARTIALS:
            raise CellError(f"more than {MAX_PARTIALS:,} different outcomes in one test", "leave the column out")
        _remark_on_outcomes(spelling, name, notices)
        outcomes = _outcomes(spelling, name, signs, notices)
        if not outcomes:
            return None, {}
        place = {outcome.id.casefold(): index for index, outcome in enumerate(outcomes)}
        if outcomes[-1] is DOES_NOT_APPLY:
            place["-"] = len(outcomes) - 1
        partials = Partials()
        for field, several in parts.items():
            indices = [place[part.label.casefold()] for part in several]
            codes[field] = partials.code(weigh(several, indices, _MISREPORTED_WEIGHT))
    except CellError as error:
        line = grid.lines[first + cells.index(field)]
        value = grid.texts[field]
        raise BadTable(grid.path, error.problem, error.remedy, line=line, column=name, value=value) from None
    if len(spelling) > _MANY and all(number(text) is not None for text in spelling):
        notices.add("each number is an outcome of its own; a kb.toml can give ranges", name)
    elif len(spelling) > _MANY and len(spelling) == len(cells):
        notices.add("every row has an outcome of its own; is this a test?", name)
    return Test(name, tuple(outcomes), partials=tuple(partials)), codes


def _remark_on_outcomes(spelling: Iterable[str], name: str, notices: _Notices) -> None:
    values = [value for text in spelling if (value := number(text)) is not None]
    if len(set(values)) < len(values):
        notices.add("equal numbers that are written in two ways, as 1 and 1.0, are kept as different outcomes", name)
    texts = list(spelling)
    if len(set(map(looks, texts))) < len(texts):
        notices.add("outcomes that look alike but are different texts are kept as different outcomes", name)
    for dash in sorted(_DASHES.intersection(texts)):
        notices.add(f'"{dash}" is read as an outcome, unlike "-"', name)


def _outcomes(spelling: dict[str, str], name: str, signs: bool, notices: _Notices) -> list[Outcome]:
    """The outcomes in the order that settles ties; none where no row has any."""
    negative = "+" in spelling or (signs and spelling.keys() == {"-"})
    keys = sorted((key for key in spelling if key != "-" or negative), key=lambda key: RANK.get(key, len(RANK)))
    labels = [spelling[key] for key in keys]
    for words in (POSITIVE, NEGATIVE):
        if sum(key in words for key in keys) > 1:
            notices.add("words that mean the same are kept as different outcomes", name)
    if len(keys) == 1:
        word = keys[0]
        labels.append(PARTNER.get(word, f"not {labels[0]}"))
        if word in NEGATIVE:
            labels.reverse()
        notices.add(
            f'all known rows have "{spelling[word]}"; the other outcome is called "{_other(labels, word)}"', name
        )
    outcomes = [Outcome(label, label) for label in labels]
    return [*outcomes, DOES_NOT_APPLY] if outcomes and "-" in spelling and not negative else outcomes


def _other(labels: Sequence[str], word: str) -> str:
    return next(label for label in labels if label.casefold() != word)
