"""SDD 1.1 documents (TDWG): the coded descriptions of one data set.

Characters become tests and coded descriptions hypotheses. Several states are several outcomes; a number is the range
from its least to its greatest measure. A data status such as `NotApplicable` or `DataUnavailable` is kept apart. What
holds no outcomes (text, sequences) is left out, and so are names in a second language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from diagnoser.errors import BadTable
from diagnoser.files import read_bytes
from diagnoser.formats.cells import number
from diagnoser.formats.draft import Draft, Range, Shares, safe_id, safe_test
from diagnoser.formats.reading import How, Reading, Tally
from diagnoser.kb import NOT_APPLICABLE, Hypothesis, Outcome, Test
from diagnoser.text import clean

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NAMESPACE = "http://rs.tdwg.org/UBIF/2006/"
_NS = f"{{{NAMESPACE}}}"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_TAG = re.compile(r"""</?[a-z][a-z0-9]*(\s+[\w:-]+\s*=\s*("[^"]*"|'[^']*'))*\s*/?>""", re.IGNORECASE)
"""Markup of names, as HTML has it; what merely stands between two signs is text."""
_NEVER = {"never", "not", "no", "absent", "not present", "excluded"}
"""Modifiers that take a state back."""
_LOW = ("Min", "ObserverEstLower", "MinRangeLegit", "LowerRange")
_HIGH = ("Max", "ObserverEstUpper", "MaxRangeLegit", "UpperRange")
_MIDDLE = ("Mean", "Value", "Median", "Mode", "ObserverEstMean")
_PREFIXES = {"nano": "n", "micro": "µ", "milli": "m", "centi": "c", "deci": "d", "kilo": "k"}
_OTHER_KINDS = ("TextCharacter", "SequenceCharacter", "TextChar", "Sequence")


def read(path: Path, how: How) -> Reading:  # noqa: ARG001  a document says all itself
    """Read the only data set of a document that holds coded descriptions. Raises BadTable."""
    root = _root(path)
    sets = list(_found(root, "Dataset"))
    coded = [one for one in sets if next(_found(one, "CodedDescriptions/CodedDescription"), None) is not None]
    if not coded:
        key = any(element.tag.endswith("Key") for element in root.iter())
        holds = "an identification key and " if key else ""
        problem = f"the document holds {holds}no coded descriptions, so there is no table in it"
        raise BadTable(path, problem, "choose a document with CodedDescriptions")
    draft = Draft(path, "")
    for other in coded[1:]:
        draft.leave_out(f'data set "{_label(other, draft)}": another one with descriptions stands before it')
    data = coded[0]
    draft.title = _label(data, draft)
    tests = _tests(draft, data)
    modifiers = {m.get("id", ""): _label(m, draft).casefold() for m in data.iter(f"{_NS}Modifier") if m.get("id")}
    taxa = {taxon.get("id", ""): taxon for taxon in data.iter(f"{_NS}TaxonName")}
    for description in _found(data, "CodedDescriptions/CodedDescription"):
        name = _label(description, draft)
        taxon = next(
            (taxa[t.get("ref", "")] for t in _found(description, "Scope/TaxonName") if t.get("ref") in taxa), None
        )
        name = name or (_label(taxon, draft) if taxon is not None else "") or description.get("id", "")
        row = draft.add_hypothesis(Hypothesis(name, name, 1.0))
        told: set[str] = set()
        for said in _found(description, "SummaryData/*"):
            reference = said.get("ref", "")
            if reference in told:
                problem = f'the description "{name}" holds this character twice'
                raise BadTable(path, problem, "put both into one", value=clean(reference))
            told.add(reference)
            _fill(draft, row, said, tests, modifiers)
    return draft.finish(hypothesis_word="item", hypotheses_word="items")


def _root(path: Path) -> Element:
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(read_bytes(path), forbid_dtd=True)
    except DefusedXmlException:
        problem = "the document declares entities or a document type, which could be made to fill the memory"
        raise BadTable(path, problem, "take the declaration out") from None
    except ParseError as error:
        line, _ = error.position
        raise BadTable(path, f"this is no XML: {str(error).partition(':')[0]}", "mend it", line=line) from None
    except (ValueError, LookupError) as error:  # an encoding that is not known
        raise BadTable(path, f"this is no XML: {error}", "save it as UTF-8") from None
    if root.tag != f"{_NS}Datasets":
        problem = f'the document is "{clean(root.tag.rpartition("}")[2])}", not the Datasets of SDD 1.1'
        raise BadTable(path, problem, f"choose one of the namespace {NAMESPACE}")
    return root


def _found(element: Element, path: str) -> Iterator[Element]:
    return element.iterfind("/".join(step if step == "*" else _NS + step for step in path.split("/")))


def _label(element: Element, draft: Draft) -> str:
    """The first label of an element."""
    labels = list(_found(element, "Representation/Label"))
    languages = [label.get(_LANGUAGE) for label in labels]
    if len(set(languages)) > 1:
        draft.remark(f"names in {', '.join(str(one) for one in languages[1:])} are not used, for others stand first")
    return clean(_TAG.sub("", "".join(labels[0].itertext()))) if labels else ""


class _Character:
    """A character that became a test, with the outcome of each state."""

    def __init__(self, test: int, outcomes: dict[str, str]) -> None:
        self.test, self.outcomes = test, outcomes


def _tests(draft: Draft, data: Element) -> dict[str, _Character | None]:
    """By id of character; None for those that are left out."""
    characters = list(_found(data, "Characters/*"))
    labels = [_label(character, draft) or character.get("id", "") for character in characters]
    times = Counter(labels)
    found: dict[str, _Character | None] = {}
    for character, label in zip(characters, labels, strict=True):
        number, kind = character.get("id", ""), character.tag.removeprefix(_NS)
        if number in found:
            raise BadTable(draft.path, "two characters have this id", "rename one of them", value=clean(number))
        name = safe_test(label if times[label] == 1 else f"{label} ({number})")
        if kind == "CategoricalCharacter":
            states = list(_found(character, "States/*"))
            texts = [_label(state, draft) or state.get("id", "") for state in states]
            told = Counter(texts)
            known_by = [state.get("id", "") for state in states]
            ids = [safe_id(t if told[t] == 1 else f"{t} ({i})") for t, i in zip(texts, known_by, strict=True)]
            if not states:
                draft.leave_out(f'character "{name}": it has no states', Tally(0, 1, 0, 0, 0, 0))
                found[number] = None
                continue
            outcomes = tuple(Outcome(i, t) for i, t in zip(ids, texts, strict=True))
            test = draft.add_test(Test(name, outcomes, question=label))
            found[number] = _Character(test, dict(zip(known_by, ids, strict=True)))
        elif kind == "QuantitativeCharacter":
            found[number] = _Character(draft.add_test(Test(name, (), question=label, unit=_unit(character))), {})
        else:
            known = sum(s.get("ref") == number for s in data.iter() if s.tag.removeprefix(_NS) in _OTHER_KINDS)
            draft.leave_out(f'character "{name}": it holds text', Tally(0, 1, known, 0, 0, 0))
            found[number] = None
    return found


def _unit(character: Element) -> str | None:
    unit = next((clean(label.text or "") for label in _found(character, "MeasurementUnit/Label")), "")
    prefix = next((clean(p.text or "") for p in _found(character, "Default/MeasurementUnitPrefix")), "")
    return _PREFIXES.get(prefix, prefix) + unit or None


def _fill(
    draft: Draft, row: int, said: Element, tests: dict[str, _Character | None], modifiers: dict[str, str]
) -> None:
    reference = said.get("ref", "")
    if reference not in tests:
        raise BadTable(draft.path, "there is no character with this id", "declare it", value=clean(reference))
    character = tests[reference]
    if character is None:
        return
    status = next((clean(one.get("code", "")) for one in _found(said, "Status")), "")
    if status == "NotApplicable":
        draft.put(row, character.test, {NOT_APPLICABLE: 1.0})
    elif said.tag == f"{_NS}Categorical":
        shares = _shares(draft, said, character, modifiers)
        if shares:
            draft.put(row, character.test, shares)
    elif said.tag == f"{_NS}Quantitative":
        both = _range(draft, said)
        if both:
            draft.put(row, character.test, both)


def _shares(draft: Draft, said: Element, character: _Character, modifiers: dict[str, str]) -> Shares:
    """What a description says of one character; nothing where a modifier takes a state back."""
    shares: dict[str, float] = {}
    weights: dict[str, float] = {}
    for state in _found(said, "State"):
        reference = state.get("ref", "")
        if reference not in character.outcomes:
            problem = f'the character "{draft.test(character.test).id}" has no state with this id'
            raise BadTable(draft.path, problem, "declare it", value=clean(reference))
        outcome = character.outcomes[reference]
        shares[outcome] = 1.0
        for frequency in _found(state, "Frequency"):
            weights[outcome] = _number(draft, frequency.get("value", ""))
            if weights[outcome] < 0:
                raise BadTable(draft.path, "a frequency is below 0", "mend it", value=clean(frequency.get("value", "")))
        for modifier in _found(state, "Modifier"):
            if modifiers.get(modifier.get("ref", ""), "") in _NEVER:
                draft.leave_out("descriptions with a state that a modifier such as never takes back are unknown there")
                return {}
            draft.remark("modifiers of states, such as rarely, are not used")
    for outcome in [outcome for outcome, weight in weights.items() if weight == 0]:
        del weights[outcome], shares[outcome]
    if weights and weights.keys() != shares.keys():
        draft.remark("frequencies that only some states have are not used")
        return shares
    return weights or shares


def _range(draft: Draft, said: Element) -> Range | None:
    ends: dict[str, float] = {}
    for measure in _found(said, "Measure"):
        kind = measure.get("type", "")
        if kind in (*_LOW, *_HIGH, *_MIDDLE):
            ends[kind] = _number(draft, measure.get("value", ""))
        else:
            draft.remark(f"measures of the kind {clean(kind)} are not used")
    return (min(ends.values()), max(ends.values())) if ends else None


def _number(draft: Draft, text: str) -> float:
    value = number(text.strip())
    if value is None:
        raise BadTable(draft.path, "this is no number", "mend it", value=clean(text))
    return value
