"""`diagnoser predict`: what a tree says of cases, and what finding out costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from diagnoser.cli.inspect import ModelArgument
from diagnoser.cli.options import JsonOption
from diagnoser.cli.output import say, write_csv, write_json
from diagnoser.errors import BadFile


def predict(
    model: ModelArgument,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A file with a row for each case.")],
    as_json: JsonOption = False,
) -> None:
    """Print, for each case, what it is taken for, how sure that is, what was spent and which answers led there."""
    import numpy as np

    from diagnoser import tree_views
    from diagnoser.model_file import read_model
    from diagnoser.past_cases import column_of, read_frame

    read = read_model(model)
    frame = read_frame(data)
    frame.columns = [str(name).strip() for name in frame.columns]
    asked = {feature.name for node in range(len(read)) if (feature := read.feature(node)) is not None}
    columns = []
    for feature in read.features:
        if feature.name in frame.columns:
            columns.append(column_of(data, feature.name, frame[feature.name], feature.kind)[0])
        elif feature.name in asked:
            raise BadFile(data, "the tree asks for a column that is missing", "add it", column=feature.name)
        else:
            columns.append(np.full(len(frame), np.nan if feature.kind == "number" else None))
    leaves = read.stops(columns)
    rows = []
    for row, leaf in enumerate(leaves, 1):
        found: dict[str, object] = {"row": row, read.target: read.classes[read.labels[leaf]]}
        found |= {f"p({name})": round(float(p), 6) for name, p in zip(read.classes, read.shares[leaf], strict=True)}
        rows.append(found | {"cost": float(read.path_costs[leaf]), "path": tree_views.path(read, int(leaf))})
    if read.target in frame.columns:
        truth = frame[read.target].astype(str).str.strip()
        right = float(np.mean([row[read.target] == label for row, label in zip(rows, truth, strict=True)]))
        say(f"{right:.4f} of {len(rows)} cases agree with the column {read.target}")
    if as_json:
        write_json(rows)
    else:
        write_csv(rows)
