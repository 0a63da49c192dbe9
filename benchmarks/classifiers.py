"""Random linear classifiers with margin, CL-d: every policy's exact expected number of tests.

    python benchmarks/classifiers.py [seed ...]

After the second experiment of Jia et al., NeurIPS 2019, which learns a linear classifier from the labels of points
it picks. The generator is our reading, so the figures are not comparable with the paper's: 100 hypotheses are unit
vectors w, uniform on the sphere in 10 dimensions; 200 tests are points p, standard normal in each coordinate. The
outcome is the side of p, the sign of w.p, and unknown within the margin, |w.p| < d / 100. As w.p is standard normal,
the expected share of unknown cells is erf(d / (100 sqrt 2)): 0, 4.0, 8.0, 15.9 and 23.6 % for d = 0, 5, 10, 20, 30.
One seed gives the same vectors and points for every d. Of hypotheses that no test surely tells apart, being equal or
unknown to one another everywhere, the first by index stays, so that any two that remain can be told apart.
"""

from __future__ import annotations

import sys
from array import array

import numpy as np

from algos.table import UNKNOWN, Int8
from diagnoser.advise import Adviser
from diagnoser.errors import UsageError
from diagnoser.evaluation import entropy_bound, evaluate
from diagnoser.kb import Hypothesis, KnowledgeBase, Outcome, Test
from diagnoser.policies import POLICIES

DEGREES = (0, 5, 10, 20, 30)
SEEDS = (1, 2, 3, 4, 5)
HYPOTHESES, TESTS, DIMENSIONS = 100, 200, 10
POSITIVE, NEGATIVE = 0, 1


def classifiers(
    degree: int, seed: int, *, hypotheses: int = HYPOTHESES, tests: int = TESTS, dimensions: int = DIMENSIONS
) -> Int8:
    """(hypotheses, tests) outcomes of CL-d before reduction: POSITIVE, NEGATIVE or UNKNOWN."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((hypotheses, dimensions))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    side = vectors @ rng.standard_normal((tests, dimensions)).T
    outcomes = np.where(side >= 0, POSITIVE, NEGATIVE)
    return np.where(np.abs(side) < degree / 100, UNKNOWN, outcomes).astype(np.int8)


def distinguishable(cells: Int8) -> Int8:
    """The rows, taken in order, that some test surely tells from every row kept before."""
    kept = np.zeros((0, cells.shape[1]), cells.dtype)
    for row in cells:
        told_apart = ((kept != row) & (kept != UNKNOWN) & (row != UNKNOWN)).any(axis=1)
        if told_apart.all():
            kept = np.vstack([kept, row])
    return kept


def knowledge_base(degree: int, seed: int) -> KnowledgeBase:
    """CL-d, reduced, with a uniform prior and tests of cost 1."""
    cells = distinguishable(classifiers(degree, seed))
    m, n = cells.shape
    return KnowledgeBase(
        title=f"CL-{degree}, seed {seed}",
        hypotheses=tuple(Hypothesis(f"w{x}", f"classifier {x}", 1 / m) for x in range(m)),
        tests=tuple(Test(f"p{e}", (Outcome("plus", "+"), Outcome("minus", "-"))) for e in range(n)),
        codes=array("h", cells.ravel().tolist()),
    )


def expected_tests(adviser: Adviser, policy: str) -> str:
    """The exact or sampled expected cost; the reason where the policy refuses the table or cannot be worked out."""
    try:
        found = evaluate(adviser, policy, "unique")
    except UsageError as error:
        return f"none: {error}"
    sampled = "" if found.exact else f" ± {found.standard_error:.4f}, sampled"
    unresolved = f", {found.unresolved_probability:.1%} unresolved" if found.unresolved_probability > 0 else ""
    return f"{found.expected_cost:.4f}{sampled}, at most {found.worst_cost:g}{unresolved}"


def main() -> None:
    """Print one block for each degree and seed."""
    for degree in DEGREES:
        for seed in [int(word) for word in sys.argv[1:]] or SEEDS:
            kb = knowledge_base(degree, seed)
            adviser = Adviser(kb)
            m, n = len(kb.hypotheses), len(kb.tests)
            unknown = sum(code == UNKNOWN for code in kb.codes) / (m * n)
            print(
                f"{kb.title}: m {m}, n {n}, unknown {unknown:.1%}, entropy bound {entropy_bound(adviser, 'unique'):.4f}"
            )
            for policy in POLICIES:
                print(f"  {policy:16} {expected_tests(adviser, policy)}", flush=True)


if __name__ == "__main__":
    main()
