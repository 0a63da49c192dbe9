"""What follows from the structure: elements, infrared bands and flame colour, by the BSD-licensed package rdkit."""

from __future__ import annotations

from functools import cache

import chemicals
from rdkit import Chem, RDLogger
from rdkit.Chem.Descriptors import MolWt

RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]

KIT = {
    "el_chlorine": "Cl", "el_bromine": "Br", "el_iodine": "I", "el_fluorine": "F", "el_sulfur": "S",
    "el_phosphorus": "P", "el_nitrogen": "N", "el_arsenic": "As", "el_mercury": "Hg", "el_lead": "Pb",
}  # fmt: skip

BANDS = {
    "ir_oh": "[OX2H]",
    "ir_nh": "[N,n;!H0]",
    "ir_ch": "[CX4;!H0]",
    "ir_aromatic": "a",
    "ir_co": "[CX3;!$(C([O-])=O)](=[OX1])[#1,#6,#7,#8,#16,F,Cl,Br,I]",
    "ir_triple": "[$(C#N),$([C-]#N),$(N=C=[O,S]),$([N]=[N+]=[N-]),$([N-]=[N+]=[N-]),$([C-]#[O+]),"
    "$([Si,Ge,As,Sb;!H0]),$(C(=O)=S),$(N#[N+][O-])]",
    "ir_no2": "[#6][N+](=O)[O-]",
    "ir_ether": "[#6][OX2;!$(ON)]",
    "ir_ccl": "[#6]Cl",
    "ir_cf": "[#6]F",
    "ir_po": "[$(P=O),$(P(=S)O[#6])]",
    "ir_so": "[$(S=O),$([S+][O-])]",
}
"""Groups that show bands of their own, as SMARTS; only where the structure is covalent."""

DOUBTFUL = {
    "ir_oh": "[OH-]",
    "ir_ccl": "cCl",
    "ir_co": "[$(C([O-])=O),$([C-]#[O+]),$(C(=O)=O)]",
    "ir_no2": "[N+](=O)[O-]",
    "ir_so": "[$([S]([O-])),$(S~O)]",
    "ir_po": "[$(P~O),$(P=S)]",
    "ir_triple": "[$(C#C),$([P,Se,B;!H0]),$(C=C=C)]",
    "ir_nh": "[NH4+]",
}
"""Where a band stands near or is easily taken for it: not decided."""

NITRATE = "[$([N+](=O)([O-])[O-]),$([N+](=O)([O-])[OH]),$(N(=O)[O-])]"
CYANIDE = "[$([C-]#N),$([CH]#N),$([C]#[N])]"
METALS = set("Li Na K Rb Cs Be Mg Ca Sr Ba Al Ga Ti Zr V Cr Mn Fe Co Ni Cu Ag Zn Cd Hg Tl Pb Sn Sb W Os U Ge".split())
FLAMES = {
    "Na": "yellow", "K": "violet", "Rb": "violet|red", "Cs": "violet", "Li": "red", "Ca": "red", "Sr": "red",
    "Ba": "green", "B": "green", "Cu": "green", "Tl": "green",
}  # fmt: skip
COLOURLESS = set("H C N O F Cl Br I S".split())


@cache
def smiles_of(cas: str) -> str | None:
    """The structure in the package chemicals; nothing where another substance comes back."""
    try:
        found = chemicals.search_chemical(cas)
    except ValueError:
        return None
    return found.smiles if found.CASs == cas else None


@cache
def molecule(smiles: str) -> Chem.Mol:
    """With all that rdkit finds out about it."""
    found = Chem.MolFromSmiles(smiles)
    if found is not None:
        return found
    found = Chem.MolFromSmiles(smiles, sanitize=False)
    found.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(found)
    return found


def molar_mass(smiles: str) -> float:
    """In grams to the mole."""
    return float(MolWt(molecule(smiles)))


def elements(smiles: str) -> set[str]:
    """Symbols of all its elements."""
    found = {atom.GetSymbol() for atom in molecule(smiles).GetAtoms()}
    return found | ({"H"} if any(atom.GetTotalNumHs() for atom in molecule(smiles).GetAtoms()) else set())


def has(smiles: str, smarts: str) -> bool:
    """Whether the group occurs."""
    return bool(molecule(smiles).HasSubstructMatch(Chem.MolFromSmarts(smarts)))


def flame_seen(smiles: str) -> str:
    """How the flame of a vapour looks: the more carbon to hydrogen, the more soot; oxygen and nitrogen clear it."""
    atoms = list(molecule(smiles).GetAtoms())
    carbon = sum(atom.GetSymbol() == "C" for atom in atoms)
    hydrogen = sum(atom.GetTotalNumHs() for atom in atoms)
    clearing = sum(atom.GetSymbol() in ("O", "N") for atom in atoms)
    if carbon >= 4 and clearing <= 1 and carbon > 0.75 * hydrogen:
        return "smoky"
    return "flame|smoky" if carbon >= 5 and clearing <= carbon / 5 else "flame"


def kit(smiles: str) -> dict[str, str]:
    """What the spot kits for elements, nitrate and cyanide and the copper wire show."""
    found = elements(smiles)
    cells = {test: "yes" if symbol in found else "no" for test, symbol in KIT.items()}
    cells["nitrate"] = "yes" if has(smiles, NITRATE) and not has(smiles, "[#6][N+](=O)[O-]") else "no"
    ionic = has(smiles, "[$([C-]#N),$([CH]#N),$([C]#[N].[Cu,Ag])]") and "C" in found
    cells["cyanide"] = "yes" if ionic else "no"
    halogens = found & {"Cl", "Br", "I"}
    cells["beilstein"] = "no" if not halogens else "yes" if has(smiles, "[#6][Cl,Br,I]") else "?"
    return cells


def flame(smiles: str) -> str:
    """Colour that it gives to a clean flame."""
    found = elements(smiles)
    for symbol in ("Na", "Li", "Sr", "Ba", "Tl", "Cu", "B", "Ca", "K", "Rb", "Cs"):
        if symbol in found:
            return FLAMES[symbol]
    return "none" if found <= COLOURLESS else "?"


def bands(smiles: str) -> dict[str, str]:
    """Infrared bands by group; metals show none, and the question does not apply to them."""
    found = elements(smiles)
    if found <= METALS | {"H"} and found & METALS and not has(smiles, "[Ge,Sb;!H0]"):
        return dict.fromkeys(BANDS, "-" if len(found) == 1 else "?")
    cells = {test: "yes" if has(smiles, smarts) else "no" for test, smarts in BANDS.items()}
    for test, smarts in DOUBTFUL.items():
        if has(smiles, smarts) and (cells[test] == "no" or test == "ir_ccl"):
            cells[test] = "yes|no" if test == "ir_ccl" and has(smiles, "CCl") is False else cells[test]
            cells[test] = "?" if cells[test] == "no" else cells[test]
    return cells
