"""What each hypothesis costs, against an enumeration of its own answers; random cases, whole and interrupted."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import algos.rollout
from algos.belief import believe
from algos.evaluate import Figures, Way, evaluate, step_by_step
from algos.rollout import Ahead, Rollout
from algos.simulate import Cases, Sample, simulate
from algos.sparse import SparseSteps, next_test, sparsity
from algos.steps import UNFINISHED
from algos.stopping import GROUP, UNIQUE, stop_rule
from algos.table import OutcomeTable
from algos.walk import NODE_LIMIT, plan_of, walk
from diagnoser.policies import POLICIES
from tests import naive
from tests.conftest import examples
from tests.strategies import tables

few = settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
small = tables(max_hypotheses=6, max_tests=5)
Answers = dict[int, tuple[int, ...]]


def silent(_share: float, _cases: int) -> None:
    """Tell nobody."""


def own_cost(table: naive.Table, x: int, ask: Callable[[Answers], int], given: Answers | None = None) -> Fraction:
    """What the policy costs where x is the truth: all its answers, each by its probability."""
    given = given or {}
    test = ask(given)
    if test < 0:
        return Fraction(0)
    parts = (share * own_cost(table, x, ask, {**given, test: (v,)}) for v, share in table.cells[x][test].items())
    return table.cost[test] + sum(parts)


def check(figures: Figures, table: naive.Table, ask: Callable[[Answers], int]) -> None:
    """Each hypothesis' own cost is the enumerated one, and their mean is the expected cost."""
    assert figures.walk.complete
    expected = [float(own_cost(table, x, ask)) for x in table.hypotheses]
    assert figures.own.cost.tolist() == pytest.approx(expected, abs=1e-9)
    assert figures.own.cost @ [float(p) for p in table.prior] == pytest.approx(figures.walk.expected_cost, abs=1e-9)
    assert not figures.own.standard_error.any()


def kernel_way(table: OutcomeTable, rule: int, *, grouped: bool = False, limit: int = NODE_LIMIT) -> Way:
    plan, start = plan_of(table, rule, grouped), believe(table, [])
    return Way(
        lambda shares: walk(table, start, plan, limit, shares),
        lambda cases: simulate(table, start, plan, cases),
        10_000,
        500,
    )


@pytest.mark.parametrize("policy", ["gain", "odtn-r", "odtn-h"])
@few
@given(table=small, stop=st.sampled_from(["unique", "group"]))
def test_each_hypothesis_under_a_score(policy: str, stop: str, table: naive.Table) -> None:
    built = OutcomeTable.build(**naive.arguments(table))
    way = kernel_way(built, POLICIES[policy].rule, grouped=stop == "group")
    scored, over = naive.scored_table(table, stop), naive.stopping_rule(table, stop)

    def ask(answers: Answers) -> int:
        now = naive.state(scored, answers)
        test = None if over(now.candidates) else naive.choose(scored, now, policy)
        return -1 if test is None else test

    check(evaluate(built, believe(built, []), way, 100, 0, silent), table, ask)


@pytest.mark.parametrize("ahead", [Ahead(), Ahead(2, 3), Ahead(1, 4, 3)])
@few
@given(table=small, stop=st.sampled_from([UNIQUE, GROUP]))
def test_each_hypothesis_looking_ahead(ahead: Ahead, stop: int, table: naive.Table) -> None:
    """Asked question by question."""
    built = OutcomeTable.build(**naive.arguments(table))
    plan = plan_of(built, POLICIES["gain"].rule, stop == GROUP)._replace(stop=stop_rule(built, stop))
    shares: list[float] = []
    way = step_by_step(built, Rollout(built, plan, ahead), believe(built, []), shares.append)
    figures = evaluate(built, believe(built, []), way, 100, 0, silent)
    check(figures, table, lambda answers: Rollout(built, plan, ahead).choose(believe(built, [*answers.items()]))[0])
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


@few
@given(table=small, grouped=st.booleans())
def test_each_hypothesis_under_the_sparse_policy(grouped: bool, table: naive.Table) -> None:
    table = table if grouped else naive.plain(table)
    built = OutcomeTable.build(**naive.arguments(table))
    steps = SparseSteps(built, sparsity(built, force=True), grouped)
    way = step_by_step(built, steps, believe(built, []), lambda _: None)

    def ask(answers: Answers) -> int:
        return next_test(built, [*answers.items()], grouped=grouped, force=True)

    check(evaluate(built, believe(built, []), way, 100, 0, silent), table, ask)


# -------------------------------------------------------------------------------------------------------- random cases


def noisy() -> OutcomeTable:
    random = np.random.default_rng(3)
    cells = random.choice([0, 1, -1], size=(9, 8))
    return OutcomeTable.build(cells, [2] * 8, prior=random.integers(1, 5, 9), cost=random.integers(1, 4, 8) / 2)


def ways(table: OutcomeTable) -> dict[str, Way]:
    start = believe(table, [])
    ahead = Rollout(table, plan_of(table, POLICIES["gain"].rule), Ahead())
    sparse = SparseSteps(table, sparsity(table, force=True), grouped=False)
    return {
        "gain": kernel_way(table, POLICIES["gain"].rule),
        "rollout": step_by_step(table, ahead, start, lambda _: None),
        "sparse": step_by_step(table, sparse, start, lambda _: None),
    }


def sampled(way: Way, runs: int = 2000, **changes: Any) -> Figures:
    unfinished = way._replace(walk=lambda shares: UNFINISHED, **changes)
    return evaluate(noisy(), believe(noisy(), []), unfinished, runs, 6, silent)


@pytest.mark.parametrize("name", ["gain", "rollout", "sparse"])
def test_random_cases_are_near_the_exact_figures(name: str) -> None:
    """Within five standard errors, once in millions by chance; the seed is fixed."""
    way = ways(noisy())[name]
    exact = evaluate(noisy(), believe(noisy(), []), way, 2000, 6, silent)
    found = sampled(way)
    assert exact.walk.complete
    assert (found.walk.complete, found.cases, found.partial) == (False, 2000, False)
    assert abs(found.walk.expected_cost - exact.walk.expected_cost) <= 5 * found.standard_error
    assert found.own.cases.sum() == 2000
    assert (found.own.cost * found.own.cases).sum() / 2000 == pytest.approx(found.walk.expected_cost)
    assert (np.abs(found.own.cost - exact.own.cost) <= 5 * found.own.standard_error + 1e-9).all()
    assert found.walk.worst_cost <= exact.walk.worst_cost


def test_the_standard_errors_by_hand() -> None:
    found = sampled(ways(noisy())["gain"], 100)
    cases: list[tuple[int, float]] = []
    way = ways(noisy())["gain"]

    def spy(drawn: Cases) -> Sample:
        sample = way.simulate(drawn)
        cases.extend(zip(drawn.truth.tolist(), sample.cost.tolist(), strict=True))
        return sample

    sampled(way._replace(simulate=spy), 100)
    for x in range(9):
        mine = [cost for truth, cost in cases if truth == x]
        assert found.own.cases[x] == len(mine)
        assert found.own.cost[x] == pytest.approx(sum(mine) / len(mine))
        squares = sum((cost - sum(mine) / len(mine)) ** 2 for cost in mine)
        assert found.own.standard_error[x] == pytest.approx((squares / (len(mine) - 1) / len(mine)) ** 0.5)


def test_who_is_in_no_case_has_no_figure() -> None:
    table = OutcomeTable.build([[0], [1]], [2], prior=[1, 1e-9])
    way = kernel_way(table, POLICIES["gain"].rule, limit=0)
    own = evaluate(table, believe(table, []), way, 100, 0, silent).own
    assert (own.cost[0], own.cases.tolist()) == (1, [100, 0])
    assert np.isnan([own.cost[1], own.standard_error[1]]).all()


@pytest.mark.parametrize("name", ["gain", "rollout", "sparse"])
@pytest.mark.parametrize("batch", [1, 7, 60])
def test_batches_change_nothing(name: str, batch: int) -> None:
    way = ways(noisy())[name]
    whole, parts = sampled(way, 60, batch=60), sampled(way, 60, batch=batch)
    assert whole._replace(seconds=0, own=parts.own) == parts._replace(seconds=0)
    assert whole.own.cost.tolist() == pytest.approx(parts.own.cost.tolist(), nan_ok=True)


class Interrupts:
    """Presses Ctrl-C once this many cases are drawn."""

    def __init__(self, after: int) -> None:
        self.after, self.told = after, list[tuple[float, int]]()

    def __call__(self, share: float, cases: int) -> None:
        self.told.append((share, cases))
        if cases >= self.after:
            raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["gain", "rollout", "sparse"])
def test_an_interrupt_leaves_the_cases_drawn_so_far(name: str) -> None:
    way = ways(noisy())[name]._replace(walk=lambda shares: UNFINISHED, batch=10)
    interrupt = Interrupts(30)
    found = evaluate(noisy(), believe(noisy(), []), way, 100, 6, interrupt)
    assert interrupt.told == [(0.1, 10), (0.2, 20), (0.3, 30)]
    thirty = sampled(way, 30)
    assert (found.cases, found.partial, thirty.partial) == (30, True, False)
    assert found.walk == thirty.walk
    assert found.standard_error == thirty.standard_error


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), ValueError()])
def test_an_interrupt_at_the_end_of_a_kernel(cause: BaseException) -> None:
    """It comes as SystemError, or two of them; its cases are lost. Any other SystemError is a mistake."""
    way, done = ways(noisy())["gain"], list[int]()

    def third_fails(cases: Cases) -> Sample:
        done.append(len(cases.truth))
        if len(done) == 4:  # the first call is without a case
            inner = SystemError("inside")
            inner.__cause__ = cause
            raise SystemError("returned a result with an exception set") from inner
        return way.simulate(cases)

    failing = way._replace(walk=lambda shares: UNFINISHED, simulate=third_fails, batch=10)
    if isinstance(cause, ValueError):
        with pytest.raises(SystemError):
            evaluate(noisy(), believe(noisy(), []), failing, 100, 6, silent)
        return
    found = evaluate(noisy(), believe(noisy(), []), failing, 100, 6, silent)
    assert (found.cases, found.partial, found.walk) == (20, True, sampled(way, 20).walk)


def test_one_case_is_no_figure() -> None:
    way = ways(noisy())["gain"]._replace(walk=lambda shares: UNFINISHED, batch=1)
    with pytest.raises(KeyboardInterrupt):
        evaluate(noisy(), believe(noisy(), []), way, 100, 6, Interrupts(1))


def test_half_a_walk_is_no_figure() -> None:
    def interrupted(share: float) -> None:
        raise KeyboardInterrupt

    rollout = Rollout(noisy(), plan_of(noisy(), POLICIES["gain"].rule), Ahead())
    way = step_by_step(noisy(), rollout, believe(noisy(), []), interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluate(noisy(), believe(noisy(), []), way, 100, 6, silent)


# ---------------------------------------------------------------------------------- a base that is too large to walk


def test_a_base_too_large_to_walk_leaves_the_walk_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    table = noisy()
    plan, start = plan_of(table, POLICIES["gain"].rule), believe(table, [])
    base = walk(table, start, plan)
    monkeypatch.setattr(algos.rollout, "STEP_LIMIT", base.inner_nodes + base.leaves - 1)
    assert Rollout(table, plan, Ahead()).walk(start) == UNFINISHED


@pytest.mark.parametrize("limit", [1, 3, 5, 9, 15])
@few
@given(table=small)
def test_where_comparing_takes_too_long_nothing_is_lost(limit: int, table: naive.Table) -> None:
    """Above the limit the choice is the base's; so the cost is never above the base's."""
    built = OutcomeTable.build(**naive.arguments(table))
    plan, start = plan_of(built, POLICIES["gain"].rule), believe(built, [])
    base = walk(built, start, plan).expected_cost
    for level in (1, 2):
        assert Rollout(built, plan, Ahead(level), node_limit=limit).walk(start).expected_cost <= base + 1e-9
    nowhere = Rollout(built, plan, Ahead(), node_limit=0).walk(start)
    assert nowhere.expected_cost == pytest.approx(base)
