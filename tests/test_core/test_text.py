"""Numbers and names in words."""

from __future__ import annotations

import pytest

from diagnoser.text import nearest, one_unit, percent, score_per_cost, span


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0 %"),
        (1e-12, "<0.1 %"),
        (0.0009, "<0.1 %"),
        (0.001, "0.1 %"),
        (0.125, "12.5 %"),
        (0.9989, "99.9 %"),
        (0.9995, ">99.9 %"),
        (1 - 1e-6, ">99.9 %"),
        (1 - 1e-16, "100 %"),
        (1.0, "100 %"),
    ],
)
def test_what_is_possible_is_never_0_and_what_is_open_never_100_percent(share: float, words: str) -> None:
    assert percent(share) == words


def test_percent_without_decimals() -> None:
    assert [percent(share, 0) for share in (0.004, 0.25, 0.996)] == ["<1 %", "25 %", ">99 %"]


def test_a_span_keeps_all_digits_that_were_written() -> None:
    assert span(2.65, 2.65, "g") == "2.65 g"
    assert span(2.5, 4.0, "g") == "2.5 to 4 g"
    assert span(1234567.5, 1234567.5) == "1234567.5"
    assert span(0.1, 0.3, None) == "0.1 to 0.3"
    assert span(1, 1, "") == "1"


def test_scores_and_units() -> None:
    assert [score_per_cost(2 / 3, 2), score_per_cost(1, 0.002)] == ["0.333", "500"]
    assert [one_unit(unit) for unit in ("minutes", "hours", "tests", "EUR")] == ["min", "h", "test", "EUR"]


def test_nearest_names() -> None:
    assert nearest("hazmta", ["plants", "hazmat"]) == 'did you mean "hazmat"?'
    assert nearest("PH", ["ph", "colour"]) == 'did you mean "ph"?'
    assert nearest("zzz", ["a", "b"]) == "known are a, b"
    assert nearest("zzz", [f"t{n}" for n in range(14)]).endswith("t11 and 2 more")
    assert nearest("zzz", []) == "none is known"
