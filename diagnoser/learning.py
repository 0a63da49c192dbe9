"""What saved sessions teach about a table: its priors, and the questions that people cannot answer.

The table itself is never changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from diagnoser.advise import Adviser
from diagnoser.case import Answered, Case, State
from diagnoser.errors import UsageError
from diagnoser.kb import KnowledgeBase
from diagnoser.session import Session
from diagnoser.text import counted


@dataclass(frozen=True, slots=True)
class LearnedPrior:
    """Priors of a table from its own and from confirmed cases."""

    strength: float
    """How many confirmed cases the table's own priors weigh as much as."""
    confirmed: tuple[int, ...]
    """Cases of each hypothesis, in the table's order."""
    prior: tuple[float, ...]
    left_out: tuple[str, ...]
    """What was not counted and why, one line each."""

    @property
    def cases(self) -> int:
        """Confirmed cases."""
        return sum(self.confirmed)


@dataclass(frozen=True, slots=True)
class CouldNotTell:
    """A test that was answered "could not tell"."""

    test: str
    answers: int
    """Standing answers of any kind."""
    unknown: int
    """Those that say "could not tell"."""
    saved: float | None
    """What one of them would have saved had it been told, on average; None where that could be worked out for none."""
    worked_out: int
    """Of how many that is the mean."""


def learn_prior(kb: KnowledgeBase, sessions: Sequence[Session], strength: float) -> LearnedPrior:
    """Dirichlet smoothing: (S p + n) / (S + N) for a hypothesis of prior p in the table, confirmed n times of N.

    S is the strength. Sessions without a confirmed hypothesis of the table are not counted.
    """
    seen: Counter[str] = Counter()
    open_end = gone = 0
    for session in sessions:
        found = session.case.state.confirmed
        if found is None:
            open_end += 1
        elif found not in kb.hypothesis_index:
            gone += 1
        else:
            seen[found] += 1
    confirmed = tuple(seen[hypothesis.id] for hypothesis in kb.hypotheses)
    total = strength + sum(confirmed)
    prior = tuple((strength * h.prior + n) / total for h, n in zip(kb.hypotheses, confirmed, strict=True))
    words = ((open_end, "that confirm nothing"), (gone, f"that confirm a {kb.hypothesis_word} the table does not have"))
    left_out = tuple(f"left out: {counted(number, 'session')} {why}" for number, why in words if number)
    return LearnedPrior(strength, confirmed, prior, left_out)


def could_not_tell(
    adviser: Adviser, sessions: Sequence[Session], progress: Callable[[], object] = lambda: None
) -> list[CouldNotTell]:
    """The tests answered "could not tell", most often first, with what each such answer would have saved.

    What it would have saved is taken at the moment of the answer, with the settings then in force: the expected cost to
    the end after "could not tell", less the expected cost to the end after an answer, which is the mean over the test's
    outcomes by their probability at that moment. Both are what the screen shows as "about ... to go". The cost of
    asking is in neither, for it was spent. Where nothing else could take the place of the answer the case ends the
    sooner, unsettled; then what is saved is below nothing. progress: called with each session that is done.
    """
    answers: Counter[str] = Counter()
    savings: dict[str, list[float | None]] = {}
    for session in sessions:
        answers.update(answer.test for answer in session.case.state.answers)
        for before, answer in _skipped(session):
            savings.setdefault(answer.test, []).append(saving(adviser, before, answer.test))
        progress()
    found = []
    for test, each in savings.items():
        known = [one for one in each if one is not None]
        mean = sum(known) / len(known) if known else None
        found.append(CouldNotTell(test, answers[test], len(each), mean, len(known)))
    return sorted(found, key=lambda one: (-one.unknown, -(one.saved or 0.0), one.test))


def saving(adviser: Adviser, before: State, test: str) -> float | None:
    """What an answer to a test saves in this state against "could not tell", as `could_not_tell` defines it.

    None where it cannot be worked out: the table or the policy does not fit, or the tree of answers is too large.
    """
    try:
        ranked = next((ranked for ranked in adviser.advise(before).tests if ranked.test == test), None)
        if ranked is None:
            return 0.0 if test in adviser.kb.test_index else None
        skipped = adviser.cost_left(_with(before, Answered(test)))
        if skipped is None:
            return None
        told = 0.0
        for branch in ranked.branches:
            if branch.probability > 0:
                left = adviser.cost_left(_with(before, Answered(test, (branch.outcome,))))
                if left is None:
                    return None
                told += branch.probability * left[0]
        return skipped[0] - told
    except UsageError:
        return None


def _with(state: State, answer: Answered) -> State:
    return replace(state, answers=(*state.answers, answer))


def _skipped(session: Session) -> Iterator[tuple[State, Answered]]:
    """The standing answers that could not be told, each with the state in which it was given."""
    case, given = Case.new(session.header.settings), dict[str, tuple[State, Answered]]()
    for event in session.events:
        if isinstance(event, Answered):
            others = tuple(answer for answer in case.state.answers if answer.test != event.test)
            given[event.test] = replace(case.state, answers=others), event
        case = case.with_event(event)
    for answer in case.state.answers:
        if answer.unknown and given[answer.test][1].unknown:
            yield given[answer.test]
