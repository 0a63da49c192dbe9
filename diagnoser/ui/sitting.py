"""One sitting at a case: every event goes to disk first, then into the state."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from diagnoser.case import Event, Proposed
from diagnoser.errors import SessionNotSaved
from diagnoser.ui.opening import Opened

if TYPE_CHECKING:
    from diagnoser.advise import RankedTest


class Sitting:
    """The case as it stands now, and the journal behind it."""

    def __init__(self, opened: Opened) -> None:
        self.kb, self.case = opened.kb, opened.case
        self._journal = opened.journal
        self.path = opened.journal.path
        self.unsaved = opened.journal.warning
        """Why the session is not on disk; empty where it is."""
        self.version = 0
        """Counts changes of the state; advice is for one version."""

    def change(self, event: Event) -> None:
        """Put a change of the state on disk and make it. Raises UsageError if it cannot happen here."""
        self._record(event)
        self.version += 1

    def propose(self, proposal: RankedTest | None) -> None:
        """Record a question, once for as long as it is the one asked."""
        before, policy = self.case.proposed, self.case.state.settings.policy
        if proposal is None or self.case.state.closed:
            return
        if before is None or (before.test, before.policy) != (proposal.test, policy):
            self._record(Proposed(proposal.test, proposal.score, policy))

    def leave(self) -> str:
        """Close the session's file. Returns where the case is saved, in a line for the terminal."""
        self._journal.close()
        if self.path is None or self.unsaved:
            return f"the case is not saved: {self.unsaved}"
        return f"the case is saved; to go on: diagnoser run --resume {shlex.quote(str(self.path))}"

    def _record(self, event: Event) -> None:
        case = self.case.with_event(event)  # refuses what cannot happen before it is written
        try:
            self._journal.append(event)
        except SessionNotSaved as error:
            self.unsaved = str(error)
        else:
            self.unsaved = self._journal.warning
        self.case = case
