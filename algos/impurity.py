"""Impurity of a set of objects by class: decomposable measures, scaled by the set's weight.

For class weights u with sum |u| and shares q_c = u_c / |u| a measure is h(u) = sum_c q_c h_c(q_c); everything here is
|u| h(u), which is what adds up over the parts of a set:

    entropy   h_c(q) = -log2 q                          in bits
    gini      h_c(q) = 1 - q
    tsallis   h_c(q) = (1 - q^(a-1)) / (a - 1), a > 0   a = 1 is the entropy in nats
    root      h_c(q) = sqrt((1 - q) / q)

Source: Zhang and Gionis, "Regularized impurity reduction", DMKD 2022, section 3; entropy and Gini as in Laber,
Molinaro, Mello Pereira, "Binary Partitions with Approximate Minimum Impurity", ICML 2018.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.jit import kernel
from algos.table import Float64, Int64

ENTROPY, GINI, TSALLIS, ROOT = range(4)
NAMES = ("entropy", "gini", "tsallis", "root")
NEAR = 1e-12
"""Relative; what is nearer counts as equal, and the first of equals is taken."""
SMALLEST_SHARE = 1e-300
"""Shares below are taken as this much where a slope would be infinite."""


class Criterion(NamedTuple):
    """A measure of impurity."""

    kind: int = ENTROPY
    order: float = 2.0
    """The a of tsallis."""


def criterion_of(name: str, order: float = 2.0) -> Criterion:
    """The measure of this name. Raises ValueError for an unknown one, and for an order that is not above 0."""
    if name not in NAMES:
        raise ValueError(f'no impurity is called "{name}"; known: {", ".join(NAMES)}')
    if not 0 < order < np.inf:
        raise ValueError(f"the order of tsallis is above 0, not {order}")
    return Criterion(NAMES.index(name), float(order))


@kernel
def less(whole: float, part: float) -> float:
    """What is left of a sum without a part of it; what rounding leaves of nothing is nothing."""
    left = whole - part
    return left if left > NEAR * whole else 0.0


@kernel
def impurity(criterion: Criterion, weights: Float64) -> float:
    """|u| h(u) of the class weights u, (k,), none below 0; 0 of an empty set."""
    total = 0.0
    for weight in weights:
        total += weight
    return impurity_of(criterion, weights, total)


@kernel
def impurity_of(criterion: Criterion, weights: Float64, total: float) -> float:
    """The same where |u| is known."""
    found = 0.0
    if total <= 0.0:
        return 0.0
    if criterion.kind == GINI:
        for weight in weights:
            found += weight * (total - weight)
        return found / total
    if criterion.kind == ROOT:
        for weight in weights:
            found += np.sqrt(weight * (total - weight))
        return found
    power = criterion.order - 1.0
    for weight in weights:
        if 0.0 < weight < total:
            if criterion.kind == ENTROPY:
                found += weight * np.log2(total / weight)
            elif power == 0.0:
                found += weight * np.log(total / weight)
            else:
                found += weight * (1.0 - (weight / total) ** power) / power
    return found


@kernel
def impurity_of_counts(criterion: Criterion, count: Int64, size: int, squares: int, logs: Float64) -> float:
    """The same of counts, (k,), for entropy and gini: without a logarithm or a loop of divisions.

    size: their sum; squares: the sum of their squares; logs: (n + 1,) of `log_terms` for entropy.
    """
    if criterion.kind == GINI:
        return size - squares / size
    found = float(logs[size])
    for of_class in count:
        found -= float(logs[of_class])
    return found


@kernel
def log_terms(n: int) -> Float64:
    """c log2 c of every whole number up to n, (n + 1,)."""
    terms = np.zeros(n + 1)
    for c in range(2, n + 1):
        terms[c] = c * np.log2(c)
    return terms


@kernel
def slopes(criterion: Criterion, weights: Float64, into: Float64) -> None:
    """Fill the derivative of |u| h(u) by each class weight, but for a number that is the same for all; both (k,)."""
    total = max(weights.sum(), SMALLEST_SHARE)
    for c in range(weights.shape[0]):
        share = max(weights[c] / total, SMALLEST_SHARE)
        if criterion.kind == GINI:
            into[c] = -2.0 * share
        elif criterion.kind == ROOT:
            into[c] = (1.0 - 2.0 * share) / (2.0 * np.sqrt(share * max(1.0 - share, SMALLEST_SHARE)))
        elif criterion.kind == ENTROPY or criterion.order == 1.0:
            into[c] = -np.log2(share)
        else:
            into[c] = -criterion.order * share ** (criterion.order - 1.0) / (criterion.order - 1.0)
