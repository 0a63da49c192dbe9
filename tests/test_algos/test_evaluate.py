"""What each hypothesis costs, against an enumeration of its own answers; random cases, whole and interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import algos.rollout
from algos.belief import believe
from algos.decide import plan_of
from algos.evaluate import Figures, Follower, by_kernels, evaluate, step_by_step
from algos.rollout import Ahead, Rollout
from algos.simulate import Cases, Sample
from algos.sparse import SparseSteps, next_test, sparsity
from algos.steps import UNFINISHED
from algos.stopping import GROUP, UNIQUE, stop_rule
from algos.table import OutcomeTable
from algos.walk import walk
from diagnoser.policies import POLICIES
from tests import naive
from tests.conftest import examples
from tests.strategies import tables

few = settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
small = tables(max_hypotheses=6, max_tests=5)
Answers = dict[int, tuple[int, ...]]


def silent(_share: float, _cases: int) -> None:
    """Tell nobody."""


def ends(
    table: naive.Table, x: int, ask: Callable[[Answers], int], given: Answers | None = None
) -> Iterator[tuple[Fraction, Fraction, Answers]]:
    """Where x is the truth: the probability, the cost and the answers of each end, every answer drawn apart."""
    given = given or {}
    test = ask(given)
    if test < 0:
        yield Fraction(1), Fraction(0), given
        return
    for v, share in table.cells[x][test].items():
        for chance, cost, answers in ends(table, x, ask, {**given, test: (v,)}):
            yield share * chance, table.cost[test] + cost, answers


def check(figures: Figures, table: naive.Table, stop: str, ask: Callable[[Answers], int]) -> None:
    """The figures are those of all ends; the mean of the hypotheses' own costs is the expected cost."""
    assert figures.walk.complete
    over, unresolved, worst, expected = naive.stopping_rule(table, stop), 0.0, 0.0, list[float]()
    for x in table.hypotheses:
        found = list(ends(table, x, ask))
        expected.append(float(sum(chance * cost for chance, cost, _ in found)))
        worst = max(worst, *(float(cost) for _, cost, _ in found))
        left = sum(chance for chance, _, answers in found if not over(naive.state(table, answers).candidates))
        unresolved += float(table.prior[x] * left)
    assert figures.own.cost.tolist() == pytest.approx(expected, abs=1e-9)
    assert figures.own.cost @ [float(p) for p in table.prior] == pytest.approx(figures.walk.expected_cost, abs=1e-9)
    assert figures.walk.worst_cost == pytest.approx(worst)
    assert figures.walk.unresolved_probability == pytest.approx(unresolved, abs=1e-9)
    assert not figures.own.standard_error.any()


def kernel_way(table: OutcomeTable, rule: int, *, grouped: bool = False) -> Follower:
    return by_kernels(table, plan_of(table, rule, grouped), believe(table, []))


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

    check(evaluate(built, believe(built, []), way, 100, 0, silent), table, stop, ask)


@st.composite
def repeating(draw: st.DrawFn) -> tuple[naive.Table, OutcomeTable]:
    """A table, and the same in arrays; some of its tests may repeat each other's evidence."""
    table = draw(small)
    evidence = draw(st.lists(st.integers(-1, 1), min_size=len(table.tests), max_size=len(table.tests)))
    return table, OutcomeTable.build(**naive.arguments(table), evidence=evidence)


@pytest.mark.parametrize("ahead", [Ahead(), Ahead(2, 3), Ahead(1, 4, 3)])
@few
@given(both=repeating(), stop=st.sampled_from([UNIQUE, GROUP]))
def test_each_hypothesis_looking_ahead(ahead: Ahead, stop: int, both: tuple[naive.Table, OutcomeTable]) -> None:
    """Asked question by question; answers that repeat evidence come apart from each other all the same."""
    table, built = both
    plan = plan_of(built, POLICIES["gain"].rule, stop == GROUP)._replace(stop=stop_rule(built, stop))
    shares: list[float] = []
    way = step_by_step(built, Rollout(built, plan, ahead), believe(built, []), shares.append)
    figures = evaluate(built, believe(built, []), way, 100, 0, silent)
    name = "group" if stop == GROUP else "unique"
    check(
        figures, table, name, lambda answers: Rollout(built, plan, ahead).choose(believe(built, [*answers.items()]))[0]
    )
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


@few
@given(both=repeating(), grouped=st.booleans())
def test_each_hypothesis_under_the_sparse_policy(both: tuple[naive.Table, OutcomeTable], grouped: bool) -> None:
    """Asked question by question as `next` does, also where answers repeat evidence."""
    table, built = both
    sparse = sparsity(built, force=True)
    way = step_by_step(built, SparseSteps(built, sparse, grouped), believe(built, []), lambda _: None)
    check(
        evaluate(built, believe(built, []), way, 100, 0, silent),
        table,
        "group" if grouped else "unique",
        lambda answers: next_test(built, sparse, [*answers.items()], grouped=grouped),
    )


# -------------------------------------------------------------------------------------------------------- random cases


def noisy(evidence: int = -1) -> OutcomeTable:
    """The first four tests have this number of a set that repeats evidence."""
    random = np.random.default_rng(3)
    cells = random.choice([0, 1, -1], size=(9, 8))
    prior, cost = random.integers(1, 5, 9), random.integers(1, 4, 8) / 2
    return OutcomeTable.build(cells, [2] * 8, prior=prior, cost=cost, evidence=[evidence] * 4 + [-1] * 4)


def ways(table: OutcomeTable) -> dict[str, Follower]:
    start = believe(table, [])
    ahead = Rollout(table, plan_of(table, POLICIES["gain"].rule), Ahead())
    sparse = SparseSteps(table, sparsity(table, force=True), grouped=False)
    return {
        "gain": kernel_way(table, POLICIES["gain"].rule),
        "rollout": step_by_step(table, ahead, start, lambda _: None),
        "sparse": step_by_step(table, sparse, start, lambda _: None),
    }


def sampled(way: Follower, runs: int = 2000, **changes: Any) -> Figures:
    unfinished = way._replace(walk=lambda shares: UNFINISHED, **changes)
    return evaluate(noisy(), believe(noisy(), []), unfinished, runs, 6, silent)


@pytest.mark.parametrize("evidence", [-1, 0])
@pytest.mark.parametrize("name", ["gain", "rollout", "sparse"])
def test_random_cases_are_near_the_exact_figures(name: str, evidence: int) -> None:
    """Within five standard errors, once in millions by chance; the seed is fixed."""
    table = noisy(evidence)
    way, start = ways(table)[name], believe(table, [])
    exact = evaluate(table, start, way, 2000, 6, silent)
    found = evaluate(table, start, way._replace(walk=lambda shares: UNFINISHED), 2000, 6, silent)
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
    way = kernel_way(table, POLICIES["gain"].rule)._replace(walk=lambda shares: UNFINISHED)
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
