"""Lower bounds on the expected cost of every policy, proven, and better than the entropy of the prior.

What is bounded: policies that ask informative tests until the case is settled (one candidate; one group where
`grouped`) or no informative test is left. Two hypotheses of different groups are separable when on some test they
share no outcome; that test cannot have been asked while both are candidates. So where a case ends all candidates are
near one another: N(x) = x, its group, and everything inseparable from x holds whatever is left beside x.

Bits. At the end L of a case the candidates lie within N(x) for each of them, so the answers must carry
I(X; L) >= need = sum over x of p_x log2 1/p(N(x)). (Among distributions on a set the prior's share is the least
informative.) It is the entropy where every pair is separable. Test e brings at most log2 K_e bits each time it is
asked, and at most I(X; e) bits over all the states it is asked in: given X its answer does not depend on the others,
so knowing them can only take from the entropy of the answer. The cheapest way to buy the bits under these two limits
is a fractional knapsack.

Codes. Where N is a partition, every leaf of the tree names a class. Let each class keep only its highest leaf: the
cost does not grow, and the leaves kept are those of a K-ary tree. So no policy needs fewer questions than Huffman's
code of the class masses, and a class split over several leaves (unknown cells) never helps.

Lookahead. The optimum of a state is the least over informative tests e of c_e + sum_v q_v optimum(state after v).
Any bound of the states after v thus gives one of the state, all the better the deeper it is carried; carried to every
end it is the optimum itself. Branches that cannot beat the best test found are left alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.jit import kernel
from algos.scores import probability
from algos.stopping import settled
from algos.table import Bool, Columns, Float64, Int64, OutcomeTable

WORK_PER_SECOND = 260_000_000
"""About what one thread does, in cells read and their like. Work ends the search, not the clock: the same table always
gets the same bound."""
PAIR_LIMIT = 200_000_000
NEARLY_NOTHING = 1e-9
"""Bits below which a state counts as settled, so that rounding never adds a test."""
SURELY = 1 - 1e-12
"""Rounding must not make a test look cheaper than one that costs as much."""
EXACT = 1 << 30
"""The depth of a bound that is the optimum."""


class Bound(NamedTuple):
    """No policy has a lower expected cost (but for rounding, 1e-9 of it)."""

    cost: float
    method: str
    """In plain words."""
    exact: bool
    """Some policy reaches it."""


class Near(NamedTuple):
    """N(x) of every hypothesis, as one list."""

    start: Int64
    """(m + 1,) where each row's part of `rows` begins."""
    rows: Int64
    same: Int64
    """(m,) the first hypothesis with the same N(x)."""
    parted: bool
    """The sets are a partition."""


class Outlook(NamedTuple):
    """One state. n tests, K = most outcomes."""

    least: float
    """A lower bound of what remains to be paid."""
    by_test: Float64
    """(n,) the same for the policies that ask this test next; infinite for a test that may not be asked."""
    after: Float64
    """(n, K) how much of by_test lies behind each outcome."""
    mass: Float64
    """(n, K) probability of each outcome."""


def lower_bound(table: OutcomeTable, grouped: bool, seconds: float = 2.0) -> Bound:
    """Bound the expected cost of the whole case, searching for about this long. Zero where the table is too large."""
    near = Near(*_near(table.columns, grouped, PAIR_LIMIT))
    rows = np.argsort(near.same, kind="stable")  # class by class
    if len(near.rows) == 0:
        return Bound(0.0, "no bound: too many pairs of hypotheses to compare", False)
    cost, depth = _deepen(table.columns, near, grouped, rows, table.prior[rows], int(seconds * WORK_PER_SECOND))
    if depth == EXACT:
        return Bound(cost, "the optimum, by exhaustive search", True)
    return Bound(cost, f"{depth} tests ahead searched, then the bits still needed", False)


@kernel
def _near(columns: Columns, grouped: bool, limit: int) -> Near:
    m, n = columns.cells.shape
    start, rows = np.zeros(m + 1, np.int64), np.empty(4 * m, np.int64)
    same = np.arange(m)
    parted = True
    looked = 0
    for x in range(m):
        end = start[x]
        for y in range(m):
            together = x == y or (grouped and columns.group[x] == columns.group[y])
            if not together:
                together = True
                for e in range(n):
                    looked += 1
                    if _disjoint(columns, x, y, e):
                        together = False
                        break
            if together:
                if end == rows.shape[0]:
                    grown = np.empty(2 * end, np.int64)
                    grown[:end] = rows
                    rows = grown
                rows[end] = y
                end += 1
        if looked + end > limit:
            return Near(start, rows[:0], same, False)
        start[x + 1] = end
        first = rows[start[x]]
        if first < x:
            if np.array_equal(rows[start[x] : end], rows[start[first] : start[first + 1]]):
                same[x] = first
            else:
                parted = False
    return Near(start, rows[: start[m]], same, parted)


@kernel
def _disjoint(columns: Columns, x: int, y: int, e: int) -> bool:
    a, b = columns.cells[x, e], columns.cells[y, e]
    if a >= 0 and b >= 0:
        return bool(a != b)
    for v in range(columns.outcomes[e]):
        if probability(columns, x, e, v) > 0.0 and probability(columns, y, e, v) > 0.0:
            return False
    return True


@kernel
def _deepen(columns: Columns, near: Near, grouped: bool, rows: Int64, p: Float64, budget: int) -> tuple[float, int]:
    # Each round looks one test further; what earlier rounds proved is kept in `known`.
    m, n = columns.cells.shape
    known = {np.uint64(0): (0.0, 0)}
    spent, dense, work = np.zeros(n, np.bool_), np.zeros(m), np.array([budget])
    best, reached = 0.0, 0
    for depth in range(n + 1):
        cost, proven = _search(columns, near, grouped, rows, p, spent, depth, np.inf, 0.0, known, dense, work)
        best = max(best, cost)
        if proven == EXACT:
            return cost, EXACT
        if work[0] <= 0:
            break
        reached = depth + 1
    return best, reached


@kernel
def _search(
    columns: Columns,
    near: Near,
    grouped: bool,
    rows: Int64,
    p: Float64,
    spent: Bool,
    depth: int,
    enough: float,
    floor: float,
    known: dict[np.uint64, tuple[float, int]],
    dense: Float64,
    work: Int64,
) -> tuple[float, int]:
    """A bound of this state no less than `floor`, and its depth. From `enough` on more is of no use."""
    if settled(columns, rows, grouped):
        return 0.0, EXACT
    if work[0] <= 0:
        return floor, 0
    key = _key(columns, rows, p, spent)
    if key in known:
        cost, proven = known[key]
        floor = max(floor, cost)
        if proven > depth or floor >= enough:
            return floor, proven
    work[0] -= (rows.shape[0] + 8 * columns.partial_probability.shape[1]) * spent.shape[0] + 600
    seen = _look(columns, near, rows, p, spent, dense)
    floor = max(floor, seen.least)
    best, proven = enough, 0
    if seen.least == 0.0:
        best, proven = 0.0, EXACT
    elif depth == 0:
        best = min(enough, seen.by_test.min())
    elif floor < enough:
        for e in np.argsort(seen.by_test):
            total = seen.by_test[e]
            if total >= best * SURELY:
                break
            spent[e] = True
            after = seen.after[e].copy()
            carried = EXACT
            for level in range(depth):  # a shallow look often shows that this test cannot be the best
                carried = EXACT
                for v in range(columns.outcomes[e]):
                    q = seen.mass[e, v]
                    if q <= 0.0 or total >= best * SURELY:
                        continue
                    left, share = _after(columns, rows, p, e, v)
                    limit = (best - total + after[v]) / q
                    cost, behind = _search(
                        columns, near, grouped, left, share, spent, level, limit, after[v] / q, known, dense, work
                    )
                    total += q * cost - after[v]
                    after[v] = q * cost
                    carried = min(carried, behind)
                if total >= best * SURELY or carried == EXACT:
                    break
            spent[e] = False
            if total < best * SURELY:
                best, proven = total, carried
    if proven != EXACT:
        best = max(best, floor)
        proven = depth + 1 if best < enough else 0
    if work[0] > 0:
        known[key] = best, proven
    return best, proven


@kernel
def _after(columns: Columns, rows: Int64, p: Float64, e: int, v: int) -> tuple[Int64, Float64]:
    left, share = np.empty_like(rows), np.empty_like(p)
    size = 0
    for i in range(rows.shape[0]):
        chance = probability(columns, rows[i], e, v)
        if chance > 0.0:
            left[size], share[size] = rows[i], p[i] * chance
            size += 1
    return left[:size], share[:size] / share[:size].sum()


@kernel
def _key(columns: Columns, rows: Int64, p: Float64, spent: Bool) -> np.uint64:
    # Candidates, posterior, and the tests that could still tell them apart but are spent.
    key = np.uint64(1)
    for i in range(rows.shape[0]):
        key += _mixed((np.uint64(rows[i]) << np.uint64(44)) ^ np.uint64(p[i] * 2.0**43 + 0.5))
    for e in range(spent.shape[0]):
        if spent[e]:
            for x in rows:
                if columns.cells[x, e] != columns.cells[rows[0], e]:
                    key += _mixed(~np.uint64(e))
                    break
    return key


@kernel
def _mixed(number: np.uint64) -> np.uint64:
    # The finaliser of splitmix64.
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@kernel
def _look(columns: Columns, near: Near, rows: Int64, p: Float64, spent: Bool, dense: Float64) -> Outlook:
    n, most = spent.shape[0], columns.partial_probability.shape[1]
    can = np.zeros((n, most), np.int64)
    mass, logs, close = np.zeros((n, most)), np.zeros((n, most)), np.zeros((n, most))
    given = np.zeros(n)
    need, close_mass = 0.0, 0.0
    for i in range(rows.shape[0]):
        dense[rows[i]] = p[i]
    for i in range(rows.shape[0]):
        x = rows[i]
        own = np.log2(p[i]) if p[i] > 0.0 else 0.0
        alone = near.start[x + 1] == near.start[x] + 1
        if alone:
            need -= p[i] * own
        else:
            if i == 0 or near.same[x] != near.same[rows[i - 1]]:
                close[:] = 0.0
                close_mass = 0.0
                for y in near.rows[near.start[x] : near.start[x + 1]]:
                    if dense[y] > 0.0:
                        close_mass += dense[y]
                        for e in range(n):
                            code = columns.cells[y, e]
                            if code >= 0:
                                close[e, code] += dense[y]
                            else:
                                for v in range(columns.outcomes[e]):
                                    close[e, v] += dense[y] * probability(columns, y, e, v)
            if p[i] > 0.0:
                need -= p[i] * np.log2(close_mass)
        for e in range(n):
            code = columns.cells[x, e]
            if code >= 0:
                can[e, code] += 1
                mass[e, code] += p[i]
                if alone:
                    logs[e, code] += p[i] * own
                elif p[i] > 0.0:
                    logs[e, code] += p[i] * np.log2(close[e, code])
            else:
                for v in range(columns.outcomes[e]):
                    chance = probability(columns, x, e, v)
                    if chance > 0.0:
                        share, bits = p[i] * chance, np.log2(chance)
                        can[e, v] += 1
                        mass[e, v] += share
                        given[e] -= share * bits
                        if alone:
                            logs[e, v] += share * (own + bits)
                        elif share > 0.0:
                            logs[e, v] += share * np.log2(close[e, v])
    for x in rows:
        dense[x] = 0.0
    return _weigh(columns, near, rows, p, spent, can, mass, logs, given, need)


@kernel
def _weigh(
    columns: Columns,
    near: Near,
    rows: Int64,
    p: Float64,
    spent: Bool,
    can: Int64,
    mass: Float64,
    logs: Float64,
    given: Float64,
    need: float,
) -> Outlook:
    # can, mass: |C_v| and q_v; logs: sum over x of p_x P(v | x) log2 of the mass of N(x) giving v; given: h(e | X).
    n, most = mass.shape
    price, capacity, brings = np.full(n, np.inf), np.zeros(n), np.zeros(n)
    cheapest, widest = np.inf, 2
    for e in range(n):
        kinds, tells = 0, False
        for v in range(most):
            if can[e, v] > 0:
                kinds += 1
                tells |= can[e, v] < rows.shape[0]
                if mass[e, v] > 0.0:
                    brings[e] -= mass[e, v] * np.log2(mass[e, v])
        if tells and not spent[e]:
            capacity[e] = np.log2(kinds)
            brings[e] = min(max(brings[e] - given[e], 0.0), capacity[e])
            price[e] = columns.cost[e] / capacity[e]
            cheapest = min(cheapest, columns.cost[e])
            widest = max(widest, kinds)
    by_test, after = np.full(n, np.inf), np.zeros((n, most))
    if cheapest == np.inf:
        return Outlook(0.0, by_test, after, mass)
    order = np.argsort(price)
    least = max(cheapest, _bought(need, order, price, brings))
    if near.parted:
        least = max(least, cheapest * _code_length(_class_masses(near, rows, p), widest))
    for e in range(n):
        if capacity[e] > 0.0:
            by_test[e] = columns.cost[e]
            for v in range(most):
                q = mass[e, v]
                if q > 0.0:
                    bits = np.log2(q) - logs[e, v] / q
                    if bits > NEARLY_NOTHING:
                        after[e, v] = q * max(cheapest, _bought(bits, order, price, capacity))
                        by_test[e] += after[e, v]
    return Outlook(least, by_test, after, mass)


@kernel
def _bought(bits: float, order: Int64, price: Float64, offered: Float64) -> float:
    """The least cost of so many bits when each test offers no more than its own."""
    cost = 0.0
    for e in order:
        if bits <= NEARLY_NOTHING or price[e] == np.inf:
            break
        cost += price[e] * min(bits, offered[e])
        bits -= offered[e]
    return cost


@kernel
def _class_masses(near: Near, rows: Int64, p: Float64) -> Float64:
    masses = np.zeros(rows.shape[0])
    classes = -1
    for i in range(rows.shape[0]):
        if i == 0 or near.same[rows[i]] != near.same[rows[i - 1]]:
            classes += 1
        masses[classes] += p[i]
    return np.sort(masses[: classes + 1])


@kernel
def _code_length(masses: Float64, most: int) -> float:
    """Mean length of Huffman's code over `most` letters, for masses in ascending order."""
    merged = np.zeros(masses.shape[0])
    made, leaf, inner = 0, 0, 0
    left = masses.shape[0]
    length = 0.0
    letters = 2 + (left - 2) % (most - 1)
    while left > 1:
        for _ in range(letters):
            if inner == made or (leaf < masses.shape[0] and masses[leaf] <= merged[inner]):
                merged[made] += masses[leaf]
                leaf += 1
            else:
                merged[made] += merged[inner]
                inner += 1
        length += merged[made]
        made += 1
        left -= letters - 1
        letters = most
    return length
