"""`diagnoser replay`: check a recorded case."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from diagnoser.case import (
    Answered,
    Confirmed,
    ErrorsChosen,
    Event,
    Excluded,
    Named,
    NoneOfThese,
    Noted,
    PolicyChosen,
    Proposed,
    Redone,
    Restored,
    StopChosen,
    Undone,
    Withdrawn,
)
from diagnoser.cli.apart import apart
from diagnoser.cli.options import JsonOption, open_table_with_prior
from diagnoser.cli.output import say, write, write_json, write_table
from diagnoser.cli.sessions import answer_words, find_session
from diagnoser.kb import KnowledgeBase
from diagnoser.text import percent

if TYPE_CHECKING:
    from diagnoser.replay import Replay, Step
    from diagnoser.session import Session


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A session file.")],
    as_json: JsonOption = False,
) -> None:
    """Work out each recorded question anew and name the first difference."""
    from diagnoser.session import read_session

    session = read_session(find_session(file))
    header = session.header
    kb = open_table_with_prior(header.source, Path(header.prior) if header.prior else None, header.prior_column)
    again = apart(lambda _: _run_again(session, kb))
    for note in again.notes:
        say(note)
    if as_json:
        write_json(_as_json(again))
    else:
        _write_words(again, kb)
    if again.first_difference is not None:
        say(f"differs: {again.first_difference}")
        raise typer.Exit(1)


def _run_again(session: Session, kb: KnowledgeBase) -> Replay:
    from diagnoser.advise import Adviser
    from diagnoser.replay import replay

    return replay(session, kb, Adviser(kb))


def _write_words(again: Replay, kb: KnowledgeBase) -> None:
    rows = (_row(number, step) for number, step in enumerate(again.steps, start=1))
    write_table(("event", "time", "what", "now"), rows, {"event"})
    if again.advice is not None:
        names = {hypothesis.id: hypothesis.name for hypothesis in kb.hypotheses}
        left = again.advice.candidates
        shown = ", ".join(f"{names[c.hypothesis]} {percent(c.posterior)}" for c in left[:5])
        write(f"left: {len(left)}" + (f" - {shown}" if left else "") + (", ..." if len(left) > 5 else ""))
    write(f"agrees: {again.agreeing} of {again.proposals} proposals")


def _row(number: int, step: Step) -> tuple[str, ...]:
    now = step.difference or ("the same" if isinstance(step.event, Proposed) else "")
    return (str(number), step.time[:19].replace("T", " "), _words(step.event), now)


def _words(event: Event) -> str:
    match event:
        case Proposed(test, score, policy):
            return f"asked {test} ({policy}, score {score:.4g})"
        case Answered():
            return f"answered {answer_words(event)}" + (" exactly" if event.exact else "")
        case Withdrawn(test):
            return f"withdrew {test}"
        case Undone() | Redone():
            return event.event
        case Excluded(hypothesis):
            return f"ruled out {hypothesis}"
        case Restored(hypothesis):
            return f"back in: {hypothesis}"
        case PolicyChosen(name):
            return f"policy {name}"
        case StopChosen(name):
            return f"stop {name}"
        case ErrorsChosen(mode, tolerance):
            return f"errors {mode}" + (f" {tolerance}" if mode == "tolerance" else "")
        case Confirmed(hypothesis):
            return f"confirmed {hypothesis}"
        case NoneOfThese():
            return "none of these"
        case Noted(text):
            return f"note: {text}"
        case Named(name):
            return f"named {name}"
        case _:
            assert_never(event)


def _as_json(again: Replay) -> dict[str, object]:
    from diagnoser.session import plain

    return {
        "agrees": again.first_difference is None,
        "proposals": again.proposals,
        "agreeing": again.agreeing,
        "first_difference": again.first_difference,
        "notes": again.notes,
        "status": again.advice.status if again.advice else None,
        "candidates": [asdict(candidate) for candidate in again.advice.candidates] if again.advice else [],
        "events": [
            {"seq": number, "time": step.time, **plain(step.event), "difference": step.difference}
            for number, step in enumerate(again.steps, start=1)
        ],
    }
