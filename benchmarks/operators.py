"""Random operators at a shipped table: who skip tests, and who misread some. Prints the figures of SOURCES.md.

    python benchmarks/operators.py TABLE [--runs N] [--policy P]

Each run hides a hypothesis drawn by the priors. Its row answers, drawn anew where a cell holds several outcomes; a cell
the table does not know answers anything. "Skips": a random 15 % of the tests are answered "could not tell". "Misreads":
each answer is another outcome of its test with probability 3 %, and one wrong answer is tolerated.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from algos.belief import believe
from algos.simulate import draw_cases
from diagnoser.advise import Adviser
from diagnoser.case import Answered, Settings, State, checked_settings
from diagnoser.formats import open_table
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import default_policy, default_stop

SKIPPED, MISREAD = 0.15, 0.03
SEED = 1


@dataclass(frozen=True, slots=True)
class Run:
    """How one case went."""

    asked: int
    misread: int
    kept: bool
    """The truth is among the candidates at the end."""
    ended: bool
    """One hypothesis, or hypotheses of one group, are left."""


def run(adviser: Adviser, settings: Settings, truth: int, answers: list[int], silent: set[int], wrong: set[int]) -> Run:
    """Answer what is asked until nothing is."""
    kb, state, asked, misread = adviser.kb, State(settings), 0, 0
    while (advice := adviser.advise(state)).proposal is not None:
        place = kb.test_index[advice.proposal.test]
        test, said = kb.tests[place], answers[place]
        if place in wrong and len(test.outcomes) > 1:
            said = (said + 1) % len(test.outcomes)
            misread += place not in silent
        given = () if place in silent else (test.outcomes[said].id,)
        state = State(settings, (*state.answers, Answered(test.id, given)))
        asked += 1
    left = {candidate.hypothesis for candidate in advice.candidates}
    groups = {candidate.group for candidate in advice.candidates}
    one = len(left) == 1 or (len(groups) == 1 and None not in groups)
    return Run(asked, misread, kb.hypotheses[truth].id in left, one)


def operators(kb: KnowledgeBase, settings: Settings, runs: int, *, skipped: float, misread: float) -> list[Run]:
    """The same seed gives the same operators."""
    rng, adviser = np.random.default_rng(SEED), Adviser(kb)
    cases = draw_cases(adviser.table, believe(adviser.table, []), runs, rng)
    tests = range(len(kb.tests))
    found = []
    for truth, answers in zip(cases.truth.tolist(), cases.outcomes.tolist(), strict=True):
        silent, wrong = ({e for e in tests if rng.random() < share} for share in (skipped, misread))
        found.append(run(adviser, settings, truth, answers, silent, wrong))
    return found


def share(runs: list[bool]) -> str:
    """In per cent."""
    return f"{sum(runs) / len(runs):.1%}" if runs else "no such run"


def main() -> None:
    """Print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("table")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--policy")
    given = parser.parse_args()
    kb = open_table(given.table)
    policy, stop = given.policy or default_policy(kb), default_stop(kb)
    print(f"{kb.title}: policy {policy}, stop {stop}, {given.runs} runs each")
    skips = operators(kb, checked_settings(policy, stop), given.runs, skipped=SKIPPED, misread=0.0)
    print(f"who skip 15 % of the tests: truth kept {share([r.kept for r in skips])}", end="; ")
    print(f"one {kb.hypothesis_word} or group at the end {share([r.ended for r in skips])}", end="; ")
    print(f"{sum(r.asked for r in skips) / len(skips):.2f} tests")
    misreads = operators(kb, checked_settings(policy, stop, tolerance=1), given.runs, skipped=0.0, misread=MISREAD)
    few = [r.kept for r in misreads if r.misread <= 1]
    print(f"who misread 3 %, one tolerated: truth kept in {share(few)} of {len(few)} runs with at most one", end="; ")
    print(f"in {share([r.kept for r in misreads])} of all", end="; ")
    print(f"one {kb.hypothesis_word} or group at the end {share([r.ended for r in misreads])}", end="; ")
    print(f"{sum(r.asked for r in misreads) / len(misreads):.2f} tests")


if __name__ == "__main__":
    main()
