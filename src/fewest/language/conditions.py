"""Conditions on a state: what a goal and `forbid` are made of.

Each form knows two things, which share nothing but its fields: whether it `holds` on a position of
the reference interpreter, and the `cubes` (a disjunction of partial states) that the grounder makes
of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from fewest.language.expressions import Expression

if TYPE_CHECKING:
    from fewest.grounding import Cube, Grounder
    from fewest.reference import Position


@dataclass(frozen=True)
class Holds:
    """Every cell of a terrain is covered by a piece that answers to `word`."""

    cells: tuple[int, ...]
    word: str

    def holds(self, position: Position) -> bool:
        return all(position.kind_at(cell, self.word) for cell in self.cells)

    def cubes(self, grounder: Grounder) -> list[Cube]:
        options = [
            [grounder.cube([fact]) for fact in grounder.covering(cell, self.word)]
            for cell in self.cells
        ]
        return grounder.product(options)


@dataclass(frozen=True)
class Placed:
    """Some piece that answers to `word` stands on one of the anchors given for its class."""

    word: str
    anchors: Mapping[int, frozenset[int]]

    def holds(self, position: Position) -> bool:
        return any(anchor in self.anchors.get(class_id, ()) for class_id, anchor in position.pieces)

    def cubes(self, grounder: Grounder) -> list[Cube]:
        return [
            grounder.cube([fact])
            for class_id, anchors in self.anchors.items()
            for anchor in sorted(anchors)
            if (fact := grounder.fact(class_id, anchor)) is not None
        ]


@dataclass(frozen=True)
class Count:
    """Exactly `number` pieces that answer to `word` are on the board."""

    word: str
    number: int

    def holds(self, position: Position) -> bool:
        classes = position.puzzle.classes
        return self.number == sum(classes[c].answers_to(self.word) for c, _ in position.pieces)

    def cubes(self, grounder: Grounder) -> list[Cube]:
        facts = grounder.facts_of(self.word)
        everything = frozenset(facts)
        out: list[Cube] = []
        for chosen in combinations(facts, self.number):
            cube = grounder.cube(chosen, everything.difference(chosen))
            if grounder.is_consistent(cube):
                out.append(cube)
            grounder.check_cubes(len(out))
        return out


@dataclass(frozen=True)
class Drawn:
    """Pieces stand as drawn: for each its anchor and the classes it may be; `empty` cells are free."""

    pieces: tuple[tuple[tuple[int, ...], int], ...]
    empty: tuple[int, ...]

    def holds(self, position: Position) -> bool:
        standing = position.pieces
        return all(
            any((class_id, anchor) in standing for class_id in classes)
            for classes, anchor in self.pieces
        ) and not any(cell in position.occupied for cell in self.empty)

    def cubes(self, grounder: Grounder) -> list[Cube]:
        options = [
            [
                grounder.cube([fact])
                for class_id in classes
                if (fact := grounder.fact(class_id, anchor)) is not None
            ]
            for classes, anchor in self.pieces
        ]
        empty = [fact for cell in self.empty for fact in grounder.covering(cell)]
        return grounder.product([[grounder.cube([], empty)], *options])


@dataclass(frozen=True)
class Expressed:
    """An expression is true."""

    expression: Expression
    names: Mapping[str, int]

    def holds(self, position: Position) -> bool:
        return bool(self.expression.evaluate(self.names, position))

    def cubes(self, grounder: Grounder) -> list[Cube]:
        found = grounder.split(lambda view: bool(self.expression.evaluate(self.names, view)))
        return [cube for value, cube in found if value]


@dataclass(frozen=True)
class AllOf:
    """All of these hold."""

    parts: tuple[Condition, ...]

    def holds(self, position: Position) -> bool:
        return all(part.holds(position) for part in self.parts)

    def cubes(self, grounder: Grounder) -> list[Cube]:
        return grounder.product([part.cubes(grounder) for part in self.parts])


@dataclass(frozen=True)
class AnyOf:
    """At least one of these holds."""

    parts: tuple[Condition, ...]

    def holds(self, position: Position) -> bool:
        return any(part.holds(position) for part in self.parts)

    def cubes(self, grounder: Grounder) -> list[Cube]:
        found = [cube for part in self.parts for cube in part.cubes(grounder)]
        return list(dict.fromkeys(found))


Condition = Holds | Placed | Count | Drawn | Expressed | AllOf | AnyOf
