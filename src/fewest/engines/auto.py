"""The default engine: a portfolio of searches. The tables in `portfolio.py` define when each search begins.

In measurements on all shipped puzzles, heuristics save time in two cases. In the first case, an agent walks among
pieces (Sokoban and similar puzzles). In the second case, there is no agent, and the heuristic value of the start is
high: more than half of the depth that a breadth-first search of about a million states reaches. In the 15-puzzle, the
heuristic value is about equal to this depth; in Klotski and Rush Hour, it is a tenth of this depth. A search from both
ends saves time if the goal determines nearly the whole state and there are few symmetries, because two searches to half
the depth visit far fewer states than one search.

The choice affects only the time, because each of these searches proves the minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fewest import search
from fewest.engines import bfs
from fewest.engines.conditions import has_agent
from fewest.engines.registry import word_of
from fewest.engines.stage_searches import AStarOptions, Request

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    threads: int | None = None,
    **options: Any,
) -> Answer:
    """The proved minimum. The answer names the engine that found it, and its statistics list the stages that ran.

    `threads` limits the number of threads of the blind search and of A*. The `options` are the same as those of `bfs`.
    If any of these options except `store="auto"` is given, if the task has permutations or consequences, or if the
    native core is missing, the engine `bfs` answers. If the memory limit ends the last search, another search may
    follow (`portfolio.AFTER_MEMORY`): usually A*, because it can continue with little memory. The answer contains the
    best lower bound that any of the searches proved. Raises UsageError in the same cases as `bfs`.
    """
    from fewest.engines import portfolio

    is_fallback = word_of(options.get("store", "")) == "auto"
    store = options.pop("store") if is_fallback else "hash"
    if options or task.permutations or task.consequences or not search.NATIVE:
        # heuristics and proofs by sums require that all moves are operators that flip facts
        options = {"store": store, **options}
        found = bfs.solve(task, metric, limits, progress, threads=threads, **options)
        return replace(found, engine="bfs")
    is_among_pieces = has_agent(task)

    def answer(place: Any) -> Answer:
        request = Request(
            task,
            metric,
            limits,
            threads=threads,
            make_search=search.make_search,
            hands_over=True,
            place=place,
            prefers_astar=True,
            astar=AStarOptions(ends="both"),
        )
        stages = portfolio.AMONG_PIECES if is_among_pieces else portfolio.DEFAULT
        found = portfolio.run(stages, request, progress, after_memory=portfolio.AFTER_MEMORY)
        assert found is not None, "the search in layers supports every task"
        return found

    if store == "hash":
        return answer(None)
    from fewest.engines.external import in_place

    return in_place(store, task, metric, limits, answer)
