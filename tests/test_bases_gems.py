"""The shipped table `gems_minerals`: its shape, and facts of general mineralogy written down without looking at it."""

from __future__ import annotations

import runpy
import tomllib
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest

from tests.bases import GEMS, NOT_APPLICABLE

PACKAGE = "gemmology-mineral-database"
CORRECTIONS: dict[str, Any] = tomllib.loads((GEMS.folder / "corrections.toml").read_text(encoding="utf-8"))
rows, questions, possible, interval = GEMS.rows, GEMS.questions, GEMS.possible, GEMS.interval


# Shape


def test_one_row_for_each_stone() -> None:
    assert len(rows) == 155
    assert len({row["stone"].casefold() for row in rows.values()}) == len(rows)
    assert all(interval(stone, test)[0] >= 0 for stone, test, cell in GEMS.cells() if cell[0].isdigit())


def test_identifiers_are_plain_and_said_once() -> None:
    columns = GEMS.kb["columns"]
    named = [columns["id"], columns["aliases"], *columns["extra"], columns["group"], columns["prior"], columns["note"]]
    assert GEMS.header[1:] == [*named, *questions]
    for row in rows.values():
        aliases = row["aliases"].split("|") if row["aliases"] else []
        assert len(set(aliases)) == len(aliases)
        assert row["stone"] not in aliases
        assert row["origin"] in {"natural", "synthetic", "imitation", "assembled"}


@pytest.mark.parametrize("test", questions.values(), ids=list(questions))
def test_question_is_complete(test: dict[str, Any]) -> None:
    assert test["question"].endswith("?")
    assert test["category"] in {"look", "loupe", "kit", "instrument"}
    assert test["provenance"] in {"source", "hand", "rule"}
    assert test["note"].endswith(".")
    if "cuts" in test:
        assert test["cuts"] == sorted(set(test["cuts"]))
    else:
        ids = [outcome["id"] for outcome in test["outcomes"]]
        assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("test", ["hardness", "streak", "acid", "fracture"])
def test_destructive_question_says_so(test: str) -> None:
    assert "damages" in questions[test]["note"].lower()


def test_every_bin_occurs() -> None:
    for test, asked in questions.items():
        if "cuts" in asked:
            seen = set().union(*(possible(stone, test) for stone in rows if rows[stone][test] not in ("?", "-")))
            assert len(seen) == len(asked["cuts"]) + 1, test


def test_little_is_unknown_or_out_of_place() -> None:
    total = len(GEMS.cells())
    assert sum(cell == "?" for _, _, cell in GEMS.cells()) / total <= 0.05
    assert sum(cell == "-" for _, _, cell in GEMS.cells()) / total <= 0.05
    for test in questions:
        assert sum(rows[stone][test] == "?" for stone in rows) <= 0.3 * len(rows), test


def test_sign_and_index_do_not_apply_where_there_is_no_axis_or_no_light() -> None:
    for stone in rows:
        behaviour = possible(stone, "optic")
        if not behaviour & {"uniaxial", "biaxial"}:
            assert rows[stone]["sign"] == "-", stone
        if behaviour == {"isotropic"}:
            assert rows[stone]["birefringence"] == "0", stone
        if "metallic" in possible(stone, "lustre") and behaviour == {"opaque"}:
            assert rows[stone]["refraction"] == rows[stone]["birefringence"] == "-", stone


def test_index_range_holds_the_birefringence() -> None:
    for stone in rows:
        if rows[stone]["refraction"] == "-" or possible(stone, "optic") & {"aggregate", "opaque"}:
            continue
        low, high = interval(stone, "refraction")
        assert interval(stone, "birefringence")[0] <= high - low + 0.0021, stone


def test_stones_that_no_test_separates_share_a_group() -> None:
    pairs = GEMS.inseparable()
    assert len(pairs) <= 20
    assert [p for p in pairs if not rows[p[0]]["group"] or rows[p[0]]["group"] != rows[p[1]]["group"]] == []


def test_groups_are_needed() -> None:
    declared = {group["id"] for group in GEMS.kb["groups"]}
    assert declared == {rows[one]["group"] for one, _ in GEMS.inseparable()}
    assert all(group["name"] and group["action"].endswith(".") for group in GEMS.kb["groups"])


def test_every_correction_has_its_reason() -> None:
    assert all(len(fix["reason"]) > 20 and fix["cells"] for fix in CORRECTIONS["fix"])
    assert all(CORRECTIONS["merged"].values())
    touched = [(fix["test"], stone) for fix in CORRECTIONS["fix"] for stone in fix["cells"]]
    assert len(set(touched)) == len(touched)
    assert {stone for _, stone in touched} <= rows.keys()


# Facts: what the table may say of well-known stones. Outcomes: all of these and no others.

OUTCOMES = {
    "diamond": {
        "optic": "isotropic strain",
        "probe": "yes",
        "lustre": "adamantine",
        "cleavage": "four",
        "fire": "strong",
    },
    "quartz": {
        "optic": "uniaxial",
        "sign": "positive",
        "cleavage": "none",
        "system": "trigonal hexagonal none",
        "acid": "none",
    },
    "amethyst": {"colour": "violet", "optic": "uniaxial", "sign": "positive"},
    "ruby": {"colour": "red", "optic": "uniaxial", "sign": "negative", "longwave": "red", "cleavage": "none"},
    "sapphire": {"optic": "uniaxial", "sign": "negative", "streak": "none", "magnet": "none weak"},
    "spinel": {"optic": "isotropic", "sign": NOT_APPLICABLE, "pleochroism": "none", "system": "cubic none"},
    "calcite": {"optic": "uniaxial", "sign": "negative", "cleavage": "three", "acid": "cold", "streak": "white"},
    "aragonite": {"optic": "biaxial", "sign": "negative", "acid": "cold", "system": "orthorhombic hexagonal none"},
    "fluorite": {
        "optic": "isotropic",
        "cleavage": "four three",
        "system": "cubic none",
        "habit": "cube octahedron mass",
    },
    "opal": {"optic": "isotropic", "system": "none", "cleavage": "none", "phenomenon": "play none"},
    "topaz": {"optic": "biaxial", "sign": "positive", "cleavage": "one", "system": "orthorhombic none"},
    "elbaite": {"optic": "uniaxial", "sign": "negative", "pleochroism": "strong", "system": "trigonal hexagonal none"},
    "emerald": {"colour": "green", "optic": "uniaxial", "sign": "negative", "system": "hexagonal none"},
    "aquamarine": {"optic": "uniaxial", "sign": "negative", "cleavage": "poor none"},
    "zircon": {"optic": "uniaxial isotropic", "sign": "positive", "system": "tetragonal none"},
    "peridot": {"colour": "green", "optic": "biaxial", "sign": "positive", "system": "orthorhombic none"},
    "alexandrite": {"phenomenon": "change", "optic": "biaxial", "sign": "positive", "pleochroism": "strong"},
    "tanzanite": {"optic": "biaxial", "sign": "positive", "pleochroism": "strong"},
    "kyanite": {"optic": "biaxial", "sign": "negative", "system": "triclinic none"},
    "moonstone": {"optic": "biaxial", "sign": "negative", "cleavage": "two"},
    "labradorite": {"phenomenon": "sheen", "optic": "biaxial", "sign": "positive", "cleavage": "two"},
    "turquoise": {"colour": "blue green", "optic": "aggregate opaque", "sign": NOT_APPLICABLE, "acid": "none"},
    "jadeite": {"optic": "aggregate", "sign": NOT_APPLICABLE, "fracture": "splintery", "system": "none"},
    "nephrite": {"optic": "aggregate", "sign": NOT_APPLICABLE, "fracture": "splintery", "system": "none"},
    "pearl": {"lustre": "pearly", "inclusions": "organic", "acid": "cold"},
    "coral": {"inclusions": "organic", "acid": "cold", "system": "none"},
    "jet": {"colour": "black", "optic": "opaque", "streak": "brown black", "inclusions": "organic"},
    "malachite": {"colour": "green", "streak": "green", "acid": "cold", "transparency": "opaque"},
    "azurite": {"colour": "blue", "streak": "blue", "acid": "cold"},
    "lazurite": {"colour": "blue", "streak": "blue", "transparency": "opaque"},
    "hematite": {"streak": "red", "transparency": "opaque", "refraction": NOT_APPLICABLE, "lustre": "metallic dull"},
    "magnetite": {
        "magnet": "strong",
        "streak": "black",
        "system": "cubic none",
        "habit": "octahedron mass ball pyramid",
    },
    "pyrite": {"colour": "yellow", "lustre": "metallic", "streak": "black", "system": "cubic none"},
    "galena": {"colour": "grey", "lustre": "metallic", "streak": "grey", "cleavage": "three"},
    "moissanite": {"optic": "uniaxial", "sign": "positive", "probe": "yes", "fire": "strong"},
    "cubic-zirconia": {"optic": "isotropic", "probe": "no", "fire": "strong"},
    "benitoite": {"shortwave": "blue", "optic": "uniaxial", "sign": "positive"},
    "scheelite": {"shortwave": "blue white", "longwave": "inert", "system": "tetragonal none"},
    "star-diopside": {"phenomenon": "star", "magnet": "strong"},
    "rhodochrosite": {"acid": "warm", "cleavage": "three"},
    "synthetic-ruby-verneuil": {"inclusions": "curved bubbles", "habit": "boule", "colour": "red"},
    "opal-doublet": {"inclusions": "two_layers"},
    "slocum-stone": {"longwave": "inert"},  # "None (glass ...)" in the source: told to be absent, not untold
}

# Among other outcomes, these: what a finder may well see or say of uncut material.
MAY = {
    "amethyst": {"habit": "pyramid prism mass"},
    "quartz": {"habit": "pyramid prism mass", "system": "hexagonal none"},
    "calcite": {"habit": "pyramid prism mass cube"},
    "aragonite": {"habit": "prism mass"},
    "azurite": {"habit": "prism tablet mass"},
    "pyrite": {"habit": "cube ball octahedron mass"},
    "galena": {"habit": "cube octahedron mass"},
    "barite": {"habit": "tablet prism mass"},
    "celestine": {"habit": "tablet prism pyramid"},
    "zircon": {"habit": "prism pyramid mass"},
    "spinel": {"habit": "octahedron pyramid mass"},
    "fluorite": {"habit": "cube", "colour": "colourless", "cleavage": "three"},
    "elbaite": {"habit": "prism", "colour": "pink", "cleavage": "none", "system": "hexagonal"},
    "ruby": {"habit": "tablet prism mass", "system": "hexagonal"},
    "almandine": {"habit": "ball mass"},
    "chrysoberyl": {"system": "orthorhombic hexagonal"},
}
ISOTROPIC_GARNETS = ["almandine", "pyrope", "rhodolite", "spessartine", "grossular", "hessonite", "tsavorite"]

# Numbers: the table's range lies inside the first pair and holds the value after it.
NUMBERS = {
    "refraction": {
        "diamond": (2.40, 2.43, 2.417),
        "quartz": (1.543, 1.554, 1.55),
        "ruby": (1.757, 1.779, 1.765),
        "sapphire": (1.757, 1.779, 1.765),
        "spinel": (1.71, 1.735, 1.718),
        "calcite": (1.48, 1.66, 1.6),
        "fluorite": (1.43, 1.44, 1.434),
        "opal": (1.37, 1.52, 1.45),
        "topaz": (1.60, 1.64, 1.62),
        "elbaite": (1.61, 1.66, 1.63),
        "emerald": (1.56, 1.605, 1.58),
        "aquamarine": (1.56, 1.60, 1.575),
        "zircon": (1.78, 2.03, 1.95),
        "peridot": (1.63, 1.70, 1.67),
        "turquoise": (1.59, 1.66, 1.62),
        "jadeite": (1.64, 1.70, 1.66),
        "nephrite": (1.59, 1.64, 1.62),
        "lazurite": (1.49, 1.53, 1.5),
        "cubic-zirconia": (2.08, 2.2, 2.16),
        "moissanite": (2.6, 2.7, 2.65),
        "almandine": (1.75, 1.84, 1.79),
        "demantoid": (1.87, 1.91, 1.888),
        "copal": (1.52, 1.55, 1.54),
    },
    "gravity": {
        "diamond": (3.5, 3.54, 3.52),
        "quartz": (2.63, 2.67, 2.65),
        "ruby": (3.94, 4.06, 4.0),
        "sapphire": (3.94, 4.06, 4.0),
        "spinel": (3.54, 3.7, 3.6),
        "calcite": (2.68, 2.75, 2.71),
        "fluorite": (3.0, 3.3, 3.18),
        "opal": (1.9, 2.3, 2.1),
        "topaz": (3.48, 3.6, 3.53),
        "elbaite": (2.8, 3.3, 3.06),
        "emerald": (2.65, 2.8, 2.72),
        "zircon": (3.85, 4.8, 4.65),
        "peridot": (3.2, 3.5, 3.34),
        "turquoise": (2.3, 2.9, 2.76),
        "jadeite": (3.2, 3.45, 3.33),
        "nephrite": (2.85, 3.2, 2.95),
        "lazurite": (2.4, 3.05, 2.75),
        "pearl": (2.5, 2.9, 2.7),
        "jet": (1.1, 1.4, 1.3),
        "copal": (1.0, 1.12, 1.06),
        "cubic-zirconia": (5.5, 6.1, 5.8),
        "hematite": (4.9, 5.35, 5.2),
        "galena": (7.3, 7.7, 7.5),
    },
    "hardness": {
        "diamond": (10, 10, 10),
        "ruby": (9, 9, 9),
        "topaz": (8, 8, 8),
        "spinel": (7.5, 8, 8),
        "quartz": (7, 7, 7),
        "emerald": (7, 8, 7.5),
        "orthoclase": (6, 6.5, 6),
        "apatite": (5, 5, 5),
        "fluorite": (4, 4, 4),
        "calcite": (3, 3, 3),
        "gypsum": (1.5, 2, 2),
        "kyanite": (4, 7.5, 7),
        "opal": (5, 6.5, 6),
        "synthetic-ruby-hydrothermal": (9, 9, 9),
        "synthetic-alexandrite-flux": (8.5, 8.5, 8.5),
    },
    "birefringence": {
        "diamond": (0, 0, 0),
        "spinel": (0, 0, 0),
        "quartz": (0.008, 0.01, 0.009),
        "ruby": (0.007, 0.01, 0.008),
        "calcite": (0.17, 0.175, 0.172),
        "peridot": (0.03, 0.04, 0.036),
        "zircon": (0, 0.06, 0.059),
        "moissanite": (0.04, 0.045, 0.043),
        "topaz": (0.007, 0.011, 0.009),
        "emerald": (0.003, 0.01, 0.006),
    },
}


@pytest.mark.parametrize(("stone", "facts"), OUTCOMES.items(), ids=list(OUTCOMES))
def test_well_known_outcomes(stone: str, facts: dict[str, str]) -> None:
    assert {test: possible(stone, test) for test in facts} == {test: set(f.split()) for test, f in facts.items()}


@pytest.mark.parametrize(("stone", "facts"), MAY.items(), ids=list(MAY))
def test_what_a_finder_may_say_rules_nothing_true_out(stone: str, facts: dict[str, str]) -> None:
    for test, outcomes in facts.items():
        assert possible(stone, test) >= set(outcomes.split()), test


def test_cut_and_tumbled_stones_and_rough_fire_cannot_be_told() -> None:
    assert "tumbled" in questions["habit"]["note"]
    assert "rough" in questions["fire"]["note"]
    for test in ("habit", "fire", "system"):
        assert "you cannot tell" in questions[test]["note"], test


@pytest.mark.parametrize(
    ("test", "stone", "bounds"), [(test, stone, b) for test, known in NUMBERS.items() for stone, b in known.items()]
)
def test_well_known_numbers(test: str, stone: str, bounds: tuple[float, float, float]) -> None:
    lowest, highest, typical = bounds
    low, high = interval(stone, test)
    assert lowest <= low <= typical <= high <= highest


@pytest.mark.parametrize("garnet", ISOTROPIC_GARNETS)
def test_garnets_are_isotropic_and_without_cleavage(garnet: str) -> None:
    assert possible(garnet, "optic") == {"isotropic"}
    assert possible(garnet, "cleavage") == {"none"}
    assert possible(garnet, "pleochroism") == {"none"}
    assert possible(garnet, "system") == {"cubic", "none"}


@pytest.mark.parametrize(
    ("grown", "natural"),
    [
        ("synthetic-ruby-verneuil", "ruby"),
        ("synthetic-ruby-flux", "ruby"),
        ("synthetic-sapphire-verneuil", "sapphire"),
        ("synthetic-emerald-flux", "emerald"),
        ("synthetic-quartz-hydrothermal", "quartz"),
        ("synthetic-alexandrite-czochralski", "alexandrite"),
    ],
)
def test_grown_stones_have_the_numbers_of_their_mineral_and_other_inclusions(grown: str, natural: str) -> None:
    assert possible(grown, "hardness") & possible(natural, "hardness")
    assert possible(grown, "optic") & possible(natural, "optic")
    assert not possible(grown, "inclusions") & possible(natural, "inclusions")


# The build


def test_build_reproduces_the_table_byte_for_byte() -> None:
    try:
        found = version(PACKAGE)
    except PackageNotFoundError:
        pytest.skip(f"{PACKAGE} is not installed; the table is only rebuilt by those who have it")
    build = runpy.run_path(str(GEMS.folder / "build.py"))
    if found != build["VERSION"]:
        pytest.skip(f"the table was built from {PACKAGE} {build['VERSION']}, installed is {found}")
    assert build["table_text"]().encode() == (GEMS.folder / "table.csv").read_bytes()
