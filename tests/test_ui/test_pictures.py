"""Pictures of the screens at 80 by 24, to look at and to notice changes by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from diagnoser.case import Answered
from diagnoser.ui import app
from diagnoser.ui.app import DiagnoserApp

from .conftest import at_rest, make_app, press
from .table import SPILLS, SlowAdviser, many_outcomes

Compare = Callable[..., bool]


def keys(*pressed: str) -> Callable[[Pilot[Any]], Any]:
    """Press them, each when the screen is ready."""

    async def run(pilot: Pilot[Any]) -> None:
        await press(pilot, *pressed)
        await at_rest(pilot)

    return run


def test_start(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose a table; below, what the highlighted one covers and its disclaimer."""
    tables = {"spills": SPILLS, "shades": many_outcomes(3)}
    monkeypatch.setattr(app, "shipped_tables", lambda: {name: Path(name) for name in tables})
    monkeypatch.setattr(app, "open_table", lambda path: tables[path.name])
    monkeypatch.setattr("diagnoser.ui.start.__version__", "1.0")

    async def listed(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    assert snap_compare(DiagnoserApp(None, SlowAdviser), terminal_size=(80, 24), run_before=listed)


def test_case_open(snap_compare: Compare) -> None:
    """One answer given, one "could not tell"; the third question stands."""
    assert snap_compare(make_app(), terminal_size=(80, 24), run_before=keys("u", "1"))


def test_why(snap_compare: Compare) -> None:
    """How the question splits what is left, what it can tell, and what the policy promises."""
    assert snap_compare(make_app(), terminal_size=(80, 24), run_before=keys("w"))


def test_identified(snap_compare: Compare) -> None:
    """One candidate is left: names, what to do, and the rule that stopped the case."""
    assert snap_compare(make_app(), terminal_size=(80, 24), run_before=keys("1", "2"))


def test_contradiction(snap_compare: Compare) -> None:
    """No candidate is left: every answer can be given again."""
    answers = [Answered("state", ("gas",)), Answered("burns", ("no",)), Answered("ph", ("neutral",))]
    assert snap_compare(make_app(events=answers), terminal_size=(80, 24), run_before=keys())
