"""A case made ready: its table read, its session open. Runs in a worker, because it waits for disks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from diagnoser.case import Answered, Case, Confirmed, Event, Excluded, PolicyChosen, Restored, Settings, StopChosen
from diagnoser.errors import BadSession
from diagnoser.formats import open_table
from diagnoser.journal import Journal, create, resume
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import DEFAULT_POLICY, default_stop, find_policy, find_stop
from diagnoser.session import Header, Session, read_session
from diagnoser.ui.request import CaseRequest


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """All that a case on the screen starts from."""

    kb: KnowledgeBase
    case: Case
    journal: Journal
    notices: tuple[str, ...] = ()
    pending: tuple[Event, ...] = ()
    """What the request asks for and the session does not have yet."""


def open_case(request: CaseRequest) -> Opened:
    """Read the table and start or resume the session.

    Raises UsageError for a name that does not exist, BadFile for priors that cannot be read, BadTable, and BadSession,
    also for a session whose answers the table does not know. A session is locked only when all else is well.
    """
    return _started(request, request.source) if request.source and not request.resume else _resumed(request)


def _started(request: CaseRequest, source: str) -> Opened:
    kb = open_table(source, request.prior, request.prior_column)
    policy = find_policy(request.policy or DEFAULT_POLICY).name
    settings = Settings(policy, find_stop(request.stop or default_stop(kb)))
    header = Header.of(kb, source, settings, prior=request.prior, prior_column=request.prior_column)
    return Opened(kb, Case.new(settings), create(request.session, header))


def _resumed(request: CaseRequest) -> Opened:
    path = request.resume
    assert path is not None  # noqa: S101 - there is a table or a session
    session = read_session(path)
    header = session.header
    prior, column = request.prior, request.prior_column
    if prior is None and header.prior is not None:
        prior, column = Path(header.prior), header.prior_column
    kb = open_table(request.source or header.source, prior, column)
    _refuse_unknown(path, session, kb)
    pending = tuple(_wanted(request, session.case.state.settings))
    session, journal = resume(path)
    notices = session.notices
    if header.fingerprint != kb.fingerprint:
        notices = (*notices, "the table is not the one that this session was started with")
    return Opened(kb, session.case, journal, notices, pending)


def _wanted(request: CaseRequest, now: Settings) -> list[Event]:
    wanted: list[Event] = []
    if request.policy and find_policy(request.policy).name != now.policy:
        wanted.append(PolicyChosen(request.policy))
    if request.stop and find_stop(request.stop) != now.stop:
        wanted.append(StopChosen(request.stop))
    return wanted


def _refuse_unknown(path: Path, session: Session, kb: KnowledgeBase) -> None:
    """Every event counts, undone or not: redo may bring it back."""
    for line, event in enumerate(session.events, start=2):
        unknown = _unknown(event, kb)
        if unknown:
            remedy = "the table changed: go on with the table as it was, or start a new session"
            raise BadSession(path, f"the table has no {unknown}", remedy, line=line)


def _unknown(event: Event, kb: KnowledgeBase) -> str:
    match event:
        case Answered(test, outcomes):
            if test not in kb.test_index:
                return f'test "{test}"'
            asked = kb.tests[kb.test_index[test]]
            missing = next((outcome for outcome in outcomes if asked.outcome_index(outcome) is None), None)
            return "" if missing is None else f'outcome "{missing}" of test "{test}"'
        case Excluded(hypothesis) | Restored(hypothesis) | Confirmed(hypothesis):
            return "" if hypothesis in kb.hypothesis_index else f'{kb.hypothesis_word} "{hypothesis}"'
    return ""
