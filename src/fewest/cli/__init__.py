"""The command line. Each command is in its own module, which is imported when the command is called; this module
dispatches the calls and maps errors to exit codes.

`errors.Exit` defines the exit codes.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from importlib import import_module
from typing import NoReturn, TextIO

import click

from fewest.cli import console, error_handling
from fewest.cli.safe_output import screened
from fewest.errors import Exit, suggest
from fewest.machine.process_exit import exit_now
from fewest.machine.signals import terminate_like_interrupt
from fewest.machine.stdio import repair_stdio
from fewest.version import __version__

COMMANDS: dict[str, str] = {
    "solve": "find a shortest plan, and prove that no shorter plan exists",
    "compare": "run several engines on the same puzzles, and compare answers and times",
    "resume": "continue an interrupted search, sweep or comparison",
    "explore": "explore the whole state space: layers, dead positions, the hardest start",
    "solutions": "count all optimal plans, up to the order of independent moves",
    "hint": "show the distance from a position to the goal, and the best next moves",
    "explain": "explain why a puzzle or a position is unsolvable, or why a puzzle is hard",
    "oracle": "write the goal distances of all positions to a file, for immediate hints",
    "generate": "find the hardest boards of a spec, by exhaustive or random search",
    "minimize": "remove the pieces and walls that the minimum of a puzzle does not need",
    "vary": "list all boards one change away from a puzzle, with their minima",
    "sweep": "solve a family of puzzles, and look for a formula for the minima",
    "diff": "compare two rule sets on one board, or two boards",
    "check": "check documents and their known answers",
    "play": "play a puzzle in the terminal, full-screen, with hints",
    "new": "write a small puzzle with comments, as a starting point",
    "watch": "check and solve a document each time it is saved",
    "prove": "write a certificate: a file with the answer and its proof",
    "show": "show the board, the rules and the known answers of a puzzle",
    "draw": "draw a position, a plan or a folder of puzzles as SVG, PNG or GIF",
    "page": "write one HTML file for playing puzzles offline, with hints",
    "serve": "edit, solve and play puzzles in the browser",
    "export": "write a puzzle for other solvers, as ASP, DIMACS, PDDL or SAS+",
    "convert": "convert levels from one format to another, or to puzzle documents",
    "verify": "check a certificate, or replay a given plan",
    "list": "list the shipped puzzles and models",
    "schema": "print the JSON Schema of puzzle documents, for editors",
    "completion": "print a completion script for a shell",
}

EPILOG = """\b
Exit codes: 0 there is an answer, 1 a check failed, 2 a wrong option or name,
3 an error in a file, 4 a limit or Ctrl-C ended the search, 10 proven unsolvable,
70 a bug in fewest, 74 the output could not be written,
130 Ctrl-C stopped the command before it proved anything,
141 the reader of a pipe closed it before the output was complete."""


_COMPLETION = "_FEWEST_COMPLETE"
"""The environment variable that the completion scripts of shells set."""


class LazyGroup(click.Group):
    """A group that imports a command's module only when it is needed, because `COMMANDS` contains the names and the
    one-line descriptions of all commands.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"fewest.cli.{cmd_name}").command
        return console.add_options(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = suggest(args[0], [*COMMANDS])
            hint = f" Did you mean `{near}`?" if near else ""
            raise click.UsageError(f"There is no command `{args[0]}`.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])


@click.command(
    cls=LazyGroup,
    name="fewest",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="fewest")
def group() -> None:
    """What is the smallest number of moves, and how do you know?

    This program solves puzzles in YAML, which include their rules, and proves that no shorter plan exists.

    \b
    Examples:
      fewest solve heng-dao-li-ma
      fewest solve hardest-6x6 --metric slides --show
      fewest solve my-puzzle.yaml --set n=5 --json
      fewest check puzzles/
    """


group.params += console.options()


def main() -> NoReturn:
    """Run the command line and exit with one of the codes of `errors.Exit`."""
    # this package uses only the arrays of NumPy, and starting threads for linear algebra would take 50 ms
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    repair_stdio()
    terminate_like_interrupt()
    code = _run(sys.argv[1:])
    with screened(console.uses_colour):
        code = _written(code)
    # without this, the interpreter would collect all remaining objects at exit, which is unnecessary work
    gc.disable()
    gc.freeze()
    exit_now(code)


def _written(code: int) -> int:
    """Flush stdout and stderr. Returns `code`; if stdout cannot be written, `Exit.OUTPUT` or, if the reader of a pipe
    has closed it, `Exit.CLOSED_PIPE`.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            _silence(stream)
            if isinstance(error, BrokenPipeError):
                code = Exit.CLOSED_PIPE
            elif stream is sys.stdout:
                code = error_handling.unwritten(error)
    return code


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    console.warn(f"warning: {message}")


def _run(args: list[str]) -> int:
    warnings.showwarning = _show_warning
    console.begin(args)
    with screened(console.uses_colour):
        return _called(args)


def _called(args: list[str]) -> int:
    """Call the command and map every exception to an exit code.

    If the reader of a pipe closes it early, the result is unknown: the command may have ended before it had an answer.
    The code is then that of a program that SIGPIPE ends, so that no code states something that was not shown.
    """
    try:
        return _answered(args)
    except BrokenPipeError:
        _silence(sys.stdout)
        return Exit.CLOSED_PIPE


def _answered(args: list[str]) -> int:
    """Call the command and map every exception except BrokenPipeError to an exit code."""
    try:
        result = group.main(
            args, prog_name="fewest", standalone_mode=False, color=console.MANNER.colour
        )
        return result if isinstance(result, int) else Exit.ANSWERED
    except click.exceptions.Exit as error:
        return error.exit_code
    except BrokenPipeError:
        raise
    except SystemExit as error:
        # Click raises this exception after it has completed a word, and instead of BrokenPipeError.
        if _COMPLETION not in os.environ:
            return Exit.CLOSED_PIPE
        return error.code if isinstance(error.code, int) else Exit.ANSWERED
    except OSError as error:
        if error.filename is None and error.errno is not None:
            _silence(sys.stdout)
            return error_handling.unwritten(error)
        return error_handling.fail(error)
    except (Exception, KeyboardInterrupt) as error:
        return error_handling.fail(error)


def _silence(stream: TextIO) -> None:
    """Redirect a stream to the null device after a write has failed, so that the interpreter does not report an error
    at exit.
    """
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
