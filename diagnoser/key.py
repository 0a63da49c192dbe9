"""A policy's whole tree of answers as a key: numbered questions, each outcome with the number to go on at, or an end.

Ways that leave the same candidates, equally probable, with the same tests spent meet in one question; so the key is a
graph without a way back to where it came from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from diagnoser.case import Answered, Settings, State
from diagnoser.errors import UsageError
from diagnoser.kb import Test

if TYPE_CHECKING:
    from diagnoser.advise import Adviser, Candidate, RankedTest, Status

MOST_QUESTIONS = 20_000


@dataclass(frozen=True, slots=True)
class End:
    """Where a way through the key ends."""

    status: Status
    """ "open" where the key is cut off by its depth."""
    candidates: tuple[Candidate, ...]
    """Most probable first."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Where some outcomes of a question lead."""

    outcomes: tuple[str, ...]
    """Outcome ids in the table's order; none for "could not tell"."""
    to: int | End
    """The number of the next question, or the end."""


@dataclass(frozen=True, slots=True)
class Question:
    """One numbered question."""

    number: int
    test: Test
    candidates: int
    """How many are left when it is asked."""
    branches: tuple[Branch, ...]


_Meeting: TypeAlias = tuple[tuple[tuple[str, float], ...], frozenset[str], int]


def work_out(
    adviser: Adviser,
    policy: str,
    stop: str,
    *,
    depth: int | None = None,
    unknowns: int = 0,
    progress: Callable[[int], object] = lambda _questions: None,
) -> tuple[Question, ...]:
    """The key of a policy from the first question on, numbered in the order of its first way down; empty without any.

    depth: most questions on a way. unknowns: how often "could not tell" may be answered on a way. progress: called with
    the number of questions so far. Raises UsageError for unknown names and for a key of more than MOST_QUESTIONS.
    """
    proposals: dict[_Meeting, RankedTest] = {}
    waiting: list[tuple[_Meeting, State]] = []

    def lead(state: State) -> _Meeting | End:
        advice = adviser.advise(state)
        if advice.proposal is None or len(state.answers) == depth:
            return End(advice.status, advice.candidates)
        left = tuple((candidate.hypothesis, round(candidate.posterior, 9)) for candidate in advice.candidates)
        spent, unknown = frozenset(a.test for a in state.answers), sum(a.unknown for a in state.answers)
        meeting = left, spent, unknown
        if meeting not in proposals:
            if len(proposals) == MOST_QUESTIONS:
                raise UsageError(f"the key has more than {MOST_QUESTIONS:,} questions; limit it with --depth")
            proposals[meeting] = advice.proposal
            waiting.append((meeting, state))
            progress(len(proposals))
        return meeting

    ways: dict[_Meeting, dict[_Meeting | End, list[str]]] = {}
    lead(State(Settings(policy, stop)))
    while waiting:
        meeting, state = waiting.pop()
        proposal, ways[meeting] = proposals[meeting], {}
        for branch in proposal.branches:
            if branch.candidates_left:
                ways[meeting].setdefault(lead(_after(state, proposal, branch.outcome)), []).append(branch.outcome)
        if meeting[2] < unknowns:
            ways[meeting][lead(_after(state, proposal))] = []
    return _numbered(adviser, proposals, ways)


def _after(state: State, proposal: RankedTest, *outcomes: str) -> State:
    return State(state.settings, (*state.answers, Answered(proposal.test, outcomes)))


def _numbered(
    adviser: Adviser, proposals: dict[_Meeting, RankedTest], ways: dict[_Meeting, dict[_Meeting | End, list[str]]]
) -> tuple[Question, ...]:
    """The questions in the order in which a reader who takes the first way first comes to them."""
    numbers: dict[_Meeting, int] = {}
    pending = [next(iter(proposals))] if proposals else []
    while pending:
        meeting = pending.pop()
        if meeting not in numbers:
            numbers[meeting] = len(numbers) + 1
            pending.extend(to for to in reversed(ways[meeting]) if not isinstance(to, End))
    kb = adviser.kb
    return tuple(
        Question(
            number,
            kb.tests[kb.test_index[proposals[meeting].test]],
            len(meeting[0]),
            tuple(Branch(tuple(o), to if isinstance(to, End) else numbers[to]) for to, o in ways[meeting].items()),
        )
        for meeting, number in numbers.items()
    )
