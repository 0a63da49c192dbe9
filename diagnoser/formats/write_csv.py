"""A table as one bare CSV file, whose cells read back with the same meaning.

The words and marks of such a file say what is a name and what is a cell, so ids that look like something else are
renamed. What a bare file has no place for is said.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from diagnoser.errors import BadTable, DiagnoserError
from diagnoser.formats.csv import NO_NAMES, is_mark, is_word, read
from diagnoser.formats.draft import safe_id
from diagnoser.formats.losses import Losses, renamed
from diagnoser.formats.reading import How
from diagnoser.formats.write_folder import cell, csv_lines
from diagnoser.kb import NOT_APPLICABLE, UNKNOWN, KnowledgeBase, Outcome, Test
from diagnoser.text import clean


def write(kb: KnowledgeBase, path: Path) -> tuple[str, ...]:
    """Write the cells of a table. Returns what the format cannot hold, one line each.

    Raises DiagnoserError where no test has a known outcome, or the file would not read back; and OSError.
    """
    losses = Losses()
    for words in _without_place(kb, path):
        losses.add(f"{words} are not kept")
    used = [_used(kb, index) for index in range(len(kb.tests))]
    # Once "+" stands in a column, a minus means no there, and in columns of nothing but "-".
    signs = any("+" in ids and NOT_APPLICABLE not in ids for ids in used)
    columns = [_column(kb, index, ids, signs, losses) for index, ids in enumerate(used)]
    kept = [column for column in columns if column is not None]
    if not kept:
        raise DiagnoserError(f'"{kb.title}" does not fit into a CSV file: no test has a known outcome')
    texts = [[*map({code: cell(test, code) for code in set(codes)}.__getitem__, codes)] for test, codes in kept]
    tests = _test_ids([test.id for test, _ in kept], texts, losses)
    hypotheses = _hypothesis_ids(kb, losses)
    # Names that might be cells are read as names below a blank heading.
    cells = all(is_word(name) or is_mark(name) for name in hypotheses)
    word = "" if cells else clean(kb.hypothesis_word) or "hypothesis"
    heading = renamed("columns", [word], [word], tests, Losses())[0]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(csv_lines({heading: hypotheses, **dict(zip(tests, texts, strict=True))}))
    _compare(kb.title, path, hypotheses, [(replace(t, id=i), c) for i, (t, c) in zip(tests, kept, strict=True)], losses)
    return losses.lines()


def _without_place(kb: KnowledgeBase, path: Path) -> Iterator[str]:
    hypotheses, tests = kb.hypotheses, kb.tests
    yield from (
        words
        for words, there in {
            "the title and what the table says of itself": (
                kb.title != path.stem
                or any((kb.version, kb.licence, kb.scope, kb.disclaimer, kb.sources))
                or (kb.hypothesis_word, kb.hypotheses_word) != ("hypothesis", "hypotheses")
            ),
            "priors": any(h.prior != 1.0 / len(hypotheses) for h in hypotheses),
            "groups": any(h.group for h in hypotheses) or bool(kb.groups),
            "names apart from ids": any(h.name != h.id for h in hypotheses),
            "other names": any(h.aliases for h in hypotheses),
            "notes on the rows": any(h.note for h in hypotheses),
            "further columns": any(h.extra for h in hypotheses),
            "costs": any(t.cost != 1.0 for t in tests) or kb.cost_unit != "tests",
            "names and questions of the tests": any(t.name or t.question for t in tests),
            "labels of the outcomes": any(o.label != o.id for t in tests for o in t.outcomes[: t.applicable]),
            "categories": any(t.category for t in tests),
            "reliabilities": any(t.reliability is not None for t in tests),
            "needs": any(t.needs for t in tests),
            "sets of tests with the same evidence": any(t.same_evidence for t in tests),
            "provenances and notes of the tests": any(t.provenance or t.note for t in tests),
        }.items()
        if there
    )


def _used(kb: KnowledgeBase, index: int) -> set[str]:
    """Ids, as they can stand in a bare cell, of the outcomes that any row of a test has."""
    test = kb.tests[index]
    codes = set(kb.codes[index :: len(kb.tests)]) - {UNKNOWN}
    partials = [test.partials[-2 - code] if code < UNKNOWN else ((code, 1.0),) for code in codes]
    ids = [*map(_bare_outcome, _applicable(test)), NOT_APPLICABLE]
    return {ids[outcome] for partial in partials for outcome, _ in partial}


def _applicable(test: Test) -> list[str]:
    return [outcome.id for outcome in test.outcomes[: test.applicable]]


def _column(
    kb: KnowledgeBase, index: int, used: set[str], signs: bool, losses: Losses
) -> tuple[Test, array[int]] | None:
    """A test with outcome ids that can stand in a bare cell, and its codes; None where no row has a known outcome."""
    test = kb.tests[index]
    if not used - {NOT_APPLICABLE}:
        losses.add("left out, for no row has a known outcome", f'"{test.id}"')
        return None
    if index in kb.intervals or test.cuts:
        losses.add("numbers and cut points are not kept, only the ranges they make", f'"{test.id}"')
    minus_is_no = ("+" in used and NOT_APPLICABLE not in used) or (signs and used == {"-"})
    words = {} if minus_is_no or not used & {"+", "-"} else {"+": "present", "-": "absent"}
    old = _applicable(test)
    wanted = [words.get(name, name) for name in map(_bare_outcome, old)]
    new = renamed(f'outcomes of "{test.id}"', old, _without_capitals(wanted), (), losses)
    outcomes = tuple(Outcome(name, name) for name in new) + test.outcomes[test.applicable :]
    return replace(test, outcomes=outcomes), kb.codes[index :: len(kb.tests)]


def _bare_outcome(name: str) -> str:
    text = clean(name)
    return f"({text})" if is_mark(text) else safe_id(text) if "|" in text or text.endswith("!") else text


def _without_capitals(names: Sequence[str]) -> list[str]:
    """The names, where capitals make no difference between two of them a later one with a mark of its own."""
    seen: set[str] = set()
    found: list[str] = []
    for name in names:
        while name.casefold() in seen:
            name = f"{name} (other)"
        seen.add(name.casefold())
        found.append(name)
    return found


def _test_ids(old: Sequence[str], texts: Sequence[Sequence[str]], losses: Losses) -> tuple[str, ...]:
    """Names that cannot be taken for cells; names that count up are taken for names in any case."""
    wanted = [clean(name) for name in old]
    if len(old) > 2 and any(wanted == [str(start + place) for place in range(len(old))] for start in (0, 1)):
        return tuple(wanted)
    safe = [
        f"test {name}".strip() if is_mark(name) or is_word(name) or name in set(column) else name
        for name, column in zip(wanted, texts, strict=True)
    ]
    return renamed("tests", old, safe, (), losses)


def _hypothesis_ids(kb: KnowledgeBase, losses: Losses) -> tuple[str, ...]:
    old = [hypothesis.id for hypothesis in kb.hypotheses]
    wanted = [clean(name) for name in old]
    refused = is_mark if all(map(is_mark, wanted)) else NO_NAMES.__contains__
    return renamed("hypotheses", old, [f"({name})" if refused(name) else name for name in wanted], (), losses)


def _compare(
    title: str, path: Path, hypotheses: Sequence[str], columns: Sequence[tuple[Test, array[int]]], losses: Losses
) -> None:
    """Read the file back and hold every cell against what was to be said."""
    try:
        back = read(path, How()).kb
    except BadTable as error:
        raise DiagnoserError(f'"{title}" does not fit into a CSV file: {error.problem}') from None
    same = [h.id for h in back.hypotheses] == [*hypotheses] and [t.id for t in back.tests] == [t.id for t, _ in columns]
    if same:
        for index, (test, codes) in enumerate(columns):
            found = back.tests[index]
            pairs = set(zip(codes, back.codes[index :: len(columns)], strict=True))
            same = same and all(_said(test, one) == _said(found, other) for one, other in pairs)
            ids, there = [outcome.id for outcome in test.outcomes], [outcome.id for outcome in found.outcomes]
            if set(ids) != set(there):
                losses.add("outcomes that no row has are not kept", f'"{test.id}"')
            elif ids != there:
                losses.add("the order of outcomes is not kept, which settles ties", f'"{test.id}"')
    if not same:
        raise DiagnoserError(f'"{title}" does not read back as the same table; this is a mistake of the program')


def _said(test: Test, code: int) -> dict[str, float] | None:
    """What a cell says by the ids of its outcomes; None where it is unknown."""
    if code == UNKNOWN:
        return None
    partial = test.partials[-2 - code] if code < UNKNOWN else ((code, 1.0),)
    return {test.outcomes[outcome].id: share for outcome, share in partial}
