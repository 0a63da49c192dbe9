"""The shipped table `car_faults`: its shape, ten rows decided a second time, and five cases told in words."""

from __future__ import annotations

import pytest

from tests.bases import CARS
from tests.scenarios import ends_at


def row(changes: str, runs: bool = True) -> str:
    """A sound car but for the changes; where the engine does not run, what only a running one shows is left open."""
    sound = (
        "fuel=enough key_lamp=no brake_lamp=no coolant=between oil_level=between smell=none noise=none noise_when=? "
        "puddle=none pedal=firm tread=even clutch=usual|automatic gears=usual belt=sound damp=always "
        "use=? stood=no "
        "pressure=85..100 volts=12.4..12.9 "
    )
    running = (
        "runs=yes crank=- lamps=- jump=- tap=- charging=13.4..14.8 engine_lamp=off battery_lamp=no "
        "oil_lamp=no abs_lamp=no "
        "temperature=normal smoke=none idle=smooth power=yes pull=no shake=no steering=usual wheel_hot=no heater=yes "
        "cooling=yes lights_dim=no codes=none pump=yes"
    )
    standing = (
        "runs=no crank=normal lamps=bright jump=no tap=no charging=? engine_lamp=? battery_lamp=? oil_lamp=? "
        "abs_lamp=? "
        "temperature=? smoke=? idle=? power=? pull=? shake=? steering=? wheel_hot=? heater=? cooling=? lights_dim=? "
        "codes=none pump=yes"
    )
    cells = dict(pair.split("=", 1) for pair in (sound + (running if runs else standing)).split())
    changed = dict(pair.split("=", 1) for pair in changes.split())
    assert changed.keys() <= cells.keys()
    return " ".join(f"{test}={cell}" for test, cell in (cells | changed).items())


REVIEWED = {
    "flat battery": row(
        "crank=click|slow|nothing lamps=fade|dark volts=5..11.8 jump=yes damp=cold|always stood=yes|no pump=yes|no",
        False,
    ),
    "starter worn": row("crank=click|nothing tap=yes|no", False),
    "tank empty": row("fuel=empty", False),
    "alternator does not charge": row("battery_lamp=yes charging=10..13.2 volts=10..12.4 lights_dim=yes"),
    "coolant lost through a leak": row(
        "temperature=hot coolant=low smell=sweet|none puddle=coolant|none heater=no|yes damp=hot|always"
    ),
    "head gasket blown": row(
        "temperature=hot|normal coolant=oily|low|between oil_level=milky|between smoke=white smell=sweet|none "
        "idle=rough|smooth heater=no|yes engine_lamp=on|off|blinks power=weak|yes codes=misfire|none|mixture"
    ),
    "misfire: coil or plug": row(
        "engine_lamp=blinks|on idle=rough power=jerks|weak codes=misfire shake=stand|pull_away damp=always|wet|cold "
        "use=?"
    ),
    "brake fluid lost": row("brake_lamp=yes pedal=soft puddle=brake|none"),
    "wheel bearing": row("noise=hum|grind noise_when=speed|turn wheel_hot=no|yes"),
    "clutch worn": row("clutch=high power=revs smell=rubber|none"),
}


def test_shape() -> None:
    assert (len(CARS.rows), len(CARS.questions)) == (62, 42)
    cells = [cell for _, _, cell in CARS.cells()]
    assert cells.count("?") / len(cells) <= 0.25
    assert cells.count("-") / len(cells) <= 0.1
    assert all(CARS.rows[one]["group"] == CARS.rows[other]["group"] for one, other in CARS.inseparable())


def test_one_name_for_one_fault() -> None:
    words = [name.casefold() for name in CARS.rows]
    words += [alias.casefold() for cells in CARS.rows.values() for alias in cells["aliases"].split("|") if alias]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("fault", ["brake fluid lost", "air in the brakes or worn master cylinder"])
def test_bad_brakes_are_not_driven_with(fault: str) -> None:
    groups = {group["id"]: group for group in CARS.kb["groups"]}
    assert groups[CARS.rows[fault]["group"]]["name"].startswith("Do not drive")


@pytest.mark.parametrize("fault", ["low on oil", "timing belt torn", "head gasket blown", "fuel leak"])
def test_what_ruins_the_engine_or_burns_is_towed(fault: str) -> None:
    assert CARS.rows[fault]["group"] == "tow"


@pytest.mark.parametrize("fault", REVIEWED)
def test_rows_decided_a_second_time(fault: str) -> None:
    assert CARS.disagreements(fault, REVIEWED[fault]) == []


@pytest.mark.parametrize(
    ("seen", "end"),
    [
        # A frosty morning: only clicks, the headlamps nearly go out. With the neighbour's leads it starts at once.
        (
            "runs=no crank=click lamps=fade jump=yes fuel=enough key_lamp=no damp=cold noise=none stood=no "
            "smell=none tap=no",
            {"jump"},
        ),
        # On the motorway the needle goes into the red and it smells sweet; below the car a green puddle spreads.
        (
            "runs=yes temperature=hot smell=sweet puddle=coolant coolant=low smoke=none engine_lamp=off "
            "oil_level=between "
            "noise=none power=yes idle=smooth battery_lamp=no oil_lamp=no brake_lamp=no",
            {"cool"},
        ),
        # The engine shakes and jerks since yesterday, the engine lamp blinks when pulling away.
        (
            "runs=yes engine_lamp=blinks idle=rough power=jerks codes=misfire shake=stand smoke=none "
            "temperature=normal "
            "noise=none smell=none puddle=none battery_lamp=no oil_lamp=no brake_lamp=no damp=always coolant=between",
            {"engine_garage"},
        ),
        # A grinding noise at each braking; the pedal is firm, no lamp is on.
        (
            "runs=yes noise=grind noise_when=brake pedal=firm brake_lamp=no engine_lamp=off "
            "temperature=normal puddle=none "
            "smell=none pull=no shake=no power=yes idle=smooth gears=usual clutch=usual steering=usual "
            "wheel_hot=no stood=no",
            {"brakes_soon"},
        ),
        # At 110 the steering wheel trembles; slower and faster it is calm. No noise, straight on, tyres full and even.
        (
            "runs=yes shake=speed noise=none pull=no steering=usual tread=even pressure=95 pedal=firm power=yes "
            "engine_lamp=off temperature=normal smell=none puddle=none gears=usual idle=smooth clutch=usual",
            {"tyres"},
        ),
    ],
)
def test_a_case_told_in_words_ends_rightly(seen: str, end: set[str]) -> None:
    left = ends_at("car_faults", seen)
    assert {CARS.rows[name]["group"] if name in CARS.rows else name for name in left} == end
