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
from algos.planes import count_bits, pack, pair, unpack
from algos.table import UNKNOWN, Bool, Columns, Float64, Int8, Int32, Int64, chance_of, size_of_code

GAIN, ODTN_R, ODTN_H, INFORMATION, LOW_ADAPTIVE, NON_ADAPTIVE = range(6)

NOT_ASKED, COULD_NOT_TELL, SEVERAL = -1, -2, -3
"""What `said` holds for a test without one known outcome."""

NEARLY_EQUAL = 1e-10
"""Relative difference under which sums of copies are compared again with whole numbers."""


Counts = Int32 | tuple[int, int]
Masses = Float64 | tuple[float, float]
"""One of each outcome of a test; two outcomes are kept out of memory."""


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


class Room(NamedTuple):
    """Arrays in which one state after another is looked at, so that none is made anew."""

    sums: Sums
    closed: Bool
    """(n,) may not be asked."""
    informative: Bool
    """(n,) open, and can tell candidates apart."""
    score: Float64
    """(n,) before division by cost."""
    rate: Float64
    """(n,) score / cost; -inf where not informative."""
    per_cost: Float64
    """(n,) 1 / cost."""
    packed: Int64
    """(2, n) mass and count of the first outcome only, and of unknown cells."""


@kernel
def new_room(columns: Columns) -> Room:
    """Room for one state of this table."""
    most, tests = columns.partial_probability.shape[1], columns.cells.shape[1]
    sums = Sums(
        np.empty((most, tests), np.int32),
        np.empty((most, tests), np.int32),
        np.empty((most, tests), np.float64),
        np.empty((most, tests), np.float64),
        np.empty(tests, np.float64),
        np.empty((most, tests), np.float64),
        np.empty((most, tests), np.float64),
        np.empty(tests, np.float64),
    )
    return Room(
        sums,
        np.empty(tests, np.bool_),
        np.empty(tests, np.bool_),
        np.empty(tests, np.float64),
        np.empty(tests, np.float64),
        1.0 / columns.cost,
        np.empty((2, tests), np.int64),
    )


@kernel
def by_pairs(columns: Columns, rule: int, grouped: bool) -> bool:
    """Packed sums of two outcomes are all that the scores need."""
    return columns.binary.size > 0 and rule != ODTN_H and not grouped


@kernel
def sum_branches(
    columns: Columns, rule: int, rows: Int64, p: Float64, log_copies: Float64, grouped: bool, room: Room
) -> None:
    """Fill `room.sums` for the candidates `rows` with masses p that sum to 1. With groups, rows come group by group."""
    if by_pairs(columns, rule, grouped):
        total = add_up(columns.binary, rows, p, room.packed)
        unpack(room.packed, total, rows.shape[0], room.sums)
    else:
        _sum_any(columns, rows, p, log_copies, rule == ODTN_H, grouped, room.sums)


@kernel
def add_up(binary: Int8, rows: Int64, p: Float64, packed: Int64) -> int:
    """Fill (2, n) packed sums, of the first outcome only and of unknown cells; the packed sum of all rows."""
    # Four rows at a time: the running sums are loaded and stored once for four additions. The last four may be
    # filled up with rows of no weight.
    size, tests = rows.shape[0], binary.shape[1]
    bits = count_bits(size)
    first, unknown = packed[0], packed[1]
    for e in range(tests):
        first[e] = unknown[e] = 0
    total = 0
    for i in range(0, size, 4):
        row_a = row_b = row_c = row_d = binary[rows[i]]
        a, b, c, d = pack(p[i], bits), 0, 0, 0
        if i + 1 < size:
            row_b, b = binary[rows[i + 1]], pack(p[i + 1], bits)
        if i + 2 < size:
            row_c, c = binary[rows[i + 2]], pack(p[i + 2], bits)
        if i + 3 < size:
            row_d, d = binary[rows[i + 3]], pack(p[i + 3], bits)
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
    return total


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
def mark_informative(room: Room, size: int) -> None:
    """Fill room.informative, which is False for closed tests, for `size` candidates."""
    for e in range(room.informative.shape[0]):
        room.informative[e] = tells_apart(size, room.sums.can[:, e]) & (not room.closed[e])


@kernel
def score_all(
    columns: Columns, rule: int, rows: Int64, log_copies: Float64, said: Int64, grouped: bool, room: Room
) -> None:
    """Fill room.score, before division by cost, from its sums.

    With groups, rows come group by group. Scores of tests that are not informative mean nothing. The fixed-order
    rules have no score of their own and get the gain.
    """
    sums, size = room.sums, rows.shape[0]
    within_groups = grouped and rule != INFORMATION
    share = 1.0 if within_groups else 1.0 / max(size - 1, 1)
    for e in range(room.score.shape[0]):
        can, mass = sums.can[:, e], sums.mass[:, e]
        weight = sums.rate[:, e] if within_groups else mass
        score = score_of(rule, size, share, can, weight, sums.only[:, e], sums.only_mass[:, e], sums.given_bits[e])
        if within_groups:
            score -= sums.inside[e]
        if rule == ODTN_H and room.informative[e]:
            largest = 0
            for v in range(1, can.shape[0]):
                if _as_many_copies(columns, rows, log_copies, said, sums, e, v, largest):
                    largest = v
            score += 1.0 - mass[largest]
        room.score[e] = score


@kernel
def rate_all(room: Room) -> None:
    """Fill room.rate from its scores."""
    for e in range(room.rate.shape[0]):
        room.rate[e] = room.score[e] * room.per_cost[e] if room.informative[e] else -np.inf


@kernel
def rate_pairs(rule: int, size: int, total: int, room: Room) -> None:
    """Fill room.rate from packed sums: what the steps by way of `Sums` give, in one pass."""
    first, unknown, closed, rate, per_cost = room.packed[0], room.packed[1], room.closed, room.rate, room.per_cost
    bits = count_bits(size)
    share = 1.0 / max(size - 1, 1)
    for e in range(first.shape[0]):
        only, only_mass, can, mass, silent_mass = pair(first[e], unknown[e], total, bits)
        score = score_of(rule, size, share, can, mass, only, only_mass, silent_mass)
        rate[e] = score * per_cost[e] if tells_apart(size, can) & (not closed[e]) else -np.inf


@kernel
def tells_apart(size: int, can: Counts) -> bool:
    """Some outcome can be given by some of `size` candidates and not by others; can: (K,)."""
    tells = False
    for v in range(len(can)):
        tells |= (can[v] > 0) & (can[v] < size)
    return tells


@kernel
def score_of(
    rule: int,
    size: int,
    share: float,
    can: Counts,
    mass: Masses,
    only: Counts,
    only_mass: Masses,
    given_bits: float,
) -> float:
    """The part of a test's score that is made of its own sums, each (K,); ODTNh adds to its gain what copies say."""
    if rule == INFORMATION:
        return information(mass, given_bits)
    score = gain(size, share, can, mass)
    return score + beside_largest(only, only_mass) if rule == ODTN_R else score


@kernel
def gain(size: int, share: float, can: Counts, mass: Masses) -> float:
    """Mean share of the others that are ruled out, each of them a `share`; can and mass: (K,)."""
    total = 0.0
    for v in range(len(can)):
        total += mass[v] * (size - can[v])
    return total * share


@kernel
def beside_largest(only: Counts, only_mass: Masses) -> float:
    """Sum of d_v without that of the last outcome with the largest k_v; only and only_mass: (K,)."""
    total, heaviest, largest = 0.0, 0.0, 0
    for v in range(len(only)):
        total += only_mass[v]
        heaviest = only_mass[v] if only[v] >= largest else heaviest
        largest = max(only[v], largest)
    return total - heaviest


@kernel
def information(mass: Masses, given_bits: float) -> float:
    """Bits that the answer is expected to carry; mass: (K,)."""
    bits = -given_bits
    for v in range(len(mass)):
        if mass[v] > 0.0:
            bits -= mass[v] * np.log2(mass[v])
    return bits


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
    return size_of_code(columns, e, columns.cells[x, e])


@kernel
def probability(columns: Columns, x: int, e: int, v: int) -> float:
    """P(v | x, e)."""
    code = int(columns.cells[x, e])
    return chance_of(code, v, columns.applicable[e], columns.partial_start[e], columns.partial_probability)


@kernel
def _gives(columns: Columns, x: int, e: int, v: int) -> int:
    return 1 if probability(columns, x, e, v) > 0.0 else 0
