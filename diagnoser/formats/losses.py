"""What a format cannot hold, collected while a table is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from diagnoser.text import clean

_SHOWN = 5


class Losses:
    """Lines on what is changed or left out; the same on many parts of a table is one line."""

    def __init__(self) -> None:
        self._parts: dict[str, list[str]] = {}

    def add(self, words: str, part: str | None = None) -> None:
        """One loss, with the part of the table that it is of where it is not of the whole."""
        parts = self._parts.setdefault(words, [])
        if part is not None:
            parts.append(part)

    def lines(self) -> tuple[str, ...]:
        """One line each."""
        return tuple(clean(f"{words}: {_listed(parts)}" if parts else words) for words, parts in self._parts.items())


def _listed(parts: Sequence[str]) -> str:
    more = f" and {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else ""
    return ", ".join(parts[:_SHOWN]) + more


def renamed(
    what: str, names: Sequence[str], wanted: Sequence[str], taken: Iterable[str], losses: Losses
) -> tuple[str, ...]:
    """The names wanted in place of others; one that is taken, or came before, gets a number behind it."""
    all_wanted, used = set(wanted), set(taken)
    numbers: dict[str, int] = {}
    found: list[str] = []
    for old, name in zip(names, wanted, strict=True):
        new = name
        while new in used or (new != name and new in all_wanted):
            numbers[name] = numbers.get(name, 1) + 1
            new = f"{name} ({numbers[name]})"
        if new != old:
            losses.add(f"renamed {what}", f'"{old}" to "{new}"')
        used.add(new)
        found.append(new)
    return tuple(found)
