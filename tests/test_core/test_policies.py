"""The contract of every policy in the registry, and its agreement with the slow twins."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnoser.advise import Adviser
from diagnoser.case import Answered, Case, Settings
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import POLICIES, find_policy
from tests import naive
from tests.conftest import examples
from tests.strategies import tables
from tests.tables import from_twin

# sparse is for sparse tables; these are not.
every_policy = pytest.mark.parametrize("policy", [f"{p}:force" if p == "sparse" else p for p in POLICIES])
random_cases = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def answer(kb: KnowledgeBase, test: str, truth: int, data: st.DataObject) -> Answered:
    """What an operator facing this hypothesis could say: one of its outcomes, or that it cannot be told."""
    index = kb.test_index[test]
    possible = [kb.tests[index].outcomes[v].id for v, _ in kb.cell(truth, index).outcomes]
    said = data.draw(st.sampled_from([*possible, None]))
    return Answered(test, () if said is None else (said,))


@every_policy
@random_cases
@given(table=tables(), data=st.data())
def test_contract(policy: str, table: naive.Table, data: st.DataObject) -> None:
    """Deterministic; never asks twice; asks only what tells candidates apart; keeps the truth; comes to an end."""
    kb = from_twin(table)
    stop = "group" if kb.groups else "unique"
    truth = data.draw(st.sampled_from(table.hypotheses))
    adviser, case = Adviser(kb), Case.new(Settings(policy, stop))
    asked: list[str] = []
    while (advice := adviser.advise(case.state)).proposal is not None:
        assert advice.status == "open"
        assert advice == Adviser(kb).advise(case.state)
        assert advice.proposal is advice.tests[0]
        assert advice.proposal.test not in asked
        left = {c.hypothesis for c in advice.candidates}
        assert kb.hypotheses[truth].id in left
        splits = any(branch.candidates_left < len(left) for branch in advice.proposal.branches)
        assert splits or find_policy(policy).rule.name == "NON_ADAPTIVE"
        assert sum(branch.probability for branch in advice.proposal.branches) == pytest.approx(1)
        asked.append(advice.proposal.test)
        case = case.with_event(answer(kb, advice.proposal.test, truth, data))
    assert advice.status in {"identified", "group", "inseparable"}
    assert kb.hypotheses[truth].id in {c.hypothesis for c in advice.candidates}
    if advice.status == "inseparable":
        now = naive.state(
            table,
            {
                kb.test_index[a.test]: {
                    int(o[1:]) if o != "n/a" else table.outcomes[kb.test_index[a.test]] - 1 for o in a.outcomes
                }
                for a in case.state.answers
            },
        )
        assert not any(naive.informative(table, now, test) for test in table.tests if test not in now.spent)


def first_of_rollout(table: naive.Table, stop: str) -> int:
    """The cheapest to the end among the ten best by gain, worked out with the slow twins."""
    plain = naive.scored_table(table, stop)
    now = naive.state(plain, {})
    rate = {
        e: naive.scores(plain, now, e).gain / table.cost[e] for e in table.tests if naive.informative(plain, now, e)
    }
    ten = sorted(rate, key=lambda e: (-rate[e], e))[:10]
    total = {
        e: float(table.cost[e])
        + sum(
            float(q) * float(naive.walk(table, "gain", stop, {e: {v}}).expected)
            for v, q in enumerate(naive.scores(plain, now, e).outcome_probability)
            if q > 0
        )
        for e in ten
    }
    return min(e for e in ten if total[e] <= min(total.values()) * (1 + 1e-9))


def first_of_auto(table: naive.Table, stop: str) -> int | None:
    unsure = [[len(cell) > 1 for cell in row] for row in table.cells]
    r = max(sum(column) for column in zip(*unsure, strict=True))
    h = max(sum(row) for row in unsure)
    return first_of("odtn-r" if r <= h else "odtn-h")(table, stop)


def first_of(policy: str) -> Callable[[naive.Table, str], int | None]:
    def choose(table: naive.Table, stop: str) -> int | None:
        plain = naive.scored_table(table, stop)
        order = naive.non_adaptive_order(plain).tests
        return naive.choose(plain, naive.state(plain, {}), policy, order)

    return choose


FIRST = {
    "rollout": first_of_rollout,
    "gain": first_of("gain"),
    "odtn-r": first_of("odtn-r"),
    "odtn-h": first_of("odtn-h"),
    "odtn-auto": first_of_auto,
    "sparse": first_of("gain"),  # its first question is greedy; tests/test_algos/test_sparse.py has the others
    "non-adaptive": first_of("non-adaptive"),
    "low-adaptive": first_of("low-adaptive"),
    "information-gain": first_of("information-gain"),
}


def test_every_policy_has_a_twin() -> None:
    assert set(FIRST) == set(POLICIES)


@every_policy
@random_cases
@given(table=tables())
def test_first_question_is_the_twins(policy: str, table: naive.Table) -> None:
    kb = from_twin(table)
    stop = "group" if kb.groups else "unique"
    advice = Adviser(kb).advise(Case.new(Settings(policy, stop)).state)
    if advice.status == "open":
        assert advice.proposal is not None
        assert advice.proposal.test == f"t{FIRST[policy.partition(':')[0]](table, stop)}"


def test_every_policy_says_what_it_is() -> None:
    for name, policy in POLICIES.items():
        assert policy.name == name
        assert policy.summary
        assert policy.guarantee
