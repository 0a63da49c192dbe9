"""Sessions on disk: written so that they survive a power cut.

Lines are appended and synced one at a time and never rewritten.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from diagnoser.case import Event
from diagnoser.errors import BadSession, SessionNotSaved, UsageError
from diagnoser.session import FORMAT, Header, Session, decode, now, plain, read_bytes, read_session, seal

try:
    import fcntl
except ImportError:  # Windows; a second program on one file is not noticed there
    fcntl = None  # type: ignore[assignment]

_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Journal:
    """The writing end of a session. Events the disk refuses are kept and tried again with the next one.

    Where nothing can be written `path` is None, the session is in memory only and `warning` says why, in one line.
    """

    def __init__(
        self, path: Path | None, descriptor: int = -1, lines: int = 0, size: int = 0, crc: bytes = b""
    ) -> None:
        self.path, self.warning = path, ""
        self.unsaved = 0
        """Events that are not on disk."""
        self._descriptor, self._lines, self._size, self._crc = descriptor, lines, size, crc
        self._pending = b""

    @classmethod
    def in_memory(cls, path: Path, error: BaseException) -> Journal:
        """The journal of a session for which `path` cannot be written."""
        journal = cls(None)
        journal.warning = f"this session is kept in memory only: {path}: {_words(error)}"
        return journal

    def append(self, event: Event) -> None:
        """Put one event on disk. Raises SessionNotSaved when the disk refuses it."""
        self.unsaved += 1
        if self.path is not None:
            self._append({"time": now(), "event": event.event, **plain(event)})

    def start(self, header: Header) -> None:
        """Put the header on disk. Raises SessionNotSaved when the disk refuses it."""
        self._append({"time": header.time, "event": "session", "format": FORMAT, **plain(header)})

    def close(self) -> int:
        """Try what the disk refused once more and let other programs write. Returns how many events are not saved."""
        if self._descriptor >= 0:
            if self._pending:
                with suppress(SessionNotSaved):
                    self._save()
            os.close(self._descriptor)
            self._descriptor = -1
        return self.unsaved

    def discard(self) -> None:
        """Close the session's file and remove it."""
        self.close()
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink()

    def _append(self, fields: dict[str, Any]) -> None:
        body = json.dumps({"seq": self._lines, **fields}, separators=(",", ":"), allow_nan=False).encode()
        line, self._crc = seal(body, self._crc)
        self._lines += 1
        self._pending += line
        self._save()

    def _save(self) -> None:
        try:
            if os.fstat(self._descriptor).st_size > self._size:
                os.ftruncate(self._descriptor, self._size)  # a half line would cut off all that is written after it
            if os.write(self._descriptor, self._pending) < len(self._pending):
                raise OSError("the disk is full")
            os.fsync(self._descriptor)
        except OSError as error:
            raise SessionNotSaved(f"{self.path}: not saved: {_words(error)}; the case goes on in memory") from error
        self._size += len(self._pending)
        self._pending, self.unsaved = b"", 0


def default_folder() -> Path:
    """Where sessions are kept unless a path is given."""
    from platformdirs import user_data_path

    return user_data_path("diagnoser", appauthor=False) / "sessions"


def create(path: Path | None, header: Header) -> Journal:
    """Start a session in a new file; without a path in the user's folder of sessions.

    A place that cannot be written gives a journal in memory whose `warning` says so.
    Raises UsageError if the file exists.
    """
    file = path or default_folder() / _file_name(header)
    try:
        if path is None:
            file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(f"{file} exists already") from None
    except OSError as error:
        return Journal.in_memory(file, error)
    journal = Journal(file, descriptor)
    try:
        _lock(descriptor, file)
        journal.start(header)
        _sync_folder(file.parent)
    except (OSError, SessionNotSaved) as error:
        journal.close()
        file.unlink(missing_ok=True)
        return Journal.in_memory(file, error.__cause__ or error)
    return journal


def resume(path: Path) -> tuple[Session, Journal]:
    """Read a session and go on writing to it.

    What follows the valid part is first moved to FILE.damaged. A file that cannot be written gives a journal in
    memory whose `warning` says so. Raises BadSession, also when another program is writing to the file.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        return read_session(path), Journal.in_memory(path, error)
    try:
        _lock(descriptor, path)
        data = read_bytes(path)
        found = decode(path, data)
        session, notices = found.session, found.session.notices
        if found.length < len(data):
            kept = _set_aside(path, data[found.length :])
            os.ftruncate(descriptor, found.length)
            session = replace(session, notices=(*notices, f"{path}: what is left out is kept in {kept.name}"))
    except BadSession:
        os.close(descriptor)
        raise
    except OSError as error:
        os.close(descriptor)
        return session, Journal.in_memory(path, error)
    return session, Journal(path, descriptor, found.lines, found.length, found.crc)


def _set_aside(path: Path, tail: bytes) -> Path:
    names = (f"{path.name}.damaged" + (f"-{number}" if number > 1 else "") for number in count(1))
    kept = next(place for place in map(path.with_name, names) if not place.exists())
    with kept.open("xb") as file:
        file.write(tail)
        file.flush()
        os.fsync(file.fileno())
    _sync_folder(path.parent)
    return kept


def _lock(descriptor: int, path: Path) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadSession(path, "another program is writing to this session", "close that one first") from None
    except OSError:  # a network drive without locks; as on Windows
        return


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows cannot open a folder
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _file_name(header: Header) -> str:
    table = re.sub(r"\W+", "-", header.table).strip("-").lower()[:20].strip("-") or "table"
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{table}-{secrets.token_hex(3)}.jsonl"


def _words(error: BaseException) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
