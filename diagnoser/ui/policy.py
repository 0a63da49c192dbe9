"""Choose how the next test is chosen."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from diagnoser.policies import POLICIES, Policy
from diagnoser.ui.presentation import MUTED, STRONG, fit, shorten
from diagnoser.ui.widgets import RowList


class PolicyScreen(ModalScreen[str | None]):
    """Dismissed with the name of a policy, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "back", id="policy.back")]

    def __init__(self, now: str) -> None:
        super().__init__()
        self._now = now

    def compose(self) -> ComposeResult:
        """The policies, and what the highlighted one promises."""
        with Vertical(id="policy", classes="box"):
            yield RowList[Policy](always_highlight=True, id="policies")
            yield Static(id="promise", markup=False)

    def on_mount(self) -> None:
        """Start on the present one."""
        box = self.query_one("#policy")
        box.border_title = Content("THE NEXT TEST IS CHOSEN BY")
        box.border_subtitle = Content("enter chooses · esc goes back")
        rows = self.query_one("#policies", RowList)
        rows.show(tuple(POLICIES.values()), tuple(POLICIES), self._draw)
        rows.highlighted = list(POLICIES).index(self._now) if self._now in POLICIES else 0
        rows.focus()

    def on_row_list_highlighted(self, message: RowList.Highlighted) -> None:
        """Its promise."""
        policy = message.rows.row
        if isinstance(policy, Policy):
            text = Content.assemble(f"{policy.name}: {policy.summary}", "\n", (f"guarantee: {policy.guarantee}", MUTED))
            self.query_one("#promise", Static).update(text)

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        """Take it."""
        if isinstance(message.row, Policy):
            self.dismiss(message.row.name)

    def _draw(self, policy: Policy, width: int) -> Content:
        now = "now " if policy.name == self._now else "    "
        return Content.assemble((now, MUTED), (fit(policy.name, 17), STRONG), shorten(policy.summary, width - 22))
