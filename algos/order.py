"""The fixed order of the non-adaptive policy, exactly, by submodular function ranking.

Source: Jia et al., NeurIPS 2019, section 3. G(e) is the gain of test e summed over every state that the tests
chosen so far can lead to. The gain is linear in the candidates' weights, so states with the same candidates are
added up and no sampling is needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.belief import Belief, believe, likelihood
from algos.decide import NO_ORDER, Plan, first_of_best, score_tests
from algos.scores import COULD_NOT_TELL, GAIN, NOT_ASKED
from algos.stopping import Stop, stopped
from algos.table import Float64, Int64, OutcomeTable

STATE_LIMIT = 20_000


class TooManyStates(ValueError):
    """The exact order would have to follow more sets of candidates at once than is sensible."""


class Order(NamedTuple):
    """A fixed order of all tests."""

    tests: Int64
    """(n,) the scored ones first, the rest by index."""
    score: Float64
    """(scored,) G(e) of each scored test at its turn, before division by cost."""


NOTHING_FIXED = Order(NO_ORDER, np.zeros(0))
"""For the policies that follow no fixed order."""


def fixed_order(table: OutcomeTable, stop: Stop, state_limit: int = STATE_LIMIT) -> Order:
    """Rank all tests by G(e) / cost, ties to the lowest index.

    Raises TooManyStates when more than `state_limit` different sets of candidates are alive at once.
    """
    start = believe(table, [])
    alive = {start.rows.tobytes(): (start.rows, start.posterior)}
    said = np.full(table.tests, NOT_ASKED)
    order: list[int] = []
    scores: list[float] = []
    while alive:
        total = np.zeros(table.tests)
        for rows, weight in alive.values():
            total += _gains(table, rows, weight, said, stop)
        test = first_of_best(np.where(total > 0, total / table.columns.cost, -np.inf))
        if test < 0:
            break
        order.append(test)
        scores.append(float(total[test]))
        said[test] = COULD_NOT_TELL
        alive = _split(table, alive, test, stop)
        if len(alive) > state_limit:
            raise TooManyStates(f"the fixed order needs more than {state_limit:,} sets of candidates at once")
    rest = [test for test in range(table.tests) if said[test] == NOT_ASKED]
    return Order(np.array(order + rest, dtype=np.int64), np.array(scores))


def warm_up(table: OutcomeTable, stop: Stop) -> None:
    """Call each kernel of `fixed_order` once, which compiles it."""
    start, said = believe(table, []), np.full(table.tests, NOT_ASKED)
    first_of_best(_gains(table, start.rows, start.posterior, said, stop))
    _split(table, {b"": (start.rows, start.posterior)}, 0, stop)


_Alive = dict[bytes, tuple[Int64, Float64]]


def _gains(table: OutcomeTable, rows: Int64, weight: Float64, said: Int64, stop: Stop) -> Float64:
    mass = weight.sum()
    everything_met = np.ones(len(table.columns.need_test), np.bool_)  # the order is made before any answer
    belief = Belief(rows, weight / mass, np.zeros(len(rows)), np.zeros(len(rows), np.int64), said, everything_met)
    seen = score_tests(table, belief, Plan(GAIN, NO_ORDER, stop))
    return np.where(seen.informative, seen.score * mass, 0.0)


def _split(table: OutcomeTable, alive: _Alive, test: int, stop: Stop) -> _Alive:
    """The sets of candidates after one more test that still hold something to tell apart."""
    parts: _Alive = {}
    chances = [likelihood(table, test, [v]) for v in range(int(table.columns.outcomes[test]))]
    for rows, weight in alive.values():
        for chance in chances:
            left = chance[rows] > 0
            kept, mass = rows[left], (weight * chance[rows])[left]
            if len(kept) == 0 or stopped(table.columns, stop, kept, mass / mass.sum()):
                continue
            key = kept.tobytes()
            parts[key] = (kept, parts[key][1] + mass) if key in parts else (kept, mass)
    return parts
