"""A model as a JSON file: one object for each node, with names instead of numbers wherever people read them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from algos.routes import Routes
from algos.splits import FEATURE, KIND, KINDS, NUMBER, TO
from algos.trees import CHILDREN, CHOSEN, CODES, DEPTH, FIRST_CHILD, PARENT, SPLIT, Tree
from diagnoser.errors import BadFile
from diagnoser.files import read_bytes
from diagnoser.model import Feature, Model, Point

FORMAT = 1
Name = Annotated[str, Field(max_length=10_000)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
AtLeast0 = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Feature(_Part):
    name: Name
    kind: Literal["number", "nominal", "one-rest", "each"]
    cost: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    pool: Name | None = None
    values: tuple[Name, ...] = ()
    question: Name = ""


class _Node(_Part):
    weight: AtLeast0
    classes: tuple[AtLeast0, ...]
    asks: Name | None = None
    up_to: Finite | None = None
    """The threshold; absent where known values go left and missing ones right."""
    values: tuple[tuple[Name, ...], ...] | None = None
    missing: int | None = None
    """The branch of missing values."""
    branches: tuple[int, ...] = ()
    scores: dict[Literal["B", "E", "D", "Z"], Finite] = Field(default_factory=dict)


class _Point(_Part):
    trade_off: AtLeast0 | None
    """None is infinity."""
    prune_alpha: AtLeast0
    score: Finite
    error: Finite
    cost: Finite


class _File(_Part):
    diagnoser_model: Literal[1]
    target: Name
    classes: tuple[Name, ...]
    features: tuple[_Feature, ...]
    pools: dict[str, AtLeast0] = Field(default_factory=dict)
    trained: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    curve: tuple[_Point, ...] = ()
    nodes: tuple[_Node, ...] = Field(min_length=1)


def write_model(model: Model, path: Path) -> None:
    """Write a model. Raises OSError."""
    path.write_text(json.dumps(as_json(model), indent=1, allow_nan=False) + "\n", encoding="utf-8")


def as_json(model: Model) -> dict[str, Any]:
    """What the file holds."""
    nodes = []
    for node in range(len(model)):
        entry: dict[str, Any] = {
            "weight": float(model.tree.figures[node, 0]),
            "classes": [float(weight) for weight in model.class_weights[node]],
        }
        if (feature := model.feature(node)) is not None:
            entry["asks"] = feature.name
            threshold = model.threshold(node)
            if threshold is None:
                entry["values"] = model.values_of(node)
            elif threshold < np.inf:
                entry["up_to"] = threshold
            entry |= {"missing": model.missing_way(node), "branches": model.children(node)}
            entry["scores"] = dict(zip("BEDZ", map(float, model.tree.figures[node, 1:5]), strict=True))
        nodes.append(entry)
    features = [asdict(one) | {"values": list(one.values)} for one in model.features]
    return {
        "diagnoser_model": FORMAT,
        "target": model.target,
        "classes": list(model.classes),
        "features": features,
        "pools": dict(model.pools),
        "trained": dict(model.trained),
        "curve": [
            asdict(point) | {"trade_off": None if point.trade_off == np.inf else point.trade_off}
            for point in model.curve
        ],
        "nodes": nodes,
    }


def read_model(path: Path) -> Model:
    """Read and check a model. Raises BadFile for what is none, a later version, and a tree that does not hold."""
    try:
        text = read_bytes(path, BadFile).decode("utf-8")
    except UnicodeDecodeError:
        raise BadFile(path, "it is not text", "give a file written by diagnoser train") from None
    try:
        raw = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise BadFile(path, "this is not JSON", "give a file written by diagnoser train", line=line) from None
    version = raw.get("diagnoser_model") if isinstance(raw, dict) else None
    if version is None:
        raise BadFile(path, "this is not a model", "give a file written by diagnoser train")
    if version != FORMAT:
        raise BadFile(path, f"the model has format {version}, this program reads {FORMAT}", "use a newer program")
    try:
        return _model_of(_File.model_validate_json(text), path)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise BadFile(path, f"{where}: {first['msg']}", "train the model again") from None


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _model_of(file: _File, path: Path) -> Model:
    """The arrays, every number in them checked."""
    names, k = [feature.name for feature in file.features], len(file.classes)

    def wrong(node: int, problem: str) -> BadFile:
        return BadFile(path, f"node {node} {problem}", "train the model again")

    if k < 1 or len(set(file.classes)) < k or len(set(names)) < len(names):
        raise BadFile(path, "classes and features have names of their own", "train the model again")
    for feature in file.features:
        if feature.pool is not None and feature.pool not in file.pools:
            raise BadFile(path, f'there is no pool of cost "{feature.pool}"', "train the model again")
    n = len(file.nodes)
    shape, figures = np.zeros((n, CODES + 1), np.int64), np.zeros((n, 5 + k))
    children: list[int] = []
    codes: list[int] = []
    ways: list[int] = []
    thresholds = np.full(n, np.nan)
    shape[0, PARENT], seen = -1, {0}
    for number, node in enumerate(file.nodes):
        if len(node.classes) != k or sum(node.classes) <= 0:
            raise wrong(number, "has no weight for each class")
        figures[number] = [node.weight, *(node.scores.get(name, 0.0) for name in ("B", "E", "D", "Z")), *node.classes]
        shape[number, SPLIT + FEATURE] = -1
        if node.asks is None:
            continue
        if node.asks not in names:
            raise wrong(number, f'asks "{node.asks}", which is no feature')
        place = names.index(node.asks)
        feature = file.features[place]
        many = len(node.branches)
        if many < 2 or node.missing is None or not 0 <= node.missing < many:
            raise wrong(number, "has less than two branches, or none for missing values")
        for child in node.branches:
            if not number < child < n or child in seen:
                raise wrong(number, f"leads to node {child}, which is not below it")
            seen.add(child)
            shape[child, PARENT], shape[child, DEPTH] = number, shape[number, DEPTH] + 1
        shape[number, FIRST_CHILD], shape[number, CHILDREN] = len(children), many
        children += node.branches
        shape[number, SPLIT + FEATURE], shape[number, SPLIT + TO] = place, node.missing
        shape[number, SPLIT + KIND] = KINDS.index(feature.kind)
        if feature.kind == KINDS[NUMBER]:
            if node.values is not None or many != 2:
                raise wrong(number, "parts numbers otherwise than in two")
            thresholds[number] = np.inf if node.up_to is None else node.up_to
            continue
        if node.values is None or len(node.values) != many:
            raise wrong(number, "has no values for each branch")
        pairs = sorted(
            (feature.values.index(value) + 1 if value in feature.values else 0, way)
            for way, values in enumerate(node.values)
            for value in values
        )
        if any(code == 0 for code, _ in pairs) or len({code for code, _ in pairs}) < len(pairs):
            raise wrong(number, "has a value that its feature lacks, or one twice")
        shape[number, CHOSEN], shape[number, CODES] = len(codes), len(pairs)
        codes += [code for code, _ in pairs]
        ways += [way for _, way in pairs]
    if len(seen) < n:
        raise BadFile(path, "some nodes cannot be reached", "train the model again")
    arrays = (np.array(values, np.int64) for values in (children, codes, ways))
    return Model(
        file.target,
        file.classes,
        tuple(Feature(**one.model_dump()) for one in file.features),
        Routes(Tree(shape, figures, *arrays), thresholds),
        file.pools,
        file.trained,
        tuple(
            Point(np.inf if one.trade_off is None else one.trade_off, one.prune_alpha, one.score, one.error, one.cost)
            for one in file.curve
        ),
    )
