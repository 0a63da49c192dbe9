"""Text of a table or an operator within Markdown and HTML: as it is, and never as markup."""

from __future__ import annotations

import html
import re

from diagnoser.text import printable

_LIST = re.compile(r"^(\s*\d*)([-+.)])")
STYLE = (
    "body{font:16px/1.45 sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}"
    "h2{font-size:1rem;margin:1.6rem 0 .2rem}ul,ol{margin:.2rem 0;padding-left:1.4rem}"
    "table{border-collapse:collapse}td,th{text-align:left;padding:.1rem .8rem .1rem 0;vertical-align:top}"
    "em{color:#900}:target{background:#ffd}@media print{a{color:inherit}}"
)


def markdown(text: str) -> str:
    """Text that means nothing to a Markdown reader, also where it begins a line."""
    plain = "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|~&" else letter for letter in printable(text))
    return _LIST.sub(r"\1\\\2", plain)


def safe(text: str) -> str:
    """Text for HTML."""
    return html.escape(printable(text))


def page(title: str, body: list[str]) -> str:
    """One page without scripts that needs nothing else; the body is HTML already."""
    head = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{safe(title)}</title><style>{STYLE}</style></head><body>\n<h1>{safe(title)}</h1>"
    )
    return "\n".join([head, *body, "</body></html>", ""])
