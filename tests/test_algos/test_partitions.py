"""Partitions of nominal values: the golden tables, the slow twins, brute force, and what is guaranteed."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algos.impurity import NAMES, criterion_of, impurity, slopes
from algos.partitions import METHODS, partition, refine
from tests import naive_partitions as naive
from tests.conftest import SHARED, examples, needs_compiler

GOLDEN = SHARED / "golden" / "partitions.json"
MEASURES = ["gini", "entropy", "tsallis", "root"]

often = settings(max_examples=examples(60), deadline=None)
measures = st.sampled_from(MEASURES)


@st.composite
def tables(draw: st.DrawFn, *, most_rows: int = 7, most_classes: int = 4, empty: bool = True) -> list[list[float]]:
    """Counts or real weights, at least two rows; some rows and classes are empty, some rows are proportional."""
    k = draw(st.integers(2, most_classes))
    whole = st.integers(0 if empty else 1, 7).map(float)
    real = st.one_of(st.just(0.0), st.floats(0.01, 9.0)) if empty else st.floats(0.01, 9.0)
    weights = draw(st.sampled_from([whole, real]))
    return draw(st.lists(st.lists(weights, min_size=k, max_size=k), min_size=2, max_size=most_rows))


def golden_tables() -> list[Any]:
    if not GOLDEN.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason="partitions.json is not beside the repository"))]
    return [pytest.param(case, id=case["name"]) for case in json.loads(GOLDEN.read_text("utf-8"))["tables"]]


@pytest.mark.parametrize("case", golden_tables())
@pytest.mark.parametrize("measure", ["gini", "entropy"])
def test_golden(case: dict[str, Any], measure: str) -> None:
    criterion, wanted = criterion_of(measure), case[measure]
    assert impurity(criterion, np.array(case["class_totals"], float)) == pytest.approx(wanted["parent"], rel=1e-9)
    for method in set(METHODS) & set(wanted):
        found = partition(case["table"], method, criterion)
        assert found.impurity == pytest.approx(wanted[method]["impurity"], rel=1e-9), method
        assert found.impurity == pytest.approx(
            naive.of_partition(naive.measure(measure), case["table"], np.flatnonzero(found.left).tolist())
        )
    bettered = refine(case["table"], partition(case["table"], "lca", criterion).left, criterion)
    assert bettered.impurity == pytest.approx(wanted["lca_refined_not_in_paper"]["impurity"], rel=1e-9)


@often
@given(
    weights=st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e6)), min_size=1, max_size=6),
    measure=measures,
    order=st.sampled_from([0.5, 1.0, 2.0, 3.7]),
)
def test_impurity_is_its_definition(weights: list[float], measure: str, order: float) -> None:
    wanted = naive.impurity(naive.measure(measure, order), weights)
    assert impurity(criterion_of(measure, order), np.array(weights)) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@often
@given(
    weights=st.lists(st.floats(0.5, 20.0), min_size=2, max_size=5), measure=measures, order=st.sampled_from([0.5, 3])
)
def test_slopes_are_those_of_the_impurity(weights: list[float], measure: str, order: float) -> None:
    h, step, found = naive.measure(measure, order), 1e-4, np.empty(len(weights))
    slopes(criterion_of(measure, order), np.array(weights), found)
    ups = [
        sum(
            sign * naive.impurity(h, [w + sign * step * (c == d) for d, w in enumerate(weights)]) for sign in (1, -1)
        ) / (2 * step)
        for c in range(len(weights))
    ]  # fmt: skip
    assert np.diff(found) == pytest.approx(np.diff(ups), rel=1e-4, abs=1e-4)


@often
@given(table=tables(), measure=measures)
def test_every_method_agrees_with_its_slow_twin(table: list[list[float]], measure: str) -> None:
    h, criterion = naive.measure(measure), criterion_of(measure)
    twins = {
        "exact": naive.exact(h, table),
        "hcc": naive.hcc(h, table),
        "lca": naive.lca(h, table),
        "balanced": naive.balanced(h, table),
        "sliqext": naive.sliq(h, table, to_the_end=True),
        "sliq": naive.sliq(h, table, to_the_end=False),
        "twoing": naive.twoing(h, table),
    }
    whole = all(weight == int(weight) for row in table for weight in row)
    for method, wanted in twins.items():
        found = partition(table, method, criterion)
        assert 0 < found.left.sum() < len(table)
        side = np.flatnonzero(found.left).tolist()
        assert found.impurity == pytest.approx(naive.of_partition(h, table, side), rel=1e-9, abs=1e-9)
        if whole or method == "exact":  # sums of real weights round, so that ties may fall otherwise
            assert found.impurity == pytest.approx(wanted, rel=1e-9, abs=1e-9), method


@often
@given(table=tables(), measure=measures)
def test_no_method_beats_the_optimum_and_guarantees_hold(table: list[list[float]], measure: str) -> None:
    h, criterion = naive.measure(measure), criterion_of(measure)
    best = naive.exact(h, table)
    found = {m: partition(table, m, criterion).impurity for m in METHODS if m != "two-class"}
    assert min(found.values()) >= best * (1 - 1e-9) - 1e-9
    assert found["hcc"] <= 2 * best + 1e-9
    bound = {"gini": 2.0, "entropy": 3.0}.get(measure, 3 + math.sqrt(3))
    assert found["lca"] <= bound * best + 1e-9
    assert found["multi"] <= bound * best + 1e-9
    if measure == "entropy":
        assert found["balanced"] <= 2 * best + 1e-9


@often
@given(table=tables(most_classes=2), measure=measures)
def test_two_classes_are_solved_exactly(table: list[list[float]], measure: str) -> None:
    found = partition(table, "two-class", criterion_of(measure)).impurity
    assert found == pytest.approx(naive.exact(naive.measure(measure), table), rel=1e-9, abs=1e-9)


@often
@given(table=tables(), measure=measures, data=st.data())
def test_a_refined_partition_is_no_worse_and_no_single_move_betters_it(
    table: list[list[float]], measure: str, data: st.DataObject
) -> None:
    h, n = naive.measure(measure), len(table)
    start = data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=n - 1))
    found = refine(table, [x in start for x in range(n)], criterion_of(measure))
    left = frozenset(np.flatnonzero(found.left).tolist())
    assert 0 < len(left) < n
    assert found.impurity == pytest.approx(naive.of_partition(h, table, left), rel=1e-9, abs=1e-9)
    assert found.impurity <= naive.of_partition(h, table, start) + 1e-9
    near = [naive.of_partition(h, table, other) for other in naive.single_moves(table, left)]
    assert min(near, default=math.inf) >= found.impurity - 1e-9 * (1 + found.impurity)


@often
@given(table=tables(empty=False), measure=measures, data=st.data())
def test_the_order_of_rows_and_classes_does_not_change_the_optimum(
    table: list[list[float]], measure: str, data: st.DataObject
) -> None:
    rows = data.draw(st.permutations(range(len(table))))
    classes = data.draw(st.permutations(range(len(table[0]))))
    moved = [[table[x][c] for c in classes] for x in rows]
    criterion = criterion_of(measure)
    here, there = (partition(each, "exact", criterion).impurity for each in (table, moved))
    assert here == pytest.approx(there, rel=1e-9, abs=1e-9)


def test_order_of_rows_and_classes_without_ties() -> None:
    """Different shares of every class set: nothing depends on numbers of rows or classes."""
    draw = np.random.default_rng(3)
    for _ in range(30):
        table = draw.uniform(1, 9, (8, 4))
        rows, classes = draw.permutation(8), draw.permutation(4)
        for method in ("lca", "balanced", "pcext", "sliqext", "multi"):
            for measure in MEASURES:
                criterion = criterion_of(measure)
                found = partition(table, method, criterion)
                moved = partition(table[rows][:, classes], method, criterion)
                assert moved.impurity == pytest.approx(found.impurity, rel=1e-9), method


def test_collapsing_before_the_sweep_has_no_guarantee() -> None:
    table, gini = [[0, 1, 5], [0, 0, 32923], [24171, 0, 1]], criterion_of("gini")
    best = partition(table, "exact", gini).impurity
    assert partition(table, "twoing", gini).impurity / best == pytest.approx(6970, rel=0.001)
    assert partition(table, "hcc", gini).impurity == pytest.approx(best)


def test_directions_without_the_last_class_and_all_of_them() -> None:
    """The figure of the definition, and that of twice the directions, which ties in the order tell apart."""
    table, entropy = [[1, 0, 0], [1, 0, 3], [3, 1, 1], [2, 1, 3], [3, 0, 2]], criterion_of("entropy")
    assert partition(table, "hcc", entropy).impurity == pytest.approx(26.4441, abs=5e-5)
    h = naive.measure("entropy")
    every = [[(mask >> c) & 1 for c in range(3)] for mask in range(1, 7)]
    assert min(naive.along(h, table, d)[0] for d in every) == pytest.approx(26.4295, abs=5e-5)


def test_the_whole_numbers_of_balanced_and_all_its_sets_give_the_same() -> None:
    draw = np.random.default_rng(5)
    for _ in range(50):
        table = draw.integers(0, 8, (6, 5))
        whole, real = (partition(each, "balanced", criterion_of("entropy")) for each in (table, table / 8 + 0.0))
        assert whole.left.tolist() == real.left.tolist()


@needs_compiler
def test_many_rows_are_sorted_as_few_are() -> None:
    draw = np.random.default_rng(7)
    table = draw.integers(0, 4, (300, 3)).tolist()
    for method, twin in (("lca", naive.lca), ("hcc", naive.hcc)):
        found = partition(table, method, criterion_of("gini")).impurity
        assert found == pytest.approx(twin(naive.measure("gini"), table), rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_two_rows_have_one_partition(method: str) -> None:
    found = partition([[4, 1], [1, 3]], method, criterion_of("gini"))
    assert sorted(found.left.tolist()) == [False, True]
    assert found.impurity == pytest.approx(2 * 4 * 1 / 5 + 2 * 1 * 3 / 4)


@pytest.mark.parametrize(
    ("table", "method", "says"),
    [
        ([[1, 2]], "lca", "two rows"),
        ([1, 2], "lca", "two rows"),
        ([[1, -2], [3, 4]], "lca", "not negative"),
        ([[1, math.nan], [3, 4]], "lca", "finite"),
        ([[1, 2], [3, 4]], "best", 'no way to part values is called "best"; known: exact, '),
        ([[1, 2, 3], [3, 4, 5]], "two-class", "takes two classes, not 3"),
        (np.ones((25, 2)), "exact", "at most 24 rows, not 25"),
        (np.ones((3, 13)), "hcc", "at most 12 classes, not 13; multi takes any number"),
        (np.ones((3, 30)) / 3, "balanced", "at most 24 classes of such weights, not 30"),
    ],
)
def test_what_cannot_be_parted_is_said(table: Any, method: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        partition(table, method, criterion_of("gini"))


def test_measures_and_starts_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match=f"known: {', '.join(NAMES)}"):
        criterion_of("misclassification")
    with pytest.raises(ValueError, match="above 0, not 0"):
        criterion_of("tsallis", 0)
    with pytest.raises(ValueError, match="a row on each side"):
        refine([[1, 2], [3, 4]], [True, True], criterion_of("gini"))
