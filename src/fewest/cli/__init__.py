"""The command line: one file a command, imported when called; this one dispatches and maps errors.

The exit codes are `errors.Exit`.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from importlib import import_module
from typing import NoReturn, TextIO

import click

from fewest.errors import DocumentError, Exit, FewestError, InternalError, suggest
from fewest.version import __version__

COMMANDS: dict[str, str] = {
    "solve": "the fewest moves of a puzzle, with a plan and the proof",
    "compare": "the engines side by side: answers, times, memory, sizes",
    "explore": "the whole state space: layers, dead ends, the hardest start",
    "hint": "what a position is worth: its distance, the best next moves",
    "explain": "why no goal can be reached from a position",
    "oracle": "distance tables on disk, from which hints are instant",
    "sweep": "a family of puzzles: its table of minima, and a formula if one fits",
    "check": "every document and every known answer below a path",
    "show": "a puzzle: its board, its rules and what is known of it",
    "export": "a puzzle for other solvers: ASP, DIMACS, PDDL, SAS+",
    "convert": "Sokoban levels from one format to another, or to puzzle documents",
    "verify": "somebody else's solution in LURD, played by the rules",
    "list": "the puzzles and models that come with the package",
    "schema": "the JSON Schema of puzzle documents, for editors",
    "completion": "the shell's completion script",
}

EPILOG = """\b
Exit codes: 0 answered, 1 an expectation failed, 2 usage, 3 bad input,
4 a limit stopped it, 10 proven unsolvable, 70 a bug of ours."""


class LazyGroup(click.Group):
    """Imports a command's file only when it is called; the help texts stand in `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"fewest.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = suggest(args[0], list(COMMANDS))
            hint = f" Did you mean `{near}`?" if near else ""
            raise click.UsageError(f"There is no command `{args[0]}`.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(
    cls=LazyGroup,
    name="fewest",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="fewest")
def group() -> None:
    """What is the fewest moves, and how do you know?

    Solves puzzles written in YAML, rules included, and proves that no shorter plan exists.

    \b
    Examples:
      fewest solve heng-dao-li-ma
      fewest solve hardest-6x6 --metric slides --show
      fewest solve my-puzzle.yaml --set n=5 --json
      fewest check puzzles/
    """


def main() -> NoReturn:
    """Run the command line and exit with the codes above."""
    # NumPy is used for its arrays alone; starting threads for linear algebra takes 50 ms.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Start-up makes many objects and no garbage; the default threshold takes 10 ms to find that out.
    gc.set_threshold(100_000, 20, 20)
    code = _written(_run(sys.argv[1:]))
    # The interpreter ends with a search for garbage among all that is left, for which nobody waits.
    gc.disable()
    gc.freeze()
    sys.exit(code)


def _written(code: int) -> int:
    """The exit code, once all output is on its way; nobody may read any more."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            _silence(stream)
            if stream is sys.stdout and not isinstance(error, BrokenPipeError):
                code = _unwritten(error)
    return code


def _unwritten(error: OSError) -> int:
    print(f"error: cannot write the output: {error.strerror}", file=sys.stderr)
    return Exit.OUTPUT


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _run(args: list[str]) -> int:
    warnings.showwarning = _show_warning
    try:
        result = group.main(args, prog_name="fewest", standalone_mode=False)
        return result if isinstance(result, int) else Exit.ANSWERED
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    except BrokenPipeError:
        _silence(sys.stdout)
        return Exit.ANSWERED
    except SystemExit:
        # So click leaves after completing a word, and when the reader of the output goes away.
        return Exit.ANSWERED
    except InternalError as error:
        return _bug(error)
    except FewestError as error:
        # A document's mistakes begin with their places, as compilers' do.
        print(error if isinstance(error, DocumentError) else f"error: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        if error.filename is None and error.errno is not None:
            _silence(sys.stdout)
            return _unwritten(error)
        name = f"{error.filename}: " if error.filename else ""
        print(f"error: {name}{error.strerror or error}", file=sys.stderr)
        return Exit.BAD_INPUT
    except Exception as error:
        return _bug(error)


def _bug(error: BaseException) -> int:
    if os.environ.get("FEWEST_DEBUG"):
        import traceback

        traceback.print_exception(error)
    print(
        f"fewest has a bug, sorry: {type(error).__name__}: {error}\n"
        "No answer above this line is affected. FEWEST_DEBUG=1 shows where it happened.",
        file=sys.stderr,
    )
    return Exit.BUG


def _silence(stream: TextIO) -> None:
    """Nobody reads any more: keep the interpreter from complaining when it closes the stream."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
