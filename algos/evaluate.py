"""What a policy costs: exactly where its tree stays under a limit, else from random cases."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from algos.belief import Belief, likelihood
from algos.decide import Plan
from algos.simulate import Cases, Sample, draw_cases, simulate
from algos.steps import Steps, simulate_steps
from algos.table import Float64, Int64, OutcomeTable
from algos.walk import NODE_LIMIT, Walk, walk

Progress = Callable[[float, int], object]
"""Called with the share of the work that is done, and the random cases drawn so far, 0 while walking."""

_State = TypeVar("_State")

CELLS_AT_ONCE = 50_000_000
"""Hypotheses times tests times random cases between two calls of `Progress`; no kernel is interrupted."""
BATCH = 500
"""Most random cases between two such calls, for a policy with kernels of its own."""


class Follower(NamedTuple):
    """How to follow one policy from a belief: everywhere, or along random cases. Its kernels are compiled."""

    walk: Callable[[Float64], Walk]
    """Fills the (m,) shares of the hypotheses in the expected cost."""
    simulate: Callable[[Cases], Sample]
    batch: int
    """Most random cases taken between two calls of `Progress`."""
    prepared: float = 0.0
    """Seconds it took to prepare the policy, without compiling."""


def step_by_step(
    table: OutcomeTable, steps: Steps[_State], start: Belief, progress: Callable[[float], object]
) -> Follower:
    """For a policy without kernels, which takes longer and can be interrupted anywhere."""
    steps.warm_up(start)
    likelihood(table, 0, [0])
    first = steps.begin(start)
    return Follower(
        lambda shares: steps.walk(start, shares, progress),
        lambda cases: simulate_steps(table, steps, first, cases),
        1,
    )


def by_kernels(table: OutcomeTable, plan: Plan, start: Belief, prepared: float = 0.0) -> Follower:
    """For a policy by score or by fixed order."""
    walk(table, start, plan, 0)
    return Follower(
        lambda shares: walk(table, start, plan, NODE_LIMIT, shares),
        lambda cases: simulate(table, start, plan, cases),
        BATCH,
        prepared,
    )


class CostsByHypothesis(NamedTuple):
    """What each hypothesis costs where it is the truth. m hypotheses, costs in the table's unit."""

    cost: Float64
    """(m,) expected, or the mean of its cases; not a number for those that are in none."""
    standard_error: Float64
    """(m,) 0 when exact; not a number for fewer than two cases."""
    cases: Int64
    """(m,) random cases of each; 0 when exact."""


class Figures(NamedTuple):
    """What a policy costs."""

    walk: Walk
    """From random cases unless complete; then it has no nodes and the worst cost is the dearest case met."""
    standard_error: float
    """Of the expected cost; 0 when it is exact."""
    cases: int
    """Random cases drawn; 0 when it is exact."""
    partial: bool
    """An interrupt ended the random cases."""
    own: CostsByHypothesis
    seconds: float
    """To prepare the policy and to walk the tree or take the cases, without compiling."""


def evaluate(
    table: OutcomeTable, start: Belief, follower: Follower, runs: int, seed: int, progress: Progress
) -> Figures:
    """The figures from this belief on; the same seed gives the same cases.

    `progress` may raise KeyboardInterrupt. Among the random cases that ends them; else it is passed on, for half a
    walk is no figure.
    """
    shares = np.zeros(table.hypotheses)
    started = time.perf_counter()
    whole = follower.walk(shares)
    seconds = follower.prepared + time.perf_counter() - started
    if whole.complete:
        own = np.full(table.hypotheses, np.nan)
        own[start.rows] = shares[start.rows] / start.posterior
        nothing = np.zeros(table.hypotheses)
        return Figures(whole, 0.0, 0, False, CostsByHypothesis(own, nothing, nothing.astype(np.int64)), seconds)
    follower.simulate(draw_cases(table, start, 0, np.random.default_rng(seed)))  # compiled while the clock stands
    started = time.perf_counter()
    truth, sample, interrupted = _sample(table, start, follower, runs, seed, progress)
    drawn = len(truth)
    found = Walk(float(sample.cost.mean()), float(sample.cost.max()), 0, 0, 1.0 - float(sample.resolved.mean()), False)
    error = float(sample.cost.std(ddof=1)) / drawn**0.5
    own_cost = _own_cost(table.hypotheses, truth, sample.cost)
    return Figures(found, error, drawn, interrupted, own_cost, seconds + time.perf_counter() - started)


def _sample(
    table: OutcomeTable, start: Belief, follower: Follower, runs: int, seed: int, progress: Progress
) -> tuple[Int64, Sample, bool]:
    """The hidden hypotheses, how their cases went, and whether an interrupt ended them; two cases at least."""
    random = np.random.default_rng(seed)
    batch = max(1, min(follower.batch, CELLS_AT_ONCE // table.columns.cells.size))
    parts: list[tuple[Int64, Sample]] = []
    drawn, interrupted = 0, False
    try:
        while drawn < runs:
            cases = draw_cases(table, start, min(batch, runs - drawn), random)
            parts.append((cases.truth, follower.simulate(cases)))
            drawn += len(cases.truth)
            progress(drawn / runs, drawn)
    except KeyboardInterrupt:
        if drawn < 2:
            raise
        interrupted = True
    truths, samples = zip(*parts, strict=True)
    return np.concatenate(truths), Sample(*map(np.concatenate, zip(*samples, strict=True))), interrupted


def _own_cost(hypotheses: int, truth: Int64, cost: Float64) -> CostsByHypothesis:
    cases = np.bincount(truth, minlength=hypotheses)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(truth, cost, hypotheses) / cases
        squares = np.bincount(truth, (cost - mean[truth]) ** 2, hypotheses)
        error = np.where(cases > 1, np.sqrt(squares / (cases - 1) / cases), np.nan)
    return CostsByHypothesis(mean, error, cases)
