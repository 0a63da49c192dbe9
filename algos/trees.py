"""Complexity-aware decision trees: at each node the split of greatest Z (`algos.splits`).

A node is a leaf when its objects share a class, when its weight is not above theta, at the greatest depth, and where no
split is allowed. Costs belong to features and are paid once on a path; features of one pool share a further cost, paid
with the first of them. Z is divided by the feature's cost, with that of its pool where nothing of it was paid; a
feature that was asked before is not taken for cheaper (`docs/decisions/0005-repeated-features.md`).

Nodes come in preorder, so that a parent stands before its children.

Source: Zhang and Gionis, "Regularized impurity reduction", DMKD 2022, algorithm 1; pools of cost are ours.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algos.impurity import ENTROPY, NEAR, impurity_of, log_terms
from algos.jit import kernel
from algos.objects import MISSING, Codes, Objects
from algos.splits import (
    EACH,
    FEATURE,
    HEAVIER,
    KIND,
    LEFT,
    LOWER,
    NUMBER,
    RIGHT,
    TO,
    Groups,
    Node,
    Room,
    Rules,
    best_of,
    pairs_of,
)
from algos.table import Float64, Int64

SORTED = 256
"""A number with more codes is kept sorted from node to node; one with fewer is counted code by code."""


FEW = 64
"""Codes up to which they are sorted by insertion."""


class Features(NamedTuple):
    """What splits and what it costs; m features."""

    kinds: Int64
    """(m,) of `splits.KINDS`."""
    sizes: Int64
    """(m,) the number of codes, with that of missing values."""
    costs: Float64
    """(m,) above 0."""
    pools: Int64
    """(m,) the pool of cost a feature shares; -1 for none."""
    pool_costs: Float64
    """(pools,) above or equal 0."""


PARENT, DEPTH, FIRST_CHILD, CHILDREN, SIZE, SPLIT = range(6)
"""Columns of `Tree.shape`; from SPLIT on the five of `Room.split`, then where the split's codes begin and how many."""
CHOSEN, CODES = SPLIT + 5, SPLIT + 6
P, B, E, D, Z = range(5)
"""Columns of `Tree.figures`; the classes' weights follow."""


class Tree(NamedTuple):
    """A tree of N nodes in preorder."""

    shape: Int64
    """(N, 13) see the names of columns; the feature of a leaf is -1."""
    figures: Float64
    """(N, 5 + k) weight, B, E, D, Z, and the weight of each class."""
    children: Int64
    """(N - 1,) numbers of nodes; a node's own stand together from FIRST_CHILD on."""
    codes: Int64
    """Of nominal splits, one run for each node: the codes that occur in it, ascending."""
    ways: Int64
    """The branch of each, by its place among the node's children."""


def grow(objects: Objects, features: Features, rules: Rules, classes: int) -> Tree:
    """The greedy tree. Nothing is checked; every cost is above 0 and there is an object."""
    big = np.flatnonzero((features.kinds == NUMBER) & (features.sizes > SORTED))
    rank = np.full(features.kinds.size, -1, np.int64)
    rank[big] = np.arange(big.size)
    sorted_of = np.empty((big.size, objects.prob.size), np.int32)
    for place, feature in enumerate(big):
        sorted_of[place] = _in_order(objects.codes[feature], features.sizes[feature])
    small = np.flatnonzero((rank < 0) & (features.sizes <= SORTED)) if objects.alike else big[:0]
    lane = np.full(features.kinds.size, -1, np.int64)
    lane[small] = np.arange(small.size)
    rows = np.ascontiguousarray(objects.codes[small].T)
    return Tree(*_grow(objects, features, rules, classes, rank, sorted_of, lane, rows))


@kernel
def _in_order(codes: Codes, size: int) -> Int64:
    """Objects by ascending code, equals by number."""
    start = np.zeros(size + 1, np.int64)
    for code in codes:
        start[np.int64(code) + 1] += 1
    for code in range(size):
        start[code + 1] += start[code]
    order = np.empty(codes.shape[0], np.int64)
    for i in range(codes.shape[0]):
        order[start[np.int64(codes[i])]] = i
        start[np.int64(codes[i])] += 1
    return order


@kernel
def _wider(array: Any) -> Any:
    """The same with twice the rows."""
    wider = np.zeros((2 * array.shape[0], array.shape[1]), array.dtype)
    wider[: array.shape[0]] = array
    return wider


@kernel
def _longer(array: Int64) -> Int64:
    longer = np.zeros(2 * array.shape[0], array.dtype)
    longer[: array.shape[0]] = array
    return longer


@kernel
def groups_of(rows: int, codes: int, classes: int) -> Groups:
    """Empty groups for so many codes in a node and in the whole table."""
    return Groups(
        np.zeros((rows, classes), np.int64),
        np.zeros((rows, classes)),
        np.zeros(rows, np.int64),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.full(codes, -1, np.int64),
    )


@kernel
def room_of(codes: int, k: int, logs: Float64) -> Room:
    """Room for the scores."""
    return Room(
        np.zeros(k, np.int64),
        np.zeros(k),
        np.zeros(k, np.int64),
        np.zeros(k),
        np.zeros(k, np.int64),
        np.zeros(k),
        np.zeros(k, np.int64),
        np.zeros(k),
        logs,
        np.zeros(codes, np.bool_),
        np.zeros(4),
        np.zeros(5, np.int64),
    )


@kernel
def node_of(objects: Objects, members: Int64, rules: Rules, q: Float64, room: Room) -> Node:
    """The figures of a node; fills q (n,) for its members, and the classes of the whole in `room`."""
    count, weight = room.counts, room.weight
    count[:], weight[:] = 0, 0.0
    prob, heavy = 0.0, -1
    for i in members:
        prob += objects.prob[i]
        count[objects.label[i]] += 1
        for entry in range(objects.start[i], objects.start[i + 1]):
            weight[objects.classes[entry]] += objects.weight[entry]
    for i in members:
        if objects.prob[i] > prob / 2.0:
            heavy = i
    rest, all_q = 0.0, 0.0
    for i in members:
        if i != heavy:
            rest += objects.prob[i]
            q[i] = objects.prob[i] / (prob - max(objects.prob[i], rules.theta))
            all_q += q[i]
    heavy_prob, heavy_q = 0.0, 0.0
    if heavy >= 0:
        heavy_prob = objects.prob[heavy]
        heavy_q = heavy_prob / rest if heavy_prob >= rules.theta else heavy_prob / (prob - rules.theta)
    size = members.shape[0]
    whole = impurity_of(rules.criterion, weight, prob)
    each_prob, each_q = 0.0, 0.0
    if objects.alike:
        each_prob = objects.prob[members[0]]
        each_q = q[members[0]]
    pairs = pairs_of(count)
    return Node(size, prob, rest, all_q, heavy, heavy_prob, heavy_q, pairs, whole, each_prob, each_q)


@kernel
def group_by_code(objects: Objects, feature: int, members: Int64, heavy: int, q: Float64, groups: Groups) -> int:
    """Fill `groups` with the node's objects by the code of a feature; how many there are."""
    codes, row_of, code_of, order = objects.codes[feature], groups.row_of, groups.code, groups.order
    count, weight, sizes, probs, qs = groups.counts, groups.weight, groups.size, groups.prob, groups.q
    label, prob, start, classes, entries = objects.label, objects.prob, objects.start, objects.classes, objects.weight
    found, alike, k = 0, objects.alike, count.shape[1]
    for i in members:
        code = np.int64(codes[i])
        row = row_of[code]
        if row < 0:
            row, row_of[code], code_of[found] = found, found, code
            sizes[row] = 0
            for c in range(k):
                count[row, c] = 0
            if not alike:
                probs[row], qs[row] = 0.0, 0.0
                for c in range(k):
                    weight[row, c] = 0.0
            found += 1
        count[row, label[i]] += 1
        sizes[row] += 1
        if alike:
            continue
        if i != heavy:
            probs[row] += prob[i]
            qs[row] += q[i]
        for entry in range(start[i], start[i + 1]):
            weight[row, classes[entry]] += entries[entry]
    for row in range(found):
        row_of[code_of[row]] = -1
    if found > FEW:
        order[:found] = np.argsort(code_of[:found])
        return found
    for row in range(found):
        at = row
        while at > 0 and code_of[order[at - 1]] > code_of[row]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = row
    return found


@kernel
def group_in_order(
    objects: Objects, feature: int, members: NDArray[np.int32], heavy: int, q: Float64, groups: Groups
) -> int:
    """The same from the node's objects in the feature's order."""
    codes, code_of, order = objects.codes[feature], groups.code, groups.order
    count, weight, sizes, probs, qs = groups.counts, groups.weight, groups.size, groups.prob, groups.q
    label, prob, start, classes, entries = objects.label, objects.prob, objects.start, objects.classes, objects.weight
    row, alike, k = -1, objects.alike, count.shape[1]
    for i in members:
        code = np.int64(codes[i])
        if row < 0 or code_of[row] != code:
            row += 1
            code_of[row], order[row] = code, row
            sizes[row] = 0
            for c in range(k):
                count[row, c] = 0
            if not alike:
                probs[row], qs[row] = 0.0, 0.0
                for c in range(k):
                    weight[row, c] = 0.0
        count[row, label[i]] += 1
        sizes[row] += 1
        if alike:
            continue
        if i != heavy:
            probs[row] += prob[i]
            qs[row] += q[i]
        for entry in range(start[i], start[i + 1]):
            weight[row, classes[entry]] += entries[entry]
    return row + 1


@kernel
def _count(rows: Codes, members: Int64, label: Int64, classes: int, stride: int, counts: NDArray[np.int32]) -> None:
    """Count objects by code and class, all features in one pass; each feature has `stride` counters."""
    counts[:] = 0
    for i in members:
        at = label[i]
        for column in range(rows.shape[1]):
            counts[at + np.int64(rows[i, column]) * classes] += 1
            at += stride


@kernel
def _groups_of_counts(counts: NDArray[np.int32], start: int, size: int, groups: Groups) -> int:
    """Fill `groups` from the counters of one feature with `size` codes; how many there are. Objects are alike."""
    count, sizes, code_of, order, k = groups.counts, groups.size, groups.code, groups.order, groups.counts.shape[1]
    found, at = 0, start
    for code in range(size):
        total = 0
        for c in range(k):
            count[found, c] = counts[at]
            total += counts[at]
            at += 1
        if total > 0:
            sizes[found], code_of[found], order[found] = total, code, found
            found += 1
    return found


@kernel
def _grow(
    objects: Objects,
    features: Features,
    rules: Rules,
    classes: int,
    rank: Int64,
    sorted_of: NDArray[np.int32],
    lane: Int64,
    rows: Codes,
) -> tuple[Int64, Float64, Int64, Int64, Int64]:
    # rank: the row of a feature in `sorted_of`; lane: its column in `rows`; -1 for none.
    m, n = objects.codes.shape
    most = n if sorted_of.shape[0] else 0
    codes_of = 1
    for feature in range(m):
        if rank[feature] < 0:
            most = max(most, min(int(features.sizes[feature]), n))
            codes_of = max(codes_of, int(features.sizes[feature]))
    stride = classes
    for feature in range(m):
        if lane[feature] >= 0:
            stride = max(stride, int(features.sizes[feature]) * classes)
    counts = np.zeros(rows.shape[1] * stride, np.int32)
    logs = log_terms(n if objects.alike and rules.criterion.kind == ENTROPY else 0)
    groups, room = groups_of(most + 1, codes_of, classes), room_of(codes_of, classes, logs)
    q, branch_of, members = np.zeros(n), np.zeros(n, np.int64), np.arange(n)
    aside = np.empty(n, np.int64)
    shape, figures = np.zeros((64, CODES + 1), np.int64), np.zeros((64, 5 + classes))
    children, used = np.zeros(64, np.int64), 0
    codes, ways = np.zeros(64, np.int64), np.zeros(64, np.int64)
    paid = np.zeros(max(features.pool_costs.shape[0], 1), np.int64)
    path = np.zeros(64, np.int64)
    waiting = np.zeros((64, 4), np.int64)  # from, to, parent, place among its children
    waiting[0] = np.array([0, n, -1, 0])
    on_path, left_to_do, nodes, slots = 0, 1, 0, 0
    while left_to_do > 0:
        left_to_do -= 1
        start, end, parent, place = waiting[left_to_do]
        here, nodes = nodes, nodes + 1
        if nodes > shape.shape[0]:
            shape, figures = _wider(shape), _wider(figures)
        depth = 0
        if parent >= 0:
            depth = shape[parent, DEPTH] + 1
            children[shape[parent, FIRST_CHILD] + place] = here
        while on_path > depth:  # leave the features of branches that are done
            on_path -= 1
            feature = shape[path[on_path], SPLIT + FEATURE]
            if features.pools[feature] >= 0:
                paid[features.pools[feature]] -= 1
        node = node_of(objects, members[start:end], rules, q, room)
        shape[here, PARENT], shape[here, DEPTH], shape[here, SIZE] = parent, depth, end - start
        shape[here, SPLIT + FEATURE] = -1
        figures[here, P] = node.prob
        figures[here, 5:] = room.weight
        if node.pairs == 0.0 or node.prob <= rules.theta * (1.0 + NEAR) or depth >= rules.depth:
            continue
        room.scores[:] = 0.0
        counted = 2 * (end - start) >= stride  # else the counters outnumber what is counted
        if counted:
            _count(rows, members[start:end], objects.label, classes, stride, counts)
        for feature in range(m):
            pool = features.pools[feature]
            cost = features.costs[feature] + (features.pool_costs[pool] if pool >= 0 and paid[pool] == 0 else 0.0)
            if counted and lane[feature] >= 0:
                found = _groups_of_counts(counts, lane[feature] * stride, features.sizes[feature], groups)
            elif rank[feature] < 0:
                found = group_by_code(objects, feature, members[start:end], node.heavy, q, groups)
            else:
                found = group_in_order(objects, feature, sorted_of[rank[feature], start:end], node.heavy, q, groups)
            if found > 1:
                heavy = int(objects.codes[feature, node.heavy]) if node.heavy >= 0 else -1
                best_of(node, rules, groups, room, found, feature, features.kinds[feature], cost, heavy)
        if room.scores[0] <= 0.0:
            continue
        feature = room.split[FEATURE]
        shape[here, SPLIT:CHOSEN] = room.split
        shape[here, CHOSEN] = used
        figures[here, Z], figures[here, B], figures[here, E], figures[here, D] = room.scores
        parts = _part(objects, room, members, start, end, branch_of, aside)
        if room.split[KIND] != NUMBER:
            values = np.unique(_codes_of_members(objects.codes[feature], members[start:end]))
            while used + values.shape[0] > codes.shape[0]:
                codes, ways = _longer(codes), _longer(ways)
            for at in range(start, end):
                place = used + np.searchsorted(values, np.int64(objects.codes[feature, members[at]]))
                codes[place], ways[place] = values[place - used], branch_of[members[at]]
            used += values.shape[0]
        shape[here, CODES] = used - shape[here, CHOSEN]
        for place in range(sorted_of.shape[0]):
            _part_sorted(sorted_of[place], start, end, branch_of, parts, aside)
        number = parts.shape[0] - 1
        if room.split[TO] == HEAVIER:
            shape[here, SPLIT + TO] = _heaviest(objects, members, parts)
        elif room.split[TO] == RIGHT:
            shape[here, SPLIT + TO] = number - 1
        shape[here, FIRST_CHILD], shape[here, CHILDREN] = slots, number
        slots += number
        while slots > children.shape[0]:
            children = _longer(children)
        while left_to_do + number > waiting.shape[0]:
            waiting = _wider(waiting)
        for part in range(number - 1, -1, -1):
            waiting[left_to_do, 0], waiting[left_to_do, 1] = parts[part], parts[part + 1]
            waiting[left_to_do, 2], waiting[left_to_do, 3] = here, part
            left_to_do += 1
        if on_path == path.shape[0]:
            path = _longer(path)
        path[on_path] = here
        on_path += 1
        if features.pools[feature] >= 0:
            paid[features.pools[feature]] += 1
    return shape[:nodes], figures[:nodes], children[:slots], codes[:used], ways[:used]


@kernel
def _part(objects: Objects, room: Room, members: Int64, start: int, end: int, branch_of: Int64, aside: Int64) -> Int64:
    """Part the node's objects by branch, stable; where the branches begin and the last one ends, (branches + 1,)."""
    codes, number = objects.codes[room.split[FEATURE]], 2
    if room.split[KIND] == EACH:
        number = _branch_by_code(codes, members, start, end, branch_of)
    else:
        for at in range(start, end):
            i = members[at]
            code = np.int64(codes[i])
            if code == MISSING:
                branch_of[i] = 0 if room.split[TO] == LEFT else 1
            elif room.split[KIND] == NUMBER:
                branch_of[i] = 0 if code <= room.split[LOWER] else 1
            else:
                branch_of[i] = 0 if room.chosen[code] else 1
    parts = np.zeros(number + 1, np.int64)
    for at in range(start, end):
        parts[branch_of[members[at]] + 1] += 1
    parts[0] = start
    for branch in range(number):
        parts[branch + 1] += parts[branch]
    _part_sorted(members, start, end, branch_of, parts, aside)
    return parts


@kernel
def _codes_of_members(codes: Codes, members: Int64) -> Int64:
    found = np.empty(members.shape[0], np.int64)
    for at in range(members.shape[0]):
        found[at] = codes[members[at]]
    return found


@kernel
def _branch_by_code(codes: Codes, members: Int64, start: int, end: int, branch_of: Int64) -> int:
    """Number the codes that occur, ascending and missing values last."""
    seen = _codes_of_members(codes, members[start:end])
    values = np.unique(seen)
    first = 1 if values[0] == MISSING else 0
    for at in range(start, end):
        place = np.searchsorted(values, seen[at - start]) - first
        branch_of[members[at]] = place if place >= 0 else values.shape[0] - 1
    return int(values.shape[0])


@kernel
def _part_sorted(order: Int64, start: int, end: int, branch_of: Int64, parts: Int64, aside: Int64) -> None:
    """Part a run of objects by branch, keeping their order within each; `aside` (n,) is written over."""
    if parts.shape[0] == 3:
        at, away = start, 0
        for place in range(start, end):
            i = order[place]
            if branch_of[i] == 0:
                order[at] = i
                at += 1
            else:
                aside[away] = i
                away += 1
        for place in range(away):
            order[at + place] = aside[place]
        return
    to = parts.copy()
    for place in range(start, end):
        i = order[place]
        aside[to[branch_of[i]] - start] = i
        to[branch_of[i]] += 1
    for place in range(start, end):
        order[place] = aside[place - start]


@kernel
def _heaviest(objects: Objects, members: Int64, parts: Int64) -> int:
    """The branch of most weight, the first of equals."""
    most, heaviest = -1.0, 0
    for branch in range(parts.shape[0] - 1):
        weight = 0.0
        for at in range(parts[branch], parts[branch + 1]):
            weight += objects.prob[members[at]]
        if weight > most:
            most, heaviest = weight, branch
    return heaviest
