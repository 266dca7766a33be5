"""The engines: one file each, one literal registry, imported when used.

An engine is a function `solve(task, metric, limits, progress) -> Answer`; it reads nothing but the
task. `docs` and `--help` show the line of the registry.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fewest.errors import UsageError, suggest

if TYPE_CHECKING:
    from fewest.core.interface import Progress
    from fewest.language.puzzle import Metric
    from fewest.results import Answer, Limits
    from fewest.task import Task

ENGINES: dict[str, tuple[str, str]] = {
    "bfs": ("fewest.engines.bfs", "exhaustive search in layers, native core where there is one"),
    "python": ("fewest.engines.python", "the same question, answered by the pure-Python core"),
}
DEFAULT_ENGINE = "bfs"


def solve(
    name: str,
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Answer:
    """The answer of the engine of that name. Raises UsageError for an unknown one."""
    if name not in ENGINES:
        near = suggest(name, list(ENGINES))
        hint = f"did you mean `{near}`?" if near else f"there are {', '.join(ENGINES)}"
        raise UsageError(f"there is no engine `{name}`", hint=hint)
    module = import_module(ENGINES[name][0])
    answer: Answer = module.solve(task, metric, limits, progress, **options)
    return answer
