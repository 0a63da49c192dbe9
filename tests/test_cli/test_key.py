"""`diagnoser key` on a table whose key is written down by hand."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from typer.testing import Result

Run = Callable[..., Result]


def test_the_key_of_a_perfect_code(diagnoser: Run, code: str) -> None:
    lines = diagnoser("key", code, "--policy", "gain").stdout.splitlines()
    assert lines[1] == "Policy gain, stop unique: 2.000 tests expected to the end, 2 at worst."
    assert lines[3:] == [
        "1. first",
        "   - yes: go to 2",
        "   - no: go to 3",
        "",
        "2. second",
        "   - yes: aa",
        "   - no: ab",
        "",
        "3. second",
        "   - yes: ba",
        "   - no: bb",
    ]


@pytest.mark.parametrize(
    ("form", "begins"), [("markdown", "# "), ("html", "<!DOCTYPE html>"), ("dot", "digraph key {")]
)
def test_other_forms(diagnoser: Run, code: str, form: str, begins: str) -> None:
    assert diagnoser("key", code, "--policy", "gain", "--format", form).stdout.startswith(begins)


def test_depth_and_unknown(diagnoser: Run, code: str) -> None:
    short = json.loads(diagnoser("key", code, "--format", "json", "--depth", "1").stdout)
    assert [branch["status"] for branch in short["questions"][0]["branches"]] == ["open", "open"]
    longer = json.loads(diagnoser("key", code, "--format", "json", "--unknown", "1").stdout)
    assert [branch["outcomes"] for branch in longer["questions"][0]["branches"]] == [["yes"], ["no"], []]


def test_a_form_that_does_not_exist(diagnoser: Run, code: str) -> None:
    result = diagnoser("key", code, "--format", "pdf")
    assert (result.exit_code, "known: text, markdown, html, dot, json" in result.stderr) == (2, True)
