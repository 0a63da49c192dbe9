"""The forms a key is printed in: text, Markdown, HTML, DOT and JSON. What comes from a table is escaped in each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from diagnoser.kb import Group, KnowledgeBase
from diagnoser.key import Branch, End, Question
from diagnoser.markup import markdown, page, safe
from diagnoser.text import percent, printable

MOST_NAMED = 6
"""Candidates named at one end; the number of the others is said."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A key with what stands above it."""

    kb: KnowledgeBase
    questions: Sequence[Question]
    remarks: Sequence[str]
    """Policy, stopping rule, expected cost; one line each."""


def _outcomes(question: Question, branch: Branch) -> str:
    labels = {outcome.id: outcome.label for outcome in question.test.outcomes}
    return " or ".join(labels[outcome] for outcome in branch.outcomes) or "could not tell"


def _asked(question: Question) -> str:
    return question.test.question or question.test.title


def _verdict(kb: KnowledgeBase, end: End) -> str:
    """Who is left, in words."""
    names = {hypothesis.id: hypothesis.name for hypothesis in kb.hypotheses}
    left, group = end.candidates, _group(kb, end)
    if len(left) == 1:
        return names[left[0].hypothesis] + (f" ({group.name})" if group else "")
    named = ", ".join(f"{names[c.hypothesis]} {percent(c.posterior)}" for c in left[:MOST_NAMED])
    more = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
    why = {"group": group.name if group else "one group", "open": "not settled within this key"}
    return f"{why.get(end.status, 'no test tells these apart')}: {named}{more}"


def _group(kb: KnowledgeBase, end: End) -> Group | None:
    """The one that all candidates are of."""
    groups = {candidate.group for candidate in end.candidates}
    return kb.group_by_id.get(groups.pop() or "") if len(groups) == 1 else None


def _groups(sheet: Sheet) -> list[Group]:
    """Those at an end of which something is to be said, in the table's order."""
    ends = [branch.to for question in sheet.questions for branch in question.branches if isinstance(branch.to, End)]
    met = {candidate.group for end in ends for candidate in end.candidates}
    return [group for group in sheet.kb.groups if group.id in met and (group.action or group.warning)]


def as_text(sheet: Sheet) -> str:
    """Plain lines."""

    def lines() -> Iterator[str]:
        yield sheet.kb.title
        yield from sheet.remarks
        for question in sheet.questions:
            yield ""
            yield f"{question.number}. {_asked(question)}"
            for branch in question.branches:
                to = branch.to
                target = _verdict(sheet.kb, to) if isinstance(to, End) else f"go to {to}"
                yield f"   - {_outcomes(question, branch)}: {target}"
        for group in _groups(sheet):
            yield ""
            yield f"{group.name}: {' '.join(filter(None, (group.action, group.warning)))}"

    return "".join(f"{printable(line)}\n" for line in lines())


def as_markdown(sheet: Sheet) -> str:
    """Headings with links to them."""

    def lines() -> Iterator[str]:
        yield f"# {markdown(sheet.kb.title)}"
        yield ""
        yield from (f"* {markdown(remark)}" for remark in sheet.remarks)
        for question in sheet.questions:
            yield ""
            yield f'<a id="q{question.number}"></a>'
            yield f"**{question.number}.** {markdown(_asked(question))}"
            yield ""
            for branch in question.branches:
                words, to = markdown(_outcomes(question, branch)), branch.to
                if isinstance(to, End):
                    yield f"* {words}: **{markdown(_verdict(sheet.kb, to))}**"
                else:
                    yield f"* {words}: [go to {to}](#q{to})"
        for group in _groups(sheet):
            yield ""
            yield f"**{markdown(group.name)}**: {markdown(' '.join(filter(None, (group.action, group.warning))))}"

    return "\n".join(lines()) + "\n"


def as_html(sheet: Sheet) -> str:
    """One page without scripts that needs nothing else."""

    def lines() -> Iterator[str]:
        yield from (f"<p>{safe(remark)}</p>" for remark in sheet.remarks)
        for question in sheet.questions:
            yield f'<h2 id="q{question.number}">{question.number}. {safe(_asked(question))}</h2>\n<ul>'
            for branch in question.branches:
                words, to = safe(_outcomes(question, branch)), branch.to
                if isinstance(to, End):
                    yield f"<li>{words}: <strong>{safe(_verdict(sheet.kb, to))}</strong></li>"
                else:
                    yield f'<li>{words}: <a href="#q{to}">go to {to}</a></li>'
            yield "</ul>"
        for group in _groups(sheet):
            warning = f" <em>{safe(group.warning)}</em>" if group.warning else ""
            yield f"<h2>{safe(group.name)}</h2>\n<p>{safe(group.action)}{warning}</p>"

    return page(sheet.kb.title, list(lines()))


def as_dot(sheet: Sheet) -> str:
    """A directed graph."""

    def quoted(text: str) -> str:
        return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'

    def lines() -> Iterator[str]:
        yield "digraph key {"
        yield f"  label={quoted(sheet.kb.title)}; rankdir=LR; node [shape=box];"
        ends = 0
        for question in sheet.questions:
            yield f"  q{question.number} [label={quoted(f'{question.number}. {_asked(question)}')}];"
            for branch in question.branches:
                target = f"q{branch.to}"
                if isinstance(branch.to, End):
                    ends += 1
                    target = f"e{ends}"
                    yield f"  {target} [label={quoted(_verdict(sheet.kb, branch.to))}, style=bold];"
                yield f"  q{question.number} -> {target} [label={quoted(_outcomes(question, branch))}];"
        yield "}"

    return "\n".join(lines()) + "\n"


def as_json(sheet: Sheet) -> str:
    """Ids and numbers for other programs, in ASCII."""

    def goal(to: int | End) -> dict[str, object]:
        if not isinstance(to, End):
            return {"question": to}
        left = [{"hypothesis": c.hypothesis, "posterior": c.posterior, "group": c.group} for c in to.candidates]
        return {"status": to.status, "candidates": left}

    questions = [
        {
            "number": question.number,
            "test": question.test.id,
            "question": _asked(question),
            "candidates_left": question.candidates,
            "branches": [{"outcomes": branch.outcomes, **goal(branch.to)} for branch in question.branches],
        }
        for question in sheet.questions
    ]
    groups = [{"id": g.id, "name": g.name, "action": g.action, "warning": g.warning} for g in _groups(sheet)]
    whole = {"title": sheet.kb.title, "remarks": list(sheet.remarks), "questions": questions, "groups": groups}
    return json.dumps(whole, indent=2, allow_nan=False) + "\n"


FORMS: Mapping[str, Callable[[Sheet], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "html": as_html,
    "dot": as_dot,
    "json": as_json,
}
