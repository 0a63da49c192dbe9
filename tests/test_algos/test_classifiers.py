"""The random classifiers of the benchmarks: what their docstring promises, worked out cell by cell."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import erf, sqrt

import numpy as np
import pytest

from benchmarks.classifiers import DEGREES, classifiers, distinguishable, knowledge_base

SURE = {(0, 1), (1, 0)}


@pytest.mark.parametrize("degree", DEGREES)
def test_shape_and_share_of_unknown_cells(degree: int) -> None:
    cells = classifiers(degree, seed=1)
    assert cells.shape == (100, 200)
    assert set(np.unique(cells)) == ({-1, 0, 1} if degree else {0, 1})
    assert (cells == -1).mean() == pytest.approx(erf(degree / 100 / sqrt(2)), abs=0.02)


def test_a_wider_margin_only_takes_outcomes_away() -> None:
    tables = [classifiers(degree, seed=2) for degree in DEGREES]
    for narrow, wide in pairwise(tables):
        assert ((wide == narrow) | (wide == -1)).all()
        assert (wide == -1).sum() > (narrow == -1).sum()


def test_each_seed_gives_its_own_table_again_and_again() -> None:
    assert (classifiers(10, seed=3) == classifiers(10, seed=3)).all()
    assert (classifiers(10, seed=3) != classifiers(10, seed=4)).any()


@pytest.mark.parametrize("degree", DEGREES)
def test_any_two_rows_kept_are_told_apart_and_no_row_can_be_added(degree: int) -> None:
    """In the plane, where neighbours are common and reduction has work to do."""
    cells = classifiers(degree, seed=5, tests=40, dimensions=2)
    kept = [tuple(row) for row in distinguishable(cells).tolist()]
    assert 1 < len(kept) < len(cells)
    for row, other in combinations(kept, 2):
        assert SURE & set(zip(row, other, strict=True))
    for row in cells.tolist():
        assert tuple(row) in kept or any(not SURE & set(zip(row, other, strict=True)) for other in kept)


def test_the_first_of_inseparable_rows_stays() -> None:
    rows = np.array([[0, -1], [0, 0], [1, -1], [-1, 1]], np.int8)
    assert distinguishable(rows).tolist() == [[0, -1], [1, -1]]


def test_the_knowledge_base_has_the_reduced_table() -> None:
    kb = knowledge_base(20, seed=1)
    cells = np.array(kb.codes).reshape(len(kb.hypotheses), len(kb.tests))
    assert (cells == distinguishable(classifiers(20, seed=1))).all()
    assert sum(hypothesis.prior for hypothesis in kb.hypotheses) == pytest.approx(1)
