"""Options and arguments that several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fewest.cli.parameter_type import ParamType
from fewest.engines.registry import CHOICES, MAX_SEED, word_of
from fewest.errors import UsageError, conflict
from fewest.machine.memory import ProcessLimit, memory_to_use

if TYPE_CHECKING:
    from pathlib import Path

    from click.shell_completion import CompletionItem

    from fewest.model.puzzle import Puzzle

_Command = TypeVar("_Command", bound=Callable[..., Any])

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def completed(word: str, **more: Any) -> CompletionItem:
    """A completion item, as the shell receives it."""
    from click.shell_completion import CompletionItem

    return CompletionItem(word, **more)


class Duration(ParamType[float]):
    """A duration, such as `90` or `1.5m`: a number of seconds, or a number with s, m, min or h."""

    name = "time"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        if isinstance(value, (int, float)):
            return float(value)
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", str(value).strip())
        if match is None or match[2] not in _SECONDS:
            self.fail(
                f"`{value}` is not a duration; write, for example, 60, 90s, 5m or 1h", param, ctx
            )
        return float(match[1]) * _SECONDS[match[2]]


class Size(ParamType[int]):
    """A size, such as `8G`: a number of bytes, or a number with K, M, G or T (powers of 1024)."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(value).strip(), re.I)
        if match is None:
            self.fail(
                f"`{value}` is not an amount of memory; write, for example, 500M or 8G", param, ctx
            )
        amount = float(match[1]) * _BYTES[match[2].upper()]
        if amount >= 2**62:
            self.fail(
                f"`{value}` is too large for a memory limit; write, for example, 500M or 8G",
                param,
                ctx,
            )
        size = int(amount)
        if size == 0:
            self.fail("the memory limit must be positive", param, ctx)
        return size


class Setting(ParamType[tuple[str, int]]):
    """One parameter with its value, such as `n=5`."""

    name = "name=number"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"([^\W\d]\w*)=(-?\d{1,18})", str(value).strip())
        if match is None:
            self.fail(
                f"`{value}` does not have the form NAME=NUMBER; write, for example, n=5", param, ctx
            )
        return match[1], int(match[2])

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        puzzle = _puzzle_argument(ctx)
        known = {} if puzzle is None else puzzle.parameters
        return [
            completed(f"{name}=", help=f"{value} by default")
            for name, value in known.items()
            if f"{name}=".startswith(incomplete)
        ]


class Values(ParamType[tuple[str, tuple[int, ...]]]):
    """A parameter with its values, such as `n=0..10`, `n=0..20..2`, `n=1,2,5` or `n=0..3,10`."""

    name = "name=values"
    most = 100_000

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, tuple[int, ...]]:
        if isinstance(value, tuple):
            return value
        name, found, text = str(value).strip().partition("=")
        if not found or not re.fullmatch(r"[^\W\d]\w*", name):
            self.fail(
                f"`{value}` does not have the form NAME=VALUES; write, for example, n=0..10",
                param,
                ctx,
            )
        numbers: dict[int, None] = {}
        for part in text.split(","):
            match = re.fullmatch(
                r"\s*(-?\d{1,18})(?:\s*\.\.\s*(-?\d{1,18})(?:\s*\.\.\s*(\d{1,18}))?)?\s*", part
            )
            if match is None:
                self.fail(
                    f"`{part}` is neither a number nor a range; write, for example, n=0..10, n=0..20..2 or n=1,2,5",
                    param,
                    ctx,
                )
            low, high = int(match[1]), int(match[2] or match[1])
            step = int(match[3] or 1)
            if high < low:
                self.fail(f"the range {part.strip()} is empty; write {high}..{low}", param, ctx)
            if step == 0:
                self.fail(f"the step of the range {part.strip()} must not be 0", param, ctx)
            if (high - low) // step >= self.most:
                self.fail(
                    f"the range {part.strip()} has more than {self.most:,} values", param, ctx
                )
            numbers.update(dict.fromkeys(range(low, high + 1, step)))
        return name, tuple(numbers)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        puzzle = _puzzle_argument(ctx)
        known = {} if puzzle is None else puzzle.parameters
        return [
            completed(f"{name}=", help=f"{value} by default")
            for name, value in known.items()
            if f"{name}=".startswith(incomplete)
        ]


class FileName(click.Path):
    """The name of a file. An empty name is an error; it would otherwise mean the current folder."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        from pathlib import Path  # imported here, because only a few calls need it

        if value == "":
            self.fail("the file name is empty", param, ctx)
        return Path(os.fsdecode(super().convert(value, param, ctx)))


class CheckpointName(FileName):
    """A folder, or the URL of an object store. The value of a URL is a `str`, because a `Path` would change its
    slashes.
    """

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        from fewest.store.urls import is_url

        return str(value) if is_url(str(value)) else super().convert(value, param, ctx)


class PuzzleName(ParamType[str]):
    """A file, or the name of a puzzle that comes with the package."""

    name = "puzzle"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if not str(value).strip():
            self.fail(
                "the name of the puzzle is empty; `fewest list` shows the puzzles", param, ctx
            )
        return str(value)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.machine.resources import puzzles

        names = [name for _, name, _ in puzzles() if name.startswith(incomplete)]
        return [*(completed(name) for name in names), completed(incomplete, type="file")]


class StoreName(ParamType[str]):
    """The store, given by a keyword; a colon and a folder may follow the keyword `disk`."""

    name = "store"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        word = word_of(value)
        if word not in CHOICES["store"] or str(value) == "disk:":
            known = ", ".join(CHOICES["store"])
            self.fail(f"`{value}` is not a store; write {known} or disk:DIR", param, ctx)
        return str(value)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        return [completed(word) for word in CHOICES["store"] if word.startswith(incomplete)]


class EngineName(ParamType[str]):
    """The name of an engine."""

    name = "engine"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.commands.available import engines

        return [
            completed(name, help=text)
            for name, text in engines().items()
            if name.startswith(incomplete)
        ]


class EngineNames(ParamType[tuple[str, ...]]):
    """A comma-separated list of engines, each with an optional encoding and solver."""

    name = "engines"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in str(value).split(","))
        if not all(names):
            self.fail(
                f"`{value}` contains an empty name; write, for example, bfs,sat,asp", param, ctx
            )
        return names

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.commands.available import encodings, engines

        before, comma, last = incomplete.rpartition(",")
        names = [*engines(), "certificate", *(f"sat:{name}" for name in encodings())]
        return [completed(before + comma + name) for name in names if name.startswith(last)]


def _puzzle_argument(ctx: Any) -> Puzzle | None:
    """The puzzle on the command line that is being completed; None if the line contains no name of a readable
    puzzle.
    """
    from fewest.commands.load import load_puzzle
    from fewest.errors import FewestError
    from fewest.machine.input import is_stream

    # while the puzzle has no value yet because an option precedes it, the puzzle is in `ctx.args`
    several = ctx.params.get("puzzles") or ctx.args or ("",)
    ref = str(ctx.params.get("puzzle") or several[0])
    # a stream can be read only once, and the command itself must read it
    if not ref or is_stream(ref):
        return None
    try:
        return load_puzzle(ref)
    except FewestError:
        return None


class MetricName(ParamType[str]):
    """The name of a metric of the puzzle on the command line."""

    name = "metric"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        puzzle = _puzzle_argument(ctx)
        names = () if puzzle is None else puzzle.metrics
        return [completed(name) for name in names if name.startswith(incomplete)]


class EncodingName(ParamType[str]):
    """The name of an encoding profile, or the name of a file that contains a profile."""

    name = "encoding"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.commands.available import encodings

        names = [name for name in encodings() if name.startswith(incomplete)]
        return [*(completed(name) for name in names), completed(incomplete, type="file")]


class SolverName(ParamType[str]):
    """The name of a SAT solver."""

    name = "solver"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.commands.available import solvers

        return [completed(name) for name in solvers() if name.startswith(incomplete)]


puzzle_argument = click.argument("puzzle", type=PuzzleName())
set_option = click.option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    metavar="NAME=NUMBER",
    help="Set a parameter of the puzzle; may be repeated.",
)
metric_option = click.option(
    "--metric",
    "-m",
    type=MetricName(),
    metavar="METRIC",
    help="The metric: what counts as one move (see `fewest show`).",
)
board_option = click.option(
    "--at",
    "board",
    metavar="BOARD",
    help="The position: rows separated by /, or a file. [default: the start]",
)
time_option = click.option(
    "--time", "seconds", type=Duration(), help="The time limit, for example 60 (seconds), 5m or 1h."
)
memory_option = click.option(
    "--memory",
    type=Size(),
    help="The memory limit, as in 8G. [default: 4/5 of the free memory]",
)


def symmetry_option(text: str) -> Callable[[_Command], _Command]:
    """The option `--symmetry` with a help text, which depends on the command."""
    return click.option(
        "--symmetry", type=click.Choice(CHOICES["symmetry"]), metavar="MODE", help=text
    )


def threads_option(text: str) -> Callable[[_Command], _Command]:
    """The option `--threads` with a help text, which depends on the command."""
    return click.option(
        "--threads",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"{text} [default: 1 per processor, up to 8]",
    )


def _set_audit(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Set the environment variable FEWEST_AUDIT, so that helper processes use the same setting. Raises UsageError for
    an invalid value.
    """
    if value is not None:
        from fewest.commands.audit.budget import VARIABLE, audit_option

        os.environ[VARIABLE] = str(audit_option(value))


audit_option = click.option(
    "--audit",
    metavar="auto|all|N|off",
    callback=_set_audit,
    expose_value=False,
    help="Compare the task with the rules at N positions. [default: auto]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the output as JSON.")

store_option = click.option(
    "--store",
    type=StoreName(),
    metavar="STORE",
    help="The store: auto, hash, index, disk or disk:DIR. [default: auto]",
)


def memory_limit(memory: int | None) -> int:
    """The limit that `--memory` sets for this process as a whole; the default is 4/5 of the free memory."""
    return memory_to_use() if memory is None else ProcessLimit(memory)


checkpoint_option = click.option(
    "--checkpoint",
    type=CheckpointName(),
    metavar="DIR",
    help="Save progress in DIR; `fewest resume DIR` continues the search.",
)

depth_option = click.option(
    "--depth",
    type=click.IntRange(min=0),
    metavar="N",
    help="With --store disk or index: stop N moves from the start.",
)


def checkpoint_in(
    store: str | None, checkpoint: Path | str | None, *, is_stored: bool
) -> tuple[str | None, str | None]:
    """The store, and the folder of the checkpoint. On a cluster (`is_stored`), the checkpoint is a store on disk
    instead.

    Raises UsageError if a store is given in addition to a checkpoint, unless the store is an index: a checkpoint can
    contain the marks of an index.
    """
    if checkpoint is None or store == "index":
        return store, None if checkpoint is None else str(checkpoint)
    if store is not None:
        raise conflict(
            "--checkpoint", "--store", hint="--checkpoint determines the store; leave out --store"
        )
    return (f"disk:{checkpoint}", None) if is_stored else (None, str(checkpoint))


_HORIZON_OPTIONS = {
    "first": click.option(
        "--from",
        "first",
        type=int,
        metavar="H",
        help="sat, asp: the first horizon. [default: 0]",
    ),
    "last": click.option("--to", "last", type=int, metavar="H", help="sat, asp: the last horizon."),
    "stride": click.option(
        "--stride",
        type=int,
        metavar="N",
        help="sat, asp: the difference between two successive horizons. [default: 1]",
    ),
    "at_most": click.option(
        "--at-most",
        type=int,
        metavar="K",
        help="sat, asp: decide only whether a plan costs at most K.",
    ),
    "encoding": click.option(
        "--encoding",
        type=EncodingName(),
        metavar="PROFILE",
        help="sat: the name or the file of the encoding profile.",
    ),
    "solver": click.option(
        "--solver",
        type=SolverName(),
        metavar="SOLVER",
        help="sat: a solver from python-sat, or kissat or cadical on the PATH.",
    ),
    "configuration": click.option(
        "--configuration",
        type=click.Choice(CHOICES["configuration"]),
        metavar="NAME",
        help="asp: the configuration of clingo. [default: tweety]",
    ),
    "seed": click.option(
        "--seed",
        type=click.IntRange(0, MAX_SEED),
        metavar="N",
        help="sat, asp: the random seed, if the solver has one.",
    ),
}


_ASTAR_OPTIONS = {
    "algorithm": click.option(
        "--algorithm",
        type=click.Choice(CHOICES["algorithm"]),
        help="astar: the algorithm; ida (IDA*) needs little memory. [default: astar]",
    ),
    "ends": click.option(
        "--ends",
        type=click.Choice(CHOICES["ends"]),
        help="astar: search from the start only, or from both ends. [default: one]",
    ),
    "heuristic": click.option(
        "--heuristic",
        type=click.Choice(CHOICES["heuristic"]),
        metavar="NAME",
        help="astar: the heuristic: pieces or abstraction. [default: pieces]",
    ),
    "weight": click.option(
        "--weight",
        type=float,
        metavar="W",
        help="astar: accept a plan that costs up to W times the minimum. [default: 1]",
    ),
}


def astar_options(command: Any) -> Any:
    """The options of A*."""
    for option in reversed(_ASTAR_OPTIONS.values()):
        command = option(command)
    return command


def horizon_options(command: Any) -> Any:
    """The options for engines that plan up to a horizon."""
    for option in reversed(_HORIZON_OPTIONS.values()):
        command = option(command)
    return command


def board_text(given: str | None) -> tuple[str, str | None]:
    """The name and the text of the position that `--at` gives. The value of the option names a stream or an existing
    file, or is itself the text; the name of such a text is `--at`.

    If the option is not given, the text is None. Raises UsageError if the value is empty, and the errors of
    `read_text`.
    """
    from os.path import isfile

    from fewest.machine.input import is_stream
    from fewest.reading.text import read_text

    if given is not None and not given.strip():
        raise UsageError("the position is empty", hint="for the start, leave out --at")
    if given is not None and (is_stream(given) or isfile(given)):
        return given, read_text(given)
    return "--at", given
