"""Build table.csv from the MIT-licensed package gemmology-mineral-database.

    python knowledge_bases/gems_minerals/build.py

Each test has one rule that reads the source field (the `read_*` functions below). What the source
does not say, or says wrongly, stands with its reason in corrections.toml. The result is the same
byte for byte on every run.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

USUAL_PRIOR = "2"
"""Of a stone that corrections.toml names in no step."""
HERE = Path(__file__).parent
PACKAGE, VERSION = "gemmology-mineral-database", "2.3.0"
UNKNOWN, NOT_APPLICABLE = "?", "-"
ORIGINS = {"simulant": "imitation", "composite": "assembled"}

Row = dict[str, Any]
"""One family of the source with its expressions under "expressions"."""

COLOURS = {
    "colourless": "colourless colorless colour-less",
    "white": "white cream",
    "grey": "grey gray silver lead-grey steel-grey",
    "black": "black",
    "brown": "brown bronze sherry",
    "red": "red crimson vermilion raspberry blood-red",
    "pink": "pink rose salmon lavender-pink",
    "orange": "orange peach madeira",
    "yellow": "yellow gold golden honey",
    "green": "green pistachio",
    "blue": "blue cyan navy",
    "violet": "violet purple lilac lavender mauve",
    "several": "banded bicolour bi-color tricolour watermelon multicoloured",
}
COLOUR_OF = {word: colour for colour, words in COLOURS.items() for word in words.split()}

LUSTRES = {
    "metallic": "metallic",
    "adamantine": "adamantine",
    "vitreous": "vitreous|brilliant|glass",
    "resinous": "resinous",
    "greasy": "greasy|oily|waxy",
    "silky": "silky",
    "pearly": "pearly",
    "dull": "dull|earthy",
}

FRACTURES = {"conchoidal": "conch|smooth"} | {k: k for k in ("uneven", "splintery", "sectile")}

INCLUSIONS = {
    "two_layers": r"junction plane",
    "three_layers": r"three-layer",
    "dye": r"\bdye",
    "curved": r"curved (growth )?stri",
    "flux": r"\bflux\b|platinum|metallic flux",
    "seed": r"seed plate|chevron|nail-head|crackled interface",
    "bubbles": r"bubble|swirl|flow line",
    "needles": r"needle|silk|tube|horsetail|fibres$|tourmaline crystals|stringy",
    "texture": r"fibrous|interlocking|fabric|banding|plume|mottl|granular|lamellae",
    "crystals": (
        r"crystal|fingerprint|feather|fluid|two-phase|three-phase|multi-phase|liquid|zoning|chromite"
        r"|apatite|graphite|pinpoints|twin|cleavage|lily pad|phantoms|healing|fissures|clean"
    ),
}
"""What a loupe shows, by words of the source; a list of inclusions may match several."""

MADE = {"two_layers", "three_layers", "dye", "curved", "flux", "seed", "bubbles"}
"""Signs of manufacture: where a man-made stone has one of them, the others do not count."""

PLEOCHROISM = {
    "none": r"\bnone\b|absent",
    "weak": r"\bweak\b",
    "distinct": r"\b(moderate|distinct)\b",
    "strong": r"\bstrong\b",
}
STRENGTH = {"weak": "weak", "moderate": "distinct", "strong": "strong", "very_strong": "strong"}

FIRE_STEPS = (("little", 0.0, 0.018), ("some", 0.017, 0.031), ("strong", 0.030, 9.0))
"""Dispersion by eye; the steps overlap by what the eye cannot tell apart."""

FACES = {"prism", "tablet", "pyramid", "octahedron", "cube", "ball"}
SIX_SIDED = {"prism", "tablet"}
"""Shapes of the rough that show faces, and those that are six-sided in trigonal stones."""

PLANES = {
    "cubic": {"111": 4, "110": 4, "100": 3},
    "tetragonal": {"100": 2, "110": 2, "101": 4},
    "trigonal": {"10-11": 3, "1011": 3},
    "orthorhombic": {"001": 1, "010": 1, "100": 1, "110": 2, "210": 2},
    "monoclinic": {"001": 1, "010": 1, "100": 1, "110": 2, "011": 2, "201": 1},
    "triclinic": {"001": 1, "010": 1, "100": 1, "110": 1},
}
"""How many directions of cleavage one form stands for; four and more count as four."""


def plain(text: str) -> str:
    """Lower case without what stands in brackets and without the parts that only comment."""
    return re.sub(r"\([^)]*\)", " ", text.lower()).split(";")[0]


def some(outcomes: Iterable[str]) -> str:
    """A cell from outcome ids without repeats, unknown where there is none."""
    return "|".join(dict.fromkeys(outcomes)) or UNKNOWN


def match(words: Mapping[str, str], text: str) -> list[str]:
    """Outcome ids whose pattern occurs in the text, in the order of the text's own words."""
    found = {key: m.start() for key, pattern in words.items() if (m := re.search(pattern, text))}
    return sorted(found, key=found.__getitem__)


def entries(value: str | None) -> list[str]:
    """The texts of a JSON list whose items are texts or {kind: text}."""
    return [text for item in json.loads(value or "[]") for text in ([item] if isinstance(item, str) else item.values())]


def span(low: float | None, high: float | None) -> str:
    """A raw number or range."""
    if low is None or high is None:
        return UNKNOWN
    return f"{low:g}" if low == high else f"{low:g}..{high:g}"


def read_colour(row: Row) -> str:
    """Main colours: "bluish-green" is green, "blue-green" both, "grey with blue flash" grey."""
    found: list[str] = []
    for entry in entries(row["colors_json"]):
        for part in re.split(r"\bto\b|\band\b|,|/", plain(entry).split(" with ")[0]):
            words = re.findall(r"[a-z]+(?:-[a-z]+)*", part)
            hues = [hue for word in words for hue in hues_of(word)]
            found += hues if hues[:2] in (["blue", "green"], ["green", "blue"]) else hues[-1:]
    return some(found)


def hues_of(word: str) -> list[str]:
    """Outcomes named by one word; the -ish part of a compound only tints."""
    if word in COLOUR_OF:
        return [COLOUR_OF[word]]
    return [COLOUR_OF[piece] for piece in word.split("-") if piece in COLOUR_OF]


def read_lustre(row: Row) -> str:
    """All lustres named outside brackets."""
    return some(match(LUSTRES, re.sub(r"\([^)]*\)", "", row["lustre"].lower())))


def read_phenomenon(row: Row) -> str:
    """The field, filled for eight families, or what all or some of the expressions show."""
    words = {
        "play": "play of colou?r",
        "sheen": "labradorescence|adularescence",
        "glitter": "aventurescence",
        "change": "colou?r[- _]change",
        "star": "star",
        "eye": "cats-eye|chatoyancy",
    }
    shown = [match(words, f"{e['id']} {e['cdl']}".lower()) for e in row["expressions"]]
    always = match(words, (row["phenomenon"] or "").lower()) or (shown[0] if all(shown) else [])
    rare = [kind for kinds in shown for kind in kinds]
    return some(always or ["none"]) if always or not rare else f"none:0.9|{rare[0]}:0.1"


def read_inclusions(row: Row) -> str:
    """Kinds of inclusions by words; nothing named is unknown."""
    texts = [re.sub("(absence of|absent).*", "", t.lower()) for t in entries(row["inclusions_json"])]
    found = [kind for text in texts for kind in match(INCLUSIONS, text)]
    made = [kind for kind in found if kind in MADE]
    return some(made if made and row["origin"] != "natural" else found)


def grown_from_melt(row: Row) -> bool:
    """Pulled or melted stones: their rough has no crystal faces."""
    return str(row["growth_method"]).lower().startswith(("flame", "czochralski", "skull"))


def read_system(row: Row) -> str:
    """Crystal system of the faces; none where the stone has none."""
    if row["crystal_system"] == "amorphous" or grown_from_melt(row):
        return "none"
    first = row["expressions"][0]["cdl"]
    return "none" if re.search(r"^amorphous", first, re.MULTILINE) else str(row["crystal_system"])


def seen_system(system: str, habit: str) -> str:
    """What a lay eye makes of it: a piece without faces shows none, a six-sided trigonal crystal looks hexagonal."""
    shapes = {shape: share for shape, _, share in (part.partition(":") for part in habit.split("|"))}
    if system == "none" or not shapes.keys() & FACES:
        return system
    real, *misread = re.findall(r"[a-z]+!?", system)
    if real == "trigonal" and shapes.keys() & SIX_SIDED:
        misread = ["hexagonal!"]
    bare = sum(float(share) for shape, share in shapes.items() if shape not in FACES)
    cell = f"{real}:{1 - bare:g}|none:{bare:g}" if bare else real
    return "|".join([cell, *misread])


def read_fracture(row: Row) -> str:
    """Kinds of fracture outside brackets."""
    return some(match(FRACTURES, plain(row["fracture"] or "")))


def read_cleavage(row: Row) -> str:
    """Number of directions of distinct or better cleavage; a poor one is often not seen at all."""
    text = (row["cleavage"] or "").lower()
    if not text:
        return UNKNOWN
    if text.startswith("none"):
        return "none"
    clauses = re.split(r",(?=\s*[a-z])", text.split(";")[0])
    clauses = [part for part in clauses if not re.search("poor|imperfect|indistinct", part)]
    if not clauses:
        return "poor|none"
    if counted := re.search(r"(one|two|three) direction", text):
        return counted.group(1)
    planes = PLANES.get(row["crystal_system"], {})
    forms = re.findall(r"{([\d-]+)}", " ".join(clauses))
    total = 2 if "pyroxene" in text else sum(planes.get(form, 0) for form in forms)
    return ("one", "two", "three", "four")[min(total, 4) - 1] if total else UNKNOWN


def read_optic(row: Row) -> str:
    """Behaviour between crossed polarisers."""
    first = row["optical_character"].lower().split()[0]
    return "aggregate" if first.startswith("agg") else first


def read_sign(row: Row) -> str:
    """Optic sign; does not apply without an optic axis."""
    if read_optic(row) not in ("uniaxial", "biaxial"):
        return NOT_APPLICABLE
    signs = {"+": "positive", "-": "negative"}
    return some(name for mark, name in signs.items() if mark in row["optical_character"])


def read_refraction(row: Row) -> str:
    """Refractive index; does not apply to metallic stones."""
    if read_lustre(row).startswith("metallic") and row["ri_min"] is None:
        return NOT_APPLICABLE
    return span(row["ri_min"], row["ri_max"])


def read_birefringence(row: Row) -> str:
    """A number, a text range, or 0 for an isotropic stone; an aggregate may show none of it."""
    if read_refraction(row) == NOT_APPLICABLE:
        return NOT_APPLICABLE
    numbers = [float(n) for n in re.findall(r"\d+\.\d+", str(row["birefringence"]))]
    if read_optic(row) == "isotropic":
        return "0"
    if read_optic(row) == "aggregate":
        return span(0.0, max(numbers, default=0.0))
    return span(min(numbers), max(numbers)) if numbers else UNKNOWN


def read_pleochroism(row: Row) -> str:
    """Strength of pleochroism: the text first, then the graded field; an empty field is unknown."""
    if read_optic(row) in ("isotropic", "aggregate", "opaque"):
        return "none"
    found = match(PLEOCHROISM, plain(row["pleochroism"] or ""))
    graded = STRENGTH.get(row["pleochroism_strength"] or "")
    return some(found or ([graded] if graded else []))


def read_streak(row: Row) -> str:
    """White from soft stones, none from those harder than the plate (about 6.5 to 7)."""
    low, high = row["hardness_min"], row["hardness_max"]
    if low is None:
        return UNKNOWN
    return "none" if low >= 7 else "white|none" if (high or low) >= 6.5 else "white"


def read_fire(row: Row) -> str:
    """Dispersion as an eye grades it."""
    numbers = [float(n) for n in re.findall(r"\d+\.\d+", str(row["dispersion"]))]
    steps = FIRE_STEPS if numbers else ()
    return some(n for n, low, high in steps if min(numbers) <= high and max(numbers) >= low)


RULES: dict[str, Callable[[Row], str]] = {
    "colour": read_colour,
    "lustre": read_lustre,
    "phenomenon": read_phenomenon,
    "inclusions": read_inclusions,
    "system": read_system,
    "fracture": read_fracture,
    "cleavage": read_cleavage,
    "hardness": lambda row: span(row["hardness_min"], row["hardness_max"]),
    "gravity": lambda row: span(row["sg_min"], row["sg_max"]),
    "refraction": read_refraction,
    "birefringence": read_birefringence,
    "optic": read_optic,
    "sign": read_sign,
    "pleochroism": read_pleochroism,
    "fire": read_fire,
    "streak": read_streak,
}


def source_rows() -> list[Row]:
    """All families of the source in order of id."""
    found = find_spec("mineral_database")
    if found is None or found.origin is None:
        raise SystemExit(f"build.py needs {PACKAGE} {VERSION}: pip install {PACKAGE}=={VERSION}")
    if version(PACKAGE) != VERSION:
        raise SystemExit(f"build.py is checked against {PACKAGE} {VERSION}, not {version(PACKAGE)}")
    path = Path(found.origin).parent / "data" / "minerals.db"
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        rows = [dict(r) for r in database.execute("SELECT * FROM mineral_families ORDER BY id")]
        for row in rows:
            row["expressions"] = database.execute(
                "SELECT * FROM mineral_expressions WHERE family_id = ? ORDER BY sort_order, id",
                (row["id"],),
            ).fetchall()
    return rows


def hand_tests(table: Mapping[str, Mapping[str, Any]], ids: Iterable[str]) -> dict[str, Row]:
    """Cells of the tests that are written by hand: a default and, by cell, the rows that differ."""
    result: dict[str, Row] = {}
    for test, cells in table.items():
        column = dict.fromkeys(ids, cells["default"])
        for cell, members in cells.items():
            for member in [] if cell == "default" else members.split():
                if member not in column or column[member] != cells["default"]:
                    raise SystemExit(f"corrections.toml: {test}: {member} unknown or twice")
                column[member] = cell
        result[test] = column
    return result


def formula(row: Row) -> str:
    """The formula where the source gives one, without its comments."""
    text = re.split(r" [(+]| on | between ", row["chemistry"])[0].replace("*", ".")
    return "" if " " in text or not re.search(r"[A-Z]", text) or text == "Variable" else text


def build(rows: list[Row], corrections: Row) -> tuple[list[str], list[list[str]]]:
    """Header and cells of the table."""
    kept = [row for row in rows if row["id"] not in corrections["merged"]]
    ids = [row["id"] for row in kept]
    hand = hand_tests(corrections["hand"], ids)
    cells = {test: {row["id"]: rule(row) for row in kept} for test, rule in RULES.items()} | hand
    for fix in corrections["fix"]:
        for member, cell in fix["cells"].items():
            if cells[fix["test"]].get(member, cell) == cell:
                raise SystemExit(f"corrections.toml: {fix['test']}: {member} changes nothing")
            cells[fix["test"]][member] = cell
    cells["system"] = {
        member: seen_system(system, cells["habit"][member]) for member, system in cells["system"].items()
    }
    group = {member: key for key, members in corrections["groups"].items() for member in members.split()}
    prior = {member: step for step, members in corrections["prior"].items() for member in members.split()}
    if strange := sorted(prior.keys() - set(ids)):
        raise SystemExit(f"corrections.toml: prior: there is no {strange[0]}")
    tests = corrections["order"]["tests"]
    header = ["stone", "id", "aliases", "origin", "formula", "group", "prior", "note", *tests]
    table = [
        [
            corrections["names"].get(row["id"], row["name"].capitalize()),
            row["id"],
            corrections["aliases"].get(row["id"], ""),
            ORIGINS.get(row["origin"], row["origin"]),
            formula(row),
            group.get(row["id"], ""),
            prior.get(row["id"], USUAL_PRIOR),
            corrections["notes"].get(row["id"], ""),
            *(cells[test][row["id"]] for test in tests),
        ]
        for row in kept
    ]
    return header, sorted(table, key=lambda line: line[0].casefold())


def table_text() -> str:
    """The whole of table.csv."""
    corrections = tomllib.loads((HERE / "corrections.toml").read_text(encoding="utf-8"))
    header, table = build(source_rows(), corrections)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *table])
    return out.getvalue()


def main() -> None:
    """Write table.csv next to this file."""
    (HERE / "table.csv").write_text(table_text(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
