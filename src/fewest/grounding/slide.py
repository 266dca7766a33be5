"""Grounds slides: steps, slides until an obstacle stops the piece, and slides that push pieces."""

from __future__ import annotations

from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard
from fewest.grounding.motion import bindings_in, directions_of
from fewest.grounding.partial import PartialState, partial
from fewest.grounding.steps import shifted
from fewest.model.board import Board, Direction
from fewest.model.puzzle import PieceClass
from fewest.model.rules import Slide


def ground_slide(rule: Slide, grounder: Grounder) -> None:
    board = grounder.board
    for piece in grounder.puzzle.answering(rule.word):
        directions = directions_of(rule, piece, board)
        if not rule.has_pushing and not rule.is_blocked:
            _ground_steps(rule, grounder, piece, directions)
            continue
        if rule.has_pushing:
            from fewest.grounding.pushing_size import check_size

            check_size(rule, grounder, piece.id, directions)
        for direction in directions:
            for anchor in grounder.anchors(piece.id):
                if rule.has_pushing:
                    _ground_pushing(rule, grounder, piece.id, anchor, direction)
                else:
                    _ground_ray(rule, grounder, board, piece, anchor, direction)


def _ground_pushing(
    rule: Slide, grounder: Grounder, class_id: int, anchor: int, direction: Direction
) -> None:
    """Add one operator for each set of pieces that move together."""
    from fewest.grounding.pushing import pushed_group

    start = grounder.fact(class_id, anchor)
    assert start is not None, "it is an anchor of the class"
    found = grounder.split(
        lambda view: pushed_group(rule, view, start, direction.offset), partial([start])
    )
    for moved, at in found:
        if moved is None:
            continue
        for binding, names in bindings_in(rule.guard, direction):
            for refined, changes in ground_guard(rule.guard, grounder, names, at):
                grounder.add(
                    rule.name, refined, changes, moved=moved, direction=direction, binding=binding
                )


def _ground_steps(
    rule: Slide, grounder: Grounder, piece: PieceClass, directions: tuple[Direction, ...]
) -> None:
    steps = grounder.steps_of(piece.id, directions)
    guard = rule.guard
    if guard.when is None and not guard.assignments and not grounder.has_consequences:
        if guard.directions_of_binding:
            for binding, own in enumerate(guard.directions_of_binding):
                only = [step for step in steps if step.direction in own]
                grounder.add_steps(rule.name, piece.id, only, (binding,))
        else:
            grounder.add_steps(rule.name, piece.id, steps, range(len(guard.bindings)))
        return
    facts = grounder.facts_of_class(piece.id)
    for step in steps:
        entered = tuple(grounder.layer_cell(cell, piece.layer) for cell in step.entered)
        at = PartialState(frozenset((facts[step.start],)), grounder.covering_any(entered))
        _add_guarded(rule, grounder, facts[step.start], facts[step.end], step.direction, at)


def _ground_ray(
    rule: Slide,
    grounder: Grounder,
    board: Board,
    piece: PieceClass,
    anchor: int,
    direction: Direction,
) -> None:
    """Add one operator for each possible end of the slide and each piece that stops it there."""
    free: list[int] = []
    here = anchor
    for _ in range(board.num_cells):
        there = shifted(grounder, piece.id, here, direction.offset)
        if here != anchor:
            if _leaves_terrain(rule, board, piece, here) or (there is None and rule.wall_stops):
                _add(rule, grounder, piece.id, anchor, here, direction, free, None)
                return
            if there is not None and rule.piece_stops and there != anchor:
                _add_stops(rule, grounder, piece.id, anchor, here, there, direction, free)
        if there is None or there == anchor:
            return
        free.extend(entered_layer_cells(grounder, piece.id, here, there))
        here = there


def _add_stops(
    rule: Slide,
    grounder: Grounder,
    class_id: int,
    anchor: int,
    here: int,
    there: int,
    direction: Direction,
    free: list[int],
) -> None:
    # The cases are split by the first occupied layer cell ahead, so that the operators exclude each other.
    own = set(grounder.layer_cells_at(class_id, anchor))
    ahead = [b for b in entered_layer_cells(grounder, class_id, here, there) if b not in own]
    for index, layer_cell in enumerate(ahead):
        for fact in grounder.covering(layer_cell):
            if not own.intersection(grounder.layer_cells_of(fact)):
                _add(
                    rule, grounder, class_id, anchor, here, direction, [*free, *ahead[:index]], fact
                )


def entered_layer_cells(grounder: Grounder, class_id: int, here: int, there: int) -> list[int]:
    """The layer cells that a piece enters when it moves between two anchors."""
    old = set(grounder.layer_cells_at(class_id, here))
    return [
        layer_cell
        for layer_cell in grounder.layer_cells_at(class_id, there)
        if layer_cell not in old
    ]


def _add(
    rule: Slide,
    grounder: Grounder,
    class_id: int,
    anchor: int,
    target: int,
    direction: Direction,
    free: list[int],
    blocker: int | None,
) -> None:
    start, end = grounder.fact(class_id, anchor), grounder.fact(class_id, target)
    assert start is not None and end is not None
    positive = [start] if blocker is None else [start, blocker]
    own = set(grounder.layer_cells_at(class_id, anchor))
    negative = [
        f for layer_cell in free if layer_cell not in own for f in grounder.covering(layer_cell)
    ]
    at = partial(positive, negative)
    if blocker is not None and not grounder.is_consistent(at):
        return
    _add_guarded(rule, grounder, start, end, direction, at)


def _add_guarded(
    rule: Slide, grounder: Grounder, start: int, end: int, direction: Direction, at: PartialState
) -> None:
    for binding, names in bindings_in(rule.guard, direction):
        for refined, changes in ground_guard(rule.guard, grounder, names, at):
            grounder.add(
                rule.name,
                refined,
                changes,
                moved=[(start, end)],
                direction=direction,
                binding=binding,
                is_possible=True,
            )


def _leaves_terrain(rule: Slide, board: Board, piece: PieceClass, anchor: int) -> bool:
    cells = board.cover(piece.shape, anchor) or ()
    return rule.over is not None and not all(cell in rule.over for cell in cells)
