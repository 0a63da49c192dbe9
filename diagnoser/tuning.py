"""Which trade-off and how much pruning: by cross-validation, the cheapest tree that is nearly as right as the best."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from diagnoser.classifier import ComplexityAwareTreeClassifier
from diagnoser.model import Point

PLAIN = np.inf
TRADE_OFFS = (0.1, 1.0, 10.0, 100.0, PLAIN)
"""The useful range, in bits; plain impurity reduction competes in every search."""
ALPHAS = 40
"""Most amounts of pruning tried for a trade-off."""


def cheapest(points: Sequence[Point], allowed: float) -> Point:
    """The least cost among those whose score is within `allowed` of the best; the better score of equals."""
    best = max(point.score for point in points)
    near = [point for point in points if point.score >= best - allowed - 1e-12]
    return min(near, key=lambda point: (point.cost, -point.score))


class ComplexityAwareTreeClassifierCV(ComplexityAwareTreeClassifier):
    """A complexity-aware tree whose trade-off and pruning are chosen by cross-validation, then learnt from all rows.

    Parameters
    ----------
    trade_offs : sequence of floats
        Lambdas that compete; infinity is plain impurity reduction.
    cv : int, splitter or iterable of splits
        How rows are held out.
    rule : "tolerance" or "one-se"
        The cheapest tree whose score is within `tolerance` of the best, or within one standard error of it.
    tolerance : float
        A share of the weight.
    tuning : "curve" or "paper"
        "paper": without pruning, the trade-off goes down from the greatest for as long as the score stays within
        `tolerance` of the greatest's (Zhang and Gionis, section 6).

    The others, and the attributes, are those of `ComplexityAwareTreeClassifier`; `trade_off_` and `prune_alpha_` are
    the choice, `curve_` is the list of all points.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: allowed
            for name, allowed in ComplexityAwareTreeClassifier._parameter_constraints.items()
            if name not in ("trade_off", "prune_alpha")
        },
        "trade_offs": ["array-like"],
        "cv": ["cv_object"],
        "rule": [StrOptions({"tolerance", "one-se"})],
        "tolerance": [Interval(Real, 0, 1, closed="both")],
        "tuning": [StrOptions({"curve", "paper"})],
    }

    told: Callable[[], object] = staticmethod(lambda: None)
    """Called after each tree of the search; for a progress bar."""
    charged: Any = None
    """(m,) what asking truly costs, where trees are grown by other costs."""

    def __init__(
        self,
        *,
        criterion: str = "entropy",
        trade_offs: Sequence[float] = TRADE_OFFS,
        theta: float = 0.0,
        costs: Any = None,
        cost_groups: Any = None,
        nominal_features: Any = None,
        partition: str = "auto",
        max_bins: int | None = 255,
        max_depth: int | None = None,
        min_samples_leaf: float = 1.0,
        complexity: str = "leaves",
        cv: Any = 5,
        rule: str = "tolerance",
        tolerance: float = 0.01,
        tuning: str = "curve",
        random_state: Any = None,
    ) -> None:
        super().__init__(
            criterion=criterion,
            theta=theta,
            costs=costs,
            cost_groups=cost_groups,
            nominal_features=nominal_features,
            partition=partition,
            max_bins=max_bins,
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            complexity=complexity,
            random_state=random_state,
        )
        self.trade_offs = trade_offs
        self.cv = cv
        self.rule = rule
        self.tolerance = tolerance
        self.tuning = tuning

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:  # noqa: N803
        """Choose, then learn from all rows; as `ComplexityAwareTreeClassifier.fit`."""
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan")  # noqa: N806
        check_classification_targets(y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        trade_offs = [float(trade_off) for trade_off in self.trade_offs]
        if not trade_offs or not all(trade_off >= 0 for trade_off in trade_offs):
            raise ValueError("trade_offs are numbers of at least 0, or infinity")
        self.curve_ = self._curve(X, y, weights, trade_offs)
        chosen = self._choice(self.curve_) if self.curve_ else Point(trade_offs[0], 0.0, np.nan, np.nan, np.nan)
        self.trade_off_, self.prune_alpha_ = chosen.trade_off, chosen.prune_alpha
        best = self._one(self.trade_off_, self.prune_alpha_).fit(X, y, sample_weight)
        for name, value in vars(best).items():
            if name.endswith("_"):
                setattr(self, name, value)
        self.tree_ = replace(self.tree_, curve=tuple(self.curve_))
        return self

    def _one(self, trade_off: float, prune_alpha: float = 0.0) -> ComplexityAwareTreeClassifier:
        own = ComplexityAwareTreeClassifier._parameter_constraints
        shared = {name: value for name, value in self.get_params(deep=False).items() if name in own}
        return ComplexityAwareTreeClassifier(trade_off=trade_off, prune_alpha=prune_alpha, **shared)

    def _splits(self, X: NDArray[Any], y: NDArray[Any]) -> list[tuple[NDArray[Any], NDArray[Any]]]:  # noqa: N803
        if not isinstance(self.cv, Integral):
            return list(check_cv(self.cv, y, classifier=True).split(X, y))
        most = int(np.unique(y, return_counts=True)[1].max())
        if most < 2 or self.cv < 2:
            return []
        folds = StratifiedKFold(min(int(self.cv), most), shuffle=True, random_state=self.random_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a class with fewer rows than folds is held out at times
            return list(folds.split(X, y))

    def _curve(self, X: Any, y: Any, weights: Any, trade_offs: list[float]) -> list[Point]:  # noqa: N803
        """Every choice with its score and cost on the folds."""
        splits = [(train, test) for train, test in self._splits(X, y) if weights[train].any() and weights[test].any()]
        if not splits:
            return []
        points = []
        for trade_off in trade_offs:
            one = self._one(trade_off)
            steps = [0.0] if self.tuning == "paper" else list(_steps(clone(one).fit(X, y, weights).alphas_))
            scores, costs = np.empty((len(splits), len(steps))), np.empty((len(splits), len(steps)))
            for fold, (train, test) in enumerate(splits):
                fitted = clone(one).fit(X[train], y[train], weights[train])
                for place, (right, cost) in enumerate(_held_out(fitted, X[test], y[test], steps, self.charged)):
                    scores[fold, place] = np.average(right, weights=weights[test])
                    costs[fold, place] = np.average(cost, weights=weights[test])
                self.told()
            shares = np.array([weights[test].sum() for _, test in splits])
            mean = np.average(scores, axis=0, weights=shares)
            error = np.sqrt(np.average((scores - mean) ** 2, axis=0, weights=shares) / max(len(splits) - 1, 1))
            cost = np.average(costs, axis=0, weights=shares)
            points += [Point(trade_off, *figures) for figures in zip(steps, mean, error, cost, strict=True)]
        return points

    def _choice(self, points: list[Point]) -> Point:
        if self.tuning == "curve":
            best = max(points, key=lambda point: (point.score, -point.cost))
            return cheapest(points, self.tolerance if self.rule == "tolerance" else best.error)
        down = sorted(points, key=lambda point: -point.trade_off)
        chosen = down[0]
        for point in down:
            if point.score < down[0].score - self.tolerance - 1e-12:
                break
            chosen = point
        return chosen


def _steps(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """One alpha between each two at which the tree changes, at most ALPHAS of them, 0 first."""
    changes = np.unique(found[(found > 0) & np.isfinite(found)])
    if changes.size > ALPHAS:
        changes = changes[np.unique(np.linspace(0, changes.size - 1, ALPHAS).astype(int))]
    between = np.sqrt(changes[:-1] * changes[1:])
    return np.concatenate([[0.0], changes[:1] / 2, between, changes[-1:] * 2])


def _held_out(
    fitted: ComplexityAwareTreeClassifier,
    X: Any,  # noqa: N803
    y: Any,
    steps: Sequence[float],
    costs: Any,
) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.float64]]]:
    """For each amount of pruning: (rows,) whether the label is right, and what was spent."""
    model = fitted.tree_ if costs is None else fitted.tree_.charged(costs)
    for alpha in steps:
        node = fitted.apply(X, alpha)
        yield fitted.classes_[model.labels[node]] == y, model.path_costs[node]
