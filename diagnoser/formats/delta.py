"""DELTA data sets: a folder with the character list, the items and the specifications.

Characters become tests and items hypotheses. `U` is unknown, `-` not applicable, `V` any state; `1/2` and `1&2` are
several outcomes, `1-3` all states from one to the other. A number is a range whose extremes in brackets belong to it.
Where an item says nothing of a character, its implicit value holds; a variant item (`#+`) first takes what the item
before it says. Where a controlling character has none but states that rule a dependent one out, that one does not
apply, and the test needs one of the other states. Text characters hold no outcomes and are left out.

What of a value is left out, so that a strict conversion refuses it, and what is only remarked on: see `_Lost`.

Source: the published DELTA format (Dallwitz, Paine, Zurcher, "User's guide to the DELTA system").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from pathlib import Path

from diagnoser.errors import BadTable
from diagnoser.formats.delta_characters import (
    MULTISTATE,
    NUMERIC,
    TEXT,
    Character,
    Name,
    characters,
    directive,
    directives,
    named,
    parts,
    specify,
    words,
)
from diagnoser.formats.draft import Draft, Range, safe_id, safe_test
from diagnoser.formats.losses import Losses
from diagnoser.formats.reading import How, Reading, Tally
from diagnoser.formats.rows import old_text
from diagnoser.kb import NOT_APPLICABLE, Hypothesis, Outcome, Test

_ITEM = re.compile(r"^[ \t]*#(\+?)", re.MULTILINE)
_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)"
_NUMBERS = re.compile(rf"(?:\(({_NUMBER})-\))?({_NUMBER})(?:-({_NUMBER}))?(?:-({_NUMBER}))?(?:\(-({_NUMBER})\))?")


class _Lost(Enum):
    """What a value says that a cell cannot: left out, for the cell admits what the file does not, or lacks a number.

    Only remarked on: extremes in brackets, which are in the range; comments, such as a count or a standard deviation in
    words, which by the format never change a value; a comment in place of a value, which is unknown.
    """

    TOGETHER = "states that hold together (1&2) are read as either of them"
    GAPS = "ranges with gaps between them are read as one range from the lowest number to the highest"
    MIDDLE = "the middle value of a range (4-5-6) is not kept"


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
    known = characters(draft, files["chars"], texts["chars"])
    specify(draft, files["specs"], texts["specs"], known)
    title = next(((body, line) for name, body, line in directives(texts["chars"]) if name == "SHOW"), ("", 1))
    draft.title = named(files["chars"], *title).bare.removeprefix("~").strip().removesuffix(".")
    items = list(_items(draft, files["items"], texts["items"], known))
    tests = _add_tests(draft, known, items)
    lost: dict[_Lost, dict[int, None]] = {}
    for item in items:
        row = draft.add_hypothesis(Hypothesis(item.name, item.name, 1.0), item.line)
        _fill(draft, row, item, known, tests, lost)
    for what in lost:
        losses = Losses()
        for number in lost[what]:
            losses.add(what.value, f"character {number}")
        for line in losses.lines():
            draft.leave_out(line)
    return draft.finish(hypothesis_word="item", hypotheses_word="items")


def _items(draft: Draft, path: Path, text: str, known: Mapping[int, Character]) -> Iterator[_Item]:
    body, line = directive(draft, path, text, "ITEM DESCRIPTIONS")
    marks = list(_ITEM.finditer(body))
    seen = 0
    before: Mapping[int, tuple[str, int]] = {}
    found: list[tuple[Name, int, bool, dict[int, tuple[str, int]]]] = []
    for mark, end in zip(marks, [*(m.start() for m in marks), len(body)][1:], strict=True):
        line += body.count("\n", seen, mark.start())
        seen = mark.start()
        whole = body[mark.end() : end]
        head = parts(whole, most=1)[0]
        if head == whole:
            raise BadTable(path, "the item's name has no end", "put a / behind it", line=line)
        said: dict[int, tuple[str, int]] = {}
        if "<" in whole[len(head) :]:
            draft.remark("comments of items are not kept")
        for word, at in words(path, whole[len(head) + 1 :], line + head.count("\n")):
            number, _, value = word.partition(",")
            if not number.isdecimal() or len(number) > 6 or int(number) not in known:
                problem, remedy = "this is no attribute of a known character", "write it as 3,1 or 3,1/2"
                raise BadTable(path, problem, remedy, line=at, value=word)
            if int(number) in said:
                raise BadTable(path, f"character {number} stands twice", "take one out", line=at, value=word)
            said[int(number)] = value, at
        found.append((named(path, head, line), line, bool(mark[1]), said))
    times = Counter(name.short for name, *_ in found)
    for name, line, variant, said in found:
        everything = {**before, **said} if variant else said
        yield _Item(name.full if times[name.short] > 1 else name.short, line, everything)
        before = everything


def _add_tests(draft: Draft, known: Mapping[int, Character], items: Sequence[_Item]) -> dict[int, int]:
    """The number of the test of each character that is one; the others are left out."""
    features = dict(zip(known, _different(safe_test, known, [c.feature for c in known.values()]), strict=True))
    outcomes = {
        number: tuple(Outcome(*both) for both in _different(safe_id, range(1, len(c.states) + 1), c.states))
        for number, c in known.items()
        if c.kind in MULTISTATE
    }
    renamed = Losses()
    tests: dict[int, int] = {}
    for number, character in known.items():
        test_id, name = features[number]
        if character.kind in TEXT:
            there = sum(number in item.said for item in items)
            counts = Tally(0, 1, there, 0, len(items) - there, 0)
            draft.leave_out(f'character {number} "{test_id}": it holds text', counts)
            continue
        for new, old in (features[number], *((o.id, o.label) for o in outcomes.get(number, ()))):
            if new != old:
                renamed.add("ids are other than names", f'"{old}" is "{new}"')
        needs = [
            tuple((features[control][0], o.id) for s, o in enumerate(outcomes[control], 1) if s not in states)
            for control, states in character.ruled_out_by
            if control in outcomes
        ]
        test = Test(
            test_id,
            outcomes.get(number, ()),
            name=name if name != test_id else "",
            question=character.feature.full,
            unit=character.unit or None if character.kind in NUMERIC else None,
            needs=tuple(any_of for any_of in needs if any_of),
        )
        tests[number] = draft.add_test(test, character.line)
    for line in renamed.lines():
        draft.remark(line)
    return tests


def _different(safe: Callable[[str], str], numbers: Iterable[int], names: Sequence[Name]) -> list[tuple[str, str]]:
    """Ids with their texts: the short names; where two are the same the long ones; where those are, numbers too."""
    shorts, longs = [safe(name.short) for name in names], [safe(name.full) for name in names]
    times, long_times = Counter(shorts), Counter(longs)
    found = []
    for number, short, long, name in zip(numbers, shorts, longs, names, strict=True):
        if times[short] == 1:
            found.append((short, name.short))
        else:
            end = "" if long_times[long] == 1 else f" #{number}"
            found.append((long + end, name.full + end))
    return found


def _fill(
    draft: Draft,
    row: int,
    item: _Item,
    known: Mapping[int, Character],
    tests: Mapping[int, int],
    lost: dict[_Lost, dict[int, None]],
) -> None:
    settled: dict[int, frozenset[int] | None] = {}
    for number in _controlling_first(known):
        character = known[number]
        value, line = item.said.get(number, ("", item.line))
        if number not in item.said and _ruled_out(character, settled):
            value = "-"
        elif number not in item.said:
            value = character.implicit
        settled[number] = _states(value, len(character.states)) if character.kind in MULTISTATE else None
        if number not in tests or value.upper() in ("", "U"):
            if number in tests and number in item.said and not value:
                draft.remark("remarks in place of a value are taken as unknown")
            settled[number] = None
            continue
        try:
            said, less = (
                _numbers(value, integer=character.kind == "IN")
                if character.kind in NUMERIC
                else _shares(value, character)
            )
        except ValueError as error:
            where = f"character {number}"
            raise BadTable(
                draft.path, str(error), "write it as 1, 1/2, 1-3, U or -", line=line, column=where, value=value
            ) from None
        for what in less:
            lost.setdefault(what, {})[number] = None
        if isinstance(said, tuple):
            draft.put(row, tests[number], said)
        else:
            outcomes = draft.test(tests[number]).outcomes
            place = {state: outcomes[state - 1].id for state in said if state}
            draft.put(row, tests[number], {place.get(state, NOT_APPLICABLE): share for state, share in said.items()})


def _controlling_first(known: Mapping[int, Character]) -> list[int]:
    """Characters after those they depend on; in a circle as they stand."""
    order: dict[int, None] = {}
    for start in known:
        waiting = [start]
        entered: set[int] = set()
        while waiting:
            number = waiting[-1]
            open_ones = [c for c, _ in known[number].ruled_out_by if c not in order and c not in entered]
            entered.add(number)
            if open_ones:
                waiting.extend(open_ones)
            else:
                order[waiting.pop()] = None
    return list(order)


def _ruled_out(character: Character, settled: Mapping[int, frozenset[int] | None]) -> bool:
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


def _shares(value: str, character: Character) -> tuple[dict[int, float], list[_Lost]]:
    """The states of a value, all alike, and what is lost of it. Raises ValueError."""
    states = _states(value, len(character.states))
    if states is None:
        raise ValueError(f"this is no value of a character with {len(character.states)} states")
    return dict.fromkeys(sorted(states), 1.0), [_Lost.TOGETHER] if "&" in value else []


def _numbers(value: str, *, integer: bool) -> tuple[Range | dict[int, float], list[_Lost]]:
    """The hull of the numbers of a value, extremes included, and what is lost of it. Raises ValueError."""
    if value == "-":
        return {0: 1.0}, []
    ranges: list[Range] = []
    lost: list[_Lost] = []
    for part in re.split(r"[/&]", value):
        match = _NUMBERS.fullmatch(part)
        if match is None:
            raise ValueError("this is no number and no range")
        ends = [float(end) for end in match.groups() if end]
        if not all(map(isfinite, ends)):
            raise ValueError("the number is too large")
        ranges.append((min(ends), max(ends)))
        lost += [_Lost.MIDDLE] if match[4] else []
    low, high = min(ranges)
    for begin, end in sorted(ranges):
        lost += [_Lost.GAPS] if begin > high + integer else []
        high = max(high, end)
    return (low, high), lost
