"""`diagnoser prior`: what it writes is what --prior reads."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from diagnoser.case import Answered, Confirmed
from diagnoser.formats import open_table

from .test_sessions import saved

Run = Callable[..., Result]


@pytest.fixture
def odd(tmp_path: Path) -> str:
    """The perfect code with a name that a spreadsheet would take for a formula."""
    path = tmp_path / "odd.csv"
    path.write_text("name,first,second\n=aa,yes,yes\nab,yes,no\nba,no,yes\nbb,no,no\n", encoding="utf-8")
    return str(path)


def test_priors_from_confirmed_cases(diagnoser: Run, odd: str, tmp_path: Path) -> None:
    for number, found in enumerate(("=aa", "=aa", "=aa", "bb")):
        saved(tmp_path / "cases" / f"{number}.jsonl" if number else _made(tmp_path), odd, (Confirmed(found),))
    saved(tmp_path / "cases" / "open.jsonl", odd, (Answered("first"),))
    before = Path(odd).read_bytes()
    made = tmp_path / "mine.csv"
    result = diagnoser("prior", odd, "--sessions", str(tmp_path / "cases"), "-o", str(made))
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.splitlines()[-4:] == [
        "left out: 1 session that confirm nothing",
        "4 confirmed cases; the table's own priors weigh as much as 4 cases (--strength)",
        'answered "could not tell", and what an answer would have saved on average, in tests:',
        "  first: 1 of 1 answer, 0",
    ]
    rows = list(csv.reader(made.read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["hypothesis", "prior", "in the table", "confirmed"]
    assert rows[1] == ["'=aa", "0.5", "0.25", "3"]
    kb = open_table(odd, made, 1)
    assert {h.id: h.prior for h in kb.hypotheses} == {"=aa": 0.5, "ab": 0.125, "ba": 0.125, "bb": 0.25}
    assert Path(odd).read_bytes() == before


def _made(tmp_path: Path) -> Path:
    (tmp_path / "cases").mkdir()
    return tmp_path / "cases" / "0.jsonl"


def test_strength_and_data(as_json: Callable[..., Any], code: str) -> None:
    saved(None, code, (Confirmed("ab"),))
    said = as_json("prior", code, "--strength", "1")
    assert (said["strength"], said["confirmed_cases"], said["could_not_tell"]) == (1.0, 1, [])
    assert [one["prior"] for one in said["hypotheses"]] == [0.125, 0.625, 0.125, 0.125]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--strength", "0"], "is no number of cases"),
        (["--strength", "inf"], "is no number of cases"),
        (["--sessions", "gone"], "there is no folder gone"),
    ],
)
def test_what_is_refused(diagnoser: Run, code: str, words: list[str], says: str) -> None:
    result = diagnoser("prior", code, *words)
    assert (result.exit_code, says in result.stderr) == (2, True), result.stderr
