"""Complexity-aware trees: golden nodes, the literal definitions, pruning by enumeration, and what weights mean."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from algos.impurity import NAMES, criterion_of, log_terms
from algos.objects import Objects, objects_of
from algos.partitions import METHODS
from algos.pruning import alphas, by_cost, by_leaves, pruned, step_costs
from algos.splits import EACH, FEATURE, HEAVIER, KIND, LOWER, NOMINAL, NUMBER, ONE_REST, TO, Rules, best_of
from algos.table import Int64
from algos.trees import (
    CHILDREN,
    FIRST_CHILD,
    SIZE,
    SPLIT,
    Features,
    P,
    Tree,
    group_by_code,
    groups_of,
    grow,
    node_of,
    room_of,
)
from tests import naive_trees
from tests.conftest import examples, golden

B, E, D, Z = 1, 2, 3, 4


def features_of(codes: Int64, kind: int, costs: list[float] | None = None) -> Features:
    m = codes.shape[0]
    return Features(
        np.full(m, kind),
        codes.max(axis=1).astype(np.int64) + 1,
        np.ones(m) if costs is None else np.array(costs),
        np.full(m, -1),
        np.zeros(0),
    )


def children(tree: Tree, node: int) -> list[int]:
    first = tree.shape[node, FIRST_CHILD]
    return [int(child) for child in tree.children[first : first + tree.shape[node, CHILDREN]]]


def asked(tree: Tree, node: int) -> int:
    return int(tree.shape[node, SPLIT + FEATURE])


def scores_of(objects: Objects, members: Int64, feature: int, kind: int, rules: Rules, cost: float, k: int) -> Any:
    """Z, B, E, D of the best split by one feature, and which it is."""
    codes = int(objects.codes.max()) + 1
    groups, room = groups_of(codes, codes, k), room_of(codes, k, log_terms(members.size))
    q = np.zeros(objects.prob.size)
    node = node_of(objects, members, rules, q, room)
    found = group_by_code(objects, feature, members, node.heavy, q, groups)
    heavy = int(objects.codes[feature, node.heavy]) if node.heavy >= 0 else -1
    if found > 1:
        best_of(node, rules, groups, room, found, feature, kind, cost, heavy)
    return room.scores, room.split, room.chosen


# ------------------------------------------------------------------------------------------------------------- golden


def coded(rows: list[list[Any]]) -> Int64:
    values = [sorted({row[d] for row in rows}) for d in range(len(rows[0]))]
    return np.array([[values[d].index(row[d]) + 1 for row in rows] for d in range(len(values))], np.uint8)


def value_of(figure: Any) -> float:
    """Exact figures stand with their nearest float, others alone."""
    return figure["float"] if isinstance(figure, dict) else figure


@pytest.mark.parametrize("case", golden("classifier.json"))
def test_golden_trees_node_by_node(case: dict[str, Any]) -> None:
    names, codes = sorted(set(case["y"])), coded(case["X"])
    p, costs = [float(Fraction(value)) for value in case["p"]], [float(Fraction(value)) for value in case["c"]]
    k, theta = len(names), float(Fraction(case["theta"]))
    objects = objects_of(codes, np.array([names.index(y) for y in case["y"]]), np.array(p), k)
    rules = Rules(criterion_of(case["criterion"]), theta=theta, trade_off=float(Fraction(case["lam"])))
    tree = grow(objects, features_of(codes, EACH, costs), rules, k)

    def compare(node: int, wanted: dict[str, Any], members: Int64) -> None:
        figures = tree.figures[node]
        assert tree.shape[node, SIZE] == wanted["n"]
        assert figures[P] == pytest.approx(wanted["p"]["float"], abs=1e-12)
        for c, name in enumerate(names):
            weight = wanted["weights"].get(str(name), {"float": 0.0})["float"]
            assert figures[5 + c] == pytest.approx(weight, abs=1e-12)
        assert ("test" in wanted) == (asked(tree, node) >= 0)
        for test, scores in wanted.get("scores", {}).items():
            found, *_ = scores_of(objects, members, int(test), EACH, rules, costs[int(test)], k)
            assert found == pytest.approx([value_of(scores[name]) for name in "ZBED"], abs=1e-12)
        if "test" not in wanted:
            return
        assert asked(tree, node) == wanted["test"]
        scores = wanted["scores"][str(wanted["test"])]
        assert figures[[B, E, D, Z]] == pytest.approx([value_of(scores[name]) for name in "BEDZ"], abs=1e-12)
        own = objects.codes[wanted["test"], members]
        for child, outcome, code in zip(
            children(tree, node), sorted(wanted["children"], key=int), sorted(set(own)), strict=True
        ):
            compare(child, wanted["children"][outcome], members[own == code])

    compare(0, case["tree"], np.arange(len(p)))
    leaves = tree.shape[:, SPLIT + FEATURE] < 0
    steps = step_costs(tree, features_of(codes, EACH, costs))
    assert (steps @ tree.figures[:, P]) == pytest.approx(case["expected_cost"]["float"])
    assert tree.figures[~leaves, P].sum() == pytest.approx(case["expected_tests"]["float"])
    assert (len(leaves), leaves.sum()) == (case["size"], case["leaves"])


# ----------------------------------------------------------------------------------------------- the literal definition


def random_tables(number: int) -> Iterator[tuple[Any, list[int], list[Fraction], int]]:
    """Few rows of few outcomes, None for missing ones, with duplicates and conflicting labels."""
    rng = np.random.default_rng(20221)
    for _ in range(number):
        n, m, k = rng.integers(3, 12), rng.integers(1, 4), rng.integers(2, 4)
        rows = rng.integers(1, rng.integers(3, 6), (n, m)).tolist()
        holes = rng.random((n, m)) < rng.choice([0.0, 0.25])
        rows = [[None if holes[x, d] else rows[x][d] for d in range(m)] for x in range(n)]
        heavy = rng.choice([1, 1000])
        weights = [Fraction(int(w)) * (heavy if x == 0 else 1) for x, w in enumerate(rng.integers(0, 5, n))]
        labels = rng.integers(0, k, n).tolist()
        if sum(w > 0 for w in weights) > 1:
            yield rows, labels, weights, int(k)


def splits_of(rows: Any, d: int, kind: int) -> Iterator[tuple[Any, Any]]:
    """(which rows go where, a description) of every allowed split of one column, in the order of ties."""
    known = sorted({row[d] for row in rows if row[d] is not None})
    missing = any(row[d] is None for row in rows)
    if kind == EACH:
        yield (lambda value: len(known) if value is None else known.index(value)), None
        return
    lefts = [known[: at + 1] for at in range(len(known) - 1)]
    if kind == ONE_REST and len(known) > 2:
        lefts = [[value] for value in known]
    for left in lefts:
        for side in (0, 1) if missing else (0,):
            yield (lambda v, left=left, side=side: side if v is None else int(v not in left)), (left, side)
    if missing:
        yield (lambda v: int(v is None)), (known, 1)


@pytest.mark.parametrize("kind", [NUMBER, ONE_REST, EACH])
def test_scores_are_those_of_the_set_functions(kind: int) -> None:
    """The literal B, E and D in exact arithmetic, over every split of every column."""
    rng = np.random.default_rng(kind)
    checked = 0
    for rows, labels, weights, k in random_tables(examples(300)):
        things = naive_trees.merged([tuple(row) for row in rows], labels, weights)
        if naive_trees.pairs(things) == 0:
            continue
        codes = np.array([[0 if row[d] is None else row[d] for row in rows] for d in range(len(rows[0]))], np.uint8)
        objects = objects_of(codes, np.array(labels), np.array([float(w) for w in weights]), k)
        total, criterion = float(sum(weights)), str(rng.choice(NAMES))
        theta, trade_off = Fraction(int(rng.integers(0, 4)), 10), Fraction(int(rng.integers(0, 5)))
        if naive_trees.mass(things) <= theta:
            continue
        rules = Rules(criterion_of(criterion), theta=float(theta) * total, trade_off=float(trade_off))
        kept = [row for row, weight in zip(rows, weights, strict=True) if weight > 0]
        for d in range(codes.shape[0]):
            found, *_ = scores_of(objects, np.arange(objects.prob.size), d, kind, rules, 1.0, k)
            best = naive_trees.Scores(Fraction(0), Fraction(0), Fraction(0), Fraction(0))
            for outcome, _ in splits_of(kept, d, kind):
                scores = naive_trees.scores(
                    things, lambda thing, d=d, o=outcome: o(thing.outcomes[d]), criterion, theta, trade_off
                )
                if scores.z > best.z * (1 + 1e-12):
                    best = scores
            expected = [float(best.z), float(best.b), float(best.e), float(best.d)]
            assert found / total == pytest.approx(expected, abs=1e-9), (rows, labels, weights, d)
            checked += 1
    assert checked > 100


def test_trees_are_the_slow_twins() -> None:
    """Whole trees with a branch for each outcome, costs and theta."""
    rng = np.random.default_rng(7)
    for rows, labels, weights, k in random_tables(examples(150)):
        m, criterion = len(rows[0]), str(rng.choice(NAMES))
        costs = [Fraction(int(cost)) for cost in rng.integers(1, 6, m)]
        theta, trade_off = Fraction(int(rng.integers(0, 3)), 10), Fraction(int(rng.integers(0, 3)))
        codes = np.array([[0 if row[d] is None else row[d] for row in rows] for d in range(m)], np.uint8)
        objects = objects_of(codes, np.array(labels), np.array([float(w) for w in weights]), k)
        total = float(sum(weights))
        rules = Rules(criterion_of(criterion), theta=float(theta) * total, trade_off=float(trade_off))
        features = features_of(codes, EACH, [float(cost) for cost in costs])
        tree = grow(objects, features, rules, k)
        twin = naive_trees.grown(
            naive_trees.merged([tuple(row) for row in rows], labels, weights), costs, criterion, theta, trade_off
        )

        def same(node: int, other: naive_trees.Node, tree: Tree = tree, total: float = total) -> None:
            assert asked(tree, node) == (-1 if other.test is None else other.test)
            assert tree.figures[node, P] / total == pytest.approx(float(naive_trees.mass(other.things)))
            for child, twin_child in zip(children(tree, node), other.children, strict=True):
                same(child, twin_child)

        same(0, twin)
        cost = step_costs(tree, features) @ tree.figures[:, P] / total
        assert cost == pytest.approx(float(naive_trees.expected_cost(twin, costs)))


def test_bounds_of_the_scores() -> None:
    """0 <= B < P and 0 <= E <= P, where all below are leaves E = P."""
    rng = np.random.default_rng(3)
    codes = rng.integers(1, 5, (6, 200)).astype(np.uint8)
    objects = objects_of(codes, rng.integers(0, 3, 200), rng.random(200), 3)
    tree = grow(objects, features_of(codes, NUMBER), Rules(criterion_of("entropy")), 3)
    for node in np.flatnonzero(tree.shape[:, SPLIT + FEATURE] >= 0):
        p, b, e, d = tree.figures[node, [P, B, E, D]]
        assert 0 <= b < p
        assert -1e-9 <= e <= p * (1 + 1e-12)
        assert d >= 0
        if all(asked(tree, child) < 0 for child in children(tree, node)):
            assert e == pytest.approx(p)


# ----------------------------------------------------------------------------------------------------- special cases


def test_a_nominal_split_parts_the_values_by_class() -> None:
    values = np.array([[1, 2, 3, 4, 1, 2, 3, 4]], np.uint8)
    more = np.vstack([values, [[1, 1, 1, 1, 2, 2, 2, 2]]]).astype(np.uint8)
    objects = objects_of(more, np.array([0, 1, 0, 1, 0, 1, 0, 1]), np.ones(8), 2)
    methods = {"method": METHODS.index("hcc"), "method_classes": 12, "method_rows": 100}
    tree = grow(objects, features_of(more, NOMINAL), Rules(criterion_of("gini"), **methods), 2)
    assert (len(tree.shape), asked(tree, 0)) == (3, 0)
    assert tree.codes.tolist() == [1, 2, 3, 4]
    assert tree.ways[0] == tree.ways[2] != tree.ways[1] == tree.ways[3]


def test_missing_values_go_where_the_score_is_higher_or_to_the_heavier_side() -> None:
    codes = np.array([[1, 1, 2, 2, 0, 0], [1, 2, 1, 2, 1, 2]], np.uint8)
    labels = np.array([0, 0, 1, 1, 1, 1])
    tree = grow(objects_of(codes, labels, np.ones(6), 2), features_of(codes, NUMBER), Rules(criterion_of("gini")), 2)
    assert (asked(tree, 0), tree.shape[0, SPLIT + LOWER], tree.shape[0, SPLIT + TO]) == (0, 1, 1)
    known = codes[:, :4]
    whole = objects_of(known, labels[:4], np.array([1.0, 1, 1, 5]), 2)
    tree = grow(whole, features_of(known, NUMBER), Rules(criterion_of("gini")), 2)
    assert (asked(tree, 0), tree.shape[0, SPLIT + TO]) == (0, 1)
    assert tree.shape[0, SPLIT + TO] != HEAVIER


def test_the_depth_may_reach_the_number_of_objects() -> None:
    """One value tells one object at a time; nothing recurses."""
    n = 3000
    codes = (np.arange(n)[None, :] + 1).astype(np.uint32)
    labels = np.arange(n) % 2
    rules = Rules(criterion_of("gini"), trade_off=1.0, progress=False)
    tree = grow(objects_of(codes, labels, np.ones(n), 2), features_of(codes, NUMBER), rules, 2)
    leaves = tree.shape[:, SPLIT + FEATURE] < 0
    assert leaves.sum() == n


def test_a_shared_cost_is_paid_once_on_a_path() -> None:
    """Two tests share a cost of 10; a third one alone costs 5."""
    codes = np.array([[1, 1, 2, 2], [1, 2, 1, 2], [1, 2, 2, 1]], np.uint8)
    features = Features(
        np.full(3, NUMBER), np.full(3, 3), np.array([1.0, 1.0, 5.0]), np.array([0, 0, -1]), np.array([10.0])
    )
    tree = grow(objects_of(codes, np.arange(4), np.ones(4), 4), features, Rules(criterion_of("gini")), 4)
    assert asked(tree, 0) == 2
    assert [asked(tree, child) for child in children(tree, 0)] == [0, 0]
    assert step_costs(tree, features)[[0, children(tree, 0)[0]]].tolist() == [5.0, 11.0]
    features = features._replace(costs=np.array([1.0, 1.0, 12.0]))
    tree = grow(objects_of(codes, np.arange(4), np.ones(4), 4), features, Rules(criterion_of("gini")), 4)
    assert [asked(tree, 0), *(asked(tree, child) for child in children(tree, 0))] == [0, 1, 1]
    assert step_costs(tree, features)[[0, *children(tree, 0)]].tolist() == [11.0, 1.0, 1.0]


# ----------------------------------------------------------------------------------------------------------- pruning


@pytest.mark.parametrize("complexity", ["leaves", "cost"])
def test_pruning_finds_the_least_of_all_subtrees(complexity: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        n, m = 60, 5
        codes = rng.integers(1, 9, (m, n)).astype(np.uint8)
        labels = (codes[0] + rng.integers(0, 6, n) > 8).astype(np.int64)
        features = features_of(codes, NUMBER, rng.integers(1, 5, m).tolist())
        tree = grow(objects_of(codes, labels, rng.integers(1, 4, n).astype(float), 2), features, Rules(), 2)
        share = tree.figures[:, P] / tree.figures[0, P]
        wrong = share - tree.figures[:, 5:].max(axis=1) / tree.figures[0, P]
        leaf, step = np.ones(len(share)), np.zeros(len(share))
        weighed = by_leaves(tree)
        if complexity == "cost":
            step = step_costs(tree, features) * share
            leaf, weighed = np.zeros(len(share)), by_cost(tree, step_costs(tree, features))
        found = alphas(tree, weighed)

        def least(alpha: float, node: int = 0, tree: Tree = tree, of: Any = (wrong, leaf, step)) -> float:
            """By trying both for every node."""
            wrong, leaf, step = of
            alone = wrong[node] + alpha * leaf[node]
            below = [least(alpha, child) for child in children(tree, node)]
            return float(min(alone, alpha * step[node] + sum(below)) if below else alone)

        for alpha in [*np.unique(found[found > 0]), 0.003, 0.02]:
            kept = pruned(tree, found <= alpha)
            ends = kept.shape[:, SPLIT + FEATURE] < 0
            share = kept.figures[:, P] / kept.figures[0, P]
            value = (share - kept.figures[:, 5:].max(axis=1) / kept.figures[0, P])[ends].sum()
            value += alpha * (ends.sum() if complexity == "leaves" else step_costs(kept, features) @ share)
            assert value == pytest.approx(least(alpha), abs=1e-12)


def test_numbers_kept_in_order_split_as_numbers_counted_by_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two ways to go through a feature give the same tree."""
    rng = np.random.default_rng(11)
    values = rng.integers(1, 400, (3, 600)).astype(np.uint32)
    values[rng.random(values.shape) < 0.1] = 0
    labels = (values.sum(axis=0) % 3).astype(np.int64)
    objects = objects_of(values, labels, rng.integers(1, 5, 600).astype(float), 3)
    features, rules = features_of(values, NUMBER), Rules(criterion_of("entropy"))
    trees = []
    for limit in (256, 10_000):
        monkeypatch.setattr("algos.trees.SORTED", limit)
        trees.append(grow(objects, features, rules, 3))
    for one, other in zip(*trees, strict=True):
        assert np.array_equal(one, other) or one == pytest.approx(other)
    assert len(trees[0].shape) > 100
    assert set(trees[0].shape[:, SPLIT + KIND]) == {NUMBER}
