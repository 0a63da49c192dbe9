"""A folder of sessions run again in several processes: whether each still agrees, and what other policies cost."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from statistics import mean

from diagnoser.advise import Adviser
from diagnoser.counterfactual import UNTOLD, instead, recorded_cost, truth_of
from diagnoser.errors import DiagnoserError, UsageError
from diagnoser.formats import open_table
from diagnoser.replay import replay
from diagnoser.session import Session, read_session

CHUNK = 8
"""Sessions that a process takes at a time; Ctrl-C waits for them."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """One session as it was recorded, or under another policy."""

    file: str
    table: str = ""
    policy: str = ""
    recorded: bool = True
    """The session itself; else what the policy would have done."""
    truth: str | None = None
    """What it was, where the session tells."""
    tests: int | None = None
    """Answers; None where it is not known, for the reason that `problem` gives."""
    cost: float | None = None
    proposals: int | None = None
    """Recorded questions, of the session itself."""
    agreeing: int | None = None
    first_difference: str | None = None
    problem: str = ""
    """Why there is no figure."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All sessions as they were recorded, or under one policy."""

    policy: str | None
    """None for the sessions as they were recorded."""
    sessions: int
    """Those that have figures as recorded and under every policy; the means are over these."""
    tests: float | None
    """Mean; None without such a session."""
    cost: float | None


def rerun(path: Path, policies: Sequence[str]) -> list[Rerun]:
    """A session, then each policy in its place."""
    try:
        session = read_session(path)
    except DiagnoserError as error:
        return [Rerun(path.name, problem=str(error))]
    header, state = session.header, session.case.state
    own = Rerun(path.name, header.table, state.settings.policy)
    try:
        adviser = _adviser(header.source, header.prior, header.prior_column)
    except DiagnoserError as error:
        return [replace(own, problem=str(error))]
    again = replay(session, adviser.kb, adviser)
    own = replace(own, proposals=again.proposals, agreeing=again.agreeing, first_difference=again.first_difference)
    if again.end_problem is not None:
        return [replace(own, problem=again.end_problem)]
    truth, cost = truth_of(session, adviser), recorded_cost(adviser.kb, state)
    own = replace(own, truth=truth, tests=len(state.answers), cost=cost)
    return [own, *(_otherwise(own, session, adviser, policy) for policy in policies)]


def _otherwise(own: Rerun, session: Session, adviser: Adviser, policy: str) -> Rerun:
    one = Rerun(own.file, own.table, policy, recorded=False, truth=own.truth)
    if own.truth is None:
        return replace(one, problem=UNTOLD)
    try:
        other = instead(session, adviser, policy, own.truth)
    except UsageError as error:
        return replace(one, problem=str(error))
    return replace(one, tests=len(other.asked), cost=other.cost)


def rerun_all(
    paths: Sequence[Path], policies: Sequence[str], jobs: int, progress: Callable[[], object]
) -> list[list[Rerun]]:
    """What `rerun` says of each session, in their order. progress: called with each session that is done."""
    chunks = [paths[start : start + CHUNK] for start in range(0, len(paths), CHUNK)]
    if min(jobs, len(chunks)) <= 1:
        found = []
        for path in paths:
            found.append(rerun(path, policies))
            progress()
        return found
    # A fork of a process with threads, as compiled kernels have, may hang.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(chunks)), context, _leave_interrupts_to_the_parent) as pool:
        pending = [pool.submit(_rerun_chunk, chunk, policies) for chunk in chunks]
        try:
            for done in as_completed(pending):
                for _ in done.result():
                    progress()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        return [each for one in pending for each in one.result()]


def usual_jobs() -> int:
    """As many processes as there are processors for this one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def summaries(reruns: Sequence[Sequence[Rerun]], policies: Sequence[str]) -> list[Summary]:
    """The sessions as recorded, then under each policy."""
    whole = [each for each in reruns if len(each) == 1 + len(policies) and all(one.cost is not None for one in each)]
    return [
        Summary(
            policy,
            len(whole),
            mean(each[place].tests or 0 for each in whole) if whole else None,
            mean(each[place].cost or 0.0 for each in whole) if whole else None,
        )
        for place, policy in enumerate((None, *policies))
    ]


def _rerun_chunk(paths: Sequence[Path], policies: Sequence[str]) -> list[list[Rerun]]:
    return [rerun(path, policies) for path in paths]


@lru_cache(maxsize=4)
def _adviser(source: str, prior: str | None, column: int) -> Adviser:
    return Adviser(open_table(source, prior, column))


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
