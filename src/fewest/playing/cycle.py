"""Cycles on a position: every piece on a ring moves to the next cell."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.model.position import Position
from fewest.model.puzzle import Spot
from fewest.model.rules import BACKWARD, Cycle
from fewest.playing.guard import assigned, binding_of
from fewest.playing.move import Move, made


def cycle_moves(rule: Cycle, position: Position) -> Iterator[Move]:
    """The moves that the rule allows."""
    classes = position.puzzle.classes
    for number, ring in enumerate(rule.rings):
        standing = {
            cell: [layer[cell] for layer in position.layers if cell in layer] for cell in ring.cells
        }
        spots = [spot for here in standing.values() for spot in here]
        if any(len(classes[class_id].shape) > 1 for class_id, _ in spots):
            continue
        for turn in ring.directions:
            changes: dict[Spot, Spot | None] = {}
            for source, target in zip(ring.cells, ring.targets, strict=True):
                if turn is BACKWARD:
                    source, target = target, source
                changes.update((spot, (spot[0], target)) for spot in standing[source])
            if any(new and new[1] not in classes[new[0]].cells for new in changes.values()):
                continue
            values = assigned(rule.guard, position, ring.names)
            if values is not None:
                yield made(
                    position,
                    rule.name,
                    changes,
                    values,
                    direction=turn,
                    ring=ring.id,
                    words=binding_of(rule.guard, ring.names),
                    binding=number,
                    cells=ring.cells,
                )
