"""Work beside the main thread: what it returns and raises, and what becomes of it at an interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from threading import Event

import pytest

from diagnoser.cli.apart import apart
from diagnoser.errors import UsageError


def test_what_the_work_returns_or_raises_comes_back() -> None:
    def refuse(_: Event) -> None:
        raise UsageError("no such name")

    assert apart(lambda _: 7) == 7
    with pytest.raises(UsageError, match="no such name"):
        apart(refuse)


@pytest.mark.skipif(os.name == "nt", reason="signals are others there")
def test_an_interrupt_tells_the_work_and_waits_for_it() -> None:
    ended = []

    def work(stopped: Event) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        if stopped.wait(60):
            ended.append("by itself")

    with pytest.raises(KeyboardInterrupt):
        apart(work, patience=60)
    assert ended == ["by itself"]


@pytest.mark.skipif(os.name == "nt", reason="signals are others there")
def test_work_that_does_not_end_is_left_behind_and_what_is_printed_stays() -> None:
    program = """
        import os, signal
        from threading import Event
        from diagnoser.cli.apart import apart, leave
        def work(stopped):
            os.kill(os.getpid(), signal.SIGINT)
            Event().wait()
        try:
            apart(work, patience=0.01)
        except KeyboardInterrupt:
            print("what was done", end="")
            leave(130)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "what was done", "")
