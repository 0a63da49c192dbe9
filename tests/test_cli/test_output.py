"""Lines for a terminal and for a pipe."""

from __future__ import annotations

import io

import pytest

from diagnoser.cli.output import write

LINE = "warning: cat and dog are told apart by no test; a name-of-one-word-that-is-wider-than-the-screen stays whole"


class Terminal(io.StringIO):
    """Shows what is printed to a terminal."""

    def isatty(self) -> bool:
        return True


def test_lines_break_between_words_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for screen, wanted in ((io.StringIO(), [LINE]), (Terminal(), None)):
        monkeypatch.setattr("sys.stdout", screen)
        write(LINE)
        shown = screen.getvalue().splitlines()
        assert " ".join(map(str.strip, shown)) == LINE
        if wanted is None:
            assert [len(line) <= 40 for line in shown] == [True, True, False, True]
        else:
            assert shown == wanted
