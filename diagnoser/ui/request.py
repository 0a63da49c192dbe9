"""What the command line asks of the app."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CaseRequest:
    """The table to open and the settings that go before the table's own."""

    source: str | None
    """A path or the name of a shipped table; None for the table that `resume` names."""
    policy: str | None = None
    stop: str | None = None
    session: Path | None = None
    """Where to write the session; None for the user's folder of sessions."""
    resume: Path | None = None
    """A session to go on with."""
    prior: Path | None = None
    prior_column: int = 0
    errors: str = "strict"
    """How wrong answers are treated."""
    tolerance: int = 0
    """How many answers may be wrong."""
