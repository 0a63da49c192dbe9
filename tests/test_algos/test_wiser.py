"""The figures for the 255 x 78 table of the paper, derived apart from this code (4575/544 and so on)."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from algos import scores
from algos.belief import believe
from algos.decide import Plan, plan_of
from algos.order import fixed_order
from algos.stopping import UNIQUE, stop_rule
from algos.table import OutcomeTable
from algos.walk import walk
from diagnoser.policies import POLICIES
from tests.conftest import SHARED, WISER, needs_compiler

TABLE = SHARED / "data" / "wiser_clean.csv"
pytestmark = [
    pytest.mark.skipif(not TABLE.is_file(), reason="wiser_clean.csv is not beside the repository"),
    needs_compiler,
]

CODE = {"1": 0, "0": 1, "u": -1}


def lines(path: object) -> list[list[str]]:
    with open(str(path), newline=None, encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


@pytest.fixture(scope="module")
def cells() -> np.ndarray:
    return np.array([[CODE[cell] for cell in row[:78]] for row in lines(TABLE)])


@pytest.mark.parametrize("policy", WISER)
def test_uniform_prior(cells: np.ndarray, policy: str) -> None:
    table = OutcomeTable.build(cells, [2] * 78)
    unique = stop_rule(table, UNIQUE)
    order = fixed_order(table, unique)
    found = walk(table, believe(table, []), Plan(POLICIES[policy].rule, order.tests, unique))
    cost, worst, nodes = WISER[policy]
    assert found.expected_cost == pytest.approx(cost, abs=1e-6)
    assert found.worst_cost == worst
    assert nodes is None or found.inner_nodes + found.leaves == nodes
    assert found.unresolved_probability == 0


def test_power_law_prior(cells: np.ndarray) -> None:
    prior = [float(row[1]) for row in lines(TABLE.with_name("wiser_prior.csv"))]
    table = OutcomeTable.build(cells, [2] * 78, prior=prior)
    assert table.entropy_bits == pytest.approx(6.217956, abs=1e-6)
    found = walk(table, believe(table, []), plan_of(table, scores.GAIN))
    assert found.expected_cost == pytest.approx(7.066432, abs=1e-6)
