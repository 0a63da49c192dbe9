"""Where the rows of a table come out of a tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algos.jit import kernel
from algos.splits import FEATURE, KIND, NUMBER, TO
from algos.table import Bool, Float64, Int64
from algos.trees import CHOSEN, CODES, FIRST_CHILD, SPLIT, Tree


class Routes(NamedTuple):
    """A tree whose numbers are split by values instead of codes."""

    tree: Tree
    thresholds: Float64
    """(N,) at a number up to this goes left; infinity for known values against missing ones."""


@kernel
def stops(routes: Routes, values: Float64, ends: Bool) -> Int64:
    """(rows,) the node each row stops at, the first of its path that is a leaf or marked in `ends`, (N,).

    values: (m, rows) numbers, and codes of nominal values; NaN or 0 is a missing value. A nominal value that did not
    occur in a node goes the way of missing values.
    """
    tree, thresholds = routes.tree, routes.thresholds
    shape, children, codes, ways = tree.shape, tree.children, tree.codes, tree.ways
    found = np.zeros(values.shape[1], np.int64)
    for row in range(values.shape[1]):
        node = 0
        while shape[node, SPLIT + FEATURE] >= 0 and not ends[node]:
            value, way = values[shape[node, SPLIT + FEATURE], row], shape[node, SPLIT + TO]
            if shape[node, SPLIT + KIND] == NUMBER:
                if value == value:  # not NaN
                    way = 0 if value <= thresholds[node] else 1
            else:
                start, end = shape[node, CHOSEN], shape[node, CHOSEN] + shape[node, CODES]
                place = start + np.searchsorted(codes[start:end], np.int64(value))
                if value != 0.0 and place < end and codes[place] == np.int64(value):
                    way = ways[place]
            node = children[shape[node, FIRST_CHILD] + way]
        found[row] = node
    return found
