"""Knowledge bases for tests: made from a slow twin's table, or written down by hand."""

from __future__ import annotations

from array import array

from diagnoser.kb import NOT_APPLICABLE, Group, Hypothesis, KnowledgeBase, Outcome, Test
from tests import naive


def from_twin(table: naive.Table) -> KnowledgeBase:
    """The same table with ids h0.., t0.., o0..; groups g0.. only where two hypotheses share one."""
    coded = naive.arguments(table)
    shared = len(set(table.group)) < len(table.group)
    return KnowledgeBase(
        title="twin",
        hypotheses=tuple(
            Hypothesis(f"h{x}", f"h{x}", prior, f"g{table.group[x]}" if shared else None)
            for x, prior in enumerate(coded["prior"])
        ),
        tests=tuple(
            Test(
                id=f"t{e}",
                outcomes=tuple(
                    Outcome(f"o{v}", f"outcome {v}") if v < table.applicable[e] else Outcome(NOT_APPLICABLE, "n/a")
                    for v in range(table.outcomes[e])
                ),
                cost=coded["cost"][e],
                partials=tuple(tuple(sorted(entry)) for entry in coded["partials"][e]),
            )
            for e in table.tests
        ),
        codes=array("h", [code for row in coded["cells"] for code in row]),
        groups=tuple(Group(f"g{number}", f"group {number}") for number in sorted(set(table.group))) if shared else (),
    )


def yes_no(rows: dict[str, str], **prior: float) -> KnowledgeBase:
    """A table of yes/no tests a, b, ... from rows such as {"x": "10?"}; uniform prior unless given by name."""
    codes = {"1": 0, "0": 1, "?": -1}
    width = len(next(iter(rows.values())))
    share = 1 / len(rows)
    return KnowledgeBase(
        title="by hand",
        hypotheses=tuple(Hypothesis(name, name, prior.get(name, share)) for name in rows),
        tests=tuple(Test("abcdefgh"[e], (Outcome("yes", "yes"), Outcome("no", "no"))) for e in range(width)),
        codes=array("h", [codes[cell] for row in rows.values() for cell in row]),
    )
