"""The shipped table `network_faults`: its shape, ten rows decided a second time, and five cases told in words."""

from __future__ import annotations

import pytest

from tests.bases import NETWORK
from tests.scenarios import ends_at

HOUSE = (
    "line_light=steady|lost printing=no link=wifi|cable router_power=yes plugs=firm switched_off=no listed=yes "
    "joined=here bars=2..4 near=no "
    "socket_light=yes fixed=no hot=no proxy=no vpn=no clock=yes vpn_says=? vpn_phone=? vpn_others=? printer_state=- "
    "printer_copy=- print_from=- "
)
"""What is as usual where the device is sound: everything else is decided row by row."""

REVIEWED = {
    "outage of the provider": HOUSE + "others=all online_light=searching|online other_cable=no address=usual "
    "router_page=yes ping=no delay=? names=no failing=all says=time|name browser=no programs=no speed=? when=always "
    "change=? hotspot=yes restart_device=no restart_router=no provider=outage dns=yes|no guard=no",
    "router hangs": HOUSE.replace("hot=no", "hot=yes|no")
    + "others=all online_light=online|searching|dark other_cable=no "
    "address=usual|self router_page=yes|no ping=no|some delay=? names=no failing=all says=time|name "
    "browser=no programs=no "
    "speed=? when=always|now_and_then change=? hotspot=yes restart_device=no restart_router=yes|while "
    "provider=fine "
    "dns=yes|no guard=no",
    "wrong Wi-Fi password": HOUSE.replace("joined=here", "joined=password").replace("wifi|cable", "wifi")
    + "others=none online_light=online other_cable=? address=none|self router_page=no ping=no delay=? "
    "names=no failing=all "
    "says=time|name browser=no programs=no speed=? when=always change=? hotspot=yes "
    "restart_device=no "
    "restart_router=no provider=fine dns=yes|no guard=no",
    "too far from the router": HOUSE.replace("near=no", "near=yes")
    .replace("wifi|cable", "wifi")
    .replace("2..4", "0..2")
    + "others=some|none online_light=online other_cable=? address=usual router_page=yes ping=yes|some "
    "delay=5..500 names=yes "
    "failing=slow|many says=loads|time browser=no programs=yes|partly speed=0..60 when=always|now_and_then "
    "change=? hotspot=yes restart_device=no|while restart_router=no provider=fine dns=yes|no guard=no",
    "DNS server does not answer": HOUSE
    + "others=all|some online_light=online other_cable=no address=usual router_page=yes "
    "ping=yes delay=1..80 names=no failing=all says=name|time browser=no programs=no|partly speed=50..100 when=always "
    "change=? hotspot=yes restart_device=no restart_router=yes|no|while provider=fine dns=yes|no guard=no",
    "clock of the device is wrong": HOUSE.replace("clock=yes", "clock=no")
    + "others=none online_light=online other_cable=no address=usual router_page=yes ping=yes delay=1..80 names=yes "
    "failing=all|many says=secure browser=no programs=no|partly speed=50..100 when=always change=? "
    "hotspot=no restart_device=no restart_router=no provider=fine dns=no guard=no",
    "somebody loads a lot": HOUSE + "others=all online_light=online other_cable=no address=usual router_page=yes "
    "ping=yes|some delay=50..2000 names=yes failing=slow says=loads|time browser=no programs=yes|partly "
    "speed=0..60 when=busy "
    "change=? hotspot=yes restart_device=no restart_router=while|no provider=fine dns=yes|no guard=no",
    "VPN login expired": HOUSE.replace("vpn=no", "vpn=yes")
    .replace("vpn_says=? vpn_phone=? vpn_others=?", "vpn_says=login vpn_phone=no vpn_others=yes")
    .replace("near=no", "near=?")
    + "others=none|some online_light=online other_cable=? address=usual router_page=yes ping=yes delay=1..80 names=yes "
    "failing=none says=loads browser=? programs=yes|partly speed=50..100 when=always change=? "
    "hotspot=no "
    "restart_device=no restart_router=no provider=fine dns=yes|no guard=?",
    "printer out of paper or ink": HOUSE.replace("printing=no", "printing=yes")
    .replace("printer_state=- printer_copy=- print_from=-", "printer_state=error printer_copy=no print_from=no")
    .replace("near=no", "near=?")
    + "others=all|some|none online_light=online other_cable=? address=usual router_page=yes ping=yes "
    "delay=1..80 names=yes "
    "failing=none says=loads browser=? programs=yes speed=50..100 when=always change=? hotspot=? "
    "restart_device=no "
    "restart_router=no provider=fine dns=yes|no guard=?",
    "cable unplugged": HOUSE.replace("wifi|cable", "cable")
    .replace("socket_light=yes", "socket_light=no")
    .replace("listed=yes joined=here bars=2..4 near=no", "listed=? joined=? bars=? near=?")
    + "others=none online_light=online other_cable=yes|no address=none|self router_page=no ping=no delay=? names=no "
    "failing=all says=time|name browser=no programs=no speed=? when=always change=? hotspot=yes "
    "restart_device=no "
    "restart_router=no provider=fine dns=yes|no guard=no",
}


def test_shape() -> None:
    assert (len(NETWORK.rows), len(NETWORK.questions)) == (50, 43)
    assert NETWORK.kb["cost_unit"] == "minutes"
    cells = [cell for _, _, cell in NETWORK.cells()]
    assert cells.count("?") / len(cells) <= 0.25
    assert cells.count("-") / len(cells) <= 0.1


def test_two_faults_that_no_test_parts_have_the_same_remedy() -> None:
    assert all(NETWORK.rows[one]["group"] == NETWORK.rows[other]["group"] for one, other in NETWORK.inseparable())


def test_one_name_for_one_fault() -> None:
    words = [name.casefold() for name in NETWORK.rows]
    words += [alias.casefold() for row in NETWORK.rows.values() for alias in row["aliases"].split("|") if alias]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("fault", REVIEWED)
def test_rows_decided_a_second_time(fault: str) -> None:
    assert NETWORK.disagreements(fault, REVIEWED[fault]) == []


@pytest.mark.parametrize(
    ("seen", "end"),
    [
        # Nobody in the house has internet since this morning. The router's internet light blinks red; restarting it
        # changed nothing. On the phone the provider's page speaks of works in the street.
        (
            "printing=no vpn=no others=all link=wifi router_power=yes online_light=searching plugs=firm "
            "ping=no names=no "
            "failing=all says=time programs=no router_page=yes restart_router=no provider=outage hotspot=yes "
            "when=always joined=here listed=yes switched_off=no clock=yes",
            {"provider"},
        ),
        # The laptop is slow in the bedroom only: one arc of the Wi-Fi sign. In the hall beside the router it flies.
        (
            "printing=no vpn=no others=some link=wifi switched_off=no listed=yes joined=here bars=1 "
            "near=yes failing=slow "
            "says=loads when=always clock=yes router_power=yes online_light=online programs=yes provider=fine",
            {"reach"},
        ),
        # Since yesterday every page says the connection is not secure. The clock of the old tablet stands in 2015.
        (
            "printing=no vpn=no others=none clock=no says=secure failing=many link=wifi router_power=yes "
            "online_light=online switched_off=no ping=yes names=yes when=always programs=partly",
            {"device_web"},
        ),
        # From home everything loads but the office: the VPN says the password has run out. The colleagues are in.
        (
            "printing=no vpn=yes vpn_says=login vpn_others=yes vpn_phone=no failing=none says=loads programs=yes "
            "clock=yes others=none hotspot=no ping=yes names=yes",
            {"vpn_login"},
        ),
        # Only printing fails, from every device. The printer is on and copies, but shows no network sign since the
        # Wi-Fi got a new password.
        (
            "printing=yes vpn=no printer_state=offline printer_copy=yes print_from=no failing=none "
            "says=loads programs=yes clock=yes restart_device=no",
            {"printer"},
        ),
    ],
)
def test_a_case_told_in_words_ends_rightly(seen: str, end: set[str]) -> None:
    left = ends_at("network_faults", seen)
    assert {NETWORK.rows[name]["group"] if name in NETWORK.rows else name for name in left} == end
