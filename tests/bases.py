"""A shipped table read by other means than the program's own reader."""

from __future__ import annotations

import csv
import tomllib
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

NOT_APPLICABLE = "n/a"


class Base:
    """The folder of a shipped table; `key` is the column that names its rows."""

    def __init__(self, name: str, key: str) -> None:
        self.name, self.key = name, key
        self.folder = Path(__file__).parents[1] / "knowledge_bases" / name

    @cached_property
    def kb(self) -> dict[str, Any]:
        return tomllib.loads((self.folder / "kb.toml").read_text(encoding="utf-8"))

    @cached_property
    def lines(self) -> list[str]:
        return (self.folder / "table.csv").read_text(encoding="utf-8").splitlines()

    @cached_property
    def header(self) -> list[str]:
        return next(csv.reader(self.lines))

    @cached_property
    def rows(self) -> dict[str, dict[str, str]]:
        return {row[self.key]: row for row in csv.DictReader(self.lines, strict=True)}

    @cached_property
    def questions(self) -> dict[str, dict[str, Any]]:
        return {test["id"]: test for test in self.kb["tests"]}

    def cells(self) -> list[tuple[str, str, str]]:
        return [(name, test, row[test]) for name, row in self.rows.items() for test in self.questions]

    def interval(self, name: str, test: str) -> tuple[float, float]:
        low, _, high = self.rows[name][test].partition("..")
        return float(low), float(high or low)

    def possible(self, name: str, test: str) -> set[str]:
        """Every outcome this cell can give; the bins of a numeric test by their number."""
        asked, cell = self.questions[test], self.rows[name][test]
        if cell == "-":
            return {NOT_APPLICABLE}
        if "cuts" not in asked:
            if cell == "?":
                return {outcome["id"] for outcome in asked["outcomes"]}
            return {part.rstrip("!").split(":")[0] for part in cell.split("|")}
        first, last = 0, len(asked["cuts"])
        if cell != "?":
            (low, high), slack = self.interval(name, test), asked.get("tolerance", 0.0)
            first, last = (sum(cut <= edge for cut in asked["cuts"]) for edge in (low - slack, high + slack))
        return {str(number) for number in range(first, last + 1)}

    def inseparable(self) -> list[tuple[str, str]]:
        possible = {name: [self.possible(name, test) for test in self.questions] for name in self.rows}
        return [
            (one, other)
            for one, other in combinations(self.rows, 2)
            if all(a & b for a, b in zip(possible[one], possible[other], strict=True))
        ]

    def disagreements(self, name: str, reviewed: str) -> list[str]:
        """Cells of a row that allow what a second opinion does not: `test=a|b` parted by blanks, or `test=low..high`.

        Every test must be decided; `?` leaves it open.
        """
        second = dict(pair.split("=", 1) for pair in reviewed.split())
        assert second.keys() == self.questions.keys(), second.keys() ^ self.questions.keys()
        found = []
        for test, opinion in second.items():
            cell = self.rows[name][test]
            if "?" in (opinion, cell) or cell == opinion == "-":
                continue
            if "cuts" in self.questions[test]:
                (low, high), (least, most) = self.interval(name, test), map(float, opinion.split(".."))
                agrees = least <= low <= high <= most
            else:
                agrees = self.possible(name, test) <= set(opinion.split("|"))
            if not agrees:
                found.append(f"{test}: the table has {cell}, the second opinion {opinion}")
        return found


CARS = Base("car_faults", "fault")
GEMS = Base("gems_minerals", "id")
HAZMAT = Base("hazmat", "substance")
NETWORK = Base("network_faults", "fault")
PLANTS = Base("houseplants", "trouble")
