"""Rules under `then` without a value: an expression is undefined, or its result is not a value of the variable.

A move into such a state does not exist. This is no reason to reject the document: the error depends on the state, and
states that the grounder considers need not be reachable.
"""

from __future__ import annotations

from fewest.errors import DocumentError

_OF_A_STATE = frozenset(("value-out-of-range", "expression-index", "expression-type"))


def is_undefined(error: DocumentError) -> bool:
    """Whether the error concerns the value of an expression in one state, and not a limit."""
    return all(diagnostic.code in _OF_A_STATE for diagnostic in error.diagnostics)
