"""Consequences after a move: sweeps over the board until no consequence applies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from fewest.errors import DocumentError
from fewest.model.board import Board
from fewest.model.position import Position
from fewest.model.puzzle import Spot
from fewest.model.rules import Action, Pattern, Rule, Slide, Stage
from fewest.model.undefined import is_undefined
from fewest.playing.action import action_moves
from fewest.playing.move import Move
from fewest.playing.parallel_consequences import apply_simultaneously
from fewest.playing.pattern import cells_to_try, pattern_moves_at
from fewest.playing.slide import directions_of, slide_moves


def after_consequences(start: Position, move: Move) -> Move | None:
    """The move from `start` with all its consequences; None if the consequences never end or have no defined result."""
    try:
        return after_defined_consequences(start, move)
    except DocumentError as error:
        if is_undefined(error):
            return None
        raise


def after_defined_consequences(start: Position, move: Move) -> Move | None:
    """Like `after_consequences`, but raises DocumentError if an expression of a rule has no value."""
    puzzle = start.puzzle
    one_turn = {rule.name for stage in puzzle.stages if stage.is_once for rule in stage.rules}
    actions = [r for r in puzzle.then if isinstance(r, Action) and r.name not in one_turn]
    cells = [] if puzzle.board is None else _ordered(puzzle.board, puzzle.order)
    came_from: dict[Spot, Spot | None] = {spot: spot for spot in start.pieces}
    _follow(came_from, move)
    position, names = move.target, list[str]()
    seen: set[tuple[Position, int]] = set()
    over: set[int] = set()  # the `once` stages that have already been tested after this move
    while (position, len(over)) not in seen:
        seen.add((position, len(over)))
        happened: list[Move] = []
        for number, stage in enumerate(puzzle.stages):
            if number in over:
                continue
            if stage.is_once:
                over.add(number)
            happened = _sweep(stage, position, cells)
            if happened:
                break
        else:
            found = _first(actions, position, -1)
            if found is None:
                return _whole(start, move, position, came_from, tuple(names))
            happened = [found]
        for one in happened:
            _follow(came_from, one)
            names.append(one.rule)
        position = happened[-1].target
    return None


def _sweep(stage: Stage, position: Position, cells: list[int]) -> list[Move]:
    """The changes made by one sweep; each change starts from the result of the previous one."""
    if stage.is_everywhere:
        marks = [
            move
            for cell in cells
            for move in _moves(stage.rules[0], position, cell)
            if move.target != position
        ]
        return apply_simultaneously(position, marks)
    happened: list[Move] = []
    patterns = [rule for rule in stage.rules if isinstance(rule, Pattern)]
    may_fit = cells_to_try(patterns, position) if len(patterns) == len(stage.rules) else None
    for cell in [-1] if isinstance(stage.rules[0], Action) else cells:
        if may_fit is not None and not may_fit(position, cell):
            continue
        found = _first(stage.rules, position, cell)
        if found is not None:
            happened.append(found)
            position = found.target
    return happened


def _ordered(board: Board, order: str) -> list[int]:
    """All cells in the order in which a sweep visits them."""

    def key(cell: int) -> tuple[int, int]:
        row, column = board.at(cell)
        return {
            "top-down": (row, column),
            "bottom-up": (-row, column),
            "left-right": (column, row),
            "right-left": (-column, row),
        }[order]

    return sorted(range(board.num_cells), key=key)


def _first(rules: Sequence[Rule], position: Position, cell: int) -> Move | None:
    """The first move of these rules at the cell that changes the position; None if there is no such move."""
    for rule in rules:
        for move in _moves(rule, position, cell):
            if move.target != position:
                return move
    return None


def _moves(rule: Rule, position: Position, cell: int) -> Iterator[Move]:
    if isinstance(rule, Pattern):
        return pattern_moves_at(rule, position, cell)
    if isinstance(rule, Action):
        return action_moves(rule, position)
    assert isinstance(rule, Slide), "the reader allows no other rules as consequences"
    return iter(_slides(rule, position, cell))


def _slides(rule: Slide, position: Position, cell: int) -> list[Move]:
    """The slides of the pieces with this top-left cell: binding by binding, then direction by direction, then layer by
    layer. In a layer, the piece that covers the first cell in reading order comes first.
    """
    puzzle = position.puzzle
    found: list[tuple[tuple[int, int, int, int], Move]] = []
    for spot in position.pieces:
        if spot[1] == cell:
            piece, first = puzzle.classes[spot[0]], min(puzzle.under[spot])
            directions = directions_of(rule, piece, puzzle.board) if puzzle.board else []
            for move in slide_moves(rule, position, spot):
                assert move.direction is not None and move.binding is not None
                key = (move.binding, directions.index(move.direction), piece.layer, first)
                found.append((key, move))
    return [move for _, move in sorted(found, key=lambda one: one[0])]


def _follow(came_from: dict[Spot, Spot | None], move: Move) -> None:
    """Update the map from each piece's place to its place before the whole move (None for a piece that is new)."""
    origins = [came_from.pop(source) for source, _ in move.moved]
    for spot in move.removed:
        del came_from[spot]
    came_from.update(zip((target for _, target in move.moved), origins, strict=True))
    came_from.update(dict.fromkeys(move.created))


def _whole(
    start: Position,
    move: Move,
    end: Position,
    came_from: dict[Spot, Spot | None],
    names: tuple[str, ...],
) -> Move:
    """The move together with its consequences."""
    went = {first: last for last, first in came_from.items() if first is not None}
    carrier = None
    if move.carrier is not None:
        source = move.carrier[0]
        target = went.get(source)
        carrier = None if target in (None, source) else (source, went[source])
    moved = [pair for pair in sorted(went.items()) if pair[0] != pair[1] and pair != carrier]
    return replace(
        move,
        target=end,
        moved=tuple(moved) if carrier is None else (*moved, carrier),
        removed=tuple(sorted(start.pieces.difference(went))),
        created=tuple(sorted(last for last, first in came_from.items() if first is None)),
        carrier=carrier,
        then=names,
        first=move,
    )
