"""How much a table leaves open, by hand and against the cells."""

from __future__ import annotations

from hypothesis import given

from algos.noise import better_guarantee, open_cells
from algos.scores import ODTN_H, ODTN_R
from algos.table import OutcomeTable
from tests import naive
from tests.strategies import tables


@given(table=tables())
def test_open_cells_have_several_outcomes(table: naive.Table) -> None:
    found = open_cells(OutcomeTable.build(**naive.arguments(table)).columns)
    assert found.tolist() == [[len(cell) > 1 for cell in row] for row in table.cells]


def test_an_unknown_cell_with_one_outcome_to_have_is_not_open() -> None:
    """The first test leaves nothing open for anybody: r = 1 and h = 2, where counting codes gives r = 4 and h = 3."""
    cells = [[-1, -1, -1], [-1, 0, 1], [-1, 1, 0], [-1, 1, 1]]
    assert better_guarantee(OutcomeTable.build(cells, [2] * 3, applicable=[1, 2, 2])) == ODTN_R
    assert better_guarantee(OutcomeTable.build(cells, [2] * 3)) == ODTN_H


def test_at_a_tie_the_choice_is_odtn_r() -> None:
    """Section 5: r <= h."""
    assert better_guarantee(OutcomeTable.build([[-1, 0], [0, 1]], [2] * 2)) == ODTN_R
