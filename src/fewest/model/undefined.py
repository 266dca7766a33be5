"""Rules under `then` that have no value: what they compute does not exist, or is none of a variable's values.

A move after which that happens does not exist. Whether it happens depends on the position, so the document
cannot be refused: the states that the grounder looks at need not be reachable.
"""

from __future__ import annotations

from fewest.errors import DocumentError

_OF_A_STATE = frozenset(("value-out-of-range", "expression-index", "expression-type"))


def is_undefined(error: DocumentError) -> bool:
    """Whether the error is about what an expression gives in one state, and not about a limit."""
    return all(diagnostic.code in _OF_A_STATE for diagnostic in error.diagnostics)
