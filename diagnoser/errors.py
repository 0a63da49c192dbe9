"""Every error a user can cause, with its exit code.

DiagnoserError                 1  the root; its text is one line for the user
├── UsageError                 2  a word of the command line or of an answer is not known
├── BadFile                    3  a file cannot be read as what it should be
│   ├── BadTable               3  a knowledge base
│   └── BadSession             3  a session file
├── Contradiction              4  no hypothesis agrees with the answers
└── SessionNotSaved            1  the disk refused an event; the case goes on in memory
"""

from __future__ import annotations

from pathlib import Path

from diagnoser.text import printable


class DiagnoserError(Exception):
    """The root of the errors above. `exit_code` is the program's exit status."""

    exit_code = 1


class UsageError(DiagnoserError):
    """A name or option that does not exist, with what would be accepted."""

    exit_code = 2


class BadFile(DiagnoserError):
    """What is wrong in a file, where, and how to mend it, in one line."""

    exit_code = 3

    def __init__(
        self,
        path: Path | str,
        problem: str,
        remedy: str,
        *,
        line: int | None = None,
        column: str | int | None = None,
        value: str | None = None,
    ) -> None:
        self.path, self.problem, self.remedy = Path(path), problem, remedy
        self.line, self.column, self.value = line, column, value
        self.others: tuple[BadFile, ...] = ()
        """Further mistakes that were found with this one."""
        where = [str(path)]
        if line is not None:
            where.append(f"line {line}")
        if column is not None:
            where.append(f'column "{column}"' if isinstance(column, str) else f"column {column}")
        if value is not None:
            where.append(f'value "{_shorten(value)}"')
        super().__init__(printable(f"{', '.join(where)}: {problem}; {remedy}"))


class BadTable(BadFile):
    """A knowledge base that cannot be read."""


class BadSession(BadFile):
    """A session file that cannot be read."""


class Contradiction(DiagnoserError):
    """No hypothesis of the table agrees with the answers."""

    exit_code = 4


class SessionNotSaved(DiagnoserError):
    """The disk refused an event; it stays in memory and is tried again with the next one."""


def _shorten(value: str, width: int = 60) -> str:
    return value if len(value) <= width else value[: width - 1] + "…"
