"""Session files: round trips, damage of every kind, and the format read by other means."""

from __future__ import annotations

import json
import math
import os
import zlib
from dataclasses import asdict
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
from diagnoser.errors import BadSession, UsageError
from diagnoser.session import read_session, seal
from tests.sessions import EVENTS, HEADER, written


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
    session = read_session(path)
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
    session = read_session(path)
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
                    read_session(path)
            else:
                session = read_session(path)
                assert session.events == EVENTS[: line - 1]
                assert len(session.notices) == 1


def test_every_cut_leaves_the_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    good = written(path)
    for length in range(good.index(b"\n") + 1, len(good)):
        path.write_bytes(good[:length])
        session = read_session(path)
        assert session.events == EVENTS[: good.count(b"\n", 0, length) - 1]
        assert bool(session.notices) == (not good[:length].endswith(b"\n"))


@pytest.mark.parametrize("order", [[0, 2, 1, 3], [0, 1, 1, 2, 3], [0, 2, 3]])
def test_lines_swapped_doubled_or_lost_are_noticed(tmp_path: Path, order: list[int]) -> None:
    path = tmp_path / "s.jsonl"
    lines = written(path).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[n] for n in order))
    session = read_session(path)
    in_order = next(n for n, line in enumerate(order) if line != n)
    assert session.events == EVENTS[: in_order - 1]
    assert f"line {in_order + 1} is damaged" in session.notices[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"\x00\xff\x7fELF", "not a session file"),
        (b"name,ph\nacid,1\n", "not a session file"),
        (sealed([{"seq": 0, "event": "session", "format": 2, "program": "9.1"}]), "version 9.1, or a later one"),
        (sealed([{"seq": 0, "event": "session", "format": 1, "table": "T"}]), "header is not complete"),
        (sealed([{"seq": 0, "event": "answered", "test": "ph"}]), "not a session file"),
        (sealed([{"seq": 0, "event": "session", "format": 1, **asdict(HEADER), "time": ""}]), "header is not complete"),
        (
            sealed([{"seq": 0, "event": "session", "format": 1, **asdict(HEADER), "time": "2025-01-01T12:00:00"}]),
            "header is not complete",
        ),
    ],
)
def test_other_files_are_refused_in_words(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    for door in (read_session, journal.resume):
        with pytest.raises(BadSession, match=words):
            door(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "event",
    [
        {"event": "teleported"},
        {"event": "undone"},
        {"event": "note", "text": 3},
        {"event": "note", "text": "", "x": 1},
        {"event": "note", "text": "", "time": "yesterday"},
        {"event": "note", "text": "", "time": "2025-01-01T12:00:00"},
        {"event": "note", "text": "", "time": None},
    ],
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
        session = read_session(path)
        assert session.status == status
        assert session.last_answer == (answered if answered in events else None)
        assert session.name == ("pump" if n == 6 else "")


DEEP: object = []
for _ in range(400):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "event",
    [
        {"event": "proposed", "test": "ph", "score": "NaN", "policy": "gain"},
        {"event": "proposed", "test": "ph", "score": "Infinity", "policy": "gain"},
        {"event": "answered", "test": "ph", "reading": {"low": "nan", "high": 3}},
        {"event": "answered", "test": "ph", "reading": {"low": 3, "high": "NaN"}},
        {"event": "answered", "test": "ph", "reading": {"low": 3, "high": 3, "plus_minus": "Infinity"}},
        {"event": "answered", "test": "ph", "reading": {"low": 3, "high": 3, "plus_minus": -1}},
        {"event": "errors", "mode": "tolerance", "tolerance": -1},
        {"event": "note", "text": DEEP},
    ],
)
def test_values_that_no_program_writes_are_refused(tmp_path: Path, event: dict[str, object]) -> None:
    path = tmp_path / "s.jsonl"
    header = json.loads(written(path, ()))
    del header["crc"]
    path.write_bytes(sealed([header, {"seq": 1, "time": HEADER.time, **event}]))
    with pytest.raises(BadSession, match="line 2"):
        read_session(path)


@pytest.mark.parametrize("change", [{"settings": {**asdict(HEADER.settings), "tolerance": -1}}, {"prior_column": -1}])
def test_a_header_with_numbers_below_zero_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(sealed([{"seq": 0, "event": "session", "format": 1, **asdict(HEADER), **change}]))
    with pytest.raises(BadSession, match="header is not complete"):
        read_session(path)


def test_json_nested_without_end_is_no_session(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    body = b'{"seq":0,"event":"session","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    path.write_bytes(seal(body, b"")[0])
    with pytest.raises(BadSession, match="not a session file"):
        read_session(path)
    path.unlink()
    good = written(path, ())
    body = b'{"seq":1,"event":"note","text":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    content = good + seal(body, good[-11:-3])[0]
    path.write_bytes(content)
    for door in (read_session, journal.resume):
        with pytest.raises(BadSession, match="line 2"):
            door(path)
    assert path.read_bytes() == content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for door in (read_session, journal.resume):
        with pytest.raises(BadSession, match="no regular file"):
            door(tmp_path / "pipe.jsonl")
