"""Slow, exact twins of the kernels: the definitions of choosing the next test, written out in fractions.

Section numbers are those of the definitions in ../shared/spec/odtn.md. Nothing here is fast or clever: every state is
computed anew from its answers, every hypothesis is visited one by one, and no number is rounded. Only information
gain, which is made of logarithms, is a float.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import log2, prod
from typing import Any

Cell = dict[int, Fraction]
"""Outcome -> probability, possible outcomes only."""
Answers = Mapping[int, Collection[int]]
"""Test -> the outcomes the operator named; none of them (or all of them) is an unknown answer."""
RELATIVE_TIE = 1e-9


# ---------------------------------------------------------------------------------------------------- section 1: model


@dataclass(frozen=True, slots=True)
class Table:
    """m hypotheses by n tests. "Does not apply" is the last outcome of a test that has it and is not `applicable`."""

    outcomes: tuple[int, ...]
    applicable: tuple[int, ...]
    cells: tuple[tuple[Cell, ...], ...]
    prior: tuple[Fraction, ...]
    cost: tuple[Fraction, ...]
    group: tuple[int, ...]

    @property
    def hypotheses(self) -> range:
        return range(len(self.cells))

    @property
    def tests(self) -> range:
        return range(len(self.outcomes))


def uniform(outcomes: Collection[int]) -> Cell:
    """Section 1: without stated probabilities the set is uniform."""
    return {outcome: Fraction(1, len(outcomes)) for outcome in sorted(outcomes)}


def build(
    outcomes: Sequence[int],
    cells: Sequence[Sequence[Cell]],
    *,
    applicable: Sequence[int] | None = None,
    prior: Sequence[Fraction] | None = None,
    cost: Sequence[Fraction] | None = None,
    group: Sequence[int] | None = None,
) -> Table:
    """A table; prior scaled to sum 1, uniform where left out; cost 1; every hypothesis its own group."""
    m, n = len(cells), len(outcomes)
    weight = [Fraction(x) for x in (prior or [1] * m)]
    return Table(
        tuple(outcomes),
        tuple(applicable or outcomes),
        tuple(tuple(row) for row in cells),
        tuple(x / sum(weight) for x in weight),
        tuple(Fraction(c) for c in (cost or [1] * n)),
        tuple(group or range(m)),
    )


def from_signs(rows: Sequence[str], prior: Sequence[str] | None = None) -> Table:
    """The two-outcome golden cases: `+` is outcome 0, `-` is outcome 1, `*` is either."""
    cell = {"+": uniform([0]), "-": uniform([1]), "*": uniform([0, 1])}
    fractions = [Fraction(p) for p in prior] if prior else None
    return build([2] * len(rows[0]), [[cell[sign] for sign in row] for row in rows], prior=fractions)


def from_labels(case: Mapping[str, Any]) -> Table:
    """The general golden cases: `a`, `a|b`, `?` for every applicable outcome, `-` for the last outcome n/a."""
    labels: list[list[str]] = case["outcomes"]
    applicable = [len(names) - (names[-1] == "n/a") for names in labels]

    def cell(text: str, test: int) -> Cell:
        if text == "?":
            return uniform(range(applicable[test]))
        return uniform([labels[test].index("n/a" if part == "-" else part) for part in text.split("|")])

    return build(
        [len(names) for names in labels],
        [[cell(text, test) for test, text in enumerate(row)] for row in case["table"]],
        applicable=applicable,
        prior=[Fraction(p) for p in case["prior"]],
        cost=[Fraction(c) for c in case["cost"]],
        group=case["groups"],
    )


def plain(table: Table) -> Table:
    """The same table with every hypothesis its own group."""
    return replace(table, group=tuple(table.hypotheses))


def arguments(table: Table, *, other_codes: bool = False) -> dict[str, Any]:
    """The table as keyword arguments of `algos.table.OutcomeTable.build`.

    A uniform cell over several applicable outcomes is code -1. `other_codes` says the same in other words: that cell
    is one more partial cell, and -1 stands for the outcome of tests that have only one applicable.
    """
    partials: list[list[list[tuple[int, float]]]] = [[] for _ in table.tests]

    def code(cell: Cell, test: int) -> int:
        unknown = cell == uniform(range(table.applicable[test]))
        if unknown and (len(cell) == 1) is other_codes:
            return -1
        if len(cell) == 1:
            return next(iter(cell))
        entry = [(outcome, float(p)) for outcome, p in cell.items()]
        if entry not in partials[test]:
            partials[test].append(entry)
        return -2 - partials[test].index(entry)

    return {
        "cells": [[code(cell, test) for test, cell in enumerate(row)] for row in table.cells],
        "outcomes": list(table.outcomes),
        "applicable": list(table.applicable),
        "partials": partials,
        "prior": [float(p) for p in table.prior],
        "cost": [float(c) for c in table.cost],
        "group": list(table.group),
    }


# ------------------------------------------------------------------------------------- sections 1 and 4: a state


@dataclass(frozen=True, slots=True)
class Errors:
    """Section 4, "Errors": how far an answer is believed. `reliability` is per test, None for the usual 0.95."""

    mode: str = "strict"
    reliability: tuple[Fraction | None, ...] | None = None
    tolerance: int = 0
    exact: frozenset[int] = frozenset()


STRICT = Errors()
USUAL_RELIABILITY = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class State:
    """Section 1: (H, answers) and what follows from them. The mappings have H as keys."""

    spent: frozenset[int]
    candidates: tuple[int, ...]
    weight: dict[int, Fraction]
    copies: dict[int, int]
    mismatches: dict[int, int]
    reach_probability: Fraction = field(init=False)
    posterior: dict[int, Fraction] = field(init=False)

    def __post_init__(self) -> None:
        reach = sum(self.weight.values(), Fraction(0))
        object.__setattr__(self, "reach_probability", reach)
        object.__setattr__(self, "posterior", {x: w / reach for x, w in self.weight.items()})


def state(
    table: Table,
    answers: Answers,
    errors: Errors = STRICT,
    same_evidence: Sequence[Collection[int]] = (),
) -> State:
    """Sections 1 and 4: H are the hypotheses compatible with every answer, and for x in H

        w_x = pi_x * product over answered tests of P(observed outcome | x, test).

    "Unknown answer: the test is spent, H, posterior and copies stay as they are." "Several outcomes at once, S:
    factor = sum over S of P(v | x); rows with no outcome in S go; S = all outcomes is an unknown answer." "Within a
    same_evidence set only the answered test of lowest index contributes its factor to w; the others only rule out."
    """
    known = {test: set(named) for test, named in answers.items() if 0 < len(set(named)) < table.outcomes[test]}
    repeats = {
        test for test in known for kin in same_evidence if test in kin and any(t in known and t < test for t in kin)
    }
    weight: dict[int, Fraction] = {}
    mismatches: dict[int, int] = {}
    for x in table.hypotheses:
        wrong = [test for test, named in known.items() if not named & table.cells[x][test].keys()]
        if errors.mode == "strict" and wrong:
            continue
        if errors.mode == "tolerance":
            lenient = [test for test in wrong if test not in errors.exact]
            if len(lenient) > errors.tolerance or len(wrong) > len(lenient):
                continue
        mismatches[x] = len(wrong)
        factors = [_factor(table, x, test, known[test], errors) for test in known if test not in repeats]
        weight[x] = prod(factors, start=table.prior[x])
    copies = {x: prod(len(table.cells[x][test]) for test in table.tests if test not in known) for x in weight}
    return State(frozenset(answers), tuple(weight), weight, copies, mismatches)


def _factor(table: Table, x: int, test: int, named: Collection[int], errors: Errors) -> Fraction:
    """P(S | x), or the sum over S of P~(v | x) = r P + (1-r)(1-P)/(K-1) where errors are allowed for."""
    probability = [table.cells[x][test].get(outcome, Fraction(0)) for outcome in sorted(named)]
    if errors.mode == "strict":
        return sum(probability, Fraction(0))
    stated = errors.reliability[test] if errors.reliability else None
    r = USUAL_RELIABILITY if stated is None else stated
    return sum((r * p + (1 - r) * (1 - p) / (table.outcomes[test] - 1) for p in probability), Fraction(0))


# ------------------------------------------------------------------------------------------------- section 3: scores


@dataclass(frozen=True, slots=True)
class Scores:
    """One test in one state; scores are not divided by the cost."""

    informative: bool
    gain: Fraction
    odtn_r: Fraction
    odtn_h: Fraction
    information_bits: float
    outcome_probability: tuple[Fraction, ...]
    leaves: tuple[tuple[int, ...], ...]
    """C_v: the candidates that can give each outcome."""


def scores(table: Table, now: State, test: int) -> Scores:
    """Section 3, with p normalised over H. Two outcomes reduce to section 2 (tested against the golden file)."""
    outcomes = range(table.outcomes[test])
    p = now.posterior
    cell = {x: table.cells[x][test] for x in now.candidates}
    giving = [tuple(x for x in now.candidates if v in cell[x]) for v in outcomes]
    only = [[x for x in giving[v] if len(cell[x]) == 1] for v in outcomes]
    q = [sum((p[x] * cell[x][v] for x in giving[v]), Fraction(0)) for v in outcomes]
    d = [sum((p[x] for x in only[v]), Fraction(0)) for v in outcomes]
    copies = [sum((Fraction(now.copies[x], len(cell[x])) for x in giving[v]), Fraction(0)) for v in outcomes]
    gained = gain(table, now, test)
    return Scores(
        informative(table, now, test),
        gained,
        sum(d, Fraction(0)) - d[_last_largest([len(members) for members in only])] + gained,
        1 - q[_last_largest(copies)] + gained,
        _bits(q) - sum(float(p[x]) * _bits(cell[x].values()) for x in now.candidates),
        tuple(q),
        tuple(giving),
    )


def gain(table: Table, now: State, test: int, weight: Mapping[int, Fraction] | None = None) -> Fraction:
    """Section 3: sum_g sum_v q_{v,g} (|H \\ g| - |C_v \\ g|) / |H \\ g|; terms with H inside g are 0.

    Every hypothesis its own group gives sum_v q_v (|H| - |C_v|) / (|H| - 1). The posterior unless `weight` is given.
    """
    total = Fraction(0)
    for x in now.candidates:
        others = [y for y in now.candidates if table.group[y] != table.group[x]]
        for v, probability in table.cells[x][test].items():
            ruled_out = [y for y in others if v not in table.cells[y][test]]
            if others:
                total += (weight or now.posterior)[x] * probability * Fraction(len(ruled_out), len(others))
    return total


def informative(table: Table, now: State, test: int) -> bool:
    """Section 4: the outcome sets of H on the test are not all equal; with groups, across groups (gain > 0)."""
    return any(
        table.group[x] != table.group[y] and table.cells[x][test].keys() != table.cells[y][test].keys()
        for x in now.candidates
        for y in now.candidates
    )


def _last_largest(sizes: Sequence[Fraction | int]) -> int:
    """Section 4: "Equal sizes: v* is the last of the equal outcomes"."""
    return max(v for v, size in enumerate(sizes) if size == max(sizes))


def _bits(distribution: Collection[Fraction]) -> float:
    return -sum(float(p) * log2(p) for p in distribution if p > 0)


# -------------------------------------------------------------------------------------- sections 4 and 5: the choice


def best(table: Table, now: State, policy: str) -> list[int]:
    """Every informative unspent test whose score / cost is as large as any. Empty: stop and report H."""
    if len(now.candidates) <= 1:
        return []
    value: dict[int, Fraction | float] = {}
    for test in table.tests:
        if test not in now.spent and informative(table, now, test):
            found = scores(table, now, test)
            score = {"gain": found.gain, "odtn-r": found.odtn_r, "odtn-h": found.odtn_h}
            value[test] = score.get(policy, found.information_bits) / table.cost[test]
    slack = 1 - RELATIVE_TIE if policy == "information-gain" else 1
    return [test for test, v in value.items() if v >= max(value.values()) * slack]


def choose(table: Table, now: State, policy: str, order: Sequence[int] = ()) -> int | None:
    """The test to ask, None when no informative one is left; `order` for the two policies that follow one.

    Section 5: `non-adaptive` "stops when no test left is informative for its H"; `low-adaptive`: "the same order,
    skipping a test that is not informative for the current H". Section 4: "the lowest index wins".
    """
    if policy not in ("non-adaptive", "low-adaptive"):
        return min(best(table, now, policy), default=None)
    left = [test for test in order if test not in now.spent]
    useful = [test for test in left if informative(table, now, test)]
    return (useful if policy == "low-adaptive" else left)[0] if useful else None


@dataclass(frozen=True, slots=True)
class Order:
    """All tests; the first len(scores) of them by their score G(e), the rest by index."""

    tests: tuple[int, ...]
    scores: tuple[Fraction, ...]


def non_adaptive_order(table: Table) -> Order:
    """Section 5: G(e) = sum over the answer paths with more than one hypothesis alive of gain(e; H) on unnormalised w.

    Order by G(e)/c_e, ties to the lowest index; "the scored part ends when all G(e) = 0; the other tests follow in
    index order". The scores given are G(e), not divided by the cost.
    """
    chosen: list[int] = []
    found: list[Fraction] = []
    paths: list[dict[int, Collection[int]]] = [{}]
    while True:
        alive = [(path, now) for path in paths if len((now := state(table, path)).candidates) > 1]
        rest = [test for test in table.tests if test not in chosen]
        score = {test: sum((gain(table, now, test, now.weight) for _, now in alive), Fraction(0)) for test in rest}
        if not any(score.values()):
            return Order(tuple(chosen + rest), tuple(found))
        pick = max(rest, key=lambda test: (score[test] / table.cost[test], -test))
        chosen.append(pick)
        found.append(score[pick])
        paths = [{**path, pick: (v,)} for path, now in alive for v in _possible(table, now, pick)]


def _possible(table: Table, now: State, test: int) -> list[int]:
    return sorted({v for x in now.candidates for v in table.cells[x][test]})


# ------------------------------------------------------------------------------------- sections 6 and 7: whole trees


def stopping_rule(table: Table, stop: str) -> Callable[[Collection[int]], bool]:
    """Section 6. D_x = x and all y that share an outcome with x on every one of the table's n tests."""

    def inseparable(x: int, y: int) -> bool:
        return all(table.cells[x][test].keys() & table.cells[y][test].keys() for test in table.tests)

    around = [{y for y in table.hypotheses if inseparable(x, y)} for x in table.hypotheses]
    rules: dict[str, Callable[[Collection[int]], bool]] = {
        "unique": lambda h: len(h) <= 1,
        "group": lambda h: len({table.group[x] for x in h}) <= 1,
        "neighborhood": lambda h: any(set(h) <= close for close in around),
        "clique": lambda h: all(set(h) <= around[x] for x in h),
    }
    return rules[stop]


def scored_table(table: Table, stop: str) -> Table:
    """Section 6: under every rule but `group` "the scores are the plain ones of section 3"."""
    return table if stop == "group" else plain(table)


@dataclass(frozen=True, slots=True)
class Cost:
    """Section 7. Nodes are inner nodes and leaves; unresolved: the rule does not hold and no test is left to ask."""

    expected: Fraction
    worst: Fraction
    nodes: int
    unresolved_probability: Fraction


def walk(table: Table, policy: str, stop: str = "unique", answers: Answers | None = None) -> Cost:
    """Section 7: expected cost = sum over the inner nodes of the policy's tree of sum(w) * c_e.

    From the state after `answers` it is what remains to be paid, and probabilities are those seen from there.
    """
    table = scored_table(table, stop)
    stopped = stopping_rule(table, stop)
    order = non_adaptive_order(table).tests if policy.endswith("-adaptive") else ()

    start = state(table, answers or {})

    def below(answers: Answers) -> Cost:
        now = state(table, answers)
        reach = now.reach_probability / start.reach_probability
        done = stopped(now.candidates)
        test = None if done else choose(table, now, policy, order)
        if test is None:
            return Cost(Fraction(0), Fraction(0), 1, Fraction(0) if done else reach)
        parts = [below({**answers, test: (v,)}) for v in _possible(table, now, test)]
        return Cost(
            reach * table.cost[test] + sum(part.expected for part in parts),
            table.cost[test] + max(part.worst for part in parts),
            1 + sum(part.nodes for part in parts),
            sum((part.unresolved_probability for part in parts), Fraction(0)),
        )

    return below(answers or {})


@dataclass(frozen=True, slots=True)
class Optimum:
    """The least expected cost of any policy, the first tests that reach it, and how many states were looked at."""

    expected: Fraction
    first_tests: tuple[int, ...]
    states: int


def optimal(table: Table, stop: str = "unique") -> Optimum:
    """Dynamic programming over (H, spent, posterior) with the same rules: informative tests only. Tiny tables only."""
    table = scored_table(table, stop)
    stopped = stopping_rule(table, stop)
    seen: dict[tuple[object, ...], tuple[Fraction, tuple[int, ...]]] = {}

    def remaining(answers: dict[int, Collection[int]]) -> tuple[Fraction, tuple[int, ...]]:
        now = state(table, answers)
        if stopped(now.candidates):
            return Fraction(0), ()
        key = (now.spent, tuple(now.posterior.items()))
        if key not in seen:
            cost: dict[int, Fraction] = {}
            for test in table.tests:
                if test not in now.spent and informative(table, now, test):
                    cost[test] = table.cost[test]
                    for v in _possible(table, now, test):
                        after = {**answers, test: (v,)}
                        share = state(table, after).reach_probability / now.reach_probability
                        cost[test] += share * remaining(after)[0]
            least = min(cost.values(), default=Fraction(0))
            seen[key] = least, tuple(test for test, c in cost.items() if c == least)
        return seen[key]

    expected, first = remaining({})
    return Optimum(expected, first, len(seen))


def entropy_bound(table: Table) -> float:
    """Section 7: sum -pi log2 pi, divided by log2 K; a lower bound for unit costs when every case ends with |H| = 1."""
    return _bits(table.prior) / log2(max(table.outcomes))
