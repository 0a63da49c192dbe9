"""`diagnoser key`: a policy printed as a key, for where there is no screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnoser.cli.apart import apart
from diagnoser.cli.options import (
    PolicyOption,
    PriorColumnOption,
    PriorOption,
    StopOption,
    TableArgument,
    open_table_with_prior,
)
from diagnoser.cli.output import counting
from diagnoser.errors import UsageError
from diagnoser.policies import default_policy, default_stop

if TYPE_CHECKING:
    from collections.abc import Callable

    from diagnoser.evaluation import Evaluation
    from diagnoser.kb import KnowledgeBase
    from diagnoser.key import Question

FORMS = ("text", "markdown", "html", "dot", "json")


def key(
    table: TableArgument,
    policy: PolicyOption = None,
    stop: StopOption = None,
    form: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(FORMS)}.", autocompletion=lambda: list(FORMS))
    ] = "text",
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", min=1, help="Most questions on a way; the rest is cut off.")
    ] = None,
    unknown: Annotated[
        int,
        typer.Option(
            "--unknown",
            metavar="K",
            min=0,
            help='How often "could not tell" may be answered on a way; 0 leaves it out.',
        ),
    ] = 0,
    prior: PriorOption = None,
    prior_column: PriorColumnOption = 0,
) -> None:
    """Print a policy as a key: numbered questions, and where each answer leads."""
    from diagnoser.key_forms import FORMS as WRITERS
    from diagnoser.key_forms import Sheet

    if form not in FORMS:
        raise UsageError(f'keys are not printed as "{form}"; known: {", ".join(FORMS)}')
    kb = open_table_with_prior(table, prior, prior_column)
    chosen, rule = policy or default_policy(kb), stop or default_stop(kb)
    with counting("questions") as tell:
        questions, cost = apart(lambda _: _worked_out(kb, chosen, rule, depth, unknown, tell))
    typer.echo(WRITERS[form](Sheet(kb, questions, _remarks(kb, chosen, rule, cost))), nl=False)


def _worked_out(
    kb: KnowledgeBase, policy: str, stop: str, depth: int | None, unknown: int, tell: Callable[[int], object]
) -> tuple[tuple[Question, ...], Evaluation]:
    from diagnoser.advise import Adviser
    from diagnoser.evaluation import evaluate
    from diagnoser.key import work_out

    adviser = Adviser(kb)
    return work_out(adviser, policy, stop, depth=depth, unknowns=unknown, progress=tell), evaluate(
        adviser, policy, stop
    )


def _remarks(kb: KnowledgeBase, policy: str, stop: str, cost: Evaluation) -> list[str]:
    figure = f"{cost.expected_cost:.3f}" + ("" if cost.exact else f" ± {cost.standard_error:.2g}")
    said = f"Policy {policy}, stop {stop}: {figure} {kb.cost_unit} expected to the end, {cost.worst_cost:g} at worst."
    return [said, *filter(None, (kb.scope, kb.disclaimer))]
