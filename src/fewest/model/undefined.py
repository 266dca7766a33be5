"""Rules under `then` that have no value in a state: an expression is undefined, or its result is not a value of the
variable.

A move that leads to such a state does not exist. Such a document is not rejected, however: the error depends on the
state, and the states that the grounder considers need not be reachable.
"""

from __future__ import annotations

from fewest.errors import DocumentError

_OF_A_STATE = frozenset(
    (
        "value-out-of-range",
        "expression-ambiguous",
        "expression-index",
        "expression-type",
        "expression-unknown-name",
        "expression-unsupported",
    )
)


def is_undefined(error: DocumentError) -> bool:
    """Whether the error concerns the value of an expression in one state, not a limit."""
    return all(diagnostic.code in _OF_A_STATE for diagnostic in error.diagnostics)
