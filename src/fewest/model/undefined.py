"""Rules under `then` without a value: an expression is undefined, or its result is not a value of the variable.

A move into such a state does not exist. Whether that happens depends on the position, so the document cannot
be refused: the states of the grounder need not be reachable.
"""

from __future__ import annotations

from fewest.errors import DocumentError

_OF_A_STATE = frozenset(("value-out-of-range", "expression-index", "expression-type"))


def is_undefined(error: DocumentError) -> bool:
    """Whether the error is about the value of an expression in one state, and not about a limit."""
    return all(diagnostic.code in _OF_A_STATE for diagnostic in error.diagnostics)
