"""kb.toml and table.csv: a golden reading by hand, one bad file an error, and cells against their definition."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnoser.errors import BadTable, UsageError
from diagnoser.formats import open_table
from diagnoser.kb import Group, Hypothesis, KnowledgeBase

HEAD = """\
format = 1
title = "Stones"
version = "2"
licence = "MIT"
hypothesis = "stone"
scope = "Three of them."
disclaimer = "A toy."
sources = ["memory"]
cost_unit = "minutes"
misreported_weight = 0.1

[columns]
id = "key"
group = "kind"
prior = "weight"
aliases = "also"
note = "remark"
extra = ["cas"]

[[tests]]
id = "colour"
name = "Colour"
question = "Which colour?"
outcomes = [
  { id = "red", label = "red or pink" },
  { id = "brown" },
  { id = "black" },
]
cost = 2
category = "look"
reliability = 0.9
provenance = "hand"
note = "In daylight."

[[tests]]
id = "streak"
outcomes = [{ id = "yes" }, { id = "no" }]
needs = ["colour=black", ["colour=red", "colour=brown"]]
same_evidence = ["colour"]

[[tests]]
id = "density"
unit = "g"
cuts = [2.5, 3, 4.0]
tolerance = 0.02

[[groups]]
id = "g1"
name = "Group 1"
action = "Polish."
warning = "Sharp."
[[groups]]
id = "g2"
"""
TABLE = """\
name,key,kind,weight,also,remark,cas,density,colour,streak
Ruby,r,g1,3,corundum| Red one,precious,7-1,4.0,red:0.8|brown:0.2,yes
Garnet,g,,1,,,,2.49..3.1,red|black!,?
Jet,j,g1,4,,,,?,black,-
Ghost,x,g1,0,,,,bad,bad,bad
Agate,a,g1,2,,,,2.65,red|brown|black,
"""


def write(folder: Path, head: str = HEAD, table: str = TABLE) -> Path:
    (folder / "kb.toml").write_bytes(head.encode())
    (folder / "table.csv").write_bytes(table.encode())
    return folder


@pytest.fixture
def stones(tmp_path: Path) -> KnowledgeBase:
    return open_table(write(tmp_path))


def test_everything_around_the_cells(stones: KnowledgeBase) -> None:
    assert (stones.title, stones.version, stones.licence, stones.cost_unit) == ("Stones", "2", "MIT", "minutes")
    assert (stones.scope, stones.disclaimer, stones.sources) == ("Three of them.", "A toy.", ("memory",))
    assert (stones.hypothesis_word, stones.hypotheses_word, stones.blank) == ("stone", "stones", "unknown")
    assert stones.groups == (Group("g1", "Group 1", "Polish.", "Sharp."), Group("g2", "g2"))
    assert stones.hypotheses == (
        Hypothesis("r", "Ruby", 0.3, "g1", ("corundum", "Red one"), "precious", {"cas": "7-1"}),
        Hypothesis("g", "Garnet", 0.1),
        Hypothesis("j", "Jet", 0.4, "g1"),
        Hypothesis("a", "Agate", 0.2, "g1"),
    )
    assert stones.notices == ('group "g2" has no member', 'left out: line 5: "Ghost" has prior 0')
    colour, streak, density = stones.tests
    assert (colour.name, colour.question, colour.cost, colour.category) == ("Colour", "Which colour?", 2.0, "look")
    assert (colour.reliability, colour.provenance, colour.note, colour.unit) == (0.9, "hand", "In daylight.", None)
    assert [(o.id, o.label) for o in colour.outcomes] == [
        ("red", "red or pink"),
        ("brown", "brown"),
        ("black", "black"),
    ]
    assert [(o.id, o.label) for o in streak.outcomes] == [("yes", "yes"), ("no", "no"), ("n/a", "does not apply")]
    assert streak.needs == ((("colour", "black"),), (("colour", "red"), ("colour", "brown")))
    assert (streak.same_evidence, streak.cost, streak.applicable) == (("colour",), 1.0, 2)
    assert (density.unit, density.cuts, density.tolerance) == ("g", (2.5, 3.0, 4.0), 0.02)
    assert [(o.id, o.label) for o in density.outcomes] == [
        ("<2.5", "below 2.5 g"),
        ("2.5..3", "2.5 to 3 g"),
        ("3..4", "3 to 4 g"),
        (">=4", "4 g or more"),
    ]


def test_every_kind_of_cell(stones: KnowledgeBase) -> None:
    ruby, garnet, jet, agate = range(4)
    colour, streak, density = range(3)
    assert stones.cell(ruby, colour).outcomes == ((0, 0.8), (1, 0.2))
    assert stones.cell(garnet, colour).outcomes == ((0, 0.9), (2, 0.1))
    assert stones.code(jet, colour) == 2
    every = stones.cell(agate, colour)
    assert every.outcomes == ((0, 1 / 3), (1, 1 / 3), (2, 1 / 3))
    assert not every.unknown
    assert [stones.code(x, streak) for x in range(4)] == [0, -1, 2, -1]
    assert stones.cell(garnet, streak).outcomes == ((0, 0.5), (1, 0.5))
    assert stones.cell(ruby, density).outcomes == ((2, 0.5), (3, 0.5))  # 3.98 to 4.02
    assert stones.cell(garnet, density).outcomes == ((0, 1 / 3), (1, 1 / 3), (2, 1 / 3))
    assert stones.code(jet, density) == -1
    assert stones.code(agate, density) == 1
    assert stones.intervals == {2: ((4.0, 4.0), (2.49, 3.1), None, (2.65, 2.65))}


def test_equal_partials_are_kept_once(tmp_path: Path) -> None:
    rows = ["red|brown", "brown|red", "red:0.5|brown:0.5", "red:0.6|brown:0.4"]
    table = "name,t\n" + "".join(f"h{n},{cell}\n" for n, cell in enumerate(rows))
    head = 'format=1\ntitle="T"\n[[tests]]\nid="t"\noutcomes=[{id="red"},{id="brown"}]\n'
    kb = open_table(write(tmp_path, head, table))
    assert list(kb.codes) == [-2, -2, -2, -3]
    assert kb.tests[0].partials == (((0, 0.5), (1, 0.5)), ((0, 0.6), (1, 0.4)))


def test_misreadings_share_their_weight(tmp_path: Path) -> None:
    head = 'format=1\ntitle="T"\n[[tests]]\nid="t"\noutcomes=[{id="a"},{id="b"},{id="c"},{id="d"}]\n'
    kb = open_table(write(tmp_path, head, "name,t\nx,a|b|c!|d!\ny,d!|a:0.2|b:0.8\n"))
    assert kb.cell(0, 0).outcomes == ((0, 0.475), (1, 0.475), (2, 0.025), (3, 0.025))
    assert kb.cell(1, 0).outcomes == ((0, 0.95 * 0.2), (1, 0.95 * 0.8), (3, 0.05))


def test_what_a_blank_and_a_dash_mean_is_declared(tmp_path: Path) -> None:
    head = HEAD.replace("cost_unit", 'blank = "no"\ninapplicable = "unknown"\ncost_unit')
    table = TABLE.replace("red|brown|black,\n", "?,\n")
    kb = open_table(write(tmp_path, head, table))
    assert [kb.code(x, 1) for x in range(4)] == [0, -1, -1, 1]
    assert [o.id for o in kb.tests[1].outcomes] == ["yes", "no"]
    assert kb.blank == "no"


def test_bins_may_have_outcomes_of_their_own(tmp_path: Path) -> None:
    own = 'outcomes = [{ id = "light" }, { id = "middling" }, { id = "heavy" }, { id = "very" }]\ncuts ='
    kb = open_table(write(tmp_path, HEAD.replace("cuts =", own)))
    assert [o.id for o in kb.tests[2].outcomes] == ["light", "middling", "heavy", "very"]
    assert kb.cell(0, 2).outcomes == ((2, 0.5), (3, 0.5))


def test_priors_that_sum_to_one_stay_as_they_are(tmp_path: Path) -> None:
    table = "name,p,t\na,0.1,yes\nb,0.2,no\nc,0.7,yes\n"
    head = 'format=1\ntitle="T"\n[columns]\nprior="p"\n[[tests]]\nid="t"\noutcomes=[{id="yes"},{id="no"}]\n'
    assert [h.prior for h in open_table(write(tmp_path, head, table)).hypotheses] == [0.1, 0.2, 0.7]


def test_line_ends_marks_and_blank_lines_do_not_matter(tmp_path: Path, stones: KnowledgeBase) -> None:
    mixed = "\ufeff" + TABLE.replace("\nJet", "\r\n\r\n ,,\r Jet ").replace("\nAgate", "\rAgate").rstrip()
    again = open_table(write(tmp_path, "\ufeff" + HEAD.replace("\n", "\r\n"), mixed))
    assert again.fingerprint == stones.fingerprint
    assert again.wording_fingerprint == stones.wording_fingerprint


def test_text_from_the_files_is_made_printable(tmp_path: Path) -> None:
    head = HEAD.replace("Stones", r"St\u001b[31mones").replace("Polish.", r"Pol\nish\u202e")
    kb = open_table(write(tmp_path, head, TABLE.replace("Ruby", "Ru\x07by")))
    assert kb.title == r"St\x1b[31mones"
    assert kb.groups[0].action == r"Pol ish\u202e"
    assert kb.hypotheses[0].name == r"Ru\x07by"


def refusal(folder: Path, head: str = HEAD, table: str = TABLE) -> str:
    with pytest.raises(BadTable) as caught:
        open_table(write(folder, head, table))
    message = str(caught.value)
    assert "\n" not in message
    assert message.isprintable()
    return message.removeprefix(str(folder) + "/")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cost = 2", "cost = 0", 'kb.toml, line 29, value "0": test 1 (colour), key cost is not accepted; it must'),
        ("cost = 2", 'cost = "2"', 'line 29, value "2": test 1 (colour), key cost is not accepted; it must be a'),
        ("cost = 2", "cost = true", 'line 29, value "true": test 1 (colour), key cost'),
        ("cost = 2", "cost = inf", 'value "inf": test 1 (colour), key cost is not accepted; it must be from 0.000001'),
        ("cost = 2", "cost = 9.9e-7", "key cost is not accepted; it must be from 0.000001 to 1000000000"),
        ("cost = 2", "cost = 1000000001", "key cost is not accepted; it must be from 0.000001 to 1000000000"),
        ("cost = 2", "coost = 2", 'line 29, value "2": test 1 (colour), key coost is not known; did you mean "cost"?'),
        ("cost_unit", "cots_unit", 'line 9, value "minutes": key cots_unit is not known; did you mean "cost'),
        ('group = "', 'groop = "', 'line 14, value "kind": [columns], key groop is not known; did you mean "gr'),
        ("action", "aktion", 'line 50, value "Polish.": group 1 (g1), key aktion is not known; did you mean "ac'),
        ('label = "red', 'lable = "red', 'line 24, value "red or pink": test 1 (colour), outcome 1 (red), key lable'),
        ("format = 1", "format = 2", 'line 1, value "2": key format is not accepted; it must be 1'),
        ('title = "Stones"\n', "", "kb.toml: key title is missing; add it"),
        ('id = "streak"\n', "", "kb.toml, line 35: test 2, key id is missing; add it"),
        ('title = "Stones"', 'title = " "', 'line 2, value " ": key title is not accepted; it must not be empty'),
        ('"Which colour?"', "7", 'line 23, value "7": test 1 (colour), key question is not accepted; it must be text'),
        ("= 0.1", "= 1.0", 'line 10, value "1.0": key misreported_weight is not accepted; it must be less than 1'),
        ("= 0.9", "= 1.5", 'value "1.5": test 1 (colour), key reliability is not accepted; it must be less than or'),
        ('"hand"', '"me"', "test 1 (colour), key provenance is not accepted; it must be 'hand', 'source' or 'rule'"),
        ("= 0.02", "= -1.0", 'value "-1.0": test 3 (density), key tolerance is not accepted; it must be greater than'),
        ("[2.5, 3, 4.0]", "[3, 2.5]", 'line 44, value "[3.0, 2.5]": test 3 (density), key cuts must ascend; sort the'),
        ("[2.5, 3, 4.0]", "[]", "line 44: test 3 (density), key cuts is not accepted; it must have at least 1 item"),
        ("cuts = [2.5, 3, 4.0]\n", "", 'value "g": test 3 (density), key unit is for numeric tests only; add cuts'),
        ('unit = "g"\ncuts = [2.5, 3, 4.0]\ntolerance = 0.02\n', "", "line 41: test 3 (density) has neither outcomes"),
        ("cost = 2", "tolerance = 1", 'value "1.0": test 1 (colour), key tolerance is for numeric tests only'),
        ('unit = "g"', 'outcomes = [{id="a"}, {id="b"}]', "test 3 (density), key outcomes are 2, but 3 cuts make 4"),
        (', { id = "no" }', "", "line 37: test 2 (streak), key outcomes is not accepted; it must have at least 2"),
        ('id = "brown"', 'id = "red"', "outcome 2 (red), key id is the same as test 1 (colour), outcome 1 (red), key"),
        ('id = "brown"', 'id = "a|b"', 'value "a|b": test 1 (colour), outcome 2 (a|b), key id is not accepted; it'),
        ('id = "brown"', 'id = "?"', "it must not be a word that means unknown"),
        ('id = "streak"', 'id = "a=b"', 'line 36, value "a=b": test 2 (a=b), key id is not accepted; it must not'),
        ('id = "streak"', 'id = "colour"', "test 2 (colour), key id is the same as test 1 (colour), key id in line 21"),
        ('id = "streak"', 'id = "cas"', "test 2 (cas), key id is the same as [columns], key extra, entry 1 in line 18"),
        ('id = "g2"', 'id = "g1"', 'value "g1": group 2 (g1), key id is the same as group 1 (g1), key id in line 48'),
        ('"colour=black"', '"color=black"', '"color=black": test 2 (streak), key needs, entry 1 names no test "color"'),
        ('"colour=brown"', '"colour=bron"', 'key needs, entry 2 names no outcome "bron" of "colour"; did you mean'),
        ('["colour=red", "colour=brown"]', "[]", "line 38: test 2 (streak), key needs, entry 2 is not accepted; it"),
        ('"colour=black"', '"streak=yes"', 'test 2 (streak), key needs goes round in a circle: "streak" needs'),
        ("cost = 2", 'needs = ["streak=no"]', 'goes round in a circle: "colour" needs "streak" needs "colour"; take'),
        ('["colour"]', '["color"]', '": test 2 (streak), key same_evidence, entry 1 names no other test; did you'),
        ('["colour"]', '["streak"]', 'value "streak": test 2 (streak), key same_evidence, entry 1 names no other test'),
        ("cost_unit", 'blank = "nil"\ncost_unit', '9, value "nil": key blank is no outcome of any test; write'),
        ("cost_unit", 'inapplicable = "no"\ncost_unit', "key inapplicable is not accepted; it must be 'outcome' or"),
        ('title = "Stones"', "title = Stones", "kb.toml, line 2: this is not TOML: Invalid value; mend the line"),
        ('version = "2"', "version = 2", 'line 3, value "2": key version is not accepted; it must be text in quotes'),
        ('title = "Stones"', "title = " + "[" * 5000, "lists are nested too deeply"),
        ('title = "Stones"', "title = " + "9" * 5000, "kb.toml"),
    ],
)
def test_bad_heads(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in HEAD
    assert said in refusal(tmp_path, HEAD.replace(old, new, 1))


@pytest.mark.parametrize("quotes", ['"' * 3, "'" * 3])
def test_what_stands_in_a_string_of_several_lines_is_no_key_or_heading(tmp_path: Path, quotes: str) -> None:
    lines = ["A list:", "[[tests]]", "cost = 7", 'id = "x"', "[columns]", "# it's"]
    note = f"# it's {quotes} here\nnote = {quotes}{chr(10).join(lines)}{quotes} # no {quotes}"
    head = HEAD.replace('note = "In daylight."', note).replace("tolerance = 0.02", "tolerance = -1")
    line = head.split("\n").index("tolerance = -1") + 1
    assert f'line {line}, value "-1": test 3 (density), key tolerance' in refusal(tmp_path, head)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "black,-",
            "blak,-",
            'line 4, column "colour", value "blak": no outcome "blak" of this test; did you mean "black"?',
        ),
        ("black,-", "xyz,-", 'no outcome "xyz" of this test; known are red, brown, black, -'),
        ("black,-", "Black,-", 'value "Black": no outcome "Black" of this test; did you mean "black"?'),
        ("black,-", "black|blak,-", 'line 4, column "colour", value "black|blak": no outcome "blak"'),
        ("black,-", "black|?,-", 'value "black|?": no outcome "?"'),
        ("black,-", "black|,-", 'value "black|": an outcome is missing beside a "|"'),
        ("black,-", "black|black,-", "an outcome stands there twice; name it once"),
        ("black,-", "black!,-", 'every outcome is marked "!"; leave the mark off'),
        ("black,-", "black|red:0.1!,-", 'an outcome marked "!" has a probability'),
        ("0.8|", "0.9|", 'line 2, column "colour", value "red:0.9|brown:0.2": the probabilities sum to 1.1, not to 1'),
        ("brown:0.2", "brown", "some outcomes have a probability and some have none; write all or none"),
        ("red:0.8|brown:0.2", "red:1|brown:0", "a probability is not between 0 and 1"),
        ("2.65", "2,65", "table.csv, line 6: the row has 11 fields, the header 10; add or remove commas"),
        ("2.65", "heavy", 'line 6, column "density", value "heavy": this is neither a number nor a range; write it as'),
        ("2.65", "nan", 'value "nan": this is neither'),
        ("2.65", "1_0", 'value "1_0": this is neither'),
        ("2.65", "1e999", 'value "1e999": this is neither'),
        ("2.65", "2...5", 'value "2...5": this is neither'),
        ("2.65", "2.5..", 'value "2.5..": this is neither'),
        ("2.65", "3..2", 'value "3..2": the range ends below its start; write 2..3'),
        ("2.65", "2|3", 'value "2|3": this is neither'),
        ("g,,1,", "g,,-1,", 'line 3, column "weight", value "-1": the prior is no positive number; write for example'),
        ("g,,1,", "g,,,", 'line 3, column "weight", value "": the prior is no positive number'),
        ("g,,1,", "g,,nan,", 'value "nan": the prior is no positive number'),
        ("g,,1,", "g,,1e300,", 'value "1e300": the prior'),
        ("j,g1", "j,g3", 'line 4, column "kind", value "g3": kb.toml has no such group; known are g1, g2'),
        ("Jet", "Ruby", 'line 4, column "name", value "Ruby": line 2 has it too; rename one of them'),
        ("Jet,j", "Jet,r", 'line 4, column "key", value "r": line 2 has it too; rename one of them'),
        ("Jet", "", 'line 4, column "name": the hypothesis has no name or id; write it'),
        ("Jet,j", "Jet,", 'line 4, column "key": the hypothesis has no name or id'),
        (",streak\n", ",streek\n", 'line 1: no column for "streak" of kb.toml; add it, or is it "streek"?'),
        ("cas,density", "un,density", 'no column for "cas" of kb.toml'),
        (",streak\n", ",cas\n", 'line 1, column 10, value "cas": column 7 has this name too'),
        ("name,", "colour,", 'line 1, column 9, value "colour": column 1 has this name too'),
        (",remark,", ",,", "line 1, column 6: the column has no name; name it or remove it"),
        (",?,black", ',"?,black', "line 4: a quote is opened and never closed"),
        (TABLE, TABLE[: TABLE.index("\n")], "table.csv: there is a header and no row; add a row"),
        (TABLE, ",,\n", "table.csv, line 1: the header is empty"),
        (TABLE, TABLE.replace(",", ";"), "table.csv, line 1: the fields are divided by semicolons"),
        (",black,-\n", ",black\n", "table.csv, line 4: the row has 9 fields, the header 10"),
    ],
)
def test_bad_tables(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TABLE
    assert said in refusal(tmp_path, table=TABLE.replace(old, new, 1))


def test_columns_that_kb_toml_does_not_name(tmp_path: Path) -> None:
    table = "\n".join(
        line + f",{column}" for line, column in zip(TABLE.split("\n"), ["un", *"abcde"], strict=False) if line
    )
    assert 'line 1: kb.toml does not name "un"; add a test or name it under [columns]' in refusal(tmp_path, table=table)


def test_a_test_as_first_column(tmp_path: Path) -> None:
    head = 'format=1\ntitle="T"\n[[tests]]\nid="t"\noutcomes=[{id="yes"},{id="no"}]\n'
    assert 'column 1, value "t": the first column is the name' in refusal(tmp_path, head, "t\nyes\nno\n")


def test_every_prior_zero(tmp_path: Path) -> None:
    head = 'format=1\ntitle="T"\n[columns]\nprior="p"\n[[tests]]\nid="t"\noutcomes=[{id="yes"},{id="no"}]\n'
    assert "every prior is 0; give the rows positive priors" in refusal(tmp_path, head, "n,p,t\na,0,yes\nb,0,no\n")


def test_a_blank_that_means_an_outcome_some_tests_lack(tmp_path: Path) -> None:
    head = HEAD.replace("cost_unit", 'blank = "no"\ncost_unit')
    message = refusal(tmp_path, head, TABLE.replace("?,black,-", "?,,-"))
    assert 'line 4, column "colour", value "": a blank means "no", which is no outcome of this test' in message


def test_a_dash_beside_others_needs_an_outcome_of_its_own(tmp_path: Path) -> None:
    table = TABLE.replace("black,-", "black,yes|-")
    kb = open_table(write(tmp_path, table=table))
    assert kb.cell(2, 1).outcomes == ((0, 0.5), (2, 0.5))
    assert kb.tests[1].outcomes[-1].id == "n/a"
    head = HEAD.replace("cost_unit", 'inapplicable = "unknown"\ncost_unit')
    assert 'value "yes|-": no outcome "-" of this test' in refusal(tmp_path, head, table)


TENTHS = st.integers(-40, 40).map(lambda tenths: Fraction(tenths, 10))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(TENTHS, min_size=1, max_size=5, unique=True).map(sorted),
    st.lists(st.tuples(TENTHS, TENTHS).map(sorted), min_size=1, max_size=6),
    st.integers(0, 12).map(lambda tenths: Fraction(tenths, 10)),
)
def test_bins_touched_are_those_that_hold_a_point_of_the_range(
    tmp_path_factory: pytest.TempPathFactory,
    cuts: list[Fraction],
    ranges: list[list[Fraction]],
    tolerance: Fraction,
) -> None:
    numbers = ", ".join(str(float(cut)) for cut in cuts)
    head = f'format=1\ntitle="T"\n[[tests]]\nid="t"\ncuts=[{numbers}]\ntolerance={float(tolerance)}\n'
    cells = [f"{float(low)}" if low == high else f"{float(low)} .. {float(high)}" for low, high in ranges]
    table = "name,t\n" + "".join(f"h{place},{cell}\n" for place, cell in enumerate(cells))
    kb = open_table(write(tmp_path_factory.mktemp("bins"), head, table))
    for row, (low, high) in enumerate(ranges):
        bottom, top = low - tolerance, high + tolerance
        touched = [
            number
            for number in range(len(cuts) + 1)
            if (number == 0 or top >= cuts[number - 1]) and (number == len(cuts) or bottom < cuts[number])
        ]
        cell = kb.cell(row, 0)
        assert cell.outcomes == tuple((number, 1 / len(touched)) for number in touched)
        assert cell.interval == (float(low), float(high))


def test_some_of_the_tests(stones: KnowledgeBase) -> None:
    kb = stones.with_tests([2, 1])
    assert [test.id for test in kb.tests] == ["density", "streak"]
    assert [kb.cell(x, 0) for x in range(4)] == [stones.cell(x, 2) for x in range(4)]
    assert [kb.cell(x, 1) for x in range(4)] == [stones.cell(x, 1) for x in range(4)]
    assert (kb.tests[1].needs, kb.tests[1].same_evidence) == ((), ())
    assert kb.notices[-1] == 'needs of tests left out are dropped from "streak"'
    assert stones.with_tests(range(3)).fingerprint == stones.fingerprint
    assert stones.with_tests([0, 1]).fingerprint != stones.fingerprint
    for wrong in ([], [3], [-1], [0, 0]):
        with pytest.raises(UsageError, match="numbers from 0 to 2"):
            stones.with_tests(wrong)


@pytest.mark.parametrize("cost", ["1e-6", "1e9"])
def test_the_least_and_the_greatest_cost(tmp_path: Path, cost: str) -> None:
    (tmp_path / "kb.toml").write_text(
        f'format = 1\ntitle = "T"\n[[tests]]\nid = "a"\ncost = {cost}\noutcomes = [{{ id = "x" }}, {{ id = "y" }}]\n'
    )
    (tmp_path / "table.csv").write_text("name,a\np,x\nq,y\n")
    assert open_table(tmp_path).tests[0].cost == float(cost)
