"""Batches of states in arrays: successors, a `StateSet`, `Components`, and distances in graphs. The module uses native
code if possible.
"""

from __future__ import annotations

from fewest.search.backend import NATIVE

__all__ = ["Components", "StateSet", "expand", "find_successors", "measure_graph"]

if NATIVE:
    from fewest.search.native_batches import (
        Components,
        StateSet,
        expand,
        find_successors,
        measure_graph,
    )
else:
    from fewest.search.pure.batches import (  # type: ignore[assignment]
        Components,
        StateSet,
        expand,
        find_successors,
        measure_graph,
    )
