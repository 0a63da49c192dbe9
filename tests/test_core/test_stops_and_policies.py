"""Policies and stopping rules by name, and what a case keeps to under every one of them."""

from __future__ import annotations

import csv
from array import array
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import algos.evaluate
import algos.rollout
from diagnoser.advise import Adviser, standing_answers
from diagnoser.case import Answered, Case, Settings, State, Withdrawn
from diagnoser.errors import UsageError
from diagnoser.evaluation import evaluate
from diagnoser.kb import Hypothesis, KnowledgeBase, Outcome, Test
from diagnoser.policies import (
    POLICIES,
    QUICK_CELLS,
    USUAL_AHEAD,
    Rule,
    StopKind,
    default_policy,
    find_policy,
    find_stop,
    read_stop,
    stop_words,
)
from tests import naive
from tests.conftest import SHARED, examples
from tests.strategies import tables
from tests.tables import from_twin, yes_no

ANY_TABLE = [name for name in POLICIES if name != "sparse"]
"""Policies for every table and rule; sparse says itself what it is not for."""
ROLLOUTS = ["rollout:odtn-r:3:2", "rollout:information-gain:2:1:3"]

every_policy = pytest.mark.parametrize("policy", [*ANY_TABLE, *ROLLOUTS])
random_cases = settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))

# --------------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("name", "rule", "ahead"),
    [
        ("rollout", Rule.GAIN, USUAL_AHEAD),
        ("rollout:odtn-r", Rule.ODTN_R, USUAL_AHEAD),
        ("rollout:odtn-h:7", Rule.ODTN_H, (7, *USUAL_AHEAD[1:])),
        ("rollout:odtn-r:20:2", Rule.ODTN_R, (20, 2, USUAL_AHEAD[2])),
        ("rollout:information-gain:20:2:3", Rule.INFORMATION, (20, 2, 3)),
        ("rollout:gain:1:1:0", Rule.GAIN, (1, 1, 0)),
        ("gain", Rule.GAIN, None),
        ("odtn-auto", Rule.AUTO, None),
    ],
)
def test_policy_names(name: str, rule: Rule, ahead: tuple[int, int, int] | None) -> None:
    policy = find_policy(name)
    assert (policy.name, policy.rule, policy.ahead) == (name, rule, ahead)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "best",
        "GAIN",
        "gain:10",
        "odtn-r:20:2",
        "rollout:",
        "rollout:best",
        "rollout:rollout",
        "rollout:non-adaptive",
        "rollout:low-adaptive",
        "rollout:sparse",
        "rollout:gain:",
        "rollout:gain:ten",
        "rollout:gain:-1",
        "rollout:gain:+3",
        "rollout:gain:1.5",
        "rollout:gain:²",
        "rollout:gain:٣",
        "rollout:gain:1001",
        "rollout:gain:" + "9" * 5000,
        "rollout:gain:0",
        "rollout:gain:10:0",
        "rollout:gain:10:1:2:3",
        "rollout:10",
        " rollout",
    ],
)
def test_malformed_policies_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        find_policy(name)


@pytest.mark.parametrize(
    ("name", "kind", "threshold"),
    [
        ("unique", StopKind.UNIQUE, 0),
        ("group", StopKind.GROUP, 0),
        ("neighborhood", StopKind.NEIGHBORHOOD, 0),
        ("clique", StopKind.CLIQUE, 0),
        ("posterior:0.95", StopKind.POSTERIOR, 0.95),
        ("posterior:1", StopKind.POSTERIOR, 1),
        ("budget:12.5", StopKind.BUDGET, 12.5),
        ("budget:1e3", StopKind.BUDGET, 1000),
    ],
)
def test_stop_names(name: str, kind: StopKind, threshold: float) -> None:
    rule = read_stop(name)
    assert (rule.kind, rule.threshold) == (kind, threshold)
    assert find_stop(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "never",
        "unique:",
        "unique:1",
        "group:g1",
        "posterior",
        "posterior:",
        "posterior:0",
        "posterior:1.01",
        "posterior:-0.5",
        "posterior:nan",
        "posterior:95%",
        "posterior:0.9:0.8",
        "budget",
        "budget:0",
        "budget:-3",
        "budget:inf",
        "budget:nan",
        "budget:much",
    ],
)
def test_malformed_stops_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        read_stop(name)


def test_numbers_are_those_of_the_kernels() -> None:
    from algos import scores, stopping

    for rule in Rule:
        if rule not in (Rule.AUTO, Rule.SPARSE):
            name = "INFORMATION" if rule is Rule.INFORMATION else rule.name
            assert getattr(scores, name) == rule
    assert [getattr(stopping, kind.name) for kind in StopKind] == list(StopKind)


def blank(m: int, n: int) -> KnowledgeBase:
    sides = (Outcome("yes", "yes"), Outcome("no", "no"))
    return KnowledgeBase(
        "blank",
        tuple(Hypothesis(f"h{x}", f"h{x}", 1 / m) for x in range(m)),
        tuple(Test(f"t{e}", sides) for e in range(n)),
        array("h", [-1] * (m * n)),
    )


def test_the_usual_policy_depends_on_the_size() -> None:
    assert QUICK_CELLS >= 255 * 78  # the table of the paper
    assert default_policy(blank(QUICK_CELLS // 100, 100)) == "rollout"
    assert default_policy(blank(QUICK_CELLS // 100 + 1, 100)) == "gain"


# ---------------------------------------------------------------------------------------------------------- odtn-auto

# Two unknown cells in each of the first tests, none elsewhere: r = 2. One row is unknown on three tests: h = 3.
FEW_BY_TEST = {"w": "???10", "x": "1?011", "y": "?0100", "z": "01?01"}
# One test is unknown on three rows: r = 3. No row has more than one: h = 1.
FEW_BY_ROW = {"w": "?11", "x": "?10", "y": "?01", "z": "100"}


def first(kb: KnowledgeBase, policy: str) -> list[tuple[str, float]]:
    return [(test.test, test.score) for test in Adviser(kb).advise(Case.new(Settings(policy, "unique")).state).tests]


@pytest.mark.parametrize(
    ("rows", "taken", "other"), [(FEW_BY_TEST, "odtn-r", "odtn-h"), (FEW_BY_ROW, "odtn-h", "odtn-r")]
)
def test_the_better_guarantee_decides(rows: dict[str, str], taken: str, other: str) -> None:
    kb = yes_no(rows)
    assert first(kb, "odtn-auto") == first(kb, taken)
    assert first(kb, "odtn-auto") != first(kb, other)


TABLE = SHARED / "data" / "wiser_clean.csv"


@pytest.mark.skipif(not TABLE.is_file(), reason="wiser_clean.csv is not beside the repository")
def test_the_dearer_one_on_the_table_of_the_paper() -> None:
    """Section 5: r = 245, h = 45, so it takes odtn-h: 39917/4080 against 4575/544."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = ["".join(row[:78]).replace("u", "?") for row in list(csv.reader(file))[1:]]
    assert max(sum(row[e] == "?" for row in rows) for e in range(78)) == 245
    assert max(row.count("?") for row in rows) == 45
    sides = (Outcome("yes", "yes"), Outcome("no", "no"))
    kb = replace(
        blank(len(rows), 78),
        tests=tuple(Test(f"t{e}", sides) for e in range(78)),
        codes=array("h", [{"1": 0, "0": 1, "?": -1}[cell] for row in rows for cell in row]),
    )
    found = evaluate(Adviser(kb), "odtn-auto", "unique")
    assert found.expected_cost == pytest.approx(39917 / 4080, abs=1e-9)
    assert (found.worst_cost, found.nodes, found.exact) == (15, 597, True)


def test_a_stopping_rule_in_words_has_its_own_number() -> None:
    assert stop_words("budget:5") == "the next test would take the cost above 5"
    assert stop_words("posterior:0.95") == "one candidate has at least the probability 0.95"
    assert stop_words("group") == "all candidates left are in one group"


def test_a_rollout_over_nothing_names_its_bases() -> None:
    with pytest.raises(UsageError, match=r"BASE is one of gain, odtn-r, odtn-h, information-gain$"):
        find_policy("rollout:non-adaptive")


# ---------------------------------------------------------------------------------------------------------- evaluation


def noisy() -> KnowledgeBase:
    rows = ["11?0?1", "1?010?", "?10?10", "0?1011", "00?1?0", "101??0", "01?110", "?00011"]
    return yes_no({f"h{x}": row for x, row in enumerate(rows)})


@pytest.mark.parametrize("policy", ["gain", "odtn-r", "odtn-h", "information-gain", "low-adaptive", "rollout"])
def test_a_tree_beyond_the_limit_is_sampled_and_says_so(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample is of the policy itself, also where it looks ahead."""
    exact = evaluate(Adviser(noisy()), policy, "unique")
    assert exact.exact
    assert (exact.standard_error, exact.cases, exact.partial) == (0, 0, False)
    assert exact.nodes is not None
    monkeypatch.setattr(algos.evaluate, "NODE_LIMIT", 5)
    monkeypatch.setattr(algos.rollout, "STEP_LIMIT", 5)
    sampled, again = (evaluate(Adviser(noisy()), policy, "unique", runs=2000, seed=4) for _ in range(2))
    assert not sampled.exact
    assert (sampled.cases, sampled.partial) == (2000, False)
    assert sampled.nodes is None
    assert 0 < sampled.standard_error < 0.2
    assert abs(sampled.expected_cost - exact.expected_cost) <= 5 * sampled.standard_error
    assert sampled.worst_cost <= exact.worst_cost
    assert abs(sampled.unresolved_probability - exact.unresolved_probability) < 0.06
    assert sampled == replace(again, seconds=sampled.seconds)


@pytest.mark.parametrize("policy", ["rollout", "rollout:odtn-r:20:2:3", "rollout:gain:10:1:8"])
def test_evaluation_agrees_with_the_question_by_question_cost(policy: str) -> None:
    """Walking the case answer by answer, each question put by `advise`, costs what `evaluate` says."""
    kb = noisy()
    adviser = Adviser(kb)

    def below(state: State) -> float:
        proposal = adviser.advise(state).proposal
        if proposal is None:
            return 0.0
        return proposal.cost + sum(
            branch.probability
            * below(replace(state, answers=(*state.answers, Answered(proposal.test, (branch.outcome,)))))
            for branch in proposal.branches
            if branch.candidates_left
        )

    assert evaluate(adviser, policy, "unique").expected_cost == pytest.approx(below(State(Settings(policy, "unique"))))


# ---------------------------------------------------------------------------------------------------- the contract


def said(kb: KnowledgeBase, test: str, truth: int, data: st.DataObject, wrong: bool = False) -> Answered:
    """What an operator facing this hypothesis could say, or anything where `wrong`; or that it cannot be told."""
    index = kb.test_index[test]
    outcomes = [o.id for o in kb.tests[index].outcomes]
    possible = outcomes if wrong else [outcomes[v] for v, _ in kb.cell(truth, index).outcomes]
    outcome = data.draw(st.sampled_from([*possible, None]))
    return Answered(test, () if outcome is None else (outcome,))


def with_needs(kb: KnowledgeBase, data: st.DataObject) -> KnowledgeBase:
    """Some tests need outcomes of tests before them."""
    tests = list(kb.tests)
    for e in range(1, len(tests)):
        before = [(test.id, outcome.id) for test in tests[:e] for outcome in test.outcomes]
        clause = st.lists(st.sampled_from(before), min_size=1, max_size=2, unique=True).map(tuple)
        tests[e] = replace(tests[e], needs=tuple(data.draw(st.lists(clause, max_size=1))))
    return replace(kb, tests=tuple(tests))


def holds(kb: KnowledgeBase, state: State, test: str) -> bool:
    """Every need is answered so or could not be told."""

    def met(needed: str, outcome: str) -> bool:
        answer = state.answer_to(needed)
        return answer is not None and (answer.unknown or outcome in answer.outcomes)

    return all(any(met(*need) for need in any_of) for any_of in kb.tests[kb.test_index[test]].needs)


@every_policy
@pytest.mark.parametrize("stop", ["unique", "group", "neighborhood", "clique", "posterior:0.7", "budget:3"])
@settings(random_cases, max_examples=examples(12))
@given(table=tables(max_tests=5), data=st.data())
def test_contract_with_needs(policy: str, stop: str, table: naive.Table, data: st.DataObject) -> None:
    """Under every rule: no test twice, none whose needs do not hold, the truth is kept, the budget too."""
    kb = with_needs(from_twin(table), data)
    truth = data.draw(st.sampled_from(table.hypotheses))
    adviser, case = Adviser(kb), Case.new(Settings(policy, stop))
    spent = 0.0
    while (advice := adviser.advise(case.state)).proposal is not None:
        assert advice.proposal is advice.tests[0]
        for ranked in advice.tests:
            assert case.state.answer_to(ranked.test) is None
            assert holds(kb, case.state, ranked.test)
        spent += advice.proposal.cost
        case = case.with_event(said(kb, advice.proposal.test, truth, data))
    assert kb.hypotheses[truth].id in {c.hypothesis for c in advice.candidates}
    assert advice.status in {"identified", "group", "inseparable"}
    assert spent <= 3 or stop != "budget:3"


@every_policy
@settings(random_cases, max_examples=examples(20))
@given(table=tables(max_tests=5), tolerance=st.integers(0, 2), data=st.data())
def test_contract_with_errors(policy: str, table: naive.Table, tolerance: int, data: st.DataObject) -> None:
    """As many wrong answers as are tolerated: the truth stays possible, its mismatches are told, the case ends."""
    kb = from_twin(table)
    truth = data.draw(st.sampled_from(table.hypotheses))
    mode = data.draw(st.sampled_from(["tolerance", "reliability"]))
    adviser, case = Adviser(kb), Case.new(Settings(policy, "unique", mode, tolerance))
    asked: list[str] = []
    wrong = 0
    while (advice := adviser.advise(case.state)).proposal is not None:
        assert advice.proposal.test not in asked
        asked.append(advice.proposal.test)
        answer = said(kb, asked[-1], truth, data, wrong=wrong < tolerance)
        case = case.with_event(answer)
        index = kb.test_index[asked[-1]]
        possible = {kb.tests[index].outcomes[v].id for v, _ in kb.cell(truth, index).outcomes}
        wrong += not answer.unknown and not possible & set(answer.outcomes)
    found = {c.hypothesis: c for c in advice.candidates}
    assert found[kb.hypotheses[truth].id].mismatches == wrong
    assert mode == "tolerance" or len(found) == len(kb.hypotheses)
    assert all(c.mismatches <= tolerance for c in found.values()) or mode == "reliability"


# -------------------------------------------------------------------------------------------------------------- needs


def chain() -> KnowledgeBase:
    """b needs a = yes, c needs b = yes, d needs a = no; every test tells some of the rows apart."""
    kb = yes_no({"u": "1111", "v": "1101", "w": "1010", "x": "0101", "y": "0010", "z": "0000"})
    a, b, c, d = kb.tests
    return replace(
        kb,
        tests=(
            a,
            replace(b, needs=((("a", "yes"),),)),
            replace(c, needs=((("b", "yes"),),)),
            replace(d, needs=((("a", "no"),),)),
        ),
    )


def after(*answers: tuple[str, str]) -> State:
    """The state after answers such as ("a", "yes"); "" is could not tell."""
    events = [Answered(test, (outcome,) if outcome else ()) for test, outcome in answers]
    return Case.new(Settings("gain", "unique"), events).state


@pytest.mark.parametrize(
    ("answers", "offered"),
    [
        ([], {"a"}),
        ([("a", "yes")], {"b"}),
        ([("a", "no")], {"d"}),
        ([("a", "")], {"b", "d"}),
        ([("a", ""), ("b", "")], {"c", "d"}),
        ([("a", "yes"), ("b", "yes")], {"c"}),
        ([("a", "yes"), ("b", "")], {"c"}),
    ],
)
def test_only_tests_whose_needs_hold_are_offered(answers: list[tuple[str, str]], offered: set[str]) -> None:
    advice = Adviser(chain()).advise(after(*answers))
    assert {ranked.test for ranked in advice.tests} == offered


@pytest.mark.parametrize(
    ("answers", "standing"),
    [
        ([("a", "yes"), ("b", "yes"), ("c", "yes")], "abc"),
        ([("a", "no"), ("b", "yes"), ("c", "yes")], "a"),
        ([("a", ""), ("b", "yes"), ("c", "yes")], "abc"),
        ([("a", "yes"), ("b", "no"), ("c", "yes")], "ab"),
        ([("a", "yes"), ("b", ""), ("c", "yes")], "abc"),
        ([("a", "no"), ("c", "yes")], "a"),  # b is pointless, answered or not
        ([("b", "yes"), ("c", "yes")], "bc"),  # not answered otherwise
        ([("a", "yes"), ("d", "yes")], "a"),
    ],
)
def test_dormant_answers(answers: list[tuple[str, str]], standing: str) -> None:
    assert [answer.test for answer in standing_answers(chain(), after(*answers))] == list(standing)


def test_a_dormant_answer_weighs_nothing_and_wakes_again() -> None:
    """Editing a from yes to no leaves what a = no alone leaves; editing it back brings all back."""
    adviser = Adviser(chain())
    case = Case.new(
        Settings("gain", "unique"),
        [Answered("a", ("yes",)), Answered("b", ("yes",)), Answered("c", ("no",))],
    )
    assert {c.hypothesis for c in adviser.advise(case.state).candidates} == {"v"}
    edited = case.with_event(Answered("a", ("no",)))
    assert adviser.advise(edited.state) == adviser.advise(after(("a", "no")))
    assert {c.hypothesis for c in adviser.advise(edited.state).candidates} == {"x", "y", "z"}
    assert adviser.advise(edited.with_event(Answered("a", ("yes",))).state) == adviser.advise(case.state)
    withdrawn = case.with_event(Withdrawn("a"))
    assert {a.test for a in standing_answers(chain(), withdrawn.state)} == {"b", "c"}


@random_cases
@given(table=tables(max_tests=6), data=st.data())
def test_dormant_answers_by_the_definition(table: naive.Table, data: st.DataObject) -> None:
    """Strike out answers whose needs fail, over and over, until nothing changes."""
    kb = with_needs(from_twin(table), data)
    answers = []
    for test in data.draw(st.permutations(kb.tests)):
        outcomes = [o.id for o in test.outcomes]
        if data.draw(st.booleans()):
            some = data.draw(st.sets(st.sampled_from(outcomes), max_size=2))
            answers.append(Answered(test.id, tuple(sorted(some))))
    state = State(Settings("gain", "unique"), tuple(answers))
    pointless: set[str] = set()
    while True:
        before = set(pointless)
        for test in kb.tests:
            for any_of in test.needs:
                failing = 0
                for needed, outcome in any_of:
                    answer = state.answer_to(needed)
                    other = answer is not None and answer.outcomes != () and outcome not in answer.outcomes
                    failing += other or needed in pointless
                if failing == len(any_of):
                    pointless.add(test.id)
        if pointless == before:
            break
    standing = [answer for answer in answers if answer.test not in pointless]
    assert standing_answers(kb, state) == standing
    adviser = Adviser(kb)
    assert adviser.advise(state).candidates == adviser.advise(replace(state, answers=tuple(standing))).candidates
