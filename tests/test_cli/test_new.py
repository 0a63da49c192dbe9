"""`diagnoser new` and the schema for editors."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from diagnoser.formats import open_table, shipped_tables


def test_the_new_table_is_sound_and_can_be_asked(
    diagnoser: Callable[..., Result], as_json: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "lamp"
    assert diagnoser("new", str(folder)).exit_code == 0
    checked = as_json("check", str(folder))
    assert (checked["errors"], checked["warnings"], checked["left_out"]) == ([], [], [])
    assert as_json("next", str(folder), "-a", "others=no")["candidates"][0]["hypothesis"] == "no current at the outlet"
    kb = open_table(folder)
    assert kb.tests[1].needs == ((("others", "yes"),),)
    assert kb.intervals[2] == (None, (10, 40), (0, 8), None)
    assert [h.prior for h in kb.hypotheses] == [0.5, 0.2, 0.1, 0.2]


def test_what_is_there_stays(diagnoser: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = diagnoser("new", str(tmp_path))
    assert result.exit_code == 2
    assert "is there already; choose another name" in result.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.txt"]
    assert "name a folder" in diagnoser("new").stderr


def suits(value: object, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """The part of JSON schema that ours is written in."""
    if "$ref" in schema:
        return suits(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        return any(suits(value, one, root) for one in schema["anyOf"])
    kinds = {"object": dict, "array": list, "string": str, "number": int | float, "integer": int, "null": type(None)}
    if "const" in schema and value != schema["const"]:
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return False
    if isinstance(value, dict):
        known = schema.get("properties", {})
        if schema.get("additionalProperties") is False and not value.keys() <= known.keys():
            return False
        return all(suits(value[key], known[key], root) for key in value.keys() & known.keys()) and all(
            key in value for key in schema.get("required", ())
        )
    if isinstance(value, list):
        return len(value) >= schema.get("minItems", 0) and all(suits(one, schema["items"], root) for one in value)
    return True


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    from diagnoser.formats.schema import kb_schema

    return kb_schema()


@pytest.mark.parametrize("name", shipped_tables())
def test_shipped_tables_suit_the_schema(schema: dict[str, Any], name: str) -> None:
    head = tomllib.loads((shipped_tables()[name] / "kb.toml").read_text("utf-8"))
    assert suits(head, schema, schema)
    assert not suits(head | {"titel": "x"}, schema, schema)
    assert not suits({key: value for key, value in head.items() if key != "tests"}, schema, schema)
    assert not suits(head | {"tests": [{"id": "x", "cost": "much"}]}, schema, schema)


def test_the_schema_is_printed(diagnoser: Callable[..., Result], schema: dict[str, Any]) -> None:
    assert json.loads(diagnoser("new", "--schema").stdout) == schema
