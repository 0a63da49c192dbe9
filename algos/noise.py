"""How much a table leaves open, which is what the guarantees depend on: the noise of Jia et al., NeurIPS 2019."""

from __future__ import annotations

import numpy as np

from algos.jit import kernel
from algos.scores import ODTN_H, ODTN_R, cell_size_of
from algos.table import Bool, Columns, OutcomeTable


@kernel
def open_cells(columns: Columns) -> Bool:
    """(m, n) the cells with more than one outcome."""
    m, n = columns.cells.shape
    found = np.empty((m, n), np.bool_)
    for x in range(m):
        for e in range(n):
            found[x, e] = cell_size_of(columns, x, e) > 1
    return found


def better_guarantee(table: OutcomeTable) -> int:
    """ODTN_R or ODTN_H by Theorem 4.7; r: most open cells of one test, h: most of one hypothesis."""
    found = open_cells(table.columns)
    r, h = found.sum(axis=0).max(), found.sum(axis=1).max()
    return ODTN_R if r <= h else ODTN_H
