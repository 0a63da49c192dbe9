"""A table as a DELTA data set: a folder with chars, items and specs."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from math import isfinite
from pathlib import Path

from diagnoser.formats.delta_characters import folded
from diagnoser.formats.losses import Losses, renamed
from diagnoser.formats.write_sdd import without_place
from diagnoser.kb import NOT_APPLICABLE, Cell, KnowledgeBase, Test


def write(kb: KnowledgeBase, folder: Path) -> tuple[str, ...]:
    """Write the cells of a table. Returns what the format cannot hold, one line each. Raises OSError."""
    losses = Losses()
    for words in (*without_place(kb), *_without_place(kb)):
        losses.add(f"{words} are not kept")
    numeric = {e for e in kb.intervals if _all_numbers(kb, e)}
    for e in sorted(kb.intervals):
        words = "cut points are not kept, they are made anew from the numbers"
        losses.add(words if e in numeric else "numbers are not kept, their ranges are states", f'"{kb.tests[e].id}"')
    folder.mkdir(parents=True, exist_ok=True)
    title = _one("the title", kb.title, losses)
    names = _safe("hypotheses", [h.name for h in kb.hypotheses], losses)
    features = _safe("tests", [test.id for test in kb.tests], losses)
    chars = [f"*SHOW ~ {title}", "", "*CHARACTER LIST"]
    for e, test in enumerate(kb.tests):
        chars += ["", *_character(f"#{e + 1}. {features[e]}/", test, losses, numeric=e in numeric)]
    items = [f"*SHOW ~ {title}", "", "*ITEM DESCRIPTIONS"]
    for x, name in enumerate(names):
        said = (_attribute(kb.tests[e], kb.cell(x, e), losses, numeric=e in numeric) for e in range(len(kb.tests)))
        cells = [f"{e},{value}" for e, value in enumerate(said, 1) if value]
        items += ["", f"# {name}/", *cells]
    for name, lines in (("chars", chars), ("items", items), ("specs", _specs(kb, numeric))):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return losses.lines()


def _without_place(kb: KnowledgeBase) -> list[str]:
    """What DELTA has no place for besides."""
    words = (kb.hypothesis_word, kb.hypotheses_word)
    there = {
        "names of the tests": any(t.name not in ("", t.id) for t in kb.tests),
        "plus-minus of the numbers (tolerances)": any(t.tolerance for t in kb.tests),
        f'the words "{words[0]}" and "{words[1]}"': words != ("item", "items"),
        f'the unit of costs "{kb.cost_unit}"': kb.cost_unit != "tests",
    }
    return [words for words, is_there in there.items() if is_there]


def _all_numbers(kb: KnowledgeBase, e: int) -> bool:
    """Whether each known cell of a test that applies has a number that can be written."""
    cells = [kb.cell(x, e) for x in range(len(kb.hypotheses))]
    none = kb.tests[e].applicable
    return all(
        all(map(isfinite, c.interval)) if c.interval else c.unknown or {v for v, _ in c.outcomes} == {none}
        for c in cells
    )


def _specs(kb: KnowledgeBase, numeric: Set[int]) -> list[str]:
    kinds = [f"{e},RN" if e - 1 in numeric else f"{e},UM" for e in range(1, len(kb.tests) + 1)]
    states = [f"{e},{max(t.applicable, 2)}" for e, t in enumerate(kb.tests, 1) if e - 1 not in numeric]
    lines = [f"*NUMBER OF CHARACTERS {len(kb.tests)}", "", "*CHARACTER TYPES", *kinds]
    return [*lines, "", "*NUMBERS OF STATES", *states] if states else lines


def _character(feature: str, test: Test, losses: Losses, *, numeric: bool) -> list[str]:
    if numeric:
        unit = _one("a unit", test.unit or "", losses)
        return [feature, f"       {unit}/"] if unit else [feature]
    labels = [outcome.id for outcome in test.outcomes[: test.applicable]]
    labels += [f"not {labels[0]}"] * (len(labels) == 1)
    states = _safe(f'outcomes of "{test.id}"', labels, losses)
    return [feature, *(f"       {v}. {state}/" for v, state in enumerate(states, 1))]


def _safe(what: str, names: Sequence[str], losses: Losses) -> tuple[str, ...]:
    """Names that mean nothing else there and are told apart; what is changed is said."""
    return renamed(what, names, [_held(name) for name in names], (), losses)


def _one(what: str, text: str, losses: Losses) -> str:
    (held,) = _safe(what, [text], losses)
    return held


def _held(text: str) -> str:
    r"""Text without what means something there.

    That is: comments in <>, an end in /, word processor's marks in \ and {}, and a * that begins a word.
    """
    marked = folded(text).translate(str.maketrans("<>\\{}", "()|()"))
    return re.sub(r"(?<!\S)\*", "'*", re.sub(r"/(?=\s|$)", "|", marked))


def _attribute(test: Test, cell: Cell, losses: Losses, *, numeric: bool) -> str:
    if cell.unknown:
        return "U"
    if cell.interval and numeric:
        low, high = (_number(end) for end in cell.interval)
        return low if low == high else f"{low}-{high}"
    if len({share for _, share in cell.outcomes}) > 1:
        losses.add("probabilities are not kept", f'"{test.id}"')
    return "/".join("-" if test.outcomes[v].id == NOT_APPLICABLE else str(v + 1) for v, _ in cell.outcomes)


def _number(value: float) -> str:
    text = repr(value)
    return f"{value:.340f}".rstrip("0").rstrip(".") if "e" in text else text.removesuffix(".0")
