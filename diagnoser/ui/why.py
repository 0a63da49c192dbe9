"""Why this test: how it splits what is left, what its answer can tell, and what its policy promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from diagnoser.case import State
from diagnoser.kb import KnowledgeBase, Test
from diagnoser.policies import POLICIES
from diagnoser.text import one_unit, percent, score_per_cost
from diagnoser.ui.presentation import BAR, MUTED, STRONG, about, answer_bits, bar, cost, fit

if TYPE_CHECKING:
    from diagnoser.advise import Advice, RankedTest

_PROVENANCE = {"hand": "written by hand", "source": "taken from the sources", "rule": "derived by a rule"}


def why(kb: KnowledgeBase, state: State, advice: Advice, test: Test, ranked: RankedTest | None) -> Content:
    """The page of the `w` key."""
    left = len(advice.candidates)
    lines = [Content.styled(test.question or test.title, STRONG), Content("")]
    if ranked is None:
        lines.append(Content(f"It tells none of the {left} left apart, whatever the answer."))
    else:
        lines += [*_split(test, ranked), Content(""), *_worth(kb, ranked, advice, left), Content("")]
        lines += _policy(kb, state, advice, ranked)
    if test.note:
        lines.append(Content.assemble(("How to: ", STRONG), test.note))
    if test.provenance:
        source = _PROVENANCE.get(test.provenance, test.provenance)
        lines.append(Content.assemble(("Its column: ", STRONG), source))
    lines += [Content(""), Content.styled("The table", MUTED), about(kb)]
    return Content("\n").join(lines)


def _split(test: Test, ranked: RankedTest) -> list[Content]:
    labels = {outcome.id: outcome.label for outcome in test.outcomes}
    widest = min(30, max(cell_len(label) for label in labels.values()))
    return [
        Content.assemble(
            f"  {fit(labels[branch.outcome], widest)}  ",
            f"{branch.candidates_left:>6} stay  {percent(branch.probability, 0):>6} ",
            (bar(branch.probability, 20), BAR),
        )
        for branch in ranked.branches
    ]


def _worth(kb: KnowledgeBase, ranked: RankedTest, advice: Advice, left: int) -> list[Content]:
    lines = [
        Content(
            f"Its answer tells at most {answer_bits(ranked):.2f} of the {advice.entropy_bits:.2f} bits still open,"
            f" for {cost(ranked.cost, kb.cost_unit)}."
        )
    ]
    if ranked.silent:
        lines.append(
            Content(f"The table is silent for {ranked.silent} of the {left} left: they stay whatever is seen.")
        )
    return lines


def _policy(kb: KnowledgeBase, state: State, advice: Advice, ranked: RankedTest) -> list[Content]:
    name = state.settings.policy
    place = next(rank for rank, other in enumerate(advice.tests, 1) if other.test == ranked.test)
    score = f"score {score_per_cost(ranked.score, ranked.cost)} per {one_unit(kb.cost_unit)}"
    lines = [Content(f"Place {place} of {len(advice.tests)} under {name}, {score}.")]
    policy = POLICIES.get(name)
    if policy is not None:
        lines.append(Content.assemble((f"{name}: ", STRONG), policy.summary))
        lines.append(Content.assemble(("Guarantee: ", STRONG), policy.guarantee))
    return lines
