"""The registry: every policy and stopping rule by name, known without loading numba."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

    @property
    def ordered(self) -> bool:
        """The test is the next of an order fixed beforehand."""
        return self in (Rule.LOW_ADAPTIVE, Rule.NON_ADAPTIVE)


@dataclass(frozen=True, slots=True)
class Policy:
    """A way to choose the next test."""

    name: str
    rule: Rule
    summary: str
    guarantee: str


_POLICIES = (
    Policy(
        "gain",
        Rule.GAIN,
        "asks what rules out the most of the others, for its cost",
        "none is proved for it alone; on large tables of the field it was the cheapest of these",
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
DEFAULT_POLICY = "gain"

STOPS: Mapping[str, str] = {
    "unique": "one candidate is left",
    "group": "all candidates left are in one group",
}


def find_policy(name: str) -> Policy:
    """The policy of this name. Raises UsageError with the known names."""
    try:
        return POLICIES[name]
    except KeyError:
        raise UsageError(f'no policy is called "{name}"; known: {", ".join(POLICIES)}') from None


def find_stop(name: str) -> str:
    """The name itself when it is a stopping rule. Raises UsageError with the known names."""
    if name not in STOPS:
        raise UsageError(f'no stopping rule is called "{name}"; known: {", ".join(STOPS)}')
    return name


def default_stop(kb: KnowledgeBase) -> str:
    """One group where the table has groups, else one hypothesis."""
    return "group" if kb.groups else "unique"
