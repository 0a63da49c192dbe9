"""Priors from a file of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from diagnoser.errors import BadFile
from diagnoser.formats.cells import CellError, number, weight
from diagnoser.formats.formula import unguarded
from diagnoser.formats.rows import records
from diagnoser.kb import KnowledgeBase
from diagnoser.text import clean, nearest


def scaled(weights: Sequence[float]) -> list[float]:
    """Positive weights as probabilities; as they are where they sum to 1 already."""
    total = math.fsum(weights)
    return list(weights) if abs(total - 1) <= 1e-12 else [weight / total for weight in weights]


def with_prior(kb: KnowledgeBase, path: str | Path, column: int) -> KnowledgeBase:
    """The table with the priors in one column, counted from 0, of a CSV file.

    Rows match by hypothesis id where the first column has names, which must all be there; else by position, which
    needs as many rows as hypotheses, and a notice says so. The first column has names if it is not the one asked for
    and holds a text that is no number, or exactly the table's ids. Raises BadFile.
    """
    path = Path(path)
    rows = [(line, [unguarded(clean(field)) for field in row]) for line, row in records(path, BadFile)]
    rows = [(line, row) for line, row in rows if any(row)]
    if not rows:
        raise BadFile(path, "there is no row with a prior", "give one row for each hypothesis")
    width = max(index for _, row in rows for index, field in enumerate(row, 1) if field)
    if not 0 <= column < width:
        raise BadFile(path, f"there is no column {column}", f"columns count from 0; choose one from 0 to {width - 1}")
    for line, row in rows:
        if len(row) < width:
            problem = f"the row has {len(row)} fields, expected {width}"
            raise BadFile(path, problem, "give every row as many fields", line=line)
    lone_zero = width == 1 and rows[0][1][0] == "0" and len(rows) == len(kb.hypotheses)
    body = rows[1:] if _is_header(rows[0][1], kb, column) and not lone_zero else rows
    named = column > 0 and _names(body, kb)
    if named:
        body = _in_order(kb, path, body)
    elif len(body) != len(kb.hypotheses):
        problem = f"{len(body)} rows of priors for {len(kb.hypotheses)} hypotheses"
        raise BadFile(path, problem, "give one row for each, or their names in the first column")
    weights = []
    for line, row in body:
        try:
            weights.append(weight(row[column]))
        except CellError as error:
            problem = f"{error.problem} (columns count from 0 here)"
            raise BadFile(path, problem, error.remedy, line=line, column=column, value=row[column]) from None
    where = f"column {column}, counted from 0, of {clean(str(path))}"
    notice = () if named else (f"priors are matched by position: {where}",)
    hypotheses = tuple(replace(h, prior=p) for h, p in zip(kb.hypotheses, scaled(weights), strict=True))
    return replace(kb, hypotheses=hypotheses, notices=(*kb.notices, *notice))


def _is_header(row: list[str], kb: KnowledgeBase, column: int) -> bool:
    """Line 1 is a header if it counts the columns, or if its prior is none and no hypothesis stands before it."""
    while row and not row[-1]:
        row = row[:-1]
    counts = [str(place) for place in range(len(row))]
    if row == counts or (row[0] not in kb.hypothesis_index and row[1:] == counts[:-1] and column > 0):
        return True
    return column >= len(row) or (number(row[column]) is None and (column == 0 or row[0] not in kb.hypothesis_index))


def _names(body: Sequence[tuple[int, Sequence[str]]], kb: KnowledgeBase) -> bool:
    first = [row[0] for _, row in body]
    return any(number(text) is None for text in first) or set(first) == set(kb.hypothesis_index)


def _in_order(kb: KnowledgeBase, path: Path, body: Sequence[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    found: dict[str, tuple[int, list[str]]] = {}
    for line, row in body:
        name = row[0]
        if name in found:
            problem = f"the hypothesis stands in line {found[name][0]} already"
            raise BadFile(path, problem, "remove one of them", line=line, value=name)
        if name not in kb.hypothesis_index:
            remedy = nearest(name, kb.hypothesis_index)
            raise BadFile(path, "the table has no such hypothesis", remedy, line=line, value=name)
        found[name] = line, row
    missing = [hypothesis.id for hypothesis in kb.hypotheses if hypothesis.id not in found]
    if missing:
        raise BadFile(path, f'no prior for "{missing[0]}" ({len(missing)} missing)', "add a row for each hypothesis")
    return [found[hypothesis.id] for hypothesis in kb.hypotheses]
