"""A table small enough for sums by hand, and a way to run commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from diagnoser.cli import app
from tests.conftest import SHARED, TOO_SLOW, WITHOUT_COMPILER


@pytest.fixture
def code(tmp_path: Path) -> str:
    """A perfect code: four hypotheses, two tests, two tests of cost whatever the policy."""
    path = tmp_path / "perfect code é.csv"
    path.write_text("name,first,second\naa,yes,yes\nab,yes,no\nba,no,yes\nbb,no,no\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def wiser() -> str:
    if WITHOUT_COMPILER:
        pytest.skip(TOO_SLOW)
    path = SHARED / "data" / "wiser_clean.csv"
    if not path.exists():
        pytest.skip("the WISER table is not beside the repository")
    return str(path)


@pytest.fixture
def diagnoser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command; what it keeps for the user goes to a folder of the test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def run(*words: str) -> Result:
        result = CliRunner().invoke(app, list(words))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


@pytest.fixture
def as_json(diagnoser: Callable[..., Result]) -> Callable[..., Any]:
    """The JSON a command prints when it ends well."""

    def run(*words: str) -> Any:
        result = diagnoser(*words, "--json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return run
