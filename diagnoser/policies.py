"""The registry: every policy and stopping rule by name, known without loading numba."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

from diagnoser.errors import UsageError
from diagnoser.kb import KnowledgeBase


class Rule(IntEnum):
    """How a policy picks its test; the numbers are those of `algos.scores`."""

    GAIN = 0
    ODTN_R = 1
    ODTN_H = 2
    INFORMATION = 3
    LOW_ADAPTIVE = 4
    NON_ADAPTIVE = 5
    AUTO = 6
    """ODTN_R or ODTN_H, whichever has the better guarantee on the table."""
    SPARSE = 7

    @property
    def ordered(self) -> bool:
        """The test is the next of an order fixed beforehand."""
        return self in (Rule.LOW_ADAPTIVE, Rule.NON_ADAPTIVE)

    @property
    def scored(self) -> bool:
        """The test is the one of best score."""
        return self in (Rule.GAIN, Rule.ODTN_R, Rule.ODTN_H, Rule.INFORMATION)


@dataclass(frozen=True, slots=True)
class Policy:
    """A way to choose the next test."""

    name: str
    rule: Rule
    summary: str
    guarantee: str
    ahead: tuple[int, int, int] | None = None
    """Tests compared, decisions looked ahead, candidates finished exactly, for a policy that improves on its rule."""

    @property
    def usual_runs(self) -> int:
        """Random cases where its tree is too large to walk."""
        return RUNS_STEP_BY_STEP if self.ahead or self.rule is Rule.SPARSE else RUNS


RUNS = 10_000
RUNS_STEP_BY_STEP = 1_000
"""Of the policies without kernels of their own, rollout and sparse."""
FORCED = ":force"
"""Ending of a policy's name: use it also on tables it is not made for."""
USUAL_AHEAD = (10, 1, 0)

_POLICIES = (
    Policy(
        "rollout",
        Rule.GAIN,
        "works out what each of the ten best tests would cost to the end, and asks the cheapest",
        "never costs more than gain, which it looks ahead with, or another base, where no tests repeat evidence",
        ahead=USUAL_AHEAD,
    ),
    Policy(
        "gain",
        Rule.GAIN,
        "asks what rules out the most of the others, for its cost",
        "none is proved for it alone; of those that do not look ahead it was the cheapest on the tables tried",
    ),
    Policy(
        "odtn-r",
        Rule.ODTN_R,
        "gain, and a preference for tests that split evenly (equation 5 of the noisy-tests paper)",
        "expected cost within a factor O(r + log m) of the best; r: most unknown cells of one test, m: rows",
    ),
    Policy(
        "odtn-h",
        Rule.ODTN_H,
        "gain, and an even split of all ways the unknown cells may turn out (equation 6 of the paper)",
        "expected cost within a factor O(h + log m) of the best; h: most unknown cells of one row, m: rows",
    ),
    Policy(
        "odtn-auto",
        Rule.AUTO,
        "odtn-r or odtn-h, whichever is guaranteed to be nearer to the best on this table",
        "expected cost within a factor O(min(r, h) + log m) of the best; the guarantee, not the cost, decides",
    ),
    Policy(
        "sparse",
        Rule.SPARSE,
        "for tables that know little: gain, and now and then tests that check the likeliest to be left",
        "after Theorem 4.8 of the paper, for tables where a test is known for few rows; names nothing unproved",
    ),
    Policy(
        "non-adaptive",
        Rule.NON_ADAPTIVE,
        "one fixed order of tests for every case",
        "expected cost within a factor O(log m) of the best fixed order",
    ),
    Policy(
        "low-adaptive",
        Rule.LOW_ADAPTIVE,
        "the fixed order, leaving out tests that can no longer help",
        "never dearer than the fixed order",
    ),
    Policy(
        "information-gain",
        Rule.INFORMATION,
        "asks what tells the most, in bits, for its cost",
        "none is proved where cells are unknown",
    ),
)

POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in _POLICIES}

QUICK_CELLS = 100_000
"""Hypotheses times tests up to which looking ahead answers at once; docs/policies.md has the figures."""


class StopKind(IntEnum):
    """When a case ends; the numbers are those of `algos.stopping`."""

    UNIQUE = 0
    GROUP = 1
    NEIGHBORHOOD = 2
    CLIQUE = 3
    POSTERIOR = 4
    BUDGET = 5

    @property
    def names_one(self) -> bool:
        """The case ends at one hypothesis or one group, and at nothing less."""
        return self in (StopKind.UNIQUE, StopKind.GROUP)


@dataclass(frozen=True, slots=True)
class StopRule:
    """A stopping rule with its number, where it has one."""

    kind: StopKind
    threshold: float = 0.0


STOPS: Mapping[str, str] = {
    "unique": "one candidate is left",
    "group": "all candidates left are in one group",
    "neighborhood": "all candidates left look like one hypothesis of the table",
    "clique": "no two candidates left can be told apart by any test",
    "posterior:P": "one candidate has at least the probability P",
    "budget:C": "the next test would take the cost above C",
}


def find_policy(name: str) -> Policy:
    """The policy of this name. Raises UsageError with the known names.

    "rollout" may name its base, how many tests it compares, how many decisions it looks ahead, and up to how many
    candidates it finishes exactly: rollout:odtn-r:20:2:3.
    """
    first, *rest = name.split(":")
    if first in POLICIES and not rest:
        return POLICIES[first]
    if name == f"sparse{FORCED}":
        return replace(POLICIES["sparse"], name=name)
    if first == "rollout" and len(rest) <= 4:
        base = POLICIES.get(rest[0])
        numbers = [int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else -1 for text in rest[1:]]
        ahead = (*numbers, *USUAL_AHEAD[len(numbers) :])
        sensible = min(ahead[:2]) >= 1 and min(ahead) >= 0 and max(ahead) <= 1000
        if base is not None and base.ahead is None and base.rule.scored and sensible:
            return replace(POLICIES["rollout"], name=name, rule=base.rule, ahead=(ahead[0], ahead[1], ahead[2]))
        bases = ", ".join(policy.name for policy in _POLICIES if policy.rule.scored and not policy.ahead)
        words = f"rollout:BASE:TESTS:DECISIONS:EXACT, such as rollout:gain:10:1; BASE is one of {bases}"
        raise UsageError(f'"{name}" is no rollout; write {words}')
    raise UsageError(f'no policy is called "{name}"; known: {", ".join(POLICIES)}')


def find_stop(name: str) -> str:
    """The name itself when it is a stopping rule. Raises UsageError with the known names."""
    read_stop(name)
    return name


def read_stop(name: str) -> StopRule:
    """The rule of this name, such as group or posterior:0.95. Raises UsageError with the known names."""
    first, colon, number = name.partition(":")
    kinds = {text.partition(":")[0]: kind for text, kind in zip(STOPS, StopKind, strict=True)}
    kind = kinds.get(first)
    if kind is None or bool(colon) != (kind in (StopKind.POSTERIOR, StopKind.BUDGET)):
        raise UsageError(f'no stopping rule is called "{name}"; known: {", ".join(STOPS)}')
    if not colon:
        return StopRule(kind)
    try:
        threshold = float(number)
    except ValueError:
        threshold = math.nan
    if not (0 < threshold <= 1 if kind is StopKind.POSTERIOR else 0 < threshold < math.inf):
        limits = "a probability above 0 and at most 1" if kind is StopKind.POSTERIOR else "a cost above 0"
        raise UsageError(f'"{name}": {first} is followed by {limits}')
    return StopRule(kind, threshold)


def stop_words(name: str) -> str:
    """What must be so for the case to end, with the rule's own number."""
    words = list(STOPS.values())[read_stop(name).kind]
    number = name.partition(":")[2]
    return words[:-1] + number if number else words


def spent_words(stop: str) -> str:
    """Which tests are used up where none may be asked any more."""
    return "no test that is left and " + (
        "within the budget" if read_stop(stop).kind is StopKind.BUDGET else "may be asked"
    )


def default_stop(kb: KnowledgeBase) -> str:
    """One group where the table has groups, else one hypothesis."""
    return "group" if kb.groups else "unique"


def default_policy(kb: KnowledgeBase) -> str:
    """The best policy that stays quick on a table of this size."""
    return "rollout" if len(kb.hypotheses) * len(kb.tests) <= QUICK_CELLS else "gain"
