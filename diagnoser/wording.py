"""Answers, cells and groups in the table's words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from diagnoser.advise import Candidate
from diagnoser.case import Answered
from diagnoser.kb import KnowledgeBase
from diagnoser.text import span


def answer_text(kb: KnowledgeBase, answer: Answered) -> str:
    """An answer in the table's words."""
    test = kb.tests[kb.test_index[answer.test]]
    if answer.reading is not None:
        return span(answer.reading.low, answer.reading.high, test.unit)
    if answer.unknown:
        return "could not tell"
    labels = {outcome.id: outcome.label for outcome in test.outcomes}
    return " or ".join(labels[outcome] for outcome in answer.outcomes)


def cell_text(kb: KnowledgeBase, hypothesis: int, test: int) -> str:
    """What the table says of one hypothesis on one test."""
    cell, asked = kb.cell(hypothesis, test), kb.tests[test]
    if cell.unknown:
        return "not known"
    if cell.interval is not None:
        return span(*cell.interval, asked.unit)
    return " or ".join(asked.outcomes[v].label for v, _ in cell.outcomes)


@dataclass(frozen=True, slots=True)
class OpenGroup:
    """A group with members among the candidates."""

    name: str
    members: int
    posterior: float
    action: str
    warning: str


def open_groups(kb: KnowledgeBase, candidates: Iterable[Candidate]) -> list[OpenGroup]:
    """Declared groups that are still possible, the most probable first; of equals those with a warning first."""
    members: dict[str, int] = dict.fromkeys(kb.group_by_id, 0)
    posterior: dict[str, float] = dict.fromkeys(kb.group_by_id, 0.0)
    for candidate in candidates:
        if candidate.group in members:
            members[candidate.group] += 1
            posterior[candidate.group] += candidate.posterior
    found = [
        OpenGroup(group.name, members[group.id], posterior[group.id], group.action, group.warning)
        for group in kb.groups
        if members[group.id]
    ]
    # Sums of posteriors that should be equal may differ in the last digits.
    return sorted(found, key=lambda group: (-round(group.posterior, 9), not group.warning))
