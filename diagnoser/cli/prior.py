"""`diagnoser prior`: priors of a table from confirmed sessions."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from diagnoser.cli.apart import apart
from diagnoser.cli.options import JsonOption, OutputOption, TableArgument, open_table_with_prior
from diagnoser.cli.output import progress_of, refuse_taken, say, write_json, write_whole
from diagnoser.errors import UsageError
from diagnoser.formats.formula import guarded
from diagnoser.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from diagnoser.kb import KnowledgeBase
    from diagnoser.learning import CouldNotTell, LearnedPrior
    from diagnoser.session import Session

MOST_LISTED = 10


def prior(
    table: TableArgument,
    folder: Annotated[
        Path | None, typer.Option("--sessions", metavar="FOLDER", help="The sessions; those kept for you if not given.")
    ] = None,
    strength: Annotated[
        float | None,
        typer.Option(
            "--strength",
            metavar="S",
            help="How many confirmed cases the table's own priors weigh as much as; the number of its rows.",
        ),
    ] = None,
    output: OutputOption = None,
    as_json: JsonOption = False,
) -> None:
    """Work out priors from confirmed sessions, as CSV for --prior FILE --prior-column 1.

    Also lists the questions that people could not answer. The table itself is not changed.
    """
    from diagnoser.journal import default_folder
    from diagnoser.learning import learn_prior
    from diagnoser.saved import saved_sessions, sessions_about

    if strength is not None and not 0 < strength < math.inf:
        raise UsageError(f"--strength {strength:g} is no number of cases; give one above 0")
    refuse_taken(output)
    kb = open_table_with_prior(table, None, 0)
    place = folder or default_folder()
    if not place.is_dir():
        raise UsageError(f"there is no folder {place}")
    sessions, left_out = sessions_about(kb, saved_sessions(place))
    learned = learn_prior(kb, sessions, strength or float(len(kb.hypotheses)))
    with progress_of("sessions", len(sessions)) as done:
        silent = apart(lambda _: _could_not_tell(kb, sessions, done))
    for line in (*left_out, *learned.left_out):
        say(line)
    if as_json:
        write_json(_as_json(kb, learned, silent))
        return
    write_whole(_as_csv(kb, learned), output)
    _say(kb, learned, silent)


def _could_not_tell(kb: KnowledgeBase, sessions: Sequence[Session], done: Callable[[], None]) -> list[CouldNotTell]:
    from diagnoser.advise import Adviser
    from diagnoser.learning import could_not_tell

    return could_not_tell(Adviser(kb), sessions, done)


def _as_csv(kb: KnowledgeBase, learned: LearnedPrior) -> str:
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(("hypothesis", "prior", "in the table", "confirmed"))
    for hypothesis, now, cases in zip(kb.hypotheses, learned.prior, learned.confirmed, strict=True):
        lines.writerow((guarded(hypothesis.id), repr(now), repr(hypothesis.prior), cases))
    return text.getvalue()


def _say(kb: KnowledgeBase, learned: LearnedPrior, silent: Sequence[CouldNotTell]) -> None:
    cases = counted(learned.cases, "confirmed case")
    say(f"{cases}; the table's own priors weigh as much as {learned.strength:g} cases (--strength)")
    if not silent:
        return
    say(f'answered "could not tell", and what an answer would have saved on average, in {kb.cost_unit}:')
    for one in silent[:MOST_LISTED]:
        saved = "not worked out" if one.saved is None else f"{one.saved:.3g}"
        partly = f" (of {one.worked_out})" if 0 < one.worked_out < one.unknown else ""
        say(f"  {one.test}: {one.unknown:,} of {counted(one.answers, 'answer')}, {saved}{partly}")
    if len(silent) > MOST_LISTED:
        say(f"  and {counted(len(silent) - MOST_LISTED, 'other test')}; --json lists all")


def _as_json(kb: KnowledgeBase, learned: LearnedPrior, silent: Sequence[CouldNotTell]) -> dict[str, object]:
    return {
        "strength": learned.strength,
        "confirmed_cases": learned.cases,
        "hypotheses": [
            {"hypothesis": hypothesis.id, "prior": now, "in_the_table": hypothesis.prior, "confirmed": cases}
            for hypothesis, now, cases in zip(kb.hypotheses, learned.prior, learned.confirmed, strict=True)
        ],
        "could_not_tell": [asdict(one) for one in silent],
    }
