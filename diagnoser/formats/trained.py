"""A trained tree as a table, so that it is asked like one: its leaves are the hypotheses, their classes the groups.

The outcomes of a question are the ranges, or the sets of values, that the tree ever tells apart. A leaf's cell holds
those that its path allows and is unknown where its path never asks. "Could not tell" then keeps the leaves on every
side, each with its weight, and the posterior of a class is the weight of its leaves.
"""

from __future__ import annotations

import math
from pathlib import Path

from diagnoser.errors import BadFile, BadTable
from diagnoser.formats.draft import Draft, safe_id, safe_test
from diagnoser.formats.reading import How, Reading
from diagnoser.kb import Group, Hypothesis, Outcome, Test
from diagnoser.model import Model, Step
from diagnoser.model_file import read_model
from diagnoser.text import percent


def read(path: Path, how: How) -> Reading:  # noqa: ARG001  a model says all itself
    """The table of a model's file. Raises BadTable."""
    try:
        model = read_model(path)
    except BadFile as error:
        raise BadTable(path, error.problem, error.remedy, line=error.line) from None
    draft = Draft(path, f"A tree for {model.target}")
    tests: dict[int, int] = {}
    parts: dict[int, list[frozenset[str] | float]] = {}
    for node in range(len(model)):
        place = model.feature_place(node)
        if place is not None and place not in parts:
            parts[place] = _parts(model, place)
            if len(parts[place]) > 1:
                tests[place] = draft.add_test(_test(model, place, parts[place]))
    groups = {label: safe_id(name) for label, name in enumerate(model.classes)}
    for label, name in enumerate(model.classes):
        draft.add_group(Group(groups[label], name))
    for number, leaf in enumerate(map(int, model.leaves), 1):
        label = int(model.labels[leaf])
        share = percent(float(model.shares[leaf, label]))
        name = f"{model.classes[label]} (way {number}, right in {share})"
        weight = float(model.tree.figures[leaf, 0])
        row = draft.add_hypothesis(Hypothesis(name, name, weight, groups[label]))
        for place, test in tests.items():
            allowed = _allowed(model, leaf, place, parts[place])
            if 0 < len(allowed) < len(parts[place]):
                draft.put(row, test, {draft.test(test).outcomes[part].id: 1.0 / len(allowed) for part in allowed})
    notes = ", ".join(f"{name} {_short(value)}" for name, value in model.trained.items() if value is not None)
    paid_alike = not model.pools and all(feature.cost == 1 for feature in model.features)
    return draft.finish(
        scope=f"Learnt from past cases ({notes})." if notes else "Learnt from past cases.",
        disclaimer="A tree says what was most frequent among the cases it was learnt from; it can be wrong.",
        cost_unit="tests" if paid_alike else "points",
        hypothesis_word="way",
        hypotheses_word="ways",
    )


def _short(value: str | int | float | bool) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _parts(model: Model, place: int) -> list[frozenset[str] | float]:
    """Upper ends of ranges, the last infinite; or sets of values that no node tells apart, by their first value."""
    nodes = [node for node in range(len(model)) if model.feature_place(node) == place]
    if not model.features[place].values:
        return [*sorted({end for node in nodes if (end := model.threshold(node)) not in (None, math.inf)}), math.inf]
    ways = {value: tuple(_way(model, node, value) for node in nodes) for value in model.features[place].values}
    return [frozenset(value for value in ways if ways[value] == way) for way in dict.fromkeys(ways.values())]


def _way(model: Model, node: int, value: str) -> int:
    """Where a nominal value goes; one that did not occur in the node goes as missing ones do."""
    found = [way for way, values in enumerate(model.values_of(node)) if value in values]
    return found[0] if found else model.missing_way(node)


def _test(model: Model, place: int, parts: list[frozenset[str] | float]) -> Test:
    feature = model.features[place]
    outcomes, before = [], None
    for part in parts:
        if isinstance(part, frozenset):
            label = ", ".join(value for value in feature.values if value in part)
        elif before is None:
            label = f"up to {part:g}"
        else:
            label = f"above {before:g}" + ("" if part == math.inf else f", up to {part:g}")
        outcomes.append(Outcome(safe_id(label), label))
        before = None if isinstance(part, frozenset) else part
    question = feature.question or f"What is {feature.name}?"
    return Test(safe_test(feature.name), tuple(outcomes), feature.name, question, feature.cost)


def _allowed(model: Model, leaf: int, place: int, parts: list[frozenset[str] | float]) -> list[int]:
    """The outcomes with which a case can come to this leaf."""
    steps = [step for step in model.path(leaf) if model.feature_place(step.node) == place]
    return [number for number, part in enumerate(parts) if all(_fits(model, step, part) for step in steps)]


def _fits(model: Model, step: Step, part: frozenset[str] | float) -> bool:
    if isinstance(part, frozenset):
        return _way(model, step.node, next(iter(part))) == step.way
    end = model.threshold(step.node)
    if end == math.inf:  # known against missing: whoever answers knows
        return step.way == 0
    return (part <= (end or 0.0)) == (step.way == 0)
