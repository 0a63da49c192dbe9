"""A trained tree for people: as text, rules, one row's path, JSON, DOT and HTML."""

from __future__ import annotations

import html
from collections.abc import Iterator

import numpy as np

from diagnoser.model import Model, Step
from diagnoser.text import percent, printable


def question(model: Model, node: int) -> str:
    """What is asked at a node."""
    feature = model.feature(node)
    return "" if feature is None else feature.name


def answer(model: Model, step: Step) -> str:
    """The answer that leads into a branch."""
    threshold, missing = model.threshold(step.node), model.missing_way(step.node) == step.way
    if threshold is None:
        words = ", ".join(model.values_of(step.node)[step.way])
    elif threshold == np.inf:
        return "missing" if step.way else "known"
    else:
        words = f"{'more than' if step.way else 'up to'} {threshold:g}"
    return f"{words or 'missing'}{' (or missing)' if missing and words else ''}"


def verdict(model: Model, node: int) -> str:
    """The class of most weight and its share."""
    label = model.labels[node]
    return f"{model.classes[label]} {percent(model.shares[node, label])}"


def figures(model: Model, node: int) -> str:
    """Share of the cases, and what scored the question."""
    weight, b, e, d, z = model.tree.figures[node, :5]
    words = f"{percent(weight)} of cases"
    if model.feature(node) is None:
        return words
    return f"{words}; B {b:.4g}, E {e:.4g}, D {d:.4g}, Z {z:.4g}; {model.remaining_cost(node):.4g} still to spend"


def in_order(model: Model) -> Iterator[tuple[int, int, str]]:
    """Node, depth and the answer that leads to it, from the root down."""
    waiting = [(0, 0, "")]
    while waiting:
        node, depth, words = waiting.pop()
        yield node, depth, words
        ways = [(child, depth + 1, answer(model, Step(node, way))) for way, child in enumerate(model.children(node))]
        waiting += reversed(ways)


def summary(model: Model) -> list[str]:
    """What the whole tree is and costs."""
    lines = [
        f"{model.target}: {len(model.classes)} classes, {model.leaves.size} leaves, at most {model.depth} questions",
        f"expected cost {model.expected_cost:.4g} (every question paid: {model.expected_cost_by_test:.4g}), "
        f"worst {model.worst_cost:.4g}; expected questions {model.expected_tests:.4g}",
    ]
    figures = {name: f"{value:.4g}" if isinstance(value, float) else value for name, value in model.trained.items()}
    return lines + [f"{name}: {value}" for name, value in figures.items() if value is not None]


def as_text(model: Model) -> str:
    """The tree, indented, a line for each answer."""
    lines = [*summary(model), ""]
    for node, depth, words in in_order(model):
        asks = question(model, node)
        says = f"ask {asks}" if asks else verdict(model, node)
        lines.append(f"{'  ' * depth}{words + ': ' if words else ''}{says}   [{figures(model, node)}]")
    return "".join(f"{printable(line)}\n" for line in lines)


def as_rules(model: Model) -> str:
    """For each class the ways that end in it, the likeliest first."""
    lines = []
    for label, name in enumerate(model.classes):
        ends = [int(leaf) for leaf in model.leaves if model.labels[leaf] == label]
        if not ends:
            continue
        lines.append(f"{name}, if")
        lines += [
            f"  {path(model, leaf) or 'always'}   [{figures(model, leaf)}, {verdict(model, leaf)}]"
            for leaf in sorted(ends, key=lambda leaf: -float(model.tree.figures[leaf, 0]))
        ]
    return "".join(f"{printable(line)}\n" for line in lines)


def path(model: Model, node: int) -> str:
    """The answers that lead to a node."""
    return " and ".join(f"{question(model, step.node)} {answer(model, step)}" for step in model.path(node))


def as_dot(model: Model) -> str:
    """For graphviz."""

    def quoted(text: str) -> str:
        return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = ["digraph tree {", "  node [shape=box, fontname=sans];", "  edge [fontname=sans];"]
    for node in range(len(model)):
        label = question(model, node) or verdict(model, node)
        shape = "" if model.feature(node) else ", style=rounded"
        lines.append(f"  n{node} [label={quoted(label)}, tooltip={quoted(figures(model, node))}{shape}];")
        for way, child in enumerate(model.children(node)):
            lines.append(f"  n{node} -> n{child} [label={quoted(answer(model, Step(node, way)))}];")
    return "\n".join([*lines, "}", ""])


STYLE = """body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
ul{list-style:none;border-left:1px solid #999;margin:0 0 0 .4em;padding-left:1.2em}
small{color:#555}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}small{color:#aaa}}"""


def as_html(model: Model) -> str:
    """A page of its own, without a script; branches fold."""

    def safe(text: str) -> str:
        return html.escape(printable(text))

    title = safe(f"How to tell {model.target}")
    lines = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        f"<title>{title}</title><style>{STYLE}</style><h1>{title}</h1>",
        *(f"<p>{safe(line)}</p>" for line in summary(model)),
    ]
    before = 0
    for node, depth, words in in_order(model):
        lines += ["</ul></details>"] * (before - depth)
        lead = f"<b>{safe(words)}</b>: " if words else ""
        note = f"<small>{safe(figures(model, node))}</small>"
        if asks := question(model, node):
            lines.append(f"<li><details open><summary>{lead}ask {safe(asks)} {note}</summary><ul>")
            before = depth + 1
        else:
            lines.append(f"<li>{lead}{safe(verdict(model, node))} {note}")
            before = depth
    lines += ["</ul></details>"] * before
    return "\n".join([*lines, "</html>", ""])
