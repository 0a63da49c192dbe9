"""The sparse policy against a slow twin written from section 5 of the definitions, and against truthful operators."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algos import sparse
from algos.belief import Answer, believe
from algos.decide import plan_of, score_tests
from algos.scores import GAIN
from algos.simulate import draw_cases
from algos.sparse import NotSparse, SparseSteps, replay, sparsity
from algos.steps import Joint, simulate_steps, walk_steps
from algos.table import OutcomeTable
from algos.walk import Walk
from tests import naive, strategies
from tests.conftest import WITHOUT_COMPILER, examples, needs_compiler

Given = tuple[int, tuple[int, ...]]


# --------------------------------------------------------------------------------------------------- the slow twin


def determinate(table: naive.Table, x: int, test: int) -> bool:
    return len(table.cells[x][test]) == 1


def least_bound(table: naive.Table) -> int:
    """m^alpha for C = 1 and the least alpha >= 0 such that no test is determinate for more hypotheses."""
    return max(1, *(sum(determinate(table, x, test) for x in table.hypotheses) for test in table.tests))


def separates(table: naive.Table, test: int, some: list[int]) -> bool:
    """Two of them have disjoint cells."""
    return any(not table.cells[x][test].keys() & table.cells[y][test].keys() for x in some for y in some)


def rivals_ruled_out(table: naive.Table, now: naive.State, test: int, z: int) -> int:
    (outcome,) = table.cells[z][test]
    return sum(outcome not in table.cells[x][test] for x in now.candidates)


@dataclass
class Twin:
    """Section 5, one answer after the other, told as the text tells it."""

    table: naive.Table
    phase: str = "greedy"
    greedy_tests: int = 0
    taken: tuple[int, ...] = ()
    checks_left: int = 0

    def ask(self, answers: list[Given]) -> int | None:
        now = naive.state(self.table, dict(answers))
        if len({self.table.group[x] for x in now.candidates}) <= 1:
            return None
        if self.phase == "compare":
            return self._comparisons(now)[0]
        if self.phase == "check":
            return self.checks(now)[0]
        return naive.choose(self.table, now, "gain")

    def answered(self, answers: list[Given]) -> None:
        """The last of the answers is the new one; every test counts, whatever was asked."""
        now = naive.state(self.table, dict(answers))
        if self.phase == "greedy":
            self.greedy_tests += 1
            if self.greedy_tests in (1, 2, 4, 8, 16, 32, 64):
                size = math.ceil(2 * 1 * least_bound(self.table))
                self.taken = tuple(sorted(now.candidates, key=lambda x: (self._open(x, now), x))[:size])
                self.phase = "compare"
                self.checks_left = 6
        elif self.phase == "check":
            self.checks_left -= 1
        if self.phase == "compare":
            remain = self.remaining(now)
            if len(remain) == 1:
                self.phase = "check"
            elif not remain or not self._comparisons(now):
                self.phase = "greedy"
        if self.phase == "check" and (not self.remaining(now) or not self.checks_left or not self.checks(now)):
            self.phase = "greedy"

    def _open(self, x: int, now: naive.State) -> int:
        return sum(not determinate(self.table, x, test) for test in now.spent)

    def remaining(self, now: naive.State) -> list[int]:
        return [x for x in self.taken if x in now.candidates]

    def _comparisons(self, now: naive.State) -> list[int]:
        remain = self.remaining(now)
        return [t for t in self.table.tests if t not in now.spent and separates(self.table, t, remain)]

    def checks(self, now: naive.State) -> list[int]:
        (z,) = self.remaining(now)
        plain = naive.plain(self.table)
        useful = [
            test
            for test in plain.tests
            if test not in now.spent and determinate(plain, z, test) and naive.informative(plain, now, test)
        ]
        return sorted(useful, key=lambda test: (-rivals_ruled_out(plain, now, test, z), test))


def twin_cost(table: naive.Table) -> tuple[Fraction, Fraction, Fraction, int]:
    """Expected and worst cost, unresolved probability, nodes; every path is told from its beginning."""

    def below(answers: list[Given]) -> tuple[Fraction, Fraction, Fraction, int]:
        twin = Twin(table)
        for last in range(len(answers)):
            twin.answered(answers[: last + 1])
        now = naive.state(table, dict(answers))
        test = twin.ask(answers)
        if test is None:
            done = len({table.group[x] for x in now.candidates}) <= 1
            return Fraction(0), Fraction(0), Fraction(0) if done else now.reach_probability, 1
        outcomes = sorted({v for x in now.candidates for v in table.cells[x][test]})
        parts = [below([*answers, (test, (v,))]) for v in outcomes]
        return (
            now.reach_probability * table.cost[test] + sum(part[0] for part in parts),
            table.cost[test] + max(part[1] for part in parts),
            sum((part[2] for part in parts), Fraction(0)),
            1 + sum(part[3] for part in parts),
        )

    return below([])


@st.composite
def mostly_unknown(draw: st.DrawFn) -> naive.Table:
    """Tables on which all three phases occur: many tests, few determinate cells, sometimes costs and groups."""
    m, n = draw(st.integers(2, 9)), draw(st.integers(1, 14))
    most = draw(st.integers(2, 3))
    cells = [naive.uniform([v]) for v in range(most)]
    unknown = naive.uniform(range(most))
    kinds = st.sampled_from([*cells, naive.uniform([0, 1]), *[unknown] * draw(st.integers(2, 6))])
    rows = [[draw(kinds) for _ in range(n)] for _ in range(m)]
    cost = draw(st.none() | st.lists(st.integers(1, 3).map(Fraction), min_size=n, max_size=n))
    group = draw(st.none() | st.lists(st.integers(0, 3), min_size=m, max_size=m))
    return naive.build([most] * n, rows, cost=cost, group=group)


def next_test(
    table: OutcomeTable,
    answers: Sequence[Answer],
    *,
    force: bool = False,
    grouped: bool = False,
    excluded: Collection[int] = (),
) -> int:
    return sparse.next_test(table, sparsity(table, force=force), answers, grouped=grouped, excluded=excluded)


ANY_TABLE = mostly_unknown() | strategies.tables()


def fast(table: naive.Table) -> OutcomeTable:
    return OutcomeTable.build(**naive.arguments(table))


@settings(deadline=None, max_examples=examples(150))
@given(st.booleans(), ANY_TABLE, st.data())
def test_every_step_is_the_twin_s(grouped: bool, table: naive.Table, data: st.DataObject) -> None:
    """Operators answer the test asked, or another one, truthfully, doubtfully or not at all."""
    table = table if grouped else naive.plain(table)
    quick, twin = fast(table), Twin(table)
    truth = data.draw(st.sampled_from(table.hypotheses))
    answers: list[Given] = []
    while True:
        asked = twin.ask(answers)
        assert next_test(quick, answers, grouped=grouped, force=True) == (-1 if asked is None else asked)
        if asked is None:
            break
        unspent = [test for test in table.tests if test not in dict(answers)]
        test = asked if data.draw(st.integers(0, 4)) else data.draw(st.sampled_from(unspent))
        seen = data.draw(st.sampled_from(sorted(table.cells[truth][test])))
        also = data.draw(st.sampled_from([(), (), (), (0,), tuple(range(table.outcomes[test]))]))
        answers.append((test, tuple(sorted({seen, *also})) if data.draw(st.integers(0, 6)) else ()))
        twin.answered(answers)


def well_known(rng: random.Random) -> naive.Table:
    """Three hypotheses known on most tests among many of which a test knows six: taken, compared and checked."""
    outcomes, n = rng.choice([2, 3]), 110
    unknown = naive.uniform(range(outcomes))
    cells = [[unknown] * n for _ in range(70)]
    for test in range(n):
        for x in [x for x in (0, 30, 69) if rng.random() < 0.8] + rng.sample(range(70), 6):
            cells[x][test] = naive.uniform(rng.choice([[0], [1], [0], [1], [outcomes - 1], [0, 1]]))
    return naive.build([outcomes] * n, cells)


def test_long_cases_pass_through_every_phase_as_the_twin_does() -> None:
    """At times all six checks are used up, at times the hypothesis checked goes; the greedy step is the gain's."""
    ways: set[str] = set()
    for seed in (3, 6) if WITHOUT_COMPILER else range(10):
        rng = random.Random(seed)  # noqa: S311
        table = well_known(rng)
        quick, twin = fast(table), Twin(table)
        answers: list[Given] = []
        while (test := next_test(quick, answers, force=True)) >= 0:
            # Answers are those of the first candidate, in a check of every second case those of any.
            left = naive.state(table, dict(answers)).candidates
            hidden = rng.choice(left) if seed % 2 and twin.phase == "check" else left[0]
            if twin.phase == "greedy":
                assert test == score_tests(quick, believe(quick, answers), plan_of(quick, GAIN)).choice
            else:
                assert test == twin.ask(answers)
            answers.append((test, (rng.choice(sorted(table.cells[hidden][test])),)))
            checking = twin.phase == "check"
            twin.answered(answers)
            now = naive.state(table, dict(answers))
            if checking and twin.phase == "greedy":
                remain = twin.remaining(now)
                ways.add("gone" if not remain else "used up" if not twin.checks_left and twin.checks(now) else "done")
            if twin.greedy_tests == 16:
                ways.add("long")
    assert {"gone", "used up", "long"} <= ways


def cost_of(table: OutcomeTable, *, grouped: bool = False) -> Walk:
    return SparseSteps(table, sparsity(table, force=True), grouped).walk(believe(table, []))


@settings(deadline=None, max_examples=examples(60))
@given(st.booleans(), st.one_of(mostly_unknown().filter(lambda t: len(t.tests) <= 7), strategies.tables()))
def test_the_whole_tree_is_the_twin_s(grouped: bool, table: naive.Table) -> None:
    table = table if grouped else naive.plain(table)
    expected, worst, unresolved, nodes = twin_cost(table)
    cost = cost_of(fast(table), grouped=grouped)
    assert cost.complete
    assert cost.expected_cost == pytest.approx(float(expected))
    assert cost.worst_cost == pytest.approx(float(worst))
    assert cost.unresolved_probability == pytest.approx(float(unresolved))
    assert cost.inner_nodes + cost.leaves == nodes


def test_of_repeated_evidence_the_walk_counts_one_answer_as_the_next_question_does() -> None:
    """All tests repeat each other's evidence; cells are weighed unevenly, so counting twice asks something else."""
    random, steered = np.random.default_rng(1), 0
    for _ in range(60):
        cells, partials = np.full((6, 6), -1), [list[list[tuple[int, float]]]() for _ in range(6)]
        for x, e in np.ndindex(6, 6):
            kind, share = random.random(), float(random.choice([0.1, 0.3, 0.7, 0.9]))
            if kind < 0.4:
                partials[e].append([(0, share), (1, 1 - share)])
                cells[x, e] = -1 - len(partials[e])
            elif kind < 0.8:
                cells[x, e] = random.integers(2)
        table, apart = (OutcomeTable.build(cells, [2] * 6, partials=partials, evidence=[v] * 6) for v in (0, -1))
        steps, answers = SparseSteps(table, sparsity(table, force=True), grouped=False), list[Given]()
        state = steps.begin(believe(table, []))
        while (test := steps.ask(state)) >= 0:
            assert test == next_test(table, answers, force=True)
            steered += test != next_test(apart, answers, force=True)
            likely = [v for v in (0, 1) if len(believe(table, [*answers, (test, [v])]).rows)]
            answers.append((test, (int(random.choice(likely)),)))
            state = steps.after(state, test, answers[-1][1][0])
        assert next_test(table, answers, force=True) == -1
    assert steered


# ------------------------------------------------------------------------------------------------ how sparse a table is


def test_alpha_is_the_least_that_holds_and_dense_tables_are_refused() -> None:
    cells = np.full((16, 3), -1)
    cells[:2, 0] = cells[4:8, 1] = 0
    found = sparsity(OutcomeTable.build(cells, [2] * 3))
    assert found.alpha == pytest.approx(0.5)  # 4 = 16^(1/2)
    assert found.taken == 8
    cells[8, 1] = 1
    dense = OutcomeTable.build(cells, [2] * 3)
    with pytest.raises(NotSparse, match="is known for 5 of 16 hypotheses; sparse is for tables with at most 4 on each"):
        next_test(dense, [])
    assert sparsity(dense, force=True).alpha == pytest.approx(math.log(5, 16))
    assert sparsity(dense, force=True).taken == 10
    assert next_test(dense, [], force=True) == 1  # the only test with two sides


def test_one_interruption_worked_out_by_hand() -> None:
    """m^alpha = 1, so two are taken. The check asked rules out no rival but may rule out the first itself."""
    partials = [[], [[(1, 0.5), (2, 0.5)]], [], []]
    cells = [[-1, 0, -1, 0], [-1, -2, -1, -1], [-1, -1, 1, -1], [0, -1, -1, -1]]
    table = OutcomeTable.build(cells, [3] * 4, partials=partials)
    assert next_test(table, [(0, [1])]) == 1  # the last is out, the first two are taken and differ there
    assert next_test(table, [(0, [1]), (1, [0])]) == 3  # the second is out; the gain alone would ask 2
    assert next_test(table, [(1, [0]), (0, [1])]) == 2  # in this order none of the two taken is left alone
    assert next_test(table, [(0, [1]), (1, [0]), (3, [])]) == 2  # no check left


@pytest.mark.parametrize("cells", [[[0]], [[-1]], [[-1, -1], [-1, -1]]])
def test_nothing_to_ask(cells: list[list[int]]) -> None:
    table = OutcomeTable.build(cells, [2] * len(cells[0]))
    assert next_test(table, []) == -1
    cost = cost_of(table)
    assert (cost.expected_cost, cost.leaves) == (0.0, 1)
    assert cost.unresolved_probability == (1.0 if len(cells) > 1 else 0.0)


def test_a_contradiction_and_bad_answers() -> None:
    table = OutcomeTable.build([[0, 0], [0, 1]], [2, 2])
    assert next_test(table, [(0, [1])], force=True) == -1
    with pytest.raises(ValueError, match="answered twice"):
        next_test(table, [(0, [0]), (0, [0])], force=True)


def test_an_excluded_hypothesis_is_no_candidate() -> None:
    table = OutcomeTable.build([[0], [1]], [2])
    assert next_test(table, [], force=True) == 0
    assert next_test(table, [], force=True, excluded=[1]) == -1


# ------------------------------------------------------------------------------------------------ never a wrong name


def sparse_table(m: int, n: int, rng: random.Random) -> OutcomeTable:
    """Each test determinate for exactly the whole part of the square root of m hypotheses."""
    cells = np.full((m, n), -1)
    for test in range(n):
        for x in rng.sample(range(m), math.isqrt(m)):
            cells[x, test] = rng.randrange(2)
    return OutcomeTable.build(cells, [2] * n)


@needs_compiler
@pytest.mark.parametrize(("m", "cases", "seed"), [(100, 12, 1), (400, 3, 2), (1000, 2, 3)])
def test_truthful_operators_never_lose_the_truth_and_get_no_name_too_early(m: int, cases: int, seed: int) -> None:
    """Half of the operators now and then answer another test or cannot tell; H is worked out here from the cells."""
    rng = random.Random(seed)  # noqa: S311
    table = sparse_table(m, 12 * math.isqrt(m), rng)
    cells, found = table.columns.cells, sparsity(table)
    assert found.taken == 2 * math.isqrt(m)
    for number in range(cases):
        truth, wayward = rng.randrange(m), number % 2
        left = np.ones(m, np.bool_)
        answers: list[Given] = []
        while (asked := sparse.next_test(table, found, answers)) >= 0:
            spent = [test for test, _ in answers]
            assert left.sum() > 1
            assert asked not in spent
            assert len(set(cells[left, asked])) > 1
            unspent = sorted(set(range(table.tests)) - set(spent))
            test = rng.choice(unspent) if wayward and rng.random() < 0.1 else asked
            if wayward and rng.random() < 0.1:
                answers.append((test, ()))
                continue
            outcome = int(cells[truth, test]) if cells[truth, test] >= 0 else rng.randrange(2)
            answers.append((test, (outcome,)))
            left &= (cells[:, test] == outcome) | (cells[:, test] == -1)
            assert left[truth]
        assert list(believe(table, answers).rows) == list(np.flatnonzero(left))
        assert next_test(table, answers) == -1
        unspent = sorted(set(range(table.tests)) - {test for test, _ in answers})
        assert left.sum() == 1 or all(len(set(cells[left, test])) == 1 for test in unspent)


# ------------------------------------------------------------------------------------------------------ sampled cost


def test_sampled_cost_agrees_with_the_exact_one() -> None:
    table = sparse_table(16, 12, random.Random(4))  # noqa: S311
    exact = cost_of(table)
    steps, start = SparseSteps(table, sparsity(table), grouped=False), believe(table, [])
    cases = draw_cases(table, start, 2000, np.random.default_rng(7))
    sample = simulate_steps(table, steps, steps.begin(start), cases)
    error = sample.cost.std(ddof=1) / 2000**0.5
    assert 0 < error < 0.1
    assert abs(sample.cost.mean() - exact.expected_cost) < 4 * error
    assert abs(1 - sample.resolved.mean() - exact.unresolved_probability) < 0.05
    assert sample.cost.max() <= exact.worst_cost


def test_a_tree_beyond_the_limit_is_not_complete() -> None:
    table = sparse_table(16, 12, random.Random(4))  # noqa: S311
    steps, start = SparseSteps(table, sparsity(table), grouped=False), believe(table, [])
    nodes = cost_of(table).inner_nodes + cost_of(table).leaves
    assert steps.walk(start, node_limit=nodes).complete
    assert not steps.walk(start, node_limit=nodes - 1).complete


def test_the_cost_after_an_answer_is_what_the_tree_has_below_it() -> None:
    """The first test costs 1; its answers are weighed by their probability."""
    table = sparse_table(9, 9, random.Random(5))  # noqa: S311
    first, found = next_test(table, []), sparsity(table)
    steps = SparseSteps(table, found, grouped=False)
    below: list[Walk] = []
    for answers in ([(first, [0])], [(first, [1])]):
        belief = believe(table, answers)
        start = steps.begin(belief)[0], replay(table, found, answers)
        below.append(walk_steps(table, steps, start, Joint(belief.rows, belief.posterior), 20_000))
    column = table.columns.cells[:, first]
    chance = [((column == v).sum() + (column == -1).sum() / 2) / 9 for v in (0, 1)]
    whole = 1 + sum(c * cost.expected_cost for c, cost in zip(chance, below, strict=True))
    assert cost_of(table).expected_cost == pytest.approx(float(whole))
