"""Spreadsheets, XLSX and its kin and ODS: a sheet as the rows of a CSV file.

Cells have types: 2.50 arrives as 2.5 and 3.0 as 3, a tick as true or false. Dates and times are no outcomes.
A cell with an error, such as #N/A, arrives blank.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diagnoser.errors import BadTable
from diagnoser.formats.csv import read_rows
from diagnoser.formats.reading import How, Reading
from diagnoser.formats.rows import LARGEST, read_bytes
from diagnoser.text import clean, nearest

_MOST_CELLS = 50_000_000


def read(path: Path, how: How) -> Reading:
    """Read the sheet that is asked for, or the only one that has cells. Raises BadTable."""
    name, grid = _sheet(path, how.sheet)
    kinds: set[str] = set()
    rows = [(line, [_text(path, cell, line, place, kinds) for place, cell in enumerate(row, 1)]) for line, row in grid]
    said = [f'the sheet "{name}" is read; lines are its rows']
    if "number" in kinds:
        said.append("numbers are taken as the spreadsheet holds them, so that 2.50 is 2.5")
    if "truth" in kinds:
        said.append("ticks are read as true and false")
    return read_rows(path, rows, how, said)


def _sheet(path: Path, wanted: str | None) -> tuple[str, Iterator[tuple[int, list[Any]]]]:
    """The sheet's name, and its rows with their numbers as far as they hold anything."""
    import io

    import python_calamine

    data = read_bytes(path)
    if data.startswith(b"PK") and _unpacked(path, data) > LARGEST:
        raise BadTable(path, f"unpacked it has more than {LARGEST:,} bytes", "leave sheets or columns out")
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = list(book.sheet_names)
        if wanted is not None and wanted not in names:
            raise BadTable(path, "there is no such sheet", nearest(wanted, names), value=wanted)
        filled: dict[str, list[list[Any]]] = {}
        for name in names if wanted is None else [wanted]:
            sheet = book.get_sheet_by_name(name)
            if sheet.total_height * sheet.total_width > _MOST_CELLS:
                raise BadTable(path, f'the sheet "{clean(name)}" has too many cells', "leave empty ones out")
            filled[name] = sheet.to_python(skip_empty_area=False)
    except python_calamine.PasswordError:
        raise BadTable(path, "the file is locked by a password", "save it without") from None
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        problem = clean(str(error)).partition("\n")[0] or type(error).__name__
        raise BadTable(
            path, f"this is no spreadsheet that can be read ({problem})", "save it as .xlsx or .csv"
        ) from None
    kept = [name for name, rows in filled.items() if any(cell != "" for row in rows for cell in row)]
    if len(kept) != 1:
        problem = f"{len(kept)} sheets have cells" if kept else "no sheet has a cell"
        remedy = f"choose one with --sheet: {', '.join(map(clean, kept))}" if kept else "choose another file"
        raise BadTable(path, problem, remedy)
    return clean(kept[0]), enumerate(filled[kept[0]], 1)


def _unpacked(path: Path, data: bytes) -> int:
    """The bytes that the parts of a packed file say they hold."""
    import io
    import struct
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
            for name in parts.namelist() if unpacked <= LARGEST else ():
                if (
                    name.startswith("xl/worksheets/")
                    and name.endswith(".xml")
                    and _extent(parts.read(name)) > _MOST_CELLS
                ):
                    problem = "a sheet has a cell so far out that it spans too many"
                    raise BadTable(path, problem, "delete what stands far from the table")
            return unpacked
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


def _extent(sheet: bytes) -> int:
    """Cells from the first to the last place that a sheet of an XLSX file names; the reader makes room for all."""
    places = set(re.findall(rb'\br="([A-Z]{1,3})([0-9]{1,7})"', sheet))
    if not places:
        return 0
    rows = [int(row) for _, row in places]
    columns: list[int] = [
        sum((letter - 64) * int(26**power) for power, letter in enumerate(reversed(name))) for name, _ in places
    ]
    return (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1)


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
        problem = "this is a date or a time, which is no outcome"
        remedy = "make it text, or take the column out"
        raise BadTable(path, problem, remedy, line=line, column=column, value=str(cell))
    raise BadTable(path, "the kind of this cell is not known", "make it text", line=line, column=column)
