"""A table as a folder of our own: kb.toml and table.csv, which read back as the same table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import tomli_w

from diagnoser.errors import BadTable, DiagnoserError
from diagnoser.formats.cells import bin_outcomes
from diagnoser.formats.folder import read_folder
from diagnoser.formats.formula import guarded
from diagnoser.formats.losses import Losses, renamed
from diagnoser.formats.storable import storable
from diagnoser.kb import NOT_APPLICABLE, UNKNOWN, Group, KnowledgeBase, Partial, Test

_DIVIDING = re.compile(r'[,;"\t]')


def write(kb: KnowledgeBase, folder: Path) -> tuple[str, ...]:
    """Write kb.toml and table.csv. Returns what the format cannot hold, one line each.

    Raises DiagnoserError where the files would not read back as the table, such as for needs that go round in a
    circle, and OSError.
    """
    stored, lines = storable(kb)
    folder.mkdir(parents=True, exist_ok=True)
    columns, cells = _columns_that_are_no_tests(stored)
    head = tomli_w.dumps(_head(stored, columns), indent=2)
    (folder / "kb.toml").write_text(head, encoding="utf-8", newline="\n")
    with (folder / "table.csv").open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(csv_lines({**cells, **{test.id: column for test, column in _tests(stored)}}))
    try:
        back = read_folder(folder).kb
    except BadTable as error:
        raise DiagnoserError(f'"{kb.title}" does not fit into a folder: {error.problem}') from None
    if (back.fingerprint, back.wording_fingerprint) != (stored.fingerprint, stored.wording_fingerprint):
        raise DiagnoserError(f'"{kb.title}" does not read back as the same table; this is a mistake of the program')
    return lines


def csv_lines(columns: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Lines of a CSV file with these columns, their names first; no cell begins a formula."""
    written: dict[str, str] = {}
    for row in chain([tuple(columns)], zip(*columns.values(), strict=True)):
        for text in row:
            if text not in written:
                written[text] = _quoted(guarded(text))
        yield ",".join([written[text] for text in row]) + "\n"


def _several(partial: Partial, names: Callable[[int], str]) -> str:
    """Probabilities are written where they differ, or where a colon might be taken for one's."""
    uniform = all(share == 1.0 / len(partial) for _, share in partial)
    if uniform and not any(":" in names(outcome) for outcome, _ in partial):
        return "|".join(names(outcome) for outcome, _ in partial)
    return "|".join(f"{names(outcome)}:{share!r}" for outcome, share in partial)


def _quoted(text: str) -> str:
    """A field in quotes where it holds what other programs might take for the end of a field."""
    return '"' + text.replace('"', '""') + '"' if _DIVIDING.search(text) else text


def _columns_that_are_no_tests(kb: KnowledgeBase) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """[columns] of kb.toml, and the cells by the name of their column, that of the names of the rows first."""
    hypotheses = kb.hypotheses
    uniform = all(h.prior == 1.0 / len(hypotheses) for h in hypotheses)
    contents: dict[str, list[str]] = {
        "id": [h.id for h in hypotheses] if any(h.id != h.name for h in hypotheses) else [],
        "group": [h.group or "" for h in hypotheses],
        "prior": [] if uniform else [repr(h.prior) for h in hypotheses],
        "aliases": ["|".join(h.aliases) for h in hypotheses],
        "note": [h.note for h in hypotheses],
    }
    used = {key: texts for key, texts in contents.items() if any(texts)}
    extra = list(dict.fromkeys(key for h in hypotheses for key in h.extra))
    wanted = [kb.hypothesis_word, *used]
    first, *named = renamed("columns", wanted, wanted, {*extra, *(test.id for test in kb.tests)}, Losses())
    cells = {first: [h.name for h in hypotheses], **dict(zip(named, used.values(), strict=True))}
    cells |= {key: [h.extra.get(key, "") for h in hypotheses] for key in extra}
    return dict(zip(used, named, strict=True)) | ({"extra": extra} if extra else {}), cells


def _head(kb: KnowledgeBase, columns: Mapping[str, Any]) -> dict[str, Any]:
    texts = {
        "title": kb.title,
        "version": kb.version,
        "licence": kb.licence,
        "hypothesis": kb.hypothesis_word,
        "hypotheses": kb.hypotheses_word,
        "scope": kb.scope,
        "disclaimer": kb.disclaimer,
        "sources": list(kb.sources),
        "cost_unit": kb.cost_unit,
        "blank": kb.blank,
        "columns": columns,
    }
    head = {"format": 1} | {key: value for key, value in texts.items() if value}
    groups = {"groups": [_group(group) for group in kb.groups]} if kb.groups else {}
    return head | {"tests": [_test(test) for test in kb.tests]} | groups


def _group(group: Group) -> dict[str, str]:
    entry = {"name": group.name if group.name != group.id else "", "action": group.action, "warning": group.warning}
    return {"id": group.id} | {key: text for key, text in entry.items() if text}


def _test(test: Test) -> dict[str, Any]:
    outcomes = test.outcomes[: test.applicable]
    entry: dict[str, Any] = {"id": test.id, "name": test.name, "question": test.question}
    if not test.cuts or outcomes != bin_outcomes(test.cuts, test.unit):
        entry["outcomes"] = [{"id": o.id} | ({"label": o.label} if o.label != o.id else {}) for o in outcomes]
    if test.cuts:
        entry |= {"unit": test.unit, "cuts": list(test.cuts), "tolerance": test.tolerance}
    entry |= {
        "cost": test.cost,
        "category": test.category,
        "reliability": test.reliability,
        "provenance": test.provenance,
        "note": test.note,
        "needs": [
            texts[0] if len(texts) == 1 else texts
            for texts in ([f"{other}={outcome}" for other, outcome in any_of] for any_of in test.needs)
        ],
        "same_evidence": list(test.same_evidence),
    }
    return {key: value for key, value in entry.items() if value}


def _tests(kb: KnowledgeBase) -> Iterator[tuple[Test, list[str]]]:
    """Each test with the texts of its cells."""
    n = len(kb.tests)
    for index, test in enumerate(kb.tests):
        codes, intervals = kb.codes[index::n], kb.intervals.get(index)
        texts = {code: cell(test, code) for code in set(codes)}
        column = [texts[code] for code in codes]
        if intervals is not None:
            column = [text if both is None else _ends(*both) for text, both in zip(column, intervals, strict=True)]
        yield test, column


def cell(test: Test, code: int) -> str:
    """The text of a cell that is no number."""

    def name(outcome: int) -> str:
        found = test.outcomes[outcome].id
        return "-" if found == NOT_APPLICABLE else found

    if code == UNKNOWN:
        return "?"
    return name(code) if code >= 0 else _several(test.partials[-2 - code], name)


def _ends(low: float, high: float) -> str:
    return _number(low) if low == high else f"{_number(low)}..{_number(high)}"


def _number(value: float) -> str:
    short = f"{value:.15g}"
    return short if float(short) == value else repr(value)
