"""How good a split of one node is: the scores B, E and D, and the best split by one feature.

A set of objects is two rows of numbers: `ints` (k + 2,) holds how many objects each class has, how many there are, and
whether the heavy one is among them; `floats` (k + 2,) holds each class's weight, the weight of all and the sum of q,
the last two without the heavy object. The heavy object weighs more than half its node; kept apart, it takes no digits
from the others.

With P and phi of the node, P_v, phi_v and Q_v of a branch (sums, and pairs of objects of different classes):

    B = P - P_v of the branch with most objects, the first of equals
    E = P - sum over branches with P_v > theta of (phi_v / phi) (P_v - (P - P_v) Q_v)
    D = P h(S) - sum over branches of P_v h(S_v), not below 0
    Z = (B + E + trade_off D) / cost

where q_i = p_i / (P - m_i) and m_i = max(p_i, theta), so that Q_v is the sum of q_i in the branch.

Source: Zhang and Gionis, "Regularized impurity reduction", DMKD 2022, equations 3 to 6; the closed form of E is derived
from their f in `docs/trees.md`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.impurity import NEAR, Criterion, impurity_of, less
from algos.jit import kernel
from algos.partitions import part
from algos.table import Bool, Float64, Int64

NUMBER, NOMINAL, ONE_REST, EACH = range(4)
KINDS = ("number", "nominal", "one-rest", "each")
"""How a feature splits: by a threshold; its values in two sets; one value against the rest; a branch for each value."""


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
    repeat_share: float = 0.1
    """Of its cost, what a feature counts when it was asked before on the path."""
    progress: bool = True
    """Whether B and E count; without them Z is plain impurity reduction by cost."""


class Node(NamedTuple):
    """The figures of a node that each of its splits is scored with."""

    ints: Int64
    floats: Float64
    prob: float
    rest: float
    """`prob` without the heavy object."""
    heavy: int
    """The object of more than half the weight; -1 where there is none."""
    heavy_prob: float
    heavy_q: float
    pairs: float
    impurity: float


class Groups(NamedTuple):
    """Room for the sets of objects that share a code; row s belongs to code[s]."""

    ints: Int64
    floats: Float64
    code: Int64
    order: Int64
    """Rows by ascending code."""
    row_of: Int64
    """The row of each code, -1 where it has none."""
    side: Int64
    """(3, k + 2) room for the left side without missing values, then for both sides."""
    side_floats: Float64
    chosen: Bool
    """Codes that go left in the best nominal split."""


class Best(NamedTuple):
    """The best split so far, written in place."""

    scores: Float64
    """(4,) Z, B, E, D."""
    split: Int64
    """(5,) feature, kind, the code a threshold lies above, the code it lies below, where missing values go."""


FEATURE, KIND, LOWER, UPPER, TO = range(5)
LEFT, RIGHT, HEAVIER = 0, 1, -1
"""Where missing values go; HEAVIER where none was seen."""


@kernel
def pairs_of(ints: Int64) -> float:
    """Pairs of objects of different classes."""
    k = ints.shape[0] - 2
    same = 0
    for c in range(k):
        same += ints[c] * ints[c]
    return (ints[k] * ints[k] - same) / 2


@kernel
def branch(node: Node, rules: Rules, ints: Int64, floats: Float64) -> tuple[float, float, float]:
    """P_v, P - P_v, and what E loses by this branch."""
    k = ints.shape[0] - 2
    prob, others, q = floats[k], less(node.rest, floats[k]), floats[k + 1]
    if ints[k + 1] > 0:
        prob += node.heavy_prob
        q += node.heavy_q
    else:
        others += node.heavy_prob
    if prob <= rules.theta * (1.0 + NEAR):
        return prob, others, 0.0
    return prob, others, pairs_of(ints) / node.pairs * (prob - others * q)


@kernel
def offer(best: Best, z: float, b: float, e: float, d: float) -> bool:
    """Whether a split is better than the best so far; its scores are kept then."""
    if z <= best.scores[0] + NEAR * abs(best.scores[0]) or z <= 0.0:
        return False
    best.scores[0], best.scores[1], best.scores[2], best.scores[3] = z, b, e, d
    return True


@kernel
def two_way(node: Node, rules: Rules, best: Best, cost: float, ints: Int64, floats: Float64) -> bool:
    """Whether the split in two sides, rows 0 and 1, is the best so far; its scores are kept then."""
    k = ints.shape[1] - 2
    if ints[0, k] == 0 or ints[1, k] == 0:
        return False
    prob, others, lost = branch(node, rules, ints[0], floats[0])
    _, _, lost_right = branch(node, rules, ints[1], floats[1])
    if min(prob, others) < rules.least * (1.0 - NEAR):
        return False
    b, e, d = 0.0, 0.0, 0.0
    if rules.progress:
        b, e = (others if ints[0, k] >= ints[1, k] else prob), node.prob - lost - lost_right
    if rules.trade_off > 0.0:
        left = impurity_of(rules.criterion, floats[0, :k], prob)
        d = max(node.impurity - left - impurity_of(rules.criterion, floats[1, :k], others), 0.0)
    return offer(best, (b + e + rules.trade_off * d) / cost, b, e, d)


@kernel
def sides(node: Node, groups: Groups, missing: int, to: int) -> None:
    """From row 0 of `side`, the left without missing values, fill both sides; `missing`: its row of groups or -1."""
    k = groups.side.shape[1] - 2
    for c in range(k + 2):
        right, right_floats = node.ints[c] - groups.side[0, c], less(node.floats[c], groups.side_floats[0, c])
        if missing >= 0 and to == LEFT:
            groups.side[1, c] = groups.side[0, c] + groups.ints[missing, c]
            groups.side_floats[1, c] = groups.side_floats[0, c] + groups.floats[missing, c]
            right -= groups.ints[missing, c]
            right_floats = less(right_floats, groups.floats[missing, c])
        else:
            groups.side[1, c], groups.side_floats[1, c] = groups.side[0, c], groups.side_floats[0, c]
        groups.side[2, c], groups.side_floats[2, c] = right, right_floats


@kernel
def consider(node: Node, rules: Rules, groups: Groups, best: Best, cost: float, missing: int) -> bool:
    """Score the split whose left side is row 0 of `side`, with missing values on either side."""
    found = False
    for to in range(LEFT, RIGHT + 1):
        if missing < 0 and to == RIGHT:
            break
        sides(node, groups, missing, to)
        if two_way(node, rules, best, cost, groups.side[1:], groups.side_floats[1:]):
            best.split[TO] = to if missing >= 0 else HEAVIER
            found = True
    return found


@kernel
def clear(groups: Groups) -> None:
    """Empty the left side."""
    for c in range(groups.side.shape[1]):
        groups.side[0, c], groups.side_floats[0, c] = 0, 0.0


@kernel
def move(groups: Groups, row: int) -> None:
    """Add a row of groups to the left side."""
    for c in range(groups.side.shape[1]):
        groups.side[0, c] += groups.ints[row, c]
        groups.side_floats[0, c] += groups.floats[row, c]


@kernel
def best_of(
    node: Node, rules: Rules, groups: Groups, found: int, feature: int, kind: int, best: Best, cost: float
) -> None:
    """Offer the splits of one feature, whose `found` rows of groups stand in `groups.order`, missing values first."""
    missing = groups.order[0] if groups.code[groups.order[0]] == 0 else -1
    first = 1 if missing >= 0 else 0
    better = False
    if kind == EACH and found - first > 1:
        better = _each(node, rules, groups, found, best, cost)
    elif kind == NOMINAL and found - first > 1:
        better = _partition(node, rules, groups, found, first, best, cost, missing)
    elif kind == ONE_REST and found - first > 2:
        for at in range(first, found):
            clear(groups)
            move(groups, groups.order[at])
            if consider(node, rules, groups, best, cost, missing):
                groups.chosen[:] = False
                groups.chosen[groups.code[groups.order[at]]] = True
                better = True
    else:
        clear(groups)
        for at in range(first, found - 1):
            move(groups, groups.order[at])
            if consider(node, rules, groups, best, cost, missing):
                best.split[LOWER], best.split[UPPER] = groups.code[groups.order[at]], groups.code[groups.order[at + 1]]
                if kind != NUMBER:
                    groups.chosen[:] = False
                    groups.chosen[best.split[LOWER]] = True
                better = True
    if better:
        best.split[FEATURE], best.split[KIND] = feature, kind
    if missing >= 0 and kind != EACH and _known(node, rules, groups, found, best, cost):
        best.split[FEATURE], best.split[KIND], best.split[TO] = feature, kind, RIGHT
        best.split[LOWER], best.split[UPPER] = groups.code[groups.order[found - 1]], -1
        if kind != NUMBER:
            groups.chosen[:] = False
            for at in range(first, found):
                groups.chosen[groups.code[groups.order[at]]] = True


@kernel
def _known(node: Node, rules: Rules, groups: Groups, found: int, best: Best, cost: float) -> bool:
    """Known values left, missing ones right."""
    clear(groups)
    for at in range(1, found):
        move(groups, groups.order[at])
    sides(node, groups, -1, LEFT)
    return two_way(node, rules, best, cost, groups.side[1:], groups.side_floats[1:])


@kernel
def _partition(
    node: Node, rules: Rules, groups: Groups, found: int, first: int, best: Best, cost: float, missing: int
) -> bool:
    """Values in two sets of least impurity."""
    table, owner = _reduced(groups, found, first)
    if table.shape[0] < 2 or table.shape[1] < 2:
        return False
    small = table.shape[0] <= rules.method_rows and table.shape[1] <= rules.method_classes
    left, parted = part(table, rules.method if small else rules.fallback, rules.criterion)
    whole, weight = np.zeros(table.shape[1]), 0.0
    for x in range(table.shape[0]):
        for c in range(table.shape[1]):
            whole[c] += table[x, c]
            weight += table[x, c]
    before = impurity_of(rules.criterion, whole, weight)
    if before - parted <= NEAR * before:
        return False
    clear(groups)
    for at in range(first, found):
        if left[owner[at]]:
            move(groups, groups.order[at])
    if not consider(node, rules, groups, best, cost, missing):
        return False
    groups.chosen[:] = False
    for at in range(first, found):
        groups.chosen[groups.code[groups.order[at]]] = left[owner[at]]
    return True


@kernel
def _reduced(groups: Groups, found: int, first: int) -> tuple[Float64, Int64]:
    """Values by classes without absent classes, proportional rows merged; and the row of each value in that table."""
    k = groups.ints.shape[1] - 2
    present = np.zeros(k, np.int64)
    for at in range(first, found):
        for c in range(k):
            present[c] += groups.floats[groups.order[at], c] > 0.0
    kept = np.flatnonzero(present)
    table, mix = np.zeros((found, kept.size)), np.zeros((found, kept.size))
    owner, rows = np.zeros(found, np.int64), 0
    for at in range(first, found):
        row, total = groups.floats[groups.order[at]], 0.0
        for c in kept:
            total += row[c]
        for j in range(kept.size):
            mix[rows, j] = row[kept[j]] / total
        owner[at] = rows
        for other in range(rows):
            same = True
            for j in range(kept.size):
                if mix[other, j] != mix[rows, j]:
                    same = False
                    break
            if same:
                owner[at] = other
                break
        for j in range(kept.size):
            table[owner[at], j] += row[kept[j]]
        rows += owner[at] == rows
    return table[:rows], owner


@kernel
def _each(node: Node, rules: Rules, groups: Groups, found: int, best: Best, cost: float) -> bool:
    """A branch for each value, missing values being one more."""
    k = groups.ints.shape[1] - 2
    first = 1 if groups.code[groups.order[0]] == 0 else 0  # missing values are the last branch
    most, lost, inside, b = 0, 0.0, 0.0, 0.0
    for step in range(found):
        row = groups.order[(first + step) % found]
        prob, others, loss = branch(node, rules, groups.ints[row], groups.floats[row])
        if prob < rules.least * (1.0 - NEAR):
            return False
        if groups.ints[row, k] > most:
            most, b = groups.ints[row, k], others
        lost += loss
        inside += impurity_of(rules.criterion, groups.floats[row, :k], prob)
    d = max(node.impurity - inside, 0.0) if rules.trade_off > 0.0 else 0.0
    e = node.prob - lost if rules.progress else 0.0
    b = b if rules.progress else 0.0
    if not offer(best, (b + e + rules.trade_off * d) / cost, b, e, d):
        return False
    best.split[TO] = RIGHT if first else HEAVIER
    return True
