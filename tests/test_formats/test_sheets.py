"""Spreadsheets made by hand, with typed cells."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from diagnoser.errors import BadTable
from diagnoser.formats import read_table
from diagnoser.formats.reading import How
from tests.test_formats.fuzzing import into, refuses_or_reads

_NS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
Sheet = list[list[object]]
Rows = list[list[tuple[str, object] | None]]


def xlsx(path: Path, **sheets: Sheet) -> Path:
    """The smallest workbook that spreadsheet programs open."""
    types = "".join(
        f'<Override PartName="/xl/worksheets/s{n}.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
        for n in range(len(sheets))
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/xl/workbook.xml" ContentType='
            '"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>' + types + "</Types>",
        )
        book.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="r" Type="{_REL}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook {_NS} xmlns:r="{_REL}"><sheets>'
            + "".join(f'<sheet name="{name}" sheetId="{n + 1}" r:id="r{n}"/>' for n, name in enumerate(sheets))
            + "</sheets></workbook>",
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            + "".join(
                f'<Relationship Id="r{n}" Type="{_REL}/worksheet" Target="worksheets/s{n}.xml"/>'
                for n in range(len(sheets))
            )
            + "</Relationships>",
        )
        for n, rows in enumerate(sheets.values()):
            body = "".join(
                f'<row r="{r}">{"".join(_cell(r, c, v) for c, v in enumerate(row))}</row>'
                for r, row in enumerate(rows, 1)
            )
            book.writestr(f"xl/worksheets/s{n}.xml", f"<worksheet {_NS}><sheetData>{body}</sheetData></worksheet>")
    return path


def _cell(row: int, column: int, value: object) -> str:
    place = f'r="{chr(65 + column)}{row}"'
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f"<c {place}><v>{value!r}</v></c>"
    if value is None:
        return ""
    if str(value).startswith("#"):
        return f'<c {place} t="e"><v>{value}</v></c>'
    return f'<c {place} t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'


ROWS: Sheet = [
    ["name", "size", "tick", "word"],
    ["cat", 2.50, True, "=red"],
    ["dog", 3.0, False, None],
    ["cow", 3, True, "#N/A"],
]


def test_typed_cells(tmp_path: Path) -> None:
    reading = read_table(xlsx(tmp_path / "a.xlsx", Table=ROWS, Empty=[]))
    kb = reading.kb
    assert [h.id for h in kb.hypotheses] == ["cat", "dog", "cow"]
    assert [sorted(o.id for o in t.outcomes) for t in kb.tests] == [
        ["2.5", "3"],
        ["false", "true"],
        ["=red", "not =red"],
    ]
    assert kb.code(1, 0) == kb.code(2, 0)
    assert kb.cell(1, 2).unknown
    assert kb.cell(2, 2).unknown
    said = " ".join(kb.notices)
    for words in ('the sheet "Table"', "2.50 is 2.5", "ticks are read as true and false"):
        assert words in said


def ods(path: Path, rows: Rows) -> Path:
    """The smallest ODS file with these cells, each its kind and value; "covered" is one that another covers."""
    office, table, text = (f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "table", "text"))

    def cell(one: tuple[str, object] | None) -> str:
        if one is None:
            return "<table:table-cell/>"
        kind, value = one
        if kind == "covered":
            return "<table:covered-table-cell/>"
        attribute = {"float": "value", "string": "string-value"}.get(kind, f"{kind}-value")
        shown = f"<text:p>{value}</text:p>" if kind == "string" else ""
        return f'<table:table-cell office:value-type="{kind}" office:{attribute}="{value}">{shown}</table:table-cell>'

    body = "".join("<table:table-row>" + "".join(map(cell, row)) + "</table:table-row>" for row in rows)
    with zipfile.ZipFile(path, "w") as book:
        kind = "application/vnd.oasis.opendocument.spreadsheet"
        book.writestr("mimetype", kind)
        book.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
        )
        book.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{office}" xmlns:table="{table}" xmlns:text="{text}"><office:body>'
            f'<office:spreadsheet><table:table table:name="S">{body}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        )
    return path


def test_an_ods_file(tmp_path: Path) -> None:
    rows: Rows = [
        [("string", "name"), ("string", "size"), ("string", "tick")],
        [("string", "cat"), ("float", 2.5), ("boolean", "true")],
        [("string", "dog"), ("float", "3"), ("boolean", "false")],
    ]
    reading = read_table(ods(tmp_path / "a.ods", rows))
    kb = reading.kb
    assert [h.id for h in kb.hypotheses] == ["cat", "dog"]
    assert [[o.id for o in t.outcomes] for t in kb.tests] == [["2.5", "3"], ["true", "false"]]
    assert [kb.code(1, test) for test in range(2)] == [1, 1]
    assert reading.left_out == ()


def test_covered_cells_of_an_ods_file_are_said(tmp_path: Path) -> None:
    rows: Rows = [
        [("string", "name"), ("string", "size")],
        [("string", "cat"), ("float", 2.5)],
        [("string", "dog"), ("covered", "")],
        [("string", "cow"), ("float", 3)],
    ]
    reading = read_table(ods(tmp_path / "a.ods", rows))
    assert reading.left_out == ("1 merged range: the first cell of each has the value, the others are blank",)


def test_what_is_locked_is_named(tmp_path: Path) -> None:
    path = ods(tmp_path / "a.ods", [[("string", "name"), ("string", "a")]])
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    entry = b'<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'
    manifest = parts["META-INF/manifest.xml"].replace(b"</manifest:manifest>", entry + b"</manifest:manifest>")
    with zipfile.ZipFile(path, "w") as book:
        for name, data in {**parts, "META-INF/manifest.xml": manifest, "content.xml": bytes(range(256))}.items():
            book.writestr(name, data)
    with pytest.raises(BadTable, match="locked by a password; save it without"):
        read_table(path)


def test_one_of_several_sheets(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "a.xlsx", One=ROWS, Two=[["name", "b"], ["x", 1], ["y", 0]])
    with pytest.raises(BadTable, match="2 sheets have cells; choose one with --sheet: One, Two"):
        read_table(path)
    assert [t.id for t in read_table(path, How(sheet="Two")).kb.tests] == ["b"]
    with pytest.raises(BadTable, match='value "Too": there is no such sheet; did you mean "Two"'):
        read_table(path, How(sheet="Too"))
    with pytest.raises(BadTable, match="no sheet has a cell"):
        read_table(xlsx(tmp_path / "b.xlsx", Empty=[]))


def test_cases_in_a_sheet(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "a.xlsx", S=[["d", "a"], ["flu", 1], ["flu", 0], ["cold", 0]])
    kb = read_table(path, How(cases="d")).kb
    assert [h.id for h in kb.hypotheses] == ["flu", "cold"]
    assert dict(kb.cell(0, 0).outcomes) == {0: 0.5, 1: 0.5}


def test_what_unpacks_to_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book, book.open("xl/worksheets/s0.xml", "w") as part:
        for _ in range(600):
            part.write(b" " * 1_000_000)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(BadTable, match="unpacked it has more than 500,000,000 bytes"):
        read_table(path)


def changed(path: Path, old: bytes, new: bytes, folder: str = "worksheets") -> Path:
    """The workbook with other bytes in its sheet, and its sheet in another folder."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    with zipfile.ZipFile(path, "w") as book:
        for name, data in parts.items():
            moved = name.replace("worksheets", folder)
            text = data.replace(b"worksheets/", folder.encode() + b"/")
            book.writestr(moved, text.replace(old, new) if "s0.xml" in name else text)
    return path


def test_errors_formulas_without_a_value_and_merged_ranges_are_said(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "a.xlsx", S=[["name", "a", "b"], ["x", "#N/A", 1], ["y", 1, 0], ["z", 0, 5]], Empty=[])
    changed(path, b"<v>5</v>", b"<f>B2+1</f><v/>")
    changed(path, b"</sheetData>", b'</sheetData><mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>')
    reading = read_table(path)
    assert reading.left_out == (
        "1 merged range: the first cell of each has the value, the others are blank",
        "2 cells without a value, an error or a formula not worked out: B2, C4",
    )
    assert (reading.kb.cell(0, 0).unknown, reading.kb.cell(2, 1).unknown) == (True, True)
    whole = changed(path, b"<f>B2+1</f><v/>", b"<f>B2+1</f><v>0</v>")
    assert (
        reading.left_out[1]
        != read_table(whole).left_out[1]
        == ("1 cell without a value, an error or a formula not worked out: B2")
    )


def test_only_the_sheet_that_is_read_counts(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "a.xlsx", One=[["name", "b"], ["x", 1], ["y", 0]], Two=[["name", "b"], ["x", "#N/A"]])
    assert read_table(path, How(sheet="One")).left_out == ()


def test_dates_become_text(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "a.xlsx", S=[["name", "a"], ["x", 45000], ["y", 45001]])
    changed(path, b'r="B2"', b'r="B2" t="d"')
    changed(path, b'r="B3"', b'r="B3" t="d"')
    changed(path, b"<v>45000</v>", b"<v>2023-03-15</v>")
    changed(path, b"<v>45001</v>", b"<v>2023-03-16</v>")
    kb = read_table(path).kb
    assert [[o.id for o in t.outcomes] for t in kb.tests] == [["2023-03-15", "2023-03-16"]]


@pytest.mark.parametrize("number", ["inf", "1e999", "nan"])
def test_numbers_without_end_are_refused(tmp_path: Path, number: str) -> None:
    with pytest.raises(BadTable, match=r"line 2, column 2.*no finite number"):
        read_table(xlsx(tmp_path / "a.xlsx", S=[["name", "a"], ["x", float(number)], ["y", 1]]))


@pytest.mark.parametrize("place", [b'r="XFD1048576"', b"r='XFD1048576'", b'r = "XFD1048576"'])
@pytest.mark.parametrize("folder", ["worksheets", "sheets"])
def test_a_cell_in_the_farthest_corner_is_refused(tmp_path: Path, place: bytes, folder: str) -> None:
    path = xlsx(tmp_path / "a.xlsx", S=[["name", "a"], ["x", 1], ["y", 0]])
    read_table(changed(path, b"", b"", folder))
    with pytest.raises(BadTable, match="spans too many"):
        read_table(changed(path, b'r="B3"', place, folder))


def test_a_packing_from_the_future_is_refused(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "a.xlsx", S=ROWS)
    data = path.read_bytes()
    place = data.index(b"PK\1\2") + 6  # the version that is needed to unpack
    path.write_bytes(data[:place] + bytes([108]) + data[place + 1 :])
    with pytest.raises(BadTable, match="its packing is broken"):
        read_table(path)


def test_mutants(tmp_path: Path) -> None:
    data = xlsx(tmp_path / "seed.xlsx", S=ROWS).read_bytes()
    path = tmp_path / "a.xlsx"
    refuses_or_reads(lambda: read_table(path), into(path), [data], seed=17)
