"""A session to write down, and how tests write it."""

from __future__ import annotations

from pathlib import Path

from diagnoser import journal
from diagnoser.case import Answered, Event, Noted, Proposed, Settings
from diagnoser.session import Header

HEADER = Header(
    table="Spilled chemicals",
    fingerprint="ab" * 32,
    wording_fingerprint="cd" * 32,
    source="/tables/spilled é.csv",
    settings=Settings("gain", "group", "tolerance", 1),
    time="2025-01-01T12:00:00.000Z",
)
EVENTS: tuple[Event, ...] = (
    Proposed("ph", 0.75, "gain"),
    Answered("ph", ("acid",), exact=True),
    Proposed("colour", 0.5, "gain"),
    Answered("colour"),
    Noted('wind "north", \x1b[31m é'),
)


def written(path: Path, events: tuple[Event, ...] = EVENTS, header: Header = HEADER) -> bytes:
    book = journal.create(path, header)
    assert book.warning == ""
    for event in events:
        book.append(event)
    book.close()
    return path.read_bytes()
