"""DELTA data sets: a folder with the character list, the items and the specifications.

Characters become tests and items hypotheses. `U` is unknown, `-` not applicable, `V` any state; `1/2` and `1&2` are
several outcomes, `1-3` all states from one to the other. A number is a range whose extremes in brackets belong to it.
Where an item says nothing of a character, its implicit value holds; a variant item (`#+`) first takes what the item
before it says. Where a controlling character has none but states that rule a dependent one out, that one does not
apply, and the test needs one of the other states. Text characters hold no outcomes and are left out.

Source: the published DELTA format (Dallwitz, Paine, Zurcher, "User's guide to the DELTA system").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from diagnoser.errors import BadTable
from diagnoser.formats.draft import Draft, Range, safe_id, safe_test
from diagnoser.formats.reading import How, Reading, Tally
from diagnoser.formats.rows import old_text
from diagnoser.kb import NOT_APPLICABLE, Hypothesis, Outcome, Test
from diagnoser.text import clean

_MULTISTATE, _NUMERIC, _TEXT = ("UM", "OM"), ("IN", "RN"), ("TE", "CY", "LI")
_RTF = re.compile(r"\\'([0-9a-fA-F]{2})|\\[a-zA-Z]+-?\d*(?:\{\}| )?|[{}]")
_CHARACTER = re.compile(r"^[ \t]*#[ \t]*(\d+)\.[ \t]", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*#(\+?)", re.MULTILINE)
_END = re.compile(r"/(?=\s|\Z)")
_STATE = re.compile(r"\s*(\d+)\.\s+(.*)", re.DOTALL)
_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)"
_NUMBERS = re.compile(rf"(?:\(({_NUMBER})-\))?({_NUMBER})(?:-({_NUMBER}))?(?:-({_NUMBER}))?(?:\(-({_NUMBER})\))?")
_MOST_CHARACTERS = 30_000


@dataclass(slots=True)
class _Character:
    """One character of the list."""

    number: int
    line: int
    feature: str
    """With its comments in brackets."""
    states: tuple[str, ...] = ()
    unit: str = ""
    kind: str = "UM"
    implicit: str = ""
    ruled_out_by: list[tuple[int, frozenset[int]]] = field(default_factory=list)
    """Controlling characters with the states, from 1, under which this one does not apply."""


@dataclass(frozen=True, slots=True)
class _Item:
    """One item: what it says by number of character, each with its line."""

    name: str
    line: int
    said: Mapping[int, tuple[str, int]]


def read(folder: Path, how: How) -> Reading:  # noqa: ARG001  a data set says all itself
    """Read chars, items and specs of a folder. Raises BadTable."""
    files = {entry.name.casefold(): entry for entry in folder.iterdir()}
    draft = Draft(files["items"], "")
    texts = {}
    for name in ("specs", "chars", "items"):
        texts[name], encoding = old_text(files[name])
        if encoding:
            draft.remark(f"{name}: {encoding}")
    characters = _characters(files["chars"], texts["chars"])
    _specify(files["specs"], texts["specs"], characters)
    title = next((text for name, text, _ in _directives(texts["chars"]) if name == "SHOW"), "")
    draft.title = _plain(title).removeprefix("~").strip().removesuffix(".")
    items = list(_items(files["items"], texts["items"], characters))
    tests = _add_tests(draft, characters, items)
    for item in items:
        row = draft.add_hypothesis(Hypothesis(item.name, item.name, 1.0), item.line)
        _fill(draft, row, item, characters, tests)
    return draft.finish(hypothesis_word="item", hypotheses_word="items")


def _directives(text: str) -> Iterator[tuple[str, str, int]]:
    """Each directive's name in capitals, its text and the line it begins on."""
    starts = [match.start() for match in re.finditer(r"^[ \t]*\*", text, re.MULTILINE)]
    line, seen = 1, 0
    for start, end in zip(starts, [*starts, len(text)][1:], strict=True):
        line += text.count("\n", seen, start)
        seen = start
        body = text[start:end].lstrip(" \t*")
        name = re.match(r"[A-Z]+(?: [A-Z]+)*(?=[\s~]|\Z)", body)
        words = name[0] if name else ""
        yield words, body[len(words) :], line


def _directive(path: Path, text: str, name: str) -> tuple[str, int]:
    for found, body, line in _directives(text):
        if found == name:
            return body, line
    raise BadTable(path, f"there is no directive *{name}", "choose the files of one DELTA data set")


def _spoken(path: Path, text: str, line: int, *, keep: bool = False) -> str:
    """The text without comments, or with them in round brackets. Raises BadTable where brackets do not match."""
    parts: list[str] = []
    depth, opened = 0, line
    for piece in re.split(r"([<>\n])", text):
        if piece == "<":
            depth += 1
            opened = line if depth == 1 else opened
            parts.append(" (" if keep and depth == 1 else "")
        elif piece == ">" and depth:
            depth -= 1
            parts.append(")" if keep and not depth else "")
        elif not depth or keep:
            parts.append(piece)
        line += piece == "\n"
    if depth:
        raise BadTable(path, "a comment is opened and never closed", "close it with >", line=opened)
    return "".join(parts)


def _plain(text: str) -> str:
    """Text without word processor's marks and with single blanks."""
    shown = _RTF.sub(lambda mark: bytes.fromhex(mark[1]).decode("cp1252", "replace") if mark[1] else "", text)
    return re.sub(r"\s+", " ", clean(shown)).replace("( ", "(").replace("()", "").strip()


def _characters(path: Path, text: str) -> dict[int, _Character]:
    body, line = _directive(path, text, "CHARACTER LIST")
    characters: dict[int, _Character] = {}
    marks = list(_CHARACTER.finditer(body))
    seen = 0
    for mark, end in zip(marks, [*(m.start() for m in marks), len(body)][1:], strict=True):
        line += body.count("\n", seen, mark.start())
        seen = mark.start()
        number = int(mark[1])
        if number in characters or not 0 < number <= _MOST_CHARACTERS:
            where = f"line {characters[number].line} has it too" if number in characters else "it is out of range"
            raise BadTable(path, f"character {mark[1][:9]}: {where}", "number them from 1", line=line)
        parts = _END.split(_spoken(path, body[mark.end() : end], line, keep=True))
        states: dict[int, str] = {}
        unit = ""
        for part in parts[1:]:
            state = _STATE.fullmatch(part.rstrip())
            if state:
                states[int(state[1])] = _plain(state[2])
            elif part.strip():
                unit = _plain(_outside_brackets(part))
        if list(states) != list(range(1, len(states) + 1)):
            raise BadTable(path, f"the states of character {number} do not count up from 1", "number them", line=line)
        characters[number] = _Character(number, line, _plain(parts[0]), tuple(states.values()), unit)
    if not characters:
        raise BadTable(path, "there is no character", "choose the files of one DELTA data set")
    return characters


def _short(text: str) -> str:
    """The text without its comments, unless it is nothing else."""
    return _outside_brackets(text) or text.removeprefix("(").removesuffix(")")


def _outside_brackets(text: str) -> str:
    parts: list[str] = []
    depth = 0
    for piece in re.split(r"([()])", text):
        depth += (piece == "(") - (piece == ")" and depth > 0)
        if not depth and piece != ")":
            parts.append(piece)
    return "".join(parts).strip()


def _specify(path: Path, text: str, characters: dict[int, _Character]) -> None:
    """Add what the specifications say to the characters."""

    def of(numbers: str, line: int, value: str) -> Iterator[_Character]:
        for number in _range(path, numbers, line, value):
            if number not in characters:
                raise BadTable(path, f"there is no character {number}", "mend chars or specs", line=line, value=value)
            yield characters[number]

    counts = {"NUMBERS OF STATES": dict.fromkeys(characters, 0)}
    for name, body, line in _directives(text):
        words = _spoken(path, body, line).split()
        if name == "NUMBER OF CHARACTERS" and words != [str(len(characters))]:
            problem = f"{len(characters)} characters are in the list, not {' '.join(words)[:20]}"
            raise BadTable(path, problem, "choose the files of one DELTA data set", line=line)
        for word in words if name in ("CHARACTER TYPES", "NUMBERS OF STATES", "IMPLICIT VALUES") else ():
            numbers, _, value = word.partition(",")
            for character in of(numbers, line, word):
                if name == "CHARACTER TYPES":
                    character.kind = value.upper()
                elif name == "NUMBERS OF STATES":
                    counts[name][character.number] = int(value) if value.isdecimal() else -1
                else:
                    character.implicit = value.partition(":")[0]
        if name in ("DEPENDENT CHARACTERS", "INAPPLICABLE CHARACTERS"):
            for word in words:
                control, _, dependents = word.partition(":")
                number, _, states = control.partition(",")
                (controlling,) = of(number, line, word) if number.isdecimal() else [None]
                if controlling is None or not dependents:
                    raise BadTable(path, "this is no dependence", "write it as 10,2:11", line=line, value=word)
                ruling = frozenset(s for part in states.split("/") for s in _range(path, part, line, word))
                for part in dependents.split(":"):
                    for character in of(part, line, word):
                        character.ruled_out_by.append((controlling.number, ruling))
    for character in characters.values():
        stated = counts["NUMBERS OF STATES"][character.number]
        if character.kind not in (*_MULTISTATE, *_NUMERIC, *_TEXT):
            problem = f'character {character.number} has the unknown type "{character.kind[:9]}"'
            raise BadTable(path, problem, f"known are {', '.join((*_MULTISTATE, *_NUMERIC, *_TEXT))}")
        if character.kind in _MULTISTATE and stated not in (0, len(character.states)):
            problem = f"character {character.number} has {len(character.states)} states in the list, {stated} here"
            raise BadTable(path, problem, "mend chars or specs")


def _range(path: Path, text: str, line: int, value: str) -> range:
    """Numbers such as `3` or `3-5`."""
    low, dash, high = text.partition("-")
    if not (low.isdecimal() and (high.isdecimal() or not dash)) or len(low) > 6 or len(high) > 6:
        raise BadTable(path, "this is no number and no range", "write it as 3 or 3-5", line=line, value=value)
    return range(int(low), int(high or low) + 1)


def _items(path: Path, text: str, characters: Mapping[int, _Character]) -> Iterator[_Item]:
    body, line = _directive(path, text, "ITEM DESCRIPTIONS")
    marks = list(_ITEM.finditer(body))
    seen = 0
    before: Mapping[int, tuple[str, int]] = {}
    named: list[tuple[str, str, int, bool, dict[int, tuple[str, int]]]] = []
    for mark, end in zip(marks, [*(m.start() for m in marks), len(body)][1:], strict=True):
        line += body.count("\n", seen, mark.start())
        seen = mark.start()
        head, slash, attributes = _cut_name(body[mark.end() : end])
        if not slash:
            raise BadTable(path, "the item's name has no end", "put a / behind it", line=line)
        said: dict[int, tuple[str, int]] = {}
        for word, at in _attributes(path, attributes, line + head.count("\n")):
            number, _, value = word.partition(",")
            if not number.isdecimal() or len(number) > 6 or int(number) not in characters:
                problem, remedy = "this is no attribute of a known character", "write it as 3,1 or 3,1/2"
                raise BadTable(path, problem, remedy, line=at, value=word)
            if int(number) in said:
                raise BadTable(path, f"character {number} stands twice", "take one out", line=at, value=word)
            said[int(number)] = value, at
        bare, full = _plain(_spoken(path, head, line)), _plain(_spoken(path, head, line, keep=True))
        named.append((bare, full, line, bool(mark[1]), said))
    times = Counter(bare for bare, *_ in named)
    for bare, full, line, variant, said in named:
        everything = {**before, **said} if variant else said
        yield _Item(full if times[bare] > 1 else bare, line, everything)
        before = everything


def _cut_name(text: str) -> tuple[str, str, str]:
    """An item's name, the slash that ends it outside comments, and the attributes."""
    depth = 0
    for mark in re.finditer(r"[<>]|/(?=\s|\Z)", text):
        depth += (mark[0] == "<") - (mark[0] == ">" and depth > 0)
        if mark[0] == "/" and not depth:
            return text[: mark.start()], "/", text[mark.end() :]
    return text, "", ""


def _attributes(path: Path, text: str, line: int) -> Iterator[tuple[str, int]]:
    """Words outside comments, which may stand in the middle of a word, each with its line."""
    word: list[str] = []
    depth, begun = 0, line
    for piece in re.split(r"([<>\s])", text):
        if piece == "<":
            depth += 1
        elif piece == ">" and depth:
            depth -= 1
        elif not depth and piece.isspace():
            if word:
                yield "".join(word), begun
            word = []
        elif not depth and piece:
            begun = begun if word else line
            word.append(piece)
        line += piece == "\n"
    if depth:
        raise BadTable(path, "a comment is opened and never closed", "close it with >", line=begun)
    if word:
        yield "".join(word), begun


def _add_tests(draft: Draft, characters: Mapping[int, _Character], items: Sequence[_Item]) -> dict[int, int]:
    """The number of the test of each character that is one; the others are left out."""
    names = _different([(_short(c.feature), c.feature, c.number) for c in characters.values()])
    ids = dict(zip(characters, names, strict=True))
    outcomes = {
        number: tuple(
            Outcome(safe_id(label), label)
            for label in _different([(_short(s), s, place) for place, s in enumerate(c.states, 1)])
        )
        for number, c in characters.items()
        if c.kind in _MULTISTATE
    }
    tests: dict[int, int] = {}
    for number, character in characters.items():
        if character.kind in _TEXT:
            known = sum(number in item.said for item in items)
            counts = Tally(0, 1, known, 0, len(items) - known, 0)
            draft.leave_out(f'character {number} "{ids[number]}": it holds text', counts)
            continue
        needs = [
            tuple((ids[control], o.id) for s, o in enumerate(outcomes[control], 1) if s not in states)
            for control, states in character.ruled_out_by
            if control in outcomes
        ]
        test = Test(
            ids[number],
            outcomes.get(number, ()),
            question=character.feature,
            unit=character.unit or None if character.kind in _NUMERIC else None,
            needs=tuple(any_of for any_of in needs if any_of),
        )
        tests[number] = draft.add_test(test, character.line)
    return tests


def _different(texts: Sequence[tuple[str, str, int]]) -> list[str]:
    """The short texts; where two are the same the long ones, and where those are the numbers too."""
    shorts = [safe_test(short) for short, _, _ in texts]
    times, long_times = Counter(shorts), Counter(safe_test(full) for _, full, _ in texts)
    found = []
    for short, (_, full, number) in zip(shorts, texts, strict=True):
        name = safe_test(full)
        found.append(short if times[short] == 1 else name if long_times[name] == 1 else f"{name} #{number}")
    return found


def _fill(draft: Draft, row: int, item: _Item, characters: Mapping[int, _Character], tests: Mapping[int, int]) -> None:
    settled: dict[int, frozenset[int] | None] = {}
    for number in _controlling_first(characters):
        character = characters[number]
        value, line = item.said.get(number, ("", item.line))
        if number not in item.said and _ruled_out(character, settled):
            value = "-"
        elif number not in item.said:
            value = character.implicit
        settled[number] = _states(value, len(character.states)) if character.kind in _MULTISTATE else None
        if number not in tests or value.upper() in ("", "U"):
            if number in tests and number in item.said and not value:
                draft.remark("remarks in place of a value are taken as unknown")
            settled[number] = None
            continue
        try:
            said = _numbers(draft, value) if character.kind in _NUMERIC else _shares(draft, value, character)
        except ValueError as error:
            where = f"character {number}"
            raise BadTable(
                draft.path, str(error), "write it as 1, 1/2, 1-3, U or -", line=line, column=where, value=value
            ) from None
        if isinstance(said, tuple):
            draft.put(row, tests[number], said)
        else:
            outcomes = draft.test(tests[number]).outcomes
            place = {state: outcomes[state - 1].id for state in said if state}
            draft.put(row, tests[number], {place.get(state, NOT_APPLICABLE): share for state, share in said.items()})


def _controlling_first(characters: Mapping[int, _Character]) -> list[int]:
    """Characters after those they depend on; in a circle as they stand."""
    order: dict[int, None] = {}
    for start in characters:
        waiting = [start]
        entered: set[int] = set()
        while waiting:
            number = waiting[-1]
            open_ones = [c for c, _ in characters[number].ruled_out_by if c not in order and c not in entered]
            entered.add(number)
            if open_ones:
                waiting.extend(open_ones)
            else:
                order[waiting.pop()] = None
    return list(order)


def _ruled_out(character: _Character, settled: Mapping[int, frozenset[int] | None]) -> bool:
    for control, states in character.ruled_out_by:
        known = settled.get(control)
        if known is not None and known <= states | {0}:
            return True
    return False


def _states(value: str, count: int) -> frozenset[int] | None:
    """The states of a multistate value, 0 for "does not apply"; None where it is none."""
    found: set[int] = set()
    for part in re.split(r"[/&]", value):
        if part == "-":
            found.add(0)
        elif part.upper() == "V":
            found.update(range(1, count + 1))
        elif match := re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part):
            low, high = int(match[1]), int(match[2] or match[1])
            if not 1 <= min(low, high) <= max(low, high) <= count:
                return None
            found.update(range(min(low, high), max(low, high) + 1))
        else:
            return None
    return frozenset(found)


def _shares(draft: Draft, value: str, character: _Character) -> dict[int, float]:
    states = _states(value, len(character.states))
    if states is None:
        raise ValueError(f"this is no value of a character with {len(character.states)} states")
    if "&" in value:
        draft.remark("states that hold together (1&2) are read as either of them")
    return dict.fromkeys(sorted(states), 1.0)


def _numbers(draft: Draft, value: str) -> Range | dict[int, float]:
    """The hull of the numbers of a value, extremes included."""
    if value == "-":
        return {0: 1.0}
    ends: list[float] = []
    parts = re.split(r"[/&]", value)
    for part in parts:
        match = _NUMBERS.fullmatch(part)
        if match is None:
            raise ValueError("this is no number and no range")
        ends += [float(end) for end in match.groups() if end]
    if len(parts) > 1:
        draft.remark("several ranges of one number are read as the range from the lowest to the highest")
    return min(ends), max(ends)
