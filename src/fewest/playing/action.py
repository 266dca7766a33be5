"""Actions on a position: they change variables but move no piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fewest.model.position import Position
from fewest.model.rules import Action
from fewest.playing.guard import assigned, binding_of
from fewest.playing.move import Move, made


def action_moves(
    rule: Action, position: Position, allowed: Callable[[int], bool] | None = None
) -> Iterator[Move]:
    """The moves that the rule allows. If `allowed` is given, the result contains only the moves of bindings for which
    it is true.
    """
    for binding, names in enumerate(rule.guard.bindings):
        if allowed is not None and not allowed(binding):
            continue
        values = assigned(rule.guard, position, names)
        if values is not None:
            words = binding_of(rule.guard, names)
            yield made(position, rule.name, {}, values, words=words, binding=binding)
