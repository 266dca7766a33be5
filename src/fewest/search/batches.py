"""Batches of states as NumPy arrays: `expand` them, collect them in a `StateSet`; native if possible."""

from __future__ import annotations

from fewest.search.backend import NATIVE

__all__ = ["StateSet", "expand"]

if NATIVE:
    from fewest.search.native_batches import StateSet, expand
else:
    from fewest.search.pure.batches import StateSet, expand  # type: ignore[assignment]
