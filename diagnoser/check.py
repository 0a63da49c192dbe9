"""What is wrong, doubtful or worth knowing in a table, found without asking anybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from diagnoser.kb import NOT_APPLICABLE, UNKNOWN, KnowledgeBase

if TYPE_CHECKING:
    from algos.table import Bool, OutcomeTable

SELDOM_KNOWN = 0.2
"""A test known for a smaller share of the hypotheses is named."""
MOSTLY_UNKNOWN = 0.5
"""A hypothesis unknown on a larger share of the tests is named."""
NEGATIVE = frozenset({"no", "0", "false", "absent", "-", "n", "f", "none"})
"""Outcomes that also stand where nobody looked."""
NAMED = 8
"""Names given of a list; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One remark on the table."""

    level: Literal["error", "warning"]
    kind: str
    """A fixed word for scripts, such as "inseparable"."""
    words: str
    hypotheses: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figures:
    """A table in numbers."""

    hypotheses: int
    tests: int
    groups: int
    unknown_share: float
    inapplicable_share: float
    variable_share: float
    most_unsure_of_a_test: int
    """r of the paper: hypotheses on which one test is unknown or variable."""
    most_unsure_of_a_hypothesis: int
    """h of the paper: tests on which one hypothesis is unknown or variable."""
    sparsity: float
    """alpha: every test is known for at most m to the alpha of the m hypotheses."""
    entropy_bits: float
    inseparable_pairs: int
    """Pairs that share an outcome on every test."""
    undeclared_pairs: int
    """Those of them that are not in one group."""


class Check:
    """The remarks and figures of one table. m hypotheses, n tests; m * n * m / 64 words of work."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.kb = kb

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Errors first, then warnings, each kind in the table's order."""
        found = [
            *self._forbidden(),
            *(Finding("warning", "reading", notice) for notice in self.kb.notices),
            *self._inseparable(),
            *self._silent_tests(),
            *self._unknown(),
            *self._never_scored(),
            *self._same_tests(),
        ]
        return tuple(sorted(found, key=lambda finding: finding.level != "error"))

    @cached_property
    def figures(self) -> Figures:
        """The table in numbers."""
        from algos.sparse import sparsity
        from diagnoser.formats.reading import Tally

        tally, cells = Tally.of(self.kb), len(self.kb.codes)
        pairs, undeclared = self._pairs
        return Figures(
            hypotheses=tally.hypotheses,
            tests=tally.tests,
            groups=len(self.kb.groups),
            unknown_share=tally.unknown / cells,
            inapplicable_share=tally.inapplicable / cells,
            variable_share=tally.variable / cells,
            most_unsure_of_a_test=int(self._unsure.sum(axis=0).max()),
            most_unsure_of_a_hypothesis=int(self._unsure.sum(axis=1).max()),
            sparsity=sparsity(self._table, force=True).alpha,
            entropy_bits=self._table.entropy_bits,
            inseparable_pairs=pairs,
            undeclared_pairs=undeclared,
        )

    @cached_property
    def _table(self) -> OutcomeTable:
        from diagnoser.advise import Adviser

        return Adviser(self.kb).table

    @cached_property
    def _unsure(self) -> Bool:
        """(m, n) cells with several outcomes."""
        import numpy as np

        from algos.table import cell_outcomes

        tests = range(self._table.tests)
        return np.stack([cell_outcomes(self._table.columns, e).sum(axis=1) > 1 for e in tests], axis=1)

    @cached_property
    def _near(self) -> Bool:
        """(m, m) pairs that no test tells apart, a hypothesis with itself left out."""
        import numpy as np

        from algos.stopping import inseparable

        bits = inseparable(self._table)
        near = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")[:, : len(bits)].astype(np.bool_)
        np.fill_diagonal(near, val=False)
        return near

    @cached_property
    def _pairs(self) -> tuple[int, int]:
        """Inseparable pairs, and those of them that are in different groups."""
        import numpy as np

        group = np.array(self.kb.group_of)
        apart = sum(int((row & (group != group[x])).sum()) for x, row in enumerate(self._near))
        return int(self._near.sum()) // 2, apart // 2

    def _forbidden(self) -> Iterator[Finding]:
        """Cells recorded where the test cannot be asked of the hypothesis."""
        import numpy as np

        from algos.table import cell_outcomes

        kb = self.kb
        for index, needs in enumerate(kb.needs_by_index):
            test = kb.tests[index]
            for clause, words in zip(needs, test.needs, strict=True):
                possible = np.any([cell_outcomes(self._table.columns, e)[:, v] for e, v in clause], axis=0)
                for row in np.flatnonzero(~possible).tolist():
                    cell, name = kb.cell(row, index), kb.hypotheses[row].id
                    if cell.unknown or [test.outcomes[v].id for v, _ in cell.outcomes] == [NOT_APPLICABLE]:
                        continue
                    said = "|".join(test.outcomes[v].id for v, _ in cell.outcomes)
                    need = " or ".join(f"{other}={outcome}" for other, outcome in words)
                    yield Finding(
                        "error",
                        "forbidden",
                        f'"{name}" has "{said}" on "{test.id}", which needs {need}; that is never so for it; write "-"',
                        (name,),
                        (test.id,),
                    )

    def _inseparable(self) -> Iterator[Finding]:
        """Classes of hypotheses that hang together by pairs no test tells apart, unless one group holds them all."""
        import numpy as np

        kb = self.kb
        left = np.flatnonzero(self._near.any(axis=1)).tolist()
        seen: set[int] = set()
        for start in left:
            if start in seen:
                continue
            members, edge = {start}, [start]
            while edge:
                reached = np.flatnonzero(self._near[edge].any(axis=0)).tolist()
                edge = [x for x in reached if x not in members]
                members.update(edge)
            seen |= members
            rows = sorted(members)
            if len({kb.group_of[x] for x in rows}) == 1:
                continue
            codes = self._table.columns.cells[rows]
            silent = np.flatnonzero((codes == UNKNOWN).any(axis=0) & (codes != codes[0]).any(axis=0)).tolist()
            tests = tuple(kb.tests[e].id for e in silent)
            cause = f"known on {_listed(tests)} they might be told apart" if tests else "all known cells are the same"
            names = tuple(kb.hypotheses[x].id for x in rows)
            yield Finding(
                "warning", "inseparable", f"no test surely tells apart {_listed(names)}; {cause}", names, tests
            )

    def _silent_tests(self) -> Iterator[Finding]:
        """Tests on which every two hypotheses share an outcome."""
        import numpy as np

        from algos.table import cell_outcomes

        for index, test in enumerate(self.kb.tests):
            patterns = np.unique(cell_outcomes(self._table.columns, index), axis=0)
            if not (patterns.astype(int) @ patterns.T.astype(int) == 0).any():
                words = f'"{test.id}" never tells two hypotheses apart for sure'
                yield Finding("warning", "separates nobody", words, tests=(test.id,))

    def _unknown(self) -> Iterator[Finding]:
        unknown = self._table.columns.cells == UNKNOWN
        for e, share in enumerate((1 - unknown.mean(axis=0)).tolist()):
            if share < SELDOM_KNOWN:
                words = f'"{self.kb.tests[e].id}" is known for {share:.0%} of the hypotheses only'
                yield Finding("warning", "seldom known", words, tests=(self.kb.tests[e].id,))
        for x, share in enumerate(unknown.mean(axis=1).tolist()):
            if share > MOSTLY_UNKNOWN:
                words = f'"{self.kb.hypotheses[x].id}" is unknown on {share:.0%} of the tests'
                yield Finding("warning", "mostly unknown", words, hypotheses=(self.kb.hypotheses[x].id,))

    def _never_scored(self) -> Iterator[Finding]:
        """Rows and columns of nothing but the negative outcome."""
        import numpy as np

        kb, cells = self.kb, self._table.columns.cells
        negative = [next((v for v, o in enumerate(t.outcomes) if o.id.casefold() in NEGATIVE), -2) for t in kb.tests]
        zero = cells == np.array(negative)
        for x in np.flatnonzero(zero.all(axis=1)).tolist():
            words = f'"{kb.hypotheses[x].id}" has nothing but negative outcomes; it was probably never scored'
            yield Finding("warning", "all negative", words, hypotheses=(kb.hypotheses[x].id,))
        for e in np.flatnonzero(zero.all(axis=0)).tolist():
            words = f'"{kb.tests[e].id}" has nothing but negative outcomes; it was probably never scored'
            yield Finding("warning", "all negative", words, tests=(kb.tests[e].id,))

    def _same_tests(self) -> Iterator[Finding]:
        """Tests that say the same of every hypothesis, whatever their outcomes are called."""
        same: dict[object, list[int]] = {}
        for index in range(len(self.kb.tests)):
            same.setdefault(self._pattern(index), []).append(index)
        for members in same.values():
            sets = {self.kb.evidence_of[e] for e in members}
            if len(members) > 1 and not (len(sets) == 1 and -1 not in sets):
                tests = tuple(self.kb.tests[e].id for e in members)
                words = f"the same for every hypothesis: {_listed(tests)}; if they repeat each other, say same_evidence"
                yield Finding("warning", "same pattern", words, tests=tests)

    def _pattern(self, index: int) -> object:
        """A test's column with outcomes numbered as they turn up."""
        test, codes = self.kb.tests[index], self.kb.codes[index :: len(self.kb.tests)]
        number: dict[int, int] = {}

        def renamed(code: int) -> object:
            if code == UNKNOWN:
                return test.applicable
            partial = ((code, 1.0),) if code >= 0 else test.partials[-2 - code]
            return tuple((number.setdefault(v, len(number)), share) for v, share in partial)

        known = {code: renamed(code) for code in dict.fromkeys(codes)}
        return tuple(known[code] for code in codes)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:NAMED])
    return f"{shown} and {len(names) - NAMED} more" if len(names) > NAMED else shown
