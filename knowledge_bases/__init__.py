"""The tables that ship with Diagnoser: one folder each."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def shipped() -> dict[str, Path]:
    """Folder of each shipped table by name, sorted."""
    return {path.parent.name: path.parent for path in sorted(FOLDER.glob("*/kb.toml"))}
