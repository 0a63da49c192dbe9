"""Spreadsheets, XLSX and its kin and ODS: a sheet as the rows of a CSV file.

Cells have types: 2.50 arrives as 2.5 and 3.0 as 3, a tick as true or false. Dates and times become text.
The library hands on a cell with an error, such as #N/A, as a blank one; in XLSX they are looked up in the file itself.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from diagnoser.errors import BadTable
from diagnoser.files import LARGEST, read_bytes
from diagnoser.formats.csv import read_rows
from diagnoser.formats.reading import How, Reading
from diagnoser.text import clean, counted, nearest

_MOST_CELLS = 50_000_000
_PLACE = re.compile(rb"""\br\s*=\s*["']([A-Z]{1,3})([0-9]{1,7})["']""")
_CELL = re.compile(rb"<(?:\w+:)?c\s([^<>]*)>")
_ERROR = re.compile(rb"""\bt\s*=\s*["']e["']""")
_VALUE = re.compile(rb"<(?:\w+:)?(?:v|t)\b[^>]*>[^<]")
_FORMULA = re.compile(rb"<(?:\w+:)?f\b")


def read(path: Path, how: How) -> Reading:
    """Read the sheet that is asked for, or the only one that has cells. Raises BadTable."""
    data = read_bytes(path)
    parts = _parts(path, data) if data.startswith(b"PK") else {}
    _refuse_far_cells(path, parts)
    name, rows_of, merged = _sheet(path, data, how.sheet)
    kinds: set[str] = set()
    rows = [(line, [_text(path, cell, line, at, kinds) for at, cell in enumerate(row, 1)]) for line, row in rows_of]
    said = [f'the sheet "{clean(name)}" is read; lines are its rows']
    if "number" in kinds:
        said.append("numbers are taken as the spreadsheet holds them, so that 2.50 is 2.5")
    if "time" in kinds:
        said.append("dates and times are read as text such as 2024-05-31")
    if "truth" in kinds:
        said.append("ticks are read as true and false")
    if "content.xml" not in parts and not any(b"sheetData" in part for part in parts.values()):
        said.append("in this kind of file a cell with an error, such as #N/A, cannot be told from a blank one")
    lost = []
    merged += parts.get("content.xml", b"").count(b"<table:covered-table-cell")  # ODS: the cells, not the ranges
    if merged:
        lost.append(f"{counted(merged, 'merged range')}: the first cell of each has the value, the others are blank")
    if bare := _without_value(parts, name):
        lost.append(
            f"{counted(len(bare), 'cell')} without a value, an error or a formula not worked out: {_some(bare)}"
        )
    reading = read_rows(path, rows, how, said)
    return replace(reading, left_out=(*lost, *reading.left_out))


def _some(places: Sequence[str]) -> str:
    return ", ".join(places[:3]) + (", ..." if len(places) > 3 else "")


def _sheet(path: Path, data: bytes, wanted: str | None) -> tuple[str, Iterator[tuple[int, list[Any]]], int]:
    """The sheet's name, its rows with their numbers as far as they hold anything, and its merged ranges."""
    import io

    import python_calamine

    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = list(book.sheet_names)
        if wanted is not None and wanted not in names:
            raise BadTable(path, "there is no such sheet", nearest(wanted, names), value=wanted)
        filled: dict[str, list[list[Any]]] = {}
        merged: dict[str, int] = {}
        for name in names if wanted is None else [wanted]:
            sheet = book.get_sheet_by_name(name)
            if sheet.total_height * sheet.total_width > _MOST_CELLS:
                raise BadTable(path, f'the sheet "{clean(name)}" has too many cells', "leave empty ones out")
            filled[name] = sheet.to_python(skip_empty_area=False)
            merged[name] = len(sheet.merged_cell_ranges or ())
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        if _is_locked(path):
            raise BadTable(path, "the file is locked by a password", "save it without") from None
        problem = clean(str(error)).partition("\n")[0] or type(error).__name__
        raise BadTable(
            path, f"this is no spreadsheet that can be read ({problem})", "save it as .xlsx or .csv"
        ) from None
    kept = [name for name, rows in filled.items() if any(cell != "" for row in rows for cell in row)]
    if len(kept) != 1:
        problem = f"{len(kept)} sheets have cells" if kept else "no sheet has a cell"
        remedy = f"choose one with --sheet: {', '.join(map(clean, kept))}" if kept else "choose another file"
        raise BadTable(path, problem, remedy)
    return kept[0], enumerate(filled[kept[0]], 1), merged[kept[0]]


def _is_locked(path: Path) -> bool:
    """Asked of a file that is no spreadsheet otherwise; the library tells only where the file's name says its kind."""
    import python_calamine

    try:
        python_calamine.CalamineWorkbook.from_path(path)
    except python_calamine.PasswordError:
        return True
    except (python_calamine.CalamineError, OSError, ValueError):
        return False
    return False


def _parts(path: Path, data: bytes) -> dict[str, bytes]:
    """The written parts of a packed spreadsheet by name. Raises BadTable."""
    import io
    import struct
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(part.file_size for part in packed.infolist()) > LARGEST:
                raise BadTable(path, f"unpacked it has more than {LARGEST:,} bytes", "leave sheets or columns out")
            return {name: packed.read(name) for name in packed.namelist() if name.endswith((".xml", ".rels"))}
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        RuntimeError,
        ValueError,
        OSError,
        EOFError,
        struct.error,
        zlib.error,
    ):
        problem = "this is no spreadsheet that can be read (its packing is broken)"
        raise BadTable(path, problem, "save it as .xlsx or .csv") from None


def _refuse_far_cells(path: Path, parts: dict[str, bytes]) -> None:
    """The library makes room for all cells from the first to the last place that a sheet names."""
    for part in parts.values():
        places = set(_PLACE.findall(part)) if b"sheetData" in part else set()
        rows = [int(row) for _, row in places]
        columns = [
            sum((letter - 64) * int(26**power) for power, letter in enumerate(reversed(name))) for name, _ in places
        ]
        if places and (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1) > _MOST_CELLS:
            problem = "a sheet has a cell so far out that it spans too many"
            raise BadTable(path, problem, "delete what stands far from the table")


def _without_value(parts: dict[str, bytes], sheet: str) -> list[str]:
    """The places of the cells of an XLSX sheet that hold an error, or a formula that was never worked out."""
    part = _part_of(parts, sheet)
    if not any(mark in part for mark in (b'"e"', b"'e'", b"<f", b":f")):
        return []
    found = []
    cells = [*_CELL.finditer(part)]
    for cell, end in zip(cells, [*(after.start() for after in cells[1:]), len(part)], strict=True):
        body = part[cell.end() : end]
        if _ERROR.search(cell[1]) or (_FORMULA.search(body) and not _VALUE.search(body)):
            place = _PLACE.search(cell[1])
            found.append((place[1] + place[2]).decode() if place else "somewhere")
    return found


def _part_of(parts: dict[str, bytes], sheet: str) -> bytes:
    """The part of an XLSX file that holds this sheet; empty where it is not found."""
    from defusedxml.ElementTree import fromstring

    relation = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
    try:
        book = fromstring(parts["xl/workbook.xml"])
        number = next(e.get(relation) for e in book.iter() if e.tag.endswith("}sheet") and e.get("name") == sheet)
        links = fromstring(parts["xl/_rels/workbook.xml.rels"])
        target: str = next(e.get("Target") for e in links if e.get("Id") == number)
    except (KeyError, StopIteration, ValueError, SyntaxError):  # broken XML is a SyntaxError
        return b""
    return parts.get(target.removeprefix("/") if target.startswith("/") else f"xl/{target}", b"")


def _text(path: Path, cell: Any, line: int, column: int, kinds: set[str]) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        kinds.add("truth")
        return str(cell).lower()
    if isinstance(cell, int | float):
        kinds.add("number")
        if not math.isfinite(cell):
            raise BadTable(path, "this is no finite number", "mend it", line=line, column=column, value=str(cell))
        return repr(int(cell)) if cell == int(cell) else repr(cell)
    if isinstance(cell, datetime.date | datetime.time | datetime.datetime | datetime.timedelta):
        kinds.add("time")
        return str(cell)
    raise BadTable(path, "the kind of this cell is not known", "make it text", line=line, column=column)
