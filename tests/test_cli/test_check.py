"""`diagnoser check` and what `diagnoser tables` says of one table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

HEAD = """format = 1
title = "Small"

[[tests]]
id = "burns"
outcomes = [{ id = "yes" }, { id = "no" }]

[[tests]]
id = "flash"
outcomes = [{ id = "low" }, { id = "high" }]
needs = ["burns=yes"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[str], str]:
    def write(rows: str) -> str:
        (tmp_path / "kb.toml").write_text(HEAD, "utf-8")
        (tmp_path / "table.csv").write_text("name,burns,flash\n" + rows, "utf-8")
        return str(tmp_path)

    return write


def test_every_cell_that_is_wrong_is_said_at_once(
    diagnoser: Callable[..., Result], folder: Callable[[str], str]
) -> None:
    result = diagnoser("check", folder("a,yse,low\nb,no,-\nc,maybe,hgih\n"))
    assert result.exit_code == 3
    lines = result.stdout.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["error"] * 3
    for line, (number, column, value) in zip(
        lines, ((2, "burns", "yse"), (4, "burns", "maybe"), (4, "flash", "hgih")), strict=True
    ):
        assert f'line {number}, column "{column}", value "{value}"' in line


def test_a_cell_against_its_needs_has_its_place(diagnoser: Callable[..., Result], folder: Callable[[str], str]) -> None:
    result = diagnoser("check", folder("a,yes,low\nb,no,high\n"))
    assert result.exit_code == 3
    assert 'table.csv, line 3, column "flash": "b" has "high" on "flash", which needs burns=yes' in result.stdout
    assert "1 error, " in result.stdout


def test_as_json(as_json: Callable[..., Any], folder: Callable[[str], str]) -> None:
    found = as_json("check", folder("a,yes,low\nb,no,-\nc,?,low\n"))
    assert found["errors"] == []
    (alike,) = [entry for entry in found["warnings"] if entry["kind"] == "inseparable"]
    assert alike["hypotheses"] == ["a", "c"]
    assert alike["lines"] == [2, 4]
    assert alike["tests"] == ["burns"]
    assert found["figures"]["undeclared_pairs"] == 1
    assert found["figures"]["unknown_share"] == pytest.approx(1 / 6)
    assert found["figures"]["inapplicable_share"] == pytest.approx(1 / 6)


@pytest.mark.parametrize("name", ["hazmat", "gems_minerals"])
def test_the_shipped_tables_are_clean(as_json: Callable[..., Any], name: str) -> None:
    found = as_json("check", name)
    assert found["errors"] == []
    assert found["figures"]["undeclared_pairs"] == 0


def test_one_table_in_words(diagnoser: Callable[..., Result]) -> None:
    result = diagnoser("tables", "gems_minerals")
    assert result.exit_code == 0
    assert "hypotheses: 155" in result.stdout.splitlines()
    assert any(line.startswith("fingerprint: ") and len(line) == 77 for line in result.stdout.splitlines())
