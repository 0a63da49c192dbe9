"""Ways to grow a tree side by side, under one rule of choice and on the same held-out rows.

Every way tries its own range, chooses by the same inner folds the cheapest tree within the tolerance of its best, and
is then judged on rows it has not seen. What is charged is always the true cost, paid once a feature on a path, whatever
a way knew of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from algos.routes import Routes
from algos.splits import FEATURE, TO
from algos.table import Float64
from algos.trees import CHILDREN, CODES, DEPTH, FIRST_CHILD, PARENT, SPLIT, Tree
from diagnoser.columns import Column, codes_of
from diagnoser.model import Feature, Model, Point
from diagnoser.tuning import PLAIN, TRADE_OFFS, ComplexityAwareTreeClassifierCV, cheapest

OURS = "this method"
OTHERS = ("plain gain", "gain / cost", "submodular ranking", "scikit-learn")
WAYS = (OURS, *OTHERS)
ALPHAS = 40


@dataclass(frozen=True, slots=True)
class Judged:
    """How one way did on one fold."""

    way: str
    fold: int
    score: float
    """Share of weight that is labelled rightly."""
    cost: float
    leaves: int
    seconds: float
    """CPU time of choosing and learning."""


@dataclass(frozen=True)
class Task:
    """What is to be learnt."""

    columns: NDArray[np.object_]
    labels: NDArray[np.object_]
    weights: Float64
    nominal: Sequence[int]
    costs: Float64
    """(m,)"""
    criterion: str = "entropy"
    theta: float = 0.0
    tolerance: float = 0.01
    inner: int = 5
    seed: int = 0


def judge(task: Task, folds: int, told: Callable[[], object] = lambda: None) -> list[Judged]:
    """Every way on every fold."""
    splits = StratifiedKFold(folds, shuffle=True, random_state=task.seed).split(task.columns, task.labels)
    found = []
    for fold, (train, test) in enumerate(splits):
        for way in WAYS:
            started = time.process_time()
            model = _scikit(task, train) if way == "scikit-learn" else _ours(task, way, train)
            seconds = time.process_time() - started
            node = model.stops(_columns(task, model, test))
            labels = np.array(model.classes, np.object_)[model.labels[node]]
            weights = task.weights[test]
            score = float(np.average(labels == task.labels[test], weights=weights))
            cost = float(np.average(model.path_costs[node], weights=weights))
            found.append(Judged(way, fold, score, cost, int(model.leaves.size), seconds))
            told()
    return found


def paired(differences: Sequence[float]) -> tuple[float, float, float]:
    """Mean of paired differences and its 95 % interval by Student's t; without an interval for one alone."""
    values = np.asarray(differences, float)
    mean = float(values.mean())
    if values.size < 2:
        return mean, math.nan, math.nan
    half = float(student.ppf(0.975, values.size - 1) * values.std(ddof=1) / math.sqrt(values.size))
    return mean, mean - half, mean + half


def cost_ratio(ours: Sequence[Judged], theirs: Sequence[Judged]) -> tuple[float, float, float]:
    """Geometric mean of cost over cost by fold, and its 95 % interval; folds where either pays nothing are left out."""
    logs = [math.log(a.cost / b.cost) for a, b in zip(ours, theirs, strict=True) if a.cost > 0 and b.cost > 0]
    if not logs:
        return math.nan, math.nan, math.nan
    mean, low, high = (math.exp(value) for value in paired(logs))
    return mean, low, high


def _ours(task: Task, way: str, rows: NDArray[np.int64]) -> Model:
    known: dict[str, tuple[Sequence[float], Float64 | None]] = {
        OURS: (TRADE_OFFS, task.costs),
        "plain gain": ((PLAIN,), None),
        "gain / cost": ((PLAIN,), task.costs),
        "submodular ranking": ((0.0,), task.costs),
    }
    trade_offs, costs = known[way]
    one = ComplexityAwareTreeClassifierCV(
        criterion=task.criterion,
        trade_offs=trade_offs,
        theta=task.theta,
        costs=costs,
        nominal_features=task.nominal,
        cv=task.inner,
        tolerance=task.tolerance,
        random_state=task.seed,
    )
    one.charged = task.costs
    one.fit(task.columns[rows], task.labels[rows], task.weights[rows])
    return one.tree_.charged(task.costs)


def _columns(task: Task, model: Model, rows: NDArray[np.int64]) -> list[Column]:
    """The columns a model asks about; for scikit-learn's, one column for each nominal value."""
    raw = task.columns[rows]
    if not model.trained.get("spread"):
        return [_column(raw[:, place], place in task.nominal) for place in range(raw.shape[1])]
    columns: list[Column] = []
    for place in range(raw.shape[1]):
        if place in task.nominal:
            values = _values(task, place)
            codes = codes_of(raw[:, place], values)
            columns += [(codes == code).astype(float) for code in range(1, len(values) + 1)]
        else:
            columns.append(_column(raw[:, place], False))
    return columns


def _column(raw: NDArray[Any], nominal: bool) -> Column:
    return raw if nominal else raw.astype(np.float64)


def _values(task: Task, place: int) -> list[str]:
    return sorted({value for value in task.columns[:, place] if value is not None})


def _scikit(task: Task, rows: NDArray[np.int64]) -> Model:
    """Its tree with cost-complexity pruning, chosen as the others are."""
    features, pools = [], {}
    for place in range(task.columns.shape[1]):
        pools[f"x{place}"] = float(task.costs[place])
        names = [f"x{place}={value}" for value in _values(task, place)] if place in task.nominal else [f"x{place}"]
        features += [Feature(name, cost=0.0, pool=f"x{place}") for name in names]
    empty = Model("class", ("none",), tuple(features), _no_routes(), pools, {"spread": True})
    spread = np.stack(_columns(task, empty, rows), axis=1)
    labels, weights = task.labels[rows].astype(str), task.weights[rows]

    def fitted(part: NDArray[np.int64], alpha: float) -> Model:
        tree = DecisionTreeClassifier(criterion=task.criterion, ccp_alpha=alpha, random_state=task.seed)
        tree.fit(spread[part], labels[part], weights[part])
        return _taken(tree, empty)

    everything = np.arange(rows.size)
    tree = DecisionTreeClassifier(criterion=task.criterion, random_state=task.seed)
    path = np.unique(np.maximum(tree.cost_complexity_pruning_path(spread, labels, weights).ccp_alphas, 0.0))
    if path.size > ALPHAS:
        path = path[np.unique(np.linspace(0, path.size - 1, ALPHAS).astype(int))]
    steps = np.concatenate([[0.0], np.sqrt(path[:-1] * path[1:]), path[-1:]])
    scores, costs = np.empty((task.inner, steps.size)), np.empty((task.inner, steps.size))
    inner = StratifiedKFold(task.inner, shuffle=True, random_state=task.seed).split(spread, labels)
    for fold, (train, test) in enumerate(inner):
        for place, alpha in enumerate(steps):
            model = fitted(train, float(alpha))
            node = model.stops(list(spread[test].T))
            right = np.array(model.classes, np.object_)[model.labels[node]] == labels[test]
            scores[fold, place] = np.average(right, weights=weights[test])
            costs[fold, place] = np.average(model.path_costs[node], weights=weights[test])
    points = [
        Point(PLAIN, *step, 0.0, cost)
        for step, cost in zip(zip(steps, scores.mean(0), strict=True), costs.mean(0), strict=True)
    ]
    return fitted(everything, cheapest(points, task.tolerance).prune_alpha)


def _no_routes() -> Routes:
    none = np.zeros(0, np.int64)
    return Routes(Tree(np.zeros((0, CODES + 1), np.int64), np.zeros((0, 6)), none, none, none), np.zeros(0))


def _taken(tree: DecisionTreeClassifier, empty: Model) -> Model:
    """A tree of scikit-learn as a model; its nodes are in preorder too."""
    inner = tree.tree_
    n = inner.node_count
    shape, figures = np.zeros((n, CODES + 1), np.int64), np.zeros((n, 5 + len(tree.classes_)))
    children: list[int] = []
    shape[0, PARENT] = -1
    for node in range(n):
        weight = inner.weighted_n_node_samples[node]
        figures[node, 0], figures[node, 5:] = weight, inner.value[node, 0] * weight
        left, right = inner.children_left[node], inner.children_right[node]
        shape[node, SPLIT + FEATURE] = inner.feature[node] if left >= 0 else -1
        if left < 0:
            continue
        shape[node, FIRST_CHILD], shape[node, CHILDREN] = len(children), 2
        shape[node, SPLIT + TO] = 0 if inner.missing_go_to_left[node] else 1
        children += [int(left), int(right)]
        for child in (left, right):
            shape[child, PARENT], shape[child, DEPTH] = node, shape[node, DEPTH] + 1
    none = np.zeros(0, np.int64)
    routes = Routes(Tree(shape, figures, np.array(children, np.int64), none, none), inner.threshold.astype(float))
    names = tuple(str(name) for name in tree.classes_)
    return replace(empty, classes=names, routes=routes)
