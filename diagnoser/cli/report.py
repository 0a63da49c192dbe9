"""`diagnoser report`: a saved case on paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from diagnoser.cli.apart import apart
from diagnoser.cli.options import OutputOption, open_table_with_prior
from diagnoser.cli.output import refuse_taken, write_whole
from diagnoser.cli.sessions import find_session
from diagnoser.errors import UsageError

if TYPE_CHECKING:
    from diagnoser.kb import KnowledgeBase
    from diagnoser.report import Report
    from diagnoser.session import Session

FORMS = ("markdown", "html", "json")


def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A session file.")],
    form: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(FORMS)}.", autocompletion=lambda: list(FORMS))
    ] = "markdown",
    output: OutputOption = None,
) -> None:
    """Print a case: answers, who is left, why the others are out, what to do, notes, scope and limits."""
    from diagnoser.report import FORMS as WRITERS
    from diagnoser.session import read_session

    if form not in FORMS:
        raise UsageError(f'reports are not printed as "{form}"; known: {", ".join(FORMS)}')
    refuse_taken(output)
    session = read_session(find_session(file))
    header = session.header
    kb = open_table_with_prior(header.source, Path(header.prior) if header.prior else None, header.prior_column)
    write_whole(WRITERS[form](apart(lambda _: _worked_out(session, kb))), output)


def _worked_out(session: Session, kb: KnowledgeBase) -> Report:
    from diagnoser.advise import Adviser
    from diagnoser.report import work_out

    return work_out(session, kb, Adviser(kb))
