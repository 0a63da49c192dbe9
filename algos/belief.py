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

from algos.jit import kernel
from algos.planes import Planes
from algos.scores import COULD_NOT_TELL, NOT_ASKED, SEVERAL
from algos.table import UNKNOWN, Bool, Columns, Float64, Int64, OutcomeTable, chance_of, size_of_code

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

SMALLEST = float(np.finfo(np.float64).tiny)
"""Stands for a weight of nothing where a mismatch is tolerated although the test is said to be perfect."""


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


class _Known(NamedTuple):
    """The answers that tell something, by test: the order fixes how sums are rounded. k answers, K = most outcomes."""

    test: Int64
    """(k,) ascending."""
    seen: Bool
    """(k, K) the outcomes answered."""
    weighs: Bool
    """(k,) changes weights: False where an earlier test gave the same evidence."""
    sure: Bool
    """(k,) rules out everybody who cannot give it, whatever is tolerated."""
    trust: Float64
    """(k,) the chance of a right reading; 1 in the strict model."""


_Start = tuple[Float64, Float64]
"""(m,) log2 of the weights and of the copies before any answer."""


class _Effect(NamedTuple):
    """What each answer does to a hypothesis, by the code of its cell alone, so that logarithms are taken once a code.

    A code is its own place: negative ones count from the end. k answers, at most `width` codes.
    """

    wrong: Bool
    """(k, width) cannot give the answer."""
    log_factor: Float64
    """(k, width) log2 of what the weight is multiplied by."""
    log_size: Float64
    """(k, width) log2 of the number of possible outcomes."""


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
    alive = np.ones(table.hypotheses, dtype=np.bool_)
    if not all(0 <= row < table.hypotheses for row in excluded):
        raise ValueError(f"excluded hypotheses {sorted(excluded)} are out of range")
    alive[list(excluded)] = False
    said = np.full(table.tests, NOT_ASKED)
    known: dict[int, set[int]] = {}
    for test, outcomes in sorted(answers, key=lambda answer: answer[0]):
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
        else:
            said[test] = next(iter(seen)) if len(seen) == 1 else SEVERAL
            known[test] = seen
    needs = zip(columns.need_test.tolist(), columns.need_outcome.tolist(), strict=True)
    met = np.array([said[e] == COULD_NOT_TELL or v in known.get(e, ()) for e, v in needs], dtype=np.bool_)
    given = _known(table, known, errors, exact)
    limit = errors.tolerance if errors.ruled_out else len(known)
    start, effect = (table.log_prior, table.log_copies), _effect(columns, given)
    if table.planes is not None and limit == 0:
        rows, log_weight, log_copies = _weigh_bits(table.planes, alive, start, given.test, said[given.test], effect)
        mismatches = np.zeros(len(rows), dtype=np.int64)
    else:
        rows, log_weight, log_copies, mismatches = _weigh_cells(columns, alive, start, given, effect, limit)
    weight = log_weight - log_weight.max(initial=-np.inf)
    np.exp2(weight, out=weight)
    weight /= weight.sum()
    return Belief(rows, weight, log_copies, mismatches, said, met)


def likelihood(table: OutcomeTable, test: int, outcomes: Collection[int]) -> Float64:
    """(m,) probability that each hypothesis gives one of these outcomes."""
    chosen = np.zeros(table.columns.partial_probability.shape[1], dtype=np.bool_)
    chosen[list(outcomes)] = True
    return _likelihood(table.columns, test, chosen)


def _known(table: OutcomeTable, known: dict[int, set[int]], errors: Errors, exact: Collection[int]) -> _Known:
    test = np.array(list(known), dtype=np.int64)
    seen = np.zeros((len(known), table.columns.partial_probability.shape[1]), dtype=np.bool_)
    for chosen, outcomes in zip(seen, known.values(), strict=True):
        chosen[list(outcomes)] = True
    weighs = np.ones(len(known), dtype=np.bool_)
    heard: set[int] = set()
    for i, number in enumerate(table.columns.evidence[test].tolist()):
        weighs[i] = number < 0 or number not in heard
        heard.add(number)
    sure = np.array([errors.ruled_out and e in exact for e in known], dtype=np.bool_)
    return _Known(test, seen, weighs, sure, table.reliability[test] if errors.weighed else np.ones(len(known)))


@kernel
def _likelihood(columns: Columns, test: int, chosen: Bool) -> Float64:
    probability = np.empty(columns.cells.shape[0])
    for x in range(probability.shape[0]):
        probability[x] = _chance(columns, test, columns.cells[x, test], chosen)
    return probability


@kernel
def _chance(columns: Columns, test: int, code: int, chosen: Bool) -> float:
    """The probability that a cell of this code gives one of the chosen outcomes."""
    total = 0.0
    for v in range(columns.outcomes[test]):
        if chosen[v]:
            total += chance_of(
                code, v, columns.applicable[test], columns.partial_start[test], columns.partial_probability
            )
    return total


@kernel
def _effect(columns: Columns, known: _Known) -> _Effect:
    answers, tests = known.test.shape[0], columns.cells.shape[1]
    lowest = np.full(answers, UNKNOWN)
    for i in range(answers):
        after = known.test[i] + 1
        end = columns.partial_start[after] if after < tests else columns.partial_size.shape[0]
        lowest[i] -= end - columns.partial_start[after - 1]
    width = known.seen.shape[1] - (lowest.min() if answers > 0 else 0)
    wrong = np.zeros((answers, width), np.bool_)
    log_factor, log_size = np.zeros((answers, width)), np.zeros((answers, width))
    for i in range(answers):
        test, r = known.test[i], known.trust[i]
        for code in range(lowest[i], columns.outcomes[test]):
            chance = _chance(columns, test, code, known.seen[i])
            wrong[i, code] = chance <= 0.0
            log_size[i, code] = np.log2(size_of_code(columns, test, code))
            if known.weighs[i]:
                misread = (known.seen[i].sum() - chance) / (columns.outcomes[test] - 1)
                log_factor[i, code] = np.log2(max(r * chance + (1.0 - r) * misread, SMALLEST))
    return _Effect(wrong, log_factor, log_size)


@kernel
def _weigh_cells(
    columns: Columns, alive: Bool, start: _Start, known: _Known, effect: _Effect, limit: int
) -> tuple[Int64, Float64, Float64, Int64]:
    """The rows with at most `limit` mismatches, log2 of their weights and of their copies, and their mismatches."""
    most = alive.sum()
    rows, mismatches = np.empty(most, np.int64), np.empty(most, np.int64)
    log_weight, log_copies = np.empty(most), np.empty(most)
    size = 0
    for x in range(alive.shape[0]):
        if not alive[x]:
            continue
        weight, copies, misses = start[0][x], start[1][x], 0
        for i in range(known.test.shape[0]):
            code = columns.cells[x, known.test[i]]
            if effect.wrong[i, code]:
                misses += limit + 1 if known.sure[i] else 1
                if misses > limit:
                    break
            weight += effect.log_factor[i, code]
            copies -= effect.log_size[i, code]
        if misses <= limit:
            rows[size], log_weight[size], log_copies[size], mismatches[size] = x, weight, copies, misses
            size += 1
    return rows[:size], log_weight[:size], log_copies[:size], mismatches[:size]


@kernel
def _weigh_bits(
    planes: Planes, alive: Bool, start: _Start, tests: Int64, outcomes: Int64, effect: _Effect
) -> tuple[Int64, Float64, Float64]:
    """`_weigh_cells` without mismatches, of a large two-outcome table: 64 hypotheses are ruled out at a time."""
    most = alive.sum()
    rows, log_weight, log_copies = np.empty(most, np.int64), np.empty(most), np.empty(most)
    size, one = 0, np.uint64(1)
    for w in range(planes.can.shape[2]):
        left = ~np.uint64(0)
        for i in range(tests.shape[0]):
            left &= planes.can[outcomes[i], tests[i], w]
            if left == 0:
                break
        bit, end = np.uint64(0), np.uint64(min(64, alive.shape[0] - 64 * w))
        while bit < end and left >> bit != 0:
            x = 64 * w + np.int64(bit)
            if left >> bit & one and alive[x]:
                weight, copies = start[0][x], start[1][x]
                for i in range(tests.shape[0]):
                    either = planes.can[1 - outcomes[i], tests[i], w] >> bit & one
                    code = UNKNOWN if either else outcomes[i]
                    weight += effect.log_factor[i, code]
                    copies -= effect.log_size[i, code]
                rows[size], log_weight[size], log_copies[size] = x, weight, copies
                size += 1
            bit += one
    return rows[:size], log_weight[:size], log_copies[:size]
