"""Comparisons of engines as text and as diagrams."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fewest.commands.compare.entry import Comparison, Entry, ProfileRow, errors_of
from fewest.drawing.table import GAP, column_widths, table
from fewest.model.answer import counted, format_cost, limit_words
from fewest.model.notebook_repr import shows

if TYPE_CHECKING:
    from fewest.drawing.plot import Panel

_HEADER = (
    "engine",
    "minimum",
    "status",
    "seconds",
    "cpu",
    "memory",
    "states",
    "variables",
    "clauses",
)
_LAST_HORIZON = "at the last horizon"


def heading(comparison: Comparison) -> str:
    """The heading of a comparison, such as `Bird's jam: slides`, including any parameters."""
    given = ", ".join(f"{name}={value}" for name, value in comparison.parameters.items())
    return f"{comparison.title}{f' ({given})' if given else ''}: {comparison.metric}"


def engine_table(comparison: Comparison) -> list[str]:
    """The lines of a table with one row for each run and, below it, proofs that are not in the table, the verdicts on
    certificates, and the reasons why engines refused the instance or failed.
    """
    rows = [_row(comparison, entry) for entry in comparison.entries]
    lines = table(_HEADER, rows, left=(0, 2))
    if any(entry.variables is not None for entry in comparison.entries):
        # Variables and clauses are the last columns; the line above these columns names the horizon that they describe.
        width = sum(column_widths(_HEADER, rows)[7:]) + GAP
        right = max(len(line) for line in lines)
        lines.insert(
            0, " " * (right - max(width, len(_LAST_HORIZON))) + _LAST_HORIZON.center(width)
        )
    lines += [f"  {each}" for each in _arguments(comparison)]
    for entry in comparison.entries:
        if entry.certified is not None:
            lines.append(f"  proved by {entry.engine}: {entry.certified}")
    for error in errors_of(entry for entry in comparison.entries if entry.status != "invalid"):
        for number, line in enumerate(error.splitlines()):
            first = "    " if number else "  "
            if line.startswith(" "):  # such a line belongs to a drawing
                lines.append(first + line)
            else:
                lines += textwrap.wrap(line, 78, initial_indent=first, subsequent_indent="    ")
    return [line.rstrip() for line in lines]


def html(comparison: Comparison) -> str:
    """The comparison for notebooks: the table, the errors, and a bar chart of the times."""
    from fewest.drawing import notebook
    from fewest.drawing.pictures.puzzle_style import escaped

    rows = [_row(comparison, entry) for entry in comparison.entries]
    parts = [f"<b>{escaped(heading(comparison))}</b>", notebook.table(_HEADER, rows, left=(0, 2))]
    below = [*_arguments(comparison), *errors_of(comparison.entries)]
    parts += [f"<p>{escaped(text)}</p>" for text in below]
    times = [(e.engine, e.seconds, f"{e.seconds:,.3f} s") for e in comparison.entries if e.seconds]
    return "".join([*parts, notebook.bars(times)])


def _arguments(comparison: Comparison) -> list[str]:
    """The proofs that are not in the table, each with the name of its engine."""
    return [f"{entry.engine}: {entry.argument}" for entry in comparison.entries if entry.argument]


def _row(comparison: Comparison, entry: Entry) -> list[str]:
    numbers = (entry.states, entry.variables, entry.clauses)
    return [
        entry.engine if entry.repeat == 1 else f"{entry.engine} ({entry.repeat})",
        minimum_of(entry),
        _status(comparison, entry),
        "" if entry.seconds is None else f"{entry.seconds:,.3f}",
        "" if entry.cpu.engine is None else f"{entry.cpu.engine:,.3f}",
        "" if entry.memory is None else format_bytes(entry.memory),
        *("" if number is None else f"{number:,}" for number in numbers),
    ]


def minimum_of(entry: Entry) -> str:
    """What a run shows about the minimum: the minimum, or the bounds that are known."""
    if entry.status == "unsolvable":
        return "no plan"
    if entry.status == "optimal" and entry.cost is not None:
        return format_cost(entry.cost)
    if entry.cost is not None:
        least = entry.lower_bound
        if entry.status == "limit" and least is not None and least not in (0, (0, 0)):
            return f"{format_cost(least)} to {format_cost(entry.cost)}"
        return f"≤ {format_cost(entry.cost)}"
    return "" if entry.lower_bound is None else f"≥ {format_cost(entry.lower_bound)}"


def _status(comparison: Comparison, entry: Entry) -> str:
    if entry.is_proven:
        return "proven"  # the certificate has its own line below the table
    status: str = "found" if entry.status == "solved" else entry.status
    if entry.status == "limit":
        status = limit_words(entry.reason)
    above = comparison.above_minimum(entry)
    return status if above is None else f"{status}, {_above(above)}"


def _above(above: int | tuple[int, ...]) -> str:
    parts = (above,) if isinstance(above, int) else above
    return " ".join(f"{part:+,}" for part in parts) if any(parts) else "minimal"


def profile_table(comparison: Comparison) -> list[str]:
    """A table with a row for each horizon of each planner and each layer of each search, ordered by cost."""
    found = sorted((row for entry in comparison.entries for row in entry.profile()), key=_cost_of)
    has_cubes = any(row.cubes is not None for row in found)
    header = (
        comparison.metric,
        "engine",
        "verdict",
        "states",
        "variables",
        "clauses",
        "conflicts",
        *(("cubes",) if has_cubes else ()),
        "seconds",
    )
    rows: list[list[str]] = []
    last = None
    for row in found:
        label = f"layer {row.horizon}" if row.cost is None else format_cost(row.cost)
        numbers = [row.states, row.variables, row.clauses, row.conflicts]
        numbers += [row.cubes] if has_cubes else []
        rows.append(
            [
                "" if label == last else label,
                row.engine,
                row.verdict or "",
                *("" if number is None else f"{number:,}" for number in numbers),
                "" if row.seconds is None else f"{row.seconds:,.3f}",
            ]
        )
        last = label
    return table(header, rows, left=(1, 2)) if rows else []


def _cost_of(row: ProfileRow) -> tuple[int, ...]:
    if row.cost is None:
        return (row.horizon or 0,)
    return (row.cost,) if isinstance(row.cost, int) else tuple(row.cost)


def disagreement_text(comparison: Comparison) -> list[str]:
    """The lines that describe each contradiction, followed by the plans of the entries in question (if they have
    plans); empty if there is no contradiction.
    """
    lines: list[str] = []
    shown: list[Entry] = []
    for disagreement in comparison.disagreements:
        lines.append(f"DISAGREEMENT: {disagreement.text(comparison.metric)}")
        shown += [entry for entry in (disagreement.claim, disagreement.plan) if entry not in shown]
    for entry in shown:
        if entry.plan is None or entry.cost is None:
            lines += ["", f"{entry.engine} gives no plan"]
        else:
            cost = counted(entry.cost, comparison.metric)
            lines += ["", f"the plan of {entry.engine}, {cost}:", *entry.plan.splitlines()]
    return lines


def panels(comparisons: Sequence[Comparison]) -> list[Panel]:
    """A diagram for each comparison in which a planner has horizons or a search has measured seconds: it shows the
    seconds of each horizon by cost (for a pair, by its first part).

    A search has no horizons, so a horizontal line shows the seconds of the whole search.
    """
    from fewest.drawing.plot import Panel

    found: list[Panel] = []
    for comparison in comparisons:
        lines = {
            entry.engine: [
                (float(_cost_of(row)[0]), row.seconds)
                for row in entry.profile()
                if row.seconds is not None
            ]
            for entry in comparison.entries
            if entry.horizons
        }
        levels = {
            f"{entry.engine} (whole search)": entry.seconds
            for entry in comparison.entries
            if entry.states is not None and entry.seconds is not None
        }
        if lines or levels:
            given = ", ".join(f"{name}={value}" for name, value in comparison.parameters.items())
            title = f"{comparison.puzzle}{f' ({given})' if given else ''}"
            found.append(Panel(title, comparison.metric, "seconds", lines, levels))
    return found


def format_bytes(number: int) -> str:
    """A number of bytes as text, such as `38 MiB` or `1.4 GiB`."""
    return f"{number / 2**20:,.0f} MiB" if number < 2**30 else f"{number / 2**30:,.1f} GiB"


shows(Comparison, html=html)
