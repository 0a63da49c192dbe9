"""A case made ready: its table read, its session open. Runs in a worker, because it imports and waits for disks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from diagnoser.case import Case, Event, PolicyChosen, Settings, StopChosen
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import DEFAULT_POLICY, default_stop, find_policy, find_stop
from diagnoser.ui.request import CaseRequest

if TYPE_CHECKING:
    from diagnoser.advise import Adviser
    from diagnoser.journal import Journal


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """All that a case on the screen starts from."""

    kb: KnowledgeBase
    case: Case
    journal: Journal
    notices: tuple[str, ...] = ()


def open_case(request: CaseRequest) -> Opened:
    """Read the table and start or resume the session.

    Raises UsageError for a name that does not exist, BadTable and BadSession.
    """
    return _started(request, request.source) if request.source and not request.resume else _resumed(request)


def _started(request: CaseRequest, source: str) -> Opened:
    from diagnoser import journal

    kb = _table(source, request.prior, request.prior_column)
    policy = find_policy(request.policy or DEFAULT_POLICY).name
    settings = Settings(policy, find_stop(request.stop or default_stop(kb)))
    header = journal.Header.of(kb, source, settings, prior=request.prior, prior_column=request.prior_column)
    return Opened(kb, Case.new(settings), journal.create(request.session, header))


def _resumed(request: CaseRequest) -> Opened:
    from diagnoser import journal

    assert request.resume is not None  # noqa: S101 - there is a table or a session
    session, writer = journal.resume(request.resume)
    header = session.header
    prior = request.prior or (Path(header.prior) if header.prior else None)
    kb = _table(request.source or header.source, prior, request.prior_column or header.prior_column)
    notices = session.notices
    if header.fingerprint != kb.fingerprint:
        notices = (*notices, "the table is not the one that this session was started with")
    case = session.case
    wanted: list[Event] = []
    if request.policy and request.policy != case.state.settings.policy:
        wanted.append(PolicyChosen(find_policy(request.policy).name))
    if request.stop and request.stop != case.state.settings.stop:
        wanted.append(StopChosen(find_stop(request.stop)))
    for event in wanted:
        writer.append(event)
        case = case.with_event(event)
    return Opened(kb, case, writer, notices)


def _table(source: str, prior: Path | None, column: int) -> KnowledgeBase:
    from diagnoser.formats import open_table
    from diagnoser.formats.prior import with_prior

    kb = open_table(source)
    return kb if prior is None else with_prior(kb, prior, column)


def shipped_tables() -> dict[str, Path]:
    """The tables that come with the program, by name."""
    from diagnoser import formats

    return formats.shipped_tables()


def read_table(path: Path) -> KnowledgeBase:
    """One table. Raises BadTable."""
    from diagnoser import formats

    return formats.open_table(path)


def load_adviser(kb: KnowledgeBase) -> Adviser:
    """The adviser of a table; loads and, the very first time, compiles the kernels."""
    from diagnoser.advise import Adviser

    return Adviser(kb)
