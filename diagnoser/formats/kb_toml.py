"""kb.toml: what the rows and columns of a folder's table mean, checked down to every key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from diagnoser.errors import BadTable
from diagnoser.formats.cells import bin_outcomes
from diagnoser.formats.toml_source import Place, Source
from diagnoser.kb import NOT_APPLICABLE, Group, Outcome, Test
from diagnoser.text import clean, nearest


def _named(text: str) -> str:
    if not text:
        raise ValueError("must not be empty")
    return text


def _test_id(text: str) -> str:
    if "=" in text:
        raise ValueError('must not hold "="')
    return text


def _outcome_id(text: str) -> str:
    if text in ("?", "-", "unknown", NOT_APPLICABLE):
        raise ValueError("must not be a word that means unknown or not applicable")
    if any(mark in text for mark in "|:!"):
        raise ValueError('must not hold "|", ":" or "!"')
    return text


def _cost(value: float) -> float:
    if not 1e-6 <= value <= 1e9:
        raise ValueError("must be from 0.000001 to 1000000000; choose a larger or a smaller cost_unit")
    return value


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, AfterValidator(clean)]
Name = Annotated[Text, AfterValidator(_named)]
TestId = Annotated[Name, AfterValidator(_test_id)]
OutcomeId = Annotated[Name, AfterValidator(_outcome_id)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Cost = Annotated[float, AfterValidator(_cost)]
AnyOf = Annotated[list[Name], BeforeValidator(_as_list, json_schema_input_type=str | list[Name]), Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Columns(_Strict):
    """Columns of table.csv that are not tests."""

    id: Name | None = None
    group: Name | None = None
    prior: Name | None = None
    aliases: Name | None = None
    note: Name | None = None
    extra: list[Name] = []

    def places(self) -> list[tuple[Place, str]]:
        """Each column named here, with where it is named."""
        single = [("id", self.id), ("group", self.group), ("prior", self.prior)]
        single += [("aliases", self.aliases), ("note", self.note)]
        found: list[tuple[Place, str]] = [(("columns", key), column) for key, column in single if column]
        return found + [(("columns", "extra", place), column) for place, column in enumerate(self.extra)]


class OutcomeEntry(_Strict):
    """One outcome of a test."""

    id: OutcomeId
    label: Name | None = None


class TestEntry(_Strict):
    """One test, with outcomes or with cuts."""

    id: TestId
    name: Text = ""
    question: Text = ""
    outcomes: Annotated[list[OutcomeEntry], Field(min_length=2)] | None = None
    cuts: Annotated[list[Annotated[float, Field(allow_inf_nan=False)]], Field(min_length=1)] | None = None
    unit: Text | None = None
    tolerance: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    cost: Cost = 1.0
    category: Text = ""
    reliability: Annotated[Positive, Field(le=1)] | None = None
    provenance: Literal["hand", "source", "rule"] | None = None
    note: Text = ""
    needs: list[AnyOf] = []
    same_evidence: list[Name] = []


class GroupEntry(_Strict):
    """One part of the rows, with what to do for it."""

    id: Name
    name: Text = ""
    action: Text = ""
    warning: Text = ""


class Head(_Strict):
    """The whole of kb.toml."""

    format: Literal[1]
    title: Name
    version: Text = ""
    licence: Text = ""
    hypothesis: Name = "hypothesis"
    hypotheses: Name | None = None
    scope: Text = ""
    disclaimer: Text = ""
    sources: list[Name] = []
    cost_unit: Name = "tests"
    blank: Name = "unknown"
    inapplicable: Literal["outcome", "unknown"] = "outcome"
    misreported_weight: Annotated[Positive, Field(lt=1)] = 0.05
    columns: Columns = Columns()
    tests: Annotated[list[TestEntry], Field(min_length=1)]
    groups: list[GroupEntry] = []


@dataclass(frozen=True, slots=True)
class Declared:
    """A checked kb.toml, and its tests as far as they are known without the cells."""

    head: Head
    tests: tuple[Test, ...]
    groups: tuple[Group, ...]


def read_head(path: Path) -> Declared:
    """Read and check a kb.toml. Raises BadTable with the key, its line, the value and a remedy."""
    source = Source.read(path)
    try:
        head = Head.model_validate(source.document)
    except ValidationError as error:
        raise _first_error(source, error) from None
    _refuse_repeats(source, head)
    tests = tuple(_test(source, place, entry) for place, entry in enumerate(head.tests))
    _check_references(source, head, tests)
    groups = tuple(Group(g.id, g.name or g.id, g.action, g.warning) for g in head.groups)
    return Declared(head, tests, groups)


def _first_error(source: Source, error: ValidationError) -> BadTable:
    details = error.errors(include_url=False)[0]
    place, kind, message = details["loc"], details["type"], details["msg"]
    value: Any = details["input"]
    if kind == "missing":
        return source.error(place, "is missing", "add it; docs/table-format.md shows every key")
    if kind == "extra_forbidden":
        known = _model_at(place[:-1]).model_fields
        return source.error(place, "is not known", nearest(str(place[-1]), known), value)
    for theirs, ours in _PLAIN.items():
        message = message.replace(theirs, ours)
    return source.error(place, "is not accepted", f"it {message}", value)


_PLAIN = {
    "Value error, ": "",
    "Input should be": "must be",
    "a valid string": "text in quotes",
    "a valid number": "a number without quotes",
    "a valid list": "a list in square brackets",
    "a valid dictionary or instance of Columns": "a section [columns]",
    "a valid dictionary or instance of": "a table, here",
    "List should have": "must have",
    "Value should have": "must have",
    " after validation": "",
}


def _model_at(place: Iterable[str | int]) -> type[_Strict]:
    models: Mapping[tuple[str, ...], type[_Strict]] = {
        ("columns",): Columns,
        ("tests",): TestEntry,
        ("tests", "outcomes"): OutcomeEntry,
        ("groups",): GroupEntry,
    }
    return models.get(tuple(step for step in place if isinstance(step, str)), Head)


def _refuse_repeats(source: Source, head: Head) -> None:
    """Columns and tests share one set of names: both are columns of table.csv."""
    tests: list[tuple[Place, str]] = [(("tests", place, "id"), test.id) for place, test in enumerate(head.tests)]
    groups: list[tuple[Place, str]] = [(("groups", place, "id"), group.id) for place, group in enumerate(head.groups)]
    outcomes: list[list[tuple[Place, str]]] = [
        [(("tests", place, "outcomes", number, "id"), outcome.id) for number, outcome in enumerate(test.outcomes or [])]
        for place, test in enumerate(head.tests)
    ]
    for ids in ([*head.columns.places(), *tests], groups, *outcomes):
        seen: dict[str, Place] = {}
        for place, text in ids:
            first = seen.setdefault(text, place)
            if first is not place:
                line = source.line(first)
                where = source.words(first) + (f" in line {line}" if line else "")
                raise source.error(place, f"is the same as {where}", "rename one of them", text)


def _test(source: Source, place: int, entry: TestEntry) -> Test:
    at = ("tests", place)
    if entry.cuts is None:
        for key, value in (("unit", entry.unit), ("tolerance", entry.tolerance)):
            if value is not None:
                raise source.error((*at, key), "is for numeric tests only", "add cuts or take it out", value)
        if entry.outcomes is None:
            raise source.error(at, "has neither outcomes nor cuts", "list its outcomes, or cuts if it is numeric")
        outcomes = tuple(Outcome(o.id, o.label or o.id) for o in entry.outcomes)
    else:
        if any(low >= high for low, high in pairwise(entry.cuts)):
            raise source.error((*at, "cuts"), "must ascend", "sort the cuts and name each once", str(entry.cuts))
        outcomes = _bin_outcomes(source, at, entry, entry.cuts)
    return Test(
        id=entry.id,
        outcomes=outcomes,
        name=entry.name,
        question=entry.question,
        cost=entry.cost,
        category=entry.category,
        reliability=entry.reliability,
        unit=None if entry.cuts is None else entry.unit or "",
        cuts=tuple(entry.cuts or ()),
        tolerance=entry.tolerance or 0.0,
        needs=tuple(tuple(_need(text) for text in any_of) for any_of in entry.needs),
        same_evidence=tuple(entry.same_evidence),
        provenance=entry.provenance or "",
        note=entry.note,
    )


def _bin_outcomes(source: Source, at: Place, entry: TestEntry, cuts: Sequence[float]) -> tuple[Outcome, ...]:
    if entry.outcomes is not None:
        if len(entry.outcomes) != len(cuts) + 1:
            problem = f"are {len(entry.outcomes)}, but {len(cuts)} cuts make {len(cuts) + 1} bins"
            raise source.error((*at, "outcomes"), problem, "give one for each bin or leave them out")
        return tuple(Outcome(o.id, o.label or o.id) for o in entry.outcomes)
    return bin_outcomes(cuts, entry.unit)


def _need(text: str) -> tuple[str, str]:
    test, _, outcome = text.partition("=")
    return test.strip(), outcome.strip()


def _check_references(source: Source, head: Head, tests: Sequence[Test]) -> None:
    by_id = {test.id: test for test in tests}
    for number, test in enumerate(tests):
        for place, any_of in enumerate(test.needs):
            for other, outcome in any_of:
                at, value = ("tests", number, "needs", place), f"{other}={outcome}"
                if other not in by_id:
                    raise source.error(at, f'names no test "{other}"', nearest(other, by_id), value)
                known = [o.id for o in by_id[other].outcomes]
                if outcome not in known:
                    raise source.error(at, f'names no outcome "{outcome}" of "{other}"', nearest(outcome, known), value)
        for place, other in enumerate(test.same_evidence):
            if other not in by_id or other == test.id:
                remedy = nearest(other, [known for known in by_id if known != test.id])
                raise source.error(("tests", number, "same_evidence", place), "names no other test", remedy, other)
    for number, test in enumerate(tests):
        if cycle := _way_back(test, by_id):
            way = " needs ".join(f'"{name}"' for name in cycle)
            raise source.error(("tests", number, "needs"), f"goes round in a circle: {way}", "take one of them out")
    if head.blank != "unknown" and all(test.outcome_index(head.blank) is None for test in tests):
        raise source.error(("blank",), "is no outcome of any test", 'write "unknown" or an outcome id', head.blank)


def _way_back(start: Test, by_id: Mapping[str, Test]) -> list[str]:
    """The shortest way along `needs` from a test to itself; empty if there is none."""
    came_from: dict[str, str] = {}
    reached = [start.id]
    for name in reached:
        for other in _needed(by_id[name]):
            if other == start.id:
                way = [name, start.id]
                while way[0] != start.id:
                    way.insert(0, came_from[way[0]])
                return way
            if other not in came_from:
                came_from[other] = name
                reached.append(other)
    return []


def _needed(test: Test) -> Iterator[str]:
    return (other for any_of in test.needs for other, _ in any_of)
