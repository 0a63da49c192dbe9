"""`diagnoser sessions`, `replay` and `tables`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from diagnoser import journal
from diagnoser.case import (
    Answered,
    Confirmed,
    ErrorsChosen,
    Event,
    Excluded,
    Named,
    NoneOfThese,
    Noted,
    PolicyChosen,
    Proposed,
    Reading,
    Redone,
    Restored,
    Settings,
    StopChosen,
    Undone,
    Withdrawn,
)
from diagnoser.cli.sessions import answer_words, sessions
from diagnoser.formats import open_table
from diagnoser.session import Header

GOOD: tuple[Event, ...] = (
    Proposed("first", 2 / 3, "gain"),
    Answered("first", ("yes",)),
    Proposed("second", 1.0, "gain"),
    Answered("second", ("no",)),
)


def saved(path: Path | None, table: str, events: tuple[Event, ...] = GOOD) -> Path:
    header = Header.of(open_table(table), table, Settings("gain", "unique"))
    book = journal.create(path, header)
    for event in events:
        book.append(event)
    book.close()
    assert book.path is not None
    return book.path


def test_a_list_of_sessions(as_json: Callable[..., Any], diagnoser: Callable[..., Result], code: str) -> None:
    assert as_json("sessions") == []
    assert "no sessions in" in diagnoser("sessions").stderr
    first = saved(None, code, (*GOOD[:3], Named("pump 3")))
    second = saved(None, code, (*GOOD, Confirmed("ab")))
    (first.parent / "zz.jsonl").write_text("damaged")
    found = {entry["file"]: entry for entry in as_json("sessions")}
    assert set(found) == {str(first), str(second), str(first.parent / "zz.jsonl")}
    one, two = found[str(first)], found[str(second)]
    assert (one["name"], one["last_answer"], one["status"]) == ("pump 3", "first=yes", "open")
    assert (two["table"], two["last_answer"], two["status"]) == ("perfect code é", "second=no", "confirmed")
    assert found[str(first.parent / "zz.jsonl")]["status"] == "unreadable"

    lines = diagnoser("sessions").stdout.splitlines()
    assert len(lines) == 4
    assert lines[-1].split("\t")[1] == "unreadable"
    assert "its first line is damaged" in lines[-1]


def test_a_session_without_a_sensible_time_does_not_end_the_list(
    as_json: Callable[..., Any], diagnoser: Callable[..., Result], code: str
) -> None:
    good = saved(None, code)
    header = Header("T", "f", "w", code, Settings("gain", "unique"))
    for number, time in enumerate(("", "2025-01-01T12:00:00")):
        journal.create(good.parent / f"{number}.jsonl", replace(header, time=time)).close()
    assert [entry["status"] for entry in as_json("sessions")] == ["ended", "unreadable", "unreadable"]
    assert len(diagnoser("sessions").stdout.splitlines()) == 4


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answered("colour", ("red", "brown")), "colour=red|brown"),
        (Answered("ph"), "ph=?"),
        (Answered("mass", reading=Reading(1234567.5, 1234567.5)), "mass=1234567.5"),
        (Answered("mass", reading=Reading(2.5, 4)), "mass=2.5 to 4"),
    ],
)
def test_an_answer_in_words(answer: Answered, words: str) -> None:
    assert answer_words(answer) == words


def test_a_good_session_agrees(as_json: Callable[..., Any], diagnoser: Callable[..., Result], code: str) -> None:
    path = str(saved(None, code))
    result = diagnoser("replay", path)
    lines = result.stdout.splitlines()
    assert (result.exit_code, lines[-1]) == (0, "agrees: 2 of 2 proposals")
    assert lines[-2] == "left: 1 - ab 100 %"
    assert [line.split("\t")[2:] for line in lines[1:5]] == [
        ["asked first (gain, score 0.6667)", "the same"],
        ["answered first=yes", ""],
        ["asked second (gain, score 1)", "the same"],
        ["answered second=no", ""],
    ]
    said = as_json("replay", path)
    assert (said["agrees"], said["proposals"], said["agreeing"], said["status"]) == (True, 2, 2, "identified")
    assert [event["event"] for event in said["events"]] == ["proposed", "answered"] * 2
    assert said["events"][1]["outcomes"] == ["yes"]


def test_the_first_difference_ends_with_one(diagnoser: Callable[..., Result], code: str) -> None:
    path = saved(None, code)
    table = Path(code)
    table.write_text(table.read_text(encoding="utf-8").replace("aa,yes,yes", "aa,yes,no"), encoding="utf-8")
    result = diagnoser("replay", str(path), "--json")
    assert result.exit_code == 1
    said = json.loads(result.stdout)
    # aa and ab are alike now: `first` still leaves two of four, but after it nothing separates them.
    assert (said["agrees"], said["agreeing"], said["status"]) == (False, 1, "inseparable")
    assert 'event 3: "second" was asked; now nothing is asked' in said["first_difference"]
    assert result.stderr.count("the table changed") == 1


def test_the_priors_of_a_session_are_found_again(diagnoser: Callable[..., Result], code: str, tmp_path: Path) -> None:
    prior = tmp_path / "prior.csv"
    prior.write_text("aa,0.7\nab,0.1\nba,0.1\nbb,0.1\n")
    kb = open_table(code, prior, 1)
    header = Header.of(kb, code, Settings("odtn-r", "unique"), prior=prior, prior_column=1)
    book = journal.create(tmp_path / "s.jsonl", header)
    # Both sides have two: the first counts as the smaller. Its mass is 0.7 + 0.1, and the gain is 2/3 as ever.
    book.append(Proposed("first", 0.8 + 2 / 3, "odtn-r"))
    book.close()
    result = diagnoser("replay", str(tmp_path / "s.jsonl"))
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "agrees: 1 of 1 proposals")


def test_a_torn_session_is_replayed_with_a_notice(diagnoser: Callable[..., Result], code: str) -> None:
    path = saved(None, code)
    path.write_bytes(path.read_bytes()[:-5])
    result = diagnoser("replay", str(path))
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "agrees: 2 of 2 proposals")
    assert "cut short" in result.stderr


@pytest.mark.parametrize("gone", ["session", "table"])
def test_missing_files_are_one_line(diagnoser: Callable[..., Result], code: str, gone: str) -> None:
    path = saved(None, code)
    Path(path if gone == "session" else code).unlink()
    result = diagnoser("replay", str(path))
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (3, "", 1)


def test_the_shipped_tables(as_json: Callable[..., Any], diagnoser: Callable[..., Result]) -> None:
    known = {entry["name"]: entry for entry in as_json("tables")}
    hazmat = known["hazmat"]
    kb = open_table("hazmat")
    assert hazmat.keys() >= {"title", "groups", "inseparable_pairs", "undeclared_pairs", "licence", "sources"}
    assert (hazmat["fingerprint"], hazmat["wording_fingerprint"]) == (kb.fingerprint, kb.wording_fingerprint)
    unknown = sum(kb.cell(h, t).unknown for h in range(len(kb.hypotheses)) for t in range(len(kb.tests)))
    assert hazmat["unknown_share"] == unknown / (hazmat["hypotheses"] * hazmat["tests"])
    assert len(diagnoser("tables").stdout.splitlines()) == len(known) + 1


def test_a_table_that_lost_a_name_differs(diagnoser: Callable[..., Result], code: str) -> None:
    path = saved(None, code, (*GOOD, Confirmed("ab")))
    table = Path(code)
    table.write_text(table.read_text(encoding="utf-8").replace("ab,", "other,"), encoding="utf-8")
    result = diagnoser("replay", path.name)
    assert result.exit_code == 1
    assert 'event 5: the table has no hypothesis "ab"; the table changed' in result.stderr


def test_a_row_of_the_list_is_one_line_of_80_columns_with_the_whole_file_name(
    code: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    long = "a case with a name that is much longer than a line of the terminal, and a remark"
    path = saved(None, code, (*GOOD, Named(long)))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    sessions()
    lines = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out).splitlines()
    assert len(lines) == 3  # headings, a rule, the session
    assert max(map(len, lines)) <= 80
    assert lines[2].endswith(path.name)
    assert "second=no" in lines[2]


def test_every_event_is_told_in_words(diagnoser: Callable[..., Result], code: str) -> None:
    told: list[tuple[Event, str]] = [
        (Named("pump 3"), "named pump 3"),
        (Noted("north \x1b[31m wind"), "note: north \\x1b[31m wind"),
        (ErrorsChosen("tolerance", 1), "errors tolerance 1"),
        (ErrorsChosen("strict"), "errors strict"),
        (PolicyChosen("odtn-r"), "policy odtn-r"),
        (StopChosen("budget:3"), "stop budget:3"),
        (Excluded("ab"), "ruled out ab"),
        (Restored("ab"), "back in: ab"),
        (Answered("first", ("yes",), exact=True), "answered first=yes exactly"),
        (Withdrawn("first"), "withdrew first"),
        (Undone(), "undone"),
        (Redone(), "redone"),
        (NoneOfThese(), "none of these"),
        (Confirmed("bb"), "confirmed bb"),
    ]
    result = diagnoser("replay", str(saved(None, code, tuple(event for event, _ in told))))
    assert result.exit_code == 0
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert [line[2] for line in lines[1:-2]] == [words for _, words in told]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (Proposed("second", 2 / 3, "gain"), '"second" was asked; now it would be "first"'),
        (Proposed("first", 0.5, "gain"), '"first" had the score 0.5; now it is 0.6666666667'),
        (Proposed("first", 2 / 3, "odtn-r"), '"first" was asked by odtn-r while gain was in force'),
    ],
)
def test_what_differs_is_said(diagnoser: Callable[..., Result], code: str, asked: Proposed, says: str) -> None:
    result = diagnoser("replay", str(saved(None, code, (asked,))))
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, "agrees: 0 of 1 proposals")
    assert says in result.stderr


def test_a_report_of_a_session(diagnoser: Callable[..., Result], code: str, tmp_path: Path) -> None:
    """A session is found by its name among the saved ones; the perfect code leaves "ab"."""
    path = saved(None, code)
    for name in (str(path), path.name):
        report = diagnoser("report", name)
        assert report.exit_code == 0, report.stderr
        assert "* ab: 100 %" in report.stdout
        assert "* aa: second: you said no, the table has yes" in report.stdout
    assert diagnoser("report", str(path), "--format", "html").stdout.startswith("<!DOCTYPE html>")
    assert json.loads(diagnoser("report", str(path), "--format", "json").stdout)["end"] == "one hypothesis is left"
    assert diagnoser("report", str(path), "--format", "pdf").exit_code == 2
    assert diagnoser("report", str(tmp_path / "none.jsonl")).exit_code == 3


def test_a_report_goes_to_a_new_file_only(diagnoser: Callable[..., Result], code: str, tmp_path: Path) -> None:
    path, paper = saved(None, code), tmp_path / "paper.md"
    printed = diagnoser("report", str(path)).stdout
    assert diagnoser("report", str(path), "--output", str(paper)).stdout == ""
    assert paper.read_text(encoding="utf-8") == printed
    again = diagnoser("report", str(path), "-o", str(paper))
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)
    nowhere = diagnoser("report", str(path), "-o", str(tmp_path / "none" / "paper.md"))
    assert (nowhere.exit_code, "cannot be written" in nowhere.stderr) == (1, True)
