"""Columns of past cases as codes that a tree can split, and as values that a tree can route.

A number's codes are its distinct values in ascending order, or at most so many bins of about equal weight; a nominal
value's code is its place among the values seen. 0 is a missing value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algos.objects import Codes
from algos.table import Float64, Int64

Column = NDArray[Any]
"""(rows,) numbers with NaN for missing ones, or texts with None."""


@dataclass(frozen=True, slots=True)
class Coded:
    """One column as codes."""

    codes: Int64
    """(rows,) 0 for missing values and rows of no weight."""
    lows: Float64
    """The least value of each code from 1 on; empty for nominal columns."""
    highs: Float64
    """The greatest."""
    values: tuple[str, ...]
    """The nominal value of each code from 1 on; empty for numbers."""

    @property
    def size(self) -> int:
        """How many codes there are, with that of missing values."""
        return 1 + max(self.lows.size, len(self.values))


def coded(column: Column, weights: Float64, max_bins: int | None) -> Coded:
    """Code a column; a number with more than `max_bins` values is put into bins of about equal weight."""
    if column.dtype == np.float64:
        return _coded_numbers(column, weights, max_bins)
    values = tuple(
        sorted({value for value, weight in zip(column, weights, strict=True) if weight > 0 and value is not None})
    )
    return Coded(codes_of(column, values), np.zeros(0), np.zeros(0), values)


def codes_of(column: Column, values: Sequence[str]) -> Int64:
    """(rows,) the codes of nominal values; 0 for missing ones and for values that are not among these."""
    place = {value: code for code, value in enumerate(values, 1)}
    return np.fromiter((place.get(value, 0) for value in column), np.int64, len(column))


def _coded_numbers(column: Float64, weights: Float64, max_bins: int | None) -> Coded:
    known = np.flatnonzero(~np.isnan(column) & (weights > 0))
    values, place = np.unique(column[known], return_inverse=True)
    bins = np.arange(values.size)
    if max_bins is not None and values.size > max_bins:
        weight = np.bincount(place, weights[known])
        middle = np.cumsum(weight) - weight / 2
        bins = np.unique(np.floor(middle / weight.sum() * max_bins), return_inverse=True)[1]
    first = np.flatnonzero(np.diff(bins, prepend=-1))
    last = np.append(first[1:], bins.size)[: first.size] - 1
    codes = np.zeros(column.size, np.int64)
    codes[known] = bins[place] + 1
    return Coded(codes, values[first], values[last], ())


def stacked(columns: Sequence[Coded], rows: int) -> Codes:
    """(m, rows) the codes of all columns; whole numbers of one byte where they hold them."""
    most = max((column.size for column in columns), default=1)
    codes = np.zeros((len(columns), rows), np.uint8 if most <= 256 else np.uint32)
    for place, column in enumerate(columns):
        codes[place] = column.codes
    return codes


def between(low: float, high: float) -> float:
    """The threshold between two neighbouring values: their midpoint, or the lower one where that rounds up."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low
