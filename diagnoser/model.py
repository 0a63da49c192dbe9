"""A trained tree: what it asks, where each answer leads, what it costs and what it says. Read and written as JSON.

Nothing here needs scikit-learn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from algos.impurity import NEAR
from algos.pruning import step_costs
from algos.routes import Routes, stops
from algos.splits import FEATURE, KIND, KINDS, LOWER, NUMBER, TO, UPPER
from algos.table import Bool, Float64, Int64
from algos.trees import CHILDREN, CHOSEN, CODES, DEPTH, FIRST_CHILD, PARENT, SPLIT, Features, P, Tree
from diagnoser.columns import Coded, Column, between, codes_of


@dataclass(frozen=True, slots=True)
class Feature:
    """What can be asked."""

    name: str
    kind: str = "number"
    """Of `splits.KINDS`."""
    cost: float = 1.0
    pool: str | None = None
    """Features of one pool share its cost, paid with the first of them."""
    values: tuple[str, ...] = ()
    """Of a nominal feature, those that occurred in training."""
    question: str = ""
    """How it is asked; "What is NAME?" where left out."""


@dataclass(frozen=True, slots=True)
class Point:
    """One choice of trade-off and pruning, and how it did on rows held out."""

    trade_off: float
    prune_alpha: float
    score: float
    """Share of weight that is labelled rightly, the mean of the folds."""
    error: float
    """Its standard error over the folds."""
    cost: float
    """Expected cost of a row."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question on a row's path."""

    node: int
    way: int
    """The place of the branch taken among the node's."""


@dataclass(frozen=True)
class Model:
    """A tree with names. Arrays as in `algos.trees.Tree`; weights are shares of the whole."""

    target: str
    classes: tuple[str, ...]
    features: tuple[Feature, ...]
    routes: Routes
    pools: Mapping[str, float] = field(default_factory=dict)
    trained: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)
    """How it was made, for people."""
    curve: tuple[Point, ...] = ()
    """What the choice was made from; empty where nothing was chosen."""

    @property
    def tree(self) -> Tree:
        """The arrays."""
        return self.routes.tree

    def __len__(self) -> int:
        """How many nodes there are."""
        return int(self.tree.shape.shape[0])

    @cached_property
    def leaves(self) -> Int64:
        """Numbers of the leaves."""
        return np.flatnonzero(self.tree.shape[:, SPLIT + FEATURE] < 0)

    @cached_property
    def labels(self) -> Int64:
        """(N,) the class of most weight at each node, the lowest of equals."""
        weights = self.class_weights
        near: Int64 = np.argmax(weights >= weights.max(axis=1, keepdims=True) * (1 - NEAR), axis=1)
        return near

    @property
    def class_weights(self) -> Float64:
        """(N, k)."""
        return self.tree.figures[:, 5:]

    @cached_property
    def shares(self) -> Float64:
        """(N, k) of each class at each node; sum 1."""
        shares: Float64 = self.class_weights / self.class_weights.sum(axis=1, keepdims=True)
        return shares

    @cached_property
    def step_costs(self) -> Float64:
        """(N,) what asking at each node adds on its path."""
        return step_costs(self.tree, arrays_of(self.features, self.pools))

    @cached_property
    def path_costs(self) -> Float64:
        """(N,) the cost of reaching each node."""
        return self._along(self.step_costs)

    @property
    def depth(self) -> int:
        """Most questions on a path."""
        return int(self.tree.shape[:, DEPTH].max())

    @property
    def expected_cost(self) -> float:
        """Of a row drawn by the training weights; a feature is paid once on a path."""
        return self._expected(self.path_costs)

    @property
    def expected_tests(self) -> float:
        """Questions on the path of such a row."""
        return self._expected(self.tree.shape[:, DEPTH])

    @property
    def expected_cost_by_test(self) -> float:
        """The cost when every question is paid, as in the paper."""
        feature = self.tree.shape[:, SPLIT + FEATURE]
        costs = np.array([one.cost for one in self.features])
        return self._expected(self._along(np.where(feature >= 0, costs[feature], 0.0)))

    @property
    def worst_cost(self) -> float:
        """Of the dearest path."""
        return float(self.path_costs[self.leaves].max())

    def remaining_cost(self, node: int) -> float:
        """Expected cost from a node on."""
        below = [leaf for leaf in self.leaves if self._under(int(leaf), node)]
        weights = self.tree.figures[below, P]
        return float(weights @ (self.path_costs[below] - self.path_costs[node]) / weights.sum())

    def children(self, node: int) -> list[int]:
        """The nodes its branches lead to, in order."""
        first, many = self.tree.shape[node, FIRST_CHILD], self.tree.shape[node, CHILDREN]
        return [int(child) for child in self.tree.children[first : first + many]]

    def feature_place(self, node: int) -> int | None:
        """The number of the feature asked at a node; None at a leaf."""
        place = int(self.tree.shape[node, SPLIT + FEATURE])
        return None if place < 0 else place

    def feature(self, node: int) -> Feature | None:
        """What is asked at a node; None at a leaf."""
        place = self.feature_place(node)
        return None if place is None else self.features[place]

    def missing_way(self, node: int) -> int:
        """The branch of missing values."""
        return int(self.tree.shape[node, SPLIT + TO])

    def threshold(self, node: int) -> float | None:
        """What goes left is up to this; None at nominal splits."""
        return float(self.routes.thresholds[node]) if self.tree.shape[node, SPLIT + KIND] == NUMBER else None

    def values_of(self, node: int) -> list[list[str]]:
        """At a nominal split, the values that lead into each branch."""
        start, many = self.tree.shape[node, CHOSEN], self.tree.shape[node, CODES]
        ways: list[list[str]] = [[] for _ in self.children(node)]
        for code, way in zip(self.tree.codes[start:][:many], self.tree.ways[start:][:many], strict=True):
            if code > 0:
                ways[way].append(self.features[self.tree.shape[node, SPLIT + FEATURE]].values[code - 1])
        return ways

    def path(self, node: int) -> list[Step]:
        """The questions from the root to a node."""
        steps: list[Step] = []
        while (parent := int(self.tree.shape[node, PARENT])) >= 0:
            steps.insert(0, Step(parent, self.children(parent).index(node)))
            node = parent
        return steps

    def charged(self, costs: Sequence[float] | Float64) -> Model:
        """The same tree where asking each feature costs otherwise."""
        features = tuple(replace(one, cost=float(cost)) for one, cost in zip(self.features, costs, strict=True))
        return replace(self, features=features)

    def stops(self, columns: Sequence[Column], ends: Bool | None = None) -> Int64:
        """(rows,) the leaf of each row, or the first node of its path marked in `ends`, (N,)."""
        values = np.empty((len(columns), len(columns[0]) if columns else 0))
        for place, (column, feature) in enumerate(zip(columns, self.features, strict=True)):
            values[place] = column if feature.kind == KINDS[NUMBER] else codes_of(column, feature.values)
        return stops(self.routes, values, np.zeros(len(self), np.bool_) if ends is None else ends)

    def _along(self, steps: Float64) -> Float64:
        total = np.zeros(len(self))
        for node in range(1, len(self)):
            parent = self.tree.shape[node, PARENT]
            total[node] = total[parent] + steps[parent]
        return total

    def _expected(self, of_node: Float64 | Int64) -> float:
        weights = self.tree.figures[self.leaves, P]
        return float(weights @ of_node[self.leaves] / weights.sum())

    def _under(self, node: int, above: int) -> bool:
        while node > above:
            node = int(self.tree.shape[node, PARENT])
        return node == above


def arrays_of(features: Sequence[Feature], pools: Mapping[str, float], sizes: Sequence[int] = ()) -> Features:
    """The features as the kernels take them; `sizes`: their numbers of codes, needed to grow a tree."""
    names = list(pools)
    return Features(
        np.array([KINDS.index(feature.kind) for feature in features], np.int64),
        np.array(sizes, np.int64),
        np.array([feature.cost for feature in features], np.float64),
        np.array([-1 if feature.pool is None else names.index(feature.pool) for feature in features], np.int64),
        np.array([pools[name] for name in names], np.float64),
    )


def routes_of(tree: Tree, columns: Sequence[Coded]) -> Routes:
    """The tree with thresholds between the values on either side of each; weights become shares of the whole."""
    thresholds = np.full(tree.shape.shape[0], np.nan)
    for node in np.flatnonzero(tree.shape[:, SPLIT + FEATURE] >= 0):
        column = columns[tree.shape[node, SPLIT + FEATURE]]
        lower, upper = tree.shape[node, SPLIT + LOWER], tree.shape[node, SPLIT + UPPER]
        if tree.shape[node, SPLIT + KIND] == NUMBER:
            thresholds[node] = between(column.highs[lower - 1], column.lows[upper - 1]) if upper > 0 else np.inf
    return Routes(tree._replace(figures=tree.figures / tree.figures[0, P]), thresholds)
