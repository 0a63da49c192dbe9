"""Small inputs gone wrong, for readers that must refuse them in one line."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from diagnoser.errors import BadTable
from diagnoser.text import printable

ROUNDS = 300


def mutant(data: bytes, words: list[bytes], chance: random.Random) -> bytes:
    """One to four bytes or words changed, cut, repeated or put in."""
    for _ in range(chance.randint(1, 4)):
        place, end = sorted(chance.choices(range(len(data) + 1), k=2))
        kind = chance.randrange(6)
        if kind == 0:
            data = data[:place] + data[min(end, place + 9) :]
        elif kind == 1:
            data = data[:place] + data[place : min(end, place + 40)] * chance.randint(2, 4) + data[place:]
        elif kind == 2:
            data = data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]
        elif kind == 3:
            data = data[:place]
        else:
            data = data[:place] + chance.choice(words) + data[place:]
    return data


def refuses_or_reads(read: Callable[[], object], put: Callable[[bytes], object], seeds: list[bytes], seed: int) -> int:
    """How many of the mutants were read; the others were refused with BadTable. Any other error is passed on."""
    chance = random.Random(seed)  # noqa: S311  the same mutants for the same seed
    words = [word for data in seeds for word in data.split()] + [b"\x00", b"\xff", b"<", b">", b'"', b",", b"\n", b"-"]
    known, steers = 0, False
    for _ in range(ROUNDS):
        put(mutant(chance.choice(seeds), words, chance))
        try:
            read()
        except BadTable as error:
            steers |= printable(str(error)) != str(error)
        else:
            known += 1
    assert not steers, "a message could steer the terminal"
    return known


def into(path: Path) -> Callable[[bytes], object]:
    """What puts a mutant into a file."""
    return path.write_bytes
