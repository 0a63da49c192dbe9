"""`diagnoser replay --policy` and `--all`, on sessions written for a perfect code: two tests whatever the policy."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from diagnoser.case import Answered, Confirmed, Event, Proposed

from .test_sessions import GOOD, saved

Run = Callable[..., Result]
SKIPPED: tuple[Event, ...] = (
    Proposed("first", 2 / 3, "gain"),
    Answered("first"),
    Proposed("second", 2 / 3, "gain"),
    Answered("second", ("no",)),
)


@pytest.fixture
def folder(tmp_path: Path, code: str) -> Path:
    """Three good sessions and one whose truth is not told: bb or ab."""
    place = tmp_path / "cases"
    place.mkdir()
    for number in range(3):
        saved(place / f"{number}.jsonl", code, (*GOOD, Confirmed("ab")))
    saved(place / "skipped.jsonl", code, SKIPPED)
    return place


def test_another_policy_on_one_case(diagnoser: Run, as_json: Callable[..., Any], folder: Path) -> None:
    result = diagnoser("replay", str(folder / "0.jsonl"), "--policy", "odtn-r")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    start = lines.index("odtn-r, had it asked about ab:")
    assert [line.split("\t") for line in lines[start + 2 : start + 4]] == [
        ["1", "first=yes", "1", "the session"],
        ["2", "second=no", "1", "the session"],
    ]
    assert lines[start + 4 :] == ["2 questions, 2 tests, the case identified", "recorded: 2 answers, 2 tests"]
    said = as_json("replay", str(folder / "0.jsonl"), "--policy", "odtn-r", "--policy", "gain")
    assert [(one["policy"], one["truth"], one["cost"]) for one in said["policies"]] == [
        ("odtn-r", "ab", 2.0),
        ("gain", "ab", 2.0),
    ]
    assert said["recorded_cost"] == 2.0
    assert said["cause"] is None


def test_a_case_without_an_end_has_no_counterfactual(diagnoser: Run, folder: Path) -> None:
    result = diagnoser("replay", str(folder / "skipped.jsonl"), "--policy", "gain")
    assert (result.exit_code, "does not tell what it was" in result.stderr) == (2, True)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_folder(diagnoser: Run, folder: Path, jobs: str) -> None:
    if jobs == "2":  # more than one process has something to do
        for number in range(3, 12):
            (folder / f"{number}.jsonl").write_bytes((folder / "0.jsonl").read_bytes())
    sessions = len(list(folder.iterdir()))
    result = diagnoser("replay", "--all", str(folder), "--policy", "odtn-r", "--jobs", jobs)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        f"{sessions} sessions, {sessions} agree",
        f"{2 * sessions} recorded questions, {2 * sessions} would be asked again with the same score",
        f"means over the {sessions - 1} sessions with a figure in every row:",
        "policy\ttests\tcost",
        "as recorded\t2.000\t2.000",
        "odtn-r\t2.000\t2.000",
    ]
    assert result.stderr.startswith("without a figure: the case does not tell what it was")


def test_a_folder_as_data(diagnoser: Run, as_json: Callable[..., Any], folder: Path) -> None:
    said = as_json("replay", "--all", str(folder), "--policy", "gain")
    assert (said["sessions"], said["agreeing_sessions"], len(said["runs"])) == (4, 4, 8)
    assert [one["sessions"] for one in said["policies"]] == [3, 3]
    rows = list(csv.DictReader(diagnoser("replay", "--all", str(folder), "--csv").stdout.splitlines()))
    assert [(row["file"], row["policy"], row["truth"], row["cost"]) for row in rows[2:]] == [
        ("2.jsonl", "gain", "ab", "2.0"),
        ("skipped.jsonl", "gain", "", "2.0"),
    ]


def test_one_cell_changed_in_the_table_is_found_and_named(diagnoser: Run, folder: Path, code: str) -> None:
    table = Path(code)
    table.write_text(table.read_text(encoding="utf-8").replace("aa,yes,yes", "aa,yes,no"), encoding="utf-8")
    (folder / "torn.jsonl").write_text("nonsense")
    result = diagnoser("replay", "--all", str(folder))
    assert result.exit_code == 1
    assert "5 sessions, 0 agree" in result.stdout
    for name in ("0", "1", "2"):
        cause = 'the table changed since the session was recorded: hypothesis "aa", test "second"'
        assert f'{name}.jsonl: event 3: "second" was asked; now nothing is asked' in result.stderr
        assert cause in result.stderr
    assert "torn.jsonl" in result.stderr
    assert json.loads(diagnoser("replay", "--all", str(folder), "--json").stdout)["agreeing_sessions"] == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "give a session FILE, or --all"),
        (["FILE", "--all", "FOLDER"], "give a session FILE, or --all"),
        (["FILE", "--csv"], "are for --all"),
        (["--all", "FOLDER", "--csv", "--json"], "give one"),
        (["--all", "EMPTY"], "no session file"),
        (["--all", "FOLDER", "--policy", "guess"], "no policy is called"),
    ],
)
def test_what_is_refused(diagnoser: Run, folder: Path, tmp_path: Path, words: list[str], says: str) -> None:
    (tmp_path / "empty").mkdir()
    places = {"FILE": str(folder / "0.jsonl"), "FOLDER": str(folder), "EMPTY": str(tmp_path / "empty")}
    result = diagnoser("replay", *(places.get(word, word) for word in words))
    assert (result.exit_code, says in result.stderr) == (2, True), result.stderr
