"""Going on with what a store was asked, where it was stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fewest.questions.api import CompiledPuzzle
from fewest.questions.kept import kept_question

if TYPE_CHECKING:
    from fewest.questions.explore import Exploration
    from fewest.questions.result import Result
    from fewest.search.interface import Progress


class Resumed(Struct, frozen=True):
    """The puzzle, and the answer of an uninterrupted run: of `solve` or of `explore`, whichever was asked."""

    compiled: CompiledPuzzle
    result: Result | None
    exploration: Exploration | None


def resume(
    folder: str | Path,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Resumed:
    """Go on with the store in a folder; limits and `threads` are as in `solve`.

    The puzzle is read from the store, which has its documents. Raises StoreError for what is no store,
    damaged, of another version, or in use.
    """
    question, document, puzzle = kept_question(Path(folder))
    compiled = CompiledPuzzle(puzzle, document)
    given: dict[str, Any] = {
        **question.options,
        "store": f"disk:{folder}",
        "seconds": seconds,
        "memory": memory,
        "threads": threads,
        "progress": progress,
    }
    if question.kind == "solve":
        return Resumed(compiled, compiled.solve(question.metric, engine="bfs", **given), None)
    return Resumed(compiled, None, compiled.explore(question.metric, **given))
