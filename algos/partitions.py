"""Two-way partitions of the values of a nominal attribute, of least impurity or nearly so.

A table V has a row for each of n values and a column for each of k classes, counts or weights >= 0; u is the sum of
the rows, |v| the sum of a row, pi(v) = v / |v|. Wanted is a set L of rows, neither empty nor all, of least
I(L) + I(R), I the scaled impurity (`algos.impurity`) and R the other rows.

B_d sorts the rows by d.v / |v|, ascending and stable, and takes the best of the n - 1 prefixes.

    exact      every partition, in the order of Gray's code
    two-class  k = 2: B_d along the first class, which is the optimum
    hcc        the best B_d over all sets of classes d without the last class; within twice the optimum
    lca        B_d of the largest class, the lowest of equals; twice the optimum for Gini, three times for entropy
    balanced   B_d of the classes of largest total not above half, the lowest mask of equals; twice for entropy
    pcext      rows by the leading eigenvector of sum |v| (pi(v) - pi(u)) (pi(v) - pi(u))', each prefix also with its
               last row exchanged for the next
    sliqext    all rows start on the left; the row whose move leaves least impurity moves, until none is left; the best
    sliq       the same, ended by the first move that is no gain
    twoing     for every d the best prefix of the table collapsed to two classes; no guarantee
    refine     B_d along the difference of the slopes of I at L and R, then the best single move, while either gains
    multi      the best of `refine` from B_d of every single class; keeps the guarantee of lca

Sources: Laber, Molinaro, Mello Pereira, "Binary Partitions with Approximate Minimum Impurity", ICML 2018; pcext and
sliqext: Coppersmith, Hong, Hosking, 1999. refine and multi are ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from algos.impurity import NEAR, Criterion, impurity, impurity_of, less, slopes
from algos.jit import kernel
from algos.table import Bool, Float64, Int64

EXACT, TWO_CLASS, HCC, LCA, BALANCED, PCEXT, SLIQEXT, SLIQ, TWOING, MULTI = range(10)
METHODS = ("exact", "two-class", "hcc", "lca", "balanced", "pcext", "sliqext", "sliq", "twoing", "multi")

EXACT_ROWS = 24
"""Most rows of `exact`: eight million partitions."""
HCC_CLASSES = 12
"""Most classes of `hcc` and `twoing`: two thousand directions."""
BALANCED_TOTAL = 50_000_000
"""Largest sum of whole numbers for which `balanced` lists all sums of classes; else it tries all sets of classes."""
BALANCED_CLASSES = 24
FRESH = 256
"""Partitions of `exact` after which the sums are added up anew, so that rounding does not grow."""
FEW = 64
"""Rows up to which they are sorted by insertion."""


class Partition(NamedTuple):
    """One way to part the rows in two."""

    left: Bool
    """(n,) rows of the left side."""
    impurity: float
    """I(L) + I(R), scaled by weight."""


def partition(table: ArrayLike, method: str, criterion: Criterion) -> Partition:
    """Part the rows of a table, (n, k), by one of METHODS.

    Raises ValueError for an unknown method, a table that is not two-dimensional or has less than two rows, weights that
    are negative or not finite, and a table too large for the method.
    """
    if method not in METHODS:
        raise ValueError(f'no way to part values is called "{method}"; known: {", ".join(METHODS)}')
    rows = _checked(table)
    n, k = rows.shape
    if method == "exact" and n > EXACT_ROWS:
        raise ValueError(f"exact takes at most {EXACT_ROWS} rows, not {n}")
    if method in ("hcc", "twoing") and k > HCC_CLASSES:
        raise ValueError(f"{method} takes at most {HCC_CLASSES} classes, not {k}; multi takes any number")
    if method == "two-class" and k != 2:
        raise ValueError(f"two-class takes two classes, not {k}")
    if method == "balanced" and k > BALANCED_CLASSES and not _listable(rows):
        raise ValueError(f"balanced takes at most {BALANCED_CLASSES} classes of such weights, not {k}")
    return Partition(*part(rows, METHODS.index(method), criterion))


def refine(table: ArrayLike, start: ArrayLike, criterion: Criterion) -> Partition:
    """Better a partition, (n,) true for the left side, until neither a sweep nor a single move lowers the impurity.

    Raises ValueError as `partition` does, and for a side without a row.
    """
    rows, left = _checked(table), np.array(start, np.bool_)
    if left.shape != rows.shape[:1] or left.all() or not left.any():
        raise ValueError("the partition to start from has a row on each side, and one entry for each row of the table")
    return Partition(left, _refine(rows, left, criterion))


def _checked(table: ArrayLike) -> Float64:
    rows = np.ascontiguousarray(table, np.float64)
    if rows.ndim != 2 or rows.shape[0] < 2 or rows.shape[1] < 1:
        raise ValueError("a table to be parted has two rows at least and a column for each class")
    if not np.isfinite(rows).all() or (rows < 0).any():
        raise ValueError("weights are finite and not negative")
    return rows


@kernel
def _listable(rows: Float64) -> bool:
    """Whole numbers whose sums can all be listed."""
    total = 0.0
    for x in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            if rows[x, c] != np.floor(rows[x, c]):
                return False
            total += rows[x, c]
    return total <= BALANCED_TOTAL


@kernel
def part(rows: Float64, method: int, criterion: Criterion) -> tuple[Bool, float]:
    """The kernel of `partition`: (n,) rows of the left side, and the impurity. The table must not be too large."""
    if method == EXACT:
        return _exact(rows, criterion)
    if method == PCEXT:
        return _pcext(rows, criterion)
    if method in (SLIQEXT, SLIQ):
        return _sliq(rows, criterion, method == SLIQEXT)
    if method == MULTI:
        return _multi(rows, criterion)
    if method in (HCC, TWOING):
        return _all_directions(rows, criterion, method == TWOING)
    direction = np.zeros(rows.shape[1])
    if method == TWO_CLASS:
        direction[0] = 1.0
    elif method == LCA:
        direction[np.argmax(_total(rows))] = 1.0
    else:
        mask = _balanced_mask(rows)
        for c in range(rows.shape[1]):
            direction[c] = (mask >> c) & 1
    return _along(rows, direction, criterion)


# --------------------------------------------------------------------------------------------------- along a direction


@kernel
def _total(rows: Float64) -> Float64:
    total = np.zeros(rows.shape[1])
    for x in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            total[c] += rows[x, c]
    return total


@kernel
def _sorted_rows(rows: Float64, direction: Float64, order: Int64, keys: Float64) -> None:
    """Fill the rows in ascending order of d.v / |v|, equals by number; an empty row has 0."""
    n = rows.shape[0]
    for x in range(n):
        over, under = 0.0, 0.0
        for c in range(rows.shape[1]):
            over += direction[c] * rows[x, c]
            under += rows[x, c]
        keys[x] = over / under if under > 0.0 else 0.0
    if n > FEW:
        order[:] = np.argsort(keys, kind="mergesort")
        return
    for x in range(n):
        at, key = x, keys[x]
        while at > 0 and keys[at - 1] > key:
            keys[at], order[at] = keys[at - 1], order[at - 1]
            at -= 1
        keys[at], order[at] = key, x


@kernel
def _best_prefix(rows: Float64, total: Float64, order: Int64, criterion: Criterion) -> tuple[float, int]:
    """The least impurity of the prefixes, and how many rows it has on the left."""
    left, right = np.zeros(total.shape[0]), np.empty(total.shape[0])
    best, size = np.inf, 0
    for place in range(order.shape[0] - 1):
        x, left_size, right_size = order[place], 0.0, 0.0
        for c in range(total.shape[0]):
            left[c] += rows[x, c]
            right[c] = less(total[c], left[c])
            left_size += left[c]
            right_size += right[c]
        found = impurity_of(criterion, left, left_size) + impurity_of(criterion, right, right_size)
        if found < best * (1.0 - NEAR):
            best, size = found, place + 1
    return best, size


@kernel
def _side(order: Int64, size: int) -> Bool:
    left = np.zeros(order.shape[0], np.bool_)
    for place in range(size):
        left[order[place]] = True
    return left


@kernel
def _along(rows: Float64, direction: Float64, criterion: Criterion) -> tuple[Bool, float]:
    """B_d."""
    order, keys = np.empty(rows.shape[0], np.int64), np.empty(rows.shape[0])
    _sorted_rows(rows, direction, order, keys)
    best, size = _best_prefix(rows, _total(rows), order, criterion)
    return _side(order, size), best


@kernel
def _all_directions(rows: Float64, criterion: Criterion, collapsed: bool) -> tuple[Bool, float]:
    n, k = rows.shape
    total, direction = _total(rows), np.zeros(k)
    order, keys = np.empty(n, np.int64), np.empty(n)
    two, two_total = np.empty((n, 2)), np.empty(2)
    best, best_size, best_order = np.inf, 1, np.arange(n)
    for mask in range(1, max(1 << (k - 1), 2)):
        for c in range(k):
            direction[c] = (mask >> c) & 1
        _sorted_rows(rows, direction, order, keys)
        if collapsed:
            for x in range(n):
                two[x, 0], two[x, 1] = 0.0, 0.0
                for c in range(k):
                    two[x, 0 if direction[c] > 0.0 else 1] += rows[x, c]
            two_total[:] = _total(two)
            found, size = _best_prefix(two, two_total, order, criterion)
        else:
            found, size = _best_prefix(rows, total, order, criterion)
        if found < best * (1.0 - NEAR):
            best, best_size = found, size
            best_order[:] = order
    left = _side(best_order, best_size)
    return left, _impurity_of(rows, left, criterion) if collapsed else best


@kernel
def _balanced_mask(rows: Float64) -> int:
    total, k = _total(rows), rows.shape[1]
    half = total.sum() / 2.0
    best, best_mask = 0.0, 0
    if not _listable(rows) or (k <= BALANCED_CLASSES and (1 << k) < half):
        for mask in range(1 << k):
            found = 0.0
            for c in range(k):
                if (mask >> c) & 1:
                    found += total[c]
            if best < found <= half:
                best, best_mask = found, mask
        return best_mask
    # The lowest mask of every sum: a class added later has the higher bit, so the first to reach a sum is the lowest.
    masks = np.full(int(half) + 1, -1, np.int64)
    masks[0] = 0
    for c in range(k):
        weight = int(total[c])
        for reached in range(masks.shape[0] - 1, weight - 1, -1):
            if weight > 0 and masks[reached] < 0 and masks[reached - weight] >= 0:
                masks[reached] = masks[reached - weight] | (1 << c)
    for reached in range(masks.shape[0] - 1, -1, -1):
        if masks[reached] >= 0:
            return int(masks[reached])
    return 0


# ------------------------------------------------------------------------------------------------------- other searches


@kernel
def _impurity_of(rows: Float64, left: Bool, criterion: Criterion) -> float:
    sides = np.zeros((2, rows.shape[1]))
    for x in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            sides[int(left[x]), c] += rows[x, c]
    return impurity(criterion, sides[0]) + impurity(criterion, sides[1])


@kernel
def _exact(rows: Float64, criterion: Criterion) -> tuple[Bool, float]:
    """Row n - 1 stays on the right; between neighbours of Gray's code one row changes sides."""
    n, k = rows.shape
    left, best_left = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    total, held, rest = _total(rows), np.zeros(k), np.empty(k)
    best = np.inf
    for step in range(1, 1 << (n - 1)):
        moved = 0
        while not (step >> moved) & 1:
            moved += 1
        left[moved] = not left[moved]
        if step % FRESH == 0:
            held[:] = 0.0
            for x in range(n):
                if left[x]:
                    held += rows[x]
        elif left[moved]:
            held += rows[moved]
        else:
            held -= rows[moved]
        for c in range(k):
            rest[c] = less(total[c], held[c])
            held[c] = less(total[c], rest[c])
        found = impurity(criterion, held) + impurity(criterion, rest)
        if found < best * (1.0 - NEAR):
            best = found
            best_left[:] = left
    return best_left, _impurity_of(rows, best_left, criterion)


@kernel
def _pcext(rows: Float64, criterion: Criterion) -> tuple[Bool, float]:
    n, k = rows.shape
    total = _total(rows)
    spread, away = np.zeros((k, k)), np.empty(k)
    whole = max(total.sum(), 1e-300)
    for x in range(n):
        weight = rows[x].sum()
        if weight > 0.0:
            for c in range(k):
                away[c] = rows[x, c] / weight - total[c] / whole
            for c in range(k):
                for d in range(k):
                    spread[c, d] += weight * away[c] * away[d]
    direction = np.linalg.eigh(spread)[1][:, k - 1].copy()
    for c in range(k):
        if abs(direction[c]) > NEAR:
            direction *= np.sign(direction[c])
            break
    order, keys = np.empty(n, np.int64), np.empty(n)
    _sorted_rows(rows, direction, order, keys)
    best, size = _best_prefix(rows, total, order, criterion)
    exchanged = False
    left, right = np.zeros(k), np.empty(k)
    for place in range(n - 1):  # without the last row of the prefix, with the next
        for c in range(k):
            if place > 0:
                left[c] += rows[order[place - 1], c]
            away[c] = left[c] + rows[order[place + 1], c]
            right[c] = less(total[c], away[c])
        found = impurity(criterion, away) + impurity(criterion, right)
        if found < best * (1.0 - NEAR):
            best, size, exchanged = found, place + 1, True
    if exchanged:
        order[size - 1], order[size] = order[size], order[size - 1]
    return _side(order, size), best


@kernel
def _sliq(rows: Float64, criterion: Criterion, to_the_end: bool) -> tuple[Bool, float]:
    n, k = rows.shape
    left = np.ones(n, np.bool_)
    held, moved = _total(rows), np.zeros(k)
    now = impurity(criterion, held)
    best, best_left = np.inf, np.zeros(n, np.bool_)
    for size in range(n - 1, 0, -1):
        found, mover = _best_move(rows, left, held, moved, criterion, True)
        if not to_the_end and size < n - 1 and not found < now * (1.0 - NEAR):
            break
        now = found
        left[mover] = False
        for c in range(k):
            held[c] = less(held[c], rows[mover, c])
            moved[c] += rows[mover, c]
        if found < best * (1.0 - NEAR):
            best = found
            best_left[:] = left
    return best_left, _impurity_of(rows, best_left, criterion)


@kernel
def _best_move(
    rows: Float64, left: Bool, held: Float64, moved: Float64, criterion: Criterion, from_left_only: bool
) -> tuple[float, int]:
    """The least impurity that the move of one row to the other side leaves, and the lowest such row.

    held, moved: the sums of both sides. No side is emptied.
    """
    n, k = rows.shape
    size = 0
    for x in range(n):
        size += left[x]
    one, other = np.empty(k), np.empty(k)
    best, mover = np.inf, -1
    for x in range(n):
        if size == 1 if left[x] else (from_left_only or size == n - 1):
            continue
        source, target = (held, moved) if left[x] else (moved, held)
        one_size, other_size = 0.0, 0.0
        for c in range(k):
            one[c] = less(source[c], rows[x, c])
            other[c] = target[c] + rows[x, c]
            one_size += one[c]
            other_size += other[c]
        found = impurity_of(criterion, one, one_size) + impurity_of(criterion, other, other_size)
        if found < best * (1.0 - NEAR):
            best, mover = found, x
    return best, mover


# ---------------------------------------------------------------------------------------------------- beyond the paper


@kernel
def _refine(rows: Float64, left: Bool, criterion: Criterion) -> float:
    """Better the partition in place; its impurity."""
    n, k = rows.shape
    total, held, moved = _total(rows), np.empty(k), np.empty(k)
    at_left, at_right, direction = np.empty(k), np.empty(k), np.empty(k)
    order, keys = np.empty(n, np.int64), np.empty(n)
    best = _impurity_of(rows, left, criterion)
    better = True
    while better:
        better = False
        _add_sides(rows, left, held, moved)
        slopes(criterion, held, at_left)
        slopes(criterion, moved, at_right)
        for c in range(k):
            direction[c] = at_left[c] - at_right[c]
        _sorted_rows(rows, direction, order, keys)
        found, size = _best_prefix(rows, total, order, criterion)
        if found < best * (1.0 - NEAR):
            best, better = found, True
            left[:] = False
            for place in range(size):
                left[order[place]] = True
            _add_sides(rows, left, held, moved)
        found, mover = _best_move(rows, left, held, moved, criterion, False)
        if found < best * (1.0 - NEAR):
            best, better = found, True
            left[mover] = not left[mover]
    return best


@kernel
def _add_sides(rows: Float64, left: Bool, held: Float64, moved: Float64) -> None:
    held[:], moved[:] = 0.0, 0.0
    for x in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            if left[x]:
                held[c] += rows[x, c]
            else:
                moved[c] += rows[x, c]


@kernel
def _multi(rows: Float64, criterion: Criterion) -> tuple[Bool, float]:
    n, k = rows.shape
    direction, best_left, best = np.zeros(k), np.zeros(n, np.bool_), np.inf
    for c in range(k):
        direction[:] = 0.0
        direction[c] = 1.0
        left, _ = _along(rows, direction, criterion)
        found = _refine(rows, left, criterion)
        if found < best * (1.0 - NEAR):
            best = found
            best_left[:] = left
    return best_left, best
