"""Finds the pieces that move together in a partial state: a piece, the pieces that it pushes, and the pieces that stick
to it.
"""

from __future__ import annotations

from fewest.grounding.facts import ProvisionalFacts
from fewest.grounding.pattern import answers
from fewest.grounding.steps import shifted_fact
from fewest.grounding.view import FactView
from fewest.model.board import Offset
from fewest.model.rules import Slide


def pushed_group(
    rule: Slide, view: FactView, first: int, offset: Offset
) -> list[tuple[int, int]] | None:
    """The facts of all pieces that move together, before and after the move, with the first piece last; None if these
    pieces cannot move.

    Raises UndecidedError if the result depends on undecided contents.
    """
    facts = view.facts
    moving = [first]
    pairs: list[tuple[int, int]] = []
    for fact in moving:  # the list grows inside the loop
        own = set(facts.layer_cells_of(fact))
        target = shifted_fact(facts, fact, offset)
        if target is None or target == fact:
            return None
        pairs.append((fact, target))
        for layer_cell in facts.layer_cells_of(target):
            if layer_cell in own:
                continue
            other = view.exclusive(facts.covering(layer_cell))
            if other is None or other in moving:
                continue
            if not answers(facts, other, rule.carries) and not sticks_to(rule, facts, other, fact):
                return None
            moving.append(other)
        if rule.sticky or rule.own:
            for stuck in _stuck_beside(rule, facts, fact):
                other = view.exclusive(stuck)
                if other is not None and other not in moving:
                    moving.append(other)
        if rule.most is not None and len(moving) - 1 > rule.most:
            return None
    entered: set[int] = set()
    for _, target in pairs:
        if not entered.isdisjoint(facts.layer_cells_of(target)):
            return None  # the group cannot move, because portals would move two pieces to one cell
        entered.update(facts.layer_cells_of(target))
    return [*pairs[1:], pairs[0]]


def sticks_to(rule: Slide, facts: ProvisionalFacts, other: int, fact: int) -> bool:
    """Whether the piece of `other` moves together with the piece of `fact` if they touch."""
    if answers(facts, other, rule.sticky):
        return True
    if not rule.own:
        return False
    kind = facts.puzzle.classes[facts.class_of(fact)].kind
    return kind in rule.own and facts.puzzle.classes[facts.class_of(other)].kind == kind


def _stuck_beside(rule: Slide, facts: ProvisionalFacts, fact: int) -> list[list[int]]:
    """For each layer cell that touches a piece, the facts there that stick to the piece; without empty lists."""
    key = rule.sticky, rule.own, fact
    found = facts.stuck_beside.get(key)
    if found is None:
        stuck = (
            [other for other in facts.covering(layer_cell) if sticks_to(rule, facts, other, fact)]
            for layer_cell in beside(facts, fact)
        )
        found = facts.stuck_beside[key] = [others for others in stuck if others]
    return found


def beside(facts: ProvisionalFacts, fact: int) -> list[int]:
    """The layer cells that touch a piece: above and below it, on its left and right."""
    piece, board = facts.puzzle.classes[facts.class_of(fact)], facts.board
    own = board.cover(piece.shape, facts.facts[fact].cell) or ()
    near = {board.step(cell, offset) for cell in own for offset in board.touching}
    cells = sorted(cell for cell in near if cell is not None and cell not in own)
    return [facts.layer_cell(cell, piece.layer) for cell in cells]
