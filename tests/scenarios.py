"""A case described in words, answered as the description says."""

from __future__ import annotations

from bisect import bisect_right

from diagnoser.advise import Advice, Adviser
from diagnoser.case import Answered, Settings, State
from diagnoser.formats import open_table
from diagnoser.kb import KnowledgeBase
from diagnoser.policies import default_policy, default_stop


def told(table: str, seen: str) -> Advice:
    """The end of a case at a shipped table; `seen` is `test=outcome` parted by blanks, `a|b` for either of two.

    What the program asks is answered as described, and "could not tell" where the description is silent.
    """
    kb = open_table(table)
    known = dict(pair.split("=") for pair in seen.split())
    assert known.keys() <= kb.test_index.keys(), known.keys() - kb.test_index.keys()
    adviser, state = Adviser(kb), State(Settings(default_policy(kb), default_stop(kb)))
    while (advice := adviser.advise(state)).proposal is not None:
        test = advice.proposal.test
        outcomes = tuple(_outcome(kb, test, word) for word in known[test].split("|")) if test in known else ()
        state = State(state.settings, (*state.answers, Answered(test, outcomes)))
    return advice


def _outcome(kb: KnowledgeBase, test: str, word: str) -> str:
    """The id of an outcome; of a numeric test the bin that holds the number."""
    asked = kb.tests[kb.test_index[test]]
    return asked.outcomes[bisect_right(asked.cuts, float(word))].id if asked.cuts else word


def ends_at(table: str, seen: str) -> set[str]:
    """Who is left: names, or the one group they share where there are several."""
    left = told(table, seen).candidates
    groups = {candidate.group for candidate in left}
    if len(left) > 1 and len(groups) == 1 and None not in groups:
        return {str(group) for group in groups}
    return {candidate.hypothesis for candidate in left}
