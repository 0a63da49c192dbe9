"""Models on disk, and models asked like a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnoser.classifier import ComplexityAwareTreeClassifier
from diagnoser.errors import BadFile, BadTable
from diagnoser.formats import open_table
from diagnoser.model import Model
from diagnoser.model_file import as_json, read_model, write_model

ROWS = np.array(
    [[1.0, "red"], [2.0, "red"], [3.0, "blue"], [4.0, "blue"], [5.0, "green"], [np.nan, "green"], [2.5, None]], object
)
LABELS = ["a", "a", "b", "b", "c", "c", "a"]


@pytest.fixture
def model() -> Model:
    one = ComplexityAwareTreeClassifier(nominal_features=[1], costs=[2, 3]).fit(ROWS, LABELS)
    return one.tree_


def test_a_model_comes_back_the_same(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    write_model(model, path)
    back = read_model(path)
    assert as_json(back) == as_json(model)
    columns = [ROWS[:, 0].astype(float), ROWS[:, 1]]
    assert np.array_equal(back.stops(columns), model.stops(columns))
    assert (back.expected_cost, back.worst_cost, back.depth) == (model.expected_cost, model.worst_cost, model.depth)


def spoilt(model: Model, **changes: Any) -> dict[str, Any]:
    value = json.loads(json.dumps(as_json(model)))
    for where, what in changes.items():
        *way, last = where.split("__")
        inner: Any = value
        for step in way:
            inner = inner[int(step)] if step.isdigit() else inner[step]
        inner[int(last) if last.isdigit() else last] = what
    return value


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"diagnoser_model": 2}, "format 2"),
        ({"nodes__0__branches": [0, 1]}, "not below it"),
        ({"nodes__0__branches": [1, 1]}, "not below it"),
        ({"nodes__0__branches": [1, 99]}, "not below it"),
        ({"nodes__0__missing": 5}, "none for missing values"),
        ({"nodes__0__asks": "x9"}, "no feature"),
        ({"nodes__0__classes": [1.0]}, "weight for each class"),
        ({"nodes__0__weight": -1}, "nodes.0.weight"),
        ({"classes": ["a", "a", "a"]}, "names of their own"),
        ({"features__0__cost": 0}, "features.0.cost"),
        ({"features__0__pool": "p"}, "no pool"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_a_spoilt_model_is_refused_with_its_place(
    model: Model, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(spoilt(model, **changes)))
    with pytest.raises(BadFile, match=words):
        read_model(path)


@pytest.mark.parametrize("text", ["", "{", "[1]", "{}", "[" * 100_000, '{"diagnoser_model": NaN}', "\x00"])
def test_what_is_no_model_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(text)
    with pytest.raises(BadFile, match="give a file written by diagnoser train"):
        read_model(path)
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(BadFile, match="not text"):
        read_model(path)


def test_a_model_that_cannot_be_read_is_no_table_either(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{")
    with pytest.raises(BadTable, match="not JSON"):
        open_table(tmp_path / "m.json")


def test_asked_as_a_table_every_row_comes_out_at_its_leaf(tmp_path: Path) -> None:
    """The cells allow exactly what the paths allow: where nothing is missing the right leaf alone is left."""
    rng = np.random.default_rng(6)
    rows = np.empty((200, 3), object)
    rows[:, 0], rows[:, 1] = rng.integers(0, 9, 200).astype(float), rng.normal(size=200)
    rows[:, 2] = rng.choice(["red", "green", "blue", "white"], 200)
    labels = [
        ("x" if row[0] > 4 else "y") if row[2] in ("red", "white") else "z" if row[1] > 0 else "y" for row in rows
    ]
    one = ComplexityAwareTreeClassifier(nominal_features=[2]).fit(rows, labels)
    path = tmp_path / "m.json"
    write_model(one.tree_, path)
    kb = open_table(path)
    assert len(kb.hypotheses) == one.n_leaves_
    assert [group.name for group in kb.groups] == ["x", "y", "z"]
    leaves = {int(leaf): number for number, leaf in enumerate(one.tree_.leaves)}
    for row, leaf in zip(rows, one.apply(rows), strict=True):
        left = set(range(len(kb.hypotheses)))
        for d, test in enumerate(kb.tests):
            place = [feature.name for feature in one.tree_.features].index(test.id)
            given = [v for v, outcome in enumerate(test.outcomes) if _means(outcome.label, row[place])]
            assert len(given) == 1, (test.outcomes, row)
            left &= {x for x in left if given[0] in dict(kb.cell(x, d).outcomes)}
        assert left == {leaves[int(leaf)]}


def _means(label: str, value: Any) -> bool:
    if isinstance(value, str):
        return value in label.split(", ")
    low, high = -np.inf, np.inf
    for part in label.split(", "):
        if part.startswith("above "):
            low = float(part.removeprefix("above "))
        else:
            high = float(part.removeprefix("up to "))
    return low < value <= high
