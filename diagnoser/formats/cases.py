"""Case lists: one row a patient or incident, grouped into the frequencies of a table.

Each different diagnosis is a hypothesis, its prior in proportion to its cases. Every other column is a test whose
outcomes are the words in it; a cell holds how often each stands among the cases of its diagnosis. What a blank means
is said by whoever reads: nothing is known, or the symptom is absent.

Columns such as Symptom_1, Symptom_2, ... may list what a case shows, one name a cell: then each name is a test,
present where it stands. Numbers alone do not say so, for reading_1 and reading_2 are numbered too: the columns must
share names, no case may have one twice or a gap before one, and names must be more than columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from diagnoser.errors import BadTable
from diagnoser.formats.cells import number
from diagnoser.formats.csv import NEGATIVE, PARTNER, RANK, is_mark, is_word
from diagnoser.formats.draft import Draft, safe_id, safe_test
from diagnoser.formats.reading import How, Reading, Tally
from diagnoser.kb import Hypothesis, Outcome, Test
from diagnoser.text import clean, counted, nearest

_NUMBERED = re.compile(r"(.*?[^\W\d_])[\W_]*([0-9]{1,4})")
_MOST_GRADES = 12
"""Different numbers in a column; fewer are grades, each an outcome with its frequency, and more are measures."""
_MOST_NAMES = 5_000
"""Different texts in a list of names; more are texts, and a test for each would be out of proportion to the file."""


def group_cases(path: Path, rows: Iterable[tuple[int, list[str]]], how: How, said: Sequence[str]) -> Reading:
    """The table of a case list whose first row is a header. Raises BadTable."""
    texts = [(line, [clean(field) for field in row]) for line, row in rows]
    texts = [(line, row) for line, row in texts if any(row)]
    if len(texts) < 2:
        raise BadTable(path, "there is a header at most and no case", "choose a file with a header and cases")
    (top, header), cases = texts[0], texts[1:]
    width = max(place for place, name in enumerate(header, 1) if name)
    for line, row in cases:
        if len(row) < width or any(row[width:]):
            problem = f"the row has {len(row)} fields, the header {width}"
            raise BadTable(path, problem, "give every row as many", line=line)
    columns = {place: [row[place] for _, row in cases] for place in range(width)}
    by = _diagnosis(path, top, header, how.cases or "")
    draft = Draft(path, path.stem)
    for words in said:
        draft.remark(words)
    diagnoses = columns.pop(by)
    for (line, _), name in zip(cases, diagnoses, strict=True):
        if is_mark(name):
            raise BadTable(
                path, "the case has no diagnosis", "write it or take the row out", line=line, column=header[by]
            )
    rows_of = add_diagnoses(draft, diagnoses, [line for line, _ in cases], [1.0] * len(cases))
    for group in _lists(draft, header, columns):
        _spread(draft, [columns.pop(place) for place in group], rows_of, how.absent)
    for place in _kept(draft, top, header, columns):
        _add(draft, header[place], columns[place], rows_of, how.absent)
    return draft.finish(hypothesis_word="diagnosis", hypotheses_word="diagnoses")


def add_diagnoses(draft: Draft, names: Sequence[str], lines: Sequence[int], weights: Sequence[float]) -> list[int]:
    """A hypothesis for each different name of a case, its prior the weight of its cases; the number of each case's.

    Raises BadTable.
    """
    totals: dict[str, float] = {}
    first: dict[str, int] = {}
    for name, line, weight in zip(names, lines, weights, strict=True):
        totals[name] = totals.get(name, 0.0) + weight
        first.setdefault(name, line)
    numbers = {name: draft.add_hypothesis(Hypothesis(name, name, totals[name]), line) for name, line in first.items()}
    draft.remark(f"{counted(len(names), 'case')} of {len(numbers)} diagnoses; priors are in proportion to the cases")
    draft.remark("an outcome that no case of a diagnosis shows rules it out")
    return [numbers[name] for name in names]


def shares(
    hypotheses: Sequence[int], outcomes: Sequence[str | None], weights: Sequence[float]
) -> dict[int, dict[str, float]]:
    """The weight of each outcome among the cases of a hypothesis, from both of each case; None is unknown."""
    found: dict[int, dict[str, float]] = {}
    for hypothesis, outcome, weight in zip(hypotheses, outcomes, weights, strict=True):
        if outcome is not None:
            of_one = found.setdefault(hypothesis, {})
            of_one[outcome] = of_one.get(outcome, 0.0) + weight
    return found


def ranges(hypotheses: Sequence[int], values: Sequence[float | None]) -> dict[int, tuple[float, float]]:
    """The lowest and the highest number among the cases of a hypothesis, from both of each case; None is unknown."""
    found: dict[int, tuple[float, float]] = {}
    for hypothesis, value in zip(hypotheses, values, strict=True):
        if value is not None:
            low, high = found.get(hypothesis, (value, value))
            found[hypothesis] = min(low, value), max(high, value)
    return found


def _diagnosis(path: Path, line: int, header: Sequence[str], wanted: str) -> int:
    found = [place for place, name in enumerate(header) if name == clean(wanted)]
    if len(found) != 1:
        problem = "no column has this name" if not found else "several columns have this name"
        raise BadTable(path, problem, nearest(wanted, [name for name in header if name]), line=line, value=wanted)
    return found[0]


def _lists(draft: Draft, header: Sequence[str], columns: Mapping[int, Sequence[str]]) -> list[list[int]]:
    """Places of numbered columns, group by group, that are certain to list names; says so, and where it is doubtful."""
    lists: list[list[int]] = []
    taken = {_key(header[place]) for place in columns}
    for group in _numbered(header, columns):
        names, certain = _names_listed([columns[place] for place in group])
        if not names:
            continue
        span = f'columns "{header[group[0]]}" to "{header[group[-1]]}"'
        if certain and taken.isdisjoint(names):
            lists.append(group)
            taken |= names
            draft.remark(f"{span} list what each case shows: each of their {len(names)} names is a test of its own")
        else:
            draft.remark(f"{span} are read as a test each; if they list names, give each name a column of its own")
    return lists


def _numbered(header: Sequence[str], places: Iterable[int]) -> list[list[int]]:
    """Places of two or more columns of one name with numbers behind it that count up from 0 or 1."""
    groups: dict[str, list[tuple[int, int]]] = {}
    for place in places:
        match = _NUMBERED.fullmatch(header[place])
        if match:
            groups.setdefault(match[1].casefold(), []).append((place, int(match[2])))
    return [
        [place for place, _ in group]
        for group in groups.values()
        if len(group) > 1 and group[0][1] < 2 and all(n == group[0][1] + k for k, (_, n) in enumerate(group))
    ]


def _names_listed(columns: Sequence[Sequence[str]]) -> tuple[set[str], bool]:
    """The keys of the texts in these columns, none where they share none, and whether they are certain to be names."""
    first: dict[str, int] = {}
    shared, certain, blank = False, True, False
    for cells in zip(*columns, strict=True):
        known = [(place, text) for place, text in enumerate(cells) if not is_mark(text)]
        texts = [(place, _key(text)) for place, text in known if not is_word(text) and number(text) is None]
        for place, key in texts:
            shared |= first.setdefault(key, place) != place
        gap = any(place != k for k, (place, _) in enumerate(known))
        certain &= not gap and len(texts) == len(known) == len({key for _, key in texts})
        blank |= len(known) < len(cells)
    enough = len(first) > len(columns) and (blank or len(first) >= 2 * len(columns))
    return set(first) if shared else set(), certain and enough and len(first) <= _MOST_NAMES


def _spread(draft: Draft, columns: Sequence[Sequence[str]], rows: Sequence[int], absent: str) -> None:
    """A test for each name that these columns list; rows: the hypothesis of each case."""
    spelling: dict[str, str] = {}
    present: dict[str, Counter[int]] = {}
    whole = Counter[int]()  # cases that name all they show, by hypothesis
    among_whole: dict[str, Counter[int]] = {}
    for row, cells in zip(rows, zip(*columns, strict=True), strict=True):
        is_whole = not any(text and is_mark(text) for text in cells)  # a "?" may stand for any name
        whole[row] += is_whole
        for text in filter(lambda text: not is_mark(text), cells):
            key = _key(text)
            spelling.setdefault(key, text)
            present.setdefault(key, Counter())[row] += 1
            among_whole.setdefault(key, Counter())[row] += is_whole
    draft.remark("a name that a case does not list is read as " + ("absent" if absent == "no" else "unknown"))
    outcomes = (Outcome("present", "present"), Outcome("absent", "absent"))
    for key, name in spelling.items():
        test = draft.add_test(Test(safe_test(name), outcomes))
        for row in whole:
            left = whole[row] - among_whole[key][row] if absent == "no" else 0
            said = {"present": float(present[key][row]), "absent": float(left)}
            if any(said.values()):
                draft.put(row, test, {outcome: n for outcome, n in said.items() if n})


def _key(name: str) -> str:
    """Names with one key are one test."""
    return safe_id(name).casefold()


def _kept(draft: Draft, line: int, header: Sequence[str], columns: dict[int, list[str]]) -> list[int]:
    """Columns that are tests: named, no copy of another, no number of the case."""
    kept: dict[str, int] = {}
    for place, cells in columns.items():
        name, known = header[place], [text for text in cells if not is_mark(text)]
        column = Tally(0, 1, 0, 0, 0, 0)  # cells are counted by diagnosis, so a column left out has none
        if not name and not known:
            continue
        if not name:
            raise BadTable(draft.path, "the column has cells and no name", "name it", line=line, column=place + 1)
        if name in kept and columns[kept[name]] == cells:
            draft.leave_out(f'column {place + 1} "{name}": it is a copy of column {kept[name] + 1}', column)
        elif name in kept and len(set(known)) < 2:
            draft.leave_out(
                f'column {place + 1} "{name}": column {kept[name] + 1} has its name, and it says one thing', column
            )
        elif name in kept and len(set(columns[kept[name]]) - {""}) < 2:
            draft.leave_out(
                f'column {kept[name] + 1} "{name}": column {place + 1} has its name, and it says one thing', column
            )
            kept[name] = place
        elif name in kept:
            problem = f"column {kept[name] + 1} has this name too, with other cells"
            raise BadTable(draft.path, problem, "rename one of them", line=line, column=place + 1, value=name)
        elif len(known) > 2 and len(set(known)) == len(cells):
            draft.leave_out(f'column "{name}": every case has a text of its own', column)
        else:
            kept[name] = place
    return list(kept.values())


def _add(draft: Draft, name: str, cells: Sequence[str], rows: Sequence[int], absent: str) -> None:
    """A column as a test, with the frequencies of its outcomes among the cases of each row."""
    spelling: dict[str, str] = {}
    for text in cells:
        if not is_mark(text):
            spelling.setdefault(text.casefold(), text)
    numbers = {word: value for word in spelling if (value := number(word)) is not None}
    if len(numbers) == len(spelling) > _MOST_GRADES:
        draft.remark(f'the numbers of "{name}" are read as ranges, from the lowest to the highest of a diagnosis')
        test = draft.add_test(Test(safe_test(name), ()))
        for row, ends in ranges(rows, [numbers.get(text.casefold()) for text in cells]).items():
            draft.put(row, test, ends)
        return
    folded = ["" if is_mark(text) else text.casefold() for text in cells]
    if absent == "no" and "" in cells:
        said_no = [word for word in spelling if word in NEGATIVE]
        positive = [word for word in spelling if word in PARTNER and word not in NEGATIVE]
        negative = said_no[0] if said_no else PARTNER[positive[0]] if positive else "no"
        spelling.setdefault(negative, negative)
        folded = [word if text else negative for word, text in zip(folded, cells, strict=True)]  # "?" stays unknown
        draft.remark("blanks are read as absent")
    elif len(spelling) == 1:
        (word,) = spelling
        other = PARTNER.get(word, f"not {spelling[word]}")
        spelling[other] = other
    keys = sorted(spelling, key=lambda word: RANK.get(word, len(RANK)))
    ids = {key: safe_id(spelling[key]) for key in keys}
    test = draft.add_test(Test(safe_test(name), tuple(Outcome(ids[key], spelling[key]) for key in keys)))
    said = [ids[word] if word else None for word in folded]
    for row, frequencies in shares(rows, said, [1.0] * len(rows)).items():
        draft.put(row, test, frequencies)
