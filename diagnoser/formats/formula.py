"""Cells that a spreadsheet would take for a formula: a quote in front of them, which our readers take off again."""

from __future__ import annotations

import re

_SIGNS = ("=", "+", "-", "@")
_HARMLESS = re.compile(r"-|-\d+(\.\d+)?(e[+-]?\d+)?", re.ASCII)
_SHOWN = re.compile(r'="([^"]*)"')
_GUARDED = re.compile(r"'+[=+\-@]")


def guarded(text: str) -> str:
    """The text of a cell that begins no formula. A minus alone and a negative number are none and stay as they are."""
    formula = text.startswith(_SIGNS) and not _HARMLESS.fullmatch(text)
    return f"'{text}" if formula or _GUARDED.match(text) else text


def unguarded(text: str) -> str:
    """What `guarded` was given. A formula that is nothing but a text, as `="007"`, is that text."""
    shown = _SHOWN.fullmatch(text)
    if shown:
        return shown[1].strip()
    return text[1:] if _GUARDED.match(text) else text
