"""The figures of a policy on tables small enough to check by hand, and what the clock counts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import algos.order
from diagnoser.advise import Adviser
from diagnoser.evaluation import entropy_bound, evaluate, lower_bound
from tests.conftest import needs_compiler
from tests.tables import yes_no

CODE = {"w": "11", "x": "10", "y": "01", "z": "00"}


def test_a_perfect_code() -> None:
    found = evaluate(Adviser(yes_no(CODE)), "odtn-r", "unique")
    assert (found.expected_cost, found.worst_cost, found.nodes) == (2, 2, 7)
    assert found.entropy_bound_bits == 2
    assert found.exact


def test_no_bound_where_some_cannot_be_told_apart() -> None:
    found = evaluate(Adviser(yes_no({"x": "1", "y": "1", "z": "0"})), "gain", "unique")
    assert found.unresolved_probability == pytest.approx(2 / 3)
    assert found.entropy_bound_bits is None


@pytest.mark.parametrize("policy", ["non-adaptive", "low-adaptive"])
def test_the_order_is_worked_out_once(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, work_out = list[object](), algos.order.fixed_order
    monkeypatch.setattr(algos.order, "fixed_order", lambda *given: (calls.append(given), work_out(*given))[1])
    assert evaluate(Adviser(yes_no(CODE)), policy, "unique").expected_cost == 2
    assert len(calls) == 1


COUNT = """
import sys
import algos.bounds, algos.evaluate, algos.order, algos.rollout, algos.sparse, diagnoser.evaluation
from diagnoser.advise import Adviser
from tests.tables import yes_no

class Clock:
    ready = []
    def perf_counter(self):
        modules = [module for name, module in sys.modules.items() if name.startswith("algos.")]
        kernels = {id(k): k for module in modules for k in vars(module).values() if hasattr(k, "signatures")}
        self.ready.append({k.__name__: len(k.signatures) for k in kernels.values()})
        return 0.0

algos.evaluate.time = diagnoser.evaluation.time = Clock()
algos.evaluate.NODE_LIMIT = algos.rollout.STEP_LIMIT = 5
rows = ["1?0???", "1?0???", "?0?1?1", "0??0?1", "?1?11?", "??0?10", "01?0??", "?00?11", "1?1??0"]
adviser = Adviser(yes_no({f"h{x}": row for x, row in enumerate(rows)}))
found = diagnoser.evaluation.evaluate(adviser, sys.argv[1], "unique", runs=200)
for before, after in zip(Clock.ready[::2], Clock.ready[1::2], strict=True):
    print({name for name in after if after[name] != before[name]} or "nothing")
"""


@needs_compiler
@pytest.mark.parametrize(
    ("policy", "times"),
    [("odtn-h", 2), ("rollout", 2), ("rollout:gain:5:2:3", 2), ("sparse:force", 1), ("low-adaptive", 3)],
)
def test_the_clock_stands_while_kernels_are_compiled(policy: str, times: int) -> None:
    """In a new process; the first two rows cannot be told apart. Loading a kernel that was kept counts as well."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT, policy],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["nothing"] * times


def test_bounds_are_for_rules_that_end_at_one_name() -> None:
    adviser = Adviser(yes_no(CODE))
    bound = lower_bound(adviser, "unique")
    assert bound is not None
    assert bound[0] == pytest.approx(2)
    assert lower_bound(adviser, "posterior:0.9") is None
    assert entropy_bound(adviser, "posterior:0.9") is None
