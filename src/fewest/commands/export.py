"""Exports a puzzle in the formats of other programs: the task that the engines solve, with readable names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import UsageError, did_you_mean, listed, no_goal
from fewest.machine.files import write_whole
from fewest.model.answer import counted
from fewest.model.metric import metric_of
from fewest.planning.bounds import Bounds
from fewest.planning.names import PlanningNames
from fewest.planning.task import planning_task, weighted_task
from fewest.sanitize import shown

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle
    from fewest.formats.planners.strips import Strips
    from fewest.model.metric import Metric
    from fewest.planning.task import PlanningTask


class ExportFormat(NamedTuple):
    """The description of a format: its purpose and, if an export consists of several files, their names (`files`)."""

    text: str
    files: tuple[str, ...] = ()


FORMATS: Mapping[str, ExportFormat] = {
    "asp": ExportFormat(
        "one program for clingo, which tries longer and longer horizons until it finds the minimum"
    ),
    "asp-facts": ExportFormat("the facts alone, for the generic programs in encodings/asp"),
    "dimacs": ExportFormat("the CNF of one horizon, for SAT solvers"),
    "pddl": ExportFormat(
        "planning domain and problem with action costs", ("domain.pddl", "problem.pddl")
    ),
    "sas": ExportFormat("Fast Downward's finite-domain input, version 3"),
}


class Export(Struct, frozen=True):
    """The exported files, keyed by name (a single file has an empty name), and the sizes of the task.

    The cost of a plan in the puzzle is `unit` times its cost in the other program.
    """

    puzzle: str
    format: str
    metric: str
    files: Mapping[str, bytes]
    unit: int
    sizes: Mapping[str, int]

    def to_json(self, paths: Sequence[Path] | None = None) -> dict[str, Any]:
        """Plain data, as `--json` prints it; `paths` are the files, if they were written."""
        files = [{"name": name, "text": data.decode()} for name, data in self.files.items()]
        if paths is not None:
            files = [{"path": str(path)} for path in paths]
        return {
            "puzzle": self.puzzle,
            "metric": self.metric,
            "format": self.format,
            "unit": self.unit,
            "sizes": dict(self.sizes),
            "files": files,
        }

    def text(self) -> str:
        """The text of the only file. Raises UsageError if there are several files."""
        if len(self.files) > 1:
            raise UsageError(
                f"this format consists of {len(self.files)} files: {', '.join(self.files)}",
                hint="name a folder for the files: -o FOLDER",
            )
        return next(iter(self.files.values())).decode()


def write_files(exported: Export, path: Path) -> list[Path]:
    """Write the files to `path`, and return their paths. If there are several files, `path` is a folder, created if
    necessary.

    Existing files are replaced, each of them atomically. Raises OSError.
    """
    if len(exported.files) > 1:
        path.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for called, data in exported.files.items():
        target = path / called if called else path
        write_whole(target, [data])
        written.append(target)
    return written


def export(
    compiled: CompiledPuzzle,
    to: str,
    metric: str | None = None,
    *,
    horizon: int | None = None,
    encoding: str | None = None,
) -> Export:
    """The puzzle in the format `to`, in a single-part metric.

    `horizon` (moves) and `encoding` (a profile of `encodings/sat`) are for dimacs only; dimacs needs a horizon. Raises
    UsageError for unknown names, a missing horizon, a puzzle without a goal, a metric with two parts, and tasks that
    the format cannot express.
    """
    if to not in FORMATS:
        hint = did_you_mean(to, FORMATS, listed("format", FORMATS, len(FORMATS)))
        raise UsageError(f"there is no format `{to}`", hint=hint)
    if to != "dimacs" and (horizon, encoding) != (None, None):
        raise UsageError("--horizon and --encoding can be used only with --to dimacs")
    chosen = metric_of(compiled.grounded, metric)
    if compiled.puzzle.goal is None:
        raise no_goal(compiled.puzzle.name)
    if len(chosen.parts) > 1:
        parts = " or ".join(f"`{part.name}`" for part in chosen.parts)
        raise UsageError(
            f"an exported task has one cost, but the metric `{chosen.name}` is lexicographic",
            hint=f"export one part of the metric: {parts}",
        )
    if to in ("asp", "asp-facts"):
        return _asp(compiled, chosen, to)
    if to == "dimacs":
        return _dimacs(compiled, chosen, horizon, encoding)
    compiled = compiled.in_flips
    compiled.grounded.require_whole_moves("a task for planners")
    return _costs(compiled, chosen, to)


def _asp(compiled: CompiledPuzzle, metric: Metric, to: str) -> Export:
    from fewest.planning.asp import instance, program, program_names
    from fewest.planning.sat.round_bound import bounded

    planning = bounded(planning_task(compiled.grounded, metric), "an exported program")
    names = PlanningNames(compiled.puzzle, planning)
    if to == "asp":
        how = [
            "Run:  clingo FILE",
            "It searches for plans of at most 0, 1, 2 ... moves, and stops at the first answer.",
            "It ignores -c horizon=N; for a single horizon, export with --to asp-facts.",
        ]
    else:
        programs = " ".join(f"{name}.lp" for name in program_names(planning))
        how = [
            "The programs are in encodings/asp. For plans of at most N moves:",
            f"  clingo {programs} run/horizon.lp run/show.lp FILE -c horizon=N",
            "For the minimum:",
            f"  clingo {programs} run/incremental.lp run/show.lp FILE",
        ]
    comments = [*_head(compiled, metric, names), *how, _unit(planning)]
    writer = program if to == "asp" else instance
    files = {"": _text(writer(Bounds(planning), names, comments))}
    sizes = {"facts": len(planning.facts), "moves": len(planning.moves) + len(planning.free)}
    return Export(compiled.puzzle.name, to, metric.name, files, planning.unit, sizes)


def _dimacs(
    compiled: CompiledPuzzle, metric: Metric, horizon: int | None, encoding: str | None
) -> Export:
    from fewest.planning.sat.clauses import num_clauses
    from fewest.planning.sat.dimacs import symbols, write_dimacs
    from fewest.planning.sat.encoding import Encoding
    from fewest.planning.sat.profile import DEFAULT_PROFILE, load_profile
    from fewest.planning.sat.round_bound import bounded

    if horizon is None or horizon < 0:
        raise UsageError(
            "a CNF needs a horizon", hint="give a horizon, for example --to dimacs --horizon 20"
        )
    profile = encoding or DEFAULT_PROFILE
    planning = bounded(planning_task(compiled.grounded, metric), "an exported formula")
    names = PlanningNames(compiled.puzzle, planning)
    bounds = Bounds(replace(planning, facts=tuple(names.facts)))
    layers = Encoding(bounds, load_profile(profile))
    clauses = layers.formula_for(horizon)
    how_many = "exactly" if layers.is_exact else "at most"
    comments = [
        *_head(compiled, metric, names),
        f"Satisfiable if and only if there is a plan of {how_many} {counted(horizon, 'moves')}.",
        f"{_unit(planning)} Encoding: {profile}.",
        *symbols(layers, horizon),
    ]
    file = BytesIO()
    write_dimacs(file, clauses, comments)
    sizes = {"variables": layers.num_variables * (horizon + 1), "clauses": num_clauses(clauses)}
    return Export(
        compiled.puzzle.name, "dimacs", metric.name, {"": file.getvalue()}, planning.unit, sizes
    )


def _costs(compiled: CompiledPuzzle, metric: Metric, to: str) -> Export:
    from fewest.formats.planners.pddl import domain, problem
    from fewest.formats.planners.sas import sas
    from fewest.formats.planners.strips import strips

    planning = weighted_task(compiled.grounded, metric)
    names = PlanningNames(compiled.puzzle, planning)
    task = strips(planning)
    sizes = {"atoms": len(task.atoms), "actions": len(task.actions)}
    writers: dict[str, Callable[[Strips, PlanningNames], Iterator[str]]] = {"": sas}
    if to == "pddl":
        unit = f"The cost of a plan is its {shown(metric.name)}."
        comments = [*_head(compiled, metric, names), unit]
        writers = {
            "domain.pddl": lambda strips, names: domain(strips, names, comments),
            "problem.pddl": problem,
        }
    files = {called: _text(lines(task, names)) for called, lines in writers.items()}
    return Export(compiled.puzzle.name, to, metric.name, files, 1, sizes)


def _head(compiled: CompiledPuzzle, metric: Metric, names: PlanningNames) -> list[str]:
    from fewest.version import __version__

    puzzle = compiled.puzzle
    settings = "".join(f", {key}={value}" for key, value in puzzle.parameters.items())
    board = str(compiled).splitlines()[1:]
    lines = [
        f"{puzzle.title} ({puzzle.name}{settings}) in {metric.name}, by fewest {__version__}",
        *board,
        "A cell is row-column, beginning with 0-0 at the top left. Names of pieces and variables:",
        *(f"  {line}" for line in names.legend()),
    ]
    return [shown(line) for line in lines]


def _unit(planning: PlanningTask) -> str:
    times = "" if planning.unit == 1 else f"{planning.unit} * "
    return f"A plan of h moves costs {times}h {shown(planning.metric.name)}."


def _text(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()
