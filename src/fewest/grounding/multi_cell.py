"""Grounds the effects of patterns on pieces of several cells: their targets, and the cells that must be free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fewest.grounding.facts import ProvisionalFacts
from fewest.grounding.view import FactView
from fewest.model.board import Direction
from fewest.model.rules import Form


class MultiCellEffect(NamedTuple):
    """The effect of a form on pieces of any shape. The layer cells `entered` must be free of all pieces except those in
    `going`.
    """

    moved: list[tuple[int, int]]
    removed: list[int]
    entered: tuple[int, ...]
    going: frozenset[int]

    def blockers(self, facts: ProvisionalFacts) -> list[int]:
        """The facts that must be false for the pieces to have room."""
        return [
            f
            for layer_cell in self.entered
            for f in facts.covering(layer_cell)
            if f not in self.going
        ]

    def has_room(self, view: FactView) -> bool:
        """Whether none of the blocking facts is true. Raises UndecidedError."""
        return all(
            view.exclusive([f for f in view.facts.covering(layer_cell) if f not in self.going])
            is None
            for layer_cell in self.entered
        )


def multi_cell_effects(
    facts: ProvisionalFacts,
    form: Form,
    cells: Sequence[int | None],
    standing: Mapping[int, int],
    created: Sequence[int],
    direction: Direction,
) -> MultiCellEffect | None:
    """The effect on the pieces at the places of a form; None if it is impossible whatever the other cells contain."""
    targets: dict[int, int | None] = {}  # in the order of each piece's last pair in form.carried
    for start, end in form.carried:
        fact = standing[start]
        steps = form.at[end] - form.at[start]
        target = _carried_to(facts, fact, cells[start], cells[end], direction, steps)
        if target is None or targets.pop(fact, target) != target:
            return None
        targets[fact] = target
    for place in form.removed:
        if place in standing and targets.setdefault(standing[place]) is not None:
            return None
    going = frozenset(fact for fact, target in targets.items() if target != fact)
    arriving = [(fact, target) for fact, target in targets.items() if target is not None]
    holder: dict[
        int, int
    ] = {}  # For each layer cell that is occupied after the move, the old fact of its piece.
    for fact, target in [*arriving, *((-1 - number, fact) for number, fact in enumerate(created))]:
        for layer_cell in facts.layer_cells_of(target):
            if holder.setdefault(layer_cell, fact) != fact:
                return None
    if not _matches_pattern(facts, form, cells, standing, targets, holder):
        return None
    moved = [(fact, target) for fact, target in arriving if fact != target]
    removed = [fact for fact, target in targets.items() if target is None]
    entered = [b for _, target in moved for b in facts.layer_cells_of(target)]
    entered += [b for fact in created for b in facts.layer_cells_of(fact)]
    return MultiCellEffect(moved, removed, tuple(dict.fromkeys(entered)), going)


def _carried_to(
    facts: ProvisionalFacts,
    fact: int,
    source: int | None,
    goal: int | None,
    direction: Direction,
    steps: int,
) -> int | None:
    """The fact of a piece after its cell `source` has moved to `goal`; None if the piece does not fit or cannot
    pass.
    """
    assert source is not None and goal is not None, "pieces stand on floor cells"
    board, piece = facts.board, facts.puzzle.classes[facts.class_of(fact)]
    if piece.is_single_cell:
        return facts.fact(piece.id, goal)
    here = board.cover(piece.shape, facts.facts[fact].cell) or ()
    offset = piece.shape[here.index(source)]
    (row, column), (down, right) = board.at(goal), offset
    anchor = board.cell(row - down, column - right)
    target = None if anchor is None else facts.fact(piece.id, anchor)
    if anchor is None or target is None or not board.exits or direction.offset == (0, 0):
        return target
    there = board.cover(piece.shape, anchor) or ()
    line: list[int | None] = list(here if steps > 0 else there)
    for _ in range(abs(steps)):
        line = [None if cell is None else board.step(cell, direction.offset) for cell in line]
    return target if tuple(line) == (there if steps > 0 else here) else None


def _matches_pattern(
    facts: ProvisionalFacts,
    form: Form,
    cells: Sequence[int | None],
    standing: Mapping[int, int],
    named: Iterable[int],
    holder: Mapping[int, int],
) -> bool:
    """Whether, as far as the named pieces determine it, every place has the contents that the form requires after the
    move. `named`: the old facts of these pieces, including those that stay.
    """
    comes = {end: standing[start] for start, end in form.carried}
    comes.update((place, -1 - number) for number, (place, _) in enumerate(form.created))
    left = {*(start for start, _ in form.carried), *form.removed}
    before = {layer_cell: fact for fact in named for layer_cell in facts.layer_cells_of(fact)}
    for place, (element, cell) in enumerate(zip(form.elements, cells, strict=True)):
        if cell is None or cell in facts.board.walls or "_" in element.words:
            continue
        layer_cell = facts.layer_cell(cell, element.layer)
        wanted = comes.get(place, None if place in left else before.get(layer_cell))
        if holder.get(layer_cell) != wanted:
            return False
    return True
