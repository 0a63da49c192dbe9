"""Text files as rows of fields with the line each begins on, whatever the file's line ends."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from diagnoser.errors import BadFile, BadTable
from diagnoser.files import read_bytes

_QUOTED = re.compile(r'"[^"]*"')
_OTHER_DELIMITERS = {";": "semicolons", "\t": "tabs"}
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3}){2,}(?:\.\d+)?|,\d{3}\.\d+)")
_MAYBE_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_POINTED_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:\.\.[+-]?\d+,\d+)?")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_ENCODINGS = {"cp1252": "Windows-1252", "utf-16": "UTF-16"}


def read_text(path: Path, kind: type[BadFile] = BadTable) -> str:
    """The text of a UTF-8 file with every line end turned into a line feed.

    Raises `kind` where the file cannot be read, is empty, is no text or is in another encoding.
    """
    data = read_bytes(path, kind)
    if data.startswith(_UTF_16):
        raise kind(path, "the text is UTF-16", "save it as UTF-8")
    if data.startswith(b"PK\x03\x04"):
        raise kind(path, "this is a spreadsheet or an archive, not text", "save the sheet as CSV in UTF-8")
    nul = data.find(b"\0")
    if nul >= 0:
        line, place = _position(data, nul)
        raise kind(path, f"byte 0x00, number {place} of the line: this is no text", "choose a text file", line=line)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The decoder counts from behind a byte order mark.
        start = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        line, place = _position(data, start)
        problem = f"byte 0x{data[start]:02x}, number {place} of the line, is not UTF-8"
        raise kind(path, problem, "save the file as UTF-8; it may be Windows-1252 now", line=line) from None
    if not text.strip():
        raise kind(path, "the file is empty", "fill it or choose another")
    return _one_line_end(text)


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def old_text(path: Path) -> tuple[str, str]:
    """The text of a file in UTF-8, UTF-16 or Windows-1252, and what is said of the latter two. Raises BadTable."""
    data = read_bytes(path)
    encoding = "utf-16" if data.startswith(_UTF_16) else "cp1252"
    try:
        return read_text(path), ""
    except BadTable as error:
        if encoding == "cp1252" and "is not UTF-8" not in error.problem:
            raise
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        problem = f"byte 0x{data[error.start]:02x} is neither UTF-8 nor {_ENCODINGS[encoding]}"
        line, _ = _position(data, error.start)
        raise BadTable(path, problem, "save the file as UTF-8", line=line) from None
    if not text.strip() or "\0" in text:
        raise BadTable(path, "this is no text", "choose a text file")
    return _one_line_end(text), f"the text is read as {_ENCODINGS[encoding]}, for it is not UTF-8"


def records(path: Path, kind: type[BadFile] = BadTable) -> Iterator[tuple[int, list[str]]]:
    """Each row of a comma-separated file with the line it begins on; lines without any character are passed over.

    Raises `kind` as `read_text` does, for another delimiter, and for quotes that do not match.
    """
    text = read_text(path, kind)
    mark = _delimiter(text)
    if mark != ",":
        problem = f"the fields are divided by {_OTHER_DELIMITERS[mark]}, not by commas"
        raise kind(path, problem, "save it with commas", line=1)
    return _rows(path, text, mark, kind)


def loose_records(path: Path) -> tuple[Iterator[tuple[int, list[str]]], list[str]]:
    """The rows of a file from anywhere, and what is said of its encoding and its delimiter.

    Where semicolons or tabs divide the fields, a decimal comma is a point, unless commas part thousands somewhere.
    Raises BadTable, also where two marks divide every line alike; later ones with the rows.
    """
    text, said = old_text(path)
    mark = _delimiter(text)
    other = next((other for other in _OTHER_DELIMITERS if mark == "," and _regular(_marks(text, other))), None)
    if other:
        problem = f"the fields may be divided by commas or by {_OTHER_DELIMITERS[other]}, which stand in every line"
        raise BadTable(path, problem, "put fields that hold one of the two in quotes", line=1)
    notices = [said] if said else []
    rows = _rows(path, text, mark, BadTable)
    if mark == ",":
        return rows, notices
    notices.append(f"the fields are divided by {_OTHER_DELIMITERS[mark]}")
    if any(_fields(text, mark, _THOUSANDS)):
        notices.append("commas in numbers part thousands, as in 1,234,567, and stay as they are")
        return rows, notices
    example = thousand = ""
    for field in _fields(text, mark, _DECIMAL_COMMA):
        if not _MAYBE_THOUSANDS.fullmatch(field):
            example = "2,5"
            break
        example = thousand = "1,234"
    if example:
        doubt = "; take them out if they part thousands" if example == thousand else ""
        notices.append(f"decimal commas are read as points, so that {example} is {_pointed(example)}{doubt}")
        if any(_fields(text, mark, _POINTED_THOUSANDS)):
            notices.append("points in numbers such as 1.234 stay as they are, though they may part thousands here")
        rows = ((line, [_pointed(field) for field in row]) for line, row in rows)
    return rows, notices


def _fields(text: str, mark: str, kind: re.Pattern[str]) -> Iterator[str]:
    """The fields that are of a kind, with or without quotes."""
    pattern = rf'(?:^|[{mark}])[ "]*({kind.pattern})(?=[ "]*(?:$|[{mark}]))'
    return (match[1] for match in re.finditer(pattern, text, re.MULTILINE))


def _pointed(field: str) -> str:
    return field.replace(",", ".") if _DECIMAL_COMMA.fullmatch(field.strip()) else field


def _rows(path: Path, text: str, mark: str, kind: type[BadFile]) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((line + "\n" for line in text.split("\n")), delimiter=mark, strict=True, skipinitialspace=True)
    begin = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise kind(path, *_explained(error), line=begin) from None
        if row:
            yield begin, row
        begin = reader.line_num + 1


def _position(data: bytes, offset: int) -> tuple[int, int]:
    """Line and place in the line, both from 1, of a byte."""
    before = data[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return before.count(b"\n") + 1, len(before) - before.rfind(b"\n")


def _delimiter(text: str) -> str:
    """A comma, unless another mark divides line 1 where no comma does, or is as regular as commas are not."""
    commas = _marks(text, ",")
    for mark in _OTHER_DELIMITERS:
        marks = _marks(text, mark)
        regular = _regular(marks) and min(commas) != max(commas)
        if marks[0] and (regular or not commas[0]):
            return mark
    return ","


def _marks(text: str, mark: str) -> list[int]:
    """How often a mark stands outside quotes in each of the first lines."""
    sample = (_QUOTED.sub("", line) for line in text[:100_000].split("\n")[:20] if line.strip())
    return [line.count(mark) for line in sample]


def _regular(marks: list[int]) -> bool:
    return len(marks) > 1 and min(marks) == max(marks) > 0


def _explained(error: csv.Error) -> tuple[str, str]:
    problem = str(error)
    if "end of data" in problem:
        return "a quote is opened and never closed", 'close it, or write "" for a quote inside quotes'
    if "expected after" in problem:
        return "text follows a closing quote", 'write "" for a quote inside quotes'
    if "field limit" in problem:
        return "a field has more than 131,072 characters", "look for a quote that is not closed"
    return problem, "mend the line"
