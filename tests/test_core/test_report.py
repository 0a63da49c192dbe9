"""Reports of a case whose sums can be done by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diagnoser.advise import Adviser
from diagnoser.case import Answered, Confirmed, Event, Excluded, Named, Noted, Settings
from diagnoser.formats import open_table
from diagnoser.kb import KnowledgeBase
from diagnoser.report import FORMS, Clash, Left, Out, Report, as_html, as_markdown, work_out
from diagnoser.session import Header, read_session
from tests.sessions import written

TABLE = """name,first,second,third
aa,yes,yes,?
ab,yes,no,yes
ba,no,yes,yes|no
bb,no,no,no
"""


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    path = tmp_path / "code.csv"
    path.write_text(TABLE)
    return open_table(path)


def told(kb: KnowledgeBase, tmp_path: Path, *events: Event, settings: Settings | None = None) -> Report:
    header = Header.of(kb, tmp_path / "code.csv", settings or Settings("gain", "unique"))
    path = tmp_path / "s.jsonl"
    written(path, events, header)
    return work_out(read_session(path), kb, Adviser(kb))


def test_who_is_left_and_why_the_others_are_out(kb: KnowledgeBase, tmp_path: Path) -> None:
    """yes to the first leaves aa and ab; aa is ruled out by hand; the third was not seen."""
    report = told(
        kb, tmp_path, Answered("first", ("yes",)), Answered("third"), Excluded("aa"), Noted("dusk"), Named("n")
    )
    assert report.left == (Left("ab", 1.0, None, 0),)
    clash = (Clash("first", "yes", "no"),)
    assert report.out == (Out("aa", ()), Out("ba", clash), Out("bb", clash))
    assert [(one.test, one.answer) for one in report.answers] == [("first", "yes"), ("third", "could not tell")]
    assert (report.notes, report.name, report.warnings) == (("dusk",), "n", ())
    assert report.end == "one hypothesis is left"


def test_every_clash_is_named_and_tolerated_ones_are_counted(kb: KnowledgeBase, tmp_path: Path) -> None:
    answers = Answered("first", ("no",)), Answered("second", ("no",)), Answered("third", ("yes",))
    strict = told(kb, tmp_path, *answers)
    assert strict.left == ()
    assert strict.end == "no hypothesis agrees with the answers"
    assert [len(out.clashes) for out in strict.out] == [2, 1, 1, 1]
    (tmp_path / "s.jsonl").unlink()
    tolerant = told(kb, tmp_path, *answers, settings=Settings("gain", "unique", "tolerance", 1))
    assert {(one.name, one.mismatches) for one in tolerant.left} == {("ab", 1), ("ba", 1), ("bb", 1)}
    assert [out.name for out in tolerant.out] == ["aa"]


def test_does_not_apply_speaks_against_a_row_that_is_not_known(tmp_path: Path) -> None:
    """An unknown cell stands for the outcomes only: "does not apply" is none of them."""
    path = tmp_path / "code.csv"
    path.write_text("name,first,second\naa,yes,-\nab,no,?\nba,no,yes\n")
    report = told(open_table(path), tmp_path, Answered("second", ("n/a",)))
    assert [one.name for one in report.left] == ["aa"]
    says = {out.name: [clash.table for clash in out.clashes] for out in report.out}
    assert says == {"ab": ["not known"], "ba": ["yes"]}


def test_the_operator_has_the_last_word(kb: KnowledgeBase, tmp_path: Path) -> None:
    report = told(kb, tmp_path, Answered("first", ("yes",)), Confirmed("ab"))
    assert report.end == "confirmed by the operator: ab"


def test_text_of_an_operator_is_never_markup(kb: KnowledgeBase, tmp_path: Path) -> None:
    note = "<script>alert(1)</script> [x](http://y) \x1b[31m # h"
    report = told(kb, tmp_path, Noted(note))
    page = as_html(report)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page
    text = as_markdown(report)
    assert "\\<script\\>" in text
    assert "\\[x\\](http" in text
    assert "\x1b" not in text


def test_a_changed_table_is_said(kb: KnowledgeBase, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(TABLE.replace("bb,no,no,no", "bb,no,no,yes"))
    header = Header.of(kb, tmp_path / "code.csv", Settings("gain", "unique"))
    written(tmp_path / "s.jsonl", (Answered("first", ("no",)),), header)
    changed = open_table(other)
    report = work_out(read_session(tmp_path / "s.jsonl"), changed, Adviser(changed))
    assert "has changed" in report.warnings[0]


def test_every_form_says_the_same(kb: KnowledgeBase, tmp_path: Path) -> None:
    report = told(kb, tmp_path, Answered("first", ("yes",)))
    assert json.loads(FORMS["json"](report))["left"][0]["name"] == "aa"
    for form in ("markdown", "html"):
        text = FORMS[form](report)
        for words in (
            "first: yes",
            "aa: 50.0 %",
            "ba: first: you said yes, the table has no",
            "policy gain, stop unique",
        ):
            assert words in text, (form, words)
