"""Text from files made safe to show: it is data, never a command to the terminal."""

from __future__ import annotations

import unicodedata

# Besides the control and surrogate categories: line and paragraph separators, and the
# characters that turn the direction of what follows.
_REFUSED = frozenset("\u2028\u2029\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_REFUSED_CATEGORIES = ("Cc", "Cs")


def printable(text: str) -> str:
    r"""The text with white space folded to blanks and unprintable characters written out, such as \x1b."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in "\t\n\r\v\f":
        return " "
    if character in _REFUSED or unicodedata.category(character) in _REFUSED_CATEGORIES:
        code = ord(character)
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    return character
