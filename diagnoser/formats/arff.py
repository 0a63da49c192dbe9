"""ARFF files (WEKA): attributes and rows, dense or sparse.

A text or nominal attribute that names every row is the hypothesis. Else rows are cases of the attribute that is asked
for, or of the last one, WEKA's class: they are grouped, words into frequencies and numbers into a range. In a sparse
row what is not mentioned is 0, or the first value of its attribute.

scipy reads neither texts nor sparse rows, and is many times the size of this program.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from diagnoser.errors import BadTable
from diagnoser.formats.cells import number
from diagnoser.formats.draft import Draft, safe_id
from diagnoser.formats.reading import How, Reading, Tally
from diagnoser.formats.rows import old_text
from diagnoser.kb import Hypothesis, Outcome, Test
from diagnoser.text import clean, counted, nearest

_WORD = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s,{}'"%]+))\s*""", re.DOTALL)
_NUMERIC = ("numeric", "real", "integer")
_Row = dict[int, str | None]


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
    line: int
    kind: str
    values: tuple[str, ...] = ()


def read(path: Path, how: How) -> Reading:
    """Read a relation. Raises BadTable."""
    text, encoding = old_text(path)
    relation, attributes, rows = _parsed(path, text)
    draft = Draft(path, relation)
    if encoding:
        draft.remark(encoding)
    by = _named(path, attributes, rows, how.cases)
    column = [row.get(by) for _, row in rows]
    unnamed = next((line for (line, _), name in zip(rows, column, strict=True) if name is None), None)
    if unnamed is not None:
        raise BadTable(path, f'the row has no "{attributes[by].name}"', "write it or take the row out", line=unnamed)
    names = [clean(name or "") for name in column]
    groups: dict[str, list[_Row]] = {}
    for name, (_, row) in zip(names, rows, strict=True):
        groups.setdefault(name, []).append(row)
    lines: dict[str, int] = {}
    for (line, _), name in zip(rows, names, strict=True):
        lines.setdefault(name, line)
    for name, line in lines.items():
        draft.add_hypothesis(Hypothesis(name, name, float(len(groups[name]))), line)
    if len(groups) < len(rows):
        draft.remark(f'{counted(len(rows), "row")} are cases of {len(groups)} values of "{attributes[by].name}"')
        draft.remark("priors are in proportion to the cases; an outcome that no case shows is ruled out")
    for place, attribute in enumerate(attributes):
        if place != by:
            _add(draft, place, attribute, list(groups.values()))
    return draft.finish()


def _named(path: Path, attributes: Sequence[_Attribute], rows: Sequence[tuple[int, _Row]], wanted: str | None) -> int:
    """The attribute of the hypotheses."""
    if wanted is not None:
        for place, attribute in enumerate(attributes):
            if attribute.name == clean(wanted):
                return place
        problem = "no attribute has this name"
        raise BadTable(path, problem, nearest(wanted, [a.name for a in attributes]), value=wanted)
    for place, attribute in enumerate(attributes):
        if attribute.kind in ("string", "nominal"):
            names = [row.get(place) for _, row in rows]
            if None not in names and len(set(names)) == len(names):
                return place
    if attributes[-1].kind == "nominal":
        return len(attributes) - 1
    problem = "no attribute names the rows, and the last is no class of them"
    raise BadTable(path, problem, "say with --cases which attribute is the diagnosis")


def _add(draft: Draft, place: int, attribute: _Attribute, groups: Sequence[Sequence[_Row]]) -> None:
    known = sum(any(row.get(place) is not None for row in group) for group in groups)
    if attribute.kind not in (*_NUMERIC, "nominal"):
        reason = "dates are no outcomes" if attribute.kind == "date" else "texts are no outcomes"
        draft.leave_out(f'attribute "{attribute.name}": {reason}', Tally(0, 1, known, 0, len(groups) - known, 0))
        return
    ids = {value: safe_id(value) for value in attribute.values}
    outcomes = tuple(Outcome(ids[value], clean(value)) for value in attribute.values)
    test = draft.add_test(Test(safe_id(attribute.name), outcomes), attribute.line)
    for row, group in enumerate(groups):
        said = [value for one in group if (value := one.get(place)) is not None]
        if not said:
            continue
        if attribute.kind == "nominal":
            draft.put(row, test, {ids[value]: float(n) for value, n in Counter(said).items()})
        else:
            numbers = [float(value) for value in said]
            draft.put(row, test, (min(numbers), max(numbers)))


def _parsed(path: Path, text: str) -> tuple[str, list[_Attribute], list[tuple[int, _Row]]]:
    relation, attributes, rows = "", list[_Attribute](), list[tuple[int, _Row]]()
    in_data = False
    for line, written in enumerate(text.split("\n"), 1):
        stripped = written.strip()
        if not stripped or stripped.startswith("%"):
            continue
        if in_data:
            rows.append((line, _row(path, line, stripped, attributes)))
            continue
        keyword, _, rest = stripped.partition(" ") if " " in stripped else stripped.partition("\t")
        keyword = keyword.casefold()
        if keyword == "@relation":
            relation = clean(next(_words(path, line, rest), ""))
        elif keyword == "@attribute":
            attribute = _attribute(path, line, rest)
            twice = next((a for a in attributes if a.name == attribute.name), None)
            if twice is not None:
                problem = f"the attribute stands in line {twice.line} already"
                raise BadTable(path, problem, "rename one of them", line=line, value=attribute.name)
            attributes.append(attribute)
        elif keyword == "@data":
            in_data = True
        else:
            raise BadTable(path, "this is no declaration", "@relation, @attribute or @data", line=line, value=stripped)
    if len(attributes) < 2 or not rows:
        raise BadTable(path, "there are no two attributes with rows", "choose an ARFF file with @data")
    return relation, attributes, rows


def _attribute(path: Path, line: int, text: str) -> _Attribute:
    match = _WORD.match(text)
    if match is None:
        raise BadTable(path, "the attribute has no name", "name it", line=line)
    name, kind = clean(_unquoted(match)), text[match.end() :].strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise BadTable(path, "the values are opened and never closed", "close them with }", line=line, value=name)
        values = tuple(_words(path, line, kind[1:-1]))
        if not values or len(set(map(safe_id, values))) < len(values):
            raise BadTable(path, "its values are not all different", "name each once", line=line, value=name)
        return _Attribute(name, line, "nominal", values)
    word = kind.split()[0].casefold() if kind.split() else ""
    if word not in (*_NUMERIC, "string", "date"):
        problem = f'the type "{clean(word)}" is not read'
        raise BadTable(path, problem, "known are numeric, string, date and {values}", line=line, value=name)
    return _Attribute(name, line, word)


def _words(path: Path, line: int, text: str) -> Iterator[str]:
    """Words divided by commas."""
    place = 0
    while place < len(text):
        match = _WORD.match(text, place)
        if match is None:
            raise BadTable(path, "a value is missing or its quote is not closed", "mend the line", line=line)
        yield _unquoted(match)
        place = match.end()
        if place < len(text):
            if text[place] != ",":
                raise BadTable(path, "a comma is expected here", "mend the line", line=line, value=text[place:][:20])
            place += 1
            if place == len(text):
                raise BadTable(path, "a value is missing behind the last comma", "mend the line", line=line)


def _unquoted(match: re.Match[str]) -> str:
    quoted = match[1] if match[1] is not None else match[2]
    return match[3] if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)


def _row(path: Path, line: int, text: str, attributes: Sequence[_Attribute]) -> _Row:
    text = re.sub(r",\s*\{[^{}]*\}\s*$", "", text) if not text.startswith("{") else text  # the weight of a row
    if not text.startswith("{"):
        cells = list(_words(path, line, text))
        if len(cells) != len(attributes):
            problem = f"the row has {len(cells)} values for {len(attributes)} attributes"
            raise BadTable(path, problem, "give one for each", line=line)
        return {place: _value(path, line, attributes[place], cell) for place, cell in enumerate(cells)}
    body, closed, _ = text[1:].partition("}")
    if not closed:
        raise BadTable(path, "a sparse row is opened and never closed", "close it with }", line=line)
    row: _Row = {
        place: attribute.values[0] if attribute.kind == "nominal" else "0" if attribute.kind in _NUMERIC else None
        for place, attribute in enumerate(attributes)
    }
    for entry in filter(str.strip, body.split(",")):
        place_text, _, value = entry.strip().partition(" ")
        if not place_text.isdecimal() or len(place_text) > 6 or int(place_text) >= len(attributes):
            problem = f"this is no entry of a sparse row of {len(attributes)} attributes, counted from 0"
            raise BadTable(path, problem, "write it as 3 value", line=line, value=entry.strip()[:40])
        attribute = attributes[int(place_text)]
        row[int(place_text)] = _value(path, line, attribute, next(_words(path, line, value), ""))
    return row


def _value(path: Path, line: int, attribute: _Attribute, text: str) -> str | None:
    if text == "?":
        return None
    if attribute.kind == "nominal" and text not in attribute.values:
        remedy = nearest(text, attribute.values)
        raise BadTable(path, "the attribute has no such value", remedy, line=line, column=attribute.name, value=text)
    if attribute.kind in _NUMERIC and number(text) is None:
        raise BadTable(path, "this is no number", "mend it", line=line, column=attribute.name, value=text)
    return text
