"""A small table built by hand, and advice on it computed the slow and obvious way."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence

from diagnoser.advise import Advice, Branch, Candidate, RankedTest
from diagnoser.case import State
from diagnoser.kb import DOES_NOT_APPLY, UNKNOWN, Group, Hypothesis, KnowledgeBase, Outcome, Test


def knowledge_base(
    tests: Sequence[Test], rows: Sequence[tuple[Hypothesis, str]], groups: Iterable[Group] = (), title: str = "Spills"
) -> KnowledgeBase:
    """Rows as outcome ids parted by blanks; `?` is unknown."""
    codes = array("h")
    for _, cells in rows:
        for test, cell in zip(tests, cells.split(), strict=True):
            code = UNKNOWN if cell == "?" else test.outcome_index(cell)
            assert code is not None
            codes.append(code)
    return KnowledgeBase(
        title=title,
        hypotheses=tuple(hypothesis for hypothesis, _ in rows),
        tests=tuple(tests),
        codes=codes,
        groups=tuple(groups),
        scope="Ten substances for trying out the screen.",
        disclaimer="Not for use on a real spill.",
        hypothesis_word="substance",
        hypotheses_word="substances",
        cost_unit="minutes",
    )


def choice(identity: str, outcomes: str, **more: object) -> Test:
    """A test whose outcome labels are their ids, but for "n/a", which the readers label."""
    made = (DOES_NOT_APPLY if o == DOES_NOT_APPLY.id else Outcome(o, o) for o in outcomes.split())
    return Test(identity, tuple(made), **more)  # type: ignore[arg-type]


STATE = choice("state", "gas liquid solid", name="Physical state", question="What has come out?", category="look")
PH = choice("ph", "acid neutral alkaline", name="pH paper", question="Wet pH paper in vapour or liquid?", cost=2.0,
            category="kit", note="Hold it with tongs; do not touch the liquid.")  # fmt: skip
BURNS = choice("burns", "yes no", name="Burns", question="Does it burn?", category="look")
FLASH = choice("flash", "cool warm n/a", name="Flash point", question="At what warmth does it take fire?", cost=5.0)

GASES = Group("gases", "Toxic gases", "Keep people upwind and call for breathing sets.", "Stay upwind.")
FUELS = Group("fuels", "Fuels", "No flames; foam the surface.", "No open flame within 50 m.")
CAUSTIC = Group("caustic", "Caustics", "Rinse with much water.")


def substance(name: str, group: str, **more: object) -> Hypothesis:
    """One of ten, equally likely."""
    return Hypothesis(name, name, 0.1, group, **more)  # type: ignore[arg-type]


SPILLS = knowledge_base(
    [STATE, PH, BURNS, FLASH],
    [
        (substance("chlorine", "gases", aliases=("Cl2",), note="Greenish yellow."), "gas acid no n/a"),
        (substance("ammonia", "gases"), "gas alkaline yes n/a"),
        (substance("hydrogen sulfide", "gases"), "gas acid yes n/a"),
        (substance("petrol", "fuels"), "liquid neutral yes cool"),
        (substance("diesel", "fuels"), "liquid neutral yes warm"),
        (substance("bleach", "caustic"), "liquid alkaline no n/a"),
        (substance("lye", "caustic"), "solid alkaline no n/a"),
        (substance("[bold]x[/]", "caustic"), "solid ? no n/a"),
        (substance("twin one", "caustic"), "solid neutral yes warm"),
        (substance("twin two", "caustic"), "solid neutral yes warm"),
    ],
    [GASES, FUELS, CAUSTIC],
)


class SlowAdviser:
    """Strict answers; the test that rules most out in expectation; ties to the first."""

    notice = ""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.kb = kb

    def advise(self, state: State) -> Advice:
        start = {h: hypothesis.prior for h, hypothesis in enumerate(self.kb.hypotheses)}
        weights = {h: prior * self._likelihood(state, h) for h, prior in start.items()}
        weights = {h: weight for h, weight in weights.items() if weight > 0}
        total = sum(weights.values())
        left = {h: weight / total for h, weight in weights.items()}
        candidates = tuple(
            Candidate(self.kb.hypotheses[h].id, left[h], self.kb.hypotheses[h].group)
            for h in sorted(left, key=lambda h: (-left[h], h))
        )
        spent = {answer.test for answer in state.answers}
        ranked = [self._ranked(index, left) for index, test in enumerate(self.kb.tests) if test.id not in spent]
        tests = tuple(sorted((r for r in ranked if r.score > 0), key=lambda r: -r.score / r.cost))
        groups = {self.kb.group_of[h] for h in left}
        if not left:
            status = "contradiction"
        elif len(left) == 1:
            status = "identified"
        elif state.settings.stop == "group" and len(groups) == 1:
            status = "group"
        else:
            status = "open" if tests else "inseparable"
        proposal = tests[0] if status == "open" else None
        return Advice(status, candidates, _bits(left.values()), _bits(start.values()), proposal, tests)  # type: ignore[arg-type]

    def cost_left(self, state: State) -> tuple[float, float] | None:
        return 3.2, 9.0

    def _likelihood(self, state: State, hypothesis: int) -> float:
        product = 1.0
        for answer in state.answers:
            index = self.kb.test_index[answer.test]
            if answer.outcomes:
                product *= sum(self._share(hypothesis, index, outcome) for outcome in answer.outcomes)
        return product

    def _share(self, hypothesis: int, test: int, outcome: str) -> float:
        index = self.kb.tests[test].outcome_index(outcome)
        return dict(self.kb.cell(hypothesis, test).outcomes).get(index, 0.0)  # type: ignore[arg-type]

    def _ranked(self, index: int, left: dict[int, float]) -> RankedTest:
        test = self.kb.tests[index]
        branches = []
        for outcome in test.outcomes:
            shares = {h: self._share(h, index, outcome.id) for h in left}
            stay = sum(share > 0 for share in shares.values())
            branches.append(Branch(outcome.id, sum(left[h] * shares[h] for h in left), stay))
        silent = sum(self.kb.cell(h, index).unknown for h in left)
        gone = sum(branch.probability * (len(left) - branch.candidates_left) for branch in branches)
        return RankedTest(test.id, round(gone / max(1, len(left) - 1), 9), test.cost, silent, tuple(branches))


def _bits(shares: Iterable[float]) -> float:
    return -sum(share * math.log2(share) for share in shares if share > 0)


def many_outcomes(count: int) -> KnowledgeBase:
    """As many hypotheses as one test has outcomes."""
    test = choice("shade", " ".join(f"shade{v}" for v in range(count)), question="Which shade?")
    rows = [(Hypothesis(f"h{v}", f"stone {v}", 1 / count), f"shade{v}") for v in range(count)]
    return knowledge_base([test], rows)


def many_hypotheses(count: int) -> KnowledgeBase:
    """One test that halves very many hypotheses."""
    test = choice("half", "low high", question="Which half?")
    rows = [(Hypothesis(f"h{v}", f"stone {v}", 1 / count), "low" if v < count // 2 else "high") for v in range(count)]
    return knowledge_base([test], rows)
