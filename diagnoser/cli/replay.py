"""`diagnoser replay`: check a recorded case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from diagnoser.cli.options import JsonOption, PoliciesOption, open_table_with_prior
from diagnoser.cli.output import say, write, write_json, write_table
from diagnoser.cli.replay_all import replay_all
from diagnoser.cli.sessions import answer_words, find_session
from diagnoser.errors import UsageError
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import find_policy
from diagnoser.text import counted, percent

if TYPE_CHECKING:
    from diagnoser.counterfactual import Counterfactual, Source
    from diagnoser.replay import Replay, Step
    from diagnoser.session import Session

SOURCES: Mapping[Source, str] = {
    "recorded": "the session",
    "table": "the table",
    "drawn": "drawn: the table leaves it open",
}


def replay(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="A session file; not with --all.")] = None,
    policy: PoliciesOption = None,
    folder: Annotated[
        Path | None, typer.Option("--all", metavar="FOLDER", help="Run every session of a folder again.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help="Processes of --all; one for each processor.")
    ] = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV; with --all.")] = False,
) -> None:
    """Work out each recorded question anew and name the first difference, with its cause.

    --policy shows what another policy would have asked of the same case, and at what cost.
    """
    policies = list(dict.fromkeys(find_policy(name).name for name in policy or ()))
    if (file is None) == (folder is None):
        raise UsageError("give a session FILE, or --all FOLDER for every session in it")
    if folder is not None:
        replay_all(folder, policies, jobs, as_json=as_json, as_csv=as_csv)
    elif file is not None:
        if as_csv or jobs is not None:
            raise UsageError("--csv and --jobs are for --all; leave them out")
        _replay_one(file, policies, as_json)


def _replay_one(file: Path, policies: Sequence[str], as_json: bool) -> None:
    from diagnoser.session import read_session

    session = read_session(find_session(file))
    header = session.header
    kb = open_table_with_prior(header.source, Path(header.prior) if header.prior else None, header.prior_column)
    again, others = apart(lambda _: _run_again(session, kb, policies))
    for note in again.notes:
        say(note)
    if as_json:
        write_json(_as_json(again, session, kb, others))
    else:
        _write_words(again, kb)
        for other in others:
            _write_other(other, session, kb)
    if again.first_difference is not None:
        say(f"differs: {again.first_difference}")
        raise typer.Exit(1)


def _run_again(session: Session, kb: KnowledgeBase, policies: Sequence[str]) -> tuple[Replay, list[Counterfactual]]:
    from diagnoser.advise import Adviser
    from diagnoser.counterfactual import UNTOLD, instead, truth_of
    from diagnoser.replay import replay

    adviser = Adviser(kb)
    again = replay(session, kb, adviser)
    if not policies or again.end_problem is not None:
        return again, []
    truth = truth_of(session, adviser)
    if truth is None:
        raise UsageError(f"{UNTOLD}; --policy needs that")
    return again, [instead(session, adviser, policy, truth) for policy in policies]


def _write_words(again: Replay, kb: KnowledgeBase) -> None:
    rows = (_row(number, step) for number, step in enumerate(again.steps, start=1))
    write_table(("event", "time", "what", "now"), rows, {"event"})
    if again.advice is not None:
        names = {hypothesis.id: hypothesis.name for hypothesis in kb.hypotheses}
        left = again.advice.candidates
        shown = ", ".join(f"{names[c.hypothesis]} {percent(c.posterior)}" for c in left[:5])
        write(f"left: {len(left)}" + (f" - {shown}" if left else "") + (", ..." if len(left) > 5 else ""))
    write(f"agrees: {again.agreeing} of {again.proposals} proposals")


def _write_other(other: Counterfactual, session: Session, kb: KnowledgeBase) -> None:
    from diagnoser.counterfactual import recorded_cost
    from diagnoser.replay import STATUS_WORDS

    state = session.case.state
    name = kb.hypotheses[kb.hypothesis_index[other.truth]].name
    write()
    write(f"{other.policy}, had it asked about {name}:")
    headings = ("question", "answer", f"cost in {kb.cost_unit}", "answer from")
    rows = (
        (str(number), answer_words(one.answer), f"{one.cost:g}", SOURCES[one.source])
        for number, one in enumerate(other.asked, start=1)
    )
    write_table(headings, rows, {"question", headings[2]})
    asked, answers = counted(len(other.asked), "question"), counted(len(state.answers), "answer")
    write(f"{asked}, {other.cost:g} {kb.cost_unit}, the case {STATUS_WORDS[other.status]}")
    write(f"recorded: {answers}, {recorded_cost(kb, state):g} {kb.cost_unit}")


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


def _as_json(again: Replay, session: Session, kb: KnowledgeBase, others: Sequence[Counterfactual]) -> dict[str, object]:
    from diagnoser.counterfactual import recorded_cost
    from diagnoser.session import plain

    whole: dict[str, object] = {
        "agrees": again.first_difference is None,
        "proposals": again.proposals,
        "agreeing": again.agreeing,
        "first_difference": again.first_difference,
        "cause": again.cause,
        "notes": again.notes,
        "status": again.advice.status if again.advice else None,
        "candidates": [asdict(candidate) for candidate in again.advice.candidates] if again.advice else [],
        "events": [
            {"seq": number, "time": step.time, **plain(step.event), "difference": step.difference}
            for number, step in enumerate(again.steps, start=1)
        ],
    }
    if others:
        whole["recorded_cost"] = recorded_cost(kb, session.case.state)
        whole["policies"] = [
            {
                "policy": other.policy,
                "truth": other.truth,
                "status": other.status,
                "cost": other.cost,
                "asked": [
                    {"test": one.answer.test, "outcomes": one.answer.outcomes, "cost": one.cost, "from": one.source}
                    for one in other.asked
                ],
            }
            for other in others
        ]
    return whole
