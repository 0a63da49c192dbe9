"""All keys, read off the bindings that are in force."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.content import Content
from textual.screen import Screen

from diagnoser.ui.presentation import KEY, MUTED, fit


def all_keys(app: App[int], screen: Screen[Any]) -> Content:
    """A line for every action with all its keys: the screen's own, the app's and its lists', then Textual's."""
    keys: dict[tuple[str, str], list[str]] = {}
    # Every binding of ours has an id, those that a screen inherits have none.
    actives = sorted(screen.active_bindings.values(), key=lambda a: (a.binding.id is None, a.node is not screen))
    for active in actives:
        binding = active.binding
        if binding.description and not binding.system:
            does = (binding.description, active.tooltip or binding.tooltip)
            keys.setdefault(does, []).append(app.get_key_display(binding))
    lines = []
    for (description, tooltip), shown in keys.items():
        pressed = f"{shown[0]} … {shown[-1]}" if len(shown) > 3 else " ".join(shown)
        lines.append(Content.assemble((f" {fit(pressed, 11)} ", KEY), fit(description, 20), (tooltip, MUTED)))
    return Content("\n").join(lines)
