"""`diagnoser convert`: the account, strictness, and what was there before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import diagnoser.formats.write_folder
from diagnoser.formats import open_table

TABLE = "name,colour,size,empty\ncat,red|brown,1,?\ndog,-,0,\ncow,red,?,\n"


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "animals.csv").write_text(TABLE, "utf-8")
    return str(tmp_path / "animals.csv")


def test_the_account(as_json: Callable[..., Any], source: str, tmp_path: Path) -> None:
    found = as_json("convert", source, str(tmp_path / "out"))
    assert found["before"] == {
        "hypotheses": 3, "tests": 3, "known": 3, "variable": 1, "unknown": 4, "inapplicable": 1,
    }  # fmt: skip
    assert found["after"] == found["before"] | {"tests": 2, "unknown": 1}
    assert found["tests"]["colour"] == {"red": 1, "brown": 0, "not applicable": 1, "several": 1, "unknown": 0}
    assert found["left_out"] == ['column "empty": no row has a known outcome']
    assert open_table(tmp_path / "out").fingerprint == open_table(source).fingerprint


def test_in_words(diagnoser: Callable[..., Result], source: str, tmp_path: Path) -> None:
    result = diagnoser("convert", source, str(tmp_path / "out"))
    assert result.exit_code == 0
    assert "unknown\t4\t1" in result.stdout.splitlines()
    assert "colour: red 1, brown 0, not applicable 1, several 1, unknown 0" in result.stdout
    assert 'left out: column "empty": no row has a known outcome' in result.stderr


def test_strict_writes_nothing(diagnoser: Callable[..., Result], source: str, tmp_path: Path) -> None:
    result = diagnoser("convert", source, str(tmp_path / "out"), "--strict")
    assert result.exit_code == 3
    assert "not all of it is read" in result.stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["animals.csv"]
    result = diagnoser("convert", "hazmat", str(tmp_path / "out.csv"), "--strict")
    assert result.exit_code == 3
    assert "lost: groups are not kept" in result.stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["animals.csv"]


@pytest.mark.parametrize("name", ["out", "out.csv", "out.xml", "out.delta"])
def test_every_format_has_the_cells(as_json: Callable[..., Any], source: str, tmp_path: Path, name: str) -> None:
    as_json("convert", source, str(tmp_path / name))
    kb, back = open_table(source), open_table(tmp_path / name)
    for row in range(3):
        for test in range(2):
            assert [v for v, _ in kb.cell(row, test).outcomes] == [v for v, _ in back.cell(row, test).outcomes]
            assert kb.cell(row, test).unknown == back.cell(row, test).unknown


def test_what_is_there_is_whole_until_the_end(
    diagnoser: Callable[..., Result], source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    assert diagnoser("convert", source, str(target)).exit_code == 0
    before = {entry.name: entry.read_bytes() for entry in target.iterdir()}
    assert "--force takes its place" in diagnoser("convert", "hazmat", str(target)).stderr

    def full(*_: object) -> tuple[str, ...]:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(diagnoser_write, "write", full)
        result = diagnoser("convert", "hazmat", str(target), "--force")
    assert (result.exit_code, "No space left on device" in result.stderr) == (1, True)
    assert {entry.name: entry.read_bytes() for entry in target.iterdir()} == before
    assert diagnoser("convert", "hazmat", str(target), "--force").exit_code == 0
    assert open_table(target).fingerprint == open_table("hazmat").fingerprint
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["animals.csv", "out"]


diagnoser_write = diagnoser.formats.write_folder


def test_a_folder_with_other_files_stays(diagnoser: Callable[..., Result], source: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    result = diagnoser("convert", source, str(tmp_path / "out"), "--force")
    assert (result.exit_code, '"thesis.txt", which would be lost' in result.stderr) == (2, True)
    assert (tmp_path / "out" / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("struck", ["rename", "replace"])
def test_an_interrupt_between_the_folders_loses_neither(
    diagnoser: Callable[..., Result], source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, struck: str
) -> None:
    target = tmp_path / "out"
    assert diagnoser("convert", source, str(target)).exit_code == 0
    before, usual = open_table(target).fingerprint, getattr(Path, struck)

    def interrupted(path: Path, other: Path) -> Path:
        if struck == "rename":
            usual(path, other)
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, struck, interrupted)
    assert diagnoser("convert", "hazmat", str(target), "--force").exit_code == 130
    assert open_table(target).fingerprint == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["animals.csv", "out"]


def test_a_folder_put_aside_by_a_killed_conversion_comes_back(
    diagnoser: Callable[..., Result], source: str, tmp_path: Path
) -> None:
    target = tmp_path / "out"
    assert diagnoser("convert", source, str(target)).exit_code == 0
    target.rename(tmp_path / ".out-before")
    assert "--force takes its place" in diagnoser("convert", "hazmat", str(target)).stderr
    assert open_table(target).fingerprint == open_table(source).fingerprint


def test_what_would_be_lost_beside_a_table_is_named(
    diagnoser: Callable[..., Result], source: str, tmp_path: Path
) -> None:
    odd = tmp_path / "odd"
    (odd / "kb.toml").mkdir(parents=True)
    (odd / "kb.toml" / "mine.txt").write_text("years of work")
    assert 'such as "kb.toml", which would be lost' in diagnoser("convert", source, str(odd), "--force").stderr
    assert (odd / "kb.toml" / "mine.txt").is_file()
    table = tmp_path / "table"
    assert diagnoser("convert", source, str(table)).exit_code == 0
    result = diagnoser("convert", "hazmat", str(table / "table.csv"), "--force")
    assert (result.exit_code, "is a part of the table in" in result.stderr) == (2, True)
    open_table(table)


def test_a_link_is_followed(diagnoser: Callable[..., Result], source: str, tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "far.csv")
    assert diagnoser("convert", source, str(tmp_path / "link.csv")).exit_code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "far.csv").is_file()


@pytest.mark.parametrize("option", [["--cases", "a"], ["--absent", "no"], ["--sheet", "a"]])
def test_an_option_without_meaning_is_refused(
    diagnoser: Callable[..., Result], tmp_path: Path, option: list[str]
) -> None:
    result = diagnoser("convert", "hazmat", str(tmp_path / "out"), *option)
    assert (result.exit_code, f"{option[0]} has no meaning for" in result.stderr) == (2, True)


def test_a_table_onto_itself(diagnoser: Callable[..., Result], source: str, tmp_path: Path) -> None:
    assert diagnoser("convert", source, str(tmp_path / "out")).exit_code == 0
    before = open_table(tmp_path / "out").fingerprint
    assert diagnoser("convert", str(tmp_path / "out"), str(tmp_path / "out"), "--force").exit_code == 0
    assert open_table(tmp_path / "out").fingerprint == before


def test_words_that_are_refused(diagnoser: Callable[..., Result], source: str, tmp_path: Path) -> None:
    assert 'not written as ".pdf"' in diagnoser("convert", source, str(tmp_path / "a.pdf")).stderr
    assert 'cannot mean "maybe"' in diagnoser("convert", source, str(tmp_path / "a"), "--absent", "maybe").stderr


def test_nothing_that_steers_a_terminal_comes_out(diagnoser: Callable[..., Result], tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("name,a\x1b[31m,b\u202e\ncat\x07,re\x1b]0;x\x07d,1\ndog,blue,0\n", "utf-8")
    result = diagnoser("convert", str(path), str(tmp_path / "out.csv"))
    assert result.exit_code == 0
    text = result.stdout + result.stderr + (tmp_path / "out.csv").read_text("utf-8")
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert json.dumps(result.stdout)
