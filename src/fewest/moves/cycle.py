"""Cycles: the contents of a ring of cells all move one cell on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fewest.language.board import Direction
from fewest.moves.guard import Guard, Names, check_guard, words

if TYPE_CHECKING:
    from fewest.grounding import Grounder
    from fewest.language.context import Context, Path
    from fewest.language.document import Move as MoveDocument
    from fewest.reference import Move, Position, Spot

FORWARD = Direction((0, 0), "forward", "↻")
BACKWARD = Direction((0, 0), "backward", "↺")


@dataclass(frozen=True)
class Ring:
    """One ring: its cells in order, and the names in scope for `when`, `set` and the plan."""

    id: int
    cells: tuple[int, ...]
    names: Names


@dataclass(frozen=True)
class Cycle:
    """`cycle: [[r, c], …]`, turned both ways or one. Pieces of one cell only are turned."""

    name: str
    guard: Guard
    rings: tuple[Ring, ...]
    turns: tuple[Direction, ...]
    count: int = 1

    def ground(self, grounder: Grounder) -> None:
        """One operator for each way the ring can be filled: a flip must not depend on the state."""
        classes = grounder.puzzle.classes
        for ring in self.rings:
            options: list[list[int | None]] = []
            for cell in ring.cells:
                facts = grounder.covering(cell)
                options.append(
                    [None, *(f for f in facts if classes[grounder.class_of(f)].is_single_cell)]
                )
            for contents in self._fillings(grounder, options):
                free = [
                    fact
                    for cell, content in zip(ring.cells, contents, strict=True)
                    if content is None
                    for fact in grounder.covering(cell)
                ]
                for turn in self.turns:
                    self._add(grounder, ring, contents, free, turn)

    def _fillings(
        self, grounder: Grounder, options: list[list[int | None]]
    ) -> Iterator[tuple[int | None, ...]]:
        """All contents of the ring that use no class more often than it has pieces."""

        def extend(prefix: tuple[int | None, ...]) -> Iterator[tuple[int | None, ...]]:
            if len(prefix) == len(options):
                yield prefix
                return
            for option in options[len(prefix)]:
                if option is None or grounder.has_room(
                    option, [fact for fact in prefix if fact is not None]
                ):
                    yield from extend((*prefix, option))

        yield from extend(())

    def _add(
        self, grounder: Grounder, ring: Ring, contents: tuple[int | None, ...], free: list[int],
        turn: Direction,
    ) -> None:  # fmt: skip
        size = len(ring.cells)
        shift = 1 if turn is FORWARD else -1
        moved: list[tuple[int, int]] = []
        for index, fact in enumerate(contents):
            if fact is None:
                continue
            target = grounder.fact(grounder.class_of(fact), ring.cells[(index + shift) % size])
            if target is None:
                return
            moved.append((fact, target))
        cube = grounder.cube([start for start, _ in moved], free)
        for refined, changes in self.guard.ground(grounder, ring.names, cube):
            grounder.add(
                self.name, refined, changes, moved=moved, direction=turn, ring=ring.id,
                words=words(ring.names, self.guard.loop_names),
            )  # fmt: skip

    def moves(self, position: Position) -> Iterator[Move]:
        classes = position.puzzle.classes
        for ring in self.rings:
            standing = [position.occupied.get(cell) for cell in ring.cells]
            if any(spot and not classes[spot[0]].is_single_cell for spot in standing):
                continue
            for turn in self.turns:
                order = ring.cells[1:] + ring.cells[:1]
                if turn is BACKWARD:
                    order = ring.cells[-1:] + ring.cells[:-1]
                changes: dict[Spot, Spot | None] = {}
                for spot, target in zip(standing, order, strict=True):
                    if spot is not None:
                        changes[spot] = (spot[0], target)
                if any(new and new[1] not in classes[new[0]].cells for new in changes.values()):
                    continue
                assigned = self.guard.apply(position, ring.names)
                if assigned is not None:
                    yield position.move(
                        self.name, changes, assigned, direction=turn, ring=ring.id,
                        words=words(ring.names, self.guard.loop_names),
                    )  # fmt: skip


def check(
    context: Context, name: str, move: MoveDocument, path: Path, first_ring: int
) -> Cycle | None:
    """The rule of a `cycle`, mistakes reported; rings are numbered from `first_ring` on."""
    assert move.cycle is not None and context.board is not None
    guard = check_guard(context, move, path)
    rings: list[Ring] = []
    here = (*path, "cycle")
    for names in guard.bindings:
        cells: list[int] = []
        for index, (row_text, column_text) in enumerate(move.cycle):
            row = context.integer((*here, index, 0), row_text, names)
            column = context.integer((*here, index, 1), column_text, names)
            if row is None or column is None:
                return None
            cell = context.board.cell(row, column)
            if cell is None or cell in context.board.walls:
                what = "outside the board" if cell is None else "a wall"
                context.error((*here, index), "cycle-cell", f"({row}, {column}) is {what}")
                return None
            cells.append(cell)
        if len(cells) < 2 or len(set(cells)) < len(cells):
            context.error(here, "cycle-cell", "a ring has at least two cells, each of them once")
            return None
        rings.append(Ring(first_ring + len(rings), tuple(cells), names))
    turns: tuple[Direction, ...] = (FORWARD, BACKWARD)
    if move.directions is not None:
        chosen = {"forward": (FORWARD,), "backward": (BACKWARD,), "both": turns}.get(
            str(move.directions)
        )
        if chosen is None:
            context.unknown(
                (*path, "directions"), "unknown-direction", "direction of a ring",
                str(move.directions), ["forward", "backward", "both"],
            )  # fmt: skip
            return None
        turns = chosen
    return Cycle(name, guard, tuple(rings), turns, 1 if move.count is None else move.count)
