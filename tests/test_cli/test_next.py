"""`diagnoser next` on tables whose decisions are worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from diagnoser.case import Answered
from diagnoser.cli.next import read_answer
from diagnoser.errors import UsageError
from diagnoser.kb import NOT_APPLICABLE, Hypothesis, KnowledgeBase, Outcome, Test

Run = Callable[..., Result]


def test_the_first_decision(as_json: Callable[..., Any], code: str) -> None:
    said = as_json("next", code)
    fields = ["status", "candidates_left", "entropy_bits", "candidates", "tests", "spent"]
    assert list(said) == [*fields, "group_action", "group_warning"]
    assert (said["status"], said["candidates_left"], said["entropy_bits"], said["spent"]) == ("open", 4, 2.0, [])
    assert said["candidates"][0] == {"hypothesis": "aa", "posterior": 0.25, "group": None, "mismatches": 0}
    halves = [{"outcome": o, "probability": 0.5, "candidates_left": 2} for o in ("yes", "no")]
    first = {"test": "first", "question": "first", "score": pytest.approx(2 / 3), "cost": 1.0, "outcomes": halves}
    assert said["tests"] == [first, first | {"test": "second", "question": "second"}]


def test_answers_lead_to_the_end(as_json: Callable[..., Any], code: str) -> None:
    said = as_json("next", code, "-a", "first=yes")
    assert [(c["hypothesis"], c["posterior"]) for c in said["candidates"]] == [("aa", 0.5), ("ab", 0.5)]
    assert [(t["test"], t["score"]) for t in said["tests"]] == [("second", 1.0)]
    said = as_json("next", code, "-a", "second=no", "-a", "first=yes")
    assert (said["status"], said["candidates_left"], said["entropy_bits"], said["tests"]) == ("identified", 1, 0.0, [])
    assert said["spent"] == ["second", "first"]


def test_a_budget_that_is_used_up_is_said_to_be(diagnoser: Run, code: str) -> None:
    lines = diagnoser("next", code, "-a", "first=yes", "--stop", "budget:1").stdout.splitlines()
    assert lines[1] == "no test that is left and within the budget separates these"


def test_could_not_tell_spends_the_test_and_rules_nothing_out(as_json: Callable[..., Any], code: str) -> None:
    said = as_json("next", code, "-a", "first=?")
    assert (said["candidates_left"], [t["test"] for t in said["tests"]]) == (4, ["second"])
    said = as_json("next", code, "-a", "first=?", "-a", "second=?")
    assert (said["status"], said["candidates_left"], said["tests"]) == ("inseparable", 4, [])
    assert as_json("next", code, "-a", "first=yes|no")["candidates_left"] == 4


def test_top_cuts_both_lists_and_zero_shows_all(as_json: Callable[..., Any], wiser: str) -> None:
    for top, tests, candidates in (("3", 3, 3), ("0", 78, 255)):
        said = as_json("next", wiser, "--top", top)
        assert (len(said["tests"]), len(said["candidates"]), said["candidates_left"]) == (tests, candidates, 255)
    said = as_json("next", wiser)
    assert (len(said["tests"]), len(said["candidates"])) == (10, 10)


def test_answers_that_clash(diagnoser: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("name,p,q\na,yes,yes\nb,no,no\n")
    result = diagnoser("next", str(path), "-a", "p=yes", "-a", "q=no", "--json")
    assert result.exit_code == 4
    said = json.loads(result.stdout)
    assert (said["status"], said["candidates_left"], said["candidates"], said["tests"]) == ("contradiction", 0, [], [])
    assert result.stderr.splitlines() == [
        "diagnoser: no hypothesis of the table agrees with these answers; check or drop one"
    ]
    assert diagnoser("next", str(path), "-a", "p=yes", "-a", "q=no").exit_code == 4


@pytest.mark.parametrize(
    ("words", "exit_code", "says"),
    [
        (["-a", "frist=yes"], 2, 'no test "frist"; did you mean "first"?'),
        (["-a", "first=yess"], 2, 'no outcome "yess"; did you mean "yes"?'),
        (["-a", "first=yes|maybe"], 2, 'no outcome "maybe"'),
        (["-a", "first=-"], 2, "applies to every hypothesis"),
        (["-a", "first="], 2, 'no outcome ""'),
        (["-a", "first"], 2, "write TEST=OUTCOME"),
        (["-a", "first=yes", "-a", "first=no"], 2, '"first" is answered twice'),
        (["--policy", "magic"], 2, 'no policy is called "magic"; known: rollout'),
        (["--stop", "never"], 2, 'no stopping rule is called "never"'),
        (["--errors", "lenient"], 2, 'errors cannot be treated as "lenient"; known: strict, tolerance, reliability'),
        (["--errors", "reliability", "--tolerance", "1"], 2, "leave the tolerance out"),
        (["--prior", "missing.csv"], 3, "missing.csv"),
    ],
)
def test_mistakes_are_one_line(diagnoser: Run, code: str, words: list[str], exit_code: int, says: str) -> None:
    result = diagnoser("next", code, *words)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert len(result.stderr.splitlines()) == 1
    assert says in result.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "no such file"),
        (b"\x00\x01\x7fELF\xff", ""),
        (b"", ""),
        (b"name,p,q\na,yes,yes\nb,no\n", "line 3"),
        (b"name,p,p\na,yes,yes\nb,no,no\n", '"p"'),
        (b"name,p\na,yes\na,no\n", "line 3"),
    ],
    ids=["missing", "binary", "empty", "ragged", "two tests alike", "two hypotheses alike"],
)
def test_bad_tables_are_one_line(diagnoser: Run, tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "t.csv"
    if content is not None:
        path.write_bytes(content)
    result = diagnoser("next", str(path))
    assert (result.exit_code, result.stdout) == (3, "")
    assert len(result.stderr.splitlines()) == 1
    assert str(path) in result.stderr
    assert says in result.stderr


def test_words_for_people(diagnoser: Run, code: str) -> None:
    result = diagnoser("next", code, "-a", "first=no")
    lines = result.stdout.splitlines()
    assert lines[:2] == ["2 of 4 hypotheses left, 1.0 of 2.0 bits open", "next: second"]
    assert "yes\tyes\t1" in lines
    assert "test\tquestion\tscore per test\tcost" in lines
    assert "second\tsecond\t1.000\t1" in lines
    assert "ba\t50.0 %\t" in lines
    assert "identified: bb" in diagnoser("next", code, "-a", "first=no", "-a", "second=no").stdout


def test_scores_are_said_for_one_unit_of_cost_which_is_what_ranks(
    as_json: Callable[..., Any], diagnoser: Run, tmp_path: Path
) -> None:
    (tmp_path / "kb.toml").write_text(
        'format = 1\ntitle = "T"\ncost_unit = "minutes"\n'
        '[[tests]]\nid = "dear"\ncost = 8\noutcomes = [{ id = "a" }, { id = "b" }, { id = "c" }, { id = "d" }]\n'
        '[[tests]]\nid = "cheap"\ncost = 2\noutcomes = [{ id = "yes" }, { id = "no" }]\n'
    )
    (tmp_path / "table.csv").write_text("name,dear,cheap\nw,a,yes\nx,b,yes\ny,c,no\nz,d,no\n")
    # dear rules out all three others, 1 for 8 minutes; cheap two of three, 2/3 for 2 minutes.
    lines = diagnoser("next", str(tmp_path), "--policy", "gain").stdout.splitlines()
    place = lines.index("test\tquestion\tscore per min\tcost")
    assert lines[place + 1 : place + 3] == ["cheap\tcheap\t0.333\t2", "dear\tdear\t0.125\t8"]
    said = as_json("next", str(tmp_path), "--policy", "gain")["tests"]
    assert [(t["test"], t["score"], t["cost"]) for t in said] == [("cheap", pytest.approx(2 / 3), 2), ("dear", 1, 8)]


def test_text_of_a_table_never_steers_the_terminal(diagnoser: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("name,\x1b[31mp,[bold]q\n\x1b]0;x\x07a,yes,yes\nb,no,yes\nc\u202ed,no,no\n", encoding="utf-8")
    for words in ([], ["--json"]):
        result = diagnoser("next", str(path), *words)
        assert result.exit_code == 0, result.stderr
        assert not set("\x1b\x07\u202e") & set(result.stdout + result.stderr)
        assert "[bold]q" in result.stdout


@pytest.fixture
def stones(tmp_path: Path) -> Path:
    (tmp_path / "kb.toml").write_text(
        'format = 1\ntitle = "Stones"\ndisclaimer = "only a game"\n[columns]\ngroup = "group"\n'
        '[[tests]]\nid = "hard"\nquestion = "Does it scratch glass?"\n'
        'outcomes = [{ id = "yes", label = "yes" }, { id = "no", label = "no" }]\n'
        '[[groups]]\nid = "g"\nname = "Gems"\naction = "keep it"\nwarning = "do not polish it"\n'
        '[[groups]]\nid = "s"\naction = "leave it"\nwarning = "it stains"\n'
    )
    (tmp_path / "table.csv").write_text("name,group,hard\nruby,g,yes\nspinel,g,yes\nlazurite,s,no\n")
    return tmp_path


def test_a_stone_by_its_group(as_json: Callable[..., Any], diagnoser: Run, stones: Path) -> None:
    said = as_json("next", str(stones), "-a", "hard=yes")
    assert (said["status"], said["candidates_left"], said["candidates"][0]["group"]) == ("group", 2, "g")
    lines = diagnoser("next", str(stones), "-a", "hard=yes").stdout.splitlines()
    assert lines[1:5] == ["one group: Gems", "keep it", "do not polish it", "only a game"]
    said = as_json("next", str(stones), "-a", "hard=yes", "--stop", "unique")
    assert (said["status"], said["group_action"]) == ("inseparable", "keep it")


def test_a_stone_found_comes_with_what_to_do_for_it(as_json: Callable[..., Any], diagnoser: Run, stones: Path) -> None:
    lines = diagnoser("next", str(stones), "-a", "hard=no", "--stop", "unique").stdout.splitlines()
    assert lines[1:5] == ["identified: lazurite", "leave it", "it stains", "only a game"]
    said = as_json("next", str(stones), "-a", "hard=no", "--stop", "unique")
    assert (said["group_action"], said["group_warning"]) == ("leave it", "it stains")
    said = as_json("next", str(stones))
    assert (said["status"], said["group_action"], said["group_warning"]) == ("open", None, None)


def kb(*tests: tuple[str, tuple[str, ...]]) -> KnowledgeBase:
    from array import array

    return KnowledgeBase(
        title="T",
        hypotheses=(Hypothesis("h", "h", 1.0),),
        tests=tuple(Test(name, tuple(Outcome(o, o) for o in outcomes)) for name, outcomes in tests),
        codes=array("h", [0] * len(tests)),
    )


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("ph=acid", Answered("ph", ("acid",))),
        (" ph = acid | basic ", Answered("ph", ("acid", "basic"))),
        ("ph=acid|acid", Answered("ph", ("acid",))),
        ("ph=?", Answered("ph")),
        ("ph=-", Answered("ph", (NOT_APPLICABLE,))),
        ("ph=n/a", Answered("ph", (NOT_APPLICABLE,))),
        ("sign=-", Answered("sign", ("-",))),  # an outcome of this name goes before "does not apply"
        ("sign=+|-", Answered("sign", ("+", "-"))),
        ("odd=?", Answered("odd", ("?",))),
        ("odd=a|b", Answered("odd", ("a|b",))),
        ("a=b=yes", Answered("a=b", ("yes",))),  # the longest test id
        ("a=b=c=yes", Answered("a", ("b=c=yes",))),  # unless its outcome is not known
        ("a=x", Answered("a", ("x",))),
    ],
)
def test_how_an_answer_is_read(text: str, answer: Answered) -> None:
    table = kb(
        ("ph", ("acid", "basic", NOT_APPLICABLE)),
        ("sign", ("+", "-")),
        ("odd", ("?", "a|b", "a", "b")),
        ("a", ("x", "b=c=yes", "b=yes")),
        ("a=b", ("yes", "no")),
    )
    assert read_answer(table, text) == answer


def test_an_equals_sign_in_a_wrong_answer_is_told_by_the_longest_test() -> None:
    with pytest.raises(UsageError, match='test "a=b" has no outcome "z"'):
        read_answer(kb(("a", ("x",)), ("a=b", ("yes",))), "a=b=z")
