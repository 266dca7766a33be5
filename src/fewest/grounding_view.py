"""The grounder's answer to expressions: a partial state that asks for a case split when it must.

An expression is evaluated on a cube. As long as the cube and the invariants decide what it asks, it
gets an answer; otherwise `UndecidedError` carries the alternatives back to `Grounder.split`, which evaluates
it anew on each of them. The result is a decision tree whose leaves are disjoint cubes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fewest.language.board import Board
from fewest.language.expressions import Content

if TYPE_CHECKING:
    from fewest.grounding import Cube, Grounder


class UndecidedError(Exception):
    """The cube does not decide the question; each alternative adds facts that are true and false."""

    def __init__(self, alternatives: list[tuple[list[int], list[int]]]) -> None:
        super().__init__("the answer depends on the state")
        self.alternatives = alternatives


class PartialView:
    """A cube that answers expressions (the View protocol), or raises UndecidedError."""

    def __init__(self, grounder: Grounder, cube: Cube) -> None:
        self.grounder = grounder
        self.cube = cube

    @property
    def board(self) -> Board:
        return self.grounder.board

    def truth(self, fact: int) -> bool | None:
        """Whether the fact holds everywhere in the cube (True), nowhere (False), or it depends."""
        cube, grounder = self.cube, self.grounder
        if fact in cube.positive:
            return True
        if fact in cube.negative or not grounder.fits_with(fact, cube.positive):
            return False
        slot = grounder.facts[fact].slot
        if slot >= 0 and all(f == fact or f in cube.negative for f in grounder.value_facts[slot]):
            return True
        return None

    def _open(self, facts: list[int]) -> tuple[int | None, list[int]]:
        """The one of these exclusive facts that holds, if it is known, and those that still could."""
        possible: list[int] = []
        for fact in facts:
            truth = self.truth(fact)
            if truth:
                return fact, []
            if truth is None:
                possible.append(fact)
        return None, possible

    def variable(self, slot: int) -> int | str:
        facts = list(self.grounder.value_facts[slot])
        known, possible = self._open(facts)
        if known is None:
            if len(possible) == 1:
                known = possible[0]
            else:
                raise UndecidedError([([fact], []) for fact in possible])
        return self.grounder.facts[known].value

    def variable_is(self, slot: int, value: int | str) -> bool:
        fact = self.grounder.value_fact(slot, value)
        if fact is None:
            return False
        truth = self.truth(fact)
        if truth is None:
            raise UndecidedError([([fact], []), ([], [fact])])
        return truth

    def content(self, row: int, column: int) -> Content:
        cell = self.board.cell(row, column)
        if cell is None or cell in self.board.walls:
            return Content("wall")
        known = self._exclusive(self.grounder.covering(cell))
        if known is None:
            return Content("empty")
        piece = self.grounder.puzzle.classes[self.grounder.class_of(known)]
        return Content(piece.kind, piece.label)

    def _exclusive(self, facts: list[int]) -> int | None:
        """Which of some facts, at most one of which holds, does hold."""
        known, possible = self._open(facts)
        if known is None and possible:
            raise UndecidedError([*(([fact], []) for fact in possible), ([], possible)])
        return known

    def place(self, name: str) -> tuple[int, int]:
        known = self._exclusive(self.grounder.facts_of(name))
        return (-1, -1) if known is None else self.board.at(self.grounder.facts[known].cell)

    def count(self, name: str, terrain: str | None) -> int:
        cells = None if terrain is None else self.board.terrain[terrain]
        total = 0
        for fact in self.grounder.facts_of(name):
            if cells is not None and self.grounder.facts[fact].cell not in cells:
                continue
            truth = self.truth(fact)
            if truth is None:
                raise UndecidedError([([fact], []), ([], [fact])])
            total += truth
        return total
