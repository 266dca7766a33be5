"""Searches all positions with two bits per position: backward from all goal positions, layer by layer.

Two bits per position may fit into memory even if the layers of a search in arrays do not. A decision diagram
(`space.index`) numbers the positions, so the search does not need to store them. This search counts the positions by
their minimum and finds the farthest ones, but it does not divide them into boards.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from math import prod
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fewest import search
from fewest.analysis.regression import exclusions
from fewest.commands.generate.documents import NamedBoard
from fewest.commands.generate.drawing import drawing_of
from fewest.commands.generate.report import MOST_BEST
from fewest.commands.generate.saved_file import key_of
from fewest.commands.generate.text import counts_by_minimum
from fewest.commands.generate.universe import Universe, universe
from fewest.commands.limited import LimitedResult
from fewest.commands.texts import texts
from fewest.errors import UsageError, no_goal
from fewest.machine.files import write_whole
from fewest.machine.memory import left_of
from fewest.model.answer import Limits, counted
from fewest.model.costs import CostTable
from fewest.model.metric import metric_of
from fewest.model.position import Position
from fewest.model.problem import Problem, sets_in, words_of
from fewest.model.states import decode
from fewest.model.task import Group, facts_in
from fewest.space.index import StateIndex, index_of_all
from fewest.space.merged_operators import merged_operators
from fewest.store.error_translation import StoreError, is_full
from fewest.store.metadata import may_begin
from fewest.store.search import in_folder
from fewest.version import __version__

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.reading.board_spec import BoardSpec
    from fewest.search.interface import Progress
    from fewest.store.location import IndexLocation

_MOST_RUNS = 1000
_FEW = 3  # the maximum number of positions to draw
_NAME = "boards.json"
_MARKS = "marks"


class LayersOfMetric(Struct, frozen=True):
    """The number of positions for each minimum in a metric.

    If a limit ended the search, `is_complete` is false and only the positions in finished layers are counted; other
    positions may need more moves. `layers[cost]` is the number of positions with this minimum. `best` contains some of
    the positions with the largest minimum, those with the fewest pieces first.
    """

    metric: str
    layers: tuple[int, ...]
    best: tuple[Position, ...]
    is_complete: bool

    @property
    def minimum(self) -> int | None:
        """The largest minimum among the counted positions; None if no position is counted."""
        return len(self.layers) - 1 if self.layers else None


class IndexedGeneration(LimitedResult, Struct, frozen=True):
    """The results of a search that counts the positions of a spec by their minimum."""

    name: str
    title: str
    num_positions: int
    metrics: tuple[LayersOfMetric, ...]
    reason: str | None
    seconds: float
    cpu_seconds: float

    def to_json(self) -> dict[str, Any]:
        """The plain data that `--json` prints."""
        return {
            "spec": self.name,
            "title": self.title,
            "reason": self.reason,
            "positions": self.num_positions,
            "metrics": [
                {
                    "metric": one.metric,
                    "complete": one.is_complete,
                    "minimum": one.minimum,
                    "positions_by_minimum": [
                        [cost, count] for cost, count in enumerate(one.layers) if count
                    ],
                    "best": [drawing_of(position) for position in one.best],
                }
                for one in self.metrics
            ],
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }


def generate_in_index(
    spec: BoardSpec,
    metrics: str | Sequence[str] = (),
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    *,
    checkpoint: str | Path | None = None,
    threads: int | None = None,
    store: IndexLocation | None = None,
) -> IndexedGeneration:
    """Counts the positions of a spec by their minimum in each metric (by default, the metric of the spec).

    Each position needs a quarter of a byte. `checkpoint` is a folder; a second call with the same folder continues from
    the last saved layer. If `store` is given, it divides the positions among its workers; the memory limit then applies
    to all of them together, and the search that reaches a limit adds no positions to `best`. Raises DocumentError,
    OSError, UsageError if the search does not support the spec or the metric or if memory is short, and StoreError if
    the folder contains anything else.
    """
    limits, began, cpu_began = limits or Limits(), time.perf_counter(), time.process_time()
    made = universe(spec)
    task = made.task
    if not task.has_goal:
        raise no_goal(task.name)
    _check(spec, task)
    chosen_metrics = [metric_of(task, name) for name in texts(metrics) or [task.default_metric]]
    every = (index_of_all(one) for one in _with_numbers_of_pieces(made))
    indices = [index for index in every if index.size > 0]
    problems = [_inverse_moves(task, metric) for metric in chosen_metrics]
    _check_memory(indices, limits.memory if store is not None else left_of(limits.memory))
    with _saved(None if checkpoint is None else Path(checkpoint), spec, chosen_metrics) as saved:
        runs = _Runs(made, indices, limits, progress, saved, threads, store, began)
        found = [runs.of_metric(*both) for both in zip(chosen_metrics, problems, strict=True)]
    return IndexedGeneration(
        name=made.puzzle.name,
        title=made.puzzle.title,
        num_positions=sum(index.size for index in indices),
        metrics=tuple(found),
        reason=runs.reason,
        seconds=time.perf_counter() - began,
        cpu_seconds=time.process_time() - cpu_began,
    )


def _check(spec: BoardSpec, task: Task) -> None:
    """Raises UsageError if the native core is missing, or if the spec has `stuck_lines: false`, `forbid` or rules under
    `then` (a position in which such a rule applies is forbidden).
    """
    hint = "leave out --store index"
    if not search.NATIVE:
        raise UsageError("an index needs the native core, which is not installed", hint=hint)
    if not spec.has_stuck_lines:
        raise UsageError(
            "an index contains all positions, but `stuck_lines: false` omits some",
            hint=f"remove `stuck_lines`, or {hint}",
        )
    if task.forbid:
        raise UsageError("an index does not support `forbid` and rules under `then`", hint=hint)


def _with_numbers_of_pieces(universe: Universe) -> list[Task]:
    """One task for each combination of the numbers of pieces that the spec limits; the groups in `exactly` of the task
    fix these numbers. Raises UsageError if there are too many combinations.
    """
    board = universe.puzzle.board
    assert board is not None
    facts: dict[int, list[int]] = {class_id: [] for class_id in universe.rules.least}
    cells: dict[int, int] = {}
    for placed in universe.facts:
        facts[placed.class_id].append(placed.fact)
        cells[placed.class_id] = placed.cells.bit_count()
    limited: dict[int, range] = {}
    for class_id, least in universe.rules.least.items():
        most = min(universe.rules.most[class_id], len(facts[class_id]))
        if least > 0 or most < min(len(facts[class_id]), board.num_cells // cells.get(class_id, 1)):
            limited[class_id] = range(least, most + 1)
    if prod(map(len, limited.values())) > _MOST_RUNS:
        raise UsageError(
            f"the combinations of numbers of pieces, each of which needs an index, exceed the limit of {_MOST_RUNS:,}",
            hint="remove `number`, or give a smaller range under `number`",
        )
    return [
        replace(
            universe.task,
            exactly=tuple(
                Group(tuple(facts[class_id]), number)
                for class_id, number in zip(limited, numbers, strict=True)
            ),
        )
        for numbers in product(*limited.values())
    ]


def _inverse_moves(task: Task, metric: Metric) -> Problem:
    """The reversed moves of a metric. Raises UsageError if not every move costs 1."""
    merged = merged_operators(task, [metric])
    costs = merged.in_metric[metric.name]
    if set(costs) - {1}:
        raise UsageError(
            f"an index needs a metric in which all moves cost the same, but `{metric.name}` is not such a metric",
            hint="leave out --store index",
        )
    excluded = exclusions(task)
    problem, words = merged.problem, task.words
    rows = (sets_in(buffer, words) for buffer in (problem.mask, problem.value, problem.flip))
    masks, values, flips = [], [], []
    for mask, value, flip in zip(*rows, strict=True):
        false = mask & ~value
        for fact in facts_in(value):  # the facts that this fact excludes are false
            false |= excluded[fact]
        if false & value:
            continue
        masks.append(mask | false)
        values.append(value ^ flip)
        flips.append(flip)
    return replace(
        problem,
        mask=words_of(masks, words),
        value=words_of(values, words),
        flip=words_of(flips, words),
        index_fact=array("i", [value.bit_length() - 1 for value in values]),
    )


def _check_memory(indices: Sequence[StateIndex], left: int | None) -> None:
    sizes = ((index.size, index.num_bytes) for index in indices)
    size, num_bytes = max(sizes, default=(0, 0))
    if left is not None and num_bytes > left:
        raise UsageError(
            f"{size:,} positions need {num_bytes:,} bytes, which exceeds the memory limit",
            hint="set a higher limit with --memory",
        )


class _Run(Struct, frozen=True, forbid_unknown_fields=True):
    """The result for one index: the numbers of positions by minimum, and some of the farthest positions."""

    layers: list[int]
    farthest: list[list[tuple[int, int]]]


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """The file of finished searches, as JSON, keyed by metric and index number."""

    key: str
    runs: dict[str, _Run]


class _Saved:
    """The folder of a search: the file of its finished runs, and the file or folder with the marks (two bits for each
    position) of the run in progress.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self._folder, self._key = folder, key
        self.runs: dict[str, _Run] = {}

    def read(self) -> None:
        """Read the finished runs, or create the file if it is missing. Raises StoreError if the file is damaged or
        belongs to another search, and OSError.
        """
        file = self._folder / _NAME
        try:
            known = msgspec.json.decode(file.read_bytes(), type=_File)
        except FileNotFoundError:
            self._write()
            return
        except msgspec.DecodeError as error:
            raise StoreError(f"{file} is damaged", hint="name another folder") from error
        if known.key != self._key:
            raise StoreError(
                f"{self._folder} belongs to another spec, other metrics or another version",
                hint="name another folder",
            )
        self.runs = known.runs

    def marks(self, name: str) -> Path:
        """The file that holds the marks of a run in a single process. Raises StoreError if the folder holds marks of a
        cluster.
        """
        if self._parts(name).exists():
            raise StoreError(
                f"the marks in {self._folder} belong to a search on a cluster",
                hint="continue with --cluster",
            )
        return self._folder / f"{_MARKS}-{name}"

    def parts(self, name: str) -> Path:
        """The folder that holds the marks of a run on a cluster; it is created if necessary. Raises StoreError if the
        folder holds marks of a single process.
        """
        if (self._folder / f"{_MARKS}-{name}").exists():
            raise StoreError(
                f"the marks in {self._folder} belong to a search in one process",
                hint="continue without --cluster",
            )
        self._parts(name).mkdir(exist_ok=True)
        return self._parts(name)

    def _parts(self, name: str) -> Path:
        return self._folder / f"parts-{name}"

    def finish(self, name: str, run: _Run) -> None:
        """Save a finished run, and remove its marks. Raises OSError."""
        self.runs[name] = run
        self._write()
        (self._folder / f"{_MARKS}-{name}").unlink(missing_ok=True)
        rmtree(self._parts(name), ignore_errors=True)

    def _write(self) -> None:
        write_whole(self._folder / _NAME, [msgspec.json.encode(_File(self._key, self.runs))])


@contextmanager
def _saved(
    folder: Path | None, spec: BoardSpec, metrics: Sequence[Metric]
) -> Iterator[_Saved | None]:
    """A context with the locked folder of a search, or with None if `folder` is None. Raises StoreError or OSError."""
    if folder is None:
        yield None
        return
    key = key_of(spec, [metric.name for metric in metrics])
    is_ours = (folder / _NAME).exists()
    if folder.exists() and not is_ours and not may_begin(folder, _NAME):
        raise StoreError(
            f"{folder} already exists and is not a checkpoint of an exhaustive search",
            hint="name another folder",
        )
    with in_folder(folder, lambda place: (place / _NAME).exists()):
        saved = _Saved(folder, key)
        saved.read()
        yield saved


class _Runs:
    """The searches of all indices in all metrics; after a limit, no further search begins."""

    def __init__(
        self,
        made: Universe,
        indices: Sequence[StateIndex],
        limits: Limits,
        progress: Callable[[Progress], None] | None,
        saved: _Saved | None,
        threads: int | None,
        store: IndexLocation | None,
        began: float,
    ) -> None:
        self._made, self._indices, self._limits = made, indices, limits
        self._progress, self._saved, self._threads, self._began = progress, saved, threads, began
        self._store = store
        self.reason: str | None = None

    def of_metric(self, metric: Metric, problem: Problem) -> LayersOfMetric:
        """The results for one metric."""
        layers: list[int] = []
        farthest: list[Position] = []
        for number, index in enumerate(self._indices):
            if self.reason is not None:
                break
            run = self._run(f"{metric.name}-{number}", index, problem)
            if len(run.layers) > len(layers):
                farthest = []
                layers += [0] * (len(run.layers) - len(layers))
            for distance, count in enumerate(run.layers):
                layers[distance] += count
            if len(run.layers) == len(layers):
                farthest += [
                    Position(self._made.puzzle, frozenset(spots), ()) for spots in run.farthest
                ]
        farthest.sort(key=lambda position: len(position.pieces))
        best = tuple(farthest[:MOST_BEST])
        return LayersOfMetric(metric.name, tuple(layers), best, self.reason is None)

    def _run(self, name: str, index: StateIndex, problem: Problem) -> _Run:
        """Search one index, or take its result from the folder."""
        saved = self._saved
        if saved is not None and name in saved.runs:
            return saved.runs[name]
        run, self.reason = self._search(index, problem, name)
        if saved is not None and self.reason is None:
            try:
                saved.finish(name, run)
            except OSError as error:
                if not is_full(error):
                    raise
                self.reason = "disk"
        return run

    def _search(self, index: StateIndex, problem: Problem, name: str) -> tuple[_Run, str | None]:
        from fewest.search import native_index

        task, count = index.task, len(problem.index_fact)
        chosen_metrics = replace(
            problem,
            initial=words_of([index.unrank(0)], task.words),
            exactly_one=tuple(group.facts for group in task.exactly if group.count == 1),
        )
        none = array("i", [-1] * count)
        costs = CostTable(array("q", [1] * count), none, none, (array("i"),))
        numberings = index.numbering(), index.numbering(index.levels)
        seconds = self._limits.seconds
        left = float("inf") if seconds is None else seconds - (time.perf_counter() - self._began)
        options: dict[str, Any] = {
            "threads": self._threads,
            "seconds": max(left, 0.0),
            "progress": self._shown(index),
        }
        saved = self._saved
        try:
            if self._store is not None:
                from fewest.store.index_parts import search_parts_from_goals

                options |= {"place": self._store, "memory": self._limits.memory}
                options["folder"] = None if saved is None else saved.parts(name)
                outcome, states, _ = search_parts_from_goals(
                    chosen_metrics, costs, *numberings, **options
                )
            else:
                options["memory"] = left_of(self._limits.memory)
                options["file"] = "" if saved is None else str(saved.marks(name))
                outcome, states = native_index.search_index_from_goals(
                    chosen_metrics, costs, *numberings, **options
                )
        except MemoryError:
            raise UsageError(
                f"the marks of {index.size:,} positions do not fit into the memory of the actors",
                hint="set a higher limit with --memory, or use more --actors on more nodes",
            ) from None
        except native_index.DamageError as error:
            raise StoreError(str(error), hint="name another folder") from error
        except ValueError as error:  # the states are wider than any compiled width
            raise UsageError(f"{task.name} is too large for an index: {error}") from error
        layers = [0] * (1 + max((cost[0] for cost, _ in outcome.layers), default=-1))
        for cost, number in outcome.layers:
            layers[cost[0]] = number
        farthest = [decode(self._made.puzzle, task, state) for state in states[:MOST_BEST]]
        reason = None if outcome.status == "exhausted" else outcome.status
        return _Run(layers, [sorted(position.pieces) for position in farthest]), reason

    def _shown(self, index: StateIndex) -> Callable[[Progress], None] | None:
        progress = self._progress
        if progress is None:
            return None
        return lambda current: progress(replace(current, most_states=index.size))


def heading_of(generation: IndexedGeneration) -> str:
    """The answer in one line."""
    from fewest.model.answer import limit_words

    known = ", ".join(
        counted(one.minimum, one.metric) for one in generation.metrics if one.minimum is not None
    )
    if generation.reason is not None:
        result = (
            f"some positions need {known}, and there may be harder ones"
            if known
            else "nothing is proven"
        )
        return f"{generation.title}: {limit_words(generation.reason)}; {result}"
    if not known:
        return f"{generation.title}: no unsolved position can be solved (proven)"
    return f"{generation.title}: the hardest positions need {known} (proven: all positions were searched)"


def figures_of(generation: IndexedGeneration) -> Iterator[str]:
    """A line for every figure, and drawings of a few of the farthest positions, those with the fewest pieces first."""
    yield f"  {'positions':<14} {generation.num_positions:,}"
    for one in generation.metrics:
        if one.minimum is None:
            continue
        solvable = sum(one.layers)
        yield ""
        state = "can be solved" if one.is_complete else "can be solved in the searched layers"
        yield f"{one.metric}: {counted(solvable, 'positions')} {state}, {one.layers[-1]:,} need {one.minimum:,}"
        counts = ((cost, count) for cost, count in enumerate(one.layers) if count)
        yield from counts_by_minimum("  positions by minimum  ", counts)
        for position in one.best[:_FEW]:
            yield ""
            yield from drawing_of(position)


def named_boards(generation: IndexedGeneration) -> Iterator[NamedBoard]:
    """For each metric, those positions in `best` that have the fewest pieces, for documents."""
    searched = "all" if generation.reason is None else "some"
    positions = f"{searched} of the {generation.num_positions:,} positions of {generation.name}"
    by = f"from a search of {positions}, fewest {__version__}"
    for one in generation.metrics:
        least = min((len(position.pieces) for position in one.best), default=0)
        fewest = [position for position in one.best if len(position.pieces) == least]
        for number, position in enumerate(fewest, 1):
            assert one.minimum is not None, "there is a position"
            title = f"{generation.title}: {counted(one.minimum, one.metric)}"
            name = f"{generation.name}-{one.metric}-{number}"
            yield NamedBoard(name, title, one.metric, one.minimum, position, by)


def rows_of(generation: IndexedGeneration) -> Iterator[dict[str, Any]]:
    """The number of positions for each minimum, as rows of a table."""
    for one in generation.metrics:
        for cost, count in enumerate(one.layers):
            yield {"metric": one.metric, "minimum": cost, "positions": count}
