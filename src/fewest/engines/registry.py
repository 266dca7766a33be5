"""The engines, their capabilities, and checks that refuse requests that an engine does not support.

An engine is a function `solve(task, metric, limits, progress, **options) -> Answer` in its own file. The engine reads
the task, never the document of the puzzle. An engine calls `progress` with the `Progress` of a core or, if it plans
with horizons, with a `Horizon`.

Another package can add an engine with an entry point; see `engines/entry_points.py`.

The row of an engine in `ENGINES` states its capabilities. Commands, completion, comparisons and the conformance tests
read this row. Before the engine runs, `check_metric` refuses unsupported metrics, and `check_features` refuses
unsupported tasks. The engine itself refuses cases that it can detect only while it runs, such as too many goal states
or numbers that do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from fewest.engines.entry_points import implementation
from fewest.errors import UsageError, conflict, joined, suggest

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task

Metrics = Literal["all", "lines", "one number", "one weight"]


class Engine(Struct, frozen=True):
    """The module of an engine, a description, and the capabilities.

    - `is_exhaustive`: the engine can prove by exhaustion that there is no plan.
    - `is_optimal`: the engine proves that its plan is minimal; other engines give the answer `solved`.
    - `metrics`: the supported metrics. "all": all metrics of the language. "lines": metrics that merge no moves, or
      merge them along lines. "one number": metrics with one part. "one weight": metrics with one part in
      which every move, single or merged, costs the same.
    - `has_all_goals`: the engine accepts every goal; other engines refuse goals with too many goal states.
    - `has_permutations`: the engine accepts moves that permute facts; other engines accept only flips of facts.
    - `supports_intermediate`: the engine accepts consequences that apply step by step; other engines refuse them.
    - `supports_every_list`: the engine accepts goals that consist of several lists of cubes; other engines refuse them.
    - `needs_lines`: the engine accepts only tasks in which pieces slide along lines, as in Rush Hour.
    - `needs_native`: the engine exists only in the native core.
    - `options`: the keyword arguments of the engine's function `solve`.
    """

    module: str
    text: str
    is_exhaustive: bool = True
    is_optimal: bool = True
    metrics: Metrics = "all"
    has_all_goals: bool = True
    has_permutations: bool = False
    supports_intermediate: bool = False
    supports_every_list: bool = False
    needs_lines: bool = False
    needs_native: bool = False
    options: tuple[str, ...] = ()


Feature = Literal["permutations", "at once", "apart", "every list"]
"""The features that a task can have in addition to operators that flip facts and one list of goal cubes.
"permutations": moves that permute facts. "at once": moves that set variables simultaneously. "apart": consequences that
apply one by one. "every list": several lists of goal cubes; a goal state must be in some cube of every list.
"""

FEATURES: tuple[Feature, ...] = ("permutations", "at once", "apart", "every list")

OPTION_TAKES: Mapping[str, tuple[Feature, ...]] = {
    "symmetry=on": ("every list",),
    "store=index": ("every list",),
    "store=disk": ("every list",),
    "checkpoint": ("every list",),
    "merge": ("permutations", "every list"),
}
"""The features that a search supports if it has one of these options, or if its metric merges moves ("merge"). They are
fewer than the features that its engine supports without the option.

`check_features` refuses tasks that have other features. Before this check, `solve` compiles simultaneous assignments to
flips if the search does not support them.
"""

MOST_WEIGHT = 100

HORIZONS = ("first", "last", "stride", "at_most")
MAX_SEED = 2_000_000_000
"""CaDiCaL uses this seed instead of any larger seed."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "algorithm": ("astar", "ida"),
    "configuration": ("tweety", "trendy", "frumpy", "jumpy", "handy", "crafty"),
    "ends": ("one", "both"),
    "heuristic": ("pieces", "abstraction"),
    "patterns": ("auto", "on", "off"),
    "store": ("auto", "hash", "index", "disk"),
    "symmetry": ("auto", "on", "off"),
}
"""The options that have a fixed set of values. The first value is the default on the command line, except that the
default of `symmetry` for `python` is "off".
"""

OPTION_EXCLUDES: Mapping[str, tuple[str, ...]] = {
    "heuristic=abstraction": ("algorithm", "checkpoint", "ends", "patterns", "threads", "weight"),
    "algorithm=ida": ("ends", "threads", "weight"),
    "ends=both": ("checkpoint", "weight"),
    "weight": ("checkpoint", "threads"),
}
"""Options that cannot be used together. An option at its default value excludes no other option."""

OPTION_METRICS: Mapping[str, Metrics] = {"heuristic=abstraction": "one weight"}
"""The metrics that an engine supports with a certain option, if they differ from those in the engine's row."""

# the options that have a different name on the command line
_FLAGS = {"first": "from", "last": "to"}

ENGINES: dict[str, Engine] = {
    "auto": Engine(
        "fewest.engines.auto",
        "A* where its lower bounds save time, else breadth-first search; from both ends if there are few goals",
        has_permutations=True,
        supports_intermediate=True,
        supports_every_list=True,
        options=("checkpoint", "exhaust", "store", "symmetry", "threads"),
    ),
    "bfs": Engine(
        "fewest.engines.bfs",
        "breadth-first search in layers, by the native core if it is installed",
        has_permutations=True,
        supports_intermediate=True,
        supports_every_list=True,
        options=("checkpoint", "depth", "exhaust", "store", "symmetry", "threads"),
    ),
    "python": Engine(
        "fewest.engines.python",
        "the same search as bfs, by the pure-Python core",
        has_permutations=True,
        supports_intermediate=True,
        supports_every_list=True,
        options=("exhaust", "symmetry"),
    ),
    "bidirectional": Engine(
        "fewest.engines.bidirectional",
        "search from the start and from all goal positions at once, where goal positions are few",
        has_all_goals=False,
        supports_every_list=True,
        options=("checkpoint",),
    ),
    "astar": Engine(
        "fewest.engines.astar",
        "A* with lower bounds from pieces and pattern databases, native core only",
        metrics="lines",
        supports_every_list=True,
        needs_native=True,
        options=(
            "algorithm",
            "checkpoint",
            "ends",
            "heuristic",
            "patterns",
            "threads",
            "weight",
        ),
    ),
    "sat": Engine(
        "fewest.engines.sat",
        "bounded-horizon planning with a SAT solver, horizon by horizon",
        is_exhaustive=False,
        metrics="one number",
        has_permutations=True,
        supports_intermediate=True,
        supports_every_list=True,
        options=(*HORIZONS, "checkpoint", "encoding", "seed", "solver"),
    ),
    "asp": Engine(
        "fewest.engines.asp",
        "bounded-horizon planning with clingo, horizon by horizon",
        is_exhaustive=False,
        metrics="one number",
        has_permutations=True,
        supports_intermediate=True,
        supports_every_list=True,
        options=(*HORIZONS, "checkpoint", "configuration", "seed"),
    ),
    "goal-directed": Engine(
        "fewest.engines.goal_directed",
        "a quick plan, not proven minimal, where pieces slide along lines (Rush Hour)",
        is_optimal=False,
        needs_lines=True,
    ),
}
DEFAULT_ENGINE = "auto"


def solve(
    name: str,
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Any], None] | None = None,
    **options: Any,
) -> Answer:
    """The answer of the engine with this name.

    Raises UsageError in the same cases as `check_options`, `check_metric` and `check_features`, and if the engine
    refuses the task. Other errors of the engine, such as StoreError, propagate.
    """
    check_options(name, options)
    check_metric(name, metric, options)
    origins: Sequence[int] | None = None
    if task.pending and not _sets_at_once(name, task, metric, options):
        from fewest.analysis.case_split import compile_to_flips

        task, origins = compile_to_flips(task, f"the engine `{name}`")
    check_features(name, task, metric, options)
    found = implementation(engine_of(name).module)
    answer: Answer = found.solve(task, metric, limits, progress, **options)
    if origins is None or answer.plan is None:
        return answer
    return replace(answer, plan=tuple(origins[operator] for operator in answer.plan))


def features_of(task: Task) -> tuple[Feature, ...]:
    """The features that the task has in addition to operators that flip facts and one list of goal cubes."""
    has = {
        "permutations": bool(task.permutations),
        "at once": bool(task.pending),
        "apart": bool(task.consequences) and not task.pending,
        "every list": bool(task.further_goals),
    }
    return tuple(feature for feature in FEATURES if has[feature])


class RequestPart(Struct, frozen=True):
    """A part of a request (the engine, an option or the metric) as text, and the features that it supports."""

    part: str
    supported: tuple[Feature, ...]
    is_metric: bool = False


def request_parts(name: str, metric: Metric, options: Mapping[str, Any]) -> list[RequestPart]:
    """The parts of a request that restrict which tasks are supported."""
    engine = engine_of(name)
    own: dict[Feature, bool] = {
        "permutations": engine.has_permutations,
        "at once": engine.supports_intermediate,
        "apart": engine.supports_intermediate,
        "every list": engine.supports_every_list,
    }
    found = [
        RequestPart(f"the engine `{name}`", tuple(feature for feature in FEATURES if own[feature]))
    ]
    if options.get("symmetry") == "on":
        found.append(RequestPart("a search by symmetry", OPTION_TAKES["symmetry=on"]))
    if not _is_in_memory(name, options):
        has_checkpoint = options.get("checkpoint") is not None
        choice = "checkpoint" if has_checkpoint else f"store={word_of(options['store'])}"
        flag = "--checkpoint" if has_checkpoint else f"--store {options['store']}"
        found.append(RequestPart(flag, OPTION_TAKES[choice]))
    if any(part.merge != "none" for part in metric.parts):
        part = f"the metric `{metric.name}`, which counts several moves as one,"
        found.append(RequestPart(part, OPTION_TAKES["merge"], is_metric=True))
    return found


def check_features(name: str, task: Task, metric: Metric, options: Mapping[str, Any]) -> None:
    """Raises UsageError if the task has a feature that the engine, an option or the metric does not support."""
    for request in request_parts(name, metric, options):
        part = request.part
        missing = [feature for feature in features_of(task) if feature not in request.supported]
        if "permutations" in missing:
            task.require_flips(part)
        if "every list" in missing:
            task.require_one_goal_list(part)
        if missing:
            from fewest.model.costs import hint_of_unmerged_metric

            task.require_whole_moves(
                part, hint_of_unmerged_metric(task) if request.is_metric else ""
            )


def _sets_at_once(name: str, task: Task, metric: Metric, options: Mapping[str, Any]) -> bool:
    """Whether the engine supports simultaneous assignments with these options and this metric. If not, the assignments
    are compiled to flips.
    """
    has_free = any(part.weight(m.rule, m.binding) == 0 for part in metric.parts for m in task.moves)
    # in an encoding, free moves have no layers of their own
    if has_free and not engine_of(name).is_exhaustive:
        return False
    return all("at once" in part.supported for part in request_parts(name, metric, options))


def engine_of(name: str) -> Engine:
    """The row of the engine with this name, from this or another package. Raises UsageError if the name is unknown, or
    if the engine of another package cannot be used.
    """
    if name in ENGINES:
        return ENGINES[name]
    from fewest.engines import entry_points

    if name in entry_points.installed():
        return _installed_engine(name)
    known = [*ENGINES, *entry_points.installed()]
    near = suggest(name, known)
    meant = f"did you mean `{near}`? " if near else ""
    hint = f"{meant}the engines are {', '.join(known)}"
    raise UsageError(f"there is no engine `{name}`", hint=hint)


@cache
def _installed_engine(name: str) -> Engine:
    """The row of an engine from another package, built from the attributes of its class. Raises UsageError if the class
    cannot be used.
    """
    from fewest.engines import entry_points

    found = entry_points.load(name)
    row = {
        field: getattr(found, field) for field in Engine.__struct_fields__ if hasattr(found, field)
    }
    try:
        return convert({**row, "module": entry_points.installed()[name].value}, Engine)
    except ValidationError as error:
        owner = entry_points.version_of(name)
        raise UsageError(
            f"the engine `{name}` of the package {owner} cannot be used: {error}"
        ) from None


def all_engines() -> dict[str, Engine]:
    """The rows of the engines of this package, followed by those of the usable engines of other packages, keyed by
    name.
    """
    from fewest.engines import entry_points

    found = dict(ENGINES)
    for name in entry_points.installed():
        with suppress(UsageError):
            found.setdefault(name, engine_of(name))
    return found


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Raises UsageError for an unknown engine, for an option that the engine does not accept, for a wrong value, or for
    options that cannot be used together.
    """
    engine = engine_of(name)
    for option, value in options.items():
        if option not in engine.options:
            engines = [other for other, known in ENGINES.items() if option in known.options]
            raise UsageError(
                f"the engine `{name}` does not support --{_flag(option)}",
                hint=f"use --engine {joined(engines, 'or')}"
                if engines
                else "no engine supports this option",
            )
        check_choice(option, value)
    _check_weight(options.get("weight"))
    _check_seed(options.get("seed"))
    _check_together(options)


def is_given(options: Mapping[str, Any], option: str) -> bool:
    """Whether an option has a value other than its default."""
    value = options.get(option)
    return value is not None and value != CHOICES.get(option, (None,))[0]


def _check_seed(seed: Any) -> None:
    """Raises UsageError if the seed is negative or above MAX_SEED."""
    if isinstance(seed, int) and not 0 <= seed <= MAX_SEED:
        raise UsageError(f"the seed must be a number from 0 to {MAX_SEED:,}, not {seed}")


def _check_weight(weight: Any) -> None:
    """Raises UsageError unless the weight is a number from 1 to 100."""
    if weight is None:
        return
    try:
        is_weight = 1 <= float(weight) <= MOST_WEIGHT
    except (TypeError, ValueError):
        is_weight = False
    if not is_weight:
        raise UsageError(
            f"`{weight}` is not a valid value of --weight",
            hint=f"use a number from 1 to {MOST_WEIGHT}",
        )


def _check_together(options: Mapping[str, Any]) -> None:
    """Raises UsageError if options are given that cannot be used together."""
    for one, others in OPTION_EXCLUDES.items():
        option, _, word = one.partition("=")
        if not is_given(options, option) or (word and options[option] != word):
            continue
        for other in others:
            if is_given(options, other):
                first, second = (f"--{flag} {options[flag]}" for flag in (option, other))
                raise conflict(first, second, hint=f"leave out --{other}")


def _flag(option: str) -> str:
    return _FLAGS.get(option, option).replace("_", "-")


def check_choice(option: str, value: Any) -> None:
    """Raises UsageError if the option is in `CHOICES`, but the value is not among its values."""
    known = CHOICES.get(option)
    if known is not None and word_of(value) not in known:
        raise UsageError(
            f"`{value}` is not a valid value of --{_flag(option)}",
            hint=f"use {joined(known, 'or')}",
        )


def word_of(value: Any) -> str:
    """The value without its suffix; for example, `disk` for `disk:FOLDER`. No other values have a suffix."""
    word, colon, _ = str(value).partition(":")
    return word if not colon or word == "disk" else str(value)


def check_metric(name: str, metric: Metric, options: Mapping[str, Any] | None = None) -> None:
    """Raises UsageError if the engine does not support the metric, or if the native core that it needs is missing.

    `options`: the options of the request, which can change the supported metrics (`OPTION_METRICS`, `weight`).
    """
    engine = engine_of(name)
    given = {} if options is None else options
    for one, metrics in OPTION_METRICS.items():
        option, _, word = one.partition("=")
        if given.get(option) == word:
            engine = replace(engine, metrics=metrics)
    if is_given(given, "weight") and len(metric.parts) > 1:
        raise UsageError(
            f"--weight does not support the lexicographic metric `{metric.name}`",
            hint="solve each part separately, or leave out --weight",
        )
    if engine.metrics == "lines" and any(part.merge == "path" for part in metric.parts):
        raise UsageError(
            f"the engine `{name}` does not support the metric `{metric.name}`, which merges moves "
            "around corners",
            hint=f"use --engine bfs; `{name}` can merge moves only along lines",
        )
    if engine.metrics == "one weight" and not has_one_weight(metric):
        raise UsageError(
            f"the engine `{name}` does not support the metric `{metric.name}`, because its moves, "
            "single or merged, do not all cost the same",
            hint="use --engine bfs, or astar if the metric merges no moves",
        )
    if engine.metrics == "one number" and len(metric.parts) > 1:
        raise UsageError(
            f"the engine `{name}` does not support the lexicographic metric `{metric.name}`, because "
            "a horizon is a single number",
            hint="solve each part separately, or use --engine bfs",
        )
    if engine.needs_native and not _is_native():
        raise UsageError(
            f"the engine `{name}` needs the native core, which is not installed",
            hint="use --engine bfs, or install a compiler and reinstall fewest",
        )


def has_one_weight(metric: Metric) -> bool:
    """Whether every move, single or merged, costs the same in this metric, and no move is free."""
    weights: set[int] = set()
    for weight in metric.parts[0].weights.values():
        weights.update((weight,) if isinstance(weight, int) else weight)
    return len(metric.parts) == 1 and len(weights) <= 1 and 0 not in weights


def _is_in_memory(name: str, options: Mapping[str, Any]) -> bool:
    """Whether the search begins with a table in memory and writes no checkpoint. True for every engine that does not
    have the option `store`.
    """
    if "store" not in engine_of(name).options:
        return True
    has_checkpoint = options.get("checkpoint") is not None
    return word_of(options.get("store", "hash")) in ("auto", "hash") and not has_checkpoint


def _is_native() -> bool:
    from fewest import search  # imported here because NumPy is not needed to list the engines

    return search.NATIVE
