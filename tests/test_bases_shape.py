"""What holds for every shipped table: its cells are declared, its words fit the screen."""

from __future__ import annotations

import pytest

from tests.bases import CARS, GEMS, HAZMAT, NETWORK, NOT_APPLICABLE, PLANTS, Base

every_base = pytest.mark.parametrize("base", [CARS, GEMS, HAZMAT, NETWORK, PLANTS], ids=lambda base: base.name)


@every_base
def test_one_row_for_each_name_and_a_cell_in_every_column(base: Base) -> None:
    assert len(base.lines) - 1 == len(base.rows)
    assert len(base.questions) == len(base.kb["tests"])
    assert base.header[0] == base.kb["hypothesis"]
    assert base.header[-len(base.questions) :] == list(base.questions)
    assert all(None not in row and None not in row.values() for row in base.rows.values()), "a ragged row"


@every_base
def test_every_cell_is_a_number_or_declared_outcomes(base: Base) -> None:
    for name, test, cell in base.cells():
        where = f"{name}, {test}: {cell}"
        assert cell, where
        if cell in ("?", "-"):
            continue
        if "cuts" in base.questions[test]:
            low, high = base.interval(name, test)
            assert low <= high, where
            continue
        parts = cell.split("|")
        assert base.possible(name, test) <= {outcome["id"] for outcome in base.questions[test]["outcomes"]}, where
        assert len(base.possible(name, test)) == len(parts), where
        real = [part.partition(":")[2] for part in parts if not part.endswith("!")]
        assert not any(real) or sum(map(float, real)) == pytest.approx(1), where


@every_base
def test_every_outcome_occurs(base: Base) -> None:
    for test, asked in base.questions.items():
        if "cuts" not in asked:
            known = (name for name in base.rows if base.rows[name][test] != "?")
            seen = set().union(*(base.possible(name, test) for name in known))
            assert seen - {NOT_APPLICABLE} == {outcome["id"] for outcome in asked["outcomes"]}, test


@every_base
def test_groups_are_declared_and_used(base: Base) -> None:
    declared = [group["id"] for group in base.kb["groups"]]
    assert len(set(declared)) == len(declared)
    assert set(declared) == {row["group"] for row in base.rows.values() if row["group"]}


@every_base
def test_questions_are_complete_and_fit_the_screen(base: Base) -> None:
    for test, asked in base.questions.items():
        assert len(asked["name"]) <= 28, test
        assert len(asked["question"]) <= 70, test
        assert asked["cost"] > 0, test
        assert 0.5 < asked["reliability"] < 1, test
        assert asked["note"], test
        labels = [outcome["label"] for outcome in asked.get("outcomes", [])]
        assert len(set(labels)) == len(labels), test
        assert all(len(label) <= 40 for label in labels), test
        ids = {outcome["id"] for outcome in asked.get("outcomes", [])}
        assert test not in ids, f"{test}: a CSV file could not tell its name from a cell"
