"""A session as it stands in its file: JSON lines, the header first, then one event each.

A line is an object that ends in its own checksum:

    {"seq": 3, "time": "2025-01-01T12:00:00.000Z", "event": "answered", "test": "ph", ..., "crc": "8d2f01c7"}

The CRC32 runs over the text of the previous line's checksum and this line without its own, so a line cannot be
changed, lost, swapped or put in without a trace. What follows the first bad line is not part of the session.
"""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from diagnoser import __version__
from diagnoser.case import (
    Answered,
    Case,
    Confirmed,
    ErrorsChosen,
    Event,
    Excluded,
    Proposed,
    Reading,
    Restored,
    Settings,
)
from diagnoser.digests import Digests, digests
from diagnoser.errors import BadSession, UsageError
from diagnoser.formats import lasting_source
from diagnoser.kb import KnowledgeBase

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = 1
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
    program: str = __version__
    time: str = ""
    """UTC, ISO 8601."""
    digests: Digests | None = None
    """What tells later which rows and tests of the table changed; the first files do not have it."""

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
        """The header of a session that starts now on this table. Raises BadTable where `source` is no table."""
        return cls(
            table=kb.title,
            fingerprint=kb.fingerprint,
            wording_fingerprint=kb.wording_fingerprint,
            source=lasting_source(source),
            settings=settings,
            prior=None if prior is None else str(prior.resolve()),
            prior_column=prior_column,
            time=now(),
            digests=digests(kb),
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
        return self.case.name

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


def read_session(path: Path) -> Session:
    """The valid part of a session file; nothing is changed. Raises BadSession."""
    return decode(path, read_bytes(path)).session


@dataclass(frozen=True, slots=True)
class Decoded:
    """A session with what is needed to go on writing it."""

    session: Session
    length: int
    """Bytes of the valid part."""
    lines: int
    crc: bytes
    """Checksum of the last valid line."""


def decode(path: Path, data: bytes) -> Decoded:
    """The valid part of what stands in a session file. Raises BadSession."""
    lines, length, crc = _valid_lines(data)
    if not lines or lines[0].pop("event", None) != "session":
        problem = "its first line is damaged, or this is not a session file" if data else "the file is empty"
        raise BadSession(path, problem, "choose a session file", line=1)
    header = _header(path, lines[0])
    case, events, times = Case.new(header.settings), [], []
    for number, fields in enumerate(lines[1:], start=2):
        time = fields.pop("time", None)
        try:
            event: Event = _adapters()[1].validate_python(fields)
            _demand_sense(event)
            case = case.with_event(event)
            _demand_zone(time)
        except (ValueError, TypeError, UsageError) as error:
            # The line is as it was written: this is no damage, and must not be moved away as such.
            problem = str(error) if isinstance(error, UsageError) else "an event that this program does not know"
            remedy = f"use the program that wrote it, version {header.program}"
            raise BadSession(path, problem, remedy, line=number, value=str(fields.get("event"))) from None
        events.append(event)
        times.append(time)
    session = Session(header, tuple(events), tuple(times), _notices(path, data, len(lines), length))
    return Decoded(session, length, len(lines), crc)


def _valid_lines(data: bytes) -> tuple[list[dict[str, Any]], int, bytes]:
    """The longest run of lines whose checksums and numbers follow each other, its length, its last checksum."""
    lines: list[dict[str, Any]] = []
    length, crc = 0, b""
    while (end := data.find(b"\n", length)) >= 0:
        line = data[length:end]
        body = line[:-_SEAL_LENGTH] + b"}"
        sealed, own = seal(body, crc)
        if sealed != line + b"\n":
            break
        try:
            fields = json.loads(body)
        except ValueError:
            break
        except RecursionError:  # the line is as it was written, but lists in lists in lists are no event
            fields = {"seq": len(lines), "event": "nested too deeply"}
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
        header: Header = _adapters()[0].validate_python(fields)
        _demand_zone(header.time)
        if header.settings.tolerance < 0 or header.prior_column < 0:
            raise ValueError("a number below 0")
    except ValueError:
        raise BadSession(path, "the header is not complete", "start a new session", line=1) from None
    return header


def _demand_sense(event: Event) -> None:
    """Raises ValueError for numbers that no program writes; the fields' types are right already."""
    match event:
        case Proposed(score=score):
            sensible = math.isfinite(score)
        case Answered(reading=Reading(low, high, plus_minus)):
            sensible = not math.isnan(low) and not math.isnan(high) and plus_minus >= 0 and math.isfinite(plus_minus)
        case ErrorsChosen(tolerance=tolerance):
            sensible = tolerance >= 0
        case _:
            sensible = True
    if not sensible:
        raise ValueError("a number that makes no sense here")


def _demand_zone(time: str) -> None:
    """Raises ValueError or TypeError for what is no ISO 8601 time with a time zone."""
    if datetime.fromisoformat(time).tzinfo is None:
        raise ValueError("a time without a zone")


def _notices(path: Path, data: bytes, lines: int, length: int) -> tuple[str, ...]:
    if length == len(data):
        return ()
    if b"\n" not in data[length:]:
        return (f"{path}: the last line was cut short while it was written and is left out",)
    return (f"{path}: line {lines + 1} is damaged; it and what follows are left out",)


def unknown_name(event: Event, kb: KnowledgeBase) -> str:
    """What an event of the operator names that the table does not have, such as `test "ph"`; empty if all is there."""
    match event:
        case Answered(test, outcomes):
            if test not in kb.test_index:
                return f'test "{test}"'
            asked = kb.tests[kb.test_index[test]]
            missing = next((outcome for outcome in outcomes if asked.outcome_index(outcome) is None), None)
            return "" if missing is None else f'outcome "{missing}" of test "{test}"'
        case Excluded(hypothesis) | Restored(hypothesis) | Confirmed(hypothesis):
            return "" if hypothesis in kb.hypothesis_index else f'{kb.hypothesis_word} "{hypothesis}"'
    return ""


def seal(body: bytes, previous: bytes) -> tuple[bytes, bytes]:
    """The line of a JSON object with its checksum over the previous one, and that checksum."""
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


def read_bytes(path: Path) -> bytes:
    """All of a session file. Raises BadSession, also for a pipe or a device, which would be waited for."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise BadSession(path, "this is no regular file", "give the path of a session file")
        return path.read_bytes()
    except OSError as error:
        raise BadSession(path, error.strerror or str(error), "give the path of a session file") from error


def now() -> str:
    """The time as sessions write it, UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
