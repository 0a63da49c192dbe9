"""`diagnoser compare`: ways to grow a tree side by side on the same cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnoser.cli.options import JsonOption
from diagnoser.cli.output import progress_of, say, write, write_json, write_table
from diagnoser.cli.train import (
    CostOption,
    CostsOption,
    DataArgument,
    DropOption,
    FoldsOption,
    KeepOption,
    KindOption,
    SeedOption,
    TargetOption,
    costs_of,
    read_cases,
)
from diagnoser.errors import UsageError

if TYPE_CHECKING:
    from diagnoser.comparison import Judged


def compare(
    data: DataArgument,
    target: TargetOption = None,
    kind: KindOption = [],  # noqa: B006  typer copies it
    cost: CostOption = [],  # noqa: B006
    costs: CostsOption = None,
    drop: DropOption = [],  # noqa: B006
    keep: KeepOption = [],  # noqa: B006
    random_costs: Annotated[
        bool, typer.Option("--random-costs", help="Whole costs from 1 to 10 drawn by the seed, where none is given.")
    ] = False,
    criterion: Annotated[str, typer.Option(help="Impurity: entropy or gini.")] = "entropy",
    folds: FoldsOption = 5,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Compare this method with plain gain, gain by cost, submodular ranking and scikit-learn under one rule."""
    cases = read_cases(data, target, kind, drop, keep)
    for line in cases.said:
        say(line)
    named, pools, _ = costs_of(cases, cost, costs)
    if pools:
        raise UsageError("scikit-learn knows no shared costs; compare without pools")
    if criterion not in ("entropy", "gini"):
        raise UsageError("scikit-learn knows entropy and gini only")
    import numpy as np

    from diagnoser.comparison import WAYS, Task, judge

    m = len(cases.names)
    drawn = np.random.default_rng(seed).integers(1, 11, m).astype(float) if random_costs else np.ones(m)
    for place, value in named.items():
        drawn[place] = value
    task = Task(cases.columns, cases.labels, cases.weights, cases.nominal, drawn, criterion, seed=seed)
    try:
        with progress_of("trees", folds * len(WAYS)) as told:
            found = judge(task, folds, told)
    except ValueError as error:
        raise UsageError(" ".join(str(error).split())) from None
    if as_json:
        from dataclasses import asdict

        write_json([asdict(one) for one in found])
    else:
        _print(found)


def _print(found: list[Judged]) -> None:
    from statistics import fmean

    from diagnoser.comparison import OURS, WAYS, cost_ratio, paired

    of = {way: [one for one in found if one.way == way] for way in WAYS}
    rows = []
    for way, own in of.items():
        figures = [fmean(one.score for one in own), fmean(one.cost for one in own), fmean(one.leaves for one in own)]
        row = [
            way,
            f"{figures[0]:.4f}",
            f"{figures[1]:.4g}",
            f"{figures[2]:.1f}",
            f"{fmean(one.seconds for one in own):.2f}",
        ]
        if way != OURS:
            ratio = cost_ratio(of[OURS], own)
            better = paired([a.score - b.score for a, b in zip(of[OURS], own, strict=True)])
            row += [
                f"{ratio[0]:.3f} ({ratio[1]:.3f} to {ratio[2]:.3f})",
                f"{better[0]:+.4f} ({better[1]:+.4f} to {better[2]:+.4f})",
            ]
        rows.append([*row, "", ""][:7])
    headings = (
        "way",
        "right",
        "expected\ncost",
        "leaves",
        "CPU\nseconds",
        "our cost\n/ theirs",
        "right,\nours - theirs",
    )
    write_table(headings, rows, right=headings[1:5])
    write("Means over the folds; in brackets the paired 95 % interval. Every way chooses the cheapest tree within 1 %.")
