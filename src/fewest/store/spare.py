"""A search in memory that goes on from a folder where its memory ends, without starting again.

The layers so far are written as those of a store (the table of slots goes first, so that there is memory to sort them);
then the store is searched on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from math import inf
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.problem import Problem, Symmetry
    from fewest.search import _native
    from fewest.search.interface import Outcome
    from fewest.store.crew import Work
    from fewest.store.place import Place
    from fewest.store.search import Asked


def search(
    problem: Problem,
    cost: CostTable,
    *,
    place: Place,
    asked: Callable[[], Asked],
    memory: int,
    seconds: float = inf,
    symmetry: Symmetry | None = None,
    **options: Any,
) -> tuple[Outcome, dict[str, int] | None]:
    """As `search.search`; where the memory ends as `store.search`, with what that tells, from the layers so far.

    Only then are the folder made and `asked` called. Raises as `store.search` does.
    """
    from fewest.search import _native, native

    began = time.perf_counter()
    handed: list[tuple[Work, Asked, _native.Shards]] = []
    with ExitStack() as folder:

        def make(left: int) -> _native.Shards:
            from fewest.store import search as stored
            from fewest.store.crew import Work, shards_of

            folder.enter_context(stored.in_folder(place.folder))
            question = asked()
            work = Work(
                problem=problem,
                cost=cost,
                symmetry=symmetry,
                folder=place.folder,
                num_shards=stored.NUM_SHARDS,
                owners=1,
                workers=1,
                memory=left,
                is_undoable=question.is_undoable,
            )
            shards = shards_of(work)
            assert shards is not None, "whatever is searched in layers has shards"
            handed.append((work, question, shards))
            return shards

        heir = _native.ShardsHeir(make)
        found = native.search_with_heir(
            problem,
            cost,
            heir,
            seconds=seconds,
            memory=memory,
            symmetry=symmetry,
            **options,
        )
        if not handed:
            return found, None
        work, question, shards = handed.pop()
        _hand_on(work, question, shards, heir, place)
        del shards
    from fewest.store import search as stored

    spent = time.perf_counter() - began
    outcome, told = stored.search(
        problem,
        cost,
        place=place,
        asked=question,
        memory=memory,
        seconds=max(0.0, seconds - spent),
        symmetry=symmetry,
        **options,
    )
    peak, spent = max(found.bytes, outcome.bytes), time.perf_counter() - began
    return replace(outcome, bytes=peak, seconds=spent), told


def _hand_on(
    work: Work, asked: Asked, shards: _native.Shards, heir: _native.ShardsHeir, place: Place
) -> None:
    """Keep what the shards were given as a store that can be gone on with. Raises OSError."""
    from fewest.store import search as stored
    from fewest.store.record import write_record

    shards.keep()
    layers = [stored.layer_of(each.counts, each.expanded, each.generated) for each in heir.layers]
    record = stored.new_record(work, asked, shards.packing, place.about)
    write_record(place.folder, replace(record, layers=tuple(layers)))
