"""Work in a thread of its own: an interrupt strikes the main one, and inside a compiled kernel it would crash it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import NoReturn, TypeVar

_Result = TypeVar("_Result")

STACK = 64 * 2**20
"""Bytes; some systems give a thread far less than the main one has."""

_left_behind: list[threading.Thread] = []


def apart(work: Callable[[threading.Event], _Result], patience: float = 0.0) -> _Result:
    """What the work returns or raises. On Ctrl-C its event is set; it has that many seconds to end by itself.

    Raises KeyboardInterrupt then. Work that has not ended goes on until `leave`; a second Ctrl-C does not wait for it.
    """
    interrupted, outcome = threading.Event(), Future[_Result]()

    def run() -> None:
        try:
            outcome.set_result(work(interrupted))
        except BaseException as error:  # it is raised in the main thread
            outcome.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    _left_behind.append(thread)
    before = threading.stack_size(STACK)
    try:
        thread.start()
        return outcome.result()
    except KeyboardInterrupt:
        interrupted.set()
        with suppress(TimeoutError):
            outcome.exception(patience)
        raise
    finally:
        threading.stack_size(before)


def leave(code: int) -> NoReturn:
    """End the program, also where work goes on that was interrupted: it may be in the middle of a kernel."""
    if any(thread.is_alive() for thread in _left_behind):
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        os._exit(code)
    sys.exit(code)
