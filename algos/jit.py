"""The one decorator that compiles a kernel, and the folder its machine code is kept in.

numba keeps a cached kernel even when a helper in another file has changed, so the folder's name carries a hash of
all sources of this package. Where no folder can be written kernels are compiled anew by each process, and
`cache_notice` says so.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import platformdirs
from numba.core import config

_Function = TypeVar("_Function", bound=Callable[..., Any])

cache_notice: str | None = None
"""Why compiled kernels are not kept between runs; None when they are."""


def _source_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _cache_folder() -> Path | None:
    asked = os.environ.get("NUMBA_CACHE_DIR")
    roots = [Path(asked)] if asked else []
    roots.append(Path(platformdirs.user_cache_dir("diagnoser")))
    name = _source_hash()
    for root in roots:
        if _writable(root / name):
            return root / name
    return None


_folder = _cache_folder()
if _folder is None:
    cache_notice = (
        "no folder can be written to keep what the first question needs: every start takes some seconds longer"
    )
else:
    config.CACHE_DIR = str(_folder)  # type: ignore[attr-defined]  # numba sets its options at import


def kernel(function: _Function) -> _Function:
    """Compile on first call, keep the machine code, release the interpreter lock while running."""
    compiled: Any = numba.njit(cache=_folder is not None, nogil=True, error_model="numpy")(function)
    return cast("_Function", compiled)
