"""A knowledge base as far as our own folder can hold it.

What our readers made is held as it is. Elsewhere a table may have ids that are marks in our cells, texts of several
lines, probabilities that do not sum to 1; these are changed here, and each change is said.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from diagnoser.formats.cells import Partials, bins
from diagnoser.formats.draft import safe_id
from diagnoser.formats.losses import Losses, renamed
from diagnoser.formats.prior import scaled
from diagnoser.kb import (
    DOES_NOT_APPLY,
    NOT_APPLICABLE,
    UNKNOWN,
    Group,
    Hypothesis,
    KnowledgeBase,
    Outcome,
    Partial,
    Test,
)
from diagnoser.text import clean

Intervals = tuple[tuple[float, float] | None, ...]

_LARGEST = 1.7976931348623157e308
_LEAST_PRIOR = 1e-100
_COSTS = (1e-6, 1e9)
_PROVENANCES = ("", "hand", "source", "rule")


def storable(kb: KnowledgeBase) -> tuple[KnowledgeBase, tuple[str, ...]]:
    """The table that comes back from our folder, and what was changed for it, one line each.

    Partial cells are numbered as they turn up down the rows, which is no change of the table.
    """
    losses = Losses()
    text = _Texts(losses)
    columns = [_column(kb, index, losses) for index in range(len(kb.tests))]
    names = _Names([column.test for column in columns], losses)
    tests = tuple(_test(column.test, place, names, text, losses) for place, column in enumerate(columns))
    codes = array("h", bytes(2 * len(kb.codes)))
    for index, column in enumerate(columns):
        codes[index :: len(columns)] = column.codes
    groups = _groups(kb, text, losses)
    stored = replace(
        kb,
        title=text(kb.title, "the title", "table"),
        hypotheses=_hypotheses(kb, names, text, losses),
        tests=tests,
        codes=codes,
        groups=groups,
        intervals={index: column.intervals for index, column in enumerate(columns) if column.intervals is not None},
        version=text(kb.version, "the version"),
        licence=text(kb.licence, "the licence"),
        scope=text(kb.scope, "the scope"),
        disclaimer=text(kb.disclaimer, "the disclaimer"),
        sources=tuple(source for entry in kb.sources if (source := text(entry, "the sources", ""))),
        hypothesis_word=text(kb.hypothesis_word, "the word for a hypothesis", "hypothesis"),
        hypotheses_word=text(kb.hypotheses_word, "the word for hypotheses", "hypotheses"),
        cost_unit=text(kb.cost_unit, "the unit of costs", "tests"),
    )
    named = {outcome.id for test in tests for outcome in test.outcomes[: test.applicable]}
    return replace(stored, blank=kb.blank if kb.blank in named else "unknown"), losses.lines()


class _Texts:
    """Texts as a file gives them back."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses

    def __call__(self, text: str, part: str, instead: str | None = None) -> str:
        """The text; `instead` where it is empty and must not be."""
        held = clean(text)
        if instead is not None and not held:
            self._losses.add("an empty text is not kept", part)
            return instead
        if held != text:
            self._losses.add("line breaks, blanks at the ends and control characters are not kept", part)
        return held


@dataclass(frozen=True, slots=True)
class _Column:
    """One test with its cells."""

    test: Test
    codes: array[int]
    intervals: Intervals | None


def _column(kb: KnowledgeBase, index: int, losses: Losses) -> _Column:
    test, codes = kb.tests[index], kb.codes[index :: len(kb.tests)]
    intervals = kb.intervals.get(index)
    if test.cuts:
        numeric = _numeric(test, codes, intervals)
        if numeric is not None:
            if numeric.intervals != intervals and intervals is not None:
                losses.add(f"numbers without end are written as {_LARGEST}", f'test "{test.id}"')
            return numeric
        losses.add("its numbers and cut points are not kept, only its ranges, for they do not agree", _part(test))
    elif intervals is not None or test.unit is not None or test.tolerance:
        losses.add("numbers are not kept, for it has no cut points", _part(test))
    return _nominal(replace(test, unit=None, cuts=(), tolerance=0.0), codes, losses)


def _part(test: Test) -> str:
    return f'test "{test.id}"'


def _numeric(test: Test, codes: array[int], intervals: Intervals | None) -> _Column | None:
    """The column where its cells are what its numbers say, else None."""
    ends = intervals or (None,) * len(codes)
    numbers = [test.tolerance, *test.cuts]
    last = len(test.cuts) + 1
    inapplicable = len(test.outcomes) == last + 1 and test.outcomes[last].id == NOT_APPLICABLE
    if (
        not all(map(math.isfinite, numbers))
        or test.tolerance < 0
        or any(low >= high for low, high in pairwise(test.cuts))
        or not (len(test.outcomes) == last or (inapplicable and last in codes))
    ):
        return None
    partials = Partials()
    known: dict[tuple[float, float], tuple[int, Partial]] = {}
    held: list[tuple[float, float] | None] = []
    new = array("h")
    for code, both in zip(codes, ends, strict=True):
        if both is None:
            if code != UNKNOWN and not (inapplicable and code == last):
                return None
            held.append(None)
            new.append(code)
            continue
        low, high = (max(-_LARGEST, min(_LARGEST, end)) for end in both)
        if not low <= high:
            return None
        held.append((low, high))
        if (low, high) not in known:
            touched = bins((low, high), test.cuts, test.tolerance)
            meant = tuple((place, 1.0 / len(touched)) for place in touched)
            known[low, high] = partials.code(meant), meant
        again, meant = known[low, high]
        if code == UNKNOWN or meant != (test.partials[-2 - code] if code < UNKNOWN else ((code, 1.0),)):
            return None
        new.append(again)
    label = (DOES_NOT_APPLY,) if inapplicable else ()
    outcomes = (*test.outcomes[:last], *label)
    changed = replace(test, outcomes=outcomes, unit=test.unit or "", partials=tuple(partials))
    return _Column(changed, new, tuple(held))


def _nominal(test: Test, codes: array[int], losses: Losses) -> _Column:
    outcomes = list(test.outcomes[: test.applicable])
    place = list(range(len(test.outcomes)))
    if len(outcomes) < 2:
        word = outcomes[0].id if outcomes else "yes"
        outcomes = [*outcomes, *(Outcome(name, name) for name in ("yes", f"not {word}")[len(outcomes) :])]
        losses.add(f'a second outcome "{outcomes[1].id}" is added, for a test has two at least', _part(test))
    partials = Partials()
    new: dict[int, int] = {UNKNOWN: UNKNOWN}
    inapplicable = False
    if test.applicable < len(test.outcomes):
        place[-1] = len(outcomes)
    for code in dict.fromkeys(codes):
        if code == UNKNOWN:
            continue
        partial = test.partials[-2 - code] if code < UNKNOWN else ((code, 1.0),)
        possible = [(place[outcome], share) for outcome, share in partial if share > 0]
        shares = scaled([share for _, share in possible])
        if shares != [share for _, share in partial]:
            losses.add("probabilities are scaled to sum to 1", _part(test))
        cell = tuple(sorted(zip((outcome for outcome, _ in possible), shares, strict=True)))
        inapplicable = inapplicable or cell[-1][0] == len(outcomes)
        new[code] = partials.code(cell)
    if inapplicable:
        outcomes.append(DOES_NOT_APPLY)
    elif test.applicable < len(test.outcomes):
        losses.add('"does not apply" is no outcome any more, for no row has it', _part(test))
    if inapplicable and test.outcomes[-1] != DOES_NOT_APPLY:
        losses.add(f'the label of "does not apply" was "{test.outcomes[-1].label}"', _part(test))
    changed = replace(test, outcomes=tuple(outcomes), partials=tuple(partials))
    return _Column(changed, array("h", map(new.__getitem__, codes)), None)


class _Names:
    """Ids of tests and outcomes that our files can hold."""

    def __init__(self, tests: Sequence[Test], losses: Losses) -> None:
        old = [test.id for test in tests]
        self.tests = renamed("tests", old, [name if _is_test(name) else safe_id(name) for name in old], (), losses)
        self.outcomes = [_outcome_ids(test, losses) for test in tests]
        self._places = {test.id: place for place, test in reversed([*enumerate(tests)])}
        self._needed = [
            {outcome.id: name for outcome, name in zip(test.outcomes[: test.applicable], names, strict=False)}
            for test, names in zip(tests, self.outcomes, strict=True)
        ]

    def test(self, test: str) -> str | None:
        """The id that a test has now; None where there is no such test."""
        place = self._places.get(test)
        return None if place is None else self.tests[place]

    def need(self, test: str, outcome: str) -> tuple[str, str] | None:
        """The ids of a need; None where there is no such test or outcome."""
        place = self._places.get(test)
        name = None if place is None else self._needed[place].get(outcome)
        return None if place is None or name is None else (self.tests[place], name)


def _outcome_ids(test: Test, losses: Losses) -> tuple[str, ...]:
    old = [outcome.id for outcome in test.outcomes[: test.applicable]]
    wanted = [name if _is_outcome(name) else safe_id(name) for name in old]
    none = [outcome.id for outcome in test.outcomes[test.applicable :]]
    return (*renamed(f'outcomes of "{test.id}"', old, wanted, (), losses), *none)


def _is_test(name: str) -> bool:
    return bool(name) and name == clean(name) and "=" not in name


def _is_outcome(name: str) -> bool:
    if name in ("", "?", "-", "unknown", NOT_APPLICABLE) or name != clean(name):
        return False
    return not any(mark in name for mark in "|:!")


def _test(test: Test, place: int, names: _Names, text: _Texts, losses: Losses) -> Test:
    part = _part(test)
    cost = min(max(test.cost, _COSTS[0]), _COSTS[1])
    if cost != test.cost:
        losses.add(f"the cost {test.cost} becomes {cost}", part)
    reliability = test.reliability
    if reliability is not None and not 0 < reliability <= 1:
        losses.add(f"the reliability {reliability} is no probability", part)
        reliability = None
    if test.provenance not in _PROVENANCES:
        losses.add(f'the provenance "{test.provenance}" is not kept', part)
    return replace(
        test,
        id=names.tests[place],
        outcomes=tuple(
            outcome if name == NOT_APPLICABLE else Outcome(name, text(outcome.label, part, name))
            for name, outcome in zip(names.outcomes[place], test.outcomes, strict=True)
        ),
        name=text(test.name, part),
        question=text(test.question, part),
        cost=cost,
        category=text(test.category, part),
        reliability=reliability,
        unit=None if test.unit is None else text(test.unit, part),
        needs=tuple(_needs(test, names, losses)),
        same_evidence=tuple(_same_evidence(test, names, losses)),
        provenance=test.provenance if test.provenance in _PROVENANCES else "",
        note=text(test.note, part),
    )


def _needs(test: Test, names: _Names, losses: Losses) -> Iterator[tuple[tuple[str, str], ...]]:
    for any_of in test.needs:
        held = tuple(need for pair in any_of if (need := names.need(*pair)) is not None)
        if len(held) < len(any_of) or not any_of:
            losses.add("a need that names no outcome of another test is not kept", _part(test))
        if held:
            yield held


def _same_evidence(test: Test, names: _Names, losses: Losses) -> Iterator[str]:
    for other in test.same_evidence:
        found = names.test(other)
        if found is None or other == test.id:
            losses.add("same evidence as a test that is not there is not kept", _part(test))
        else:
            yield found


def _groups(kb: KnowledgeBase, text: _Texts, losses: Losses) -> tuple[Group, ...]:
    declared = [replace(group, id=name) for group in kb.groups if (name := text(group.id, "the groups", ""))]
    known = {group.id for group in declared}
    for hypothesis in kb.hypotheses:
        name = clean(hypothesis.group or "")
        if name and name not in known:
            known.add(name)
            declared.append(Group(name, name))
            losses.add("is declared, for a hypothesis names it", f'group "{name}"')
    return tuple(
        Group(
            group.id,
            text(group.name, "the groups", group.id),
            text(group.action, "the groups"),
            text(group.warning, "the groups"),
        )
        for group in declared
    )


def _hypotheses(kb: KnowledgeBase, names: _Names, text: _Texts, losses: Losses) -> tuple[Hypothesis, ...]:
    weights = [max(hypothesis.prior, _LEAST_PRIOR) for hypothesis in kb.hypotheses]
    priors = scaled(weights)
    if priors != [hypothesis.prior for hypothesis in kb.hypotheses]:
        losses.add(f"the priors are scaled to sum to 1, none below {_LEAST_PRIOR}")
    said = "hypotheses"
    old = [hypothesis.id for hypothesis in kb.hypotheses]
    ids = renamed(said, old, [clean(name) or "(none)" for name in old], (), losses)
    called = [text(h.name, said, name) for h, name in zip(kb.hypotheses, ids, strict=True)]
    titles = renamed(f"{said} that are called the same", called, called, (), losses)
    keys = _extra_keys(kb, names, losses)
    return tuple(
        Hypothesis(
            ids[row],
            titles[row],
            priors[row],
            text(hypothesis.group or "", said) or None,
            _aliases(hypothesis, text, losses),
            text(hypothesis.note, said),
            {keys[key]: value for key, entry in hypothesis.extra.items() if (value := text(entry, said, ""))},
        )
        for row, hypothesis in enumerate(kb.hypotheses)
    )


def _aliases(hypothesis: Hypothesis, text: _Texts, losses: Losses) -> tuple[str, ...]:
    if any("|" in alias for alias in hypothesis.aliases):
        losses.add('"|" becomes "/" in its other names', f'hypothesis "{hypothesis.id}"')
    held = (text(alias.replace("|", "/"), "hypotheses", "") for alias in hypothesis.aliases)
    return tuple(alias for alias in held if alias)


def _extra_keys(kb: KnowledgeBase, names: _Names, losses: Losses) -> Mapping[str, str]:
    """The column of each further field; tests have theirs already."""
    keys = list(dict.fromkeys(key for hypothesis in kb.hypotheses for key in hypothesis.extra))
    wanted = [clean(key) or "extra" for key in keys]
    return dict(zip(keys, renamed("columns", keys, wanted, names.tests, losses), strict=True))
