"""CPU time from start to first paint: `diagnoser run` against a bare Textual app with widgets of the same kinds.

    python benchmarks/first_paint.py [TABLE]

Each start is a process of its own without a terminal (Textual's headless driver); the least of several is compared.
"""

from __future__ import annotations

import subprocess
import sys

ROUNDS = 9

BARE = """
import time
from textual.app import App
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widgets import Footer, Static

class Bare(Screen):  # the tree of the case screen, in Textual's own widgets
    BINDINGS = [(key, "app.bell", key) for key in "utwzrepqx"]
    def compose(self):
        yield Static("top")
        with Vertical():
            with VerticalScroll():
                yield Static()
            yield ScrollView()
            yield Static()
        with Horizontal():
            with Vertical():
                yield Static("CANDIDATES")
                yield ScrollView()
            with Vertical():
                yield Static("ANSWERS")
                yield ScrollView()
                with VerticalScroll():
                    yield Static()
        yield Static("groups")
        with Vertical():
            yield Static()
            yield Static("status")
        yield Footer(compact=True, show_command_palette=False)
    def on_mount(self):
        self.call_after_refresh(lambda: self.app.exit(time.process_time()))

class BareApp(App):
    def on_mount(self):
        self.push_screen(Bare())

app = BareApp()
print(app.run(headless=True, size=(80, 24)))
raise SystemExit(app.return_code)
"""

OURS = """
import sys, time
import diagnoser.cli
from diagnoser.ui.app import DiagnoserApp
from diagnoser.ui.case import CaseScreen
from diagnoser.ui.request import CaseRequest

def painted(screen):  # in place of reading the table, which begins after the first paint
    screen.app.exit(time.process_time())

CaseScreen._prepare = painted
app = DiagnoserApp(CaseRequest(sys.argv[1]))
print(app.run(headless=True, size=(80, 24)))
raise SystemExit(app.return_code)
"""


def best_cpu_seconds(program: str, table: str) -> float:
    """Least CPU time to first paint over several processes."""
    command = [sys.executable, "-c", program, table]
    return min(
        float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])
        for _ in range(ROUNDS)
    )


def main() -> None:
    """Print both times and their ratio."""
    table = sys.argv[1] if len(sys.argv) > 1 else "gems_minerals"
    bare, ours = best_cpu_seconds(BARE, table), best_cpu_seconds(OURS, table)
    print(f"first paint, CPU seconds: bare {bare:.3f}, diagnoser run {ours:.3f}")
    print(f"diagnoser run / bare Textual app {ours / bare:.2f}")


if __name__ == "__main__":
    main()
