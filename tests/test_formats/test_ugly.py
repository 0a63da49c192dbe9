"""A corpus of ugly files, one quirk each and every two together: read as the plain file, or refused for the quirk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest

from diagnoser.errors import BadTable
from diagnoser.formats import open_table
from diagnoser.kb import NOT_APPLICABLE, KnowledgeBase

Grid = list[list[str]]

PLAIN: Grid = [
    ["plant", "wet", "colour", "scent", "hairs"],
    ["arbre élevé", "yes", "red", "yes:0.75|no:0.25", "no"],
    ["bush", "no", "red|brown", "?", "yes"],
    ["clover", "yes", "green", "no", "-"],
    ["daisy", "?", "brown", "-", "yes"],
]


@dataclass(frozen=True)
class Quirk:
    """One thing that is odd: in the grid, in how it is put into text, or in the bytes."""

    name: str
    grid: Callable[[Grid], Grid] | None = None
    mark: str = ","
    end: str = "\n"
    text: Callable[[str], str] | None = None
    encoding: str = ""
    refused: str = ""

    @property
    def level(self) -> str:
        """Two quirks of one level cannot be had together, but those of the grid can."""
        if self.grid:
            return f"grid {self.name}"
        return "mark" if self.mark != "," else "end" if self.end != "\n" else "encoding" if self.encoding else self.name


def cells(change: Callable[[str], str]) -> Callable[[Grid], Grid]:
    return lambda grid: [grid[0], *([row[0], *map(change, row[1:])] for row in grid[1:])]


def unknown_as(word: str) -> Quirk:
    return Quirk(f"unknown is {word or 'blank'}", cells(lambda cell: word if cell == "?" else cell))


def with_cell(row: int, column: int, text: str) -> Callable[[Grid], Grid]:
    return lambda grid: [
        [text if (r, c) == (row, column) else cell for c, cell in enumerate(line)] for r, line in enumerate(grid)
    ]


HARMLESS = [
    *map(unknown_as, ["", "*", "u", "NA", "n/a", "unknown", "NaN"]),
    Quirk("blank columns behind", lambda grid: [[*row, "", "", ""] for row in grid]),
    Quirk("a comma too many in the header", lambda grid: [[*grid[0], ""], *grid[1:]]),
    Quirk("blank rows", lambda grid: [*grid[:2], [""] * len(grid[0]), *grid[2:]]),
    Quirk("blanks around everything", lambda grid: [[f"  {cell} " for cell in row] for row in grid]),
    Quirk("no heading of the names", with_cell(0, 0, "")),
    Quirk("capitals", cells(lambda cell: cell.upper() if cell in ("yes", "no", "red") else cell)),
    Quirk("semicolons", mark=";"),
    Quirk("tabs", mark="\t"),
    Quirk("CRLF", end="\r\n"),
    Quirk("lone CR", end="\r"),
    Quirk("no end of the last line", text=str.rstrip),
    Quirk("empty lines at the end", text=lambda text: text + "\n\n\n"),
    Quirk("BOM", encoding="utf-8-sig"),
    Quirk("Windows-1252", encoding="cp1252"),
    Quirk("UTF-16", encoding="utf-16"),
]
REFUSED = [
    Quirk("a short row", lambda grid: [*grid[:2], grid[2][:-1], *grid[3:]], refused=r"line \d+: the row has 4 fields"),
    Quirk("a long row", lambda grid: [*grid[:2], [*grid[2], "x"], *grid[3:]], refused=r"the row has \d+ fields"),
    Quirk("a test twice", with_cell(0, 2, "wet"), refused='column 3, value "wet": column 2 has this name too'),
    Quirk("a hypothesis twice", with_cell(2, 0, "clover"), refused=r'value "clover": the hypothesis stands in line \d'),
    Quirk("a hypothesis without a name", with_cell(3, 0, ""), refused="the hypothesis has no name"),
    Quirk("cells without a name", with_cell(0, 3, ""), refused="column 4: the column has cells and no name"),
    Quirk("half an outcome", with_cell(1, 2, "red|"), refused=r'column "colour", value "red\|": an outcome is missing'),
    Quirk("an outcome twice", with_cell(1, 2, "red|red"), refused='value "red.red": an outcome stands there twice'),
    Quirk("a wrong sum", with_cell(1, 2, "red:0.5|brown:0.4"), refused="the probabilities sum to 0.9, not to 1"),
    Quirk("half the probabilities", with_cell(1, 2, "red:0.5|brown"), refused="some have none"),
    Quirk("all misreadings", with_cell(1, 2, "red!"), refused='every outcome is marked "!"'),
    Quirk("unknown or red", with_cell(1, 2, "red|NA"), refused='"NA" is unknown and cannot be one of several'),
    Quirk("an open quote", text=lambda text: text.replace("bush", '"bush', 1), refused="a quote is opened and never"),
    Quirk("nothing but a header", lambda grid: grid[:1], refused="one line only"),
]


def written(place: Path, *quirks: Quirk) -> Path:
    grid = [list(row) for row in PLAIN]
    for quirk in quirks:
        grid = quirk.grid(grid) if quirk.grid else grid
    mark = next((quirk.mark for quirk in quirks if quirk.mark != ","), ",")
    end = next((quirk.end for quirk in quirks if quirk.end != "\n"), "\n")
    text = "".join(mark.join(row) + "\n" for row in grid)
    for quirk in quirks:
        text = quirk.text(text) if quirk.text else text
    encoding = next((quirk.encoding for quirk in quirks if quirk.encoding), "utf-8")
    path = place / "ugly.csv"
    path.write_bytes(text.replace("\n", end).encode(encoding))
    return path


def meaning(kb: KnowledgeBase) -> dict[tuple[str, str], object]:
    """Every cell by names: the outcomes with their probabilities, or nothing where it is unknown."""
    said: dict[tuple[str, str], object] = {}
    for x, hypothesis in enumerate(kb.hypotheses):
        for e, test in enumerate(kb.tests):
            cell = kb.cell(x, e)
            shares = {test.outcomes[v].id.casefold(): round(share, 9) for v, share in cell.outcomes}
            said[hypothesis.id, test.id] = None if cell.unknown else shares
    return said


EXPECTED = {
    ("arbre élevé", "wet"): {"yes": 1.0}, ("arbre élevé", "colour"): {"red": 1.0},
    ("arbre élevé", "scent"): {"yes": 0.75, "no": 0.25}, ("arbre élevé", "hairs"): {"no": 1.0},
    ("bush", "wet"): {"no": 1.0}, ("bush", "colour"): {"red": 0.5, "brown": 0.5},
    ("bush", "scent"): None, ("bush", "hairs"): {"yes": 1.0},
    ("clover", "wet"): {"yes": 1.0}, ("clover", "colour"): {"green": 1.0},
    ("clover", "scent"): {"no": 1.0}, ("clover", "hairs"): {NOT_APPLICABLE: 1.0},
    ("daisy", "wet"): None, ("daisy", "colour"): {"brown": 1.0},
    ("daisy", "scent"): {NOT_APPLICABLE: 1.0}, ("daisy", "hairs"): {"yes": 1.0},
}  # fmt: skip


def together(one: Quirk, other: Quirk) -> bool:
    unknown = one.name.startswith("unknown is") and other.name.startswith("unknown is")
    widths = {one.name, other.name} >= {"blank columns behind", "a comma too many in the header"}
    return one.level != other.level and not unknown and not widths


SINGLE = [(quirk,) for quirk in HARMLESS]
PAIRS = [pair for pair in combinations(HARMLESS, 2) if together(*pair)]


def names(quirks: tuple[Quirk, ...]) -> str:
    return " and ".join(quirk.name for quirk in quirks)


@pytest.mark.parametrize("quirks", [(), *SINGLE, *PAIRS], ids=names)
def test_read_as_the_plain_file(tmp_path: Path, quirks: tuple[Quirk, ...]) -> None:
    assert meaning(open_table(written(tmp_path, *quirks))) == EXPECTED


DISGUISES = [quirk for quirk in HARMLESS if not quirk.grid and not quirk.text]


@pytest.mark.parametrize("quirks", [*((q,) for q in REFUSED), *((q, d) for q in REFUSED for d in DISGUISES)], ids=names)
def test_refused_for_what_is_wrong(tmp_path: Path, quirks: tuple[Quirk, ...]) -> None:
    with pytest.raises(BadTable, match=quirks[0].refused):
        open_table(written(tmp_path, *quirks))


def test_the_corpus_is_large_enough() -> None:
    assert len(SINGLE) + len(PAIRS) > 200
    assert len(REFUSED) * (1 + len(DISGUISES)) > 90
