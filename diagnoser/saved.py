"""Sessions of a folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from diagnoser.errors import BadSession
from diagnoser.kb import KnowledgeBase
from diagnoser.session import Session, read_session
from diagnoser.text import counted

Found = tuple[Path, Session | BadSession]


def saved_sessions(folder: Path) -> list[Found]:
    """Every session file of a folder, the latest change first; one that cannot be read stands with its reason."""
    read: list[tuple[Path, Session]] = []
    unreadable: list[tuple[Path, BadSession]] = []
    for path in sorted(folder.glob("*.jsonl")):
        try:
            read.append((path, read_session(path)))
        except BadSession as error:
            unreadable.append((path, error))
    return [*sorted(read, key=lambda found: found[1].last_change, reverse=True), *unreadable]


def sessions_about(kb: KnowledgeBase, found: Iterable[Found]) -> tuple[list[Session], list[str]]:
    """The sessions about a table, known by its title, and a line for each kind of file that is left out."""
    about, other, unreadable = list[Session](), 0, 0
    for _, session in found:
        if isinstance(session, BadSession):
            unreadable += 1
        elif session.header.table != kb.title:
            other += 1
        else:
            about.append(session)
    words = ((other, "session", "of other tables"), (unreadable, "file", "that cannot be read"))
    return about, [f"left out: {counted(number, what)} {why}" for number, what, why in words if number]
