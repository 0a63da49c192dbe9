"""A table as an SDD 1.1 document: one data set with a coded description for each hypothesis."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement

from diagnoser.formats.losses import Losses
from diagnoser.formats.sdd import NAMESPACE
from diagnoser.kb import NOT_APPLICABLE, Cell, KnowledgeBase, Test
from diagnoser.text import clean

_USUAL_WORDS = ("item", KnowledgeBase.cost_unit)
"""What reading it back gives."""


def write(kb: KnowledgeBase, path: Path) -> tuple[str, ...]:
    """Write the cells of a table. Returns what the format cannot hold, one line each. Raises OSError."""
    losses = Losses()
    for words in without_place(kb):
        losses.add(f"{words} are not kept")
    root = Element("Datasets", {"xmlns": NAMESPACE})
    data = SubElement(root, "Dataset", {"xml:lang": "en"})
    _label(data, kb.title)
    characters = SubElement(data, "Characters")
    for e, test in enumerate(kb.tests):
        _character(characters, e, test, numeric=e in kb.intervals)
        if e in kb.intervals:
            losses.add("cut points are not kept, they are made anew from the numbers", f'"{test.id}"')
    descriptions = SubElement(data, "CodedDescriptions")
    for x, hypothesis in enumerate(kb.hypotheses):
        description = SubElement(descriptions, "CodedDescription", {"id": f"d{x}"})
        _label(description, hypothesis.name)
        summary = SubElement(description, "SummaryData")
        for e in range(len(kb.tests)):
            _cell(summary, kb, kb.cell(x, e), e, losses)
        description.tail = "\n"  # white space within would be most of a large file
    ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    return losses.lines()


def without_place(kb: KnowledgeBase) -> list[str]:
    """What a data set of characters and items has no place for."""
    hypotheses, tests = kb.hypotheses, kb.tests
    there = {
        "priors": any(h.prior != 1.0 / len(hypotheses) for h in hypotheses),
        "groups": any(h.group for h in hypotheses) or bool(kb.groups),
        "ids apart from names": any(h.name != h.id for h in hypotheses)
        or any(o.label != o.id for t in tests for o in t.outcomes[: t.applicable]),
        "other names, notes and further columns": any(h.aliases or h.note or h.extra for h in hypotheses),
        "scope, disclaimer, licence and sources": any((kb.scope, kb.disclaimer, kb.licence, kb.sources, kb.version)),
        "costs, reliabilities and categories": any(
            t.cost != 1.0 or t.reliability is not None or t.category for t in tests
        ),
        "the words for a row and for costs": (kb.hypothesis_word, kb.cost_unit) != _USUAL_WORDS,
        "tolerances of numbers": any(t.tolerance for t in tests),
        "needs and repeated evidence": any(t.needs or t.same_evidence for t in tests),
        "names, questions and notes of the tests": any(
            {t.name, t.question} - {"", t.id} or t.note or t.provenance for t in tests
        ),
    }
    return [words for words, is_there in there.items() if is_there]


def _label(element: Element, text: str) -> None:
    SubElement(SubElement(element, "Representation"), "Label").text = clean(text)


def _character(characters: Element, e: int, test: Test, *, numeric: bool) -> None:
    kind = "QuantitativeCharacter" if numeric else "CategoricalCharacter"
    character = SubElement(characters, kind, {"id": f"c{e}"})
    _label(character, test.id)
    if numeric:
        if test.unit:
            SubElement(SubElement(character, "MeasurementUnit"), "Label").text = clean(test.unit)
        return
    states = SubElement(character, "States")
    for v, outcome in enumerate(test.outcomes[: test.applicable]):
        _label(SubElement(states, "StateDefinition", {"id": f"c{e}s{v}"}), outcome.id)


def _cell(summary: Element, kb: KnowledgeBase, cell: Cell, e: int, losses: Losses) -> None:
    test = kb.tests[e]
    outcomes = [(v, share) for v, share in cell.outcomes if test.outcomes[v].id != NOT_APPLICABLE]
    if cell.unknown:
        return
    entry = SubElement(summary, "Quantitative" if cell.interval else "Categorical", {"ref": f"c{e}"})
    if not outcomes:
        SubElement(entry, "Status", {"code": "NotApplicable"})
        return
    if len(outcomes) < len(cell.outcomes):
        losses.add('"not applicable" beside other outcomes is not kept', f'"{test.id}"')
    if cell.interval:
        for kind, end in zip(("Min", "Max"), cell.interval, strict=True):
            SubElement(entry, "Measure", {"type": kind, "value": repr(end)})
        return
    for v, share in outcomes:
        state = SubElement(entry, "State", {"ref": f"c{e}s{v}"})
        if len({one for _, one in outcomes}) > 1:
            SubElement(state, "Frequency", {"value": repr(share)})
