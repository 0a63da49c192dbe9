"""Sums from bit planes: the planes against the cells, the sums against whole numbers added one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import algos.table
from algos.belief import believe
from algos.decide import plan_of, score_tests
from algos.planes import Planes, build_planes, sum_planes, unpack
from algos.scores import GAIN, INFORMATION, ODTN_H, ODTN_R, Room, Sums, add_up, new_room, rate_pairs, sum_branches
from algos.stopping import GROUP, UNIQUE, stop_rule
from algos.table import OutcomeTable
from tests.conftest import examples

FILLED = ("can", "only", "only_mass", "mass", "given_bits")


def table_of(hypotheses: int, tests: int, unknown: float, seed: int) -> OutcomeTable:
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 2, (hypotheses, tests))
    cells[rng.random(cells.shape) < unknown] = -1
    return OutcomeTable.build(cells, [2] * tests)


def by_planes(table: OutcomeTable, rows: np.ndarray, p: np.ndarray) -> Sums:
    room = new_room(table.columns)
    total = sum_planes(build_planes(table.columns.binary), rows, p, room.packed)
    unpack(room.packed, total, len(rows), room.sums)
    return room.sums


def by_rows(table: OutcomeTable, rows: np.ndarray, p: np.ndarray) -> Sums:
    room = new_room(table.columns)
    sum_branches(table.columns, GAIN, rows, p, np.zeros(len(rows)), False, room)
    return room.sums


def one_by_one(table: OutcomeTable, rows: np.ndarray, p: np.ndarray) -> dict[str, list[list[float]]]:
    """The same fields from Python's whole numbers: each mass rounded to a fixed point, then added exactly."""
    point = 62 - len(rows).bit_length()
    weights = [int(mass * 2.0**point + 0.5) for mass in p.tolist()]
    sums: dict[str, list[list[float]]] = {"can": [[], []], "only": [[], []], "only_mass": [[], []], "mass": [[], []]}
    for column in table.columns.cells[rows].T.tolist():
        silent = [weight for code, weight in zip(column, weights, strict=True) if code == -1]
        for v in range(2):
            only = [weight for code, weight in zip(column, weights, strict=True) if code == v]
            sums["only"][v].append(len(only))
            sums["can"][v].append(len(only) + len(silent))
            sums["only_mass"][v].append(sum(only) / 2**point)
            sums["mass"][v].append(sum(only) / 2**point + 0.5 * (sum(silent) / 2**point))
    return sums


def assert_equal_sums(table: OutcomeTable, rows: np.ndarray, p: np.ndarray) -> None:
    found, expected = by_planes(table, rows, p), by_rows(table, rows, p)
    for field in FILLED:
        assert getattr(found, field).tolist() == getattr(expected, field).tolist(), field
    for field, values in one_by_one(table, rows, p).items():
        assert getattr(found, field).tolist() == values, field


@pytest.mark.parametrize("hypotheses", [1, 7, 63, 64, 65, 128, 200])
def test_bits_are_the_cells(hypotheses: int) -> None:
    table = table_of(hypotheses, 5, 0.3, hypotheses)
    planes = build_planes(table.columns.binary)
    cells = table.columns.cells
    for x in range(64 * len(planes.first)):
        for e in range(5):
            bits = tuple(int(plane[x // 64, e]) >> (x % 64) & 1 for plane in planes[:2])
            assert bits == ((cells[x, e] == 0, cells[x, e] == -1) if x < hypotheses else (0, 0))
            if x < hypotheses:
                can = tuple(int(planes.can[v, e, x // 64]) >> (x % 64) & 1 for v in range(2))
                assert can == (cells[x, e] in (0, -1), cells[x, e] in (1, -1))


def test_planes_are_read_only_and_contiguous() -> None:
    for plane in build_planes(table_of(70, 3, 0.2, 1).columns.binary):
        assert plane.dtype == np.uint64
        assert plane.flags.c_contiguous
        assert not plane.flags.writeable


def test_a_table_of_other_cells_has_no_planes() -> None:
    three = OutcomeTable.build([[0], [1], [2]], [3])
    assert [plane.shape for plane in build_planes(three.columns.binary)] == [(0, 0), (0, 0), (2, 0, 0)]


@settings(max_examples=examples(150), deadline=None)
@given(
    hypotheses=st.integers(1, 300),
    tests=st.integers(1, 12),
    unknown=st.sampled_from([0.0, 0.2, 0.9, 1.0]),
    share=st.sampled_from([0.01, 0.3, 0.9, 1.0]),
    spread=st.sampled_from([0.0, 3.0, 200.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_sums_are_equal_to_the_last_bit(
    hypotheses: int, tests: int, unknown: float, share: float, spread: float, seed: int
) -> None:
    table = table_of(hypotheses, tests, unknown, seed)
    rng = np.random.default_rng(seed)
    size = max(1, round(share * hypotheses))
    rows = np.sort(rng.choice(hypotheses, size, replace=False))
    mass = np.exp(-spread * rng.random(size))
    assert_equal_sums(table, rows, mass / mass.sum())


def test_a_large_table() -> None:
    table = table_of(10_007, 9, 0.2, 2)
    rng = np.random.default_rng(3)
    for size in (10_007, 5_003, 1):
        rows = np.sort(rng.choice(10_007, size, replace=False))
        mass = rng.random(size)
        assert_equal_sums(table, rows, mass / mass.sum())


def test_words_without_candidates_are_passed_over() -> None:
    table = table_of(640, 6, 0.2, 4)
    rows = np.array([63, 64, 639])
    assert_equal_sums(table, rows, np.array([0.5, 0.25, 0.25]))


def test_a_mass_below_the_fixed_point_still_counts() -> None:
    table = OutcomeTable.build([[0], [1], [-1]], [2])
    sums = by_planes(table, np.arange(3), np.array([1.0, 1e-300, 0.0]))
    assert sums.only[:, 0].tolist() == [1, 1]
    assert sums.can[:, 0].tolist() == [2, 2]
    assert sums.only_mass[:, 0].tolist() == [1.0, 0.0]


def test_all_unknown_halves_the_mass() -> None:
    table = OutcomeTable.build(np.full((130, 2), -1), [2, 2])
    sums = by_planes(table, np.arange(130), np.full(130, 1 / 130))
    assert sums.can.tolist() == [[130, 130], [130, 130]]
    assert sums.only.tolist() == [[0, 0], [0, 0]]
    assert sums.mass.ravel().tolist() == pytest.approx([0.5] * 4, abs=1e-12)
    assert sums.given_bits.tolist() == pytest.approx([1.0] * 2, abs=1e-12)


def test_the_topmost_bits_of_a_word() -> None:
    first, unknown = np.array([[2**64 - 1], [0]], np.uint64), np.array([[0], [2**63]], np.uint64)
    planes = Planes(first, unknown, np.zeros((2, 1, 2), np.uint64))
    room = new_room(OutcomeTable.build(np.zeros((128, 1), np.int8), [2]).columns)
    total = sum_planes(planes, np.arange(128), np.full(128, 1 / 128), room.packed)
    unpack(room.packed, total, 128, room.sums)
    sums = room.sums
    assert sums.only[:, 0].tolist() == [64, 63]
    assert sums.only_mass[:, 0].tolist() == [0.5, 63 / 128]
    assert sums.mass[:, 0].tolist() == [0.5 + 1 / 256, 63 / 128 + 1 / 256]


@pytest.mark.parametrize("rule", [GAIN, ODTN_R, INFORMATION])
def test_one_pass_over_packed_sums_gives_the_rates_of_the_steps(rule: int) -> None:
    rng = np.random.default_rng(rule)
    for size in (2, 3, 5, 40):
        codes = table_of(50, 20, 0.3, size).columns.cells
        table = OutcomeTable.build(codes, [2] * 20, prior=rng.uniform(1, 9, 50), cost=rng.uniform(1, 9, 20))
        belief = believe(table, [], excluded=range(size, 50))
        seen = score_tests(table, belief, plan_of(table, rule))
        room: Room = new_room(table.columns)
        room.closed[:] = False
        rate_pairs(rule, size, add_up(table.columns.binary, belief.rows, belief.posterior, room.packed), room)
        wanted = np.where(seen.informative, seen.score / table.columns.cost, -np.inf)
        assert room.rate.tolist() == pytest.approx(wanted.tolist(), rel=1e-12)
        assert np.isfinite(wanted).any()


@pytest.mark.parametrize("kind", [UNIQUE, GROUP])
@pytest.mark.parametrize("rule", [GAIN, ODTN_R, ODTN_H, INFORMATION])
def test_a_table_with_bit_planes_has_the_scores_of_one_without(
    rule: int, kind: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planes are for large tables; here the limit is lowered. With few candidates left they are passed by."""
    rng = np.random.default_rng(rule)
    given = {"prior": rng.uniform(1, 9, 130), "cost": rng.uniform(1, 9, 7), "group": rng.integers(0, 9, 130)}
    cells = table_of(130, 7, 0.3, 5).columns.cells
    plain = OutcomeTable.build(cells, [2] * 7, **given)
    monkeypatch.setattr(algos.table, "PLANES_FROM", 130)
    packed = OutcomeTable.build(cells, [2] * 7, **given)
    assert (plain.planes, packed.planes is None) == (None, False)
    plan = plan_of(plain, rule)._replace(stop=stop_rule(plain, kind))
    for answers in ([], [(0, [1])], [(test, [0]) for test in range(4)]):
        found, wanted = (score_tests(table, believe(table, answers), plan) for table in (packed, plain))
        assert (found.choice, found.over) == (wanted.choice, wanted.over)
        assert found.informative.tolist() == wanted.informative.tolist()
        assert found.stay.tolist() == wanted.stay.tolist()
        assert found.score.tolist() == pytest.approx(wanted.score.tolist(), rel=1e-12)
        assert found.probability.ravel().tolist() == pytest.approx(wanted.probability.ravel().tolist(), rel=1e-12)
