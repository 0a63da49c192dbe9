"""OutcomeTable: hypotheses by tests as arrays, checked once at the door.

Source: Jia, Nagarajan, Navidi, Ravi, "Optimal Decision Tree with Noisy Outcomes", NeurIPS 2019, sections 2 and 6,
with any set of outcomes in a cell and any probabilities over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algos.jit import kernel
from algos.planes import Planes, build_planes

UNKNOWN = -1
PLANES_FROM = 10_000
"""Hypotheses from which bit planes are worth making; benchmarks/decision.py has the figures."""
USUAL_RELIABILITY = 0.95
"""Of a test for which the table states none."""

Int8 = NDArray[np.int8]
Int16 = NDArray[np.int16]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

Partial = Sequence[tuple[int, float]]
Needs = Sequence[Sequence[tuple[int, int]]]
_Scalar = TypeVar("_Scalar", bound=np.generic)


class Columns(NamedTuple):
    """What kernels read, all C-contiguous and read-only. m hypotheses, n tests, P partial cells, K = most outcomes."""

    cells: Int16
    """(m, n) codes: >= 0 the single outcome, -1 unknown, <= -2 entry -2 - code of the test's partial cells."""
    binary: Int8
    """(m, n) the same codes when every test has two outcomes and no partial cell, else (0, 0)."""
    outcomes: Int64
    """(n,) number of outcomes, "does not apply" included."""
    applicable: Int64
    """(n,) number of outcomes an unknown cell stands for."""
    partial_start: Int64
    """(n,) where a test's partial cells begin."""
    partial_probability: Float64
    """(P, K) probability of each outcome."""
    partial_size: Int64
    """(P,) number of possible outcomes."""
    cost: Float64
    """(n,) positive."""
    group: Int64
    """(m,) number of each hypothesis' group."""
    evidence: Int64
    """(n,) number of the set of tests that repeat each other's evidence; -1 for a test of its own."""
    clause_start: Int64
    """(n + 1,) where the clauses begin of which a test needs all."""
    need_start: Int64
    """(clauses + 1,) where the needs begin of which a clause asks any."""
    need_test: Int64
    """(needs,) the test that must be answered."""
    need_outcome: Int64
    """(needs,) with this outcome."""


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeTable:
    """A checked table.

    prior: (m,) positive, sums to 1. `columns.group` numbers the groups; without groups each hypothesis is its own.
    """

    columns: Columns
    prior: Float64
    log_prior: Float64
    """(m,) log2 of the prior."""
    log_copies: Float64
    """(m,) log2 of the product of a row's cell sizes: its copies in the paper's expanded table."""
    reliability: Float64
    """(n,) chance that an answer is what the operator should have seen."""
    planes: Planes | None
    """The bit planes of a two-outcome table of PLANES_FROM hypotheses and more."""

    @property
    def hypotheses(self) -> int:
        """How many hypotheses, m."""
        return int(self.columns.cells.shape[0])

    @property
    def tests(self) -> int:
        """How many tests, n."""
        return int(self.columns.cells.shape[1])

    @classmethod
    def build(
        cls,
        cells: ArrayLike,
        outcomes: ArrayLike,
        *,
        applicable: ArrayLike | None = None,
        partials: Sequence[Sequence[Partial]] | None = None,
        prior: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        group: ArrayLike | None = None,
        reliability: ArrayLike | None = None,
        evidence: ArrayLike | None = None,
        needs: Sequence[Needs] | None = None,
    ) -> OutcomeTable:
        """Check and copy.

        cells: (m, n) integer codes. outcomes: (n,) counts, each >= 1. applicable: (n,) counts without "does not
        apply"; the same as outcomes where left out. partials: for each test its partial cells as (outcome,
        probability) pairs. prior: (m,) positive, scaled to sum 1; uniform where left out. cost: (n,) positive; 1
        where left out. group: (m,) integers; each its own where left out. reliability: (n,) in (0, 1]; 0.95 where
        left out. evidence: (n,) integers, the same for tests that repeat each other's evidence, -1 for none. needs:
        for each test the clauses that must all hold, each a list of (test, outcome) of which any will do.

        Raises ValueError naming the argument and the first bad index.
        """
        codes = np.asarray(cells)
        if codes.ndim != 2 or 0 in codes.shape:
            raise ValueError(f"cells: shape {codes.shape}, needs at least one hypothesis and one test")
        if codes.dtype.kind not in "iu":
            raise ValueError(f"cells: codes are whole numbers, not {codes.dtype}")
        m, n = codes.shape
        counts = _vector("outcomes", outcomes, n, np.int64)
        used = counts.copy() if applicable is None else _vector("applicable", applicable, n, np.int64)
        _require("outcomes", (counts >= 1) & (counts <= np.iinfo(np.int16).max))
        _require("applicable", (used >= 1) & (used <= counts))
        entries = [[dict(entry) for entry in test] for test in partials] if partials is not None else [[]] * n
        if len(entries) != n:
            raise ValueError(f"partials: {len(entries)} tests, expected {n}")
        sizes = np.array([len(test) for test in entries], dtype=np.int64)
        bad = (codes >= counts) | (codes < -1 - sizes)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise ValueError(f"cells: code {codes[row, column]} at hypothesis {row}, test {column} is out of range")
        probability = _partial_probabilities(entries, counts)
        start = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
        weight = np.full(m, 1.0) if prior is None else _vector("prior", prior, m, np.float64)
        _require("prior", np.isfinite(weight) & (weight > 0))
        price = np.full(n, 1.0) if cost is None else _vector("cost", cost, n, np.float64)
        _require("cost", np.isfinite(price) & (price > 0))
        groups = np.arange(m) if group is None else _vector("group", group, m, np.int64)
        trust = (
            np.full(n, USUAL_RELIABILITY) if reliability is None else _vector("reliability", reliability, n, np.float64)
        )
        _require("reliability", (trust > 0) & (trust <= 1))
        repeats = np.full(n, -1) if evidence is None else _vector("evidence", evidence, n, np.int64)
        two = bool((counts == 2).all() and (used == 2).all() and sizes.sum() == 0)
        columns = Columns(
            cells=_frozen(codes, np.int16),
            binary=_frozen(codes if two else np.zeros((0, 0)), np.int8),
            outcomes=_frozen(counts, np.int64),
            applicable=_frozen(used, np.int64),
            partial_start=_frozen(start, np.int64),
            partial_probability=_frozen(probability, np.float64),
            partial_size=_frozen((probability > 0).sum(axis=1), np.int64),
            cost=_frozen(price, np.float64),
            group=_frozen(np.unique(groups, return_inverse=True)[1], np.int64),
            evidence=_frozen(repeats, np.int64),
            **_needs(needs if needs is not None else [[]] * n, counts),
        )
        scaled = weight / weight.max()
        scaled /= scaled.sum()
        return cls(
            columns,
            _frozen(scaled, np.float64),
            _frozen(np.log2(scaled), np.float64),
            _frozen(_log_copies(columns), np.float64),
            _frozen(trust, np.float64),
            build_planes(columns.binary) if columns.binary.shape[0] >= PLANES_FROM else None,
        )

    @property
    def entropy_bits(self) -> float:
        """Entropy of the prior."""
        return entropy_bits(self.prior)


def entropy_bits(probability: Float64) -> float:
    """Entropy of a distribution in bits; 0 log 0 = 0."""
    positive = probability[probability > 0]
    return float(-(positive * np.log2(positive)).sum()) + 0.0


@kernel
def _log_copies(columns: Columns) -> Float64:
    rows, tests = columns.cells.shape
    total = np.zeros(rows)
    for x in range(rows):
        for e in range(tests):
            if columns.cells[x, e] < 0:
                total[x] += np.log2(size_of_code(columns, e, columns.cells[x, e]))
    return total


@kernel
def chance_of(code: int, v: int, applicable: int, partial_start: int, partial_probability: Float64) -> float:
    """Probability of outcome v for a cell's code; applicable and partial_start: of its test."""
    if code >= 0:
        return 1.0 if code == v else 0.0
    if code == UNKNOWN:
        return 1.0 / applicable if v < applicable else 0.0
    return float(partial_probability[partial_start - 2 - code, v])


@kernel
def size_of_code(columns: Columns, e: int, code: int) -> int:
    """Number of possible outcomes of a cell of test e with this code."""
    if code >= 0:
        return 1
    if code == UNKNOWN:
        return int(columns.applicable[e])
    return int(columns.partial_size[columns.partial_start[e] - 2 - code])


def cell_outcomes(columns: Columns, test: int) -> Bool:
    """(m, K) which outcomes each hypothesis can give on one test."""
    codes = columns.cells[:, test].astype(np.int64)
    possible: Bool = codes[:, None] == np.arange(columns.outcomes[test])
    possible[codes == UNKNOWN, : columns.applicable[test]] = True
    partial = codes < UNKNOWN
    entries = columns.partial_probability[columns.partial_start[test] - 2 - codes[partial]]
    possible[partial] = entries[:, : columns.outcomes[test]] > 0
    return possible


def _partial_probabilities(entries: list[list[dict[int, float]]], counts: Int64) -> Float64:
    rows: list[Float64] = []
    for test, cells in enumerate(entries):
        for number, cell in enumerate(cells):
            row = np.zeros(int(counts.max()))
            for outcome, probability in cell.items():
                if not 0 <= outcome < counts[test]:
                    raise ValueError(f"partials: outcome {outcome} of entry {number}, test {test} is out of range")
                row[outcome] = probability
            if not (row >= 0).all() or abs(row.sum() - 1) > 1e-9:
                raise ValueError(f"partials: probabilities of entry {number}, test {test} do not sum to 1")
            if (row > 0).sum() < 2:
                raise ValueError(f"partials: entry {number}, test {test} has one outcome; its own code says so")
            rows.append(row / row.sum())
    return np.array(rows).reshape(len(rows), int(counts.max()))


def _needs(needs: Sequence[Needs], counts: Int64) -> dict[str, Int64]:
    if len(needs) != len(counts):
        raise ValueError(f"needs: {len(needs)} tests, expected {len(counts)}")
    clauses = [clause for test in needs for clause in test]
    pairs = [pair for clause in clauses for pair in clause]
    for test, outcome in pairs:
        if not (0 <= test < len(counts) and 0 <= outcome < counts[test]):
            raise ValueError(f"needs: outcome {outcome} of test {test} is out of range")
    return {
        "clause_start": _frozen(np.cumsum([0, *map(len, needs)]), np.int64),
        "need_start": _frozen(np.cumsum([0, *map(len, clauses)]), np.int64),
        "need_test": _frozen(np.array([test for test, _ in pairs]), np.int64),
        "need_outcome": _frozen(np.array([outcome for _, outcome in pairs]), np.int64),
    }


def _vector(name: str, values: ArrayLike, length: int, dtype: type[_Scalar]) -> NDArray[_Scalar]:
    vector = np.array(values, dtype=dtype)
    if vector.shape != (length,):
        raise ValueError(f"{name}: shape {vector.shape}, expected ({length},)")
    return vector


def _require(name: str, good: Bool) -> None:
    if not good.all():
        raise ValueError(f"{name}: bad value at index {int(np.argmin(good))}")


def _frozen(values: NDArray[Any], dtype: type[_Scalar]) -> NDArray[_Scalar]:
    fixed = np.array(values, dtype=dtype, order="C")
    fixed.flags.writeable = False
    return fixed
