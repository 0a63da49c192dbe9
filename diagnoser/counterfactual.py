"""A recorded case as another policy would have gone about it.

The truth is what was confirmed, or the only hypothesis left at the end. The policy starts anew with the case's stopping
rule, its treatment of errors and what the operator ruled out by hand. A test that was answered gets the recorded
answer, "could not tell" included. Any other is answered from the row of the truth: by its outcome where there is one,
and where the table allows several or does not know, by one drawn with the table's probabilities. What is drawn depends
on the session and the test alone, so every policy meets the same case.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Literal

from diagnoser.advise import Adviser, Status
from diagnoser.case import Answered, State
from diagnoser.kb import KnowledgeBase
from diagnoser.session import Session

Source = Literal["recorded", "table", "drawn"]
UNTOLD = "the case does not tell what it was: nothing is confirmed, and not one alone is left"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, and where its answer is from."""

    answer: Answered
    source: Source
    cost: float


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What a policy would have asked."""

    policy: str
    truth: str
    asked: tuple[Asked, ...]
    status: Status
    """How it would have ended."""

    @property
    def cost(self) -> float:
        """In the table's unit."""
        return sum(one.cost for one in self.asked)


def truth_of(session: Session, adviser: Adviser) -> str | None:
    """What it was: confirmed, or the only one left; None where that is not known, or the table does not have it.

    Raises UsageError where an answer names what the table does not have.
    """
    state = session.case.state
    if state.none_of_these:
        return None
    if state.confirmed is not None:
        return state.confirmed if state.confirmed in adviser.kb.hypothesis_index else None
    left = adviser.advise(state).candidates
    return left[0].hypothesis if len(left) == 1 else None


def recorded_cost(kb: KnowledgeBase, state: State) -> float:
    """What the standing answers cost. Raises UsageError for a test that the table does not have."""
    return sum(kb.tests[kb.test_index[answer.test]].cost for answer in state.answers)


def instead(session: Session, adviser: Adviser, policy: str, truth: str) -> Counterfactual:
    """The case under another policy. Raises UsageError where the policy is not for the table, or does not exist."""
    kb, recorded = adviser.kb, session.case.state
    settings = replace(recorded.settings, policy=policy)
    state, asked = State(settings, excluded=recorded.excluded), list[Asked]()
    while (advice := adviser.advise(state)).proposal is not None:
        test = advice.proposal.test
        given = recorded.answer_to(test)
        source: Source = "recorded"
        if given is None:
            outcome, source = _from_table(kb, kb.hypothesis_index[truth], kb.test_index[test], session.header.time)
            given = Answered(test, (outcome,))
        asked.append(Asked(given, source, advice.proposal.cost))
        state = replace(state, answers=(*state.answers, given))
    return Counterfactual(policy, truth, tuple(asked), advice.status)


def _from_table(kb: KnowledgeBase, truth: int, test: int, salt: str) -> tuple[str, Source]:
    outcomes, possible = kb.tests[test].outcomes, kb.cell(truth, test).outcomes
    if len(possible) == 1:
        return outcomes[possible[0][0]].id, "table"
    mark = hashlib.blake2b(f"{salt}\0{kb.tests[test].id}".encode(), digest_size=6).digest()
    number, below = int.from_bytes(mark) / 2**48, 0.0
    for outcome, share in possible:
        below += share
        if number < below:
            return outcomes[outcome].id, "drawn"
    return outcomes[possible[-1][0]].id, "drawn"  # what rounding leaves
