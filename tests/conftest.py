"""Where the shared material lies, what it says of published cases, and folders of its own for every test run."""

from __future__ import annotations

import getpass
import json
import os
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2] / "shared"

WISER = {
    "odtn-r": (4575 / 544, 10, 719),
    "odtn-h": (39917 / 4080, 15, 597),
    "non-adaptive": (11.392760, 25, None),
    "low-adaptive": (9.811633, 21, None),
    "gain": (8.294118, 11, 639),
    "information-gain": (8.384375, 12, 735),
}
"""Expected cost, worst cost and size of the tree of each policy on the table of the paper, derived apart from this
code; None where only the costs are known."""

# Kernels compiled by the tests stay out of the user's cache; a folder given by hand is kept.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"diagnoser-tests-{getpass.getuser()}"))

# A run started in the background of a shell ignores Ctrl-C, and so would the programs that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def golden(name: str) -> list[Any]:
    """One parameter per golden case, or a single skipped one where the file is absent."""
    path = SHARED / "golden" / name
    if not path.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"{name} is not beside the repository"))]
    return [pytest.param(case, id=case["name"]) for case in json.loads(path.read_text("utf-8"))["cases"]]


WITHOUT_COMPILER = os.environ.get("NUMBA_DISABLE_JIT") == "1"
TOO_SLOW = "takes minutes with the compiler off; make check runs it compiled"
needs_compiler = pytest.mark.skipif(WITHOUT_COMPILER, reason=TOO_SLOW)


def examples(compiled: int) -> int:
    """How many random tables a test of kernels draws: a quarter with the compiler off."""
    return compiled // 4 if WITHOUT_COMPILER else compiled
