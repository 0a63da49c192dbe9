"""Sessions on disk: a case as JSON lines that survive a power cut.

The first line is the header, every other line one event. A line is an object that ends in its own checksum:

    {"seq": 3, "time": "2025-01-01T12:00:00.000Z", "event": "answered", "test": "ph", ..., "crc": "8d2f01c7"}

The CRC32 runs over the text of the previous line's checksum and this line without its own, so a line cannot be
changed, lost, swapped or put in without a trace. Lines are appended and synced one at a time and never rewritten;
what follows the first bad line is not part of the session.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import zlib
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from diagnoser import __version__
from diagnoser.case import Answered, Case, Event, Settings
from diagnoser.errors import BadSession, SessionNotSaved, UsageError
from diagnoser.kb import KnowledgeBase

try:
    import fcntl
except ImportError:  # Windows; a second program on one file is not noticed there
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = 1
_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
_SEAL_LENGTH = len(b',"crc":"00000000"}')

SessionStatus = Literal["open", "ended", "confirmed", "none_of_these"]


@dataclass(frozen=True, slots=True)
class Header:
    """What a session was started with."""

    table: str
    """The table's title."""
    fingerprint: str
    wording_fingerprint: str
    source: str
    """Where `open_table` finds the table: an absolute path or the name of a shipped one."""
    settings: Settings
    prior: str | None = None
    """The file that the priors came from instead of the table."""
    prior_column: int = 0
    seed: int | None = None
    name: str = ""
    program: str = __version__
    time: str = ""
    """UTC, ISO 8601."""

    @classmethod
    def of(
        cls,
        kb: KnowledgeBase,
        source: str | Path,
        settings: Settings,
        *,
        prior: Path | None = None,
        prior_column: int = 0,
    ) -> Header:
        """The header of a session that starts now on this table."""
        place = Path(source)
        is_path = place.is_file() or (place / "kb.toml").is_file()  # else the name of a shipped table
        return cls(
            table=kb.title,
            fingerprint=kb.fingerprint,
            wording_fingerprint=kb.wording_fingerprint,
            source=str(place.resolve() if is_path else source),
            settings=settings,
            prior=None if prior is None else str(prior.resolve()),
            prior_column=prior_column,
            time=_now(),
        )


@dataclass(frozen=True, slots=True)
class Session:
    """A session as it was read."""

    header: Header
    events: tuple[Event, ...]
    times: tuple[str, ...]
    """One for each event, UTC, ISO 8601."""
    notices: tuple[str, ...] = ()
    """What was wrong with the file, one line each."""

    @property
    def case(self) -> Case:
        """The case after all events."""
        return Case.new(self.header.settings, self.events)

    @property
    def name(self) -> str:
        """The name last given to the case."""
        return self.case.name or self.header.name

    @property
    def last_change(self) -> str:
        """When the last line was written, UTC, ISO 8601."""
        return self.times[-1] if self.times else self.header.time

    @property
    def last_answer(self) -> Answered | None:
        """The answer given last, undone or not."""
        return next((event for event in reversed(self.events) if isinstance(event, Answered)), None)

    @property
    def status(self) -> SessionStatus:
        """How far the case is, as its events tell without the table; "ended": nothing was asked after the answers."""
        case = self.case
        state, asked = case.state, case.proposed
        if state.none_of_these:
            return "none_of_these"
        if state.confirmed is not None:
            return "confirmed"
        return "ended" if asked is not None and state.answer_to(asked.test) is not None else "open"


class Journal:
    """The writing end of a session. Events the disk refuses are kept and tried again with the next one.

    Where nothing can be written `path` is None, the session is in memory only and `warning` says why, in one line.
    """

    def __init__(
        self, path: Path | None, descriptor: int = -1, lines: int = 0, size: int = 0, crc: bytes = b""
    ) -> None:
        self.path, self.warning = path, ""
        self._descriptor, self._lines, self._size, self._crc = descriptor, lines, size, crc
        self._unsaved = b""

    @classmethod
    def in_memory(cls, path: Path, error: BaseException) -> Journal:
        """The journal of a session for which `path` cannot be written."""
        journal = cls(None)
        journal.warning = f"this session is kept in memory only: {path}: {_words(error)}"
        return journal

    def append(self, event: Event) -> None:
        """Put one event on disk. Raises SessionNotSaved when the disk refuses it."""
        if self.path is not None:
            self._append({"time": _now(), "event": event.event, **plain(event)})

    def start(self, header: Header) -> None:
        """Put the header on disk. Raises SessionNotSaved when the disk refuses it."""
        self._append({"time": header.time, "event": "session", "format": FORMAT, **plain(header)})

    def close(self) -> None:
        """Let other programs write to the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _append(self, fields: dict[str, Any]) -> None:
        body = json.dumps({"seq": self._lines, **fields}, separators=(",", ":"), allow_nan=False).encode()
        line, self._crc = _sealed(body, self._crc)
        self._lines += 1
        self._unsaved += line
        try:
            if os.fstat(self._descriptor).st_size > self._size:
                os.ftruncate(self._descriptor, self._size)  # a half line would cut off all that is written after it
            if os.write(self._descriptor, self._unsaved) < len(self._unsaved):
                raise OSError("the disk is full")
            os.fsync(self._descriptor)
        except OSError as error:
            raise SessionNotSaved(f"{self.path}: not saved: {_words(error)}; the case goes on in memory") from error
        self._size += len(self._unsaved)
        self._unsaved = b""


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
        raise UsageError(f"{file} exists already; go on with it by --resume, or choose another name") from None
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


def read_session(path: Path) -> Session:
    """The valid part of a session file; nothing is changed. Raises BadSession."""
    return _decode(path, _read(path)).session


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
        data = _read(path)
        found = _decode(path, data)
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


@dataclass(frozen=True, slots=True)
class _Decoded:
    session: Session
    length: int
    """Bytes of the valid part."""
    lines: int
    crc: bytes
    """Checksum of the last valid line."""


def _decode(path: Path, data: bytes) -> _Decoded:
    lines, length, crc = _valid_lines(data)
    if not lines or lines[0].pop("event", None) != "session":
        problem = "its first line is damaged, or this is not a session file" if data else "the file is empty"
        raise BadSession(path, problem, "choose one that `diagnoser sessions` lists", line=1)
    header = _header(path, lines[0])
    case, events, times = Case.new(header.settings), [], []
    for number, fields in enumerate(lines[1:], start=2):
        time = fields.pop("time", None)
        try:
            event: Event = _adapters()[1].validate_python(fields)
            case = case.with_event(event)
            datetime.fromisoformat(time)
        except (ValueError, TypeError, UsageError) as error:
            # The line is as it was written: this is no damage, and must not be moved away as such.
            problem = str(error) if isinstance(error, UsageError) else "an event that this program does not know"
            remedy = f"use the program that wrote it, version {header.program}"
            raise BadSession(path, problem, remedy, line=number, value=str(fields.get("event"))) from None
        events.append(event)
        times.append(time)
    session = Session(header, tuple(events), tuple(times), _notices(path, data, len(lines), length))
    return _Decoded(session, length, len(lines), crc)


def _valid_lines(data: bytes) -> tuple[list[dict[str, Any]], int, bytes]:
    """The longest run of lines whose checksums and numbers follow each other, its length, its last checksum."""
    lines: list[dict[str, Any]] = []
    length, crc = 0, b""
    while (end := data.find(b"\n", length)) >= 0:
        line = data[length:end]
        body = line[:-_SEAL_LENGTH] + b"}"
        sealed, own = _sealed(body, crc)
        if sealed != line + b"\n":
            break
        try:
            fields = json.loads(body)
        except ValueError:
            break
        if fields.pop("seq", None) != len(lines):
            break
        lines.append(fields)
        length, crc = end + 1, own
    return lines, length, crc


def _header(path: Path, fields: dict[str, Any]) -> Header:
    version = fields.pop("format", None)
    if version != FORMAT:
        remedy = f"use the program that wrote it, version {fields.get('program')}, or a later one"
        raise BadSession(path, f"session format {version} is not known here", remedy, line=1)
    try:
        return _adapters()[0].validate_python(fields)
    except ValueError:
        raise BadSession(path, "the header is not complete", "start a new session", line=1) from None


def _notices(path: Path, data: bytes, lines: int, length: int) -> tuple[str, ...]:
    if length == len(data):
        return ()
    if b"\n" not in data[length:]:
        return (f"{path}: the last line was cut short while it was written and is left out",)
    return (f"{path}: line {lines + 1} is damaged; it and what follows are left out",)


def _sealed(body: bytes, previous: bytes) -> tuple[bytes, bytes]:
    crc = b"%08x" % zlib.crc32(body, zlib.crc32(previous))
    return b'%s,"crc":"%s"}\n' % (body[:-1], crc), crc


@cache
def _adapters() -> tuple[TypeAdapter[Header], TypeAdapter[Event]]:
    from pydantic import ConfigDict, Field, TypeAdapter

    whole = ConfigDict(extra="forbid")  # half an event could mean something else
    return TypeAdapter(Header), TypeAdapter(Annotated[Event, Field(discriminator="event")], config=whole)


def plain(value: Event | Header) -> dict[str, Any]:
    """The fields as JSON can hold them."""
    return asdict(value, dict_factory=lambda items: {key: _number(item) for key, item in items})


def _number(value: Any) -> Any:
    """JSON has no infinite numbers, but a reading may be "above 3"; pydantic reads the word back as a number."""
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadSession(path, _words(error), "give the path of a session file") from error


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
    table = re.sub(r"\W+", "-", header.table).strip("-").lower()[:40] or "table"
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{table}-{secrets.token_hex(3)}.jsonl"


def _words(error: BaseException) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
