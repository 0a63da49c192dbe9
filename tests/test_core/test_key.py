"""Printed keys: every way through them leads where the table says, and no form lets a table's text do anything."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings

from diagnoser.advise import Adviser, Candidate
from diagnoser.errors import UsageError
from diagnoser.kb import Group, KnowledgeBase, Outcome, Test
from diagnoser.key import Branch, End, Question, work_out
from diagnoser.key_forms import FORMS, Sheet, as_dot, as_html, as_json, as_markdown, as_text
from tests import naive
from tests.conftest import examples
from tests.strategies import tables
from tests.tables import from_twin, yes_no

often = settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))


Answers = list[tuple[Test, tuple[str, ...]]]


def ways(kb: KnowledgeBase, key: tuple[Question, ...], row: int) -> list[tuple[Answers, End, Fraction]]:
    """The ways a hypothesis may take: answers, end and probability; "could not tell" is left out."""
    by_number = {question.number: question for question in key}
    found, pending = [], [(key[0].number, Answers(), Fraction(1))]
    while pending:
        number, answers, chance = pending.pop()
        question = by_number[number]
        place = kb.test_index[question.test.id]
        shares = {
            question.test.outcomes[v].id: Fraction(p).limit_denominator(1000) for v, p in kb.cell(row, place).outcomes
        }
        for branch in question.branches:
            share = sum((shares.get(outcome, Fraction()) for outcome in branch.outcomes), Fraction())
            if share and branch.outcomes:
                way = [*answers, (question.test, branch.outcomes)]
                if isinstance(branch.to, End):
                    found.append((way, branch.to, chance * share))
                else:
                    pending.append((branch.to, way, chance * share))
    return found


@often
@given(twin=tables(max_hypotheses=6, max_tests=4))
def test_a_key_costs_what_the_policy_costs_and_ends_at_those_who_fit(twin: naive.Table) -> None:
    kb = from_twin(twin)
    for policy in ("gain", "odtn-r"):
        key = work_out(Adviser(kb), policy, "unique")
        expected = Fraction()
        for row, hypothesis in enumerate(kb.hypotheses):
            for answers, end, chance in ways(kb, key, row) if key else ():
                expected += Fraction(hypothesis.prior) * chance * sum(Fraction(test.cost) for test, _ in answers)
                assert hypothesis.id in {candidate.hypothesis for candidate in end.candidates}
                assert len({test.id for test, _ in answers}) == len(answers)
                fitting = {
                    other.id
                    for x, other in enumerate(kb.hypotheses)
                    if all(
                        any(test.outcomes[v].id in outcomes for v, _ in kb.cell(x, kb.test_index[test.id]).outcomes)
                        for test, outcomes in answers
                    )
                }
                assert {candidate.hypothesis for candidate in end.candidates} <= fitting
        assert float(expected) == pytest.approx(float(naive.walk(twin, policy).expected), rel=1e-6)
        assert [question.number for question in key] == list(range(1, len(key) + 1))


PERFECT = yes_no({"aa": "11", "ab": "10", "ba": "01", "bb": "00"})


def test_a_perfect_code() -> None:
    key = work_out(Adviser(PERFECT), "gain", "unique")
    ends = [{b.outcomes: b.to.candidates[0].hypothesis for b in q.branches if isinstance(b.to, End)} for q in key]
    assert [(q.number, q.test.id, q.candidates) for q in key] == [(1, "a", 4), (2, "b", 2), (3, "b", 2)]
    assert [b.to for b in key[0].branches] == [2, 3]
    assert ends[1:] == [{("yes",): "aa", ("no",): "ab"}, {("yes",): "ba", ("no",): "bb"}]


def test_ways_that_leave_the_same_meet_in_one_question() -> None:
    """Outcomes x and y of the first test say the same of all."""
    kb = yes_no({"p": "11", "q": "10", "r": "00"})
    first = replace(
        kb.tests[0],
        outcomes=(Outcome("x", "x"), Outcome("y", "y"), Outcome("z", "z")),
        partials=(((0, 0.5), (1, 0.5)),),
    )
    kb = replace(kb, tests=(first, kb.tests[1]))
    kb.codes[0::2] = type(kb.codes)("h", [-2, -2, 2])
    key = work_out(Adviser(kb), "odtn-r", "unique")
    whole = [branch for question in key for branch in question.branches if branch.outcomes == ("x", "y")]
    assert len(whole) == 1 or all(question.test.id != "a" for question in key)
    assert sum(question.test.id == "b" for question in key) == 1


def test_could_not_tell_may_be_answered_so_often() -> None:
    for most in (0, 1, 2):
        key = work_out(Adviser(PERFECT), "gain", "unique", unknowns=most)
        by_number = {question.number: question for question in key}

        def deepest(number: int, spent: frozenset[str]) -> int:
            question = by_number[number]  # noqa: B023
            assert question.test.id not in spent
            below = []
            for branch in question.branches:
                deeper = 0 if isinstance(branch.to, End) else deepest(branch.to, spent | {question.test.id})
                below.append(deeper + (not branch.outcomes))
            return max(below)

        assert deepest(1, frozenset()) == most


def test_a_key_is_cut_off_where_it_is_told_to_be() -> None:
    key = work_out(Adviser(PERFECT), "gain", "unique", depth=1)
    assert [question.number for question in key] == [1]
    ends = [branch.to for branch in key[0].branches]
    assert all(isinstance(end, End) and end.status == "open" and len(end.candidates) == 2 for end in ends)


def test_a_key_that_is_too_large_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnoser.key.MOST_QUESTIONS", 2)
    with pytest.raises(UsageError, match="more than 2 questions; limit it with --depth"):
        work_out(Adviser(PERFECT), "gain", "unique")


# --------------------------------------------------------------------------------------------------------------- forms

WILD = '<script>alert(1)</script> [a](b) "c" \\ * _x_ \x1b[31m \u202e & | # 1. - {}'


def sheet(text: str = WILD) -> Sheet:
    group = Group("g", f"group {text}", f"do {text}.", f"warn {text}.")
    kb = replace(PERFECT, title=text, groups=(group,), hypotheses=tuple(
        replace(h, name=f"{h.id} {text}", group="g" if h.id in ("aa", "ab") else None) for h in PERFECT.hypotheses
    ))  # fmt: skip
    test = Test("a", (Outcome("yes", f"yes {text}"), Outcome("no", "no")), question=f"Really {text}?")
    both = tuple(Candidate(name, 0.5, "g") for name in ("aa", "ab"))
    one = (Candidate("ba", 1.0, None),)
    first = Question(
        1, test, 4, (Branch(("yes",), 2), Branch((), End("inseparable", both)), Branch(("no",), End("identified", one)))
    )
    second = Question(2, test, 2, (Branch(("yes", "no"), End("group", both)),))
    return Sheet(kb, (first, second), (f"remark {text}",))


def test_text_word_for_word() -> None:
    assert as_text(sheet("T")).splitlines() == [
        "T",
        "remark T",
        "",
        "1. Really T?",
        "   - yes T: go to 2",
        "   - could not tell: no test tells these apart: aa T 50.0 %, ab T 50.0 %",
        "   - no: ba T",
        "",
        "2. Really T?",
        "   - yes T or no: group T: aa T 50.0 %, ab T 50.0 %",
        "",
        "group T: do T. warn T.",
    ]


@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_a_table_steers_a_terminal(form: str) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", FORMS[form](sheet()))


class Page(HTMLParser):
    """What a browser sees."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.text, self.ids, self.links = set[str](), "", set[str](), set[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        named = dict(attrs)
        self.ids |= {named["id"] or ""} if "id" in named else set()
        self.links |= {named["href"] or ""} if "href" in named else set()

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_has_no_script_and_its_links_lead_somewhere() -> None:
    page = Page()
    page.feed(as_html(sheet()))
    allowed = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "ul", "li", "strong", "em", "a"}
    assert page.tags <= allowed
    assert page.links == {"#q2"}
    assert {link.removeprefix("#") for link in page.links} <= page.ids
    assert "<script>alert(1)</script>" in page.text


def test_markdown_means_nothing_but_its_own_marks() -> None:
    text = as_markdown(sheet())
    assert "<script" not in text.replace("\\<script", "")
    assert not re.search(r"(?<!\\)\[a", text)
    assert text.count("](#q2)") == 1
    assert '<a id="q2"></a>' in text
    assert as_markdown(sheet("- x")).startswith("# \\- x\n")
    assert as_markdown(sheet("12. x")).startswith("# 12\\. x\n")


def test_json_holds_ids() -> None:
    whole = json.loads(as_json(sheet()))
    assert whole["title"] == '<script>alert(1)</script> [a](b) "c" \\ * _x_ \x1b[31m \u202e & | # 1. - {}'
    first = whole["questions"][0]
    assert (first["number"], first["test"], first["candidates_left"]) == (1, "a", 4)
    assert first["branches"][0] == {"outcomes": ["yes"], "question": 2}
    assert first["branches"][1]["outcomes"] == []
    assert first["branches"][2]["candidates"] == [{"hypothesis": "ba", "posterior": 1.0, "group": None}]
    assert [group["id"] for group in whole["groups"]] == ["g"]


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not here")
def test_graphviz_draws_it() -> None:
    drawn = subprocess.run(["dot", "-Tjson"], input=as_dot(sheet()), capture_output=True, text=True, check=True)
    graph = json.loads(drawn.stdout)
    assert len(graph["edges"]) == 4
    assert {node["name"] for node in graph["objects"]} == {"q1", "q2", "e1", "e2", "e3"}
