"""Complexity-aware decision trees as scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from algos.impurity import NAMES, criterion_of
from algos.objects import objects_of
from algos.partitions import EXACT_ROWS, HCC_CLASSES, METHODS
from algos.pruning import alphas, by_cost, by_leaves, pruned, step_costs
from algos.splits import EACH, FEATURE, KINDS, NOMINAL, NUMBER, ONE_REST, Rules
from algos.table import Float64
from algos.trees import SPLIT, D, Features, Tree, grow
from diagnoser.columns import Column, coded, stacked
from diagnoser.model import Feature, Model, arrays_of, routes_of

AUTO = "auto"
PARTITIONS = (AUTO, *METHODS, KINDS[ONE_REST], KINDS[EACH])
MANY = 1 << 60


class ComplexityAwareTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # it has no types
    """A decision tree that weighs what a question costs and how far it brings every object, not only how pure it sorts.

    Each node asks the feature of greatest (B + E + trade_off D) / cost (`algos.splits`). trade_off 0 is adaptive
    submodular ranking; infinity is the gain of C4.5 (entropy) or CART (gini) by cost.

    Parameters
    ----------
    criterion : "entropy", "gini", "tsallis" or "root"
        The impurity whose reduction D is.
    trade_off : float, at least 0, or infinity
        Lambda, in bits for entropy.
    theta : float from 0 to 1
        A node with no more than this share of the weight is a leaf.
    costs : None, a sequence with a cost above 0 for each feature, or a mapping from names or positions to costs
        What asking a feature costs; 1 where nothing is said. Paid once on a path.
    cost_groups : None, or a sequence of (features, cost)
        Features, by names or positions, that share a further cost, paid with the first of them.
    nominal_features : None, or a sequence of names or positions
        Features whose values have no order.
    partition : "auto", a method of `algos.partitions`, "one-rest" or "each"
        How values of nominal features are parted: in two sets ("auto": `hcc` up to twelve classes, else `multi`), one
        value against the rest, or a branch for each.
    max_bins : int of at least 2, or None
        Numbers with more distinct values are put into so many bins of about equal weight; None: never.
    max_depth : int or None
        Most questions on a path.
    min_samples_leaf : float above 0
        Least weight of a leaf; a row without a weight of its own weighs 1.
    prune_alpha : float, at least 0
        Errors that a leaf must save, as a share of all weight, to be kept (minimal cost-complexity pruning).
    complexity : "leaves" or "cost"
        What pruning weighs: the number of leaves, or the expected cost.
    random_state : ignored
        The tree is the same every time. Taken so that it can stand where other classifiers do.

    Attributes
    ----------
    tree_ : diagnoser.model.Model
    classes_ : ndarray
    n_features_in_, feature_names_in_
    expected_cost_, expected_tests_, worst_cost_ : float
        Over the training weights.
    n_leaves_, depth_ : int
    alphas_ : ndarray
        The `prune_alpha` from which on each node of the tree is a leaf.
    feature_importances_ : ndarray
        Shares of the whole reduction of impurity; all 0 for a tree without a question.

    Source: Zhang and Gionis, "Regularized impurity reduction: accurate decision trees with complexity guarantees",
    DMKD 2022; partitions: Laber, Molinaro, Mello Pereira, ICML 2018.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "criterion": [StrOptions(set(NAMES))],
        "trade_off": [Interval(Real, 0, None, closed="both")],
        "theta": [Interval(Real, 0, 1, closed="both")],
        "costs": [None, "array-like", Mapping],
        "cost_groups": [None, list, tuple],
        "nominal_features": [None, "array-like"],
        "partition": [StrOptions(set(PARTITIONS))],
        "max_bins": [None, Interval(Integral, 2, None, closed="left")],
        "max_depth": [None, Interval(Integral, 1, None, closed="left")],
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "prune_alpha": [Interval(Real, 0, None, closed="left")],
        "complexity": [StrOptions({"leaves", "cost"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        criterion: str = "entropy",
        trade_off: float = 1.0,
        theta: float = 0.0,
        costs: Sequence[float] | Mapping[str | int, float] | None = None,
        cost_groups: Sequence[tuple[Sequence[str | int], float]] | None = None,
        nominal_features: Sequence[str | int] | None = None,
        partition: str = AUTO,
        max_bins: int | None = 255,
        max_depth: int | None = None,
        min_samples_leaf: float = 1.0,
        prune_alpha: float = 0.0,
        complexity: str = "leaves",
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.trade_off = trade_off
        self.theta = theta
        self.costs = costs
        self.cost_groups = cost_groups
        self.nominal_features = nominal_features
        self.partition = partition
        self.max_bins = max_bins
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.prune_alpha = prune_alpha
        self.complexity = complexity
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:  # noqa: N803
        """Learn a tree from rows X, (rows, m), their classes y, (rows,), and their weights, (rows,).

        Raises ValueError for parameters outside their range, infinite numbers, and rows that all weigh nothing.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan")  # noqa: N806
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        features, pools = self._features()
        raw = _columns(X, features)
        columns = [coded(column, weights, self.max_bins) for column in raw]
        features = [
            Feature(one.name, one.kind, one.cost, one.pool, column.values)
            for one, column in zip(features, columns, strict=True)
        ]
        objects = objects_of(stacked(columns, len(labels)), labels, weights, self.classes_.size)
        arrays = arrays_of(features, pools, [column.size for column in columns])
        tree = grow(objects, arrays, self._rules(float(weights.sum())), self.classes_.size)
        if self.prune_alpha > 0:
            tree = pruned(tree, self._alphas(tree, arrays) <= self.prune_alpha)
        self.alphas_ = self._alphas(tree, arrays)
        names = tuple(str(name) for name in self.classes_)
        self.tree_ = Model("class", names, tuple(features), routes_of(tree, columns), pools)
        self.expected_cost_, self.expected_tests_ = self.tree_.expected_cost, self.tree_.expected_tests
        self.worst_cost_, self.depth_ = self.tree_.worst_cost, self.tree_.depth
        self.n_leaves_ = int(self.tree_.leaves.size)
        self.feature_importances_ = _importances(self.tree_)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:  # noqa: N803
        """(rows,) the class of most weight at each row's leaf."""
        found = self.apply(X)
        return self.classes_[self.tree_.labels[found]]

    def predict_proba(self, X: ArrayLike) -> Float64:  # noqa: N803
        """(rows, k) the shares of the classes at each row's leaf."""
        found = self.apply(X)
        return self.tree_.shares[found]

    def apply(self, X: ArrayLike, prune_alpha: float = 0.0) -> NDArray[np.int64]:  # noqa: N803
        """(rows,) the number of each row's leaf; of the tree pruned further where `prune_alpha` is above 0."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=False)  # noqa: N806
        ends = self.alphas_ <= prune_alpha if prune_alpha > 0 else None
        return self.tree_.stops(_columns(X, self.tree_.features), ends)

    def spent(self, X: ArrayLike) -> Float64:  # noqa: N803
        """(rows,) what each row's questions cost."""
        return self.tree_.path_costs[self.apply(X)]

    def _rules(self, total: float) -> Rules:
        plain = self.trade_off == np.inf
        method = "hcc" if self.partition not in METHODS else self.partition
        limit = {"hcc": HCC_CLASSES, "twoing": HCC_CLASSES, "two-class": 2, "balanced": HCC_CLASSES}.get(method, MANY)
        return Rules(
            criterion_of(self.criterion),
            theta=self.theta * total,
            trade_off=1.0 if plain else float(self.trade_off),
            method=METHODS.index(method),
            fallback=METHODS.index("multi"),
            method_classes=limit,
            method_rows=EXACT_ROWS if method == "exact" else MANY,
            least=float(self.min_samples_leaf),
            depth=MANY if self.max_depth is None else int(self.max_depth),
            progress=not plain,
        )

    def _alphas(self, tree: Tree, arrays: Features) -> Float64:
        """(N,) the `prune_alpha` from which on each node is a leaf."""
        return alphas(tree, by_cost(tree, step_costs(tree, arrays)) if self.complexity == "cost" else by_leaves(tree))

    def _features(self) -> tuple[list[Feature], dict[str, float]]:
        """Names, kinds and costs from the parameters."""
        m = self.n_features_in_
        names = [str(name) for name in getattr(self, "feature_names_in_", [f"x{place}" for place in range(m)])]

        def places(wanted: Any) -> list[int]:
            found = []
            for one in wanted:
                place = names.index(one) if isinstance(one, str) and one in names else one
                if not isinstance(place, Integral) or not 0 <= int(place) < m:
                    raise ValueError(f"there is no feature {one!r}")
                found.append(int(place))
            return found

        costs = np.ones(m)
        if isinstance(self.costs, Mapping):
            costs[places(self.costs)] = list(self.costs.values())
        elif self.costs is not None:
            costs = np.asarray(self.costs, np.float64)
        if costs.shape != (m,) or not (np.isfinite(costs) & (costs > 0)).all():
            raise ValueError(f"costs are {m} numbers above 0, one for each feature")
        nominal = set(places([] if self.nominal_features is None else self.nominal_features))
        split = self.partition if self.partition in KINDS else KINDS[NOMINAL]
        pool_of: dict[int, str] = {}
        pools: dict[str, float] = {}
        for number, (members, cost) in enumerate(self.cost_groups or (), 1):
            if not cost >= 0 or cost == np.inf:
                raise ValueError(f"the cost of a group is 0 or more, not {cost}")
            pools[f"group {number}"] = float(cost)
            for place in places(members):
                if place in pool_of:
                    raise ValueError(f"feature {names[place]!r} is in two cost groups")
                pool_of[place] = f"group {number}"
        kinds = [split if place in nominal else KINDS[NUMBER] for place in range(m)]
        return [Feature(names[d], kinds[d], float(costs[d]), pool_of.get(d)) for d in range(m)], pools


def _columns(X: Any, features: Sequence[Feature]) -> list[Column]:  # noqa: N803
    """Numbers as floats, nominal values as texts."""
    columns: list[Column] = []
    for place, feature in enumerate(features):
        if feature.kind == KINDS[NUMBER]:
            columns.append(np.asarray(X[:, place], np.float64))
        else:
            columns.append(np.array([nominal_text(value) for value in X[:, place]], np.object_))
    return columns


def nominal_text(value: Any) -> str | None:
    """A nominal value as text, a whole number without a point; None where it is missing."""
    if value is None or value != value:
        return None
    if isinstance(value, Real) and float(value).is_integer():
        return str(int(float(value)))
    return str(value)


def _importances(model: Model) -> Float64:
    reduction = np.zeros(len(model.features))
    feature = model.tree.shape[:, SPLIT + FEATURE]
    np.add.at(reduction, feature[feature >= 0], model.tree.figures[feature >= 0, D])
    return reduction / reduction.sum() if reduction.sum() > 0 else reduction
