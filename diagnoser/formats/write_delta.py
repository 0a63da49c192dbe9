"""A table as a DELTA data set: a folder with chars, items and specs."""

from __future__ import annotations

import re
from pathlib import Path

from diagnoser.formats.losses import Losses
from diagnoser.formats.write_sdd import without_place
from diagnoser.kb import NOT_APPLICABLE, Cell, KnowledgeBase, Test
from diagnoser.text import clean


def write(kb: KnowledgeBase, folder: Path) -> tuple[str, ...]:
    """Write the cells of a table. Returns what the format cannot hold, one line each. Raises OSError."""
    losses = Losses()
    for words in without_place(kb):
        losses.add(f"{words} are not kept")
    numeric = kb.intervals.keys()
    for e in sorted(numeric):
        losses.add("cut points are not kept, they are made anew from the numbers", f'"{kb.tests[e].id}"')
    folder.mkdir(parents=True, exist_ok=True)
    title = _safe(kb.title, losses)
    chars = [f"*SHOW ~ {title}", "", "*CHARACTER LIST"]
    for e, test in enumerate(kb.tests):
        chars += ["", *_character(e, test, losses, numeric=e in numeric)]
    items = [f"*SHOW ~ {title}", "", "*ITEM DESCRIPTIONS"]
    for x, hypothesis in enumerate(kb.hypotheses):
        said = (_attribute(kb.tests[e], kb.cell(x, e), losses) for e in range(len(kb.tests)))
        cells = [f"{e},{value}" for e, value in enumerate(said, 1) if value]
        items += ["", f"# {_safe(hypothesis.name, losses)}/", *cells]
    for name, lines in (("chars", chars), ("items", items), ("specs", _specs(kb, title))):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return losses.lines()


def _specs(kb: KnowledgeBase, title: str) -> list[str]:
    numeric = kb.intervals.keys()
    kinds = [f"{e},RN" if e - 1 in numeric else f"{e},UM" for e in range(1, len(kb.tests) + 1)]
    states = [f"{e},{max(t.applicable, 2)}" for e, t in enumerate(kb.tests, 1) if e - 1 not in numeric]
    lines = [f"*SHOW ~ {title}", "", f"*NUMBER OF CHARACTERS {len(kb.tests)}", "", "*CHARACTER TYPES", *kinds]
    return [*lines, "", "*NUMBERS OF STATES", *states] if states else lines


def _character(e: int, test: Test, losses: Losses, *, numeric: bool) -> list[str]:
    lines = [f"#{e + 1}. {_safe(test.id, losses)}/"]
    if numeric:
        return [*lines, f"       {_safe(test.unit, losses)}/"] if test.unit else lines
    labels = [outcome.id for outcome in test.outcomes[: test.applicable]]
    labels += [f"not {labels[0]}"] * (len(labels) == 1)
    return [*lines, *(f"       {v}. {_safe(label, losses)}/" for v, label in enumerate(labels, 1))]


def _safe(text: str, losses: Losses) -> str:
    r"""Text without what means something there: comments in <>, an end in / and word processor's marks in \ and {}."""
    held = re.sub(r"/(?=\s|$)", "|", clean(text).translate(str.maketrans("<>\\{}", "()|()")))
    if held != clean(text):
        losses.add("the marks <, >, \\, {, } and a / at the end of a word are changed in names")
    return held


def _attribute(test: Test, cell: Cell, losses: Losses) -> str:
    if cell.unknown:
        return "U"
    if cell.interval:
        low, high = (_number(end) for end in cell.interval)
        return low if low == high else f"{low}-{high}"
    if len({share for _, share in cell.outcomes}) > 1:
        losses.add("probabilities are not kept", f'"{test.id}"')
    return "/".join("-" if test.outcomes[v].id == NOT_APPLICABLE else str(v + 1) for v, _ in cell.outcomes)


def _number(value: float) -> str:
    text = repr(value)
    return f"{value:.340f}".rstrip("0").rstrip(".") if "e" in text else text.removesuffix(".0")
