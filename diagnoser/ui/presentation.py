"""What stands on the case screen, as rows of text: pure functions of table, state, advice and width.

What comes from a table was made printable by its reader. It is fitted by `fit` or `shorten`, so that no name breaks a
row; and it becomes `Content` without markup, so that `[bold]` in a name is six characters and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from diagnoser.case import Answered, State
from diagnoser.kb import DOES_NOT_APPLY, KnowledgeBase, Test
from diagnoser.text import one_unit, percent, printable, score_per_cost, short_unit
from diagnoser.wording import answer_text, open_groups

if TYPE_CHECKING:
    from diagnoser.advise import Advice, Branch, Candidate, RankedTest

MUTED = "$foreground 60%"
STRONG = "bold"
KEY = "bold $footer-key-foreground"
BAR = "$primary"
WARNING = "bold $text-warning"


def shorten(text: str, width: int) -> str:
    """The text in at most `width` cells, with an ellipsis where something is left out."""
    shown = printable(text)
    if cell_len(shown) <= width:
        return shown
    if width < 1:
        return ""
    return set_cell_size(shown, width - 1).rstrip() + "…"


def fit(text: str, width: int, *, right: bool = False) -> str:
    """The text in exactly `width` cells."""
    shown = shorten(text, width)
    blank = " " * max(0, width - cell_len(shown))
    return blank + shown if right else shown + blank


def bar(share: float, width: int) -> str:
    """A bar of at most `width` cells, in steps of half a cell; what is possible has at least one step."""
    halves = max(share > 0, round(min(1.0, share) * width * 2))
    return "━" * (halves // 2) + "╸" * (halves % 2)


def cost(amount: float, unit: str) -> str:
    """A cost with its unit, such as `2 min`."""
    if 0 < amount < 1:
        number = f"{amount:.2g}"
    else:
        number = f"{amount:.0f}" if amount >= 10 else f"{amount:.1f}".removesuffix(".0")
    return f"{number} {one_unit(unit) if number == '1' else short_unit(unit)}"


def top_line(kb: KnowledgeBase, advice: Advice | None, cost_left: tuple[float, float] | None, width: int) -> Content:
    """Table, candidates left, bits open, and what it may still cost; the least needed goes first where it is narrow."""
    if advice is None:
        return Content.assemble((" " + shorten(kb.title, width - 2), STRONG))
    parts = [f"{len(advice.candidates)} of {len(kb.hypotheses)} left"]
    if advice.entropy_bits_at_start > 0:
        parts.append(f"{abs(advice.entropy_bits):.1f} of {advice.entropy_bits_at_start:.1f} bits open")
    if cost_left is not None:
        expected, worst = cost_left
        parts.append(f"about {cost(expected, kb.cost_unit)} to go")
        parts.append(f"(worst {cost(worst, kb.cost_unit).split()[0]})")
    least = min(12, cell_len(kb.title))
    while len(parts) > 1 and sum(cell_len(part) + 3 for part in parts) + least > width:
        parts.pop()
    figures = "   ".join(parts).replace("   (", " (")
    title = shorten(kb.title, max(0, width - cell_len(figures) - 5))
    return Content.assemble((f" {title}", STRONG), "   ", figures)


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One way to answer the question."""

    key: str
    """What to press; empty for the eleventh and later."""
    outcome: str | None
    """None for "could not tell"."""
    label: str
    stay: int | None
    """Candidates that would be left; None where it is not known."""
    probability: float | None
    standing: bool = False
    """This is the answer that stands now."""


def outcome_rows(test: Test, ranked: RankedTest | None, left: int | None, answer: Answered | None) -> list[OutcomeRow]:
    """Outcomes in declared order, then "does not apply" where the test has it, then "could not tell"."""
    branches: dict[str, Branch] = {branch.outcome: branch for branch in ranked.branches} if ranked else {}
    standing = () if answer is None else answer.outcomes
    rows = []
    for index, outcome in enumerate(test.outcomes):
        branch = branches.get(outcome.id)
        stays, probability = (branch.candidates_left, branch.probability) if branch else (None, None)
        digit = str((index + 1) % 10) if index < 10 else ""
        key = "n" if outcome == DOES_NOT_APPLY else digit
        rows.append(OutcomeRow(key, outcome.id, outcome.label, stays, probability, outcome.id in standing))
    could_not_tell = answer is not None and answer.unknown
    return [*rows, OutcomeRow("u", None, "could not tell", left if ranked else None, None, could_not_tell)]


def draw_outcome(row: OutcomeRow, width: int, *, label_width: int, marked: bool) -> Content:
    """`1 acid   48 stay  15 %` with a bar for the probability where there is room."""
    stays = "" if row.stay is None else f"{row.stay} stay"
    share = "" if row.probability is None else percent(row.probability, 0)
    tail = f"{fit(stays, 11, right=True)}  {fit(share, 7, right=True)} "
    mark = "●" if marked else " "
    room = max(4, width - 3 - cell_len(tail))
    label = min(max(label_width, 12), room)
    pieces: list[str | tuple[str, str]] = [
        (f"{row.key or ' '} ", KEY),
        (mark, WARNING),
        (fit(row.label, label), STRONG if marked else ""),
        tail,
    ]
    over = room - label - 2
    if over >= 6 and row.probability is not None:
        pieces.append((bar(row.probability, min(over, 20)), BAR))
    if row.standing:
        pieces.append(("now", MUTED))
    line = Content.assemble(*pieces).truncate(width)
    return line.stylize("dim") if row.stay == 0 else line


def question_line(kb: KnowledgeBase, test: Test, ranked: RankedTest | None, left: int, policy: str | None) -> str:
    """Cost, category, who asks, and for how many candidates the table does not know this test."""
    parts = [cost(test.cost, kb.cost_unit)]
    if test.category:
        parts.append(test.category)
    parts.append(policy or "your choice")
    if ranked is not None and ranked.silent:
        parts.append(f"table silent for {ranked.silent} of {left}")
    return " · ".join(parts)


def draw_candidate(kb: KnowledgeBase, candidate: Candidate, width: int, most: float) -> Content:
    """`Chlorine   12.1 % ━━━━━━`; the bar is relative to the most probable candidate."""
    name = kb.hypotheses[kb.hypothesis_index[candidate.hypothesis]].name
    bars = min(20, width // 6)
    share = fit(percent(candidate.posterior), 8, right=True)
    relative = candidate.posterior / most if most > 0 else 0.0
    room = max(4, width - bars - cell_len(share) - 1)
    return Content.assemble(fit(name, room), share, " ", (bar(relative, bars), BAR)).truncate(width)


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer in words."""

    number: int
    test: str
    title: str
    value: str
    unknown: bool


def answer_rows(kb: KnowledgeBase, answers: Iterable[Answered]) -> list[AnswerRow]:
    """In the order first given."""
    return [
        AnswerRow(
            number, answer.test, kb.tests[kb.test_index[answer.test]].title, answer_text(kb, answer), answer.unknown
        )
        for number, answer in enumerate(answers, 1)
    ]


def draw_answer(row: AnswerRow, width: int, title_width: int, value_width: int) -> Content:
    """`1 Physical state   gas`; a long answer leaves its test at least two fifths."""
    room = width - 5
    title = min(title_width, max(room * 2 // 5, room - value_width))
    value = shorten(row.value, room - title)
    return Content.assemble(
        (f"{row.number:>2} ", MUTED), fit(row.title, title), "  ", (value, MUTED if row.unknown else STRONG)
    ).truncate(width)


def about(kb: KnowledgeBase) -> Content:
    """Scope, disclaimer, what its empty cells mean, and what the reader noticed in the file."""
    parts: list[str | tuple[str, str]] = []
    if kb.scope:
        parts += [kb.scope, "\n"]
    if kb.disclaimer:
        parts.append((kb.disclaimer, "$text-warning"))
    for note in (f'A blank cell of the table means "{kb.blank}".', *kb.notices):
        parts += ["\n", (note, MUTED)]
    return Content.assemble(*parts)


def group_lines(kb: KnowledgeBase, advice: Advice, width: int) -> list[Content]:
    """`!  Guide 124 for 31 of 263 · 6 more groups open`, and under it the warning of that group.

    Empty once the case is at an end, which says more.
    """
    groups = open_groups(kb, advice.candidates)
    if not groups or advice.status != "open":
        return []
    first, left = groups[0], len(advice.candidates)
    share = f" for {first.members} of {left}" if first.members < left else f" for all {left}"
    others = len(groups) - 1
    if others:
        share += f" · {others} more group{'s' * (others > 1)} open (g)"
    name = shorten(first.name, width - cell_len(share) - 5)
    lines = [Content.assemble((f" !  {name}", WARNING), (share, MUTED))]
    if first.warning:
        lines.append(Content.styled(f"    {shorten(first.warning, width - 5)}", WARNING))
    return lines


def groups_page(kb: KnowledgeBase, advice: Advice) -> Content:
    """The page of the `g` key: every group that is still possible, with its warning and what to do."""
    lines: list[Content] = []
    left = len(advice.candidates)
    for group in open_groups(kb, advice.candidates):
        share = f"   {group.members} of {left} left, {percent(group.posterior)}"
        lines.append(Content.assemble((printable(group.name), STRONG), (share, MUTED)))
        if group.warning:
            lines.append(Content.styled(f"!  {printable(group.warning)}", WARNING))
        if group.action:
            lines.append(Content(printable(group.action)))
        lines.append(Content(""))
    return Content("\n").join(lines[:-1])


@dataclass(frozen=True, slots=True)
class ListedTest:
    """A test in the list of all tests."""

    test: Test
    ranked: RankedTest | None
    rank: int | None
    answer: Answered | None
    why_last: str = ""
    """Why it has no rank, where it is not answered."""


def listed_tests(kb: KnowledgeBase, state: State, advice: Advice | None) -> list[ListedTest]:
    """The tests that tell candidates apart, best first; then the answered ones; then the rest, in the table's order."""
    ranked = list(advice.tests) if advice else []
    rows = [ListedTest(kb.tests[kb.test_index[r.test]], r, place, None) for place, r in enumerate(ranked, 1)]
    answered = {answer.test: answer for answer in state.answers}
    rows += [ListedTest(kb.tests[kb.test_index[test]], None, None, answer) for test, answer in answered.items()]
    seen = {row.test.id for row in rows}
    why_last = "tells none of those left apart" if advice else "what it tells apart is not known yet"
    return rows + [ListedTest(test, None, None, None, why_last) for test in kb.tests if test.id not in seen]


def found_tests(listed: Iterable[ListedTest], words: str) -> list[ListedTest]:
    """The tests in which every word stands somewhere; names that begin with them first, outcomes last."""
    wanted = words.casefold().split()
    places = [(row, [_found_in(row.test, word) for word in wanted]) for row in listed]
    found = [(max(ranks, default=0), row) for row, ranks in places if _NOWHERE not in ranks]
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]


_NOWHERE = 5


def _found_in(test: Test, word: str) -> int:
    """Where a word stands: at the start of the name, of a word in it, within it, in the rest, in an outcome."""
    name = test.title.casefold()
    if name.startswith(word):
        return 0
    if any(part.startswith(word) for part in name.split()):
        return 1
    if word in name:
        return 2
    if any(word in text.casefold() for text in (test.id, test.question, test.category)):
        return 3
    return 4 if any(word in outcome.label.casefold() for outcome in test.outcomes) else _NOWHERE


def draw_test(kb: KnowledgeBase, row: ListedTest, width: int) -> Content:
    """`1 pH paper   0.412   2 min   acid 48 · neutral 215`, or why there is nothing to rank."""
    name = max(14, min(34, width // 3))
    if row.ranked is None:
        known = f"answered: {answer_text(kb, row.answer)}" if row.answer else row.why_last
        head = f"    {fit(row.test.title, name)}  "
        return Content.assemble((head, ""), (shorten(known, width - cell_len(head)), MUTED))
    labels = {outcome.id: outcome.label for outcome in row.test.outcomes}
    stays = " · ".join(f"{labels[branch.outcome]} {branch.candidates_left}" for branch in row.ranked.branches)
    head = f"{row.rank:>3} "
    score = fit(score_per_cost(row.ranked.score, row.ranked.cost), 7, right=True)
    figures = f" {score} {fit(cost(row.ranked.cost, kb.cost_unit), 8, right=True)}  "
    room = width - cell_len(head) - name - cell_len(figures)
    return Content.assemble((head, MUTED), (fit(row.test.title, name), STRONG), figures, (shorten(stays, room), MUTED))


def answer_bits(ranked: RankedTest) -> float:
    """Entropy of the test's outcome in bits: the most that its answer can tell."""
    return -sum(
        branch.probability * math.log2(branch.probability) for branch in ranked.branches if branch.probability > 0
    )
