"""`diagnoser evaluate`: what each policy costs."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diagnoser import evaluation
from diagnoser.cli.apart import apart
from diagnoser.cli.options import (
    JsonOption,
    PoliciesOption,
    PriorColumnOption,
    PriorOption,
    StopOption,
    TableArgument,
    open_table_with_prior,
)
from diagnoser.cli.output import say, write, write_csv, write_json, write_table
from diagnoser.errors import UsageError
from diagnoser.evaluation import CostOfHypothesis, Evaluation
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import POLICIES, RUNS, RUNS_STEP_BY_STEP, StopKind, default_stop, find_policy, read_stop
from diagnoser.text import percent

if TYPE_CHECKING:
    from diagnoser.advise import Adviser

PATIENCE = 3.0
"""Seconds after Ctrl-C for the random cases at hand; what takes longer is left behind."""


def evaluate(
    table: TableArgument,
    policy: PoliciesOption = None,
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
            help=(
                f"Random cases where a tree is too large to walk; usually {RUNS}, "
                f"or {RUNS_STEP_BY_STEP} for rollout and sparse."
            ),
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
    if as_json and as_csv:
        raise UsageError("--csv and --json are two forms of the same figures; give one")
    if not math.isfinite(bound_seconds):
        raise UsageError(f"--bound-seconds {bound_seconds} is no time; give seconds, 0 for no bound")
    names = list(dict.fromkeys(find_policy(name).name for name in policy or POLICIES))
    kb = open_table_with_prior(table, prior, prior_column)
    if columns is not None:
        kb = kb.with_tests(read_columns(columns, len(kb.tests)))
    rule = stop or default_stop(kb)
    done: list[Evaluation] = []
    remarks: list[str] = []
    at, bound, interrupted = "the start", None, False

    def work_out(stopped: Event) -> Adviser:
        nonlocal at
        from diagnoser.advise import Adviser

        adviser = Adviser(kb)
        if adviser.notice:
            remarks.append(adviser.notice)
        for number, name in enumerate(names):
            at = name

            def tell(share: float, cases: int, number: int = number, name: str = name) -> None:
                if stopped.is_set():
                    raise KeyboardInterrupt
                show(number + share, f"{name}: {cases} random cases" if cases else name)

            try:
                tell(0, 0)
                done.append(evaluation.evaluate(adviser, name, rule, runs=runs, seed=seed, progress=tell))
            except UsageError as error:
                if policy:
                    raise
                remarks.append(f"{name} is left out: {error}")
            if done and done[-1].partial:
                raise KeyboardInterrupt
        return adviser

    try:
        with _progress(len(names)) as show:
            adviser = apart(work_out, PATIENCE)
        if not (as_json or as_csv):
            at = "the bound"
            bound = apart(lambda _: evaluation.lower_bound(adviser, rule, bound_seconds))
    except KeyboardInterrupt:
        interrupted = True
    results = done[:]
    for remark in remarks:  # not into the bar of progress
        say(remark)
    if interrupted:
        whole = sum(not result.partial for result in results)
        say(f"interrupted at {at}: {whole} of {len(names)} policies are done")
        if whole < len(results):
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


@contextmanager
def _progress(policies: int) -> Iterator[Callable[[float, str], None]]:
    """What shows how many policies are done, and words beside it."""
    if not sys.stderr.isatty():
        yield lambda _done, _words: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=policies)
        yield lambda done, words: progress.update(task, description=words, completed=done)


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


def _dearest_first(result: Evaluation) -> list[CostOfHypothesis]:
    """Ties in the table's order; at the end what no random case was of."""
    return sorted(
        result.by_hypothesis, key=lambda own: math.inf if own.expected_cost is None else -round(own.expected_cost, 9)
    )


UNRESOLVED = {
    StopKind.UNIQUE: "with several candidates that no test left separates",
    StopKind.GROUP: "with several groups that no test left separates",
    StopKind.NEIGHBORHOOD: "before the rule is met, with no test left that helps",
    StopKind.CLIQUE: "before the rule is met, with no test left that helps",
    StopKind.POSTERIOR: "with no candidate probable enough and no test left that helps",
    StopKind.BUDGET: "with several candidates that no test within the budget separates",
}
"""How a case ends where the stopping rule is not met."""


def _write_words(kb: KnowledgeBase, results: list[Evaluation], proven: tuple[float, str] | None) -> None:
    entropy, bound = max(result.entropy_bound_bits or 0.0 for result in results), proven[0] if proven else 0.0
    write(f"{kb.title}: {len(kb.hypotheses)} {kb.hypotheses_word}, {len(kb.tests)} tests, stop {results[0].stop}")
    shares = [percent(result.unresolved_probability) for result in results]
    differ = len(set(shares)) > 1
    if any(result.unresolved_probability > 0 for result in results):
        share = "open: the share of the cases that" if differ else f"{shares[0]} of the cases"
        write(f"{share} end {UNRESOLVED[read_stop(results[0].stop).kind]}")
    if entropy > 0:
        write(f"by the entropy of the prior, settling every case takes at least {entropy:.6f} {kb.cost_unit}")
    if proven is not None and bound > 0:
        write(f"no policy can do better than {bound:.6f} {kb.cost_unit} ({proven[1]})")
    write()
    bounds = [max(result.entropy_bound_bits or 0.0, bound) for result in results]
    figures = {
        "policy": [f"{result.policy} (partial)" if result.partial else result.policy for result in results],
        f"expected\n{kb.cost_unit}": [_cost_words(r.expected_cost, r.exact, r.standard_error) for r in results],
        "worst": [f"{result.worst_cost:g}" for result in results],
        "open": shares if differ else [],
        "times\nthe least\npossible": [
            f"{result.expected_cost / least:.3f}" if least > 0 else ""
            for result, least in zip(results, bounds, strict=True)
        ],
        "states": [f"{result.cases} cases" if result.nodes is None else str(result.nodes) for result in results],
        "seconds": [f"{result.seconds:.3f}" for result in results],
    }
    shown = {heading: column for heading, column in figures.items() if any(column)}
    write_table([*shown], zip(*shown.values(), strict=True), [*shown][1:])


def _write_own_costs(kb: KnowledgeBase, result: Evaluation) -> None:
    names = {hypothesis.id: hypothesis.name for hypothesis in kb.hypotheses}
    write()
    source = "" if result.exact else f"; mean of {result.cases} random cases{', partial' if result.partial else ''}"
    write(f"{result.policy}, dearest first{source}")
    cost = f"expected {kb.cost_unit}"
    headings = (kb.hypothesis_word, "prior", cost, *(() if result.exact else ("cases",)))
    rows = (
        (
            names[own.hypothesis],
            percent(own.prior),
            "" if own.expected_cost is None else _cost_words(own.expected_cost, result.exact, own.standard_error),
            *(() if result.exact else (str(own.cases),)),
        )
        for own in _dearest_first(result)
    )
    write_table(headings, rows, headings[1:])


def _cost_words(cost: float, exact: bool, error: float | None) -> str:
    """Six digits, or three where random cases do not bear more; one case alone has no error."""
    if exact:
        return f"{cost:.6f}"
    return f"{cost:.3f}" if error is None else f"{cost:.3f} ± {error:.2g}"
