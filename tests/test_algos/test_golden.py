"""The kernels against the golden cases, without the twins in between."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from algos import scores
from algos.belief import RELIABILITY, STRICT, Errors, believe
from algos.decide import NO_ORDER, Plan, plan_of, score_tests
from algos.order import fixed_order
from algos.stopping import CLIQUE, GROUP, NEIGHBORHOOD, UNIQUE, stop_rule
from algos.table import OutcomeTable
from algos.walk import walk
from tests import naive
from tests.conftest import golden

RULES = {"r": scores.ODTN_R, "h": scores.ODTN_H, "ig": scores.INFORMATION}
GENERAL = {"gain": scores.GAIN, "odtn-r": scores.ODTN_R, "odtn-h": scores.ODTN_H}
STOPS = {"unique": UNIQUE, "neighborhood": NEIGHBORHOOD, "clique": CLIQUE}
ANSWER = {"+": [0], "-": [1], "unknown": []}


def binary_table(case: dict[str, Any]) -> OutcomeTable:
    codes = [["+-*".index(sign) for sign in row] for row in case["table"]]
    cells = np.array(codes)
    cells[cells == 2] = -1
    return OutcomeTable.build(cells, [2] * cells.shape[1], prior=[float(Fraction(p)) for p in case["prior"]])


def close(found: Any, wanted: list[str | None]) -> bool:
    return all(w is None or abs(f - float(Fraction(w))) < 1e-12 for f, w in zip(found, wanted, strict=True))


@pytest.mark.parametrize("case", golden("odtn.json"))
def test_states(case: dict[str, Any]) -> None:
    table = binary_table(case)
    for state in case["states"]:
        belief = believe(table, [(test, ANSWER[sign]) for test, sign in state["answers"]])
        assert belief.rows.tolist() == state["compatible"]
        assert close(belief.posterior, list(state.get("posterior", {}).values()))
        assert np.flatnonzero(belief.spent).tolist() == sorted(state["spent"])
        if "copies" in state:
            assert np.exp2(belief.log_copies).tolist() == pytest.approx([float(c) for c in state["copies"].values()])
        if "score_r" not in state:
            continue
        for key in ("r", "h"):
            seen = score_tests(table, belief, plan_of(table, RULES[key]))
            informative = set(state["informative"])
            assert set(np.flatnonzero(seen.informative).tolist()) == informative
            wanted = [score if test in informative else None for test, score in enumerate(state[f"score_{key}"])]
            assert close(seen.score, wanted)
            assert seen.choice == (-1 if state[f"choice_{key}"] is None else state[f"choice_{key}"])
        bits = score_tests(table, belief, plan_of(table, scores.INFORMATION)).score
        for found, known in zip(bits, state["information_gain_bits"], strict=True):
            assert known is None or found == pytest.approx(known, abs=1e-11)


@pytest.mark.parametrize("case", golden("odtn.json"))
def test_costs(case: dict[str, Any]) -> None:
    table = binary_table(case)
    for stop, policies in case["policies"].items():
        for key, wanted in policies.items():
            if key in RULES:
                rule = stop_rule(table, STOPS[stop])
                found = walk(table, believe(table, []), Plan(RULES[key], NO_ORDER, rule))
                assert found.expected_cost == pytest.approx(float(Fraction(wanted["expected_cost"])), abs=1e-12)
                assert found.worst_cost == wanted["worst_case_depth"]
                assert found.inner_nodes + found.leaves == wanted["tree_nodes"]
                assert found.complete
    unique = stop_rule(table, UNIQUE)
    order = fixed_order(table, unique)
    fixed = case["nonadaptive"]
    assert order.tests.tolist() == fixed["order"]
    assert len(order.score) == fixed["scored_prefix"]
    assert close(order.score, fixed["scores"][: fixed["scored_prefix"]])
    for rule, key in ((scores.NON_ADAPTIVE, "cost_non_adap"), (scores.LOW_ADAPTIVE, "cost_low_adap")):
        found = walk(table, believe(table, []), Plan(rule, order.tests, unique))
        assert found.expected_cost == pytest.approx(float(Fraction(fixed[key])), abs=1e-12)
        assert found.unresolved_probability == pytest.approx(float(Fraction(fixed["unresolved_mass"])), abs=1e-12)
    assert table.entropy_bits == pytest.approx(case["entropy_bits"], abs=1e-12)


@pytest.mark.parametrize("case", golden("odtn_general.json"))
def test_any_outcomes(case: dict[str, Any]) -> None:
    slow = naive.from_labels(case)
    trust = [0.95 if r is None else float(Fraction(r)) for r in case["reliability"] or [None] * len(slow.outcomes)]
    table = OutcomeTable.build(**naive.arguments(slow), reliability=trust)
    grouped = len(set(case["groups"])) < len(case["groups"])
    stop = stop_rule(table, GROUP if grouped else UNIQUE)
    errors = {"strict": STRICT, "reliability": RELIABILITY, "tolerance": Errors.tolerant(case["tolerance"])}
    for state in case["states"]:
        answers = [(t, [case["outcomes"][t].index(label) for label in said.split("|")]) for t, said in state["answers"]]
        belief = believe(table, answers, errors=errors[case["errors"]], exact=case["exact"])
        assert belief.rows.tolist() == state["candidates"]
        assert belief.mismatches.tolist() == state["mismatches"]
        assert close(belief.posterior, state["posterior"])
        for rule in GENERAL if state["scores"] else ():
            seen = score_tests(table, belief, Plan(GENERAL[rule], NO_ORDER, stop))
            assert seen.choice == state["choice"].get(rule, -1)
            for test, wanted in enumerate(state["scores"]):
                if wanted is None:
                    assert not seen.informative[test]
                    continue
                assert bool(seen.informative[test]) == wanted["informative"]
                if wanted["informative"]:
                    assert seen.score[test] == pytest.approx(float(Fraction(wanted[rule])), abs=1e-12)
                mass = [float(Fraction(q)) for q in wanted["outcome_probability"]]
                positive = [q for q in seen.probability[:, test].tolist() if q > 0]
                assert positive == pytest.approx(mass, abs=1e-12)


def test_more_copies_than_a_float_can_count() -> None:
    """2^60 + 1 copies against 2^60: the side with one more is the larger, whichever comes first."""
    stars = 60
    for more in (0, 1):
        # One row of 2^60 copies on each side, and on one side a third row without an unknown cell.
        cells = np.full((3, stars + 1), -1)
        cells[2, 1:] = 0
        cells[:, 0] = [0, 1, more]
        table = OutcomeTable.build(cells, [2] * (stars + 1))
        seen = score_tests(table, believe(table, []), plan_of(table, scores.ODTN_H))
        lighter = 1 / 3
        gain = (2 / 3) * (1 / 2) + (1 / 3) * (2 / 2)
        assert seen.score[0] == pytest.approx(lighter + gain)
