"""Options and arguments that several commands share."""

from __future__ import annotations

import re
from typing import Any

import click
from click.shell_completion import CompletionItem

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Duration(click.ParamType[float]):
    """Seconds, or a number with s, m or h: `90`, `1.5m`."""

    name = "seconds"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        if isinstance(value, (int, float)):
            return float(value)
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", str(value).strip())
        if match is None or match[2] not in _SECONDS:
            self.fail(f"`{value}` is no duration; write 60, 90s, 5m or 1h", param, ctx)
        return float(match[1]) * _SECONDS[match[2]]


class Size(click.ParamType[int]):
    """Bytes, or a number with K, M, G or T: `8G`."""

    name = "bytes"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(value).strip(), re.I)
        if match is None:
            self.fail(f"`{value}` is no amount of memory; write 500M or 8G", param, ctx)
        return int(float(match[1]) * _BYTES[match[2].upper()])


class Setting(click.ParamType[tuple[str, int]]):
    """One parameter: `n=5`."""

    name = "name=number"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"([^\W\d]\w*)=(-?\d{1,18})", str(value).strip())
        if match is None:
            self.fail(f"`{value}` sets nothing; write n=5", param, ctx)
        return match[1], int(match[2])


class PuzzleName(click.ParamType[str]):
    """A file, or the name of a puzzle that comes with the package."""

    name = "puzzle"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.resources import puzzles

        names = [name for _, name, _ in puzzles() if name.startswith(incomplete)]
        return [*(CompletionItem(name) for name in names), CompletionItem(incomplete, type="file")]


class EngineName(click.ParamType[str]):
    """The name of an engine."""

    name = "engine"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.engines import ENGINES

        return [
            CompletionItem(name, help=engine.text)
            for name, engine in ENGINES.items()
            if name.startswith(incomplete)
        ]


class MetricName(click.ParamType[str]):
    """The name of a metric of the puzzle on the command line."""

    name = "metric"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.errors import FewestError
        from fewest.language.compile import load_puzzle

        try:
            puzzle = load_puzzle(str(ctx.params.get("puzzle") or ""))
        except FewestError:
            return []
        return [CompletionItem(name) for name in puzzle.metrics if name.startswith(incomplete)]


puzzle_argument = click.argument("puzzle", type=PuzzleName())
set_option = click.option(
    "--set", "settings", type=Setting(), multiple=True, metavar="NAME=NUMBER",
    help="Set a parameter of the puzzle; may be repeated.",
)  # fmt: skip
metric_option = click.option(
    "--metric", "-m", type=MetricName(), metavar="METRIC",
    help="What counts as one move; the puzzle says which metrics it has.",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_json(data: Any) -> None:
    """Data as JSON on stdout, plain numbers, readable text."""
    import json

    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def default_memory() -> int:
    """Four fifths of the machine's memory: a limit is an answer, being killed is not."""
    import os

    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 0.8)
    except (ValueError, OSError, AttributeError):
        return 8 << 30
