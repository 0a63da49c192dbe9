"""`diagnoser convert`: any table in, any table out, with an account of what was understood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from diagnoser.cli.options import JsonOption
from diagnoser.cli.output import say, write, write_json, write_table
from diagnoser.errors import BadTable, DiagnoserError, UsageError
from diagnoser.formats.reading import How, Reading
from diagnoser.kb import NOT_APPLICABLE, UNKNOWN, KnowledgeBase

WRITERS = {"": "write_folder", ".csv": "write_csv", ".delta": "write_delta", ".xml": "write_sdd"}
"""Module of the writer by the end of the name; each has `write(kb, path)` and tells what its format cannot hold."""
OURS = {"kb.toml", "table.csv", "kb.schema.json", "chars", "items", "specs"}
"""What a folder may hold to be taken the place of."""


def convert(
    source: Annotated[str, typer.Argument(metavar="SRC", help="A table in any form that is read, or a shipped name.")],
    target: Annotated[
        Path, typer.Argument(metavar="DST", help="A folder of ours, or a file or folder in .csv, .xml (SDD) or .delta.")
    ],
    cases: Annotated[
        str | None, typer.Option("--cases", metavar="COLUMN", help="Rows are cases; this column holds the diagnosis.")
    ] = None,
    absent: Annotated[
        str, typer.Option("--absent", metavar="MEANING", help="What a blank in a case means: unknown, or no.")
    ] = "unknown",
    sheet: Annotated[str | None, typer.Option("--sheet", metavar="NAME", help="The sheet of a spreadsheet.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Write nothing where anything would be lost.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Take the place of what is there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Read a table in any form and write it in another."""
    from diagnoser.formats import read_table

    how = How(cases, absent, sheet)
    if target.suffix.lower() not in WRITERS:
        raise UsageError(
            f'tables are not written as "{target.suffix}"; give a folder, or a name that ends in .csv, .xml or .delta'
        )
    target = _free(target, force=force)
    reading = read_table(source, how)
    if strict and reading.left_out:
        _account(reading, (), as_json)
        raise BadTable(source, "not all of it is read", "leave out --strict to go on without")
    lost = _in_place(reading.kb, target, strict=strict)
    _account(reading, lost, as_json)
    if strict and lost:
        raise BadTable(target, "the format cannot hold all of it", "leave out --strict, or choose another format")


def _free(target: Path, *, force: bool) -> Path:
    """Where to write, a link followed. Raises UsageError where something else would be lost."""
    place = target.resolve()
    aside = _aside(place)
    if aside.exists() and not place.exists():  # a replacement that was killed half-way
        aside.rename(place)
    if place.exists() and not force:
        raise UsageError(f"{target} is there already; --force takes its place")
    if place.is_dir():
        others = sorted(entry.name for entry in place.iterdir() if entry.name not in OURS or not entry.is_file())
        if others:
            problem = f'{target} holds more than a table, such as "{others[0]}", which would be lost'
            raise UsageError(f"{problem}; choose a new name")
    elif place.name in OURS and place.exists():
        raise UsageError(f"{target} is a part of the table in {place.parent}; give the folder, or a new name")
    return place


def _aside(place: Path) -> Path:
    """Where a folder stays while another takes its place."""
    return place.with_name(f".{place.name}-before")


def _in_place(kb: KnowledgeBase, target: Path, *, strict: bool) -> tuple[str, ...]:
    """Write beside the target and move it there at the end, so that what was there is whole until then."""
    import shutil
    import tempfile

    put: Callable[[KnowledgeBase, Path], tuple[str, ...]]
    put = import_module(f"diagnoser.formats.{WRITERS[target.suffix.lower()]}").write
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as beside:
            new, old = Path(beside) / target.name, _aside(target)
            lost = put(kb, new)
            if strict and lost:
                return lost
            if old.exists():
                shutil.rmtree(old)
            try:
                if target.is_dir():
                    target.rename(old)
                new.replace(target)
            finally:
                if old.exists() and not target.exists():
                    old.rename(target)
            if old.exists():
                shutil.rmtree(old)
    except OSError as error:
        raise DiagnoserError(f"{target} cannot be written: {error.strerror or type(error).__name__}") from None
    return lost


def _account(reading: Reading, lost: tuple[str, ...], as_json: bool) -> None:
    counts = [(test.id, _counts(reading.kb, index)) for index, test in enumerate(reading.kb.tests)]
    before, after = asdict(reading.before), asdict(reading.after)
    if as_json:
        write_json(
            {
                "before": before,
                "after": after,
                "tests": dict(counts),
                "notices": list(reading.kb.notices),
                "left_out": list(reading.left_out),
                "lost": list(lost),
            }
        )
        return
    words = {"inapplicable": "not applicable"}
    rows = [(words.get(kind, kind), f"{before[kind]:,}", f"{after[kind]:,}") for kind in before]
    write_table(("", "in the file", "in the table"), rows, ("in the file", "in the table"))
    write()
    for test, outcomes in counts:
        write(f"{test}: " + ", ".join(f"{outcome} {count:,}" for outcome, count in outcomes.items()))
    for notice in reading.kb.notices:
        say(notice)
    for line in reading.left_out:
        say(f"left out: {line}")
    for line in lost:
        say(f"lost: {line}")


def _counts(kb: KnowledgeBase, index: int) -> dict[str, int]:
    """How often each outcome of a test stands alone, and the cells with several, with none and unknown."""
    test, codes = kb.tests[index], kb.codes[index :: len(kb.tests)]
    names = ["not applicable" if o.id == NOT_APPLICABLE else o.id for o in test.outcomes]
    counts = {name: codes.count(v) for v, name in enumerate(names)}
    return counts | {"several": sum(code < UNKNOWN for code in codes), "unknown": codes.count(UNKNOWN)}
