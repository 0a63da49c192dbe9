"""The door: what open_table takes, what it refuses, and what it loads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from diagnoser.errors import BadTable
from diagnoser.formats import lasting_source, open_table, shipped_tables

HEAD = 'format = 1\ntitle = "Toys"\n[[tests]]\nid = "red"\noutcomes = [{ id = "yes" }, { id = "no" }]\n'
TABLE = "name,red\nball,yes\nbrick,no\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "toys"
    made.mkdir()
    (made / "kb.toml").write_text(HEAD)
    (made / "table.csv").write_text(TABLE)
    return made


@pytest.mark.parametrize("inside", ["", "kb.toml", "table.csv"])
def test_a_folder_opens_by_any_of_its_names(folder: Path, inside: str) -> None:
    for source in (folder / inside, str(folder / inside)):
        kb = open_table(source)
        assert (kb.title, [h.id for h in kb.hypotheses], list(kb.codes)) == ("Toys", ["ball", "brick"], [0, 1])


def test_a_csv_file_opens_whatever_the_case_of_its_ending(tmp_path: Path) -> None:
    path = tmp_path / "für Übung.CSV"
    path.write_text(TABLE)
    assert open_table(path).title == "für Übung"


def test_shipped_tables_open_by_name() -> None:
    for name, path in shipped_tables().items():
        kb = open_table(name)
        assert kb.fingerprint == open_table(path).fingerprint
        assert len(kb.codes) == len(kb.hypotheses) * len(kb.tests)


def test_a_shipped_name_goes_before_a_folder_without_a_table(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge_bases.shipped", lambda: {"mine": folder})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    assert open_table("mine").title == "Toys"
    (tmp_path / "mine" / "kb.toml").write_text(HEAD.replace("Toys", "Own"))
    (tmp_path / "mine" / "table.csv").write_text(TABLE)
    assert open_table("mine").title == "Own"


def test_priors_come_with_the_table(folder: Path, tmp_path: Path) -> None:
    prior = tmp_path / "prior.csv"
    prior.write_text("brick,1,9\nball,1,1\n")
    assert [h.prior for h in open_table(folder, prior, 2).hypotheses] == [0.1, 0.9]
    assert [h.prior for h in open_table(folder, str(prior), 1).hypotheses] == [0.5, 0.5]


def test_a_lasting_source_opens_the_same_table_from_anywhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge_bases.shipped", lambda: {"mine": folder})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.csv").write_text(TABLE)
    assert lasting_source("mine") == "mine"
    assert lasting_source("bare.csv") == str(tmp_path / "bare.csv")
    for name in ("toys", "toys/kb.toml", "toys/table.csv"):
        assert lasting_source(name) == str(folder)
    (tmp_path / "mine").mkdir()
    assert lasting_source("mine") == "mine"  # a folder without a table
    (tmp_path / "mine" / "kb.toml").write_text(HEAD)
    assert lasting_source("mine") == str(tmp_path / "mine")
    with pytest.raises(BadTable, match="no such file"):
        lasting_source("missing")


def refusal(source: str | Path) -> str:
    with pytest.raises(BadTable) as caught:
        open_table(source)
    message = str(caught.value)
    assert caught.value.exit_code == 3
    assert "\n" not in message
    assert message.isprintable()
    return message


def test_an_unknown_name_is_answered_with_the_nearest(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr("knowledge_bases.shipped", lambda: {"hazmat": folder, "plants": folder})
    assert refusal("hazmta").endswith('no shipped table of this name; did you mean "hazmat"?')
    assert refusal("zzz").endswith("known are hazmat, plants")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", b"", ("the file is empty", "fill it")),
        ("a.csv", b"\xef\xbb\xbf \r\n", ("the file is empty",)),
        ("a.csv", b"name,a\n", ("one line only", "at least one row")),
        ("a.csv", b"name,a\r\ncat,1\r\nd\0g,0\n", ("line 3", "byte 0x00, number 2 of the line", "text file")),
        ("a.csv", b"name,a\rcat,1\nr\x81d,0\n", ("line 3", "byte 0x81 is neither UTF-8 nor Windows-1252")),
        ("a.csv", "name,a\ncat,1\n".encode("utf-16")[:-1], ("neither UTF-8 nor UTF-16",)),
        ("a.csv", b"PK\x03\x04\0\0", ("a spreadsheet or an archive", "save the sheet as CSV")),
        ("a.xlsx", b"PK\x03\x04\0\0", ("this is no spreadsheet that can be read", "save it as .xlsx or .csv")),
        ("a.pdf", b"name\ta\n", ('files that end in ".pdf" are not read', ".arff, .bif, .csv")),
        ("a", b"name,a\n", ("the kind of file is not known",)),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, data: bytes, said: tuple[str, ...]) -> None:
    (tmp_path / name).write_bytes(data)
    message = refusal(tmp_path / name)
    assert message.startswith(str(tmp_path / name))
    for words in said:
        assert words in message


def test_other_things_than_files_are_refused(tmp_path: Path) -> None:
    assert "the folder has no kb.toml; choose a folder" in refusal(tmp_path)
    assert "no such file" in refusal(tmp_path / "missing.csv")
    assert "cannot be read" in refusal("x" * 5000)
    os.mkfifo(tmp_path / "pipe.csv")
    assert "neither a file nor a folder" in refusal(tmp_path / "pipe.csv")


def test_a_missing_table_csv_is_named(folder: Path) -> None:
    (folder / "table.csv").unlink()
    message = refusal(folder)
    assert "table.csv: cannot be read (No such file or directory); check the path" in message


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_refused(folder: Path) -> None:
    (folder / "table.csv").chmod(0)
    assert "Permission denied" in refusal(folder)


@pytest.mark.parametrize(
    ("source", "absent", "present"),
    [("", {"pydantic", "numba", "numpy"}, set()), ("table.csv", {"numba", "numpy", "textual"}, {"pydantic"})],
)
def test_pydantic_is_loaded_for_folders_only(
    tmp_path: Path, folder: Path, source: str, absent: set[str], present: set[str]
) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_text(TABLE)
    program = "import sys; from diagnoser.formats import open_table; open_table(sys.argv[1]); print(*sys.modules)"
    command = [sys.executable, "-c", program, str(folder / source if source else bare)]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert not loaded & absent
    assert present <= loaded
