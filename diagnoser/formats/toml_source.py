"""A TOML file with the place of every key in its text, so that an error can name the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from diagnoser.errors import BadTable
from diagnoser.formats.rows import read_text
from diagnoser.text import clean

Place: TypeAlias = tuple[str | int, ...]
"""Keys and positions from the top of the file, such as ("tests", 3, "cost")."""

_LISTED = {"tests": "test", "groups": "group", "outcomes": "outcome"}
# Comments and strings of one line are among them, so that quotes inside those open nothing.
_QUOTES = re.compile(
    r"#[^\n]*"
    r'|"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Source:
    """A TOML file as text and as what it says."""

    path: Path
    document: Mapping[str, Any]
    lines: Sequence[str]
    """Without what stands in strings of several lines."""

    @classmethod
    def read(cls, path: Path) -> Source:
        """Read a file. Raises BadTable where it is not TOML."""
        text = read_text(path)
        try:
            document = tomllib.loads(text)
        except RecursionError:
            remedy = "a list in a list is the most the format has"
            raise BadTable(path, "lists are nested too deeply", remedy) from None
        except ValueError as error:
            message = str(error)
            found = re.search(r"\s*\(at line (\d+), column \d+\)", message)
            line = int(found[1]) if found else None
            problem = message.replace(found[0], "") if found else message
            raise BadTable(path, f"this is not TOML: {problem}", "mend the line", line=line) from None
        return cls(path, document, _QUOTES.sub(_blanked, text).split("\n"))

    def error(self, place: Place, problem: str, remedy: str, value: object = None) -> BadTable:
        """The error at one key, with its line."""
        shown = str(value).lower() if isinstance(value, bool) else value
        text = str(shown) if isinstance(shown, str | int | float) else None
        return BadTable(self.path, f"{self.words(place)} {problem}", remedy, line=self.line(place), value=text)

    def words(self, place: Place) -> str:
        """A place for people, such as `test 1 (colour), key cost`."""
        said: list[str] = []
        value: Any = self.document
        for index, step in enumerate(place):
            value = _inside(value, step)
            before = place[index - 1] if index else None
            if isinstance(step, int) and before in _LISTED:
                name = clean(str(_inside(value, "id") or ""))[:40]
                said.append(f"{_LISTED[str(before)]} {step + 1}" + (f" ({name})" if name else ""))
            elif isinstance(step, int):
                said.append(f"entry {step + 1}")
            elif step == "columns" and index + 1 < len(place):
                said.append("[columns]")
            elif step not in _LISTED or index + 1 == len(place):
                said.append(f"key {step}")
        return ", ".join(said)

    def line(self, place: Place) -> int | None:
        """The line of a key, else of the heading it belongs under; None where it is not written in this way."""
        begin, end = self._section(place)
        if begin is None:
            return None
        depth = 2 if len(place) > 1 and isinstance(place[1], int) else 1 if begin else 0
        key = re.escape(str(place[depth])) if depth < len(place) else None
        for index in range(begin, end):
            if key and re.match(rf"\s*{key}\s*=", self.lines[index]):
                return index + 1
        return begin or None

    def _section(self, place: Place) -> tuple[int | None, int]:
        """Lines below the heading that a key stands under; from 0 for those above all headings."""
        lines = self.lines
        headings = [index for index, line in enumerate(lines) if re.match(r"\s*\[+\s*\w+\s*\]+\s*(#.*)?$", line)]
        ends = dict(pairwise([*headings, len(lines)]))
        if len(place) > 1 and isinstance(place[1], int):
            wanted = [index for index in headings if re.match(rf"\s*\[\[\s*{place[0]}\s*\]\]", lines[index])]
            begin = wanted[place[1]] if place[1] < len(wanted) else None
        elif place[0] == "columns" and len(place) > 1:
            begin = next((index for index in headings if re.match(r"\s*\[\s*columns\s*\]", lines[index])), None)
        else:
            return 0, headings[0] if headings else len(lines)
        return (None, 0) if begin is None else (begin + 1, ends[begin])


def _blanked(found: re.Match[str]) -> str:
    """Strings of several lines may hold what looks like a key or a heading."""
    return "\n" * found[0].count("\n") if "\n" in found[0] else found[0]


def _inside(value: Any, step: str | int) -> Any:
    """One step into the document; None where it does not go on."""
    if isinstance(step, str):
        return value.get(step) if isinstance(value, dict) else None
    return value[step] if isinstance(value, list) and step < len(value) else None
