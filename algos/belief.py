"""What some answers leave: the candidates, their posterior, and which tests are used up.

Everything is computed from the list of answers, so the order of answers never matters and undo is exact.

An answer S (one outcome or several) has for hypothesis x the strict probability P = sum over S of P(v | x), and with
a test of reliability r and K outcomes P~ = sum over S of r P(v | x) + (1 - r) (1 - P(v | x)) / (K - 1).

    strict        a candidate has P > 0 on every answer; its weight is its prior times all P
    tolerance k   a candidate has P = 0 on at most k answers and on no exact one; weight by P~
    reliability   everyone stays a candidate; weight by P~
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from algos.scores import COULD_NOT_TELL, NOT_ASKED, SEVERAL
from algos.table import UNKNOWN, Bool, Float64, Int64, OutcomeTable, cell_sizes

Answer = tuple[int, Collection[int]]
"""A test with the outcomes the operator saw; none, or all of them, is "could not tell"."""


class Errors(NamedTuple):
    """How wrong answers are treated."""

    ruled_out: bool
    """A mismatch counts against a candidate; False for the reliability model."""
    tolerance: int
    """Mismatches a candidate may have on answers that are not exact."""
    weighed: bool
    """Weights allow for misreadings; False for the strict model."""

    @classmethod
    def tolerant(cls, tolerance: int) -> Errors:
        """At most this many mismatches."""
        return cls(True, tolerance, True)


STRICT = Errors(True, 0, False)
RELIABILITY = Errors(False, 0, True)


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """A state of the case. |H| candidates, n tests."""

    rows: Int64
    """(|H|,) candidates, ascending."""
    posterior: Float64
    """(|H|,) sums to 1; empty after a contradiction."""
    log_copies: Float64
    """(|H|,) log2 of the product of cell sizes over unanswered tests."""
    mismatches: Int64
    """(|H|,) answers that the candidate cannot give."""
    said: Int64
    """(n,) the outcome answered, or NOT_ASKED, COULD_NOT_TELL, SEVERAL."""
    met: Bool
    """(needs,) which needs of the table's tests hold: answered so, or asked and not told."""

    @property
    def spent(self) -> Bool:
        """(n,) asked, whatever the answer: not to be asked again."""
        return np.not_equal(self.said, NOT_ASKED)

    @property
    def answered(self) -> Bool:
        """(n,) asked with a known answer."""
        known: Bool = (self.said >= 0) | (self.said == SEVERAL)
        return known


def believe(
    table: OutcomeTable,
    answers: Sequence[Answer],
    excluded: Collection[int] = (),
    errors: Errors = STRICT,
    exact: Collection[int] = (),
) -> Belief:
    """The state after these answers, each test at most once, without the excluded hypotheses.

    exact: tests whose answer is never tolerated as an error. Of tests that repeat each other's evidence only the
    answered one of lowest index has a weight; the others only rule out. Weights are kept as logarithms, so no number
    of answers makes them vanish. Raises ValueError for a test answered twice and for a test, outcome or hypothesis
    out of range.
    """
    columns = table.columns
    log_weight = np.log2(table.prior)
    log_copies = table.log_copies.copy()
    alive = np.ones(table.hypotheses, dtype=np.bool_)
    if not all(0 <= row < table.hypotheses for row in excluded):
        raise ValueError(f"excluded hypotheses {sorted(excluded)} are out of range")
    alive[list(excluded)] = False
    mismatches = np.zeros(table.hypotheses, dtype=np.int64)
    said = np.full(table.tests, NOT_ASKED)
    met = np.zeros(len(columns.need_test), dtype=np.bool_)
    heard: set[int] = set()
    for test, outcomes in sorted(answers, key=lambda answer: answer[0]):  # rounding must not depend on the order
        if not 0 <= test < table.tests:
            raise ValueError(f"test {test} is out of range")
        if said[test] != NOT_ASKED:
            raise ValueError(f"test {test} is answered twice")
        seen = set(outcomes)
        count = int(columns.outcomes[test])
        if not seen <= set(range(count)):
            raise ValueError(f"outcomes {sorted(seen)} of test {test} are out of range")
        if len(seen) in (0, count):
            said[test] = COULD_NOT_TELL
            met |= columns.need_test == test
            continue
        said[test] = next(iter(seen)) if len(seen) == 1 else SEVERAL
        met |= (columns.need_test == test) & np.isin(columns.need_outcome, list(seen))
        strict = likelihood(table, test, seen)
        mismatches += strict <= 0
        if errors.ruled_out:
            alive &= (strict > 0) | (test not in exact and errors.tolerance > 0)
        log_copies -= np.log2(cell_sizes(columns, columns.cells[:, test], test))
        repeats = int(columns.evidence[test])
        if repeats < 0 or repeats not in heard:
            heard.add(repeats)
            r = float(table.reliability[test])
            factor = r * strict + (1 - r) * (len(seen) - strict) / (count - 1) if errors.weighed else strict
            log_weight += np.log2(np.where(factor > 0, factor, 1.0 if not errors.weighed else np.finfo(float).tiny))
    if errors.ruled_out:
        alive &= mismatches <= errors.tolerance
    rows = np.flatnonzero(alive)
    weight = np.exp2(log_weight[rows] - log_weight[rows].max(initial=-np.inf))
    return Belief(rows, weight / weight.sum(), log_copies[rows], mismatches[rows], said, met)


def likelihood(table: OutcomeTable, test: int, outcomes: Collection[int]) -> Float64:
    """(m,) probability that each hypothesis gives one of these outcomes."""
    columns = table.columns
    chosen = np.zeros(columns.partial_probability.shape[1], dtype=np.bool_)
    chosen[list(outcomes)] = True
    codes = columns.cells[:, test].astype(np.int64)
    applicable = int(columns.applicable[test])
    probability = chosen[np.maximum(codes, 0)].astype(np.float64)
    probability[codes == UNKNOWN] = chosen[:applicable].sum() / applicable
    partial = codes < UNKNOWN
    entries = columns.partial_start[test] - 2 - codes[partial]
    probability[partial] = columns.partial_probability[entries][:, chosen].sum(axis=1)
    return probability
