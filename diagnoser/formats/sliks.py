"""SLIKS keys: JavaScript arrays `chars` and `items`, taken apart as text and never run.

The first entry of `chars` and of `items` is a heading. A character is a name, with `CAT1|` and the like in front, and
its states; an item is a name, a cell for each character, and a link. A cell is a run of state numbers (`"234"` is 2
or 3 or 4), each with a `+` where it was seen in doubt or rarely, which counts as seen; `?` and blank are unknown.
With more than nine states numbers stand apart, divided by anything that is no digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from diagnoser.errors import BadTable
from diagnoser.formats.draft import Draft, safe_id, safe_test
from diagnoser.formats.reading import How, Reading
from diagnoser.formats.rows import old_text
from diagnoser.kb import Hypothesis, Outcome, Test
from diagnoser.text import clean, counted

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<number>-?[\w.]+)|(?P<mark>.)""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_TAG = re.compile(r"<[^<>]*>")
_CATEGORY = re.compile(r"CAT\d*\|")

_Row = tuple[int, list[str]]


def read(path: Path, how: How) -> Reading:  # noqa: ARG001  a key says all itself
    """Read the arrays of a key. Raises BadTable."""
    text, encoding = old_text(path)
    arrays = _variables(path, text)
    for name in ("chars", "items"):
        if not isinstance(arrays.get(name), list) or len(arrays[name]) < 2:
            raise BadTable(path, f'there is no array "{name}" with a heading and entries', "choose a SLIKS key")
    heading = arrays.get("dataset")
    first = re.match(r"\s*<h\d>(.*?)</h\d>", heading, re.DOTALL) if isinstance(heading, str) else None
    draft = Draft(path, _plain(first[1] if first else str(heading or "")))
    if encoding:
        draft.remark(encoding)
    states = [_add(draft, line, entry) for line, entry in arrays["chars"][1:]]
    links = 0
    for line, entry in arrays["items"][1:]:
        name, cells = _plain(entry[0]) if entry else "", entry[1 : 1 + len(states)]
        if len(cells) < len(states) or len(entry) > len(states) + 2:
            problem = f"the item has {len(entry) - 1} cells for {len(states)} characters and a link"
            raise BadTable(path, problem, "give one cell for each character", line=line, value=name)
        links += len(entry) > len(states) + 1 and bool(entry[-1])
        row = draft.add_hypothesis(Hypothesis(name, name, 1.0), line)
        for test, cell in enumerate(cells):
            said = _states(path, line, cell.strip(), len(states[test]))
            if said:
                draft.put(row, test, {states[test][state - 1]: 1.0 for state in said})
            if "+" in cell:
                draft.remark('states marked "+" count like the others')
    if links:
        draft.leave_out(f"links of {counted(links, 'item')}: they are no answers")
    return draft.finish(hypothesis_word="item", hypotheses_word="items")


def _add(draft: Draft, line: int, entry: list[str]) -> list[str]:
    """A character as a test; the ids of its states."""
    name = _CATEGORY.sub("", _plain(entry[0] if entry else ""), count=1)
    labels = [_plain(state) for state in entry[1:]]
    if not name or not labels:
        raise BadTable(draft.path, "the character has no name or no states", "write both", line=line)
    ids = [safe_id(label) for label in labels]
    outcomes = tuple(Outcome(i, label) for i, label in zip(ids, labels, strict=True))
    draft.add_test(Test(safe_test(name), outcomes, question=name), line)
    return ids


def _states(path: Path, line: int, cell: str, count: int) -> list[int]:
    """The states of a cell from 1, none where it is unknown."""
    if cell in ("", "?"):
        return []
    words = re.findall(r"\d+|[^\d+\s,/&]", cell) if count > 9 else list(cell.replace("+", ""))
    if not words or not all(re.fullmatch(r"[0-9]{1,6}", word) and 1 <= int(word) <= count for word in words):
        problem = f"this is no cell of a character with {count} states"
        raise BadTable(path, problem, 'write the numbers of its states, or "?"', line=line, value=clean(cell))
    return sorted({int(word) for word in words})


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", clean(unescape(_TAG.sub("", text))))


def _variables(path: Path, text: str) -> dict[str, Any]:
    """The texts, and the arrays of arrays as lists of lines with their entries, by name."""
    tokens = _tokens(path, text)
    found: dict[str, Any] = {}
    name = ""
    for kind, word, line in tokens:
        if kind == "number" and word not in ("var", "let", "const"):
            name = word
        elif kind == "mark" and word == "=" and name:
            kind, word, line = next(tokens, ("end", "", line))
            if kind == "text":
                found[name] = word
            elif word == "[":
                found[name] = _array(path, tokens, line)
            name = ""
    return found


def _array(path: Path, tokens: Iterator[tuple[str, str, int]], line: int) -> list[_Row]:
    """The entries of an array of arrays of texts and numbers, each with the line it begins on."""
    rows: list[_Row] = []
    entry: _Row | None = None
    opened, due = line, True
    for kind, word, line in tokens:
        if kind in ("text", "number") and entry is not None and due:
            entry[1].append(word)
            due = False
        elif word == "," and entry is not None:
            if due:  # nothing stands between two commas: an entry all the same
                entry[1].append("")
            due = True
        elif word == "[" and entry is None:
            entry, due = (line, []), True
        elif word == "]" and entry is not None:
            rows.append(entry)
            entry = None
        elif word == "]":
            return rows
        elif word != ",":
            problem = "this does not belong into an array of arrays of texts"
            raise BadTable(path, problem, "mend the array", line=line, value=clean(word)[:20])
    raise BadTable(path, "an array is opened and never closed", "close it with ]", line=opened)


def _tokens(path: Path, text: str) -> Iterator[tuple[str, str, int]]:
    line = 1
    for match in _TOKEN.finditer(text):
        kind, word = match.lastgroup or "", match[0]
        if kind == "mark" and word in "\"'":
            raise BadTable(path, "a text is opened and never closed", "close it in the same line", line=line)
        if kind == "text":
            yield kind, _ESCAPE.sub(_character, word[1:-1]), line
        elif kind != "space":
            yield kind, word, line
        line += word.count("\n")


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(escape[3], escape[3])
