"""Where the shared material lies, and folders of its own for every test run."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

SHARED = Path(__file__).parents[2] / "shared"

# Kernels compiled by the tests stay out of the user's cache; a folder given by hand is kept.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"diagnoser-tests-{os.getuid()}"))
