"""A case on paper: what was answered, who is left, why the others are out, and what to do. Markdown, HTML or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass

from diagnoser.advise import Adviser, standing_answers
from diagnoser.case import Noted, State
from diagnoser.kb import KnowledgeBase
from diagnoser.markup import markdown, page, safe
from diagnoser.session import Session
from diagnoser.text import counted, percent
from diagnoser.wording import OpenGroup, answer_text, cell_text, open_groups


@dataclass(frozen=True, slots=True)
class Told:
    """One answer."""

    test: str
    answer: str
    counts: bool
    """It is not made pointless by another answer."""


@dataclass(frozen=True, slots=True)
class Left:
    """One candidate."""

    name: str
    posterior: float
    group: str | None
    mismatches: int


@dataclass(frozen=True, slots=True)
class Clash:
    """An answer that speaks against a hypothesis, and what the table says instead."""

    test: str
    answer: str
    table: str


@dataclass(frozen=True, slots=True)
class Out:
    """One hypothesis that is out; without clashes it was ruled out by hand."""

    name: str
    clashes: tuple[Clash, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a report says, in words."""

    title: str
    name: str
    begun: str
    """UTC, to the minute."""
    ended: str
    table: str
    end: str
    settings: str
    answers: tuple[Told, ...]
    left: tuple[Left, ...]
    out: tuple[Out, ...]
    groups: tuple[OpenGroup, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    """Of the session file and of a table that changed."""
    scope: str
    disclaimer: str


def work_out(session: Session, kb: KnowledgeBase, adviser: Adviser) -> Report:
    """The report of a session at its table. Raises UsageError where an answer names what the table does not have."""
    state = session.case.state
    advice = adviser.advise(state)
    counting = standing_answers(kb, state)
    names = {hypothesis.id: hypothesis.name for hypothesis in kb.hypotheses}
    groups = {group.id: group.name for group in kb.groups}
    titles = {test.id: test.title for test in kb.tests}
    stay = {candidate.hypothesis for candidate in advice.candidates}
    settings = state.settings
    errors = f"{settings.tolerance} wrong answers allowed" if settings.errors == "tolerance" else settings.errors
    return Report(
        title=f"Case report: {kb.title}",
        name=session.name,
        begun=_minute(session.header.time),
        ended=_minute(session.last_change),
        table=f"{kb.title}{f', version {kb.version}' if kb.version else ''}",
        end=_end(kb, state, advice.status, names),
        settings=f"policy {settings.policy}, stop {settings.stop}, errors {errors}",
        answers=tuple(Told(titles[one.test], answer_text(kb, one), one in counting) for one in state.answers),
        left=tuple(
            Left(names[one.hypothesis], one.posterior, groups.get(one.group or ""), one.mismatches)
            for one in advice.candidates
        ),
        out=tuple(
            Out(hypothesis.name, tuple(_clashes(kb, state, place)) if hypothesis.id not in state.excluded else ())
            for place, hypothesis in enumerate(kb.hypotheses)
            if hypothesis.id not in stay
        ),
        groups=tuple(open_groups(kb, advice.candidates)),
        notes=tuple(event.text for event in session.events if isinstance(event, Noted)),
        warnings=(*session.notices, *_changed(session, kb)),
        scope=kb.scope,
        disclaimer=kb.disclaimer,
    )


def _minute(time: str) -> str:
    return time[:16].replace("T", " ")


def _changed(session: Session, kb: KnowledgeBase) -> Iterator[str]:
    if session.header.fingerprint != kb.fingerprint:
        yield "The table has changed since this case was recorded; the report goes by the table as it is now."


def _end(kb: KnowledgeBase, state: State, status: str, names: Mapping[str, str]) -> str:
    if state.none_of_these:
        return "none of these, by the operator's word"
    if state.confirmed is not None:
        return f"confirmed by the operator: {names.get(state.confirmed, state.confirmed)}"
    return {
        "open": "open: more could be asked",
        "identified": f"one {kb.hypothesis_word} is left",
        "group": "one group is left",
        "inseparable": "no test that is left tells these apart",
        "contradiction": f"no {kb.hypothesis_word} agrees with the answers",
    }[status]


def _clashes(kb: KnowledgeBase, state: State, place: int) -> Iterator[Clash]:
    for answer in standing_answers(kb, state):
        d = kb.test_index[answer.test]
        test, cell = kb.tests[d], kb.cell(place, d)
        possible = {test.outcomes[v].id for v, share in cell.outcomes if share > 0}
        if answer.outcomes and not possible & set(answer.outcomes):
            yield Clash(test.title, answer_text(kb, answer), cell_text(kb, place, d))


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    """What stands at the head."""
    if report.name:
        yield "Case", report.name
    yield "Table", report.table
    yield "Begun", f"{report.begun} UTC"
    yield "Last change", f"{report.ended} UTC"
    yield "Settings", report.settings
    yield "End", report.end


def _of(clash: Clash) -> str:
    return f"{clash.test}: you said {clash.answer}, the table has {clash.table}"


def _why(out: Out) -> str:
    return "; ".join(map(_of, out.clashes)) or "ruled out by the operator"


def _answer(told: Told) -> str:
    return f"{told.test}: {told.answer}" + (
        "" if told.counts else " (does not count: another answer makes it pointless)"
    )


def _candidate(left: Left) -> str:
    words = f"{left.name}: {percent(left.posterior)}"
    if left.mismatches:
        words += f", against {counted(left.mismatches, 'answer')}"
    return words + (f" ({left.group})" if left.group else "")


def _sections(report: Report) -> Iterator[tuple[str, list[str]]]:
    """Headings with their lines; those without a line are left out."""
    yield "Take note", list(report.warnings)
    yield "Answers, in order", [_answer(told) for told in report.answers] or ["none"]
    yield "Still possible", [_candidate(left) for left in report.left] or ["nothing of the table"]
    yield (
        "What to do",
        [f"{group.name}: {' '.join(filter(None, (group.warning, group.action)))}" for group in report.groups],
    )
    yield "Out, and why", [f"{out.name}: {_why(out)}" for out in report.out]
    yield "Notes", list(report.notes)
    yield "Scope and limits", [words for words in (report.scope, report.disclaimer) if words]


def as_markdown(report: Report) -> str:
    """Headings and lists."""
    lines = [f"# {markdown(report.title)}", ""]
    lines += [f"* {name}: {markdown(words)}" for name, words in _facts(report)]
    for heading, said in _sections(report):
        if said:
            lines += ["", f"## {heading}", "", *(f"* {markdown(words)}" for words in said)]
    return "\n".join(lines) + "\n"


def as_html(report: Report) -> str:
    """One page without scripts that needs nothing else."""
    facts = "".join(f"<tr><th>{name}</th><td>{safe(words)}</td></tr>" for name, words in _facts(report))
    body = [f"<table>{facts}</table>"]
    for heading, said in _sections(report):
        if said:
            kind = "ol" if heading.startswith("Answers") else "ul"
            items = "".join(f"<li>{safe(words)}</li>\n" for words in said)
            body.append(f"<h2>{heading}</h2>\n<{kind}>\n{items}</{kind}>")
    return page(report.title, body)


def as_json(report: Report) -> str:
    """The same as data."""
    return json.dumps(asdict(report), indent=2) + "\n"


FORMS: Mapping[str, Callable[[Report], str]] = {"markdown": as_markdown, "html": as_html, "json": as_json}
