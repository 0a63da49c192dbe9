"""`diagnoser new`: a small table to start from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Annotated

import typer

from diagnoser.cli.output import say
from diagnoser.errors import DiagnoserError, UsageError

_HEAD = """\
#:schema ./{schema}
# What the rows and columns of table.csv mean; docs/table-format.md has all keys.
format = 1
title = "Why the lamp stays dark"
hypothesis = "fault"
scope = "One lamp with a plug and a bulb; not the wiring of the house."
disclaimer = "An example. Pull the plug before you touch anything."
cost_unit = "minutes"

[columns]
group = "group"
prior = "prior"

[[tests]]
id = "others"
question = "Do other lamps on the same outlet work?"
outcomes = [{{ id = "yes", label = "yes, they do" }}, {{ id = "no", label = "no, none does" }}]
cost = 0.5

[[tests]]
id = "bulb"
question = "Does the bulb work in another lamp?"
outcomes = [{{ id = "yes" }}, {{ id = "no" }}]
cost = 2.0
needs = ["others=yes"]          # asked only where other lamps work

[[tests]]
id = "age"
question = "How many years old is the cord?"
unit = "years"
cuts = [10.0]                   # two bins: below 10 years, 10 years or more
cost = 1.0

[[groups]]
id = "replace"
name = "Replace a part"
action = "Buy the part and put it in."

[[groups]]
id = "electrician"
name = "Call an electrician"
action = "Leave it alone and call."
warning = "There may be no current, or a dangerous one."
"""
_TABLE = """\
fault,group,prior,others,bulb,age
bulb burnt out,replace,5,yes,no,?
cord broken,replace,2,yes,yes,10..40
plug loose,replace,1,yes,yes,0..8
no current at the outlet,electrician,2,no,-,?
"""


def new(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="A folder that does not exist yet.", show_default=False)
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of kb.toml instead.")] = False,
) -> None:
    """Make a small table of your own to start from."""
    from diagnoser.formats.schema import NAME, kb_schema

    text = json.dumps(kb_schema(), indent=2) + "\n"
    if schema:
        typer.echo(text, nl=False)
        return
    if folder is None:
        raise UsageError("name a folder for the table, or ask for --schema")
    if folder.exists():
        raise UsageError(f"{folder} is there already; choose another name")
    try:
        folder.mkdir(parents=True)
        (folder / "kb.toml").write_text(_HEAD.format(schema=NAME), encoding="utf-8", newline="\n")
        (folder / "table.csv").write_text(_TABLE, encoding="utf-8", newline="\n")
        (folder / NAME).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise DiagnoserError(f"{folder} cannot be written: {error.strerror or type(error).__name__}") from None
    say(f"{folder} holds kb.toml and table.csv; change them, then: diagnoser check {folder}")
