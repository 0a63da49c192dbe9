"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from diagnoser.case import ERROR_MODES
from diagnoser.cli.output import say
from diagnoser.errors import UsageError
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import POLICIES, STOPS, find_policy, find_stop

TableArgument = Annotated[str, typer.Argument(metavar="TABLE", help="A table's folder or file, or a shipped name.")]


def _known_policy(name: str | None) -> str | None:
    return name if name is None else find_policy(name).name


def _known_stop(name: str | None) -> str | None:
    return name if name is None else find_stop(name)


def _known_errors(mode: str) -> str:
    if mode not in ERROR_MODES:
        raise UsageError(f'errors cannot be treated as "{mode}"; known: {", ".join(ERROR_MODES)}')
    return mode


PolicyOption = Annotated[
    str | None,
    typer.Option(
        "--policy",
        help=f"How tests are chosen: {', '.join(POLICIES)}.",
        callback=_known_policy,
        autocompletion=lambda: list(POLICIES),
    ),
]
PoliciesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        help=f"This policy; repeat it for more: {', '.join(POLICIES)}.",
        autocompletion=lambda: list(POLICIES),
    ),
]
StopOption = Annotated[
    str | None,
    typer.Option(
        "--stop",
        help=f"When a case ends: {', '.join(STOPS)}.",
        callback=_known_stop,
        autocompletion=lambda: list(STOPS),
    ),
]
ErrorsOption = Annotated[
    str,
    typer.Option(
        "--errors",
        help="How wrong answers are treated: strict; tolerance, some may be wrong; reliability, every one may be.",
        callback=_known_errors,
        autocompletion=lambda: list(ERROR_MODES),
    ),
]
ToleranceOption = Annotated[
    int, typer.Option("--tolerance", metavar="K", min=0, help="How many answers may be wrong; implies tolerance.")
]
PriorOption = Annotated[
    Path | None, typer.Option("--prior", metavar="FILE", help="Take the prior probabilities from this CSV file.")
]
PriorColumnOption = Annotated[
    int, typer.Option("--prior-column", metavar="N", min=0, help="Its column of probabilities, the first is 0.")
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this new file instead of the screen.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def open_table_with_prior(source: str, prior: Path | None, column: int) -> KnowledgeBase:
    """The table, with the priors of the file where one is given; its notices are said. Raises BadFile, UsageError."""
    from diagnoser.formats import open_table

    refuse_column_alone(prior, column)
    kb = open_table(source, prior, column)
    for notice in kb.notices:
        say(notice)
    return kb


def refuse_column_alone(prior: Path | None, column: int) -> None:
    """Raises UsageError for a column of no file."""
    if prior is None and column:
        raise UsageError("--prior-column is a column of the file given by --prior; give that too")
