"""The classifiers: scikit-learn's own checks, what weights mean, and every odd table."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.conftest import examples, needs_compiler

os.environ["SCIPY_ARRAY_API"] = "1"  # before scikit-learn is loaded: without it one of its checks is skipped

from sklearn.utils.estimator_checks import check_estimator

from diagnoser.classifier import ComplexityAwareTreeClassifier
from diagnoser.model import Point
from diagnoser.tuning import ComplexityAwareTreeClassifierCV, cheapest

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@needs_compiler
@pytest.mark.parametrize("kind", [ComplexityAwareTreeClassifier, ComplexityAwareTreeClassifierCV])
def test_every_check_of_scikit_learn_passes(kind: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(kind(), on_fail=None, on_skip=None)
    wrong = [result["check_name"] for result in results if result["status"] != "passed"]
    assert Counter(result["status"] for result in results)["passed"] > 50
    assert not wrong


def nodes(one: Any) -> list[tuple[Any, ...]]:
    """What a tree asks, where, and with what weight."""
    tree = one.tree_
    asked = [(tree.feature_place(node), tree.missing_way(node), tree.children(node)) for node in range(len(tree))]
    return [
        (*what, *np.round(tree.class_weights[node], 12), np.round(tree.routes.thresholds[node], 12))
        for node, what in enumerate(asked)
    ]


def test_whole_weights_equal_repeated_rows() -> None:
    """On tables with duplicates, conflicting labels, missing values and more values than bins."""
    rng = np.random.default_rng(41)
    for number in range(examples(500)):
        n, m = int(rng.integers(5, 60)), int(rng.integers(1, 5))
        rows = rng.integers(0, rng.choice([2, 4, 50]), (n, m)).astype(float)
        rows[rng.random((n, m)) < rng.choice([0.0, 0.2])] = np.nan
        labels, weights = rng.integers(0, 3, n), rng.integers(0, 4, n)
        if not weights.any():
            continue
        settings: dict[str, Any] = {
            "criterion": ["entropy", "gini"][number % 2],
            "trade_off": float(rng.choice([0.0, 1.0, np.inf])),
            "max_bins": int(rng.choice([5, 255])),
            "min_samples_leaf": float(rng.integers(1, 4)),
            "nominal_features": [0] if number % 3 == 0 else None,
            "prune_alpha": float(rng.choice([0.0, 0.02])),
        }
        weighted = ComplexityAwareTreeClassifier(**settings).fit(rows, labels, weights)
        order = rng.permutation(np.repeat(np.arange(n), weights))
        repeated = ComplexityAwareTreeClassifier(**settings).fit(rows[order], labels[order])
        kept = [str(name) for name in repeated.classes_]
        columns = [weighted.tree_.classes.index(name) for name in kept]
        assert weighted.tree_.class_weights[:, columns] == pytest.approx(repeated.tree_.class_weights)
        assert [node[:3] for node in nodes(weighted)] == [node[:3] for node in nodes(repeated)], settings
        known = rows[~np.isnan(rows).any(axis=1)]
        if len(known):
            assert np.array_equal(weighted.predict(known), repeated.predict(known))


def test_costs_decide_between_features_that_tell_the_same() -> None:
    rows = np.array([[0, 0], [1, 1], [0, 0], [1, 1]])
    for costs, place in (([3, 2], 1), ([1, 2], 0), ({"x0": 5}, 1), ({0: 0.5}, 0)):
        one = ComplexityAwareTreeClassifier(costs=costs).fit(rows, [0, 1, 0, 1])
        assert one.tree_.feature_place(0) == place
    assert (one.expected_cost_, one.expected_tests_, one.worst_cost_, one.n_leaves_, one.depth_) == (0.5, 1, 0.5, 2, 1)
    assert one.feature_importances_.tolist() == [1, 0]


def test_a_group_of_features_shares_its_cost() -> None:
    """x0 and x1 together tell the four classes; each costs 1, and 4 more for the first of them."""
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    one = ComplexityAwareTreeClassifier(cost_groups=[(["x0", 1], 4)]).fit(rows, [0, 1, 2, 3])
    assert (one.expected_cost_, one.worst_cost_) == (6, 6)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"costs": [1.0]}, "2 numbers above 0"),
        ({"costs": [1.0, 0.0]}, "2 numbers above 0"),
        ({"costs": {"there": 1}}, "no feature 'there'"),
        ({"cost_groups": [([0], 1), ([0], 2)]}, "two cost groups"),
        ({"cost_groups": [([0], -1)]}, "0 or more"),
        ({"nominal_features": [7]}, "no feature 7"),
        ({"criterion": "best"}, "criterion"),
        ({"theta": 2}, "theta"),
        ({"partition": "best"}, "partition"),
    ],
)
def test_settings_outside_their_range_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ComplexityAwareTreeClassifier(**settings).fit([[0, 1], [1, 0]], [0, 1])


# --------------------------------------------------------------------------------------------------------- odd tables


def test_missing_values_are_kept_as_such() -> None:
    """Only whether the value is known tells the classes apart."""
    rows = np.array([[1.0], [np.nan], [1.0], [np.nan]])
    one = ComplexityAwareTreeClassifier().fit(rows, ["there", "gone", "there", "gone"])
    assert one.predict([[5.0], [np.nan], [-5.0]]).tolist() == ["there", "gone", "there"]


def test_constant_columns_one_class_and_one_row_make_a_leaf() -> None:
    for rows, labels in (([[1], [1]], ["a", "b"]), ([[1], [2]], ["a", "a"]), ([[3]], ["a"])):
        one = ComplexityAwareTreeClassifier().fit(rows, labels)
        assert (one.n_leaves_, one.expected_cost_, one.depth_) == (1, 0, 0)
        assert one.predict([[0]]).tolist() == ["a"]
        assert one.feature_importances_.tolist() == [0]


def test_rows_of_no_weight_are_not_there() -> None:
    one = ComplexityAwareTreeClassifier().fit([[0], [1], [2]], ["a", "b", "c"], [1, 1, 0])
    assert one.n_leaves_ == 2
    assert one.predict_proba([[2]]).tolist() == [[0, 1, 0]]
    with pytest.raises(ValueError, match="non-zero"):
        ComplexityAwareTreeClassifier().fit([[0], [1]], ["a", "b"], [0, 0])


@needs_compiler
def test_ten_thousand_categories() -> None:
    values = np.arange(10_000)
    labels = np.where(values % 7 < 3, "low", "high")
    one = ComplexityAwareTreeClassifier(nominal_features=[0]).fit(values[:, None], labels)
    assert one.n_leaves_ == 2
    assert np.array_equal(one.predict(values[:, None]), labels)


def test_a_category_never_seen_goes_as_missing_values_do() -> None:
    """Three of four rows lie on the side of a and b, so both go there."""
    rows = np.array([["a"], ["b"], ["b"], ["c"]], object)
    one = ComplexityAwareTreeClassifier(nominal_features=[0]).fit(rows, [0, 0, 0, 1])
    assert one.predict(np.array([["c"], ["new"], [None]], object)).tolist() == [1, 0, 0]


def test_infinity_is_refused() -> None:
    with pytest.raises(ValueError, match="infinity"):
        ComplexityAwareTreeClassifier().fit([[np.inf], [1]], [0, 1])


@pytest.mark.parametrize("labels", [[True, False], [3, -2], [2.0, 4.0]])
def test_labels_come_back_as_they_were(labels: list[Any]) -> None:
    one = ComplexityAwareTreeClassifier().fit([[0], [1]], labels)
    assert one.predict([[0], [1]]).tolist() == labels
    assert one.classes_.dtype == np.asarray(labels).dtype


def test_thresholds_lie_between_neighbouring_values_even_where_floats_end() -> None:
    low, high = 1.0, np.nextafter(1.0, 2)
    one = ComplexityAwareTreeClassifier().fit([[low], [high]], [0, 1])
    assert one.predict([[low], [high]]).tolist() == [0, 1]
    one = ComplexityAwareTreeClassifier().fit([[-1.7e308], [1.7e308]], [0, 1])
    assert one.tree_.threshold(0) == 0


# ------------------------------------------------------------------------------------------------------------- choice


def test_the_cheapest_within_the_tolerance_is_taken() -> None:
    points = [Point(1, 0, 0.95, 0.02, 5), Point(2, 0, 0.945, 0.02, 3), Point(3, 0, 0.93, 0.02, 1)]
    assert cheapest(points, 0.0).trade_off == 1
    assert cheapest(points, 0.01).trade_off == 2
    assert cheapest(points, 0.02).trade_off == 3


def test_pruning_and_trade_off_are_chosen_on_rows_held_out() -> None:
    """One cheap feature tells nearly all; noise is pruned away, and the choice stands on the curve."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(300, 4))
    labels = (rows[:, 2] > 0) ^ (rng.random(300) < 0.1)
    one = ComplexityAwareTreeClassifierCV(random_state=0).fit(rows, labels)
    assert one.n_leaves_ == 2
    assert one.tree_.feature_place(0) == 2
    chosen = [
        point for point in one.curve_ if (point.trade_off, point.prune_alpha) == (one.trade_off_, one.prune_alpha_)
    ]
    assert len(chosen) == 1
    assert chosen[0].score > max(point.score for point in one.curve_) - 0.01 - 1e-12
    paper = ComplexityAwareTreeClassifierCV(random_state=0, tuning="paper").fit(rows, labels)
    assert paper.prune_alpha_ == 0
    assert {point.prune_alpha for point in paper.curve_} == {0}
