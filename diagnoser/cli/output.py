"""What every command prints: data on stdout, words on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

import typer

from diagnoser.text import printable


def say(words: str) -> None:
    """One line for people."""
    typer.echo(printable(words), err=True)


def write(line: str = "") -> None:
    """One line of data."""
    typer.echo(printable(line))


def write_json(value: object) -> None:
    """One JSON document, in ASCII, so that no text in it can steer the terminal."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def write_table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[str] = ()) -> None:
    """A table as wide as the terminal, or lines with tabs where there is none; the columns in `right` hold numbers."""
    if not sys.stdout.isatty():
        for row in (headings, *rows):
            typer.echo("\t".join(printable(cell) for cell in row))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console().print(table)
