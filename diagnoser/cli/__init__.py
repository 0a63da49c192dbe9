"""The command line. Each command is one file; what it needs is imported when it runs."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from diagnoser import __version__
from diagnoser.cli import (
    check,
    compare,
    convert,
    evaluate,
    inspect,
    key,
    new,
    next,  # noqa: A004
    predict,
    prior,
    replay,
    report,
    run,
    sessions,
    tables,
    train,
)
from diagnoser.cli.apart import leave
from diagnoser.cli.output import say
from diagnoser.errors import DiagnoserError


class Commands(TyperGroup):
    """The commands, with every mistake turned into one line and an exit code."""

    def main(self, *args: Any, **more: Any) -> NoReturn:
        """Run what was asked for and leave."""
        try:
            # Alone it would frame its errors in five lines and show control characters as they are.
            code = super().main(*args, **more | {"standalone_mode": False})
            sys.stdout.flush()
        except DiagnoserError as error:
            code = _refused(str(error), error.exit_code)
        except typer.TyperException as error:
            code = _refused(_usage(error), error.exit_code)
        except typer.Abort:
            code = 1
        except BrokenPipeError:
            code = _give_up_output()
        except OSError as error:
            # Reading tables and writing sessions have errors of their own: what is left is a path that may not be
            # looked at, or the output.
            reason = error.strerror or type(error).__name__
            if error.filename is None:
                code = _refused(f"the output cannot be written: {reason}", _give_up_output())
            else:
                code = _refused(f"{error.filename}: {reason}", 1)
        leave(code)


def _refused(problem: str, code: int) -> int:
    with suppress(OSError):
        say(f"diagnoser: {problem}")
    return code


def _usage(error: typer.TyperException) -> str:
    """What is wrong with the words given, and where to look them up."""
    problem = error.format_message().strip().rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{problem}; see {context.command_path} --help" if context else problem


def _give_up_output() -> int:
    """Python must not complain when it flushes once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


app = typer.Typer(
    cls=Commands, pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]}
)
app.command("run")(run.run)
app.command("next")(next.next_test)
app.command("evaluate")(evaluate.evaluate)
app.command("key")(key.key)
app.command("check")(check.check)
app.command("convert")(convert.convert)
app.command("new")(new.new)
app.command("tables")(tables.tables)
app.command("sessions")(sessions.sessions)
app.command("prior")(prior.prior)
app.command("replay")(replay.replay)
app.command("report")(report.report)
app.command("train")(train.train)
app.command("inspect")(inspect.inspect)
app.command("predict")(predict.predict)
app.command("compare")(compare.compare)


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
    if sys.stdout is None:
        if sys.stderr is not None:
            say("diagnoser: the output is closed; nothing can be written")
        sys.exit(1)
    # A stream that was closed by whoever started the program reads as empty and takes what is written.
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter of a name gets its number, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="diagnoser")
