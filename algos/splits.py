"""How good a split of one node is: the scores B, E and D, and the best split by one feature.

With P and phi of the node, P_v, phi_v and Q_v of a branch (sums, and pairs of objects of different classes):

    B = P - P_v of the branch with most objects, the first of equals
    E = P - sum over branches with P_v > theta of (phi_v / phi) (P_v - (P - P_v) Q_v)
    D = P h(S) - sum over branches of P_v h(S_v), not below 0
    Z = (B + E + trade_off D) / cost

where q_i = p_i / (P - m_i) and m_i = max(p_i, theta), so that Q_v is the sum of q_i in the branch. The heavy object of
a node, one of more than half its weight, is kept out of the sums of p and q: it would take digits from the others.

Source: Zhang and Gionis, "Regularized impurity reduction", DMKD 2022, equations 3 to 6; the closed form of E is derived
from their f in `docs/trees.md`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.impurity import ENTROPY, GINI, NEAR, Criterion, impurity_of, impurity_of_counts, less
from algos.jit import kernel
from algos.partitions import part
from algos.table import Bool, Float64, Int64

NUMBER, NOMINAL, ONE_REST, EACH = range(4)
KINDS = ("number", "nominal", "one-rest", "each")
"""How a feature splits: by a threshold; its values in two sets; one value against the rest; a branch for each value."""
LEFT, RIGHT, HEAVIER, NOWHERE = 0, 1, -1, -2
"""Where missing values go: HEAVIER where none was seen; NOWHERE: there is no such split."""


class Rules(NamedTuple):
    """What holds for a whole tree."""

    criterion: Criterion = Criterion()
    theta: float = 0.0
    """In the unit of the weights."""
    trade_off: float = 1.0
    """Lambda, the weight of D."""
    method: int = 0
    """Of `partitions.METHODS`, for nominal features."""
    fallback: int = 0
    """The method where a node has more than `method_classes` classes or `method_rows` values."""
    method_classes: int = 0
    method_rows: int = 0
    least: float = 0.0
    """Least weight of a branch."""
    depth: int = 1 << 60
    """Most tests on a path."""
    progress: bool = True
    """Whether B and E count; without them Z is plain impurity reduction by cost."""


class Node(NamedTuple):
    """The figures of a node that each of its splits is scored with."""

    size: int
    """Objects."""
    prob: float
    rest: float
    """`prob` without the heavy object."""
    q: float
    """The sum of q without the heavy object."""
    heavy: int
    """The object of more than half the weight; -1 where there is none."""
    heavy_prob: float
    heavy_q: float
    pairs: float
    impurity: float
    each_prob: float
    """The weight of every object, where all have the same and a single class; else 0."""
    each_q: float


class Groups(NamedTuple):
    """The objects of a node by their code of one feature; row s holds those of code[s]. k classes."""

    counts: Int64
    """(rows, k) objects of each class."""
    weight: Float64
    """(rows, k) weight of each class."""
    size: Int64
    """(rows,) objects."""
    prob: Float64
    """(rows,) weight without the heavy object."""
    q: Float64
    """(rows,) sum of q without the heavy object."""
    code: Int64
    order: Int64
    """Rows by ascending code."""
    row_of: Int64
    """The row of each code, -1 where it has none."""


class Room(NamedTuple):
    """What the scores are worked out in; k classes."""

    counts: Int64
    """(k,) of the node."""
    weight: Float64
    left_count: Int64
    """(k,) of the left side, without missing values."""
    left_weight: Float64
    one_count: Int64
    """(k,) of the left side with them, or without."""
    one_weight: Float64
    other_count: Int64
    """(k,) of the right side."""
    other_weight: Float64
    logs: Float64
    """(n + 1,) of `impurity.log_terms` where objects are alike and the criterion is entropy."""
    chosen: Bool
    """Codes that go left in the best split so far, where that is nominal."""
    scores: Float64
    """(4,) Z, B, E, D of the best split so far."""
    split: Int64
    """(5,) its feature, kind, the code a threshold lies above, the code it lies below, where missing values go."""


class Places(NamedTuple):
    """Which groups of an order are moved to the left."""

    start: int
    end: int
    judged: int
    """From this one on the split is scored."""
    alone: bool
    """Each goes left without the others."""


FEATURE, KIND, LOWER, UPPER, TO = range(5)


@kernel
def different(size: int, squares: int) -> float:
    """Pairs of objects of different classes, from how many there are and the sum of the squared counts of classes."""
    return (size * size - squares) / 2


@kernel
def pairs_of(count: Int64) -> float:
    """The same from (k,) counts."""
    size, squares = 0, 0
    for of_class in count:
        size += of_class
        squares += of_class * of_class
    return different(size, squares)


@kernel
def lost(prob: float, others: float, q: float, pairs: float, node: Node, theta: float) -> float:
    """What E loses by a branch of this weight, with so many pairs; `others` is the weight of the other branches."""
    if prob <= theta * (1.0 + NEAR):
        return 0.0
    return pairs / node.pairs * (prob - others * q)


@kernel
def merit(rules: Rules, b: float, e: float, d: float) -> float:
    """Z before it is divided by the cost."""
    return (b + e if rules.progress else 0.0) + rules.trade_off * d


@kernel
def beats(z: float, best: float) -> bool:
    """Whether a score is better than the best so far; equals are not."""
    return z > best + NEAR * abs(best) and z > 0.0


@kernel
def scan(
    node: Node, rules: Rules, groups: Groups, room: Room, cost: float, heavy_code: int, missing: int, places: Places
) -> tuple[int, int]:
    """Move groups one after another to the left and score each split against the rest on the right.

    `missing`: the row of missing values, which are then tried on both sides; -1 to leave them out of it. Returned are,
    of the best of the splits that beat the best so far, the place of the group last moved and where missing values go.
    """
    count, weight, order, sizes, probs, qs = (
        groups.counts,
        groups.weight,
        groups.order,
        groups.size,
        groups.prob,
        groups.q,
    )
    code, scores = groups.code, room.scores
    left, left_weight, one, one_weight = room.left_count, room.left_weight, room.one_count, room.one_weight
    other, other_weight, whole, whole_weight = room.other_count, room.other_weight, room.counts, room.weight
    k, best_at, best_to, logs = whole.shape[0], -1, NOWHERE, room.logs
    counted = node.each_prob > 0.0 and rules.criterion.kind in (ENTROPY, GINI)
    least_gain = NEAR * (node.prob if counted else node.impurity)
    left_size, left_prob, left_q, left_heavy = 0, 0.0, 0.0, False
    for at in range(places.start, places.end):
        row = order[at]
        if places.alone or at == places.start:
            left[:], left_weight[:] = 0, 0.0
            left_size, left_prob, left_q, left_heavy = 0, 0.0, 0.0, False
        for c in range(k):
            left[c] += count[row, c]
        left_size += sizes[row]
        if node.each_prob == 0.0:
            for c in range(k):
                left_weight[c] += weight[row, c]
            left_prob += probs[row]
            left_q += qs[row]
            left_heavy = left_heavy or code[row] == heavy_code
        if at < places.judged:
            continue
        for to in range(LEFT, RIGHT + 1 if missing >= 0 else RIGHT):
            size, prob, q, heavy = left_size, left_prob, left_q, left_heavy
            with_missing = missing >= 0 and to == LEFT
            squares, other_squares = 0, 0
            for c in range(k):
                one[c] = left[c] + (count[missing, c] if with_missing else 0)
                other[c] = whole[c] - one[c]
                squares += one[c] * one[c]
                other_squares += other[c] * other[c]
            if with_missing:
                size += sizes[missing]
            if size == node.size:
                continue
            if node.each_prob > 0.0:
                prob, others = size * node.each_prob, (node.size - size) * node.each_prob
                q, other_q = size * node.each_q, (node.size - size) * node.each_q
            else:
                if with_missing:
                    prob += probs[missing]
                    q += qs[missing]
                    heavy = heavy or heavy_code == 0
                for c in range(k):
                    one_weight[c] = left_weight[c] + (weight[missing, c] if with_missing else 0.0)
                    other_weight[c] = less(whole_weight[c], one_weight[c])
                others, other_q = less(node.rest, prob), less(node.q, q)
                if heavy:
                    prob += node.heavy_prob
                    q += node.heavy_q
                else:
                    others += node.heavy_prob
                    other_q += node.heavy_q
            if min(prob, others) < rules.least * (1.0 - NEAR):
                continue
            b = others if 2 * size >= node.size else prob
            e = node.prob - lost(prob, others, q, different(size, squares), node, rules.theta)
            e -= lost(others, prob, other_q, different(node.size - size, other_squares), node, rules.theta)
            if counted:
                d = impurity_of_counts(rules.criterion, one, size, squares, logs)
                d += impurity_of_counts(rules.criterion, other, node.size - size, other_squares, logs)
                d = node.impurity - d * node.each_prob
            else:
                if node.each_prob > 0.0:
                    for c in range(k):
                        one_weight[c], other_weight[c] = one[c] * node.each_prob, other[c] * node.each_prob
                d = node.impurity - impurity_of(rules.criterion, one_weight, prob)
                d -= impurity_of(rules.criterion, other_weight, others)
            d = d if d > least_gain else 0.0
            z = merit(rules, b, e, d) / cost
            if beats(z, scores[0]):
                scores[0], scores[1], scores[2], scores[3] = z, b, e, d
                best_at, best_to = at, to if missing >= 0 else HEAVIER
    return best_at, best_to


@kernel
def best_of(
    node: Node, rules: Rules, groups: Groups, room: Room, found: int, feature: int, kind: int, cost: float, heavy: int
) -> None:
    """Offer the splits of one feature, whose `found` rows of groups stand in `groups.order`, missing values first.

    `heavy`: the code of the heavy object; -1 where there is none.
    """
    missing = groups.order[0] if groups.code[groups.order[0]] == 0 else -1
    first = 1 if missing >= 0 else 0
    if node.each_prob > 0.0 and kind in (NOMINAL, EACH):
        _weigh(node, groups, found)
    if kind == EACH and found - first > 1:
        _each(node, rules, groups, room, found, feature, cost, heavy)
        return
    if found - first > 1:
        if kind == NOMINAL:
            sets = _partition(rules, groups, found, first)
            places = Places(first, first + sets, first + sets - 1, False)
        else:
            alone = kind == ONE_REST and found - first > 2
            places = Places(first, found if alone else found - 1, first, alone)
        at, to = scan(node, rules, groups, room, cost, heavy, missing, places)
        if to != NOWHERE:
            _keep(room, feature, kind, to)
            _choose(groups, room, at if places.alone else first, at + 1, found, kind)
    if missing >= 0:
        at, to = scan(node, rules, groups, room, cost, heavy, -1, Places(1, found, found - 1, False))
        if to != NOWHERE:
            _keep(room, feature, kind, RIGHT)
            _choose(groups, room, 1, found, found, kind)


@kernel
def _weigh(node: Node, groups: Groups, found: int) -> None:
    """Where all objects weigh the same, weights follow from counts."""
    for row in range(found):
        groups.prob[row], groups.q[row] = groups.size[row] * node.each_prob, groups.size[row] * node.each_q
        for c in range(groups.counts.shape[1]):
            groups.weight[row, c] = groups.counts[row, c] * node.each_prob


@kernel
def _keep(room: Room, feature: int, kind: int, to: int) -> None:
    room.split[FEATURE], room.split[KIND], room.split[TO] = feature, kind, to


@kernel
def _choose(groups: Groups, room: Room, start: int, end: int, found: int, kind: int) -> None:
    """Keep which codes go left: of a number those up to the last in the order, else the ones from start to end."""
    room.split[LOWER] = groups.code[groups.order[end - 1]]
    room.split[UPPER] = groups.code[groups.order[end]] if end < found else -1
    if kind != NUMBER:
        room.chosen[:] = False
        for at in range(start, end):
            room.chosen[groups.code[groups.order[at]]] = True


@kernel
def _partition(rules: Rules, groups: Groups, found: int, first: int) -> int:
    """Bring the values of the left set of a partition of least impurity to the front of the order; how many they are.

    None where no partition lowers the impurity.
    """
    table, owner = _reduced(groups, found, first)
    if table.shape[0] < 2 or table.shape[1] < 2:
        return 0
    small = table.shape[0] <= rules.method_rows and table.shape[1] <= rules.method_classes
    left, parted = part(table, rules.method if small else rules.fallback, rules.criterion)
    whole, weight = np.zeros(table.shape[1]), 0.0
    for x in range(table.shape[0]):
        for c in range(table.shape[1]):
            whole[c] += table[x, c]
            weight += table[x, c]
    before = impurity_of(rules.criterion, whole, weight)
    if before - parted <= NEAR * before:
        return 0
    order, number = groups.order[first:found].copy(), 0
    for side in (True, False):
        for at in range(order.shape[0]):
            if left[owner[at]] == side:
                groups.order[first + number] = order[at]
                number += 1
        if side:
            chosen = number
    return chosen


@kernel
def _reduced(groups: Groups, found: int, first: int) -> tuple[Float64, Int64]:
    """Values by classes without absent classes, proportional rows merged; and the row of each value in that table."""
    k, n = groups.weight.shape[1], found - first
    present = np.zeros(k, np.int64)
    for at in range(first, found):
        for c in range(k):
            present[c] += groups.weight[groups.order[at], c] > 0.0
    kept = np.flatnonzero(present)
    table, mix = np.zeros((n, kept.size)), np.zeros((n, kept.size))
    owner, rows = np.zeros(n, np.int64), 0
    for at in range(n):
        row, total = groups.weight[groups.order[first + at]], 0.0
        for j in range(kept.size):
            total += row[kept[j]]
        for j in range(kept.size):
            mix[rows, j] = row[kept[j]] / total
        owner[at] = rows
        for known in range(rows):
            same = True
            for j in range(kept.size):
                if mix[known, j] != mix[rows, j]:
                    same = False
                    break
            if same:
                owner[at] = known
                break
        for j in range(kept.size):
            table[owner[at], j] += row[kept[j]]
        rows += owner[at] == rows
    return table[:rows], owner


@kernel
def _each(
    node: Node, rules: Rules, groups: Groups, room: Room, found: int, feature: int, cost: float, heavy: int
) -> None:
    """A branch for each value; missing values are the last."""
    first = 1 if groups.code[groups.order[0]] == 0 else 0
    most, b, e, d = 0, 0.0, node.prob, node.impurity
    for step in range(found):
        row = groups.order[(first + step) % found]
        prob, others, q = groups.prob[row], less(node.rest, groups.prob[row]), groups.q[row]
        if groups.code[row] == heavy:
            prob += node.heavy_prob
            q += node.heavy_q
        else:
            others += node.heavy_prob
        if prob < rules.least * (1.0 - NEAR):
            return
        if groups.size[row] > most:
            most, b = groups.size[row], others
        e -= lost(prob, others, q, pairs_of(groups.counts[row]), node, rules.theta)
        d -= impurity_of(rules.criterion, groups.weight[row], prob)
    d = d if d > NEAR * node.impurity else 0.0
    z = merit(rules, b, e, d) / cost
    if beats(z, room.scores[0]):
        room.scores[0], room.scores[1], room.scores[2], room.scores[3] = z, b, e, d
        _keep(room, feature, EACH, RIGHT if first else HEAVIER)
