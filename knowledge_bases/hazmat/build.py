"""Build table.csv from the lists written by hand and the packages chemicals and rdkit.

    python knowledge_bases/hazmat/build.py

substances.csv names each substance with its UN numbers and guide; families.toml holds what is true of a form or a
family, hand.csv the cells of single substances, structures.csv the structures that chemicals lacks or has wrongly;
measured.py and structure.py read the packages. The result is the same byte for byte on every run.
"""

from __future__ import annotations

import csv
import io
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import measured  # noqa: E402
import structure  # noqa: E402

VERSIONS = {"chemicals": "1.5.2", "rdkit": "2026.9.1"}
UNKNOWN, NOT_APPLICABLE = "?", "-"
GASES = {"gas", "lgas", "cryo"}
SOLIDS = {"pow", "lump", "wax", "dryice"}
READILY = {"flame", "smoky", "unseen"}

Cells = dict[str, str]
Substance = dict[str, str]
Origin = dict[str, str]
"""Where each cell of a row comes from: source, rule or hand."""


def parse(text: str) -> Cells:
    """Cells out of `test=cell` parted by blanks."""
    pairs = (word.split("=", 1) for word in text.split())
    return {test: cell for test, cell in pairs}


def outcomes(cell: str) -> set[str]:
    """Outcome ids of a cell without chances and marks."""
    return {part.rstrip("!").split(":")[0] for part in cell.split("|")}


def number(span: measured.Span | None, digits: int = 3) -> str:
    """A raw number or range with so many digits that count."""
    if span is None:
        return UNKNOWN
    low, high = (float(f"{value:.{digits}g}") + 0.0 for value in span)
    return f"{low:g}" if low == high else f"{low:g}..{high:g}"


def degrees(span: measured.Span | None) -> str:
    """Whole degrees."""
    if span is None:
        return UNKNOWN
    low, high = (round(value) + 0 for value in span)
    return f"{low}" if low == high else f"{low}..{high}"


class Builder:
    """The lists, and the rules that make a row of them."""

    def __init__(self) -> None:
        self.kb: dict[str, Any] = tomllib.loads((HERE / "kb.toml").read_text(encoding="utf-8"))
        lists: dict[str, Any] = tomllib.loads((HERE / "families.toml").read_text(encoding="utf-8"))
        self.forms, self.families = lists["form"], lists["family"]
        self.tests = [test["id"] for test in self.kb["tests"]]
        self.substances = list(records("substances.csv"))
        self.hand = {row["substance"]: parse(row["cells"]) for row in records("hand.csv")}
        self.smiles = {row["substance"]: row["smiles"] for row in records("structures.csv")}
        names = {row["name"] for row in self.substances}
        for stray in sorted((self.hand.keys() | self.smiles.keys()) - names):
            raise SystemExit(f"hand.csv or structures.csv: {stray} is not in substances.csv")

    def family(self, name: str) -> Cells:
        """Cells of a family with those of the families it is like."""
        entry = self.families[name]
        cells: Cells = {}
        for other in entry.get("like", []):
            cells |= self.family(other)
        return cells | parse(entry["cells"])

    def row(self, substance: Substance) -> tuple[Cells, Origin]:
        """All cells of a substance and where they come from."""
        form, families = substance["form"], substance["family"].split()
        smiles = self.smiles.get(substance["name"]) or structure.smiles_of(substance["cas"].split("|")[0])
        cells: Cells = dict.fromkeys(self.tests, UNKNOWN)
        origin: Origin = dict.fromkeys(self.tests, "rule")
        cells |= parse(self.forms[form]["cells"])
        if smiles:
            of_structure = derived(smiles, form)
            of_source = {} if "mixture" in families else numbers(substance, smiles, form)
            cells |= of_structure | of_source
            origin |= dict.fromkeys(of_source, "source")
            cells |= consequences(cells, smiles, form, "mixture" in families)
            cells["on_water"] = on_water(cells, substance["cas"].split("|")[0], form)
        by_family: Cells = {}
        for name in families:
            by_family |= self.family(name)
        if form in {"lgas", "cryo"} and "skin" in by_family:
            by_family["skin"] += "|frost" if ":" not in by_family["skin"] else ""
        cells |= by_family
        origin |= dict.fromkeys(by_family, "rule")
        settle(cells, form)
        by_hand = self.hand.get(substance["name"], {})
        cells |= by_hand
        origin |= dict.fromkeys(by_hand, "hand")
        settle(cells, form)
        if stray := cells.keys() - set(self.tests):
            raise SystemExit(f"{substance['name']}: no test is called {', '.join(sorted(stray))}")
        return cells, origin

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and lines of the table in the order of the list."""
        header = ["substance", "group", "aliases", "cas", "un", "prior", "note", *self.tests]
        lines = []
        for substance in self.substances:
            cells, _ = self.row(substance)
            group = f"guide-{substance['guide']}"
            named = [substance[column] for column in ("aliases", "cas", "un", "prior", "note")]
            lines.append([substance["name"], group, *named, *(cells[test] for test in self.tests)])
        return header, lines

    def shares(self) -> dict[str, int]:
        """How many known cells come from the source, from rules and from single decisions."""
        counts = {"source": 0, "rule": 0, "hand": 0}
        for substance in self.substances:
            cells, origin = self.row(substance)
            for test in self.tests:
                counts[origin[test]] += cells[test] != UNKNOWN
        return counts


def records(name: str) -> Iterator[dict[str, str]]:
    """Lines of one of the lists."""
    with (HERE / name).open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, strict=True)


def derived(smiles: str, form: str) -> Cells:
    """Cells that follow from the structure."""
    cells = structure.kit(smiles)
    organic = "C" in structure.elements(smiles)
    if form not in GASES:
        cells["flame_test"] = structure.flame(smiles)
    if form == "sol":
        bands = {} if organic else dict.fromkeys(structure.BANDS, "no")
        return cells | bands | {"ir_oh": "yes"}
    return cells | structure.bands(smiles)


def numbers(substance: Substance, smiles: str, form: str) -> Cells:
    """Cells measured by others; a solution has none of the numbers of what is in it."""
    cas, mass = substance["cas"].split("|")[0], structure.molar_mass(smiles)
    cells = {
        "exposure_limit": number(measured.exposure_limit(cas, mass), 2),
        "skin_notation": {True: "yes", False: "no", None: UNKNOWN}[measured.skin_notation(cas)],
        "carcinogen": measured.carcinogen(cas),
    }
    if form == "sol":
        return cells
    cells |= {
        "boiling": degrees(measured.boiling(cas)),
        "melting": degrees(measured.melting(cas)),
        "vapour_pressure": number(measured.vapour_pressure(cas), 2),
        "lfl": number(measured.lower_limit(cas), 2),
        "ufl": number(measured.upper_limit(cas), 2),
        "autoignition": degrees(measured.autoignition(cas)),
    }
    if form not in GASES:
        cells["flash_point"] = degrees(measured.flash_point(cas, structure.elements(smiles)))
        cells["density"] = number(measured.density(cas, mass), 3)
    if form in {"liq", "oil"}:
        cells["refractive_index"] = number(measured.refractive_index(cas), 4)
    return {test: cell for test, cell in cells.items() if cell != UNKNOWN}


def middle(cell: str) -> float | None:
    """The middle of a number or range."""
    if cell in (UNKNOWN, NOT_APPLICABLE):
        return None
    low, _, high = cell.partition("..")
    return (float(low) + float(high or low)) / 2


def consequences(cells: Cells, smiles: str, form: str, mixture: bool) -> Cells:
    """Cells that follow from the numbers."""
    found: Cells = {}
    mass = structure.molar_mass(smiles)
    boils, melts = middle(cells["boiling"]), middle(cells["melting"])
    if form in {"gas", "lgas", "cryo", "liq", "oil"} and not mixture:
        found["vapour_density"] = number((mass / measured.AIR, mass / measured.AIR), 3)
    if form in {"liq", "oil"}:
        found |= liquid(cells, boils, mass)
        if melts is not None and 5 <= melts <= 30:
            flows = "oily:0.6|thin:0.2" if form == "oil" else "thin:0.8"
            found |= {"state": "liquid:0.8|solid:0.2", "texture": f"{flows}|grains:0.2"}
    if form in {"gas", "lgas"}:
        found["vapour_pressure"] = "1013..100000" if boils is None or boils < 15 else cells["vapour_pressure"]
        found["vapour"] = drift(mass)
    if form in {"pow", "lump"}:
        found |= {"vapour_pressure": "0..0.5"} if melts is not None and melts > 150 else {}
    flash = middle(cells["flash_point"])
    if flash is not None and form not in GASES:
        bright = structure.flame_seen(smiles)
        found["burns"] = bright if flash < 28 else f"{bright}|hard" if flash < 38 else "hard"
    return found


def liquid(cells: Cells, boils: float | None, mass: float) -> Cells:
    """How a liquid dries and where its vapour goes, by its vapour pressure."""
    found: Cells = {}
    pressure = middle(cells["vapour_pressure"])
    if pressure is None and boils is not None:
        span = measured.pressure_from_boiling(boils)
        found["vapour_pressure"] = number(span, 1)
        low, high = span
    elif pressure is not None:
        low = high = pressure
    else:
        return found
    steps = [("at_once", 200, 1e9), ("minutes", 8, 300), ("slow", 0, 12)]
    found["dries"] = "|".join(name for name, least, most in steps if low <= most and high >= least)
    if high < 0.7:
        found["vapour"] = "none"
    elif low < 6:
        found["vapour"] = "none|low"
    else:
        found["vapour"] = drift(mass)
    return found


def on_water(cells: Cells, cas: str, form: str) -> str:
    """Whether a liquid or solid floats, sinks or mixes: by weight and by how it parts between octanol and water."""
    parting, weight = measured.mixes_with_water(cas), middle(cells["density"])
    if "on_water" in cells and cells["on_water"] != UNKNOWN:
        return cells["on_water"]
    if parting is None or form in GASES:
        return UNKNOWN
    if parting < 0.2:
        return "mixes"
    if weight is None:
        return UNKNOWN
    side = "floats" if weight < 0.97 else "sinks" if weight > 1.03 else "floats|sinks"
    return side if parting > 1.5 else f"{side}|mixes"


def drift(mass: float) -> str:
    """Where a warm gas or vapour of this molar mass goes in air."""
    if mass < 24:
        return "rises"
    return "level" if mass < 33 else "low|level" if mass < 38 else "low"


def settle(cells: Cells, form: str) -> None:
    """What does not apply: flash points of what does not burn, drops of what is no liquid."""
    states, burns = outcomes(cells["state"]), outcomes(cells["burns"])
    if form in GASES:
        for test in ("flash_point", "refractive_index", "density", "dries", "flame_test"):
            cells[test] = NOT_APPLICABLE
    if form in SOLIDS:
        cells["refractive_index"] = cells["dries"] = NOT_APPLICABLE
    if "liquid" not in states:
        cells["refractive_index"] = cells["dries"] = NOT_APPLICABLE
    if burns == {"no"}:
        for test in ("flash_point", "lfl", "ufl", "autoignition"):
            cells[test] = NOT_APPLICABLE
    if burns == {"self"}:
        for test in ("flash_point", "lfl", "ufl"):
            cells[test] = NOT_APPLICABLE


def table_text(builder: Builder) -> str:
    """The whole of table.csv."""
    header, lines = builder.table()
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *lines])
    return out.getvalue()


def main() -> None:
    """Write table.csv next to this file and print where the known cells come from."""
    for package, wanted in VERSIONS.items():
        if version(package) != wanted:
            raise SystemExit(f"build.py is checked against {package} {wanted}, not {version(package)}")
    builder = Builder()
    (HERE / "table.csv").write_text(table_text(builder), encoding="utf-8", newline="\n")
    print(", ".join(f"{origin} {count}" for origin, count in builder.shares().items()))


if __name__ == "__main__":
    main()
