"""The shipped table `houseplants`: its shape, ten rows decided a second time, and five cases told in words."""

from __future__ import annotations

import pytest

from tests.bases import PLANTS
from tests.scenarios import ends_at

SOUND = (
    "insects=none size=- tap=no web=no sticky=no coating=none spots=none halo=? dots=? yellow=none "
    "vein_age=? edges=sound "
    "wilt=no drop=no|few growth=usual lean=no soil=moist|dry watered=0..14 pot_water=no smell=no roots=white stem=firm "
    "crust=none|white|green window=10..300 sun=yes|no moved=no temperature=15..25 draught=no heating=no air=30..70 "
    "fed=usual|never repotted=year|long water_kind=soft|hard sprayed=no spread=no speed=weeks|days|months "
    "which=anywhere season=yes|no flowering=no tunnels=no"
)


def row(changes: str) -> str:
    """A sound plant but for the changes."""
    cells = dict(pair.split("=", 1) for pair in SOUND.split())
    changed = dict(pair.split("=", 1) for pair in changes.split())
    assert changed.keys() <= cells.keys()
    return " ".join(f"{test}={cell}" for test, cell in (cells | changed).items())


REVIEWED = {
    "spider mites": row(
        "insects=crawl|none size=dust tap=round web=yes spots=speckle yellow=patches|all|none air=10..45 "
        "heating=yes|no "
        "spread=yes|no growth=usual|small|twisted"
    ),
    "mealybugs": row(
        "insects=still size=pinhead|larger coating=cotton sticky=yes|no spread=yes|no growth=usual|small|twisted"
    ),
    "scale insects": row(
        "insects=still size=pinhead|larger coating=crust sticky=yes|no spread=yes|no growth=usual|small|twisted"
    ),
    "fungus gnats": row("insects=fly|soil size=pinhead soil=wet|moist crust=green|none|fur spread=yes|no"),
    "powdery mildew": row("coating=powder spread=yes|no edges=sound|curl yellow=none|patches"),
    "root rot": row(
        "roots=brown soil=wet smell=yes|no wilt=soft yellow=old|all pot_water=yes|no growth=none|small stem=firm|soft "
        "which=old|anywhere watered=0..7 drop=few|many edges=sound|tips"
    ),
    "too dry": row(
        "soil=dry wilt=dry edges=rim|tips|curl drop=few|many yellow=old|none watered=7..60 roots=white|few "
        "growth=usual|small"
    ),
    "too little light": row(
        "growth=long|none|small lean=yes window=100..600 sun=no yellow=old|none drop=few|no speed=months|weeks"
    ),
    "sunburn": row(
        "spots=bleached sun=yes window=0..100 moved=yes|no which=window|anywhere speed=days edges=sound|rim season=no"
    ),
    "pot too small": row(
        "roots=circling growth=none|small repotted=long watered=0..5 soil=dry wilt=noon|dry yellow=old|none"
    ),
}


def test_shape() -> None:
    assert (len(PLANTS.rows), len(PLANTS.questions)) == (50, 40)
    cells = [cell for _, _, cell in PLANTS.cells()]
    assert cells.count("?") / len(cells) <= 0.25
    assert cells.count("-") / len(cells) <= 0.1


def test_two_troubles_that_no_test_parts_have_the_same_remedy() -> None:
    assert all(PLANTS.rows[one]["group"] == PLANTS.rows[other]["group"] for one, other in PLANTS.inseparable())


def test_one_name_for_one_trouble() -> None:
    words = [name.casefold() for name in PLANTS.rows]
    words += [alias.casefold() for cells in PLANTS.rows.values() for alias in cells["aliases"].split("|") if alias]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("trouble", REVIEWED)
def test_rows_decided_a_second_time(trouble: str) -> None:
    assert PLANTS.disagreements(trouble, REVIEWED[trouble]) == []


@pytest.mark.parametrize(
    ("seen", "end"),
    [
        # The palm above the radiator got pale dots in January, and fine threads shine between the leaves.
        (
            "insects=none tap=round web=yes sticky=no coating=none spots=speckle heating=yes season=yes "
            "wilt=no soil=moist "
            "roots=white stem=firm smell=no pot_water=no edges=sound air=28",
            {"rinse"},
        ),
        # Tiny flies rise from the wet soil when the pot is touched; the plant itself looks well.
        (
            "insects=fly size=pinhead sticky=no spots=none coating=none wilt=no soil=wet roots=white "
            "stem=firm smell=no "
            "edges=sound yellow=none growth=usual web=no tap=no drop=no",
            {"soil_pest"},
        ),
        # It hangs though the soil is soaked, it smells of the drain, and the roots are brown mush.
        (
            "insects=none wilt=soft soil=wet smell=yes roots=brown stem=firm yellow=old watered=2 spots=none "
            "coating=none "
            "sticky=no edges=sound web=no tap=no drop=few growth=small which=old",
            {"dry_out"},
        ),
        # In the dark hall the shoots grow long and pale towards the door; no animals, no spots.
        (
            "insects=none spots=none coating=none growth=long lean=yes window=300 sun=no sticky=no wilt=no soil=moist "
            "roots=white edges=sound speed=months web=no tap=no drop=few yellow=none",
            {"light"},
        ),
        # Two days after it came home from the shop, the fig throws off green leaves.
        (
            "insects=none drop=green moved=yes speed=days spots=none coating=none wilt=no soil=moist "
            "roots=white draught=no "
            "sticky=no edges=sound yellow=none stem=firm web=no tap=no growth=usual temperature=20 "
            "sprayed=no spread=no",
            {"leave"},
        ),
    ],
)
def test_a_case_told_in_words_ends_rightly(seen: str, end: set[str]) -> None:
    left = ends_at("houseplants", seen)
    assert {PLANTS.rows[name]["group"] if name in PLANTS.rows else name for name in left} == end
