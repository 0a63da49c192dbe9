"""What is loaded when; and that `algos` is ours, for the public index has another package of this name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import algos
import diagnoser
from tests.conftest import needs_compiler

READERS = {"pandas", "defusedxml", "python_calamine", "tomli_w"}
HEAVY = {"textual", "numba", "numpy", "pydantic", "sklearn", *READERS}
FAKE_SCREEN = """
import types
class Screen:
    farewell, return_code = "", 0
    def __init__(self, request): pass
    def run(self): return 0
module = types.ModuleType("diagnoser.ui.app")
module.DiagnoserApp = Screen
sys.modules["diagnoser.ui.app"] = module
sys.stdin.isatty = sys.stdout.isatty = lambda: True
"""


def loaded(words: list[str], before: str = "") -> set[str]:
    """The packages that are loaded when a command has ended well."""
    code = (
        f"import sys\n{before}\nfrom diagnoser.cli import main\nsys.argv = ['diagnoser', *{words!r}]\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        "print('LOADED', *{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["run", "--help"], ["next", "--help"]])
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    assert loaded(words) & HEAVY == set()


def test_run_loads_nothing_heavy_before_the_screen() -> None:
    """The screen itself is replaced: what it loads before its first paint is the next test."""
    assert loaded(["run", "hazmat"], FAKE_SCREEN) & HEAVY == set()


def test_the_screen_loads_neither_kernels_nor_validation() -> None:
    pytest.importorskip("textual")
    assert loaded(["--version"], "import diagnoser.ui.app") & (HEAVY - {"textual"}) == set()


@needs_compiler
def test_our_own_format_loads_no_readers_of_others() -> None:
    assert loaded(["next", "hazmat"]) & READERS == set()


def test_opening_a_case_on_our_own_format_loads_no_readers_of_others(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom diagnoser.ui.opening import open_case\n"
        "from diagnoser.ui.request import CaseRequest\n"
        "opened = open_case(CaseRequest('hazmat', session=Path(sys.argv[1]) / 's.jsonl'))\n"
        "print(opened.kb.title)\nprint(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    title, names = done.stdout.splitlines()
    assert title
    assert set(names.split()) & READERS == set()


def test_sessions_load_no_kernels() -> None:
    assert loaded(["sessions"]) & {"textual", "numba", "numpy"} == set()


def test_writing_a_session_loads_no_validation() -> None:
    code = (
        "import sys, pathlib, tempfile\nfrom diagnoser import journal\nfrom diagnoser.case import Answered, Settings\n"
        "from diagnoser.session import Header\n"
        "folder = pathlib.Path(tempfile.mkdtemp())\n"
        "book = journal.create(folder / 's', Header('t', '', '', 's', Settings('gain', 'unique')))\n"
        "book.append(Answered('ph'))\nprint('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_algos_is_the_one_beside_diagnoser() -> None:
    assert Path(algos.__file__ or "").parents[1] == Path(diagnoser.__file__ or "").parents[1]
