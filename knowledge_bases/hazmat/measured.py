"""Numbers of the table out of the MIT-licensed package chemicals, each from named sources only.

Left out on purpose: estimates (JOBACK and the like) and COMMON_CHEMISTRY (non-commercial terms); Serat flash points
of anything but C, H, N and O, which are wrong for halogenated solvents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import exp, log

import chemicals
from chemicals import safety, vapor_pressure, volume
from chemicals.miscdata import CRC_inorganic_data, CRC_organic_data

KELVIN = 273.15
ROOM = 293.15
MOLAR_VOLUME = 24.45  # litres of one mole of gas at 25 degrees C
AIR = 28.96

BOILING = ("CRC_ORG", "CRC_INORG", "WEBBOOK", "YAWS", "WIKIDATA")
MELTING = ("CRC_ORG", "CRC_INORG", "OPEN_NTBKM", "WEBBOOK", "WIKIDATA")
FLASH = (safety.NFPA, safety.IEC, "WIKIDATA")
LIMITS = (safety.NFPA, safety.IEC, "WIKIDATA")

Span = tuple[float, float]
"""The lowest and the highest value of the sources."""


def first(lookup: Callable[..., float | None], cas: str, methods: Iterable[str]) -> float | None:
    """What the first source that has the substance says."""
    return next((value for value in every(lookup, cas, methods)), None)


def every(lookup: Callable[..., float | None], cas: str, methods: Iterable[str]) -> list[float]:
    """What all of the sources say."""
    said = (lookup(CASRN=cas, method=method) for method in methods)
    return [value for value in said if value is not None and value == value]


def span(values: list[float]) -> Span | None:
    """From the lowest to the highest."""
    return (min(values), max(values)) if values else None


def boiling(cas: str) -> Span | None:
    """Boiling point at normal pressure in degrees C."""
    value = first(chemicals.Tb, cas, BOILING)
    return None if value is None else (value - KELVIN, value - KELVIN)


def melting(cas: str) -> Span | None:
    """Melting point in degrees C."""
    value = first(chemicals.Tm, cas, MELTING)
    return None if value is None else (value - KELVIN, value - KELVIN)


def flash_point(cas: str, elements: set[str]) -> Span | None:
    """Closed-cup flash point in degrees C."""
    methods = (*FLASH, safety.SERAT) if elements <= set("CHNO") else FLASH
    values = every(chemicals.T_flash, cas, FLASH) or every(chemicals.T_flash, cas, methods)
    return span([value - KELVIN for value in values])


def autoignition(cas: str) -> Span | None:
    """Temperature at which the vapour lights without a flame, in degrees C."""
    return span([value - KELVIN for value in every(chemicals.T_autoignition, cas, (safety.NFPA, safety.IEC))])


def lower_limit(cas: str) -> Span | None:
    """Lower flammability limit in volume per cent."""
    return span([100 * value for value in every(chemicals.LFL, cas, LIMITS)])


def upper_limit(cas: str) -> Span | None:
    """Upper flammability limit in volume per cent."""
    return span([100 * value for value in every(chemicals.UFL, cas, LIMITS)])


def refractive_index(cas: str) -> Span | None:
    """For sodium light near 20 degrees C."""
    if "CRC" not in chemicals.RI_methods(cas):
        return None
    value, kelvin = chemicals.RI(cas, method="CRC")
    return (value, value) if value and kelvin and 288 <= kelvin <= 300 else None


def density(cas: str, molar_mass: float) -> Span | None:
    """Of the liquid or solid near room temperature, in grams to the millilitre."""
    for table in (CRC_organic_data, CRC_inorganic_data):
        if cas in table.index and table.at[cas, "rho"] > 300:
            value = table.at[cas, "rho"] / 1000
            return value, value
    for table in (volume.rho_data_CRC_inorg_l_const, volume.rho_data_CRC_inorg_s_const):
        if cas in table.index and table.at[cas, "Vm"] > 0:
            value = molar_mass / table.at[cas, "Vm"] / 1e6
            return value, value
    return None


def vapour_pressure(cas: str) -> Span | None:
    """At 20 degrees C in hectopascals."""
    value = _antoine(cas) or _dippr(cas) or _wagner(cas)
    return None if value is None else (value / 100, value / 100)


def _row(table: object, cas: str) -> dict[str, float] | None:
    """The constants of one substance where the range holds room temperature."""
    if cas not in table.index:  # type: ignore[attr-defined]
        return None
    row: dict[str, float] = table.loc[cas].to_dict()  # type: ignore[attr-defined]
    return row if row.get("Tmin", 0) - 20 <= ROOM <= row.get("Tmax", 1e9) + 20 else None


def _antoine(cas: str) -> float | None:
    row = _row(vapor_pressure.Psat_data_AntoinePoling, cas)
    return float(10 ** (row["A"] - row["B"] / (ROOM + row["C"]))) if row else None


def _dippr(cas: str) -> float | None:
    row = _row(vapor_pressure.Psat_data_Perrys2_8, cas)
    if row is None:
        return None
    return exp(row["C1"] + row["C2"] / ROOM + row["C3"] * log(ROOM) + row["C4"] * ROOM ** row["C5"])


def _wagner(cas: str) -> float | None:
    row = _row(vapor_pressure.Psat_data_VDI_PPDS_3, cas)
    if row is None or row["Tc"] <= ROOM or row["Tm"] > ROOM:
        return None
    tau = 1 - ROOM / row["Tc"]
    terms = row["A"] * tau + row["B"] * tau**1.5 + row["C"] * tau**2.5 + row["D"] * tau**5
    return float(row["Pc"] * exp(row["Tc"] / ROOM * terms))


def pressure_from_boiling(celsius: float) -> Span:
    """Vapour pressure at 20 degrees C that the boiling point leaves possible (Trouton's rule with room either way)."""
    ratio = 1 - (celsius + KELVIN) / ROOM
    ends = sorted(1013 * exp(factor * ratio) for factor in (10.2, 13.5))
    return ends[0], ends[1]


def exposure_limit(cas: str, molar_mass: float) -> Span | None:
    """Average over a working day, else ceiling, of Ontario; in milligrams to the cubic metre."""
    if not safety.TWA_methods(cas):
        return None
    found = chemicals.TWA(cas) or chemicals.Ceiling(cas)
    if not found or found[0] is None:
        return None
    value, unit = found
    milligrams = value * molar_mass / MOLAR_VOLUME if unit == "ppm" else value
    return milligrams, milligrams


def skin_notation(cas: str) -> bool | None:
    """Whether Ontario's list says that it goes through skin."""
    return chemicals.Skin(cas) if safety.TWA_methods(cas) else None


def carcinogen(cas: str) -> str:
    """Yes, suspected or no by the lists of IARC and NTP; what neither names, the papers call nothing."""
    said = " ".join(map(str, chemicals.Carcinogen(cas).values()))
    if "(1)" in said or "(2A)" in said or "Known" in said:
        return "yes"
    return "suspected" if "(2B)" in said or "Reasonably" in said else "no"


def mixes_with_water(cas: str) -> float | None:
    """Logarithm of the partition between octanol and water: below 0 mixes, above 1.5 hardly dissolves."""
    return first(chemicals.logP, cas, ("CRC", "SYRRES"))
