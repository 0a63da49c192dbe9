"""A case: what was seen, as a list of events. No clock, no file, no table.

The state is a fold over the events. Undo and redo are events too, so nothing is ever taken out of the list:

    case = Case.new(Settings(policy="gain", stop="unique"))
    case = case.with_event(Answered(test="ph", outcomes=("acid",)))
    case = case.with_event(Undone())
    case.state.answers    # ()
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, assert_never, get_args

from diagnoser.errors import UsageError

ErrorMode = Literal["strict", "tolerance", "reliability"]
ERROR_MODES: tuple[ErrorMode, ...] = get_args(ErrorMode)


@dataclass(frozen=True, slots=True)
class Reading:
    """A number or a range read off an instrument, in the test's unit."""

    low: float
    high: float
    plus_minus: float = 0.0


@dataclass(frozen=True, slots=True)
class Proposed:
    """The program asked this test."""

    test: str
    score: float
    policy: str
    event: Literal["proposed"] = "proposed"


@dataclass(frozen=True, slots=True)
class Answered:
    """The operator's answer: one or several outcome ids, none for "could not tell". Answering again edits."""

    test: str
    outcomes: tuple[str, ...] = ()
    reading: Reading | None = None
    exact: bool = False
    """Never tolerated as an error."""
    event: Literal["answered"] = "answered"

    @property
    def unknown(self) -> bool:
        """The operator could not tell."""
        return not self.outcomes and self.reading is None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """An answer taken back; the test may be asked again."""

    test: str
    event: Literal["withdrawn"] = "withdrawn"


@dataclass(frozen=True, slots=True)
class Undone:
    """The last change taken back."""

    event: Literal["undone"] = "undone"


@dataclass(frozen=True, slots=True)
class Redone:
    """The last undo taken back."""

    event: Literal["redone"] = "redone"


@dataclass(frozen=True, slots=True)
class Excluded:
    """A hypothesis ruled out by the operator."""

    hypothesis: str
    event: Literal["excluded"] = "excluded"


@dataclass(frozen=True, slots=True)
class Restored:
    """A hypothesis ruled out before is possible again."""

    hypothesis: str
    event: Literal["restored"] = "restored"


@dataclass(frozen=True, slots=True)
class PolicyChosen:
    """Another policy from here on."""

    policy: str
    event: Literal["policy"] = "policy"


@dataclass(frozen=True, slots=True)
class StopChosen:
    """Another stopping rule from here on."""

    stop: str
    event: Literal["stop"] = "stop"


@dataclass(frozen=True, slots=True)
class ErrorsChosen:
    """Another way to treat wrong answers from here on."""

    mode: ErrorMode
    tolerance: int = 0
    event: Literal["errors"] = "errors"


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The operator knows it is this one."""

    hypothesis: str
    event: Literal["confirmed"] = "confirmed"


@dataclass(frozen=True, slots=True)
class NoneOfThese:
    """The operator knows that it is none of the table's hypotheses."""

    event: Literal["none_of_these"] = "none_of_these"


@dataclass(frozen=True, slots=True)
class Noted:
    """A remark."""

    text: str
    event: Literal["note"] = "note"


@dataclass(frozen=True, slots=True)
class Named:
    """The case got a name."""

    name: str
    event: Literal["named"] = "named"


Change: TypeAlias = (
    Answered | Withdrawn | Excluded | Restored | PolicyChosen | StopChosen | ErrorsChosen | Confirmed | NoneOfThese
)
"""What undo takes back."""

Event: TypeAlias = Change | Undone | Redone | Proposed | Noted | Named


@dataclass(frozen=True, slots=True)
class Settings:
    """How tests are chosen, when the case ends, and how wrong answers are treated."""

    policy: str
    stop: str
    errors: ErrorMode = "strict"
    tolerance: int = 0


def checked_settings(policy: str, stop: str, errors: str = "strict", tolerance: int = 0) -> Settings:
    """Settings from words a user wrote; a tolerance alone means that errors are tolerated. Raises UsageError."""
    mode = next((mode for mode in ERROR_MODES if mode == errors), None)
    if mode is None or tolerance < 0:
        raise UsageError(f"errors are treated as {', '.join(ERROR_MODES)}, with a tolerance of 0 or more")
    if tolerance > 0 and mode == "reliability":
        raise UsageError("under reliability nobody is ruled out; leave the tolerance out")
    if tolerance == 0 and mode == "tolerance":
        raise UsageError("say how many answers may be wrong, for example a tolerance of 1")
    return Settings(policy, stop, "tolerance" if tolerance else mode, tolerance)


@dataclass(frozen=True, slots=True)
class State:
    """What the events so far amount to."""

    settings: Settings
    answers: tuple[Answered, ...] = ()
    """In the order first given; an edited answer keeps its place."""
    excluded: tuple[str, ...] = ()
    confirmed: str | None = None
    none_of_these: bool = False

    def answer_to(self, test: str) -> Answered | None:
        """The standing answer to a test, or None."""
        return next((answer for answer in self.answers if answer.test == test), None)

    @property
    def closed(self) -> bool:
        """The operator has named the end."""
        return self.none_of_these or self.confirmed is not None


_Trail: TypeAlias = "tuple[State, _Trail] | None"


@dataclass(frozen=True, slots=True)
class Case:
    """A state with the way back and forth from it. Every change makes a new value."""

    state: State
    proposed: Proposed | None = None
    """The last proposal, answered or not."""
    name: str = ""
    notes: tuple[str, ...] = ()
    _past: _Trail = field(default=None, repr=False)
    _future: _Trail = field(default=None, repr=False)

    @classmethod
    def new(cls, settings: Settings, events: Iterable[Event] = ()) -> Case:
        """A case after these events. Raises UsageError at the first that cannot happen."""
        case = cls(State(settings))
        for event in events:
            case = case.with_event(event)
        return case

    @property
    def can_undo(self) -> bool:
        """There is a change to take back."""
        return self._past is not None

    @property
    def can_redo(self) -> bool:
        """There is an undo to take back."""
        return self._future is not None

    def with_event(self, event: Event) -> Case:
        """The case after one more event. Raises UsageError if it cannot happen here."""
        match event:
            case Proposed():
                return replace(self, proposed=event)
            case Noted(text):
                return replace(self, notes=(*self.notes, text))
            case Named(name):
                return replace(self, name=name)
            case Undone():
                if self._past is None:
                    raise UsageError("nothing to undo")
                state, past = self._past
                return replace(self, state=state, _past=past, _future=(self.state, self._future))
            case Redone():
                if self._future is None:
                    raise UsageError("nothing to redo")
                state, future = self._future
                return replace(self, state=state, _past=(self.state, self._past), _future=future)
        return replace(self, state=_change(self.state, event), _past=(self.state, self._past), _future=None)


def _change(state: State, event: Change) -> State:
    match event:
        case Answered(test):
            if state.answer_to(test) is None:
                return replace(state, answers=(*state.answers, event))
            return replace(state, answers=tuple(event if a.test == test else a for a in state.answers))
        case Withdrawn(test):
            if state.answer_to(test) is None:
                raise UsageError(f'test "{test}" has no answer to withdraw')
            return replace(state, answers=tuple(a for a in state.answers if a.test != test))
        case Excluded(hypothesis):
            if hypothesis in state.excluded:
                raise UsageError(f'"{hypothesis}" is ruled out already')
            return replace(state, excluded=(*state.excluded, hypothesis))
        case Restored(hypothesis):
            if hypothesis not in state.excluded:
                raise UsageError(f'"{hypothesis}" is not ruled out')
            return replace(state, excluded=tuple(h for h in state.excluded if h != hypothesis))
        case PolicyChosen(policy):
            return replace(state, settings=replace(state.settings, policy=policy))
        case StopChosen(stop):
            return replace(state, settings=replace(state.settings, stop=stop))
        case ErrorsChosen(mode, tolerance):
            return replace(state, settings=replace(state.settings, errors=mode, tolerance=tolerance))
        case Confirmed(hypothesis):
            return replace(state, confirmed=hypothesis, none_of_these=False)
        case NoneOfThese():
            return replace(state, confirmed=None, none_of_these=True)
    assert_never(event)
