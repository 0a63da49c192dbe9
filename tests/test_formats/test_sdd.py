"""SDD: the two published documents, mistakes, bombs, and what is written read back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from diagnoser.errors import BadTable
from diagnoser.formats import open_table, read_table, write_sdd
from diagnoser.formats.reading import Tally
from diagnoser.kb import NOT_APPLICABLE, KnowledgeBase
from tests.conftest import SHARED
from tests.tables import yes_no
from tests.test_formats.fuzzing import into, refuses_or_reads
from tests.test_formats.small import same_cells, several, tables

FOREIGN = SHARED / "data" / "foreign" / "sdd"


def published(name: str) -> Path:
    path = FOREIGN / name
    if not path.is_file():
        pytest.skip("the SDD documents are not beside the repository")
    return path


def test_the_simple_document() -> None:
    reading = read_table(published("SDD-Test-Simple.sdd11.xml"))
    kb = reading.kb
    assert kb.title == "The Genus Viola"
    assert [h.id for h in kb.hypotheses] == ["Viola hederacea Labill. as revised by R. Morris April 8, 2006"]
    assert [t.id for t in kb.tests] == ["Leaf complexity", "Leaf shape", "Leaf length"]
    assert kb.cell(0, 0).outcomes == ((1, 1.0),)  # compound
    assert kb.cell(0, 1).outcomes == ((0, 0.5), (1, 0.5))  # round or ovate
    assert kb.cell(0, 2).interval == (2.3, 7.9)
    assert kb.tests[2].unit == "mm"
    assert reading.before == Tally(1, 4, known=3, variable=1, unknown=0, inapplicable=0)
    assert reading.left_out == ('character "Leaf features not covered by other characters": it holds text',)


def test_a_key_without_a_matrix_is_refused_for_that() -> None:
    with pytest.raises(BadTable, match="holds an identification key and no coded descriptions"):
        read_table(published("SDD-Test-IdentificationKey.sdd11.xml"))


HEAD = '<?xml version="1.0"?>\n<Datasets xmlns="http://rs.tdwg.org/UBIF/2006/">\n<Dataset>\n'
LABEL = "<Representation><Label>{}</Label></Representation>"
CHARACTERS = (
    '<Characters><CategoricalCharacter id="c">' + LABEL.format("colour") + '<States><StateDefinition id="r">'
    "" + LABEL.format("red") + '</StateDefinition><StateDefinition id="b">' + LABEL.format("brown") + ""
    "</StateDefinition></States></CategoricalCharacter></Characters>\n"
)
TAIL = "</Dataset>\n</Datasets>\n"


def item(name: str, body: str) -> str:
    return f"<CodedDescription>{LABEL.format(name)}<SummaryData>{body}</SummaryData></CodedDescription>\n"


def document(*items: str) -> str:
    return HEAD + CHARACTERS + "<CodedDescriptions>\n" + "".join(items) + "</CodedDescriptions>\n" + TAIL


RED = '<Categorical ref="c"><State ref="r"/></Categorical>'
TINY = document(
    item("ant", RED),
    item("bee", '<Categorical ref="c"><Status code="NotApplicable"/></Categorical>'),
    item("cat", '<Categorical ref="c"><Status code="DataUnavailable"/></Categorical>'),
    item(
        "dog",
        '<Categorical ref="c"><State ref="r"><Frequency value="0.75"/></State>'
        '<State ref="b"><Frequency value="0.25"/></State></Categorical>',
    ),
)


def test_the_kinds_of_cell(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(TINY, "utf-8")
    kb = open_table(path)
    assert kb.cell(0, 0).outcomes == ((0, 1.0),)
    assert kb.tests[0].outcomes[kb.code(1, 0)].id == NOT_APPLICABLE
    assert kb.cell(2, 0).unknown
    assert kb.cell(3, 0).outcomes == ((0, 0.75), (1, 0.25))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (document(item("ant", RED.replace('"r"', '"x"'))), 'value "x": the character "colour" has no state'),
        (document(item("ant", RED.replace('"c"', '"y"'))), 'value "y": there is no character with this id'),
        (document(item("ant", RED), item("ant", RED)), "the hypothesis stands already"),
        (TINY.replace("</SummaryData>", "", 1), "line 6: this is no XML"),
        ("<a/>", 'the document is "a", not the Datasets of SDD 1.1'),
        ('<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>', "declares entities or a document type"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', "this is no XML"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "a.xml"
    path.write_text(text, "utf-8")
    with pytest.raises(BadTable, match=words):
        open_table(path)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY x{i} "{f"&x{i - 1};" * 10 if i else "ha" * 50}">' for i in range(12))
    path = tmp_path / "a.xml"
    path.write_text(f"<!DOCTYPE a [{entities}]><a>&x11;</a>", "utf-8")
    with pytest.raises(BadTable, match="fill the memory"):
        open_table(path)


def test_elements_fifty_thousand_deep(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(HEAD + "<a>" * 50_000 + "</a>" * 50_000 + TAIL, "utf-8")
    with pytest.raises(BadTable, match="no coded descriptions"):
        open_table(path)


def test_mutants(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    assert refuses_or_reads(lambda: read_table(path), into(path), [TINY.encode()], seed=3) > 0


@several
@given(tables())
def test_what_is_written_reads_back(kb: KnowledgeBase) -> None:
    def says(row: int, test: int) -> set[bool]:
        """Whether a known cell holds "does not apply", and whether it holds anything else."""
        cell = kb.cell(row, test)
        return set() if cell.unknown else {kb.tests[test].outcomes[v].id == NOT_APPLICABLE for v, _ in cell.outcomes}

    rows = range(len(kb.hypotheses))
    mixed = any(len(says(x, e)) > 1 for x in rows for e in range(len(kb.tests)))
    known = [test.id for e, test in enumerate(kb.tests) if any(says(x, e) for x in rows)]
    if mixed or not known or len({h.name for h in kb.hypotheses}) < len(rows):
        return
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "out.xml"
        write_sdd.write(kb, path)
        back = open_table(path)
    same_cells(kb, back, known)


def described(tmp_path: Path, *states: str, more: str = "") -> tuple[KnowledgeBase, tuple[str, ...]]:
    path = tmp_path / "a.xml"
    body = f'<Categorical ref="c">{"".join(states)}</Categorical>'
    path.write_text(document(item("ant", body), item("bee", RED)).replace("<Characters>", f"{more}<Characters>"))
    reading = read_table(path)
    return reading.kb, reading.left_out


@pytest.mark.parametrize(
    ("red", "brown", "wanted"), [(0, 1, {1: 1.0}), (0.2, 0.6, {0: 0.25, 1: 0.75}), (None, 0, {0: 1.0}), (0, 0, {})]
)
def test_a_state_of_no_frequency_is_absent(
    tmp_path: Path, red: float | None, brown: float | None, wanted: dict[int, float]
) -> None:
    states = [
        f'<State ref="{state}">{"" if value is None else f"<Frequency value={chr(34)}{value}{chr(34)}/>"}</State>'
        for state, value in (("r", red), ("b", brown))
    ]
    kb, _ = described(tmp_path, *states)
    assert kb.cell(0, 0).unknown == (not wanted)
    assert not wanted or dict(kb.cell(0, 0).outcomes) == pytest.approx(wanted)


@pytest.mark.parametrize(("word", "taken_back"), [("never", True), ("rarely", False)])
def test_a_modifier_that_takes_a_state_back_is_not_read_over(tmp_path: Path, word: str, taken_back: bool) -> None:
    more = f'<DescriptiveConcepts><Modifier id="m">{LABEL.format(word)}</Modifier></DescriptiveConcepts>'
    kb, left_out = described(tmp_path, '<State ref="r"><Modifier ref="m"/></State>', more=more)
    assert (kb.cell(0, 0).unknown, len(left_out)) == (taken_back, int(taken_back))


def test_a_character_twice_in_one_description_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(document(item("ant", RED + RED)))
    with pytest.raises(BadTable, match='value "c": the description "ant" holds this character twice'):
        read_table(path)


def test_names_with_signs_come_back(tmp_path: Path) -> None:
    kb = yes_no({"<5 or >10": "10", "a\uffffb": "01"})
    path = tmp_path / "a.xml"
    write_sdd.write(kb, path)
    assert [h.id for h in read_table(path).kb.hypotheses] == ["<5 or >10", "a\\uffffb"]


def test_markup_of_names_is_taken_off(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(document(item('&lt;i class="x"&gt;Poa&lt;/i&gt; L.', RED), item("bee", RED)))
    assert read_table(path).kb.hypotheses[0].id == "Poa L."
