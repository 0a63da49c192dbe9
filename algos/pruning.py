"""What a tree costs, and minimal cost-complexity pruning.

A path pays a feature once, and each pool of cost once (`algos.trees`). R(t) is the share of weight that node t would
get wrong as a leaf; pruning at alpha leaves the smallest subtree of least R + alpha complexity, where complexity is the
number of leaves or the expected cost. The alpha at which a node becomes a leaf grows from the leaves to the root.

Source: Breiman, Friedman, Olshen, Stone, "Classification and Regression Trees", 1984, chapter 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.impurity import NEAR
from algos.jit import kernel
from algos.splits import FEATURE
from algos.table import Bool, Float64, Int64
from algos.trees import CHILDREN, CHOSEN, CODES, DEPTH, FIRST_CHILD, PARENT, SPLIT, Features, P, Tree


def step_costs(tree: Tree, features: Features) -> Float64:
    """(N,) what asking at each node adds to the cost of its path; 0 for leaves and for what was paid before."""
    return _step_costs(tree.shape, features.costs, features.pools, features.pool_costs)


@kernel
def _step_costs(shape: Int64, costs: Float64, pools: Int64, pool_costs: Float64) -> Float64:
    n = shape.shape[0]
    steps, path, on_path = np.zeros(n), np.zeros(n, np.int64), 0
    asked, paid = np.zeros(costs.shape[0], np.int64), np.zeros(max(pool_costs.shape[0], 1), np.int64)
    for node in range(n):
        while on_path > shape[node, DEPTH]:
            on_path -= 1
            feature = shape[path[on_path], SPLIT + FEATURE]
            asked[feature] -= 1
            if pools[feature] >= 0:
                paid[pools[feature]] -= 1
        feature = shape[node, SPLIT + FEATURE]
        if feature < 0:
            continue
        pool = pools[feature]
        if asked[feature] == 0:
            steps[node] = costs[feature]
        if pool >= 0 and paid[pool] == 0:
            steps[node] += pool_costs[pool]
        asked[feature] += 1
        if pool >= 0:
            paid[pool] += 1
        path[on_path] = node
        on_path += 1
    return steps


class Complexity(NamedTuple):
    """What is weighed against errors, node by node."""

    of_leaf: Float64
    """(N,) of the node as a leaf."""
    of_split: Float64
    """(N,) of its question alone."""


def by_leaves(tree: Tree) -> Complexity:
    """The number of leaves."""
    n = tree.shape.shape[0]
    return Complexity(np.ones(n), np.zeros(n))


def by_cost(tree: Tree, steps: Float64) -> Complexity:
    """The expected cost, from `step_costs`."""
    return Complexity(np.zeros(steps.size), steps * tree.figures[:, P] / tree.figures[0, P])


def alphas(tree: Tree, complexity: Complexity) -> Float64:
    """(N,) the alpha from which on each node is a leaf of the pruned tree; 0 for leaves.

    A node's is never below that of a node under it.
    """
    weights = tree.figures[:, P + 5 :]
    wrong = (tree.figures[:, P] - weights.max(axis=1)) / tree.figures[0, P]
    return _alphas(tree.shape, np.maximum(wrong, 0.0), complexity.of_leaf, complexity.of_split)


@kernel
def _alphas(shape: Int64, wrong: Float64, of_leaf: Float64, of_split: Float64) -> Float64:
    """The weakest link again and again; nodes are kept in a heap by their link."""
    n = shape.shape[0]
    error, complexity, link = wrong.copy(), of_leaf.copy(), np.full(n, np.inf)
    split = shape[:, SPLIT + FEATURE] >= 0
    for node in range(n):
        if split[node]:
            error[node], complexity[node] = 0.0, of_split[node]
    for node in range(n - 1, 0, -1):
        parent = shape[node, PARENT]
        error[parent] += error[node]
        complexity[parent] += complexity[node]
    found = np.zeros(n)
    # A binary heap of nodes; `place` tells where each stands.
    heap, place, size = np.zeros(n, np.int64), np.full(n, -1, np.int64), 0
    for node in range(n):
        if split[node]:
            link[node] = _link(wrong[node], error[node], complexity[node] - of_leaf[node])
            heap[size], place[node] = node, size
            size += 1
            _up(heap, place, link, size - 1)
    least = 0.0
    while size > 0:
        node = heap[0]
        least = max(least, link[node])
        size = _drop(heap, place, link, size, 0)
        # Every split below is gone with it, at the same alpha.
        below = node + 1
        while below < n and shape[below, DEPTH] > shape[node, DEPTH]:
            if place[below] >= 0:
                found[below] = least
                size = _drop(heap, place, link, size, place[below])
            below += 1
        found[node] = least
        lost, saved = wrong[node] - error[node], complexity[node] - of_leaf[node]
        error[node], complexity[node] = wrong[node], of_leaf[node]
        above = shape[node, PARENT]
        while above >= 0:
            error[above] += lost
            complexity[above] -= saved
            link[above] = _link(wrong[above], error[above], complexity[above] - of_leaf[above])
            _up(heap, place, link, place[above])
            _down(heap, place, link, size, place[above])
            above = shape[above, PARENT]
    return found


@kernel
def _link(wrong: float, error: float, saved: float) -> float:
    """Errors more for each unit of complexity less."""
    more = wrong - error
    if more <= NEAR * wrong:
        return 0.0
    return more / saved if saved > NEAR else np.inf


@kernel
def _up(heap: Int64, place: Int64, link: Float64, at: int) -> None:
    while at > 0:
        above = (at - 1) // 2
        if not link[heap[at]] < link[heap[above]]:
            return
        heap[at], heap[above] = heap[above], heap[at]
        place[heap[at]], place[heap[above]] = at, above
        at = above


@kernel
def _down(heap: Int64, place: Int64, link: Float64, size: int, at: int) -> None:
    while True:
        least = at
        for below in (2 * at + 1, 2 * at + 2):
            if below < size and link[heap[below]] < link[heap[least]]:
                least = below
        if least == at:
            return
        heap[at], heap[least] = heap[least], heap[at]
        place[heap[at]], place[heap[least]] = at, least
        at = least


@kernel
def _drop(heap: Int64, place: Int64, link: Float64, size: int, at: int) -> int:
    """Take one node out; the size that is left."""
    place[heap[at]] = -1
    size -= 1
    if at < size:
        heap[at] = heap[size]
        place[heap[at]] = at
        _up(heap, place, link, at)
        _down(heap, place, link, size, place[heap[at]])
    return size


def pruned(tree: Tree, leaves: Bool) -> Tree:
    """The tree in which the nodes marked, (N,), are leaves and what stands below them is gone."""
    leaves = leaves | (tree.shape[:, SPLIT + FEATURE] < 0)
    kept = np.ones(leaves.size, bool)
    for node in range(1, leaves.size):
        parent = tree.shape[node, PARENT]
        kept[node] = kept[parent] and not leaves[parent]
    number = np.cumsum(kept) - 1
    shape, figures = tree.shape.copy(), tree.figures.copy()
    shape[leaves, SPLIT:], shape[leaves, CHILDREN], figures[leaves, 1:5] = 0, 0, 0.0
    shape[leaves, SPLIT + FEATURE] = -1
    children, codes, ways, slots, used = [tree.children[:0]], [tree.codes[:0]], [tree.ways[:0]], 0, 0
    for node in map(int, np.flatnonzero(kept & ~leaves)):
        own = number[tree.children[shape[node, FIRST_CHILD] :][: shape[node, CHILDREN]]]
        shape[node, FIRST_CHILD], shape[node, CHOSEN] = slots, used
        children.append(own)
        run = slice(tree.shape[node, CHOSEN], tree.shape[node, CHOSEN] + shape[node, CODES])
        codes.append(tree.codes[run])
        ways.append(tree.ways[run])
        slots, used = slots + own.size, used + shape[node, CODES]
    shape[1:, PARENT] = number[shape[1:, PARENT]]
    return Tree(shape[kept], figures[kept], *map(np.concatenate, (children, codes, ways)))
