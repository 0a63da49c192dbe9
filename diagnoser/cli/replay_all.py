"""`diagnoser replay --all`: a folder of sessions as a table, beside other policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from diagnoser.cli.output import progress_of, say, write, write_csv, write_json, write_table
from diagnoser.errors import UsageError
from diagnoser.text import counted

if TYPE_CHECKING:
    from diagnoser.replays import Rerun, Summary


def replay_all(folder: Path, policies: Sequence[str], jobs: int | None, *, as_json: bool, as_csv: bool) -> None:
    """Print the table and exit with 1 where a session differs or cannot be run again. Raises UsageError."""
    from diagnoser.replays import rerun_all, summaries, usual_jobs

    if as_json and as_csv:
        raise UsageError("--csv and --json are two forms of the same figures; give one")
    paths = sorted(folder.glob("*.jsonl"))
    if not paths:
        raise UsageError(f"there is no session file (*.jsonl) in {folder}")
    with progress_of("sessions", len(paths)) as done:
        found = rerun_all(paths, policies, jobs or usual_jobs(), done)
    own = [each[0] for each in found]
    agreeing = sum(_agrees(one) for one in own)
    if as_json:
        whole = {
            "sessions": len(own),
            "agreeing_sessions": agreeing,
            "policies": [asdict(one) for one in summaries(found, policies)],
            "runs": [asdict(one) for each in found for one in each],
        }
        write_json(whole)
    elif as_csv:
        write_csv([asdict(one) for each in found for one in each])
    else:
        _write_words(own, agreeing, summaries(found, policies))
    for one in own:
        if not _agrees(one):
            say(f"{one.file}: {one.first_difference or one.problem}")
    for problem in dict.fromkeys(one.problem for each in found for one in each[1:] if one.problem):
        say(f"without a figure: {problem}")
    if agreeing < len(own):
        raise typer.Exit(1)


def _agrees(one: Rerun) -> bool:
    return one.first_difference is None and not one.problem


def _write_words(own: Sequence[Rerun], agreeing: int, table: Sequence[Summary]) -> None:
    write(f"{counted(len(own), 'session')}, {agreeing:,} agree")
    asked, same = (sum(getattr(one, name) or 0 for one in own) for name in ("proposals", "agreeing"))
    write(f"{counted(asked, 'recorded question')}, {same:,} would be asked again with the same score")
    write(f"means over the {counted(table[0].sessions, 'session')} with a figure in every row:")
    rows = (
        (
            one.policy or "as recorded",
            "" if one.tests is None else f"{one.tests:.3f}",
            "" if one.cost is None else f"{one.cost:.3f}",
        )
        for one in table
    )
    write_table(("policy", "tests", "cost"), rows, {"tests", "cost"})
