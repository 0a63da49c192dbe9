"""`diagnoser tables`: the shipped tables."""

from __future__ import annotations

from diagnoser.cli.options import JsonOption
from diagnoser.cli.output import write_json, write_table
from diagnoser.kb import UNKNOWN


def tables(as_json: JsonOption = False) -> None:
    """List the tables that come with the program."""
    from diagnoser.formats import open_table, shipped_tables

    known = [(name, open_table(path)) for name, path in shipped_tables().items()]
    figures = [
        {
            "name": name,
            "title": kb.title,
            "hypotheses": len(kb.hypotheses),
            "tests": len(kb.tests),
            "unknown_share": kb.codes.count(UNKNOWN) / len(kb.codes),
            "groups": len(kb.groups),
            "licence": kb.licence,
        }
        for name, kb in known
    ]
    if as_json:
        write_json(figures)
        return
    headings = ("name", "title", "hypotheses", "tests", "unknown", "groups", "licence")
    rows = (
        [f"{value:.0%}" if isinstance(value, float) else str(value) for value in figure.values()] for figure in figures
    )
    write_table(headings, rows, headings[2:6])
