"""Writing sessions: going on after damage, locks, and disks that refuse."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from diagnoser import journal
from diagnoser.case import (
    Answered,
    Noted,
)
from diagnoser.errors import BadSession, SessionNotSaved, UsageError
from diagnoser.session import read_session
from tests.sessions import EVENTS, HEADER, written


def test_resume_keeps_what_follows_the_damage_aside(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = written(path).splitlines(keepends=True)
    lines[3] = lines[3].replace(b"colour", b"odour!")
    tail = b"".join(lines[3:])
    path.write_bytes(b"".join(lines))
    assert read_session(path).events == EVENTS[:2]
    assert path.read_bytes() == b"".join(lines)  # reading changes nothing

    session, book = journal.resume(path)
    assert session.events == EVENTS[:2]
    assert "s.jsonl.damaged" in session.notices[-1]
    assert (tmp_path / "s.jsonl.damaged").read_bytes() == tail
    book.append(Noted("went on"))
    book.close()
    assert read_session(path).events == (*EVENTS[:2], Noted("went on"))

    path.write_bytes(path.read_bytes() + b'{"half')
    session, book = journal.resume(path)
    book.close()
    assert session.events == (*EVENTS[:2], Noted("went on"))
    assert (tmp_path / "s.jsonl.damaged").read_bytes() == tail
    assert (tmp_path / "s.jsonl.damaged-2").read_bytes() == b'{"half'
    assert read_session(path).notices == ()


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
    assert read_session(path).events == ()  # reading needs no lock
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
        assert read_session(path).events == EVENTS[:1]

        def refused(descriptor: int, data: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        full.setattr(os, "write", refused)
        with pytest.raises(SessionNotSaved, match="No space left on device"):
            book.append(EVENTS[2])
    assert read_session(path).events == EVENTS[:1]
    book.append(EVENTS[3])
    book.close()
    session = read_session(path)
    assert (session.events, session.notices) == (EVENTS[:4], ())


def test_closing_tries_once_more_and_counts_what_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    for name, recovers in (("a", True), ("b", False)):
        path = tmp_path / name
        book = journal.create(path, HEADER)
        book.append(EVENTS[0])
        with monkeypatch.context() as full:
            full.setattr(os, "write", refused)
            for event in EVENTS[1:3]:
                with pytest.raises(SessionNotSaved):
                    book.append(event)
            assert book.unsaved == 2
            if not recovers:
                assert (book.close(), book.close()) == (2, 2)
        if recovers:
            assert book.close() == 0
        assert read_session(path).events == EVENTS[: 3 if recovers else 1]


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
        assert book.close() == 1
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
    with pytest.raises(UsageError, match=r"exists already$"):
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


def test_a_discarded_session_leaves_no_file(tmp_path: Path) -> None:
    book = journal.create(tmp_path / "s.jsonl", HEADER)
    book.append(EVENTS[0])
    book.discard()
    assert list(tmp_path.iterdir()) == []
