"""One cell of a table: what its text says, before anything is known of rows and columns."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from diagnoser.kb import MAX_PARTIALS, Outcome, Partial

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


class CellError(ValueError):
    """A cell that says nothing sensible; whoever reads the file adds the place."""

    def __init__(self, problem: str, remedy: str) -> None:
        self.problem, self.remedy = problem, remedy
        super().__init__(f"{problem}; {remedy}")


@dataclass(frozen=True, slots=True)
class Alternative:
    """One part of a cell such as `red:0.7|brown:0.3|black!`."""

    label: str
    probability: float | None = None
    misreported: bool = False


def number(text: str) -> float | None:
    """The finite number this text is, or None."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def weight(text: str) -> float:
    """A prior before all are scaled to sum to 1. Raises CellError."""
    value = number(text)
    if value is None or value <= 0:
        raise CellError("the prior is no positive number", "write for example 0.02")
    if not 1e-100 <= value <= 1e100:
        raise CellError("the prior is not between 1e-100 and 1e100", "priors need not sum to 1: scale all of them")
    return value


def alternatives(text: str) -> tuple[Alternative, ...]:
    """The parts of a cell, divided by `|`. A colon is a probability only beside a `|`.

    Raises CellError for an empty or repeated part, for probabilities on some parts only, outside 0 to 1 or with a
    wrong sum, and where every part is a misreading.
    """
    parts = [_part(written.strip(), alone="|" not in text) for written in text.split("|")]
    labels = [part.label for part in parts]
    if "" in labels:
        raise CellError('an outcome is missing beside a "|", ":" or "!"', "write the outcome or take the mark out")
    if len(set(labels)) != len(labels):
        raise CellError("an outcome stands there twice", "name it once")
    real = [part.probability for part in parts if not part.misreported]
    if not real:
        raise CellError('every outcome is marked "!"', "leave the mark off what is really so")
    if any(part.misreported and part.probability is not None for part in parts):
        raise CellError('an outcome marked "!" has a probability', "take the probability out")
    known = [share for share in real if share is not None]
    if not known:
        return tuple(parts)
    if len(known) < len(real):
        raise CellError("some outcomes have a probability and some have none", "write all or none of them")
    if not all(0 < share <= 1 for share in known):
        raise CellError("a probability is not between 0 and 1", "write for example red:0.8|brown:0.2")
    total = math.fsum(known)
    if abs(total - 1) > 1e-6:
        raise CellError(f"the probabilities sum to {total:g}, not to 1", "mend them")
    if abs(total - 1) <= 1e-12:
        return tuple(parts)
    return tuple(
        part if part.probability is None else replace(part, probability=part.probability / total) for part in parts
    )


def _part(written: str, *, alone: bool) -> Alternative:
    misreported = written.endswith("!")
    text = written[:-1].rstrip() if misreported else written
    label, colon, share = text.rpartition(":")
    probability = number(share.strip()) if colon and not alone else None
    return Alternative(text if probability is None else label.rstrip(), probability, misreported)


def weigh(parts: Sequence[Alternative], outcomes: Sequence[int], misreported_weight: float) -> Partial:
    """The parts as outcome indices, ascending, with probabilities; `misreported_weight` is shared by those marked."""
    marked = sum(part.misreported for part in parts)
    kept = 1.0 - misreported_weight if marked else 1.0
    shares = [
        misreported_weight / marked
        if part.misreported
        else kept * (1.0 / (len(parts) - marked) if part.probability is None else part.probability)
        for part in parts
    ]
    return tuple(sorted(zip(outcomes, shares, strict=True)))


def interval(text: str) -> tuple[float, float]:
    """A number, or a range such as `2.5..4`, as its two ends. Raises CellError."""
    low_text, dots, high_text = text.partition("..")
    low = number(low_text.strip())
    high = number(high_text.strip()) if dots else low
    if low is None or high is None or high_text.startswith("."):
        raise CellError("this is neither a number nor a range", 'write it as 2.65 or 2.5..4, or "?" if it is unknown')
    if low > high:
        raise CellError("the range ends below its start", f"write {high_text.strip()}..{low_text.strip()}")
    return low, high


def bins(ends: tuple[float, float], cuts: Sequence[float], tolerance: float) -> range:
    """The bins that hold any point of the closed range once it is widened by the tolerance at both ends.

    A cut belongs to the bin on its right, so a range that ends on a cut reaches into that bin by this one point: a
    reading of exactly that value must not rule the row out. Decimals, for 2.48 + 0.02 is to be 2.5.
    """
    low, high = (Decimal(repr(end)) for end in ends)
    margin = Decimal(repr(tolerance))
    return range(bisect_right(cuts, float(low - margin)), bisect_right(cuts, float(high + margin)) + 1)


def bin_outcomes(cuts: Sequence[float], unit: str | None) -> tuple[Outcome, ...]:
    """The bins that ascending cuts make, named by their ends."""
    ends = [f"{cut + 0.0:.15g}" for cut in cuts]
    after = f" {unit}" if unit else ""
    inner = [Outcome(f"{low}..{high}", f"{low} to {high}{after}") for low, high in pairwise(ends)]
    lowest = Outcome(f"<{ends[0]}", f"below {ends[0]}{after}")
    return (lowest, *inner, Outcome(f">={ends[-1]}", f"{ends[-1]}{after} or more"))


class Partials:
    """The different partial cells of one test, numbered as they turn up."""

    def __init__(self) -> None:
        self._numbers: dict[Partial, int] = {}

    def code(self, partial: Partial) -> int:
        """The cell code of a partial; a single outcome is its own code. Raises CellError when there are too many."""
        if len(partial) == 1:
            return partial[0][0]
        place = self._numbers.setdefault(partial, len(self._numbers))
        if place >= MAX_PARTIALS:
            problem = f"more than {MAX_PARTIALS:,} different cells with several outcomes in one test"
            raise CellError(problem, "give fewer different probabilities")
        return -2 - place

    def __iter__(self) -> Iterator[Partial]:
        return iter(self._numbers)
