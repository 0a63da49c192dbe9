"""The one way in: what is refused, and that nothing can be changed afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algos.table import OutcomeTable

GOOD: dict[str, Any] = {"cells": [[0, -2], [1, -1]], "outcomes": [2, 3], "partials": [[], [[(0, 0.5), (2, 0.5)]]]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cells": np.zeros((0, 2))}, "cells: shape"),
        ({"cells": [[0, 3], [1, 0]]}, "code 3 at hypothesis 0, test 1"),
        ({"cells": [[0, 0], [1, -3]]}, "code -3 at hypothesis 1, test 1"),
        ({"outcomes": [2]}, "outcomes: shape"),
        ({"outcomes": [0, 3]}, "outcomes: bad value at index 0"),
        ({"applicable": [2, 4]}, "applicable: bad value at index 1"),
        ({"partials": [[]]}, "partials: 1 tests, expected 2"),
        ({"partials": [[], [[(0, 0.5), (3, 0.5)]]]}, "outcome 3 of entry 0, test 1"),
        ({"partials": [[], [[(0, 0.5), (2, 0.4)]]]}, "entry 0, test 1 do not sum to 1"),
        ({"prior": [1.0, 0.0]}, "prior: bad value at index 1"),
        ({"prior": [np.nan, 1.0]}, "prior: bad value at index 0"),
        ({"cost": [1.0, -1.0]}, "cost: bad value at index 1"),
        ({"cost": [np.inf, 1.0]}, "cost: bad value at index 0"),
        ({"group": [1]}, "group: shape"),
    ],
)
def test_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        OutcomeTable.build(**(GOOD | change))


def test_arrays_are_read_only_copies() -> None:
    cells = np.array([[0, 1], [1, 0]])
    table = OutcomeTable.build(cells, [2, 2])
    cells[0, 0] = 1
    assert table.columns.cells[0, 0] == 0
    for array in (*table.columns, table.prior, table.log_copies):
        assert not array.flags.writeable
        assert array.flags.c_contiguous


def test_prior_is_scaled_and_tiny_ones_survive() -> None:
    table = OutcomeTable.build([[0], [1], [-1]], [2], prior=[1e-300, 3.0, 1.0])
    assert table.prior.sum() == pytest.approx(1.0)
    assert (table.prior > 0).all()


def test_groups_are_numbered_from_zero() -> None:
    table = OutcomeTable.build([[0], [1], [-1]], [2], group=[7, 3, 7])
    assert table.columns.group.tolist() == [1, 0, 1]


def test_copies_are_the_product_of_cell_sizes() -> None:
    table = OutcomeTable.build(**GOOD)
    assert np.exp2(table.log_copies).tolist() == pytest.approx([2.0, 3.0])
