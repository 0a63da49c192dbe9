"""Session files: round trips, damage of every kind, disks that refuse, and the format read by other means."""

from __future__ import annotations

import errno
import json
import math
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnoser import journal
from diagnoser.case import (
    Answered,
    Case,
    Confirmed,
    ErrorsChosen,
    Event,
    Excluded,
    Named,
    NoneOfThese,
    Noted,
    PolicyChosen,
    Proposed,
    Reading,
    Redone,
    Restored,
    Settings,
    StopChosen,
    Undone,
    Withdrawn,
)
from diagnoser.errors import BadSession, SessionNotSaved, UsageError
from diagnoser.journal import Header

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


def sealed(lines: list[dict[str, object]]) -> bytes:
    """The format from its description alone, to make files that this program would not write."""
    out, previous = b"", b""
    for fields in lines:
        text = json.dumps(fields).encode()
        previous = f"{zlib.crc32(previous + text):08x}".encode()
        out += text[:-1] + b',"crc":"' + previous + b'"}\n'
    return out


TEXT = st.text(max_size=12)
EVENT = st.one_of(
    st.builds(Proposed, TEXT, st.floats(0, 1), TEXT),
    st.builds(
        Answered,
        st.sampled_from("abc"),
        st.lists(TEXT, max_size=3).map(tuple),
        st.none() | st.builds(Reading, st.floats(allow_nan=False), st.floats(allow_nan=False), st.floats(0, 1)),
        st.booleans(),
    ),
    st.builds(Withdrawn, st.sampled_from("abc")),
    st.builds(Undone),
    st.builds(Redone),
    st.builds(Excluded, st.sampled_from("xy")),
    st.builds(Restored, st.sampled_from("xy")),
    st.builds(PolicyChosen, TEXT),
    st.builds(StopChosen, TEXT),
    st.builds(ErrorsChosen, st.sampled_from(["strict", "tolerance", "reliability"]), st.integers(0, 9)),
    st.builds(Confirmed, TEXT),
    st.builds(NoneOfThese),
    st.builds(Noted, TEXT),
    st.builds(Named, TEXT),
)


def possible(events: list[Event]) -> tuple[Event, ...]:
    """The events without those that cannot happen where they stand."""
    case, kept = Case.new(HEADER.settings), []
    for event in events:
        try:
            case = case.with_event(event)
        except UsageError:
            continue
        kept.append(event)
    return tuple(kept)


@given(events=st.lists(EVENT, max_size=20).map(possible))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read(tmp_path: Path, events: tuple[Event, ...]) -> None:
    path = tmp_path / "s.jsonl"
    path.unlink(missing_ok=True)
    written(path, events)
    session = journal.read_session(path)
    assert (session.header, session.events, session.notices) == (HEADER, events, ())
    assert session.case == Case.new(HEADER.settings, events)


def test_a_file_is_what_its_description_says(tmp_path: Path) -> None:
    lines = written(tmp_path / "s.jsonl").decode("ascii").splitlines()
    previous = ""
    for number, line in enumerate(lines):
        fields = json.loads(line)
        assert fields["seq"] == number
        text = line.replace(f',"crc":"{fields["crc"]}"', "")
        assert fields["crc"] == f"{zlib.crc32((previous + text).encode()):08x}"
        previous = fields["crc"]
    first, last = json.loads(lines[0]), json.loads(lines[2])
    assert (first["event"], first["format"], first["seed"], first["program"]) == ("session", 1, None, HEADER.program)
    assert first["settings"] == {"policy": "gain", "stop": "group", "errors": "tolerance", "tolerance": 1}
    assert (last["event"], last["test"], last["outcomes"], last["exact"]) == ("answered", "ph", ["acid"], True)


def test_a_file_made_from_the_description_is_read(tmp_path: Path) -> None:
    path, time = tmp_path / "s.jsonl", "2025-01-01T12:00:00Z"
    header = {
        "table": "T",
        "fingerprint": "f",
        "wording_fingerprint": "w",
        "source": "t.csv",
        "settings": {"policy": "gain", "stop": "unique"},
    }
    events = [
        {"event": "answered", "test": "ph", "outcomes": ["acid"]},
        {"event": "answered", "test": "mass", "reading": {"low": 3, "high": "Infinity"}},
    ]
    lines = [{"event": "session", "format": 1, **header}, *events]
    path.write_bytes(sealed([{"seq": n, "time": time, **fields} for n, fields in enumerate(lines)]))
    session = journal.read_session(path)
    assert session.header.settings == Settings("gain", "unique")
    assert session.events == (Answered("ph", ("acid",)), Answered("mass", reading=Reading(3, math.inf)))


def test_every_flipped_bit_ends_the_session_before_its_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    good = written(path, EVENTS[:3])
    for place in range(len(good)):
        line = good.count(b"\n", 0, place)  # a line feed belongs to the line it ends
        for bit in range(8):
            damaged = bytearray(good)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            if line == 0:
                with pytest.raises(BadSession):
                    journal.read_session(path)
            else:
                session = journal.read_session(path)
                assert session.events == EVENTS[: line - 1]
                assert len(session.notices) == 1


def test_every_cut_leaves_the_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    good = written(path)
    for length in range(good.index(b"\n") + 1, len(good)):
        path.write_bytes(good[:length])
        session = journal.read_session(path)
        assert session.events == EVENTS[: good.count(b"\n", 0, length) - 1]
        assert bool(session.notices) == (not good[:length].endswith(b"\n"))


@pytest.mark.parametrize("order", [[0, 2, 1, 3], [0, 1, 1, 2, 3], [0, 2, 3]])
def test_lines_swapped_doubled_or_lost_are_noticed(tmp_path: Path, order: list[int]) -> None:
    path = tmp_path / "s.jsonl"
    lines = written(path).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[n] for n in order))
    session = journal.read_session(path)
    in_order = next(n for n, line in enumerate(order) if line != n)
    assert session.events == EVENTS[: in_order - 1]
    assert f"line {in_order + 1} is damaged" in session.notices[0]


def test_resume_keeps_what_follows_the_damage_aside(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = written(path).splitlines(keepends=True)
    lines[3] = lines[3].replace(b"colour", b"odour!")
    tail = b"".join(lines[3:])
    path.write_bytes(b"".join(lines))
    assert journal.read_session(path).events == EVENTS[:2]
    assert path.read_bytes() == b"".join(lines)  # reading changes nothing

    session, book = journal.resume(path)
    assert session.events == EVENTS[:2]
    assert "s.jsonl.damaged" in session.notices[-1]
    assert (tmp_path / "s.jsonl.damaged").read_bytes() == tail
    book.append(Noted("went on"))
    book.close()
    assert journal.read_session(path).events == (*EVENTS[:2], Noted("went on"))

    path.write_bytes(path.read_bytes() + b'{"half')
    session, book = journal.resume(path)
    book.close()
    assert session.events == (*EVENTS[:2], Noted("went on"))
    assert (tmp_path / "s.jsonl.damaged").read_bytes() == tail
    assert (tmp_path / "s.jsonl.damaged-2").read_bytes() == b'{"half'
    assert journal.read_session(path).notices == ()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"\x00\xff\x7fELF", "not a session file"),
        (b"name,ph\nacid,1\n", "not a session file"),
        (sealed([{"seq": 0, "event": "session", "format": 2, "program": "9.1"}]), "version 9.1, or a later one"),
        (sealed([{"seq": 0, "event": "session", "format": 1, "table": "T"}]), "header is not complete"),
        (sealed([{"seq": 0, "event": "answered", "test": "ph"}]), "not a session file"),
    ],
)
def test_other_files_are_refused_in_words(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    for door in (journal.read_session, journal.resume):
        with pytest.raises(BadSession, match=words):
            door(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "event",
    [{"event": "teleported"}, {"event": "undone"}, {"event": "note", "text": 3}, {"event": "note", "text": "", "x": 1}],
)
def test_an_undamaged_line_that_is_not_understood_is_not_called_damage(
    tmp_path: Path, event: dict[str, object]
) -> None:
    path = tmp_path / "s.jsonl"
    header = json.loads(written(path, ()))
    del header["crc"]
    content = sealed([header, {"seq": 1, "time": HEADER.time, **event}])
    path.write_bytes(content)
    with pytest.raises(BadSession, match="line 2"):
        journal.resume(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_file_and_a_folder_are_bad_sessions(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.jsonl", tmp_path):
        with pytest.raises(BadSession, match="give the path of a session file"):
            journal.resume(path)


def test_one_sync_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync

    def counted(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_size)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", counted)
    path = tmp_path / "s.jsonl"
    book = journal.create(path, HEADER)
    assert len(synced) == (1 if os.name == "nt" else 2)  # the file, and the folder that names it
    synced.clear()
    for n, event in enumerate(EVENTS, start=1):
        book.append(event)
        assert len(synced) == n
        assert synced[-1] == path.stat().st_size  # the line was in the file when it was synced
    book.close()


def test_a_killed_program_loses_nothing_that_append_has_returned_for(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    written(path, ())
    code = (
        "import os, sys; from pathlib import Path; from diagnoser import journal; from diagnoser.case import Answered\n"
        "book = journal.resume(Path(sys.argv[1]))[1]\n"
        "for n in range(5): book.append(Answered(f't{n}', ('yes',)))\n"
        "os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, path], check=False)
    assert done.returncode == -9
    session, book = journal.resume(path)  # its lock died with it
    book.close()
    assert session.events == tuple(Answered(f"t{n}", ("yes",)) for n in range(5))


@pytest.mark.skipif(journal.fcntl is None, reason="no file locks on this system")
def test_two_programs_on_one_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = journal.create(path, HEADER)
    with pytest.raises(BadSession, match="another program"):
        journal.resume(path)
    code = "import sys; from pathlib import Path; from diagnoser import journal; journal.resume(Path(sys.argv[1]))"
    other = subprocess.run([sys.executable, "-c", code, path], check=False, capture_output=True, text=True)
    assert "another program is writing" in other.stderr
    assert journal.read_session(path).events == ()  # reading needs no lock
    first.append(EVENTS[0])
    first.close()
    session, second = journal.resume(path)
    second.close()
    assert session.events == EVENTS[:1]


def test_a_full_disk_is_said_and_made_up_for_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.jsonl"
    book = journal.create(path, HEADER)
    real = os.write
    book.append(EVENTS[0])
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:20]))
        with pytest.raises(SessionNotSaved, match="the disk is full"):
            book.append(EVENTS[1])
        assert journal.read_session(path).events == EVENTS[:1]

        def refused(descriptor: int, data: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        full.setattr(os, "write", refused)
        with pytest.raises(SessionNotSaved, match="No space left on device"):
            book.append(EVENTS[2])
    assert journal.read_session(path).events == EVENTS[:1]
    book.append(EVENTS[3])
    book.close()
    session = journal.read_session(path)
    assert (session.events, session.notices) == (EVENTS[:4], ())


def test_a_folder_that_cannot_be_written_gives_a_session_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    for path in (tmp_path / "missing" / "s.jsonl", tmp_path / "file" / "s.jsonl"):
        book = journal.create(path, HEADER)
        assert book.path is None
        assert str(path) in book.warning
        assert "in memory only" in book.warning
        book.append(EVENTS[0])
        book.close()
    monkeypatch.setattr(journal, "default_folder", lambda: tmp_path / "file" / "sessions")
    assert "in memory only" in journal.create(None, HEADER).warning


def test_a_disk_that_is_full_at_the_start_gives_a_session_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "write", lambda descriptor, data: 0)
    book = journal.create(tmp_path / "s.jsonl", HEADER)
    assert book.path is None
    assert "the disk is full" in book.warning
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_can_only_be_read_goes_on_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.jsonl"
    written(path)
    real = os.open

    def read_only(name: str | Path, flags: int, *rest: int) -> int:
        if flags & os.O_RDWR:
            raise OSError(errno.EROFS, "Read-only file system")
        return real(name, flags, *rest)

    monkeypatch.setattr(os, "open", read_only)
    session, book = journal.resume(path)
    assert session.events == EVENTS
    assert (book.path, "Read-only file system" in book.warning) == (None, True)
    book.append(EVENTS[0])


def test_an_existing_file_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        journal.create(path, HEADER)
    assert path.read_text() == "mine"


def test_the_users_folder_of_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data" / "sessions"
    monkeypatch.setattr(journal, "default_folder", lambda: folder)
    books = [journal.create(None, HEADER) for _ in range(3)]
    paths = [book.path for book in books]
    assert len(set(paths)) == 3
    assert all(path and path.parent == folder and "spilled-chemicals" in path.name for path in paths)
    for book in books:
        book.close()


def test_what_a_list_of_sessions_says(tmp_path: Path) -> None:
    asked, answered = EVENTS[:2]
    for n, (events, status) in enumerate(
        [
            ((), "open"),
            ((asked,), "open"),
            ((asked, answered), "ended"),
            (EVENTS[:3], "open"),
            ((asked, answered, Confirmed("chlorine")), "confirmed"),
            ((asked, answered, NoneOfThese()), "none_of_these"),
            ((asked, answered, NoneOfThese(), Undone(), EVENTS[2], Named("pump")), "open"),
        ]
    ):
        path = tmp_path / f"{n}.jsonl"
        written(path, events)
        session = journal.read_session(path)
        assert session.status == status
        assert session.last_answer == (answered if answered in events else None)
        assert session.name == ("pump" if n == 6 else "")
