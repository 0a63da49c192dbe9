"""`diagnoser run`: the screen."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from diagnoser.cli.options import (
    ErrorsOption,
    PolicyOption,
    PriorColumnOption,
    PriorOption,
    StopOption,
    ToleranceOption,
    refuse_column_alone,
)
from diagnoser.cli.output import say
from diagnoser.cli.sessions import find_session
from diagnoser.errors import BadFile, UsageError
from diagnoser.ui.request import CaseRequest


def run(
    table: Annotated[
        str | None,
        typer.Argument(metavar="TABLE", help="A table's folder or file, or a shipped name; not needed with --resume."),
    ] = None,
    policy: PolicyOption = None,
    stop: StopOption = None,
    errors: ErrorsOption = "strict",
    tolerance: ToleranceOption = 0,
    prior: PriorOption = None,
    prior_column: PriorColumnOption = 0,
    session: Annotated[
        Path | None, typer.Option("--session", metavar="FILE", help="Write the session to this new file.")
    ] = None,
    resume: Annotated[Path | None, typer.Option("--resume", metavar="FILE", help="Go on with this session.")] = None,
) -> None:
    """Work on a case on screen."""
    old = None if resume is None else find_session(resume)
    request = CaseRequest(table, policy, stop, session, old, prior, prior_column, errors, tolerance)
    _refuse_plain_mistakes(request)
    open_screen(request)


def open_screen(request: CaseRequest | None) -> None:
    """Show the case, or the start screen, until the user leaves. Raises UsageError without a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the screen needs a terminal; without one use: diagnoser next TABLE -a TEST=OUTCOME")
    from diagnoser.ui.app import DiagnoserApp

    screen = DiagnoserApp(request)
    result = screen.run()
    if screen.farewell:
        say(screen.farewell)
    raise typer.Exit(result if result is not None else screen.return_code or 0)


def _refuse_plain_mistakes(request: CaseRequest) -> None:
    """Find what can be found without reading the table, which must not hold up the first paint."""
    refuse_column_alone(request.prior, request.prior_column)
    if request.session is not None and request.resume is not None:
        raise UsageError("--session starts a new file and --resume goes on with an old one; give one of them")
    if request.source is None and request.resume is None:
        raise UsageError("give a TABLE, or --resume FILE; `diagnoser tables` lists the shipped tables")
    if request.session is not None and request.session.exists():
        raise UsageError(f"{request.session} exists already; go on with it by --resume, or choose another name")
    for path in (request.resume, request.prior):
        if path is not None and not path.is_file():
            raise BadFile(path, "there is no such file", "check the path")
    if request.source is not None:
        _refuse_missing_table(request.source)


def _refuse_missing_table(source: str) -> None:
    from diagnoser.formats import open_table, shipped_tables

    if source not in shipped_tables() and not os.path.exists(source):
        open_table(source)  # says what is wrong, and which names are near
