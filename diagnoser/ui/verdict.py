"""The ends of a case in words: what was found, by which rule it stopped, and what can be done now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from diagnoser.case import Confirmed, Event, PolicyChosen, State, StopChosen
from diagnoser.kb import Hypothesis, KnowledgeBase
from diagnoser.policies import StopKind, default_policy, default_stop, read_stop, spent_words, stop_words
from diagnoser.text import percent
from diagnoser.ui.presentation import KEY, MUTED, STRONG, fit, shorten
from diagnoser.wording import answer_text

if TYPE_CHECKING:
    from diagnoser.advise import Advice


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to do at the end of a case: an event, or a test to answer again."""

    key: str
    label: str
    event: Event | None = None
    test: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One end of a case."""

    title: str
    lines: tuple[Content, ...]
    choices: tuple[Choice, ...]


def verdict(kb: KnowledgeBase, state: State, advice: Advice, would_help: Sequence[str] = ()) -> Verdict:
    """What the panel says in place of a question; `would_help` are skipped tests that would tell the rest apart."""
    if state.closed:
        return _closed(kb, state)
    match advice.status:
        case "identified":
            return _identified(kb, state, advice)
        case "group":
            return _group(kb, state, advice)
        case "contradiction":
            return _contradiction(kb, state)
    return _inseparable(kb, state, advice, would_help)


def no_question(kb: KnowledgeBase, state: State, problem: str) -> Verdict:
    """The policy or the rule is not for this table, or not for these answers."""
    usual = default_policy(kb)
    choices = (Choice("1", f"go on with {usual}", PolicyChosen(usual)),) if state.settings.policy != usual else ()
    lines = (_plain(f"{state.settings.policy} cannot say what to ask: {problem}."),)
    return Verdict("NO QUESTION", lines, choices)


def draw_choice(choice: Choice, width: int) -> Content:
    """`1 Physical state   gas`."""
    if not choice.detail:
        return Content.assemble((f"{choice.key or ' '} ", KEY), " ", shorten(choice.label, width - 3))
    room = max(8, min(34, (width - 5) // 2))
    return Content.assemble(
        (f"{choice.key or ' '} ", KEY),
        " ",
        fit(choice.label, room),
        "  ",
        (shorten(choice.detail, width - room - 5), STRONG),
    )


def _closed(kb: KnowledgeBase, state: State) -> Verdict:
    name = kb.hypotheses[kb.hypothesis_index[state.confirmed]].name if state.confirmed else f"No {kb.hypothesis_word}"
    lines = (_plain("The case is closed by your word. z takes that back, ctrl+q leaves."),)
    return Verdict(f"CONFIRMED  {name}", lines, ())


def _identified(kb: KnowledgeBase, state: State, advice: Advice) -> Verdict:
    found = advice.candidates[0]
    hypothesis = kb.hypotheses[kb.hypothesis_index[found.hypothesis]]
    lines = [
        Content.assemble(
            "posterior ", (percent(found.posterior), STRONG), "   ", _rule(state, _why_found(state, advice))
        ),
        *_action(kb, found.group),
        *_about(hypothesis),
        *_disclaimer(kb),
    ]
    confirm = Choice("1", f"confirm: it is {hypothesis.name}", Confirmed(hypothesis.id))
    return Verdict(f"FOUND  {hypothesis.name}", tuple(lines), (confirm,))


def _group(kb: KnowledgeBase, state: State, advice: Advice) -> Verdict:
    left, group = len(advice.candidates), advice.candidates[0].group
    known = kb.group_by_id.get(group or "")
    name = known.name if known else group or ""
    lines = [
        _plain(f"All {left} {kb.hypotheses_word} left are in this group; what to do is the same for each."),
        *_action(kb, group, named=False),
        _rule(state, "all candidates left are in one group"),
        *_disclaimer(kb),
    ]
    go_on = Choice("1", f"go on until one {kb.hypothesis_word} is left", StopChosen("unique"))
    return Verdict(f"ONE GROUP  {name}", tuple(lines), (go_on,))


def _inseparable(kb: KnowledgeBase, state: State, advice: Advice, would_help: Sequence[str]) -> Verdict:
    stop = state.settings.stop
    groups = {candidate.group for candidate in advice.candidates}
    lines = [
        _plain(f"{spent_words(stop).capitalize()} tells these {len(advice.candidates)} {kb.hypotheses_word} apart."),
        _plain(_short_of(stop), MUTED),
        *(_action(kb, groups.pop()) if len(groups) == 1 else ()),
        *_disclaimer(kb),
    ]
    if would_help:
        lines.append(_plain("You could not tell on these; answering one after all tells some apart:"))
    choices = [
        Choice(_key(place), kb.tests[kb.test_index[test]].title, test=test) for place, test in enumerate(would_help)
    ]
    if read_stop(stop).kind is StopKind.BUDGET:
        key = _key(len(choices))
        choices.append(Choice(key, "go on without a budget", StopChosen(default_stop(kb))))
    within = " IN THE BUDGET" if read_stop(stop).kind is StopKind.BUDGET else ""
    return Verdict(f"NOTHING{within} SEPARATES THESE {len(advice.candidates)}", tuple(lines), tuple(choices))


def _contradiction(kb: KnowledgeBase, state: State) -> Verdict:
    telling = [answer for answer in state.answers if not answer.unknown]
    word = kb.hypothesis_word
    lines = (
        _plain(
            f"No {word} of the table agrees with all the answers: one is misread, or it is no {word} of this table."
        ),
        _plain("Stopped because no candidate is left. z takes the last answer back; or give one of these again:"),
    )
    choices = [
        Choice(_key(place), kb.tests[kb.test_index[answer.test]].title, None, answer.test, answer_text(kb, answer))
        for place, answer in enumerate(telling)
    ]
    return Verdict("NO CANDIDATE", lines, tuple(choices))


def _about(hypothesis: Hypothesis) -> list[Content]:
    lines = []
    if hypothesis.aliases:
        lines.append(_plain(f"also {', '.join(hypothesis.aliases)}"))
    if hypothesis.note:
        lines.append(_plain(hypothesis.note))
    extra = [f"{name} {value}" for name, value in hypothesis.extra.items() if value]
    if extra:
        lines.append(_plain(" · ".join(extra), MUTED))
    return lines


def _action(kb: KnowledgeBase, group: str | None, *, named: bool = True) -> list[Content]:
    known = kb.group_by_id.get(group or "")
    if known is None:
        return []
    head = f"{known.name}: " if named else ""
    lines = []
    if known.action:
        lines.append(Content.assemble((head, STRONG), known.action))
    if known.warning:
        lines.append(_plain(known.warning, "$text-warning"))
    return lines


def _short_of(stop: str) -> str:
    if read_stop(stop).kind in (StopKind.NEIGHBORHOOD, StopKind.CLIQUE, StopKind.BUDGET):
        return f'The rule was "{stop}": {stop_words(stop)}.'
    return f'Stopped short of the rule "{stop}" ({stop_words(stop)}): no test is left that would help.'


def _why_found(state: State, advice: Advice) -> str:
    return "one candidate is left" if len(advice.candidates) == 1 else stop_words(state.settings.stop)


def _rule(state: State, why: str) -> Content:
    return _plain(f'Stopped by the rule "{state.settings.stop}": {why}.', MUTED)


def _disclaimer(kb: KnowledgeBase) -> list[Content]:
    return [_plain(kb.disclaimer, "$text-warning")] if kb.disclaimer else []


def _plain(text: str, style: str = "") -> Content:
    return Content.styled(text, style)


def _key(place: int) -> str:
    return str((place + 1) % 10) if place < 10 else ""
