"""What is worked out away from the screen, and the messages that bring it back. Nothing here touches a widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from diagnoser.case import State
from diagnoser.errors import DiagnoserError
from diagnoser.kb import KnowledgeBase
from diagnoser.ui.opening import Opened
from diagnoser.ui.request import CaseRequest

if TYPE_CHECKING:
    from diagnoser.advise import Advice


class Advises(Protocol):
    """What the screen needs of an adviser."""

    notice: str
    """Why every start takes long; empty where it does not."""

    def advise(self, state: State) -> Advice:
        """Who is left, and what to ask next."""
        ...

    def cost_left(self, state: State) -> tuple[float, float] | None:
        """Expected and worst cost still to come; None where it takes too long to work out."""
        ...


@dataclass
class TableRead(Message):
    """The table is read and the session open."""

    opened: Opened


@dataclass
class Broken(Message):
    """A worker raised what it must never raise."""

    error: BaseException | None


@dataclass
class OpeningFailed(Message):
    """The table or the session cannot be opened."""

    error: DiagnoserError


@dataclass
class AdviserReady(Message):
    """Kernels are loaded."""

    adviser: Advises


@dataclass
class AdviceReady(Message):
    """Advice for one version of the case."""

    version: int
    advice: Advice
    would_help: tuple[str, ...] = ()
    """Tests answered "could not tell" that would tell the rest apart, where no other test does."""


@dataclass
class CostReady(Message):
    """The cost still to come for one version of the case."""

    version: int
    cost: tuple[float, float] | None


@dataclass
class AdviceFailed(Message):
    """The case does not fit the table."""

    version: int
    error: DiagnoserError


def prepare(
    request: CaseRequest,
    opener: Callable[[CaseRequest], Opened],
    adviser_factory: Callable[[KnowledgeBase], Advises],
    post: Callable[[Message], object],
) -> None:
    """Read the table and open the session, then load the adviser."""
    try:
        opened = opener(request)
        post(TableRead(opened))
        post(AdviserReady(adviser_factory(opened.kb)))
    except DiagnoserError as error:
        post(OpeningFailed(error))


def think(
    adviser: Advises, version: int, state: State, post: Callable[[Message], object], stale: Callable[[], bool]
) -> None:
    """Work out what to ask; then, for it may take longer, what the case may still cost."""
    if stale():
        return
    try:
        advice = adviser.advise(state)
        post(AdviceReady(version, advice, _would_help(adviser, state) if advice.status == "inseparable" else ()))
        if advice.status == "open" and not stale():
            post(CostReady(version, adviser.cost_left(state)))
    except DiagnoserError as error:
        post(AdviceFailed(version, error))


def _would_help(adviser: Advises, state: State) -> tuple[str, ...]:
    """The tests that could not be told and that would be worth asking had they not been answered so."""
    found = []
    for skipped in (answer for answer in state.answers if answer.unknown):
        without = replace(state, answers=tuple(answer for answer in state.answers if answer is not skipped))
        if any(ranked.test == skipped.test for ranked in adviser.advise(without).tests):
            found.append(skipped.test)
    return tuple(found)
