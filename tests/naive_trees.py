"""Complexity-aware trees word by word from the definitions, in exact arithmetic and with nothing reused; tests only.

B, E and D are computed from the sets themselves: f of every object before and after each test (Zhang and Gionis, DMKD
2022, section 4). Objects are merged rows; a test is a column of outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from tests.naive_partitions import measure

Row = tuple[Hashable, ...]
NEAR = 1e-12


class Scores(NamedTuple):
    b: Fraction | float
    e: Fraction | float
    d: Fraction | float
    z: Fraction | float


@dataclass
class Thing:
    """An object: rows that agree on every test."""

    outcomes: Row
    weights: dict[int, Fraction]
    """Of each class that occurs."""

    @property
    def p(self) -> Fraction:
        return sum(self.weights.values(), Fraction(0))

    @property
    def label(self) -> int:
        return min(self.weights, key=lambda c: (-self.weights[c], c))


def merged(rows: Sequence[Row], labels: Sequence[int], weights: Sequence[Fraction]) -> list[Thing]:
    total, found = sum(weights, Fraction(0)), dict[Row, Thing]()
    for row, label, weight in zip(rows, labels, weights, strict=True):
        if weight > 0:
            thing = found.setdefault(tuple(row), Thing(tuple(row), {}))
            thing.weights[label] = thing.weights.get(label, Fraction(0)) + weight / total
    return list(found.values())


def mass(things: Sequence[Thing]) -> Fraction:
    return sum((thing.p for thing in things), Fraction(0))


def pairs(things: Sequence[Thing]) -> int:
    return sum(one.label != other.label for one, other in combinations(things, 2))


def mix(things: Sequence[Thing]) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for thing in things:
        for c, weight in thing.weights.items():
            found[c] = found.get(c, Fraction(0)) + weight
    return found


def impurity(things: Sequence[Thing], criterion: str, order: float) -> Fraction | float:
    total, of = mass(things), mix(things)
    if criterion == "gini":
        return sum((weight * (1 - weight / total) for weight in of.values()), Fraction(0))
    h: Callable[[float], float] = measure(criterion, order)
    return float(sum(float(weight) * h(float(weight / total)) for weight in of.values() if weight > 0))


def branches(things: Sequence[Thing], outcome: Callable[[Thing], Hashable]) -> dict[Hashable, list[Thing]]:
    parts: dict[Hashable, list[Thing]] = {}
    for thing in sorted(things, key=lambda thing: (outcome(thing) is None, outcome(thing))):
        parts.setdefault(outcome(thing), []).append(thing)
    return parts


def scores(
    things: Sequence[Thing],
    outcome: Callable[[Thing], Hashable],
    criterion: str = "gini",
    theta: Fraction = Fraction(0),
    trade_off: Fraction = Fraction(0),
    cost: Fraction = Fraction(1),
    order: float = 2.0,
) -> Scores:
    """B, E, D and Z of one test at the node of these objects."""
    parts = branches(things, outcome)
    if len(parts) < 2:
        return Scores(Fraction(0), Fraction(0), Fraction(0), Fraction(0))
    largest = max(parts.values(), key=len)
    b = mass(things) - mass(largest)
    d = impurity(things, criterion, order) - sum(impurity(part, criterion, order) for part in parts.values())
    if d < 0:
        d = Fraction(0)
    phi = pairs(things)
    e = Fraction(0)
    for thing in things:
        part = parts[outcome(thing)]

        def f(agreeing: Sequence[Thing], own: Thing = thing) -> Fraction:
            by_mass = min(Fraction(1), (1 - mass(agreeing)) / (1 - max(own.p, theta)))
            by_pairs = Fraction(phi - pairs(agreeing), phi)
            return 1 - (1 - by_mass) * (1 - by_pairs)

        before, after = f(things), f(part)
        e += thing.p * (after - before) / (1 - before)
    return Scores(b, e, d, (b + e + trade_off * d) / cost)


@dataclass
class Node:
    things: list[Thing]
    test: int | None = None
    found: Scores | None = None
    children: tuple[Node, ...] = ()


def grown(things: list[Thing], costs: Sequence[Fraction], criterion: str, theta: Fraction, trade_off: Fraction) -> Node:
    """The tree whose nodes have one branch for each outcome."""
    node = Node(things)
    if pairs(things) == 0 or mass(things) <= theta:
        return node
    best = Scores(Fraction(0), Fraction(0), Fraction(0), Fraction(0))
    for test, cost in enumerate(costs):
        found = scores(things, lambda thing, test=test: thing.outcomes[test], criterion, theta, trade_off, cost)
        if found.z > best.z * (1 + NEAR):
            best, node.test, node.found = found, test, found
    if node.test is None:
        return node
    parts = branches(things, lambda thing: thing.outcomes[node.test or 0])
    node.children = tuple(grown(part, costs, criterion, theta, trade_off) for part in parts.values())
    return node


def expected_cost(node: Node, costs: Sequence[Fraction]) -> Fraction:
    """Of the costs of the tests each object meets."""
    if node.test is None:
        return Fraction(0)
    return costs[node.test] * mass(node.things) + sum(expected_cost(child, costs) for child in node.children)
