"""`diagnoser train`: learn a small, cheap tree from past cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diagnoser.cli.output import progress_of, say, write
from diagnoser.errors import BadFile, UsageError
from diagnoser.text import nearest

if TYPE_CHECKING:
    from diagnoser.past_cases import PastCases

DataArgument = Annotated[
    str, typer.Argument(metavar="DATA", help="A file with a row for each case, or a table to learn a tree for.")
]
TargetOption = Annotated[
    str | None, typer.Option("--target", metavar="COLUMN", help="The column that says what it was.")
]
KindOption = Annotated[
    list[str], typer.Option("--kind", metavar="COLUMN=KIND", help="What a column is: number or nominal. Repeatable.")
]
CostOption = Annotated[
    list[str], typer.Option("--cost", metavar="COLUMN=N", help="What asking a column costs. Repeatable.")
]
CostsOption = Annotated[
    Path | None,
    typer.Option("--costs", metavar="FILE", help="A TOML file of costs, pools and questions."),
]
DropOption = Annotated[list[str], typer.Option("--drop", metavar="COLUMN", help="Leave a column out. Repeatable.")]
KeepOption = Annotated[
    list[str], typer.Option("--keep", metavar="COLUMN", help="Keep a column that would be left out. Repeatable.")
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of what is drawn at random.")]
FoldsOption = Annotated[
    int, typer.Option("--folds", metavar="N", min=2, help="How often a part is held out to choose.")
]


def train(
    data: DataArgument,
    target: TargetOption = None,
    sessions: Annotated[
        Path | None,
        typer.Option("--sessions", metavar="FOLDER", help="Learn from confirmed sessions about the table DATA."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where the model goes; DATA.model.json.")
    ] = None,
    kind: KindOption = [],  # noqa: B006  typer copies it
    cost: CostOption = [],  # noqa: B006
    costs: CostsOption = None,
    drop: DropOption = [],  # noqa: B006
    keep: KeepOption = [],  # noqa: B006
    criterion: Annotated[str, typer.Option(help="Impurity: entropy, gini, tsallis or root.")] = "entropy",
    trade_off: Annotated[
        float | None,
        typer.Option(
            "--trade-off", metavar="L", min=0, help="Weight of purity; inf: nothing else. Chosen if not given."
        ),
    ] = None,
    theta: Annotated[float, typer.Option(min=0, max=1, help="Share of cases below which nothing more is asked.")] = 0.0,
    prune: Annotated[
        float, typer.Option("--prune", metavar="ALPHA", min=0, help="Errors a leaf must save; for a given trade-off.")
    ] = 0.0,
    partition: Annotated[str, typer.Option(help="How nominal values are parted.")] = "auto",
    max_bins: Annotated[int, typer.Option(min=0, help="Bins of a number; 0: every value.")] = 255,
    max_depth: Annotated[int | None, typer.Option(min=1, help="Most questions.")] = None,
    min_leaf: Annotated[float, typer.Option(help="Least weight of a leaf.")] = 1.0,
    rule: Annotated[
        str, typer.Option(help="tolerance: the cheapest within 1 %; one-se: within a standard error.")
    ] = "tolerance",
    folds: FoldsOption = 5,
    hold_out: Annotated[
        float, typer.Option(min=0, max=0.9, help="Share of cases kept to test the tree at the end.")
    ] = 0.0,
    seed: SeedOption = 0,
    force: Annotated[bool, typer.Option("--force", help="Write over a file.")] = False,
) -> None:
    """Learn a small, cheap tree from past cases, and write it as a model."""
    cases = read_cases(data, target, kind, drop, keep, sessions)
    for line in cases.said:
        say(line)
    destination = output or Path(f"{Path(data).stem}.model.json")
    if destination.exists() and not force:
        raise UsageError(f"{destination} exists; choose another --output, or --force")
    named, pools, questions = costs_of(cases, cost, costs)
    from dataclasses import replace

    import numpy as np
    from sklearn.model_selection import train_test_split

    from diagnoser.classifier import ComplexityAwareTreeClassifier
    from diagnoser.model_file import write_model
    from diagnoser.tree_views import summary
    from diagnoser.tuning import TRADE_OFFS, ComplexityAwareTreeClassifierCV

    rows = np.arange(len(cases.labels))
    kept, tested = rows, rows[:0]
    if hold_out:
        try:
            kept, tested = train_test_split(rows, test_size=hold_out, random_state=seed, stratify=cases.labels)
        except ValueError:
            kept, tested = train_test_split(rows, test_size=hold_out, random_state=seed)
    shared: dict[str, Any] = {
        "criterion": criterion,
        "theta": theta,
        "costs": named,
        "cost_groups": pools,
        "nominal_features": cases.nominal,
        "partition": "each" if "each" in cases.kinds else partition,
        "max_bins": max_bins or None,
        "max_depth": max_depth,
        "min_samples_leaf": min_leaf,
        "random_state": seed,
    }
    try:
        if trade_off is not None:
            one = ComplexityAwareTreeClassifier(trade_off=trade_off, prune_alpha=prune, **shared)
            one.fit(cases.columns[kept], cases.labels[kept], cases.weights[kept])
        else:
            one = ComplexityAwareTreeClassifierCV(cv=folds, rule=rule, **shared)
            with progress_of("trees", len(TRADE_OFFS) * folds) as one.told:
                one.fit(cases.columns[kept], cases.labels[kept], cases.weights[kept])
    except ValueError as error:
        raise UsageError(" ".join(str(error).split())) from None
    chosen = getattr(one, "trade_off_", trade_off)
    trained: dict[str, str | int | float | bool | None] = {
        "rows": len(kept),
        "criterion": criterion,
        "trade-off": "infinite" if chosen == np.inf else chosen,
        "pruned at": getattr(one, "prune_alpha_", prune),
        "theta": theta,
    }
    if len(tested):
        right = one.predict(cases.columns[tested]) == cases.labels[tested]
        trained["right on cases held out"] = float(np.average(right, weights=cases.weights[tested]))
        trained["cost on cases held out"] = float(
            np.average(one.spent(cases.columns[tested]), weights=cases.weights[tested])
        )
    features = tuple(
        replace(feature, name=name, question=questions.get(name, ""))
        for feature, name in zip(one.tree_.features, cases.names, strict=True)
    )
    model = replace(one.tree_, target=cases.target, features=features, trained=trained)
    write_model(model, destination)
    for line in summary(model):
        write(line)
    say(f"written to {destination}")


def read_cases(
    data: str,
    target: str | None,
    kind: Sequence[str],
    drop: Sequence[str],
    keep: Sequence[str],
    sessions: Path | None = None,
) -> PastCases:
    """The cases of a file, or those a knowledge base amounts to. Raises UsageError, BadFile."""
    from diagnoser.formats import open_table, shipped_tables
    from diagnoser.past_cases import from_file, from_sessions, from_table

    if sessions is not None:
        if target is not None or kind or drop or keep:
            raise UsageError("--sessions learns about a table; --target, --kind, --drop and --keep are for files")
        return from_sessions(open_table(data), sessions)
    path = Path(data)
    if target is None:
        if path.is_file() and not (path.with_name("kb.toml").is_file() or data in shipped_tables()):
            raise UsageError("say with --target which column holds the answer")
        return from_table(open_table(data))
    if not path.is_file():
        raise BadFile(path, "there is no such file", "check the path")
    kinds = {name: _known_kind(value) for name, value in map(_pair, kind)}
    return from_file(path, target, kinds, drop, keep)


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.rpartition("=")
    if not sign:
        raise UsageError(f'"{text}" is not NAME=VALUE')
    return name.strip(), value.strip()


def _known_kind(kind: str) -> str:
    if kind not in ("number", "nominal"):
        raise UsageError(f'a column is "number" or "nominal", not "{kind}"')
    return kind


def costs_of(
    cases: PastCases, said: Sequence[str], file: Path | None
) -> tuple[dict[int, float], list[tuple[list[int], float]], dict[str, str]]:
    """The cost of each column by its place, pools of shared cost, and questions. Raises UsageError, BadFile."""
    import tomllib

    named: dict[str, Any] = dict(cases.costs)
    pools: list[tuple[list[int], float]] = []
    raw: Mapping[str, Any] = {}
    if file is not None:
        try:
            raw = tomllib.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise BadFile(file, f"cannot be read: {error.strerror}", "check the path") from None
        except ValueError as error:
            raise BadFile(file, f"this is not TOML: {error}", "correct it") from None
        if unknown := sorted(set(raw) - {"costs", "pools", "questions"}):
            raise BadFile(file, f'"{unknown[0]}" means nothing here', "write [costs], [pools.NAME] and [questions]")
        named |= raw.get("costs", {})
    named |= dict(map(_pair, said))
    costs = {_place(cases, name): _amount(name, value) for name, value in named.items()}
    for name, pool in raw.get("pools", {}).items():
        if not isinstance(pool, dict) or set(pool) != {"cost", "columns"} or not isinstance(pool["columns"], list):
            raise BadFile(Path(str(file)), f'pool "{name}" has a cost and a list of columns', "correct it")
        pools.append(([_place(cases, str(column)) for column in pool["columns"]], _amount(name, pool["cost"])))
    questions = {name: str(words) for name, words in raw.get("questions", {}).items()}
    for name in questions:
        _place(cases, name)
    return costs, pools, questions


def _place(cases: PastCases, name: str) -> int:
    if name not in cases.names:
        raise UsageError(f'no column "{name}" is asked about; {nearest(name, cases.names)}')
    return cases.names.index(name)


def _amount(name: str, value: Any) -> float:
    try:
        amount = float(value)
    except (TypeError, ValueError):
        amount = -1.0
    if not 0 < amount < float("inf"):
        raise UsageError(f'the cost of "{name}" is a number above 0, not "{value}"')
    return amount
