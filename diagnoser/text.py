"""Text for people: what comes from files made safe to show, numbers in words, names that are near.

Text from a file is data, never a command to the terminal.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

# Besides the control and surrogate categories: line and paragraph separators, and the
# characters that turn the direction of what follows, and two that are none.
_REFUSED = frozenset("\u2028\u2029\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff")
_REFUSED_CATEGORIES = ("Cc", "Cs")
_SHORT_UNITS = {"minutes": "min", "minute": "min", "hours": "h", "hour": "h", "seconds": "s", "second": "s"}


def printable(text: str) -> str:
    r"""The text with white space folded to blanks and unprintable characters written out, such as \x1b."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def clean(text: str) -> str:
    """A field as it enters a table: printable, without blanks around it."""
    return printable(text).strip()


def looks(text: str) -> str:
    """What two texts share that can hardly be told apart by eye: capitals, accents in two codings, unseen signs."""
    if text.isascii():
        return text.casefold()
    seen = (character for character in text if unicodedata.category(character) != "Cf")
    return unicodedata.normalize("NFKC", "".join(seen)).casefold()


def percent(share: float, digits: int = 1) -> str:
    """A probability such as `12.5 %`; what is possible never reads 0 %, what is open never 100 %."""
    least = 10.0**-digits / 100
    if share <= 0 or share >= 1 - 1e-9:
        return f"{share * 100:.0f} %"
    if share < least:
        return f"<{least * 100:g} %"
    if share > 1 - least:
        return f">{100 - least * 100:g} %"
    return f"{share * 100:.{digits}f} %"


def counted(number: int, word: str) -> str:
    """A number of things, such as `1 error` and `2 errors`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def span(low: float, high: float, unit: str | None = None) -> str:
    """A number or a range with its unit, such as `2.65 g` or `2.5 to 4 g`."""
    number = f"{low:.15g}" if low == high else f"{low:.15g} to {high:.15g}"
    return f"{number} {unit}" if unit else number


def score_per_cost(score: float, cost: float) -> str:
    """A score for one unit of cost, which is what policies compare."""
    value = score / cost
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.4g}"


def short_unit(unit: str) -> str:
    """A cost unit as it stands after other numbers: `min` for minutes, `tests` for tests."""
    return _SHORT_UNITS.get(unit, unit)


def one_unit(unit: str) -> str:
    """A cost unit as it stands after 1: `min` for minutes, `test` for tests."""
    return _SHORT_UNITS.get(unit, unit.removesuffix("s"))


def nearest(word: str, known: Iterable[str]) -> str:
    """A remedy for an unknown word: the nearest known one, else the first few."""
    words = list(known)
    close = difflib.get_close_matches(word, words, n=1)
    if not close:
        close = [other for other in words if other.casefold() == word.casefold()][:1]
    if close:
        return f'did you mean "{close[0]}"?'
    more = f" and {len(words) - 12} more" if len(words) > 12 else ""
    return f"known are {', '.join(words[:12])}{more}" if words else "none is known"


def _shown(character: str) -> str:
    if character in "\t\n\r\v\f":
        return " "
    if character in _REFUSED or unicodedata.category(character) in _REFUSED_CATEGORIES:
        code = ord(character)
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    return character
