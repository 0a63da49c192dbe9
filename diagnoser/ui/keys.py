"""The keys of the case screen, and which of them answer."""

from __future__ import annotations

from textual.binding import ActiveBinding, Binding, BindingType
from textual.dom import DOMNode

_ANSWERS = (
    *(
        Binding(
            f"{(place + 1) % 10}",
            f"answer({place})",
            "answer",
            show=False,
            id=f"case.answer{place + 1}",
            tooltip="take the outcome of that number at once",
        )
        for place in range(10)
    ),
    Binding("u", "unknown", "unsure", id="case.unknown", tooltip="could not tell; the test is not asked again"),
    Binding(
        "n",
        "not_applicable",
        "does not apply",
        show=False,
        id="case.not-applicable",
        tooltip="the question makes no sense here",
    ),
    Binding("space", "mark", "mark", show=False, id="case.mark", tooltip="mark several outcomes; Enter takes them"),
    Binding("c", "confirm", "confirm", show=False, id="case.confirm", tooltip="confirm what was found"),
)
_ANSWER_IDS = frozenset(binding.id for binding in _ANSWERS)

KEYS: list[BindingType] = [
    *_ANSWERS,
    Binding(
        "slash",
        "choose_test('typing')",
        "other test",
        key_display="/",
        id="case.search",
        tooltip="answer any test by name",
    ),
    Binding("t", "choose_test('ranking')", "ranking", id="case.ranking", tooltip="the next tests, best first"),
    Binding("w", "why", "why", id="case.why", tooltip="how this test splits what is left"),
    Binding("g", "groups", "groups", show=False, id="case.groups", tooltip="all groups still open, and what to do"),
    Binding("z", "undo", "undo", id="case.undo", tooltip="take the last change back"),
    Binding("r", "redo", "redo", id="case.redo", tooltip="take the last undo back"),
    Binding("e", "edit", "edit", id="case.edit", tooltip="choose an earlier answer and change it"),
    Binding("p", "policy", "policy", show=False, id="case.policy", tooltip="choose how the next test is chosen"),
    Binding("escape", "back", "back", show=False, id="case.back", tooltip="back to the proposed test"),
]


def answers(active: ActiveBinding | None, outcomes: DOMNode) -> bool:
    """This key, whatever key the user has put on the action, answers the question or the verdict in the panel."""
    if active is None:
        return False
    return active.binding.id in _ANSWER_IDS or (active.binding.id == "rows.enter" and active.node is outcomes)
