"""`diagnoser inspect`: a trained tree with all its figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from diagnoser.cli.output import write, write_json, write_table
from diagnoser.errors import UsageError

if TYPE_CHECKING:
    from diagnoser.model import Model

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="A file written by diagnoser train.")]
FORMS = ("text", "rules", "json", "dot", "html", "curve")


def inspect(
    model: ModelArgument,
    form: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(FORMS)}.", autocompletion=lambda: list(FORMS))
    ] = "text",
    row: Annotated[
        list[str], typer.Option("--row", metavar="NAME=VALUE", help="Show the path of a case instead. Repeatable.")
    ] = [],  # noqa: B006  typer copies it
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw cost against right answers, as .png or .svg.")
    ] = None,
) -> None:
    """Show a tree: every question with its figures, as rules, for other programs, or the path of one case."""
    from diagnoser import tree_views
    from diagnoser.model_file import as_json, read_model

    if form not in FORMS:
        raise UsageError(f'trees are not shown as "{form}"; known: {", ".join(FORMS)}')
    read = read_model(model)
    if plot is not None:
        from diagnoser.plots import plot_curve

        plot_curve(read, plot)
    elif row:
        _path(read, row)
    elif form == "json":
        write_json(as_json(read))
    elif form == "curve":
        _curve(read)
    else:
        views: dict[str, Callable[[Model], str]] = {
            "text": tree_views.as_text,
            "rules": tree_views.as_rules,
            "dot": tree_views.as_dot,
            "html": tree_views.as_html,
        }
        typer.echo(views[form](read), nl=False)


def _curve(model: Model) -> None:
    """Cost against score of every choice that was tried."""
    rows = [
        (
            f"{point.trade_off:g}",
            f"{point.prune_alpha:.4g}",
            f"{point.score:.4f}",
            f"{point.error:.4f}",
            f"{point.cost:.4g}",
        )
        for point in sorted(model.curve, key=lambda point: (point.cost, -point.score))
    ]
    if not rows:
        raise UsageError("nothing was chosen for this model: it was trained with a given trade-off")
    headings = ("trade-off", "pruned at", "right", "standard error", "expected cost")
    write_table(headings, rows, right=headings)


def _path(model: Model, row: list[str]) -> None:
    import numpy as np

    from diagnoser import tree_views

    names = [feature.name for feature in model.features]
    given: dict[str, str] = {}
    for text in row:
        name, sign, value = text.partition("=")
        if not sign or name not in names:
            raise UsageError(f'"{text}" does not name a feature of the model and its value')
        given[name] = value
    columns = []
    for feature in model.features:
        said = given.get(feature.name)
        if feature.kind == "number":
            try:
                columns.append(np.array([np.nan if said is None else float(said)]))
            except ValueError:
                raise UsageError(f'"{said}" is not a number, as {feature.name} is') from None
        else:
            columns.append(np.array([said], np.object_))
    leaf = int(model.stops(columns)[0])
    for step in model.path(leaf):
        cost = model.step_costs[step.node]
        write(f"{tree_views.question(model, step.node)}: {tree_views.answer(model, step)}   [costs {cost:g}]")
    write(f"{tree_views.verdict(model, leaf)}   [spent {model.path_costs[leaf]:g}]")
