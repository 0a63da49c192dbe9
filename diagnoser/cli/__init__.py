"""The command line. Each command is one file; what it needs is imported when it runs."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from diagnoser import __version__
from diagnoser.cli import evaluate, next, replay, run, sessions, tables  # noqa: A004
from diagnoser.cli.output import say
from diagnoser.errors import DiagnoserError


class Commands(TyperGroup):
    """The commands, with the user's mistakes turned into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run what was asked for."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except DiagnoserError as error:
            say(f"diagnoser: {error}")
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            raise typer.Exit(130) from None
        except BrokenPipeError:
            # Whoever read the output has gone; Python must not complain when it flushes once more at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        return result


app = typer.Typer(
    cls=Commands, pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]}
)
app.command("run")(run.run)
app.command("next")(next.next_test)
app.command("evaluate")(evaluate.evaluate)
app.command("tables")(tables.tables)
app.command("sessions")(sessions.sessions)
app.command("replay")(replay.replay)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"diagnoser {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    ctx: typer.Context,
    version: Annotated[  # noqa: ARG001  its callback has printed it
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Ask the test that ends the case at least expected cost. Without a command: choose a table on screen."""
    if ctx.invoked_subcommand is None:
        run.open_screen(None)


def main() -> None:
    """The program."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter of a name gets its number, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app()
