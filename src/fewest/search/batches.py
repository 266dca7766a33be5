"""Functions and classes for many states in arrays: they compute successors, sets of states, components, and distances
in graphs. They come from the native core if it is in use, and otherwise from the pure-Python core.
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
