"""What a policy costs over all cases that a table allows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OwnCost:
    """What a policy costs where one hypothesis is the truth."""

    hypothesis: str
    prior: float
    expected_cost: float | None
    """In the table's cost unit; None where none of the random cases was of this hypothesis."""
    standard_error: float | None
    """0 when exact; None for fewer than two random cases."""
    cases: int
    """Random cases of this hypothesis; 0 when exact."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of one policy."""

    policy: str
    stop: str
    expected_cost: float
    worst_cost: float
    """Of random cases the dearest met."""
    nodes: int | None
    """Inner nodes and leaves of the tree of answers; None where it was too large to walk."""
    exact: bool
    standard_error: float
    """Of the expected cost; 0 when it is exact."""
    cases: int
    """Random cases drawn; 0 when it is exact."""
    partial: bool
    """An interrupt ended the random cases."""
    unresolved_probability: float
    """Probability that a case ends with no test left that could tell the rest apart."""
    entropy_bound_bits: float | None
    """No policy costs less; None where some cases cannot be resolved and the bound does not hold."""
    seconds: float
    """To prepare and walk the tree, or to draw the cases, without compiling."""
    by_hypothesis: tuple[OwnCost, ...]
    """In the table's order; weighed by prior, or by cases, their mean is the expected cost."""
