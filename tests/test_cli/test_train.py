"""train, inspect, predict and compare, as a user calls them."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import Result

from diagnoser.case import Answered, Confirmed, Event
from diagnoser.formats import open_table
from tests.bases import HAZMAT
from tests.conftest import needs_compiler
from tests.sessions import HEADER, written

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(diagnoser: Callable[..., Result]) -> Run:
    def run(*words: object) -> tuple[int, str, str]:
        result = diagnoser(*map(str, words))
        return result.exit_code, result.stdout, result.stderr

    return run


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Lamps: the switch tells the bulb from the fuse, the radio tells the fuse; the colour tells nothing."""
    draw = random.Random(3)  # noqa: S311
    lines = ["case,colour,radio,hum,switch,fault"]
    for number in range(120):
        fault = draw.choice(["bulb", "fuse", "switch"])
        radio = "silent" if fault == "fuse" else "plays"
        feel = "loose" if fault == "switch" else "firm"
        colour, hum = draw.choice(["red", "white"]), f"{draw.uniform(0, 5):.2f}" if number % 9 else "?"
        lines.append(f"{1000 + number},{colour},{radio},{hum},{feel},{fault}")
    path = tmp_path / "lamps.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_tree_is_learnt_inspected_and_used(run: Run, cases: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    code, out, err = run("train", cases, "--target", "fault", "-o", model, "--cost", "radio=2")
    assert code == 0, err
    assert "left out: case, it looks like a number of the case" in err
    assert "hum: numbers" in err
    assert "14 missing" in err
    assert "3 classes, 3 leaves, at most 2 questions" in out
    code, out, _ = run("inspect", model)
    assert out.count("ask ") == 2
    assert "colour" not in out.split("\n\n")[1]
    code, out, _ = run("inspect", model, "--row", "switch=loose")
    assert "switch: loose" in out
    assert "switch 100 %" in out
    code, out, err = run("predict", model, cases)
    rows = list(csv.DictReader(io.StringIO(out)))
    truth = list(csv.DictReader(io.StringIO(cases.read_text())))
    assert [row["fault"] for row in rows] == [row["fault"] for row in truth]
    assert "1.0000 of 120 cases agree" in err
    paid = {row["fault"]: float(row["cost"]) for row in rows}
    assert paid["switch"] == 1
    assert paid["fuse"] == paid["bulb"] == 3
    for form, word in (("rules", "if"), ("dot", "digraph"), ("html", "<!doctype html>"), ("curve", "trade-off")):
        code, out, _ = run("inspect", model, "--format", form)
        assert code == 0
        assert word in out
    assert "<script" not in out
    code, out, _ = run("inspect", model, "--format", "json")
    assert json.loads(out)["target"] == "fault"


def test_the_curve_is_drawn_where_matplotlib_is(run: Run, cases: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    run("train", cases, "--target", "fault", "-o", model)
    assert run("inspect", model, "--plot", tmp_path / "curve.gif")[0] == 2
    code, _, err = run("inspect", model, "--plot", tmp_path / "curve.svg")
    if find_spec("matplotlib") is None:
        assert (code, "diagnoser[plots]" in err) == (2, True)
    else:
        assert code == 0, err
        assert (tmp_path / "curve.svg").read_text().count("<path") > 10


def test_a_model_is_asked_like_a_table(run: Run, cases: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    run("train", cases, "--target", "fault", "-o", model)
    _code, out, _ = run("next", model, "--json")
    first = json.loads(out)
    assert first["status"] == "open"
    _code, out, _ = run("next", model, "-a", "switch=loose", "--json")
    assert json.loads(out)["status"] in ("identified", "group")
    _code, out, _ = run("next", model, "-a", "switch=?", "-a", "radio=silent", "--json")
    groups = {one["group"] for one in json.loads(out)["candidates"]}
    assert groups == {"fuse", "switch"}


def test_a_table_is_learnt_from(run: Run, tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    code, _out, err = run("train", "hazmat", "-o", model, "--trade-off", "1")
    assert code == 0, err
    assert "count as missing" in err
    assert json.loads(model.read_text())["target"] == "group"


def test_confirmed_sessions_are_learnt_from(run: Run, tmp_path: Path) -> None:
    """Nine sessions about the table, two of them without an end; a tenth is about another table."""
    kb = open_table("hazmat")
    folder, model = tmp_path / "s", tmp_path / "m.json"
    folder.mkdir()
    told = [("chlorine", "green"), ("petrol", "yellow"), ("chlorine", "green"), ("petrol", "yellow"), ("petrol", "")]
    for number in range(10):
        name, colour = told[number % 5]
        events: list[Event] = [Answered("colour", (colour,) if colour else ())]
        if number not in (3, 4):
            events.append(Confirmed(name))
        title = "another" if number == 9 else kb.title
        written(folder / f"{number}.jsonl", tuple(events), replace(HEADER, table=title))
    (folder / "torn.jsonl").write_text("{")
    code, out, err = run("train", "hazmat", "--sessions", folder, "-o", model, "--trade-off", "1")
    assert code == 0, err
    assert "7 confirmed sessions\n" in err
    assert "left out: 1 session of other tables\n" in err
    assert "left out: 2 sessions that confirm nothing of the table\n" in err
    assert "1 file that cannot be read" in err
    assert "2 classes, 2 leaves" in out
    groups = {row["substance"]: row["group"] for row in HAZMAT.rows.values()}
    assert set(json.loads(model.read_text())["classes"]) == {groups["chlorine"], groups["petrol"]}
    assert run("train", "hazmat", "--sessions", tmp_path, "-o", tmp_path / "n.json")[0] == 2


def test_costs_pools_and_questions_come_from_a_file(run: Run, cases: Path, tmp_path: Path) -> None:
    costs = tmp_path / "costs.toml"
    costs.write_text(
        '[costs]\nradio = 9\n[pools.room]\ncost = 4\ncolumns = ["radio", "switch"]\n'
        '[questions]\nradio = "Does the radio play?"\n'
    )
    model = tmp_path / "m.json"
    code, out, err = run("train", cases, "--target", "fault", "-o", model, "--costs", costs)
    assert code == 0, err
    kept = json.loads(model.read_text())
    assert {one["name"]: one["question"] for one in kept["features"]}["radio"] == "Does the radio play?"
    assert list(kept["pools"].values()) == [4]
    assert "worst 14" in out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--target", "folt"], 2, 'no column "folt"'),
        ([], 2, "--target"),
        (["--target", "fault", "--kind", "radio=number"], 3, "not a number"),
        (["--target", "fault", "--kind", "radio=text"], 2, '"number" or "nominal"'),
        (["--target", "fault", "--cost", "radio=0"], 2, "above 0"),
        (["--target", "fault", "--cost", "radio"], 2, "NAME=VALUE"),
        (["--target", "fault", "--cost", "rodio=1"], 2, "radio"),
        (["--target", "fault", "--criterion", "best"], 2, "criterion"),
    ],
)
def test_mistakes_get_one_line_and_a_code(run: Run, cases: Path, words: list[str], code: int, said: str) -> None:
    found, out, err = run("train", cases, *words, "-o", cases.with_suffix(".json"))
    assert (found, out) == (code, "")
    assert said in err.splitlines()[-1]
    assert not cases.with_suffix(".json").exists()


def test_a_file_is_not_written_over_unless_told(run: Run, cases: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    model.write_text("mine")
    assert run("train", cases, "--target", "fault", "-o", model)[0] == 2
    assert model.read_text() == "mine"


@needs_compiler
def test_ways_are_compared_on_the_same_folds(run: Run, cases: Path) -> None:
    code, out, err = run("compare", cases, "--target", "fault", "--folds", "3", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert len(found) == 15
    assert {one["way"] for one in found} >= {"this method", "scikit-learn", "gain / cost"}
    ours = [one for one in found if one["way"] == "this method"]
    assert [one["fold"] for one in ours] == [0, 1, 2]
    assert all(one["score"] == 1 and one["leaves"] == 3 and one["cost"] < 2 for one in ours)
