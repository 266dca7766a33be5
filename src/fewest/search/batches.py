"""Batches of states as NumPy arrays: `expand`, a `StateSet`, `Components`; native if possible."""

from __future__ import annotations

from fewest.search.backend import NATIVE

__all__ = ["Components", "StateSet", "expand"]

if NATIVE:
    from fewest.search.native_batches import Components, StateSet, expand
else:
    from fewest.search.pure.batches import Components, StateSet, expand  # type: ignore[assignment]
