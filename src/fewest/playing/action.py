"""Actions on a position: they change variables but move no piece."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.model.position import Position
from fewest.model.rules import Action
from fewest.playing.guard import assigned, binding_of
from fewest.playing.move import Move, made


def action_moves(rule: Action, position: Position) -> Iterator[Move]:
    """The moves that the rule allows."""
    for binding, names in enumerate(rule.guard.bindings):
        values = assigned(rule.guard, position, names)
        if values is not None:
            words = binding_of(rule.guard, names)
            yield made(position, rule.name, {}, values, words=words, binding=binding)
