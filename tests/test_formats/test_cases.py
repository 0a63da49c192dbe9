"""Case lists: frequencies known beforehand, and the published symptom list by eye."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from diagnoser.errors import BadTable, UsageError
from diagnoser.formats import read_table
from diagnoser.formats.reading import How, Reading
from diagnoser.kb import KnowledgeBase
from tests.conftest import SHARED
from tests.test_formats.fuzzing import into, refuses_or_reads

SYMPTOMS = SHARED / "data" / "foreign" / "symptoms" / "cases.csv"


def shares(kb: KnowledgeBase, hypothesis: str, test: str) -> dict[str, float]:
    row, e = kb.hypothesis_index[hypothesis], kb.test_index[test]
    cell = kb.cell(row, e)
    return {} if cell.unknown else {kb.tests[e].outcomes[v].id: share for v, share in cell.outcomes}


def cases(place: Path, text: str, **how: str) -> Reading:
    path = place / "cases.csv"
    path.write_text(text, "utf-8")
    return read_table(path, How(**{"cases": "diagnosis", **how}))


TINY = "fever,cough,id,diagnosis\nyes,no,1,flu\nyes,,2,flu\nno,yes,3,cold\n,yes,4,flu\n"


def test_blanks_are_unknown(tmp_path: Path) -> None:
    reading = cases(tmp_path, TINY)
    kb = reading.kb
    assert [(h.id, h.prior) for h in kb.hypotheses] == [("flu", 0.75), ("cold", 0.25)]
    assert shares(kb, "flu", "fever") == {"yes": 1.0}
    assert shares(kb, "flu", "cough") == {"yes": 0.5, "no": 0.5}
    assert shares(kb, "cold", "cough") == {"yes": 1.0}
    assert reading.left_out == ('column "id": every case has a text of its own',)


def test_blanks_are_absent_where_that_is_said(tmp_path: Path) -> None:
    kb = cases(tmp_path, TINY, absent="no").kb
    assert shares(kb, "flu", "fever") == pytest.approx({"yes": 2 / 3, "no": 1 / 3})
    assert shares(kb, "flu", "cough") == pytest.approx({"yes": 1 / 3, "no": 2 / 3})
    assert "blanks are read as absent" in kb.notices


def test_a_question_mark_is_never_absent(tmp_path: Path) -> None:
    kb = cases(tmp_path, "a,b,diagnosis\n0,1,flu\n,?,flu\n1,,flu\n1,NA,cold\n", absent="no").kb
    assert shares(kb, "flu", "a") == pytest.approx({"0": 2 / 3, "1": 1 / 3})
    assert shares(kb, "flu", "b") == {"1": 0.5, "0": 0.5}
    assert shares(kb, "cold", "b") == {}


def test_the_published_list() -> None:
    if not SYMPTOMS.is_file():
        pytest.skip("the symptom list is not beside the repository")
    with pytest.raises(BadTable, match='column 118, value "fluid_overload": column 46 has this name too'):
        read_table(SYMPTOMS)
    reading = read_table(SYMPTOMS, How(cases="prognosis"))
    kb = reading.kb
    assert (len(kb.hypotheses), len(kb.tests)) == (41, 131)
    assert reading.before.tests == 132
    (left_out,) = reading.left_out
    assert left_out.startswith('column 46 "fluid_overload": column 118 has its name')
    assert sum(h.prior for h in kb.hypotheses) == pytest.approx(1)
    assert Counter(round(h.prior * 42) for h in kb.hypotheses) == {1: 40, 2: 1}
    assert shares(kb, "Fungal infection", "itching") == {"1": 1.0}
    assert shares(kb, "Fungal infection", "cough") == {"0": 1.0}
    assert shares(kb, "Allergy", "continuous_sneezing") == {"1": 1.0}


def test_five_thousand_cases_come_back_with_their_frequencies(tmp_path: Path) -> None:
    chance = random.Random(4)  # noqa: S311
    names = [f"d{n}" for n in range(20)]
    wanted = {(name, f"t{e}"): Counter[str]() for name in names for e in range(6)}
    lines = ["diagnosis," + ",".join(f"t{e}" for e in range(6))]
    counts = Counter[str]()
    for _ in range(5_000):
        name = chance.choice(names)
        counts[name] += 1
        words = [chance.choice(["red", "green", "blue", "?"]) for _ in range(6)]
        for e, word in enumerate(words):
            wanted[name, f"t{e}"][word] += 1
        lines.append(",".join([name, *words]))
    kb = cases(tmp_path, "\n".join(lines)).kb
    assert {h.id: h.prior for h in kb.hypotheses} == pytest.approx({n: c / 5_000 for n, c in counts.items()})
    for (name, test), words in wanted.items():
        known = words.total() - words["?"]
        frequencies = {word: n / known for word, n in words.items() if word != "?"}
        assert shares(kb, name, test) == pytest.approx(frequencies)


@pytest.mark.parametrize(
    ("text", "how", "words"),
    [
        (TINY, {"cases": "diagnose"}, 'line 1, value "diagnose": no column has this name; did you mean "diagnosis"'),
        (TINY.replace("cold", "?"), {}, 'line 4, column "diagnosis": the case has no diagnosis'),
        (TINY.replace("cough", "fever"), {}, 'column 2, value "fever": column 1 has this name too, with other cells'),
        (TINY + "yes,no\n", {}, "line 6: the row has 2 fields, the header 4"),
        ("diagnosis,a\n", {}, "no case"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, how: dict[str, str], words: str) -> None:
    with pytest.raises(BadTable, match=words):
        cases(tmp_path, text, **how)


LISTS = """disease,Symptom_1,Symptom_2,Symptom_3,smoker
flu,fever,cough,aches,no
flu, Cough,fever,,
cold,sneezing,cough,,yes
cold,sneezing,,,
"""
SEEDS = [TINY.encode(), LISTS.replace("disease", "diagnosis").encode()]


def test_numbered_columns_that_list_symptoms(tmp_path: Path) -> None:
    reading = cases(tmp_path, LISTS, cases="disease", absent="no")
    kb = reading.kb
    assert [t.id for t in kb.tests] == ["fever", "cough", "aches", "sneezing", "smoker"]
    assert [o.id for o in kb.tests[0].outcomes] == ["present", "absent"]
    assert shares(kb, "flu", "fever") == shares(kb, "flu", "cough") == {"present": 1.0}
    assert shares(kb, "flu", "aches") == shares(kb, "cold", "cough") == {"present": 0.5, "absent": 0.5}
    assert shares(kb, "cold", "fever") == {"absent": 1.0}
    assert shares(kb, "flu", "smoker") == {"no": 1.0}
    said = 'columns "Symptom_1" to "Symptom_3" list what each case shows: each of their 4 names is a test of its own'
    assert said in kb.notices
    assert "a name that a case does not list is read as absent" in kb.notices
    assert not reading.left_out


def test_names_that_are_not_listed_are_unknown_unless_said_otherwise(tmp_path: Path) -> None:
    kb = cases(tmp_path, LISTS, cases="disease").kb
    assert shares(kb, "flu", "aches") == {"present": 1.0}
    assert shares(kb, "cold", "fever") == {}
    assert "a name that a case does not list is read as unknown" in kb.notices


def test_a_question_mark_in_a_list_may_be_any_name(tmp_path: Path) -> None:
    kb = cases(tmp_path, LISTS.replace("sneezing,,,", "sneezing,?,,"), cases="disease", absent="no").kb
    assert shares(kb, "cold", "cough") == {"present": 1.0}  # the other cold may have it or not
    assert shares(kb, "cold", "sneezing") == {"present": 1.0}
    assert shares(kb, "cold", "fever") == {"absent": 1.0}


@pytest.mark.parametrize(
    ("old", "new", "doubtful"),
    [
        ("flu, Cough,fever,,", "flu, Cough,cough,,", True),  # twice in one case
        ("flu, Cough,fever,,", "flu,,fever,cough,", True),  # a gap
        ("flu, Cough,fever,,", "flu,yes,fever,,", True),
        ("flu, Cough,fever,,", "flu,12,fever,,", True),
        ("smoker", "fever", True),  # a test of this name
        ("Symptom_3", "Symptom_4", False),
        ("Symptom_1", "first", False),
        ("Symptom_2", "symptom3", False),
    ],
)
def test_numbered_columns_are_left_alone_where_it_is_not_certain(
    tmp_path: Path, old: str, new: str, *, doubtful: bool
) -> None:
    text = LISTS.replace(old, new, 1)
    kb = cases(tmp_path, text, cases="disease").kb
    header = text.splitlines()[0].split(",")
    assert [t.id for t in kb.tests] == header[1:]
    said = 'columns "Symptom_1" to "Symptom_3" are read as a test each; if they list names'
    assert any(notice.startswith(said) for notice in kb.notices) == doubtful


@pytest.mark.parametrize(
    ("rows", "doubtful"),
    [
        ("low,high\nhigh,low\nlow,\nhigh,", True),  # no more names than columns
        ("low,high\nhigh,normal\nnormal,low\nlow,high", True),  # hardly more, and no case with fewer
        ("yes,no\nno,yes\nyes,\n,no", False),
        ("1,2\n2,3\n3,\n1,4", False),
        ("red,round\nblue,flat\ngreen,\nred,long", False),  # nothing shared
    ],
)
def test_numbered_readings_are_no_lists(tmp_path: Path, rows: str, *, doubtful: bool) -> None:
    lines = [f"d{place % 2},{row}" for place, row in enumerate(rows.splitlines())]
    kb = cases(tmp_path, "\n".join(["d,reading 1,reading 2", *lines]), cases="d").kb
    assert [t.id for t in kb.tests] == ["reading 1", "reading 2"]
    assert any("are read as a test each" in notice for notice in kb.notices) == doubtful


def test_two_lists_with_the_same_names_are_not_mixed(tmp_path: Path) -> None:
    text = "d,sign1,sign2,sign3,past1,past2,past3\nx,a,b,c,a,b,c\nx,b,e,,b,e,\ny,e,a,,e,a,\ny,a,b,c,a,b,c\n"
    kb = cases(tmp_path, text, cases="d").kb
    assert [t.id for t in kb.tests] == ["a", "b", "c", "e", "past1", "past2", "past3"]


def test_many_different_numbers_are_ranges_and_few_are_grades(tmp_path: Path) -> None:
    """A flu at 31 and 33 is not ruled out at 32."""
    rows = [f"flu,{age},{age % 3}" for age in range(20, 40, 2)] + [f"cold,{age},1" for age in range(51, 70, 3)] * 2
    reading = cases(tmp_path, "\n".join(["d,age,grade", *rows, "cold,?,2"]), cases="d")
    kb = reading.kb
    age, grade = kb.tests
    assert kb.intervals == {0: ((20.0, 38.0), (51.0, 69.0))}
    assert any(38 < cut <= 51 for cut in age.cuts)
    assert [o.id for o in grade.outcomes] == ["1", "0", "2"]
    assert any('the numbers of "age" are read as ranges' in notice for notice in kb.notices)


def test_a_blank_means_one_of_two_things() -> None:
    with pytest.raises(UsageError, match='a blank cannot mean "zzz"; known: unknown, no'):
        How(absent="zzz")


def test_mutants(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    found = refuses_or_reads(lambda: read_table(path, How("diagnosis", "no")), into(path), SEEDS, seed=13)
    assert found > 0
