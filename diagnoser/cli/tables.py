"""`diagnoser tables`: the shipped tables."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from diagnoser.cli.apart import apart
from diagnoser.cli.options import JsonOption
from diagnoser.cli.output import write, write_json, write_table
from diagnoser.kb import KnowledgeBase
from diagnoser.text import percent


def tables(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Tell more of this table, or of a file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the tables that come with the program."""
    from diagnoser.formats import open_table, shipped_tables

    if name is not None:
        figures = _figures(name, open_table(name))
        if as_json:
            write_json(figures)
            return
        for heading, value in figures.items():
            for part in value if isinstance(value, list) else [value]:
                shown = part
                if isinstance(part, float):
                    shown = percent(part) if heading.endswith("share") else f"{part:.3f}"
                write(f"{_WORDS.get(heading, heading.replace('_', ' '))}: {shown}")
        return
    known = [_figures(shipped, open_table(path)) for shipped, path in shipped_tables().items()]
    if as_json:
        write_json(known)
        return
    shown = {
        "name": "name",
        "title": "title",
        "hypotheses": "hypotheses",
        "tests": "tests",
        "unknown_share": "unknown",
        "undeclared_pairs": "alike",
        "licence": "licence",
    }
    rows = (
        [f"{value:.0%}" if isinstance(value, float) else str(value) for value in map(figures.get, shown)]
        for figures in known
    )
    write_table(tuple(shown.values()), rows, ("hypotheses", "tests", "unknown", "alike"), whole="name")


_WORDS = {
    "inapplicable_share": "not applicable share",
    "most_unsure_of_a_test": "most rows unknown or variable on one test",
    "most_unsure_of_a_hypothesis": "most tests unknown or variable of one row",
    "inseparable_pairs": "pairs that no test surely tells apart",
    "undeclared_pairs": "of them in different groups",
}


def _figures(name: str, kb: KnowledgeBase) -> dict[str, object]:
    from diagnoser.check import Check

    return {
        "name": name,
        "title": kb.title,
        "version": kb.version,
        "licence": kb.licence,
        "scope": kb.scope,
        "sources": list(kb.sources),
        **asdict(apart(lambda _: Check(kb).figures)),
        "fingerprint": kb.fingerprint,
        "wording_fingerprint": kb.wording_fingerprint,
    }
