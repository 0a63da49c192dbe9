"""What every command prints: data on stdout, words on stderr."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer

from diagnoser.errors import DiagnoserError, UsageError
from diagnoser.formats.formula import guarded
from diagnoser.text import printable


def say(words: str) -> None:
    """One line for people."""
    typer.echo(printable(words), err=True)


def write(line: str = "") -> None:
    """One line of data, broken between words where it is wider than the terminal."""
    text = printable(line)
    if text and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        text = textwrap.fill(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    typer.echo(text)


@contextmanager
def counting(things: str) -> Iterator[Callable[[int], None]]:
    """What shows on a terminal how many there are so far."""
    if not sys.stderr.isatty():
        yield lambda _number: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = SpinnerColumn(), TextColumn("{task.completed} {task.description}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(things, total=None)
        yield lambda number: progress.update(task, completed=number)


@contextmanager
def progress_of(things: str, number: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal that moves with each call."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(things, total=number)
        yield lambda: progress.advance(task)


def refuse_taken(file: Path | None) -> None:
    """Raises UsageError where the file to write is there already."""
    if file is not None and file.exists():
        raise UsageError(f"{file} is there already; choose a new name")


def write_whole(text: str, file: Path | None) -> None:
    """A text made elsewhere, to a new file or on the screen. Raises DiagnoserError where it cannot be written."""
    if file is None:
        typer.echo(text, nl=False)
        return
    try:
        with file.open("x", encoding="utf-8") as taken:
            taken.write(text)
    except OSError as error:
        raise DiagnoserError(f"{file} cannot be written: {error.strerror or type(error).__name__}") from None


def write_json(value: object) -> None:
    """One JSON document, in ASCII, so that no text in it can steer the terminal."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def write_csv(rows: Sequence[Mapping[str, object]]) -> None:
    """Rows with the same names as CSV, a heading first; no cell begins a formula."""
    if not rows:
        return
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(rows[0])
    lines.writerows([_field(value) for value in row.values()] for row in rows)
    typer.echo(text.getvalue(), nl=False)


def _field(value: object) -> object:
    return printable(guarded(value)) if isinstance(value, str) else value


def write_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[str] = (), whole: str | None = None
) -> None:
    """A table as wide as the terminal, or lines with tabs where there is none; the columns in `right` hold numbers.

    A heading may be broken into lines, which are one where there is no terminal.
    Where a column is to be `whole`, so that it can be copied, every row is one line and the others are cut.
    """
    if not sys.stdout.isatty():
        for row in ([heading.replace("\n", " ") for heading in headings], *rows):
            typer.echo("\t".join(printable(cell) for cell in row))
        return
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [[printable(cell) for cell in row] for row in rows]
    console = Console()
    padding = (0, 1) if whole is None else (0, 1, 0, 0)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=padding)
    widths: list[int | None] = [None] * len(headings)
    if whole is not None:
        needed = [max(map(cell_len, column)) for column in zip(headings, *cells, strict=True)]
        widths = [*_cut(needed, headings.index(whole), console.width - 2 * len(headings))]
    for heading, width in zip(headings, widths, strict=True):
        table.add_column(
            Text("\n".join(map(printable, heading.split("\n")))),
            justify="right" if heading in right else "left",
            overflow="fold" if whole is None else "ellipsis",
            no_wrap=whole is not None,
            width=width,
        )
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table, crop=whole is None)


def _cut(widths: list[int], whole: int, room: int) -> list[int]:
    """Take from the widest but the one that stays whole until all fit, as far as there is anything to take."""
    while sum(widths) > room:
        widest = max((place for place in range(len(widths)) if place != whole), key=widths.__getitem__)
        if widths[widest] <= 1:
            break
        widths[widest] -= 1
    return widths
