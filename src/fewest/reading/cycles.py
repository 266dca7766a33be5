"""Reads a cycle: the cells of its rings, and the number of steps by which a move turns them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from fewest.errors import joined
from fewest.model.answer import counted
from fewest.model.rules import BACKWARD, FORWARD, Cycle, Names, Ring, Rule
from fewest.model.static_pieces import changing_classes
from fewest.reading.context import Context, Path
from fewest.reading.direction_expressions import read_turns
from fewest.reading.document import MoveEntry
from fewest.reading.drawn_pieces import DrawnPiece
from fewest.reading.guard import read_guard

_MOST_NAMES = 6  # the most pieces that a message names
_SENSES = {"forward": (FORWARD,), "backward": (BACKWARD,), "both": (FORWARD, BACKWARD)}


def read_cycle(
    context: Context, name: str, move: MoveEntry, path: Path, first_ring: int
) -> Cycle | None:
    """The rule that a `cycle` or `cycles` defines; None after reporting mistakes. The numbers of the rings start at
    `first_ring`.
    """
    assert context.board is not None
    if move.cycle is not None and move.cycles is not None:
        message = "`cycle` and `cycles` cannot be used together"
        hint = "`cycle` defines one ring, `cycles` several"
        context.error((*path, "cycles"), "move-key-unused", message, hint=hint)
        return None
    guard = read_guard(context, move, path)
    raw = "both" if move.directions is None else move.directions
    what = "direction of a ring"
    headed = read_turns(context, (*path, "directions"), raw, guard, _SENSES, what)
    if headed is None:
        return None
    guard = headed.guard
    rings: list[Ring] = []
    senses_of_bindings = guard.directions_of_binding or [headed.directions] * len(guard.bindings)
    for origin, senses, names in zip(
        headed.origins, senses_of_bindings, guard.bindings, strict=True
    ):
        found = _rings(context, move, path, names)
        steps = context.integer((*path, "steps"), 1 if move.steps is None else move.steps, names)
        if found is None or steps is None:
            return None
        cells = tuple(cell for ring in found for cell in ring)
        targets = tuple(
            ring[(place + steps) % len(ring)] for ring in found for place in range(len(ring))
        )
        if targets == cells:
            message = f"turning the rings by {counted(steps, 'steps')} changes nothing"
            context.error((*path, "steps"), "cycle-cell", message)
            return None
        ring = Ring(first_ring + origin, cells, targets, names, senses)
        is_same = move.directions is None and _is_half(ring)
        rings.append(replace(ring, directions=(FORWARD,)) if is_same else ring)
    return Cycle(name, replace(guard, directions_of_binding=()), tuple(rings))


def report_stuck(
    context: Context, rules: Sequence[Rule], drawn: Sequence[DrawnPiece], class_of: Sequence[int]
) -> None:
    """Report each cycle that can never turn because each of its rings always contains a piece of several cells.

    `rules`: all rules, including those under `then`. `class_of`: the class of each drawn piece. A piece that some rule
    moves or removes may leave its ring, which can then turn.
    """
    assert context.board is not None
    changing = changing_classes(rules, context.classes)
    # for each cell, the piece of several cells that stays on it
    staying: dict[int, DrawnPiece] = {}
    for piece, class_id in zip(drawn, class_of, strict=True):
        known = context.classes[class_id]
        if not known.is_single_cell and known.id not in changing:
            cells = context.board.cover(piece.shape, piece.anchor) or ()
            staying.update(dict.fromkeys(cells, piece))
    for rule in rules:
        if not isinstance(rule, Cycle):
            continue
        met = [next((staying[c] for c in ring.cells if c in staying), None) for ring in rule.rings]
        names = list(dict.fromkeys(piece.label or piece.kind for piece in met if piece is not None))
        if met and None not in met:
            if len(names) == 1:
                what = f"`{names[0]}`, a piece of several cells, never leaves the ring"
            else:
                named = joined([f"`{name}`" for name in names[:_MOST_NAMES]], "and")
                what = f"{named}, pieces of several cells, never leave its rings"
            move = (context.document.moves or {})[rule.name]
            key = "cycle" if move.cycle is not None else "cycles"
            context.error(
                ("moves", rule.name, key),
                "cycle-piece",
                f"`{rule.name}` can never apply, because {what}",
                hint="a ring can move only pieces of one cell; add a rule that moves the large piece away, or define "
                "other rings",
            )


def _is_half(ring: Ring) -> bool:
    """Whether turning the ring backward and turning it forward have the same result. Returns False for rings of at most
    two cells.
    """
    goes = dict(zip(ring.cells, ring.targets, strict=True))
    return len(goes) > 2 and all(goes[target] == cell for cell, target in goes.items())


def _rings(
    context: Context, move: MoveEntry, path: Path, names: Names
) -> list[tuple[int, ...]] | None:
    """The cells of the rings of one binding; None if a mistake was reported."""
    key = "cycle" if move.cycle is not None else "cycles"
    raw: Any = move.cycle if move.cycle is not None else move.cycles
    here: Path = (*path, key)
    if isinstance(raw, str):
        raw = context.constant(here, raw, names)
        if raw is None:
            return None
    written = [raw] if key == "cycle" else raw
    found: list[tuple[int, ...]] = []
    seen: set[int] = set()
    for number, ring in enumerate(written if isinstance(written, Sequence) else [written]):
        place = here if key == "cycle" else (*here, number)
        if isinstance(ring, str):
            ring = context.constant(place, ring, names)
        cells = _ring(context, place, ring, names)
        if cells is None:
            return None
        if len(cells) < 2 or len({*cells}) < len(cells) or seen & {*cells}:
            message = "a ring must have at least two cells, and no cell may occur twice"
            context.error(_written_at(context, place), "cycle-cell", message)
            return None
        seen |= {*cells}
        found.append(cells)
    if not found:
        context.error(here, "cycle-cell", "the list of rings is empty")
        return None
    return found


def _ring(context: Context, path: Path, ring: object, names: Names) -> tuple[int, ...] | None:
    """The cells of a ring; None if a mistake was reported."""
    board = context.board
    assert board is not None
    cells: list[int] = []
    for index, place in enumerate(ring if isinstance(ring, (list, tuple)) else [ring]):
        here = _written_at(context, (*path, index))
        if isinstance(place, str) and place in board.nodes:
            cells.append(board.nodes[place])
            continue
        if not isinstance(place, (list, tuple)) or len(place) != 2:
            message = f"`{place}` is not a cell"
            context.error(here, "cycle-cell", message, hint="write [row, column]")
            return None
        row, column = (
            context.integer(_written_at(context, (*here, axis)), number, names)
            for axis, number in enumerate(place)
        )
        if row is None or column is None:
            return None
        cell = board.cell(row, column)
        if cell is None or cell in board.walls:
            what = "outside the board" if cell is None else "a wall"
            context.error(here, "cycle-cell", f"({row}, {column}) is {what}")
            return None
        cells.append(cell)
    return tuple(cells)


def _written_at(context: Context, path: Path) -> Path:
    """The longest prefix of the path that has a location in the document; the value of an expression has no
    location.
    """
    while not context.loaded.has(path):
        path = path[:-1]
    return path
