"""`diagnoser check`: what is wrong or doubtful in a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from diagnoser.cli.apart import apart
from diagnoser.cli.options import JsonOption, TableArgument
from diagnoser.cli.output import write, write_json
from diagnoser.errors import BadTable
from diagnoser.text import counted, percent

if TYPE_CHECKING:
    from diagnoser.check import Figures, Finding
    from diagnoser.formats.reading import Reading


def check(table: TableArgument, as_json: JsonOption = False) -> None:
    """Find what is wrong, doubtful or worth knowing in a table. Ends with 3 where something is wrong."""
    from diagnoser.formats import read_table

    try:
        reading = read_table(table)
    except BadTable as error:
        mistakes = [str(error), *map(str, error.others)]
        if as_json:
            write_json({"errors": [{"kind": "reading", "words": words} for words in mistakes], "warnings": []})
        for words in () if as_json else mistakes:
            write(f"error: {words}")
        raise typer.Exit(BadTable.exit_code) from None
    from diagnoser.check import Check

    checked = Check(reading.kb)
    findings, figures = apart(lambda _: (checked.findings, checked.figures))
    errors = [finding for finding in findings if finding.level == "error"]
    warnings = [finding for finding in findings if finding.level == "warning"]
    if as_json:
        write_json(
            {
                "errors": [_entry(finding, reading) for finding in errors],
                "warnings": [_entry(finding, reading) for finding in warnings],
                "left_out": list(reading.left_out),
                "figures": asdict(figures),
            }
        )
    else:
        for finding in findings:
            write(f"{finding.level}: {_place(finding, reading)}{finding.words}")
        for words in reading.left_out:
            write(f"left out: {words}")
        _write_figures(figures, len(errors), len(warnings))
    if errors:
        raise typer.Exit(BadTable.exit_code)


def _entry(finding: Finding, reading: Reading) -> dict[str, object]:
    return {
        "kind": finding.kind,
        "words": finding.words,
        "hypotheses": finding.hypotheses,
        "tests": finding.tests,
        "lines": [reading.lines.get(name) for name in finding.hypotheses],
    }


def _place(finding: Finding, reading: Reading) -> str:
    """The file, line and column of an error in one cell."""
    if finding.level == "warning" or reading.file is None or len(finding.hypotheses) != 1:
        return ""
    line = reading.lines.get(finding.hypotheses[0])
    return f'{reading.file}, line {line}, column "{finding.tests[0]}": ' if line else f"{reading.file}: "


def _write_figures(figures: Figures, errors: int, warnings: int) -> None:
    write(f"{counted(errors, 'error')}, {counted(warnings, 'warning')}")
    write(f"{figures.hypotheses} hypotheses, {figures.tests} tests, {figures.groups} groups")
    write(
        f"cells unknown {percent(figures.unknown_share)}, not applicable {percent(figures.inapplicable_share)}, "
        f"variable {percent(figures.variable_share)}"
    )
    write(
        f"unknown or variable at most: {figures.most_unsure_of_a_test} hypotheses on one test, "
        f"{figures.most_unsure_of_a_hypothesis} tests of one hypothesis"
    )
    known = round(figures.hypotheses**figures.sparsity)
    write(f"sparsity {figures.sparsity:.3f}: no test is known for more than {known} of the hypotheses")
    write(f"to find out: {figures.entropy_bits:.3f} bits, so many yes-or-no tests at least on average")
    write(
        f"pairs that no test surely tells apart: {figures.inseparable_pairs}, "
        f"of them {figures.undeclared_pairs} in different groups"
    )
