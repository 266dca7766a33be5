"""Determines, for simultaneous consequences, which part of a marked change is still possible after earlier changes."""

from __future__ import annotations

from collections.abc import Iterable

from fewest.grounding.partial import Change
from fewest.grounding.view import FactView, UndecidedError


def residual_change(mark: Change, view: FactView) -> Change | None:
    """The part of a marked change that remains; None if the change is no longer possible.

    If the change moves or creates pieces, all pieces that it moves or removes must still be there, and the target cells
    must be free. If the change only removes pieces, only the pieces that are still there remain in the change. Raises
    UndecidedError.
    """
    facts = view.facts
    sources = [source for source, _ in mark.moved]
    arriving = [*(target for _, target in mark.moved), *mark.created]
    going = {*sources, *mark.removed}
    gone = {fact for fact in going if not _holds(fact, view)}
    if arriving and (gone or not _has_room(arriving, going, view)):
        return None
    slots = {facts.facts[fact].slot for fact in mark.added} - {-1}
    old_values = {
        fact
        for slot in slots
        for fact in facts.value_facts[slot]
        if fact not in mark.added and _holds(fact, view)
    }
    removed = tuple(fact for fact in mark.removed if fact not in gone)
    pieces = frozenset(f for f in mark.deleted if facts.facts[f].slot < 0 and f not in gone)
    return Change(mark.moved, removed, mark.created, pieces | old_values, mark.added)


def _holds(fact: int, view: FactView) -> bool:
    found = view.truth(fact)
    if found is None:
        raise UndecidedError([([fact], []), ([], [fact])])
    return found


def _has_room(arriving: Iterable[int], going: set[int], view: FactView) -> bool:
    """Whether the target cells of arriving pieces contain no pieces other than those in `going`."""
    facts = view.facts
    return not any(
        _holds(other, view)
        for fact in arriving
        for layer_cell in facts.layer_cells_of(fact)
        for other in facts.covering(layer_cell)
        if other not in going
    )
