"""`diagnoser sessions`: the cases kept on this machine."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from diagnoser.case import Answered
from diagnoser.cli.options import JsonOption
from diagnoser.cli.output import say, write_json, write_table
from diagnoser.errors import BadSession
from diagnoser.text import span

if TYPE_CHECKING:
    from diagnoser.session import Session


def sessions(as_json: JsonOption = False) -> None:
    """List the saved sessions, the latest first."""
    from diagnoser.journal import default_folder
    from diagnoser.saved import saved_sessions

    folder = default_folder()
    found = saved_sessions(folder)
    if as_json:
        write_json([_as_json(path, session) for path, session in found])
        return
    if not found:
        say(f"no sessions in {folder}")
        return
    say(f"sessions in {folder}")
    say("to go on with one: diagnoser run --resume FILE")
    headings = ("age", "status", "name", "last answer", "file")
    write_table(headings, (_row(path, session) for path, session in found), {"age"}, whole="file")


def find_session(file: Path) -> Path:
    """The file itself, or the one of this name among the saved sessions where there is none here."""
    if file.name != str(file) or file.exists():
        return file
    from diagnoser.journal import default_folder

    saved = default_folder() / file
    return saved if saved.exists() else file


def answer_words(answer: Answered) -> str:
    """An answer by its ids: "colour=red|brown", "ph=?", "density=2.5 to 4"."""
    if answer.reading is not None:
        return f"{answer.test}={span(answer.reading.low, answer.reading.high)}"
    return f"{answer.test}={'|'.join(answer.outcomes) or '?'}"


def _row(path: Path, session: Session | BadSession) -> tuple[str, ...]:
    if isinstance(session, BadSession):
        return ("", "unreadable", "", session.problem, path.name)
    answer = session.last_answer
    words = answer_words(answer) if answer else ""
    return (_age(session), session.status.replace("_", " "), session.name, words, path.name)


def _as_json(path: Path, session: Session | BadSession) -> dict[str, object]:
    if isinstance(session, BadSession):
        return {"file": str(path), "status": "unreadable", "problem": str(session)}
    return {
        "file": str(path),
        "name": session.name,
        "table": session.header.table,
        "last_answer": answer_words(session.last_answer) if session.last_answer else None,
        "status": session.status,
        "last_change": session.last_change,
    }


def _age(session: Session) -> str:
    seconds = max(0.0, (datetime.now(UTC) - datetime.fromisoformat(session.last_change)).total_seconds())
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
