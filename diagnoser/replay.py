"""A recorded case run again, to see whether the table still leads to the same questions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from diagnoser import __version__
from diagnoser.advise import Advice, Adviser, RankedTest, Status
from diagnoser.case import Case, Confirmed, Event, Proposed
from diagnoser.digests import changes as changes_since
from diagnoser.errors import UsageError
from diagnoser.kb import KnowledgeBase
from diagnoser.session import Header, Session, unknown_name

SCORE_TOLERANCE = 1e-9
"""Relative; a proposal with another score than this was made from other figures."""


STATUS_WORDS: Mapping[Status, str] = {
    "open": "open",
    "identified": "identified",
    "group": "down to one group",
    "inseparable": "down to what no test separates",
    "contradiction": "without a candidate",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One event, and what is wrong with it now."""

    time: str
    event: Event
    difference: str | None = None
    other_policy: bool = False
    """It differs because another policy asked than the one in force."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A session beside what the program says of it today."""

    steps: tuple[Step, ...]
    case: Case
    advice: Advice | None
    """On the last state; None where `end_problem` says why there is none."""
    end_problem: str | None
    changes: tuple[str, ...]
    """What may explain a difference, the most telling first."""
    remarks: tuple[str, ...]
    """What is wrong with the file, and what changed that cannot make a difference."""

    @property
    def proposals(self) -> int:
        """How many questions were recorded."""
        return sum(isinstance(step.event, Proposed) for step in self.steps)

    @property
    def agreeing(self) -> int:
        """How many of them would be asked again, with the same score."""
        return sum(isinstance(step.event, Proposed) and step.difference is None for step in self.steps)

    @property
    def first_difference(self) -> str | None:
        """In words, with its cause; None where everything agrees."""
        number, step = self._first
        first = f"event {number}: {step.difference}" if step else self.end_problem
        return first and f"{first}; {self.cause}"

    @property
    def cause(self) -> str | None:
        """What explains the first difference: another policy, the table, or the version; None where all agrees."""
        _, step = self._first
        if step is None and self.end_problem is None:
            return None
        if step is not None and step.other_policy:
            return "the policy is another one"
        return self.changes[0] if self.changes else "neither the table nor the version changed"

    @property
    def _first(self) -> tuple[int, Step | None]:
        found = ((number, step) for number, step in enumerate(self.steps, start=1) if step.difference)
        return next(found, (0, None))

    @property
    def notes(self) -> tuple[str, ...]:
        """All there is to say besides the first difference, which names its cause itself."""
        return (*self.remarks, *(change for change in self.changes if change != self.cause))


def replay(session: Session, kb: KnowledgeBase, adviser: Adviser) -> Replay:
    """Fold the events again and work out every recorded proposal anew."""
    case, steps = Case.new(session.header.settings), []
    for time, event in zip(session.times, session.events, strict=True):
        other = isinstance(event, Proposed) and event.policy != case.state.settings.policy
        steps.append(Step(time, event, _difference(event, case, adviser), other))
        case = case.with_event(event)
    advice, end_problem = None, None
    try:
        advice = adviser.advise(case.state)
    except UsageError as error:
        end_problem = str(error)
    changes, remarks = _changes(session.header, kb), session.notices
    if session.header.fingerprint == kb.fingerprint and session.header.wording_fingerprint != kb.wording_fingerprint:
        remarks += ("the table's wording changed since the session was recorded; what decides did not",)
    return Replay(tuple(steps), case, advice, end_problem, changes, remarks)


def _difference(event: Event, case: Case, adviser: Adviser) -> str | None:
    if isinstance(event, Proposed):
        return _asked_now(event, case, adviser)
    missing = unknown_name(event, adviser.kb)  # undone or not: redo may bring it back
    if missing:
        return f"the table has no {missing}"
    return _confirmed_now(event.hypothesis, case, adviser) if isinstance(event, Confirmed) else None


def _confirmed_now(hypothesis: str, case: Case, adviser: Adviser) -> str | None:
    """Only what is left can be confirmed."""
    try:
        left = adviser.advise(case.state).candidates
    except UsageError:  # an earlier event says why
        return None
    still = any(candidate.hypothesis == hypothesis for candidate in left)
    return None if still else f'"{hypothesis}" was confirmed; now the answers rule it out'


def _asked_now(recorded: Proposed, case: Case, adviser: Adviser) -> str | None:
    in_force = case.state.settings.policy
    if recorded.policy != in_force:
        return f'"{recorded.test}" was asked by {recorded.policy} while {in_force} was in force'
    try:
        now = adviser.advise(case.state)
    except UsageError as error:
        return str(error)
    if now.proposal is None:
        return f'"{recorded.test}" was asked; now nothing is asked, the case is {STATUS_WORDS[now.status]}'
    return _compared(recorded, now.proposal)


def _compared(recorded: Proposed, now: RankedTest) -> str | None:
    if now.test != recorded.test:
        return f'"{recorded.test}" was asked; now it would be "{now.test}"'
    if not math.isclose(now.score, recorded.score, rel_tol=SCORE_TOLERANCE):
        return f'"{recorded.test}" had the score {recorded.score:.10g}; now it is {now.score:.10g}'
    return None


def _changes(header: Header, kb: KnowledgeBase) -> tuple[str, ...]:
    changes = []
    if header.fingerprint != kb.fingerprint:
        where = changes_since(header.digests, kb) if header.digests else ""
        changes.append("the table changed since the session was recorded" + (where and f": {where}"))
    if header.program != __version__:
        changes.append(f"the session was recorded by version {header.program}, this is {__version__}")
    return tuple(changes)
