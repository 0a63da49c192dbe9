"""ARFF files (WEKA): attributes and rows, dense or sparse.

A text or nominal attribute that names every row is the hypothesis. Else rows are cases of the attribute that is asked
for, or of the last one, WEKA's class: they are grouped as in a case list, words into frequencies and numbers into a
range, and a row counts as often as its weight says. In a sparse row what is not mentioned is 0, or the first value of
its attribute.

scipy reads neither texts nor sparse rows, and is many times the size of this program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from diagnoser.errors import BadTable
from diagnoser.formats.cases import add_diagnoses, ranges, shares
from diagnoser.formats.cells import CellError, number, weight
from diagnoser.formats.draft import Draft, safe_id, safe_test
from diagnoser.formats.reading import How, Reading, Tally
from diagnoser.formats.rows import old_text
from diagnoser.kb import Hypothesis, Outcome, Test
from diagnoser.text import clean, counted, nearest

_QUOTED = r"""'([^'\\]*(?:\\.[^'\\]*)*)'|"([^"\\]*(?:\\.[^"\\]*)*)\""""
_WORD = re.compile(rf"""\s*(?:{_QUOTED}|([^\s,{{}}'"%]+))""")
_BETWEEN = re.compile(r"\s*,\s*|[^\S\t]*\t\s*")
_CODE = re.compile(rf"""(?:{_QUOTED}|[^'"%]+)*""")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_OPENED = re.compile(r"\s*\{\s*")
_INDEX = re.compile(r"\s*(\d{1,6})(?=\s)", re.ASCII)
_ENTRY = re.compile(r"[^,}]{0,40}")
_GOES_ON = re.compile(r"\s*([,}])\s*")
_WEIGHT = re.compile(r",?\s*\{([^{}]*)\}")
_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
    line: int
    kind: str
    values: dict[str, str]
    """Ids of the outcomes by the values of a nominal attribute."""
    behind: str
    """What follows the type."""

    @property
    def unsaid(self) -> str | None:
        """What a sparse row has where it does not mention the attribute."""
        return next(iter(self.values), "0" if self.kind in _NUMERIC else None)


class _Row(NamedTuple):
    line: int
    cells: dict[int, str | None]
    """By the place of the attribute; None is unknown, and a sparse row has what it mentions only."""
    weight: float | None


def read(path: Path, how: How) -> Reading:
    """Read a relation. Raises BadTable."""
    text, encoding = old_text(path)
    relation, attributes, rows = _parsed(path, text)
    draft = Draft(path, relation)
    if encoding:
        draft.remark(encoding)
    by, are_cases = _diagnosis(path, attributes, rows, how.cases)
    names: list[str] = []
    for row, name in zip(rows, _column(attributes, rows, by), strict=True):
        if name is None:
            problem = f'the row has no "{attributes[by].name}"'
            raise BadTable(path, problem, "write it or take the row out", line=row.line)
        names.append(clean(name))
    weighted = sum(row.weight is not None for row in rows)
    weights = [1.0 if row.weight is None else row.weight for row in rows]
    if are_cases:
        draft.remark(f'rows are read as cases of "{attributes[by].name}"')
        if weighted:
            draft.remark(f"{counted(weighted, 'row')} with a weight: it says how many cases the row stands for")
        places = add_diagnoses(draft, names, [row.line for row in rows], weights)
    else:
        places = [draft.add_hypothesis(Hypothesis(n, n, 1.0), row.line) for n, row in zip(names, rows, strict=True)]
        draft.remark(f'rows are named by "{attributes[by].name}"; if they are cases, --cases names their diagnosis')
        if weighted:
            draft.leave_out(f"the weight of {counted(weighted, 'row')}: rows with names are no cases to be counted")
    for place, attribute in enumerate(attributes):
        if attribute.behind:
            draft.leave_out(f'attribute "{attribute.name}": "{attribute.behind}" behind its type is not read')
        if place != by:
            _add(draft, attribute, _column(attributes, rows, place), places, weights)
    return draft.finish()


def _column(attributes: Sequence[_Attribute], rows: Sequence[_Row], place: int) -> list[str | None]:
    unsaid = attributes[place].unsaid
    return [row.cells.get(place, unsaid) for row in rows]


def _diagnosis(
    path: Path, attributes: Sequence[_Attribute], rows: Sequence[_Row], wanted: str | None
) -> tuple[int, bool]:
    """The attribute of the hypotheses, and whether rows are cases of it."""
    if wanted is not None:
        for place, attribute in enumerate(attributes):
            if attribute.name == clean(wanted):
                return place, True
        problem = "no attribute has this name"
        raise BadTable(path, problem, nearest(wanted, [a.name for a in attributes]), value=wanted)
    for place, attribute in enumerate(attributes):
        if attribute.kind in ("string", "nominal"):
            names = [name if name is None else clean(name) for name in _column(attributes, rows, place)]
            if None not in names and len(set(names)) == len(names):
                return place, False
    if attributes[-1].kind == "nominal":
        return len(attributes) - 1, True
    problem = "no attribute names the rows, and the last is no class of them"
    raise BadTable(path, problem, "say with --cases which attribute is the diagnosis")


def _add(
    draft: Draft, attribute: _Attribute, said: Sequence[str | None], places: Sequence[int], weights: Sequence[float]
) -> None:
    """A test, from what each row says and the hypothesis it belongs to."""
    if attribute.kind not in (*_NUMERIC, "nominal"):
        reason = "dates are no outcomes" if attribute.kind == "date" else "texts are no outcomes"
        known = len({place for place, value in zip(places, said, strict=True) if value is not None})
        left_out = Tally(0, 1, known, 0, len(set(places)) - known, 0)
        draft.leave_out(f'attribute "{attribute.name}": {reason}', left_out)
        return
    outcomes = tuple(Outcome(outcome, clean(value)) for value, outcome in attribute.values.items())
    test = draft.add_test(Test(safe_test(attribute.name), outcomes), attribute.line)
    if attribute.kind == "nominal":
        ids = [None if value is None else attribute.values[value] for value in said]
        for place, frequencies in shares(places, ids, weights).items():
            draft.put(place, test, frequencies)
        return
    for place, ends in ranges(places, [None if value is None else float(value) for value in said]).items():
        draft.put(place, test, ends)


def _parsed(path: Path, text: str) -> tuple[str, list[_Attribute], list[_Row]]:
    relation, declared, rows = "", dict[str, _Attribute](), list[_Row]()
    attributes: list[_Attribute] | None = None  # all of them, once the rows begin
    for line, written in enumerate(text.split("\n"), 1):
        code = _without_comment(written).rstrip()
        if not code:
            continue
        if attributes is not None:
            rows.append(_row(path, line, code, attributes))
            continue
        keyword, *others = code.split(None, 1)
        rest = others[0] if others else ""
        keyword = keyword.casefold()
        if keyword == "@relation":
            words, _ = _words(path, line, rest)
            relation = clean(_text(words[0])) if words else ""
        elif keyword == "@attribute":
            attribute = _attribute(path, line, rest)
            before = declared.setdefault(attribute.name, attribute)
            if before is not attribute:
                problem = f"the attribute stands in line {before.line} already"
                raise BadTable(path, problem, "rename one of them", line=line, value=attribute.name)
        elif keyword == "@data":
            attributes = list(declared.values())
        else:
            raise BadTable(path, "this is no declaration", "@relation, @attribute or @data", line=line, value=code)
    if attributes is None or len(attributes) < 2 or not rows:
        raise BadTable(path, "there are no two attributes with rows", "choose an ARFF file with @data")
    return relation, attributes, rows


def _without_comment(written: str) -> str:
    """A line up to its first % outside quotes."""
    code = _CODE.match(written) if "%" in written else None
    return written[: code.end()] if code and written.startswith("%", code.end()) else written


def _attribute(path: Path, line: int, text: str) -> _Attribute:
    match = _WORD.match(text)
    if match is None:
        raise BadTable(path, "the attribute has no name", "name it", line=line)
    name, kind = clean(_text(match)), text[match.end() :].strip()
    if kind.startswith("{"):
        words, end = _words(path, line, kind, 1)
        if kind[end : end + 1] != "}":
            raise BadTable(path, "the values are opened and never closed", "close them with }", line=line, value=name)
        values = {_text(word): safe_id(_text(word)) for word in words}
        if not values or len(set(values.values())) < len(words):
            raise BadTable(path, "its values are not all different", "name each once", line=line, value=name)
        return _Attribute(name, line, "nominal", values, kind[end + 1 :].strip())
    word, *others = kind.split(None, 1) or [""]
    word = word.casefold()
    if word not in (*_NUMERIC, "string", "date"):
        problem = f'the type "{clean(word)}" is not read'
        raise BadTable(path, problem, "known are numeric, string, date and {values}", line=line, value=name)
    return _Attribute(name, line, word, {}, others[0] if others and word != "date" else "")


def _words(path: Path, line: int, text: str, place: int = 0) -> tuple[list[re.Match[str]], int]:
    """Words divided by commas or tabs, up to a brace or the end of the text, and where that is."""
    words: list[re.Match[str]] = []
    between: re.Match[str] | None = None
    while match := _WORD.match(text, place):
        words.append(match)
        between = _BETWEEN.match(text, match.end())
        place = between.end() if between else match.end()
        if between is None:
            break
    rest = text[place:].lstrip()
    if rest and rest[0] not in "{}":
        missing = between is not None or not words
        problem = "a value is missing or its quote is not closed" if missing else "a comma is expected here"
        raise BadTable(path, problem, "mend the line", line=line, value=rest[:20])
    if between and not rest:
        raise BadTable(path, "a value is missing behind the last comma", "mend the line", line=line)
    return words, len(text) - len(rest)


def _text(word: re.Match[str]) -> str:
    quoted = word[1] if word[1] is not None else word[2]
    return word[3] if quoted is None else re.sub(r"\\(.)", lambda mark: _ESCAPES.get(mark[1], mark[1]), quoted)


def _row(path: Path, line: int, text: str, attributes: Sequence[_Attribute]) -> _Row:
    opened = _OPENED.match(text)
    if opened:
        cells, end = _sparse(path, line, text, opened.end(), attributes)
    else:
        words, end = _words(path, line, text)
        if len(words) != len(attributes):
            problem = f"the row has {len(words)} values for {len(attributes)} attributes"
            raise BadTable(path, problem, "give one for each", line=line)
        cells = {place: _value(path, line, attributes[place], word) for place, word in enumerate(words)}
    rest = text[end:].lstrip()
    if not rest:
        return _Row(line, cells, None)
    match = _WEIGHT.fullmatch(rest)
    if match is None:
        column, remedy = len(text) - len(rest) + 1, "take it out; a weight is written as {2}"
        raise BadTable(path, "text follows the end of the row", remedy, line=line, column=column, value=rest)
    try:
        return _Row(line, cells, weight(match[1].strip()))
    except CellError:
        problem, remedy = "the weight of the row is no positive number", "write it as {2}, or take the row out"
        raise BadTable(path, problem, remedy, line=line, column=text.rindex("{") + 1, value=match[1]) from None


def _sparse(
    path: Path, line: int, text: str, place: int, attributes: Sequence[_Attribute]
) -> tuple[dict[int, str | None], int]:
    """The entries of a sparse row from behind its opening brace, and where the closing one ends."""
    cells: dict[int, str | None] = {}
    if text.startswith("}", place):
        return cells, place + 1
    while True:
        index = _INDEX.match(text, place)
        word = _WORD.match(text, index.end()) if index else None
        if place == len(text):
            raise _unclosed(path, line)
        written = _ENTRY.match(text, place)
        entry = written[0].strip() if written else ""
        if index is None or word is None or int(index[1]) >= len(attributes):
            problem = f"this is no entry of a sparse row of {len(attributes)} attributes, counted from 0"
            raise BadTable(path, problem, "write it as 3 value", line=line, value=entry or None)
        attribute = attributes[int(index[1])]
        if int(index[1]) in cells:
            problem, remedy = "the row has this attribute already", "leave one of the two entries"
            raise BadTable(path, problem, remedy, line=line, column=attribute.name, value=entry)
        cells[int(index[1])] = _value(path, line, attribute, word)
        on = _GOES_ON.match(text, word.end())
        if on is None:
            rest = text[word.end() :].strip()
            if not rest:
                raise _unclosed(path, line)
            raise BadTable(path, "a comma is expected here", "mend the line", line=line, value=rest[:20])
        place = on.end()
        if on[1] == "}":
            return cells, place


def _unclosed(path: Path, line: int) -> BadTable:
    return BadTable(path, "a sparse row is opened and never closed", "close it with }", line=line)


def _value(path: Path, line: int, attribute: _Attribute, word: re.Match[str]) -> str | None:
    text = _text(word)
    if word[3] == "?":
        return None
    if attribute.kind == "nominal" and text not in attribute.values:
        remedy = nearest(text, attribute.values)
        raise BadTable(path, "the attribute has no such value", remedy, line=line, column=attribute.name, value=text)
    if attribute.kind in _NUMERIC and number(text) is None:
        raise BadTable(path, "this is no number", "mend it", line=line, column=attribute.name, value=text)
    return text
