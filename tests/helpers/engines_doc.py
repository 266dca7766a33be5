"""Writes the table of docs/engines.md from the registry: `python -m tests.helpers.engines_doc`."""

from __future__ import annotations

import re

from fewest.cli.solve import command
from fewest.engines.registry import ENGINES, Engine
from tests.helpers.cells import ROOT

ENGINES_PAGE = ROOT / "docs" / "engines.md"
TABLE = re.compile(r"(?<=<!-- table: from the registry -->\n\n)(\|.*\n)+")

_METRICS = {
    "all": "all",
    "lines": "without merged moves, or merged along lines",
    "one number": "all but pairs",
    "one weight": "equal cost of all moves",
}
_FLAGS = {parameter.name: parameter.opts[0] for parameter in command.params}


def table() -> str:
    """The engines and the capabilities of each one, as Markdown."""
    lines = [
        "| engine | minimum | no plan | metrics | goals | consequences | core | options |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    return "".join(f"{line}\n" for line in [*lines, *map(_row, ENGINES, ENGINES.values())])


def _row(name: str, engine: Engine) -> str:
    options = [f"`{_FLAGS.get(option, f'{option}=')}`" for option in engine.options]
    cells = (
        f"[`{name}`](#{name})",
        "proven" if engine.is_optimal else "a plan only",
        "proven" if engine.is_exhaustive else "",
        _METRICS[engine.metrics],
        "pieces on lines"
        if engine.needs_lines
        else "all"
        if engine.has_all_goals
        else "few positions",
        "any" if engine.supports_intermediate else "as part of moves",
        "native" if engine.needs_native else "any",
        " ".join(options),
    )
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def page() -> str:
    """The text of docs/engines.md, with the current table."""
    return TABLE.sub(lambda _: table(), ENGINES_PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    ENGINES_PAGE.write_text(page(), encoding="utf-8")
