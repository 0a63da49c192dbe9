"""One sitting at a case: every event goes to disk first, then into the state."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from diagnoser.case import Answered, Event, Proposed
from diagnoser.errors import SessionNotSaved
from diagnoser.ui.opening import Opened

if TYPE_CHECKING:
    from diagnoser.advise import RankedTest


class Sitting:
    """The case as it stands now, and the journal behind it. What is pending is recorded first."""

    def __init__(self, opened: Opened) -> None:
        self.kb, self.case = opened.kb, opened.case
        self._journal = opened.journal
        self.path = opened.journal.path
        self.unsaved = opened.journal.warning
        """Why the session is not on disk; empty where it is."""
        self._worth_keeping = opened.resumed
        """There is more in the file than questions."""
        self._refused: list[Event] = []
        """What the disk would not take so far."""
        self.version = 0
        """Counts changes of the state; advice is for one version."""
        for event in opened.pending:
            self.change(event)

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
        """Close the session's file, which tries once more to save. Returns a line for the terminal on what is saved.

        A new session without an answer or another change is not kept.
        """
        if not self._worth_keeping:
            self._journal.discard()
            return "nothing was answered; no session is kept"
        missing = self._journal.close()
        if self.path is None:
            return f"the case is not saved: {self.unsaved}"
        lost = [event for event in self._refused if missing and not isinstance(event, Proposed)]
        go_on = f"diagnoser run --resume {shlex.quote(str(self.path))}"
        if not lost:
            return f"the case is saved; to go on: {go_on}"
        what = "answer" if all(isinstance(event, Answered) for event in lost) else "change"
        count = f"last {what} is" if len(lost) == 1 else f"last {len(lost)} {what}s are"
        return f"the {count} not saved; to go on from the rest: {go_on}"

    def _record(self, event: Event) -> None:
        case = self.case.with_event(event)  # refuses what cannot happen before it is written
        self._worth_keeping = self._worth_keeping or not isinstance(event, Proposed)
        try:
            self._journal.append(event)
        except SessionNotSaved as error:
            self.unsaved = str(error)
            self._refused.append(event)
        else:
            self.unsaved = self._journal.warning
            self._refused.clear()
        self.case = case
