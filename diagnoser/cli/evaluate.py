"""`diagnoser evaluate`: what each policy costs."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Annotated, Any

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
from diagnoser.evaluation import Evaluation, OwnCost
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import POLICIES, default_stop, find_policy
from diagnoser.text import percent


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
    by_hypothesis: Annotated[
        bool, typer.Option("--by-hypothesis", help="Also what each row of the table costs where it is the answer.")
    ] = False,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs",
            metavar="N",
            min=100,
            help="Random cases where a tree is too large to walk; usually 10000, or 1000 for rollout and sparse.",
        ),
    ] = None,
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
    if adviser.notice:
        say(adviser.notice)
    results: list[Evaluation] = []
    at, bound, interrupted = "the start", None, False
    try:
        for name, tell in _with_progress(policies):
            at = name
            try:
                results.append(adviser.evaluate(name, rule, runs=runs, seed=seed, tell=tell))
            except UsageError as error:
                if policy:
                    raise
                say(f"{name} is left out: {error}")
            if results and results[-1].partial:
                raise KeyboardInterrupt
        if not (as_json or as_csv):
            at = "the bound"
            bound = adviser.lower_bound(rule, bound_seconds)
    except KeyboardInterrupt:
        interrupted = True
        done = sum(not result.partial for result in results)
        say(f"interrupted at {at}: {done} of {len(policies)} policies are done")
        if done < len(results):
            say(f"the figures of {at} are partial: {results[-1].cases} random cases")
    if as_json:
        write_json([_plain(result, by_hypothesis) for result in results])
    elif as_csv:
        rows = (_own_rows(result) if by_hypothesis else [_plain(result, False)] for result in results)
        write_csv(list(chain.from_iterable(rows)))
    elif results:
        _write_words(kb, results, bound)
        if by_hypothesis:
            for result in results:
                _write_own_costs(kb, result)
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


def _with_progress(policies: Iterable[str]) -> Iterator[tuple[str, Callable[[float, int], None]]]:
    """Each policy, with what is to be called while it is worked out."""
    names = list(policies)
    if not sys.stderr.isatty():
        yield from ((name, lambda _share, _cases: None) for name in names)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(names))
        for done, name in enumerate(names):
            progress.update(task, description=name, completed=done)

            def tell(share: float, cases: int, done: int = done, name: str = name) -> None:
                words = f"{name}: {cases} random cases" if cases else name
                progress.update(task, description=words, completed=done + share)

            yield name, tell


def _plain(result: Evaluation, by_hypothesis: bool) -> dict[str, Any]:
    """The figures by name."""
    fields = asdict(result)
    del fields["by_hypothesis"]
    return fields | ({"by_hypothesis": [asdict(own) for own in _dearest_first(result)]} if by_hypothesis else {})


def _own_rows(result: Evaluation) -> Iterator[dict[str, Any]]:
    for own in _dearest_first(result):
        yield {
            "policy": result.policy,
            "stop": result.stop,
            **asdict(own),
            "exact": result.exact,
            "partial": result.partial,
        }


def _dearest_first(result: Evaluation) -> list[OwnCost]:
    """Ties in the table's order; at the end what no random case was of."""
    return sorted(
        result.by_hypothesis, key=lambda own: math.inf if own.expected_cost is None else -round(own.expected_cost, 9)
    )


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
    ratio = f"{result.expected_cost / bound:.3f}" if bound else ""
    return (
        f"{result.policy} (partial)" if result.partial else result.policy,
        _cost_words(result.expected_cost, None if result.exact else result.standard_error),
        f"{result.worst_cost:g}",
        ratio,
        f"{result.cases} cases" if result.nodes is None else str(result.nodes),
        f"{result.seconds:.3f}",
    )


def _write_own_costs(kb: KnowledgeBase, result: Evaluation) -> None:
    names = {hypothesis.id: hypothesis.name for hypothesis in kb.hypotheses}
    write()
    source = "" if result.exact else f"; mean of {result.cases} random cases{', partial' if result.partial else ''}"
    write(f"{result.policy}, dearest first{source}")
    cost = f"expected {kb.cost_unit}"
    headings = (kb.hypothesis_word, "prior", cost, *(() if result.exact else ("cases",)))
    rows = (
        (names[own.hypothesis], percent(own.prior), _own_cost(own), *(() if result.exact else (str(own.cases),)))
        for own in _dearest_first(result)
    )
    write_table(headings, rows, headings[1:])


def _own_cost(own: OwnCost) -> str:
    if own.expected_cost is None:
        return ""
    return _cost_words(own.expected_cost, own.standard_error if own.cases > 1 else None)


def _cost_words(cost: float, error: float | None) -> str:
    """Six digits, or three where random cases do not bear more."""
    return f"{cost:.6f}" if error is None else f"{cost:.3f} ± {error:.2g}"
