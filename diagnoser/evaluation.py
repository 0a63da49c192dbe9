"""What a policy costs over all cases that a table allows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnoser.policies import Policy, Rule, StopKind, find_policy, read_stop

if TYPE_CHECKING:
    from algos.belief import Belief
    from algos.evaluate import Follower
    from algos.table import Float64
    from diagnoser.advise import Adviser


@dataclass(frozen=True, slots=True)
class CostOfHypothesis:
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
    """To prepare the policy and to walk the tree or take the random cases, without compiling."""
    by_hypothesis: tuple[CostOfHypothesis, ...]
    """In the table's order; weighed by prior, or by cases, their mean is the expected cost."""


def evaluate(
    adviser: Adviser,
    policy: str,
    stop: str,
    *,
    runs: int | None = None,
    seed: int = 0,
    progress: Callable[[float, int], object] = lambda _share, _cases: None,
) -> Evaluation:
    """The figures of a policy from the first question on: exact, or from random cases where the tree is too large.

    runs: random cases; as many as are usual for the policy where None. progress: called now and then with the share
    of the work that is done and the random cases drawn so far; a KeyboardInterrupt it raises among those makes the
    figures partial. Raises UsageError for unknown names and where the fixed order is too large to work out.
    """
    from algos.belief import believe
    from algos.evaluate import evaluate as work_out

    chosen, start = find_policy(policy), believe(adviser.table, [])
    follower = _follower(adviser, chosen, stop, start, lambda share: progress(share, 0))
    figures = work_out(adviser.table, start, follower, runs or chosen.usual_runs, seed, progress)
    walk, own = figures.walk, figures.own
    return Evaluation(
        policy=policy,
        stop=stop,
        expected_cost=walk.expected_cost,
        worst_cost=walk.worst_cost,
        nodes=walk.inner_nodes + walk.leaves if walk.complete else None,
        exact=walk.complete,
        standard_error=figures.standard_error,
        cases=figures.cases,
        partial=figures.partial,
        unresolved_probability=walk.unresolved_probability,
        entropy_bound_bits=None if walk.unresolved_probability > 0 else entropy_bound(adviser, stop),
        seconds=figures.seconds,
        by_hypothesis=tuple(
            CostOfHypothesis(
                hypothesis.id,
                hypothesis.prior,
                cost if walk.complete or cases else None,
                error if walk.complete or cases > 1 else None,
                cases,
            )
            for hypothesis, cost, error, cases in zip(
                adviser.kb.hypotheses,
                own.cost.tolist(),
                own.standard_error.tolist(),
                own.cases.tolist(),
                strict=True,
            )
        ),
    )


def _follower(
    adviser: Adviser, policy: Policy, stop: str, start: Belief, progress: Callable[[float], object]
) -> Follower:
    from algos import order
    from algos.decide import NO_ORDER, Plan
    from algos.evaluate import by_kernels, step_by_step
    from algos.sparse import SparseSteps

    table = adviser.table
    if policy.rule is Rule.SPARSE:
        return step_by_step(table, SparseSteps(table, *adviser.sparse_terms(stop, policy)), start, progress)
    plan = Plan(adviser.score(policy), NO_ORDER, adviser.stop(stop))
    if policy.ahead:
        return step_by_step(table, adviser.rollout(policy, plan), start, progress)
    if not policy.rule.ordered:
        return by_kernels(table, plan, start)
    order.warm_up(table, plan.stop)
    started = time.perf_counter()
    plan = plan._replace(order=adviser.work_out_order(stop).tests)
    return by_kernels(table, plan, start, time.perf_counter() - started)


def entropy_bound(adviser: Adviser, stop: str) -> float | None:
    """No policy that always ends can have a lower expected cost.

    The answers must carry the entropy of what is asked for, at most log2 K bits a test; each costs at least as
    much as the cheapest test. None for rules that may end before one hypothesis or group is left.
    """
    import numpy as np

    from algos.table import entropy_bits

    kind = read_stop(stop).kind
    if not kind.names_one:
        return None
    columns, prior = adviser.table.columns, adviser.table.prior
    mass: Float64 = np.bincount(columns.group, prior).astype(np.float64) if kind == StopKind.GROUP else prior
    most = int(columns.outcomes.max())
    return entropy_bits(mass) / float(np.log2(max(most, 2))) * float(columns.cost.min())


def lower_bound(adviser: Adviser, stop: str, seconds: float = 2.0) -> tuple[float, str] | None:
    """What no policy can do better than, with how it was found; None for rules it does not know."""
    from algos.bounds import lower_bound as search

    kind = read_stop(stop).kind
    if not kind.names_one:
        return None
    bound = search(adviser.table, kind == StopKind.GROUP, seconds)
    return bound.cost, bound.method
