"""Branch sums of large two-outcome tables, from bits instead of cells.

A plane holds one bit a cell, 64 hypotheses to a word: which hypotheses give only the first outcome of a test, and
which are unknown on it. For each 8 hypotheses the sums over all 256 subsets are prepared once a state, so that one
look-up a test replaces 8 additions. The whole numbers added are those of the row-by-row sums, so both ways agree to
the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algos.jit import kernel

if TYPE_CHECKING:
    from algos.scores import Sums
    from algos.table import Float64, Int8, Int64

UInt64 = NDArray[np.uint64]


class Planes(NamedTuple):
    """One bit a cell, read-only. Bit b of word w stands for hypothesis 64 w + b; n tests."""

    first: UInt64
    """(words, n) gives the first outcome only."""
    unknown: UInt64
    """(words, n) gives either."""
    can: UInt64
    """(2, n, words) can give each outcome: the same bits test by test, for ruling out by a few answers."""


def build_planes(binary: Int8) -> Planes:
    """The planes of a table of codes 0, 1 and -1, (m, n)."""
    words, tests = -(-binary.shape[0] // 64), binary.shape[1]
    first, unknown = np.zeros((words, tests), np.uint64), np.zeros((words, tests), np.uint64)
    _set_bits(binary, first, unknown)
    planes = Planes(first, unknown, np.array([(first | unknown).T, ~first.T], order="C"))
    for plane in planes:
        plane.flags.writeable = False
    return planes


@kernel
def _set_bits(binary: Int8, first: UInt64, unknown: UInt64) -> None:
    for x in range(binary.shape[0]):
        row, word, bit = binary[x], x >> 6, np.uint64(x & 63)
        for e in range(binary.shape[1]):
            first[word, e] |= np.uint64(row[e] == 0) << bit
            unknown[word, e] |= np.uint64(row[e] < 0) << bit


@kernel
def sum_planes(planes: Planes, rows: Int64, p: Float64, packed: Int64) -> int:
    """Fill (2, n) packed sums, of the first outcome only and of unknown cells; the packed sum of all rows."""
    words, tests = planes.first.shape
    bits = count_bits(rows.shape[0])
    weight = np.zeros(64 * words, np.int64)
    total = 0
    for i in range(rows.shape[0]):
        weight[rows[i]] = pack(p[i], bits)
        total += weight[rows[i]]
    sides = np.zeros((tests, 2), np.int64)  # of the first outcome only and of unknown cells, side by side in memory
    subset = np.zeros((8, 256), np.int64)  # the sum over each subset of each 8 hypotheses of a word
    low_byte = np.uint64(255)
    for w in range(words):
        if not weight[64 * w : 64 * w + 64].any():
            continue
        for k in range(8):
            for bit in range(8):
                half, added = 1 << bit, weight[64 * w + 8 * k + bit]
                for i in range(half):
                    subset[k, half + i] = subset[k, i] + added
        gives, silent = planes.first[w], planes.unknown[w]
        for e in range(tests):
            bits_first, bits_unknown = gives[e], silent[e]
            sum_first, sum_unknown = sides[e, 0], sides[e, 1]
            for k in range(8):
                shift = np.uint64(8 * k)
                sum_first += subset[k, (bits_first >> shift) & low_byte]
                sum_unknown += subset[k, (bits_unknown >> shift) & low_byte]
            sides[e, 0], sides[e, 1] = sum_first, sum_unknown
    for e in range(tests):
        packed[0, e], packed[1, e] = sides[e, 0], sides[e, 1]
    return total


@kernel
def count_bits(size: int) -> int:
    """Bits that hold a count of up to `size`."""
    bits = 1
    while (1 << bits) <= size:
        bits += 1
    return bits


@kernel
def pack(mass: float, bits: int) -> int:
    """Mass and a count of one in one 64-bit whole number, the count in the low bits.

    One addition then adds both, and sums do not depend on the order of rows.
    """
    return (int(mass * float(1 << (62 - bits)) + 0.5) << bits) | 1


@kernel
def pair(
    first: int, unknown: int, total: int, bits: int
) -> tuple[tuple[int, int], tuple[float, float], tuple[int, int], tuple[float, float], float]:
    """One test's k_v, d_v, |C_v| and q_v of both outcomes, and the mass of unknown cells, from packed sums."""
    unit = 1.0 / float(1 << (62 - bits))
    count_mask = (1 << bits) - 1
    second = total - first - unknown
    silent, silent_mass = unknown & count_mask, (unknown >> bits) * unit
    only = first & count_mask, second & count_mask
    only_mass = (first >> bits) * unit, (second >> bits) * unit
    can = only[0] + silent, only[1] + silent
    mass = only_mass[0] + 0.5 * silent_mass, only_mass[1] + 0.5 * silent_mass
    return only, only_mass, can, mass, silent_mass


@kernel
def unpack(packed: Int64, total: int, size: int, sums: Sums) -> None:
    """Fill `sums` from packed sums: (2, n) of the first outcome only and of unknown cells, and of all candidates."""
    bits = count_bits(size)
    for e in range(packed.shape[1]):
        only, only_mass, can, mass, sums.given_bits[e] = pair(packed[0, e], packed[1, e], total, bits)
        for v in range(2):
            sums.only[v, e], sums.only_mass[v, e] = only[v], only_mass[v]
            sums.can[v, e], sums.mass[v, e] = can[v], mass[v]
