"""`diagnoser run` up to the screen, and what all commands have in common."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from typer.testing import Result

from diagnoser import __version__
from diagnoser.cli import run as run_command
from diagnoser.ui.request import CaseRequest

Run = Callable[..., Result]


class FakeScreen:
    """The app as `run` sees it."""

    requests: ClassVar[list[CaseRequest | None]] = []
    result: int | None = 0
    farewell = ""
    return_code: int | None = None

    def __init__(self, request: CaseRequest | None) -> None:
        self.requests.append(request)

    def run(self) -> int | None:
        return self.result


class Terminal:
    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> type[FakeScreen]:
    module = ModuleType("diagnoser.ui.app")
    screen = type("Screen", (FakeScreen,), {"requests": []})
    module.DiagnoserApp = screen  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "diagnoser.ui.app", module)
    system = ModuleType("sys")
    system.stdin = system.stdout = Terminal()  # type: ignore[attr-defined]
    monkeypatch.setattr(run_command, "sys", system)
    return screen


@pytest.mark.parametrize("words", [[], ["run", "hazmat"]])
def test_without_a_terminal_nothing_hangs(diagnoser: Run, words: list[str]) -> None:
    result = diagnoser(*words)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert "diagnoser next TABLE" in result.stderr


def test_the_screen_is_told_what_was_asked_for(diagnoser: Run, screen: Any, code: str, tmp_path: Path) -> None:
    prior, old, new = tmp_path / "prior.csv", tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    prior.touch()
    old.touch()
    words = ["--policy", "odtn-r", "--stop", "group", "--prior", str(prior), "--prior-column", "2"]
    for call in (["run", code, *words, "--session", str(new)], ["run", "--resume", str(old)], ["run", "hazmat"], []):
        assert diagnoser(*call).exit_code == 0
    assert screen.requests == [
        CaseRequest(code, "odtn-r", "group", new, None, prior, 2),
        CaseRequest(None, resume=old),
        CaseRequest("hazmat"),
        None,
    ]


def test_the_farewell_and_the_code_of_the_screen(diagnoser: Run, screen: Any, code: str) -> None:
    screen.result, screen.farewell = 3, "where the case is\x1b[31m saved"
    result = diagnoser("run", code)
    assert (result.exit_code, result.stdout, result.stderr) == (3, "", "where the case is\\x1b[31m saved\n")
    screen.result, screen.return_code = None, 1  # the screen broke
    assert diagnoser("run", code).exit_code == 1


@pytest.mark.parametrize(
    ("words", "exit_code", "says"),
    [
        ([], 2, "give a TABLE"),
        (["nowhere.csv"], 3, "nowhere.csv"),
        (["x" * 300], 3, "xxx"),
        (["hazmta"], 3, 'did you mean "hazmat"?'),
        (["hazmat", "--policy", "magic"], 2, 'no policy is called "magic"'),
        (["hazmat", "--stop", "never"], 2, 'no stopping rule is called "never"'),
        (["hazmat", "--prior", "missing.csv"], 3, "missing.csv"),
        (["hazmat", "--resume", "missing.jsonl"], 3, "missing.jsonl"),
        (["hazmat", "--session", "a.jsonl", "--resume", "b.jsonl"], 2, "give one of them"),
        (["hazmat", "--session", "."], 2, "exists already"),
    ],
)
def test_plain_mistakes_are_found_before_the_screen(
    diagnoser: Run, screen: Any, words: list[str], exit_code: int, says: str
) -> None:
    result = diagnoser("run", *words)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (exit_code, "", 1)
    assert says in result.stderr
    assert screen.requests == []


def test_an_interrupt_ends_with_130(diagnoser: Run, screen: Any, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(screen, "run", interrupted)
    assert diagnoser("run", code).exit_code == 130


def test_version_and_usage(diagnoser: Run) -> None:
    assert diagnoser("--version").stdout == f"diagnoser {__version__}\n"
    for words in (["fly"], ["run", "--wings"], ["next"], ["next", "hazmat", "--top", "x"]):
        result = diagnoser(*words)
        assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
        assert result.stderr.startswith("diagnoser: ")
        assert result.stderr.endswith("--help\n")


def test_what_is_typed_wrong_never_steers_the_terminal(diagnoser: Run) -> None:
    for words, code in (
        (["tables", "\u202ex\x1b[31m"], 3),
        (["tables", "hazmat", "\u202ex\x1b[31m"], 2),
        (["\u202ex\x1b[31m"], 2),
        (["next", "--\u202ex\x1b[31m"], 2),
    ):
        result = diagnoser(*words)
        assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (code, "", 1)
        assert "\\u202ex\\x1b[31m" in result.stderr


@pytest.mark.parametrize("command", ["run", "next", "evaluate"])
@pytest.mark.parametrize("words", [["--policy", ""], ["--stop", ""], ["--prior-column", "1"]])
def test_empty_values_and_a_column_of_no_file_are_refused(diagnoser: Run, code: str, command: str, words: Any) -> None:
    result = diagnoser(command, code, *words)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert words[0] in result.stderr or 'is called ""' in result.stderr


def test_a_column_without_priors_is_refused_with_an_old_session_too(
    diagnoser: Run, screen: Any, tmp_path: Path
) -> None:
    (tmp_path / "old.jsonl").touch()
    result = diagnoser("run", "--resume", str(tmp_path / "old.jsonl"), "--prior-column", "1")
    assert (result.exit_code, screen.requests) == (2, [])
    assert "--prior" in result.stderr


def test_a_saved_session_is_found_by_its_name_alone(diagnoser: Run, screen: Any, tmp_path: Path) -> None:
    saved = tmp_path / "data" / "diagnoser" / "sessions" / "one.jsonl"
    saved.parent.mkdir(parents=True)
    saved.touch()
    assert diagnoser("run", "--resume", "one.jsonl").exit_code == 0
    assert screen.requests == [CaseRequest(None, resume=saved)]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
@pytest.mark.parametrize("words", [["tables"], ["tables", "--json"], ["--help"], ["--version"]])
def test_a_full_disk_for_the_output_is_one_line(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "diagnoser", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "diagnoser: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="closing a stream takes another way there")
@pytest.mark.parametrize(
    ("closed", "words", "exit_code", "says"),
    [
        (1, ["tables"], 1, "diagnoser: the output is closed; nothing can be written\n"),
        (0, ["run", "hazmat"], 2, "diagnoser: the screen needs a terminal"),
        (2, ["tables", "--json"], 0, ""),
        (2, ["fly"], 2, ""),
    ],
)
def test_streams_may_be_closed(closed: int, words: list[str], exit_code: int, says: str) -> None:
    code = (
        f"import os, sys; os.close({closed}); os.execv(sys.executable, [sys.executable, '-m', 'diagnoser', *{words}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == exit_code
    assert done.stderr.startswith(says)
    assert len(done.stderr.splitlines()) == bool(says)


def test_a_reader_that_goes_away_is_no_error(code: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "diagnoser", "next", code, "--json"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.stderr == ""
