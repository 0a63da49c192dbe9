"""A case made ready: its table read, its session open. Runs in a worker, because it waits for disks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from diagnoser.case import Case, ErrorsChosen, Event, PolicyChosen, Settings, StopChosen, checked_settings
from diagnoser.errors import BadSession
from diagnoser.formats import open_table
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import default_policy, default_stop, find_policy, find_stop
from diagnoser.ui.request import CaseRequest

if TYPE_CHECKING:
    from diagnoser.journal import Journal
    from diagnoser.session import Session


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """All that a case on the screen starts from."""

    kb: KnowledgeBase
    case: Case
    journal: Journal
    notices: tuple[str, ...] = ()
    pending: tuple[Event, ...] = ()
    """What the request asks for and the session does not have yet."""
    resumed: bool = False


def open_case(request: CaseRequest) -> Opened:
    """Read the table and start or resume the session.

    Raises UsageError for a name that does not exist, BadFile for priors that cannot be read, BadTable, and BadSession,
    also for a session whose answers the table does not know. A session is locked only when all else is well.
    """
    if request.source is not None and request.resume is None:
        return _started(request, request.source)
    return _resumed(request)


def _started(request: CaseRequest, source: str) -> Opened:
    from diagnoser.journal import create
    from diagnoser.session import Header

    kb = open_table(source, request.prior, request.prior_column)
    policy = find_policy(default_policy(kb) if request.policy is None else request.policy).name
    stop = find_stop(default_stop(kb) if request.stop is None else request.stop)
    settings = checked_settings(policy, stop, request.errors, request.tolerance)
    header = Header.of(kb, source, settings, prior=request.prior, prior_column=request.prior_column)
    return Opened(kb, Case.new(settings), create(request.session, header))


def _resumed(request: CaseRequest) -> Opened:
    from diagnoser.journal import resume
    from diagnoser.session import read_session

    path = request.resume
    assert path is not None  # noqa: S101 - there is a table or a session
    session = read_session(path)
    header = session.header
    prior, column = request.prior, request.prior_column
    if prior is None and header.prior is not None:
        prior, column = Path(header.prior), header.prior_column
    kb = open_table(header.source if request.source is None else request.source, prior, column)
    _refuse_unknown(path, session, kb)
    pending = tuple(_wanted(request, session.case.state.settings))
    session, journal = resume(path)
    notices = session.notices
    if header.fingerprint != kb.fingerprint:
        notices = (*notices, "the table is not the one that this session was started with")
    return Opened(kb, session.case, journal, notices, pending, resumed=True)


def _wanted(request: CaseRequest, now: Settings) -> list[Event]:
    wanted: list[Event] = []
    if request.policy is not None and find_policy(request.policy).name != now.policy:
        wanted.append(PolicyChosen(request.policy))
    if request.stop is not None and find_stop(request.stop) != now.stop:
        wanted.append(StopChosen(request.stop))
    asked = checked_settings(now.policy, now.stop, request.errors, request.tolerance)
    if asked.errors != "strict" and (asked.errors, asked.tolerance) != (now.errors, now.tolerance):
        wanted.append(ErrorsChosen(asked.errors, asked.tolerance))
    return wanted


def _refuse_unknown(path: Path, session: Session, kb: KnowledgeBase) -> None:
    """Every event counts, undone or not: redo may bring it back."""
    from diagnoser.session import unknown_name

    for line, event in enumerate(session.events, start=2):
        unknown = unknown_name(event, kb)
        if unknown:
            remedy = "the table changed: go on with the table as it was, or start a new session"
            raise BadSession(path, f"the table has no {unknown}", remedy, line=line)
