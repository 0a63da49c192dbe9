"""The characters of a DELTA data set: the character list and the specifications.

A directive is a star, up to four words of which the first three letters count, and its text. What a directive says
that is not read may change what a cell means, so it is left out by name; only those listed as harmless are passed over.
A comment in <> belongs to a name only where nothing else tells names apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from diagnoser.errors import BadTable
from diagnoser.formats.draft import Draft
from diagnoser.text import clean

MULTISTATE, NUMERIC, TEXT = ("UM", "OM"), ("IN", "RN"), ("TE", "CY", "LI")
_RTF = re.compile(r"\\'([0-9a-fA-F]{2})|\\[a-zA-Z]+-?\d*(?:\{\}| )?|[{}]")
_CHARACTER = re.compile(r"^[ \t]*#[ \t]*(\d+)\.[ \t]", re.MULTILINE)
_STAR = re.compile(r"(?:^[ \t]*(\*)|(?<=\s)\*)[ \t]*", re.MULTILINE)
_WORDS = re.compile(r"[A-Za-z]+(?:[ \t]+[A-Za-z]+){0,3}(?=\s|~|\Z)")
_STATE = re.compile(r"\s*(\d+)\.(?:\s+(.*)|\s*)", re.DOTALL)
_MOST_CHARACTERS = 30_000
_DEPENDENCES = ("DEPENDENT CHARACTERS", "INAPPLICABLE CHARACTERS", "APPLICABLE CHARACTERS")
_BY_CHARACTER = ("CHARACTER TYPES", "NUMBERS OF STATES", "IMPLICIT VALUES")
_READ = ("SHOW", "CHARACTER LIST", "ITEM DESCRIPTIONS", "NUMBER OF CHARACTERS", *_BY_CHARACTER, *_DEPENDENCES)
_HARMLESS = (
    "COMMENT",
    "HEADING",
    "END",
    "MAXIMUM NUMBER OF STATES",
    "MAXIMUM NUMBER OF ITEMS",
    "DATA BUFFER SIZE",
    "MANDATORY CHARACTERS",
    "SPECIAL STORAGE",
    "DATA LISTING",
    "NO DATA LISTING",
    "LISTING FILE",
    "ERROR FILE",
    "PRINT WIDTH",
    "TYPESETTING MARKS",
    "FORMATTING MARKS",
)
"""Limits, storage, print and remarks: no cell means anything else for them."""
_ELSEWHERE = ("INPUT FILE", "INPUT DELTA FILE")
_KNOWN = (*_READ, *_HARMLESS, *_ELSEWHERE)
_ABBREVIATED = {tuple(word[:3] for word in name.split()): name for name in _KNOWN}


@dataclass(slots=True)
class Name:
    """A text as it stands outside comments, and with them in round brackets."""

    bare: str
    full: str

    @property
    def short(self) -> str:
        """Without comments, unless it is nothing else."""
        return self.bare or self.full.removeprefix("(").removesuffix(")")


@dataclass(slots=True)
class Character:
    """One character of the list."""

    number: int
    line: int
    feature: Name
    states: tuple[Name, ...] = ()
    unit: str = ""
    kind: str = "UM"
    implicit: str = ""
    ruled_out_by: list[tuple[int, frozenset[int]]] = field(default_factory=list)
    """Controlling characters with the states, from 1, under which this one does not apply."""


def directives(text: str) -> Iterator[tuple[str, str, int]]:
    """Each directive's name in capitals, its text and the line it begins on.

    A star behind a blank begins one too, but only where a known name in capitals follows: stars stand in texts.
    """
    marks = []
    for star in _STAR.finditer(text):
        words = _WORDS.match(text, star.end())
        name, end = _known(words[0], star.end()) if words else ("", star.end())
        if star[1] or (name in _KNOWN and text[star.end() : end].isupper()):
            marks.append((star.start(), name, end))
    line, seen = 1, 0
    for (start, name, end), after in zip(marks, [*(m[0] for m in marks), len(text)][1:], strict=True):
        line += text.count("\n", seen, start)
        seen = start
        yield name, text[end:after], line


def _known(phrase: str, start: int) -> tuple[str, int]:
    """The directive that the most of these words name, else all of them, and where its name ends."""
    words = list(re.finditer(r"[A-Za-z]+", phrase))
    for many in range(len(words), 0, -1):
        name = _ABBREVIATED.get(tuple(word[0][:3].upper() for word in words[:many]))
        if name:
            return name, start + words[many - 1].end()
    return phrase.upper(), start + len(phrase)


def directive(draft: Draft, path: Path, text: str, name: str) -> tuple[str, int]:
    """The text of the one directive that a file is for, and its line; the others are left out by name.

    Raises BadTable where there is none or another.
    """
    there = [(body, line) for found, body, line in directives(text) if found == name]
    if len(there) != 1:
        problem = f"the directive *{name} stands twice" if there else f"there is no directive *{name}"
        line = there[1][1] if there else None
        remedy = "put both into one" if there else "choose the files of one DELTA data set"
        raise BadTable(path, problem, remedy, line=line)
    for found, body, line in directives(text):
        if found not in (name, "SHOW"):
            _pass_over(draft, path, found, body, line)
    return there[0]


def _pass_over(draft: Draft, path: Path, name: str, body: str, line: int) -> None:
    """Leave out a directive by name. Raises BadTable for one that stands in place of text that is elsewhere."""
    if name in _ELSEWHERE:
        raise BadTable(
            path, f"*{name} is not followed", "put the text of that file here", line=line, value=body.strip()
        )
    if name not in _HARMLESS:
        shown = name or body.split("\n", 1)[0].strip()[:30]
        draft.leave_out(f"{path.name}, line {line}: the directive *{shown} is not read")


def pieces(path: Path, text: str, line: int) -> Iterator[tuple[str, bool, int]]:
    """The text in pieces that end with lines or comments, whether each is a comment, and the line it stands on.

    Comments within comments belong to the outer one. Raises BadTable where one is not closed.
    """
    inside: list[str] = []
    depth, opened = 0, line
    for piece in re.split(r"([<>\n])", text):
        if piece == "<":
            opened = opened if depth else line
            depth += 1
        elif piece == ">" and depth:
            depth -= 1
            if not depth:
                yield "".join(inside), True, opened
                inside = []
        elif depth:
            inside.append(piece)
        elif piece:
            yield piece, False, line
        line += piece == "\n"
    if depth:
        raise BadTable(path, "a comment is opened and never closed", "close it with >", line=opened)


def parts(text: str, most: int = -1) -> list[str]:
    """The text cut at each slash that ends a part, or at so many: before a blank and outside comments."""
    found, depth, begin = [], 0, 0
    for mark in re.finditer(r"[<>]|/(?=\s|\Z)", text):
        depth += (mark[0] == "<") - (mark[0] == ">" and depth > 0)
        if mark[0] == "/" and not depth:
            found.append(text[begin : mark.start()])
            begin = mark.end()
        if len(found) == most:
            break
    return [*found, text[begin:]]


def words(path: Path, text: str, line: int) -> Iterator[tuple[str, int]]:
    """Words outside comments, which may stand in the middle of a word, each with its line."""
    word: list[str] = []
    begun = line
    for piece, comment, here in pieces(path, text, line):
        for part in re.split(r"(\s)", piece) if not comment else ():
            if part and not part.isspace():
                begun = begun if word else here
                word.append(part)
            elif part and word:
                yield "".join(word), begun
                word = []
    if word:
        yield "".join(word), begun


def named(path: Path, text: str, line: int) -> Name:
    """A text without and with its comments. Raises BadTable where one is not closed."""
    bare, full = [], []
    for piece, comment, _ in pieces(path, text, line):
        shown = _unmarked(piece)
        if not comment:
            bare.append(shown)
            full.append(shown)
        elif folded(shown):
            full.append(f" ({folded(shown)})")
    return Name(folded("".join(bare)), folded("".join(full)))


def _unmarked(text: str) -> str:
    """Text without a word processor's marks."""
    return _RTF.sub(lambda mark: bytes.fromhex(mark[1]).decode("cp1252", "replace") if mark[1] else "", text)


def folded(text: str) -> str:
    """Text as it is shown, with single blanks."""
    return re.sub(r"\s+", " ", clean(text)).strip()


def characters(draft: Draft, path: Path, text: str) -> dict[int, Character]:
    """The character list. Raises BadTable."""
    body, line = directive(draft, path, text, "CHARACTER LIST")
    found: dict[int, Character] = {}
    marks = list(_CHARACTER.finditer(body))
    seen = 0
    for mark, end in zip(marks, [*(m.start() for m in marks), len(body)][1:], strict=True):
        line += body.count("\n", seen, mark.start())
        seen = mark.start()
        number = whole(path, mark[1], line, mark[1])
        if number in found or not 0 < number <= _MOST_CHARACTERS:
            where = f"line {found[number].line} has it too" if number in found else "it is out of range"
            problem = f"character {mark[1]}: {where}"
            raise BadTable(path, problem, "number them from 1", line=line, value=mark[1])
        feature, *more = parts(body[mark.end() : end])
        states: dict[int, Name] = {}
        unit = ""
        at = line + feature.count("\n")
        for part in more:
            here, at = at + len(part[: len(part) - len(part.lstrip())].split("\n")) - 1, at + part.count("\n")
            name = named(path, part, here)
            state = _STATE.fullmatch(name.bare)
            if state:
                place = whole(path, state[1], here, state[1])
                states[place] = Name(state[2] or "", name.full.partition(".")[2].strip())
            elif name.bare:
                unit = name.bare
        if list(states) != list(range(1, len(states) + 1)):
            raise BadTable(path, f"the states of character {number} do not count up from 1", "number them", line=line)
        found[number] = Character(number, line, named(path, feature, line), tuple(states.values()), unit)
    if not found:
        raise BadTable(path, "there is no character", "choose the files of one DELTA data set")
    return found


def whole(path: Path, text: str, line: int, value: str) -> int:
    """A number of a character or state. Raises BadTable for what is none or too large to be one."""
    if not text.isdecimal() or len(text) > 6:
        raise BadTable(path, "this is no number of up to 6 digits", "write it as 3", line=line, value=value)
    return int(text)


def _range(path: Path, text: str, line: int, value: str) -> range:
    """Numbers such as `3` or `3-5`."""
    low, dash, high = text.partition("-")
    first = whole(path, low, line, value)
    last = whole(path, high, line, value) if dash else first
    if first > last:
        raise BadTable(path, "the range runs backwards", "write it as 3-5", line=line, value=value)
    return range(first, last + 1)


def specify(draft: Draft, path: Path, text: str, known: dict[int, Character]) -> None:
    """Add what the specifications say to the characters. Raises BadTable."""

    def of(numbers: str, line: int, value: str) -> Iterator[Character]:
        for number in _range(path, numbers, line, value):
            if number not in known:
                raise BadTable(path, f"there is no character {number}", "mend chars or specs", line=line, value=value)
            yield known[number]

    counted: list[tuple[Character, int, int, str]] = []
    for name, body, line in directives(text):
        if name not in (*_BY_CHARACTER, *_DEPENDENCES, "NUMBER OF CHARACTERS"):
            if name != "SHOW":
                _pass_over(draft, path, name, body, line)
            continue
        said = list(words(path, body, line))
        if name == "NUMBER OF CHARACTERS" and [word for word, _ in said] != [str(len(known))]:
            value = " ".join(word for word, _ in said)
            problem = f"{len(known)} characters are in the list, not {value[:20]}"
            raise BadTable(path, problem, "choose the files of one DELTA data set", line=line, value=value)
        for word, at in said if name in _BY_CHARACTER else ():
            numbers, _, value = word.partition(",")
            if not value:
                raise BadTable(path, f"*{name} has no value here", "write it as 3,2", line=at, value=word)
            for character in of(numbers, at, word):
                if name == "NUMBERS OF STATES":
                    counted.append((character, whole(path, value, at, word), at, word))
                elif name == "IMPLICIT VALUES":
                    _imply(draft, path, character, value, at, word)
                elif value.upper() in (*MULTISTATE, *NUMERIC, *TEXT):
                    character.kind = value.upper()
                else:
                    problem = f'character {character.number} has the unknown type "{value[:9]}"'
                    remedy = f"known are {', '.join((*MULTISTATE, *NUMERIC, *TEXT))}"
                    raise BadTable(path, problem, remedy, line=at, value=word)
        for word, at in said if name in _DEPENDENCES else ():
            control, _, dependents = word.partition(":")
            number, _, states = control.partition(",")
            if not number.isdecimal() or not dependents or not states:
                raise BadTable(path, "this is no dependence", "write it as 10,2:11", line=at, value=word)
            (controlling,) = of(number, at, word)
            there = frozenset(range(1, len(controlling.states) + 1))
            ranges = [_range(path, part, at, word) for part in states.split("/")]
            if any(part.start < 1 or part.stop > len(there) + 1 for part in ranges):
                problem = f"character {number} has {len(there)} states"
                raise BadTable(path, problem, "name states that it has", line=at, value=word)
            meant = frozenset(state for part in ranges for state in part)
            for part in dependents.split(":"):
                for character in of(part, at, word):
                    ruling = there - meant if name == "APPLICABLE CHARACTERS" else meant
                    character.ruled_out_by.append((controlling.number, ruling))
    for character, stated, at, word in counted:
        if character.kind in MULTISTATE and stated not in (0, len(character.states)):
            problem = f"character {character.number} has {len(character.states)} states in the list, {stated} here"
            raise BadTable(path, problem, "mend chars or specs", line=at, value=word)


def _imply(draft: Draft, path: Path, character: Character, value: str, line: int, word: str) -> None:
    """Take the implicit value of a character: a state, of two the first."""
    states = [_range(path, part, line, word) for part in re.split(r"[:/&]", value)]
    if any(part.start < 1 or part.stop > len(character.states) + 1 for part in states):
        problem = f"character {character.number} has {len(character.states)} states"
        raise BadTable(path, problem, "name a state that it has", line=line, value=word)
    character.implicit, _, other = value.partition(":")
    if other:
        draft.remark("of two implicit values of a character the first is taken")
