"""Branch sums of every test in one state, and the greedy scores made of them.

Source: Jia, Nagarajan, Navidi, Ravi, "Optimal Decision Tree with Noisy Outcomes", NeurIPS 2019, equations 5 and 6,
with any number of outcomes (section 6) and groups. For outcome v of test e, within the candidates H:

    C_v   candidates that can give v; k_v and d_v the number and the mass of those that can only give v
    q_v   sum of p_x P(v | x, e)
    gain(e)   = sum_v q_v (|H| - |C_v|) / (|H| - 1)
    ODTNr(e)  = sum_v d_v - d_{v*} + gain(e),  v* the last outcome with the largest k_v
    ODTNh(e)  = 1 - q_{v*} + gain(e),          v* the last outcome with most copies
    information(e) = h(q) - sum_x p_x h(P(. | x, e)), bits

A test is informative when some outcome can be given by some candidates and not by others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.jit import kernel
from algos.planes import count_bits, pack, unpack
from algos.table import UNKNOWN, Bool, Columns, Float64, Int32, Int64

GAIN, ODTN_R, ODTN_H, INFORMATION, LOW_ADAPTIVE, NON_ADAPTIVE = range(6)

NOT_ASKED, COULD_NOT_TELL, SEVERAL = -1, -2, -3
"""What `said` holds for a test without one known outcome."""

NEARLY_EQUAL = 1e-10
"""Relative difference under which sums of copies are compared again with whole numbers."""


class Sums(NamedTuple):
    """Branch sums of one state. n tests, K = most outcomes."""

    can: Int32
    """(K, n) |C_v|."""
    only: Int32
    """(K, n) k_v."""
    only_mass: Float64
    """(K, n) d_v."""
    mass: Float64
    """(K, n) q_v."""
    given_bits: Float64
    """(n,) sum over x of p_x h(P(. | x, e))."""
    copies: Float64
    """(K, n) copies, in units of the largest row's; filled for ODTNh only."""
    rate: Float64
    """(K, n) sum over groups g of q_{v,g} / |H without g|; filled with groups only."""
    inside: Float64
    """(n,) sum over groups and outcomes of q_{v,g} |those within g that cannot give v| / |H without g|; likewise."""


@kernel
def new_sums(tests: int, most: int) -> Sums:
    """Room for the sums of one state, of n tests with at most K outcomes."""
    return Sums(
        np.empty((most, tests), np.int32),
        np.empty((most, tests), np.int32),
        np.empty((most, tests), np.float64),
        np.empty((most, tests), np.float64),
        np.empty(tests, np.float64),
        np.empty((most, tests), np.float64),
        np.empty((most, tests), np.float64),
        np.empty(tests, np.float64),
    )


@kernel
def sum_branches(
    columns: Columns, rows: Int64, p: Float64, log_copies: Float64, with_copies: bool, grouped: bool, sums: Sums
) -> None:
    """Fill `sums` for the candidates `rows` with masses p that sum to 1. With groups, rows come group by group."""
    if columns.binary.size > 0 and not with_copies and not grouped:
        _sum_binary(columns, rows, p, sums)
    else:
        _sum_any(columns, rows, p, log_copies, with_copies, grouped, sums)


@kernel
def _sum_binary(columns: Columns, rows: Int64, p: Float64, sums: Sums) -> None:
    # Four rows at a time: the running sums are loaded and stored once for four additions.
    binary = columns.binary
    size, tests = rows.shape[0], binary.shape[1]
    bits = count_bits(size)
    first, unknown = np.zeros(tests, np.int64), np.zeros(tests, np.int64)
    total = 0
    for i in range(0, size - 3, 4):
        a, b, c, d = pack(p[i], bits), pack(p[i + 1], bits), pack(p[i + 2], bits), pack(p[i + 3], bits)
        row_a, row_b, row_c, row_d = binary[rows[i]], binary[rows[i + 1]], binary[rows[i + 2]], binary[rows[i + 3]]
        total += a + b + c + d
        for e in range(tests):
            in_a, in_b, in_c, in_d = row_a[e], row_b[e], row_c[e], row_d[e]
            first[e] += (
                (a if in_a == 0 else 0) + (b if in_b == 0 else 0) + (c if in_c == 0 else 0) + (d if in_d == 0 else 0)
            )
            unknown[e] += (
                (a if in_a == UNKNOWN else 0)
                + (b if in_b == UNKNOWN else 0)
                + (c if in_c == UNKNOWN else 0)
                + (d if in_d == UNKNOWN else 0)
            )
    for i in range(size - size % 4, size):
        packed = pack(p[i], bits)
        total += packed
        row = binary[rows[i]]
        for e in range(tests):
            code = row[e]
            first[e] += packed if code == 0 else 0
            unknown[e] += packed if code == UNKNOWN else 0
    unpack(first, unknown, total, bits, sums)


@kernel
def _sum_any(
    columns: Columns, rows: Int64, p: Float64, log_copies: Float64, with_copies: bool, grouped: bool, sums: Sums
) -> None:
    cells, outcomes, applicable = columns.cells, columns.outcomes, columns.applicable
    most, tests = sums.can.shape
    for v in range(most):
        for e in range(tests):
            sums.can[v, e] = sums.only[v, e] = 0
            sums.only_mass[v, e] = sums.mass[v, e] = sums.copies[v, e] = sums.rate[v, e] = 0.0
    for e in range(tests):
        sums.given_bits[e] = sums.inside[e] = 0.0
    most_copies = log_copies.max() if with_copies else 0.0
    group_can = np.zeros((tests, most), np.int64)
    group_mass = np.zeros((tests, most), np.float64)
    silent = np.zeros(tests, np.int64)
    silent_mass = np.zeros(tests, np.float64)
    silent_copies = np.zeros(tests, np.float64)
    start = 0
    for i in range(rows.shape[0]):
        row = cells[rows[i]]
        weight = p[i]
        copies = 2.0 ** (log_copies[i] - most_copies) if with_copies else 0.0
        for e in range(tests):
            code = row[e]
            if code >= 0:
                sums.only[code, e] += 1
                sums.only_mass[code, e] += weight
                group_can[e, code] += 1
                group_mass[e, code] += weight
                sums.copies[code, e] += copies
            elif code == UNKNOWN:
                silent[e] += 1
                silent_mass[e] += weight
                silent_copies[e] += copies
            else:
                entry = columns.partial_start[e] - 2 - code
                share = copies / columns.partial_size[entry]
                for v in range(outcomes[e]):
                    probability = columns.partial_probability[entry, v]
                    if probability > 0.0:
                        group_can[e, v] += 1
                        group_mass[e, v] += weight * probability
                        sums.copies[v, e] += share
                        sums.given_bits[e] -= weight * probability * np.log2(probability)
        last_of_group = i + 1 == rows.shape[0] or columns.group[rows[i]] != columns.group[rows[i + 1]]
        if (grouped and last_of_group) or i + 1 == rows.shape[0]:
            others = rows.shape[0] - (i + 1 - start)
            for e in range(tests):
                used = applicable[e]
                sums.given_bits[e] += silent_mass[e] * np.log2(used)
                for v in range(outcomes[e]):
                    if v < used:
                        group_can[e, v] += silent[e]
                        group_mass[e, v] += silent_mass[e] / used
                        sums.copies[v, e] += silent_copies[e] / used
                    sums.can[v, e] += group_can[e, v]
                    sums.mass[v, e] += group_mass[e, v]
                    if used == 1 and v == 0:  # the only applicable outcome: silence leaves no doubt
                        sums.only[v, e] += silent[e]
                        sums.only_mass[v, e] += silent_mass[e]
                    if others > 0:
                        sums.rate[v, e] += group_mass[e, v] / others
                        sums.inside[e] += group_mass[e, v] * (i + 1 - start - group_can[e, v]) / others
                    group_can[e, v] = 0
                    group_mass[e, v] = 0.0
                silent[e] = 0
                silent_mass[e] = 0.0
                silent_copies[e] = 0.0
            start = i + 1


@kernel
def mark_informative(sums: Sums, size: int, closed: Bool, informative: Bool) -> None:
    """Fill informative (n,), which is False for closed tests, for `size` candidates."""
    most, tests = sums.can.shape
    for e in range(tests):
        informative[e] = False
    for v in range(most):
        for e in range(tests):
            informative[e] |= (sums.can[v, e] > 0) & (sums.can[v, e] < size) & (not closed[e])


@kernel
def score_all(
    columns: Columns,
    rule: int,
    rows: Int64,
    log_copies: Float64,
    said: Int64,
    grouped: bool,
    sums: Sums,
    informative: Bool,
    scores: Float64,
) -> None:
    """Fill scores (n,), before division by cost.

    With groups, rows come group by group. Scores of tests that are not informative mean nothing. The fixed-order
    rules have no score of their own and get the gain.
    """
    # Loops over tests are innermost, so that they run on several tests at a time.
    can, mass, only, only_mass, rate = sums.can, sums.mass, sums.only, sums.only_mass, sums.rate
    most, tests = can.shape
    size = rows.shape[0]
    others = max(size - 1, 1)
    for e in range(tests):
        scores[e] = 0.0
    if rule == INFORMATION:
        for e in range(tests):
            if informative[e]:
                for v in range(most):
                    if mass[v, e] > 0.0:
                        scores[e] -= mass[v, e] * np.log2(mass[v, e])
                scores[e] -= sums.given_bits[e]
        return
    if grouped:
        for v in range(most):
            for e in range(tests):
                scores[e] += rate[v, e] * (size - can[v, e])
        for e in range(tests):
            scores[e] -= sums.inside[e]
    else:
        for v in range(most):
            for e in range(tests):
                scores[e] += mass[v, e] * (size - can[v, e])
        for e in range(tests):
            scores[e] /= others
    if rule == ODTN_R:
        largest, heaviest = np.zeros(tests, np.int32), np.zeros(tests)
        for v in range(most):
            for e in range(tests):
                scores[e] += only_mass[v, e]
                if only[v, e] >= largest[e]:
                    largest[e] = only[v, e]
                    heaviest[e] = only_mass[v, e]
        for e in range(tests):
            scores[e] -= heaviest[e]
    elif rule == ODTN_H:
        for e in range(tests):
            if informative[e]:
                largest_copies = 0
                for v in range(1, most):
                    if _as_many_copies(columns, rows, log_copies, said, sums, e, v, largest_copies):
                        largest_copies = v
                scores[e] += 1.0 - mass[largest_copies, e]


@kernel
def _as_many_copies(
    columns: Columns, rows: Int64, log_copies: Float64, said: Int64, sums: Sums, e: int, v: int, than: int
) -> bool:
    a, b = sums.copies[v, e], sums.copies[than, e]
    if abs(a - b) > NEARLY_EQUAL * max(a, b):
        return bool(a > b)
    return copies_difference(columns, rows, log_copies, said, e, v, than) >= 0


@kernel
def copies_difference(
    columns: Columns, rows: Int64, log_copies: Float64, said: Int64, e: int, v: int, than: int
) -> int:
    """Sign of copies giving v minus copies giving `than` on test e, in exact whole numbers of 32-bit limbs."""
    limbs = int(log_copies.max() / 32.0) + 4
    difference = np.zeros(limbs, np.int64)
    number = np.zeros(limbs, np.int64)
    for x in rows:
        sign = _gives(columns, x, e, v) - _gives(columns, x, e, than)
        if sign == 0:
            continue
        number[:] = 0
        number[0] = 1
        for other in range(columns.cells.shape[1]):
            if other == e or said[other] >= 0 or said[other] == SEVERAL:
                continue
            size = cell_size_of(columns, x, other)
            if size > 1:
                carry = 0
                for i in range(limbs):
                    product = number[i] * size + carry
                    number[i] = product & 0xFFFFFFFF
                    carry = product >> 32
        for i in range(limbs):
            difference[i] += sign * number[i]
    for i in range(limbs - 1):
        difference[i + 1] += difference[i] >> 32
        difference[i] &= 0xFFFFFFFF
    if difference[limbs - 1] < 0:
        return -1
    for limb in difference:
        if limb != 0:
            return 1
    return 0


@kernel
def cell_size_of(columns: Columns, x: int, e: int) -> int:
    """Number of outcomes hypothesis x can give on test e."""
    code = columns.cells[x, e]
    if code >= 0:
        return 1
    if code == UNKNOWN:
        return int(columns.applicable[e])
    return int(columns.partial_size[columns.partial_start[e] - 2 - code])


@kernel
def probability(columns: Columns, x: int, e: int, v: int) -> float:
    """P(v | x, e)."""
    code = columns.cells[x, e]
    if code >= 0:
        return 1.0 if code == v else 0.0
    if code == UNKNOWN:
        return 1.0 / columns.applicable[e] if v < columns.applicable[e] else 0.0
    return float(columns.partial_probability[columns.partial_start[e] - 2 - code, v])


@kernel
def _gives(columns: Columns, x: int, e: int, v: int) -> int:
    return 1 if probability(columns, x, e, v) > 0.0 else 0
