"""Rows of coded features become objects: rows that agree everywhere are one, with the class weights of all of them.

A code of 0 is a missing value; the values of a feature are numbered from 1, of a number in ascending order. Merging is
what makes whole weights equal repeated rows; see `algos.trees` for what an object's class and weights enter.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algos.jit import kernel
from algos.table import Float64, Int64

Codes = NDArray[np.unsignedinteger[Any]]
"""(m, n): a row for each feature, so that one feature is read in a run."""

MISSING = 0
PRIME, SPREAD = np.uint64(0x100000001B3), np.uint64(0x9E3779B97F4A7C15)


class Objects(NamedTuple):
    """n objects, their weights, and their class weights as a sparse table."""

    codes: Codes
    """(m, n)"""
    prob: Float64
    """(n,) weight; a share of the whole once divided by the sum."""
    label: Int64
    """(n,) the class of most weight, the lowest of equals."""
    start: Int64
    """(n + 1,) where each object's entries begin in the two below."""
    classes: Int64
    """(entries,) classes that occur in the object, ascending."""
    weight: Float64
    """(entries,) their weights."""
    of_row: Int64
    """(rows,) the object of each row; -1 for a row of no weight."""
    alike: bool
    """All objects weigh the same and have a single class each."""


def objects_of(codes: Codes, labels: Int64, weights: Float64, classes: int) -> Objects:
    """Merge rows: codes (m, rows), class numbers (rows,) below `classes`, weights (rows,) none negative, not all 0."""
    of_row = _numbered(np.ascontiguousarray(codes.T), weights)
    first = np.full(of_row.max() + 1, -1, np.int64)
    used = np.flatnonzero(of_row >= 0)
    first[of_row[used[::-1]]] = used[::-1]
    entry, place = np.unique(of_row[used] * classes + labels[used], return_inverse=True)
    weight = np.bincount(place, weights[used]).astype(np.float64)
    owner = entry // classes
    start = np.searchsorted(owner, np.arange(first.size + 1))
    prob = np.add.reduceat(weight, start[:-1])
    heaviest = np.lexsort((entry, -weight, owner))[start[:-1]]
    own = codes if first.size == of_row.size else codes[:, first]
    label = entry[heaviest] % classes
    alike = entry.size == first.size and bool((prob == prob[0]).all())
    return Objects(np.ascontiguousarray(own), prob, label, start, entry % classes, weight, of_row, alike)


@kernel
def _numbered(rows: Codes, weights: Float64) -> Int64:
    """(rows,) a number for each row, the same for equal rows, in order of appearance; -1 where the weight is 0."""
    n, m = rows.shape
    size = 16
    while size < 2 * n:
        size *= 2
    slots, of_row = np.full(size, -1, np.int64), np.full(n, -1, np.int64)
    found = 0
    for x in range(n):
        if weights[x] <= 0.0:
            continue
        hashed = SPREAD
        for d in range(m):
            hashed = (hashed ^ np.uint64(rows[x, d])) * PRIME
            hashed ^= hashed >> np.uint64(29)
        slot = np.int64(hashed & np.uint64(size - 1))
        while slots[slot] >= 0:
            other = slots[slot]
            same = True
            for d in range(m):
                if rows[other, d] != rows[x, d]:
                    same = False
                    break
            if same:
                of_row[x] = of_row[other]
                break
            slot = (slot + 1) & (size - 1)
        if of_row[x] < 0:
            slots[slot], of_row[x] = x, found
            found += 1
    return of_row
