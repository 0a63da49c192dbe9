"""`diagnoser evaluate`: what each policy costs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from diagnoser.cli.options import (
    JsonOption,
    PriorColumnOption,
    PriorOption,
    StopOption,
    TableArgument,
    open_table_with_prior,
)
from diagnoser.cli.output import say, write, write_csv, write_json, write_table
from diagnoser.errors import UsageError
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import POLICIES, default_stop, find_policy
from diagnoser.text import percent

if TYPE_CHECKING:
    from diagnoser.advise import Evaluation


def evaluate(
    table: TableArgument,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            help=f"Only this policy; repeat it for more: {', '.join(POLICIES)}.",
            autocompletion=lambda: list(POLICIES),
        ),
    ] = None,
    stop: StopOption = None,
    prior: PriorOption = None,
    prior_column: PriorColumnOption = 0,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="A-B", help="Only these tests; the first is 0, B is included.")
    ] = None,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", min=100, help="Random cases where a tree is too large to walk.")
    ] = 10_000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of the random cases.")] = 0,
    bound_seconds: Annotated[
        float,
        typer.Option("--bound-seconds", metavar="S", min=0, help="Work spent on the bound for all policies; 0: none."),
    ] = 2.0,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Put the cost of every policy side by side with what no policy can do better than."""
    from diagnoser.advise import Adviser

    policies = [find_policy(name).name for name in policy or POLICIES]
    kb = open_table_with_prior(table, prior, prior_column)
    if columns is not None:
        kb = kb.with_tests(read_columns(columns, len(kb.tests)))
    adviser, rule = Adviser(kb), stop or default_stop(kb)
    results: list[Evaluation] = []
    interrupted = False
    try:
        for name in _with_progress(policies):
            try:
                results.append(adviser.evaluate(name, rule, runs=runs, seed=seed))
            except UsageError as error:
                if policy:
                    raise
                say(f"{name} is left out: {error}")
    except KeyboardInterrupt:
        interrupted = True
        say(f"interrupted: {len(results)} of {len(policies)} policies are done")
    if as_json:
        write_json([asdict(result) for result in results])
    elif as_csv:
        write_csv([asdict(result) for result in results])
    elif results:
        _write_words(kb, results, None if interrupted else adviser.lower_bound(rule, bound_seconds))
    if interrupted:
        raise typer.Exit(130)


def read_columns(text: str, tests: int) -> range:
    """The tests from A to B. Raises UsageError."""
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text.strip(), flags=re.ASCII)
    if found is None:
        raise UsageError(f'"{text}" is not a range of columns; write A-B, such as 0-39')
    first, last = int(found[1]), int(found[2] or found[1])
    if not first <= last < tests:
        raise UsageError(f"there are no columns {text}; the table has 0-{tests - 1}")
    return range(first, last + 1)


def _with_progress(policies: Iterable[str]) -> Iterator[str]:
    if not sys.stderr.isatty():
        yield from policies
        return
    from rich.console import Console
    from rich.progress import Progress

    names = list(policies)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(names))
        for name in names:
            progress.update(task, description=name)
            yield name
            progress.advance(task)


def _write_words(kb: KnowledgeBase, results: list[Evaluation], proven: tuple[float, str] | None) -> None:
    entropy = results[0].entropy_bound_bits
    bound = max((value for value in (entropy, proven and proven[0]) if value), default=None)
    write(f"{kb.title}: {len(kb.hypotheses)} {kb.hypotheses_word}, {len(kb.tests)} tests, stop {results[0].stop}")
    unresolved = results[0].unresolved_probability
    if unresolved > 0:
        write(f"{percent(unresolved)} of the cases end with several that no test separates")
    if entropy is not None:
        write(f"entropy bound: {entropy:.6f} {kb.cost_unit}")
    if proven is not None and proven[0] > 0:
        write(f"no policy can do better than {proven[0]:.6f} {kb.cost_unit} ({proven[1]})")
    write()
    headings = ("policy", f"expected {kb.cost_unit}", "worst", "times the bound", "tree size", "seconds")
    write_table(headings, (_row(result, bound) for result in results), headings[1:])


def _row(result: Evaluation, bound: float | None) -> tuple[str, ...]:
    error = "" if result.exact else f" ± {result.standard_error:.2g}"
    ratio = f"{result.expected_cost / bound:.3f}" if bound else ""
    return (
        result.policy,
        f"{result.expected_cost:.6f}{error}",
        f"{result.worst_cost:g}",
        ratio,
        "" if result.nodes is None else str(result.nodes),
        f"{result.seconds:.3f}",
    )
