"""Bytes of files that the user names."""

from __future__ import annotations

from pathlib import Path

from diagnoser.errors import BadFile, BadTable

LARGEST = 500_000_000
"""Bytes of a file that is read."""


def read_bytes(path: Path, kind: type[BadFile] = BadTable) -> bytes:
    """What a file holds. Raises `kind` where it cannot be read or is too large."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():  # a pipe would be waited for
            raise kind(path, "this is no regular file", "save the text in a file first")
        if path.stat().st_size > LARGEST:
            raise kind(path, f"the file has more than {LARGEST:,} bytes", "split it or leave columns out")
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise kind(path, f"cannot be read ({reason})", "check the path and its permissions") from None
