"""Small tables with every kind of cell, for writers of other programs' files."""

from __future__ import annotations

from array import array

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from diagnoser.kb import DOES_NOT_APPLY, NOT_APPLICABLE, UNKNOWN, Group, Hypothesis, KnowledgeBase, Outcome, Test

WORDS = st.sampled_from(["red", "dark brown", "no", "0", "+", "-", "=1+1", "@x", "a|b", "c:0.5", "?", 'é, "q"', "'=x"])
several = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def tables(draw: st.DrawFn) -> KnowledgeBase:
    """Small tables with every kind of cell, and with names that mean something elsewhere."""
    m, n = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    tests, columns = [], []
    for e in range(n):
        names = draw(st.lists(WORDS, min_size=2, max_size=4, unique_by=str.casefold))
        none = draw(st.booleans())
        outcomes = (*(Outcome(name, draw(WORDS)) for name in names), *([DOES_NOT_APPLY] if none else []))
        size = len(outcomes)
        pairs = draw(st.lists(st.lists(st.integers(0, size - 1), min_size=2, max_size=size, unique=True), max_size=3))
        partials = []
        for pair in pairs:
            parts = draw(st.lists(st.integers(1, 5), min_size=len(pair), max_size=len(pair)))
            total = sum(parts)
            partials.append(tuple(sorted((v, w / total) for v, w in zip(pair, parts, strict=True))))
        kinds = [*range(size), UNKNOWN, *(-2 - k for k in range(len(partials)))]
        columns.append(draw(st.lists(st.sampled_from(kinds), min_size=m, max_size=m)))
        cost = draw(st.sampled_from([1.0, 0.1, 7.25]))
        tests.append(Test(f"t{e}", outcomes, draw(WORDS), cost=cost, partials=tuple(partials), note=draw(WORDS)))
    names = draw(st.lists(WORDS, min_size=m, max_size=m, unique=True))
    weights = draw(st.lists(st.integers(1, 9), min_size=m, max_size=m))
    group = [draw(st.sampled_from([None, "g"])) for _ in range(m)]
    return KnowledgeBase(
        title=draw(WORDS),
        hypotheses=tuple(
            Hypothesis(x, draw(WORDS), w / sum(weights), g, aliases=(draw(WORDS),))
            for x, w, g in zip(names, weights, group, strict=True)
        ),
        tests=tuple(tests),
        codes=array("h", [column[x] for x in range(m) for column in columns]),
        groups=(Group("g", "Group"),) if "g" in group else (),
    )


def meaning(kb: KnowledgeBase, row: int, test: int) -> object:
    """What a cell says, whatever its outcomes are called: places and shares, or nothing."""
    cell = kb.cell(row, test)
    if cell.unknown:
        return "unknown"
    shares = sorted(round(share, 12) for _, share in cell.outcomes)
    inapplicable = [share for v, share in cell.outcomes if kb.tests[test].outcomes[v].id == NOT_APPLICABLE]
    return shares, [round(share, 12) for share in inapplicable]


def same_cells(one: KnowledgeBase, other: KnowledgeBase, tests: list[str]) -> None:
    for row in range(len(one.hypotheses)):
        for there, name in enumerate(tests):
            assert meaning(one, row, one.test_index[name]) == meaning(other, row, there)
    for there, name in enumerate(tests):  # equal cells stay equal, different ones different
        here = one.test_index[name]
        cells = [one.cell(row, here) for row in range(len(one.hypotheses))]
        back = [other.cell(row, there) for row in range(len(one.hypotheses))]
        for a, b in zip(cells, back, strict=True):
            for c, d in zip(cells, back, strict=True):
                if not a.unknown and not c.unknown and len(a.outcomes) == len(c.outcomes) == 1:
                    assert (a == c) == (b == d)
