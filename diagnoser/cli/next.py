"""`diagnoser next`: one decision, without a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from diagnoser.case import Answered, Case, checked_settings
from diagnoser.cli.apart import apart
from diagnoser.cli.options import (
    ErrorsOption,
    JsonOption,
    PolicyOption,
    PriorColumnOption,
    PriorOption,
    StopOption,
    TableArgument,
    ToleranceOption,
    open_table_with_prior,
)
from diagnoser.cli.output import say, write, write_json, write_table
from diagnoser.errors import Contradiction, UsageError
from diagnoser.kb import NOT_APPLICABLE, Group, KnowledgeBase, Test
from diagnoser.policies import default_policy, default_stop, spent_words
from diagnoser.text import nearest, one_unit, percent, score_per_cost

if TYPE_CHECKING:
    from diagnoser.advise import Advice, RankedTest


def next_test(
    table: TableArgument,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            "-a",
            metavar="TEST=OUTCOME",
            help="An answer; repeat it for more. a|b: either of two, ?: could not tell, -: does not apply.",
        ),
    ] = None,
    policy: PolicyOption = None,
    stop: StopOption = None,
    errors: ErrorsOption = "strict",
    tolerance: ToleranceOption = 0,
    prior: PriorOption = None,
    prior_column: PriorColumnOption = 0,
    top: Annotated[int, typer.Option("--top", metavar="N", min=0, help="Rows of tests and of candidates, 0 all.")] = 10,
    as_json: JsonOption = False,
) -> None:
    """Say which test to do next after these answers."""
    kb = open_table_with_prior(table, prior, prior_column)
    given = [read_answer(kb, text) for text in answers or ()]
    for answer in given:
        if [other.test for other in given].count(answer.test) > 1:
            raise UsageError(f'test "{answer.test}" is answered twice')
    case = Case.new(checked_settings(policy or default_policy(kb), stop or default_stop(kb), errors, tolerance), given)
    advice = apart(lambda _: _advise(kb, case))
    shown = top or None
    if as_json:
        write_json(_as_json(kb, advice, given, shown))
    else:
        _write_words(kb, advice, case.state.settings.stop, shown)
    if advice.status == "contradiction":
        raise Contradiction(f"no {kb.hypothesis_word} of the table agrees with these answers; check or drop one")


def _advise(kb: KnowledgeBase, case: Case) -> Advice:
    from diagnoser.advise import Adviser

    adviser = Adviser(kb)
    if adviser.notice:
        say(adviser.notice)
    return adviser.advise(case.state)


def read_answer(kb: KnowledgeBase, text: str) -> Answered:
    """One answer from TEST=OUTCOME. Raises UsageError with names that are near.

    A test id may contain "=": the longest known id before one is taken whose outcome is known too.
    A value that is an outcome id is that outcome; only then `?`, `-` and `|` have their meaning.
    """
    places = [place for place, letter in enumerate(text) if letter == "="]
    if not places:
        raise UsageError(f'"{text}" is not an answer; write TEST=OUTCOME')
    known = [place for place in reversed(places) if text[:place].strip() in kb.test_index]
    if not known:
        name = text[: places[0]].strip()
        raise UsageError(f'the table has no test "{name}"; {nearest(name, kb.test_index)}')
    readings = [(kb.tests[kb.test_index[text[:place].strip()]], text[place + 1 :].strip()) for place in known]
    for test, value in readings:
        if _unknown_outcome(test, value) is None:
            return Answered(test.id, _outcomes(test, value))
    test, value = readings[0]
    outcome = _unknown_outcome(test, value)
    if outcome == NOT_APPLICABLE:
        raise UsageError(f'test "{test.id}" applies to every {kb.hypothesis_word} of the table')
    remedy = nearest(outcome or "", (known.id for known in test.outcomes))
    raise UsageError(f'test "{test.id}" has no outcome "{outcome}"; {remedy}')


def _outcomes(test: Test, value: str) -> tuple[str, ...]:
    if test.outcome_index(value) is not None:
        return (value,)
    if value == "?":
        return ()
    if value == "-":
        return (NOT_APPLICABLE,)
    return tuple(dict.fromkeys(part.strip() for part in value.split("|")))


def _unknown_outcome(test: Test, value: str) -> str | None:
    return next((outcome for outcome in _outcomes(test, value) if test.outcome_index(outcome) is None), None)


def _question(test: Test) -> str:
    """What to ask; a bare file has no more than the test's name."""
    return test.question or test.title


def _group_at_the_end(kb: KnowledgeBase, advice: Advice) -> Group | None:
    """The group whose action is due; None while the case is open."""
    groups = {candidate.group for candidate in advice.candidates}
    if advice.status == "open" or len(groups) != 1:
        return None
    return kb.group_by_id.get(groups.pop() or "")


def _as_json(kb: KnowledgeBase, advice: Advice, given: Sequence[Answered], top: int | None) -> dict[str, object]:
    group = _group_at_the_end(kb, advice)
    return {
        "status": advice.status,
        "candidates_left": len(advice.candidates),
        "entropy_bits": advice.entropy_bits,
        "candidates": [
            {
                "hypothesis": candidate.hypothesis,
                "posterior": candidate.posterior,
                "group": candidate.group,
                "mismatches": candidate.mismatches,
            }
            for candidate in advice.candidates[:top]
        ],
        "tests": [
            {
                "test": ranked.test,
                "question": _question(kb.tests[kb.test_index[ranked.test]]),
                "score": ranked.score,
                "cost": ranked.cost,
                "outcomes": [
                    {
                        "outcome": branch.outcome,
                        "probability": branch.probability,
                        "candidates_left": branch.candidates_left,
                    }
                    for branch in ranked.branches
                ],
            }
            for ranked in advice.tests[:top]
        ],
        "spent": [answer.test for answer in given],
        "group_action": group.action if group else None,
        "group_warning": group.warning if group else None,
    }


def _write_words(kb: KnowledgeBase, advice: Advice, stop: str, top: int | None) -> None:
    left, of, bits = len(advice.candidates), len(kb.hypotheses), advice.entropy_bits
    write(f"{left} of {of} {kb.hypotheses_word} left, {bits:.1f} of {advice.entropy_bits_at_start:.1f} bits open")
    write(_verdict(kb, advice, stop))
    if advice.status != "open":
        group = _group_at_the_end(kb, advice)
        for line in (group.action, group.warning) if group else ():
            if line:
                write(line)
        if kb.disclaimer:
            write(kb.disclaimer)
    if advice.proposal is not None:
        write()
        write_table(("outcome", "means", "stay"), _outcome_rows(kb, advice.proposal), {"stay"})
        write()
        rows = (_test_row(kb, ranked) for ranked in advice.tests[:top])
        score = f"score per {one_unit(kb.cost_unit)}"
        write_table(("test", "question", score, "cost"), rows, {score, "cost"})
    if advice.candidates:
        write()
        names = {hypothesis.id: hypothesis.name for hypothesis in kb.hypotheses}
        shown = ((names[c.hypothesis], percent(c.posterior), c.group or "") for c in advice.candidates[:top])
        write_table((kb.hypothesis_word, "posterior", "group"), shown, {"posterior"})


def _verdict(kb: KnowledgeBase, advice: Advice, stop: str) -> str:
    match advice.status:
        case "open" if advice.proposal is not None:
            test = kb.tests[kb.test_index[advice.proposal.test]]
            return f"next: {test.id}" + (f" - {_question(test)}" if _question(test) != test.id else "")
        case "identified":
            hypothesis = kb.hypotheses[kb.hypothesis_index[advice.candidates[0].hypothesis]]
            return f"identified: {hypothesis.name}"
        case "group":
            group = kb.group_by_id[advice.candidates[0].group or ""]
            return f"one group: {group.name}"
        case "inseparable":
            return f"{spent_words(stop)} separates these"
    return "no candidate left"


def _outcome_rows(kb: KnowledgeBase, ranked: RankedTest) -> Iterator[tuple[str, ...]]:
    for outcome, branch in zip(kb.tests[kb.test_index[ranked.test]].outcomes, ranked.branches, strict=True):
        yield outcome.id, outcome.label, str(branch.candidates_left)


def _test_row(kb: KnowledgeBase, ranked: RankedTest) -> tuple[str, ...]:
    test = kb.tests[kb.test_index[ranked.test]]
    return (test.id, _question(test), score_per_cost(ranked.score, ranked.cost), f"{ranked.cost:g}")
