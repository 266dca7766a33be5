"""Grounding: a `Puzzle` becomes a `Task`.

The rule kinds add operators over *provisional* facts (every class on every cell where it fits, every
value of every variable). A relaxed exploration then keeps the facts that can ever become true and
numbers them anew, and the invariants are read off the operators that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from fewest.analysis.invariants import exactly_groups
from fewest.grounding_view import PartialView, UndecidedError
from fewest.language.board import Board, Direction
from fewest.language.puzzle import Puzzle
from fewest.task import Fact, Operator, Task

if TYPE_CHECKING:
    from fewest.errors import FewestError

MAX_FACTS = 1_024  # sixteen words of 64 bits
MAX_OPERATORS = 200_000
MAX_CUBES = 50_000

T = TypeVar("T")


class Cube(NamedTuple):
    """A partial state over provisional facts: these true, those false."""

    positive: frozenset[int]
    negative: frozenset[int]


@dataclass(frozen=True)
class _Draft:
    """An operator over provisional facts."""

    rule: str
    cube: Cube
    flip: frozenset[int]
    moved: tuple[int, int]
    ring: int
    direction: Direction | None
    words: str


def ground(puzzle: Puzzle) -> Task:
    """The task of a puzzle. Raises DocumentError (`task-too-large`) past the limits above."""
    grounder = Grounder(puzzle)
    for rule in puzzle.rules:
        rule.ground(grounder)
    goal = puzzle.goal.cubes(grounder) if puzzle.goal is not None else []
    forbid = [cube for condition in puzzle.forbid for cube in condition.cubes(grounder)]
    return _Assembly(grounder).task(goal, forbid)


class Grounder:
    """Provisional facts, and the operators collected so far."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.facts: list[Fact] = []
        self.drafts: dict[_Draft, None] = {}
        self._cells: list[tuple[int, ...]] = []
        self._cell_mask: list[int] = []
        self._fact_of_spot: dict[tuple[int, int], int] = {}
        self._fact_of_value: dict[tuple[int, int | str], int] = {}
        self._anchors: list[list[int]] = []
        self.value_facts: list[tuple[int, ...]] = []
        cells = 0 if puzzle.board is None else puzzle.board.num_cells
        self._covering: list[list[int]] = [[] for _ in range(cells)]
        # How many pieces of a class there can ever be; None where rules create some.
        created = {c for rule in puzzle.rules for c in getattr(rule, "created_classes", ())}
        self.class_count: list[int | None] = [
            None if piece.id in created else sum(p.class_id == piece.id for p in puzzle.pieces)
            for piece in puzzle.classes
        ]
        self._add_piece_facts()
        if len(self.facts) > 16 * MAX_FACTS:
            self.too_large(f"{len(self.facts):,} facts", f"{16 * MAX_FACTS:,} before reduction")
        num_values = sum(len(variable.values) for variable in puzzle.variables)
        if num_values > MAX_FACTS:
            self.too_large(f"{num_values:,} values of variables", f"{MAX_FACTS:,}")
        self._add_variable_facts()

    @property
    def board(self) -> Board:
        assert self.puzzle.board is not None
        return self.puzzle.board

    def _add_piece_facts(self) -> None:
        for piece in self.puzzle.classes:
            anchors: list[int] = []
            for anchor in range(self.board.num_cells):
                cells = self.board.cover(piece.shape, anchor)
                if cells is None or not piece.cells.issuperset(cells):
                    continue
                fact_id = len(self.facts)
                name = f"{piece.label or piece.kind}@{','.join(map(str, self.board.at(anchor)))}"
                self.facts.append(Fact(name, class_id=piece.id, cell=anchor))
                self._fact_of_spot[piece.id, anchor] = fact_id
                self._cells.append(cells)
                self._cell_mask.append(sum(1 << cell for cell in cells))
                for cell in cells:
                    self._covering[cell].append(fact_id)
                anchors.append(anchor)
            self._anchors.append(anchors)

    def _add_variable_facts(self) -> None:
        for slot, variable in enumerate(self.puzzle.variables):
            ids: list[int] = []
            for value in variable.values:
                fact_id = len(self.facts)
                self.facts.append(Fact(f"{variable.name}={value}", slot=slot, value=value))
                self._fact_of_value[slot, value] = fact_id
                self._cells.append(())
                self._cell_mask.append(0)
                ids.append(fact_id)
            self.value_facts.append(tuple(ids))

    # -- facts --------------------------------------------------------------------------------------

    def fact(self, class_id: int, anchor: int) -> int | None:
        """The fact "a piece of the class stands at the anchor"; None where it does not fit."""
        return self._fact_of_spot.get((class_id, anchor))

    def anchors(self, class_id: int) -> list[int]:
        """Where a class fits, in reading order."""
        return self._anchors[class_id]

    def covering(self, cell: int, word: str = "any") -> list[int]:
        """The facts that cover a cell, of the classes that answer to `word`."""
        if word == "any":
            return self._covering[cell]
        classes = self.puzzle.classes
        return [f for f in self._covering[cell] if classes[self.class_of(f)].answers_to(word)]

    def cells(self, class_id: int, anchor: int) -> tuple[int, ...]:
        """The cells under a class at an anchor where it fits."""
        return self._cells[self._fact_of_spot[class_id, anchor]]

    def cells_of_fact(self, fact: int) -> tuple[int, ...]:
        return self._cells[fact]

    def class_of(self, fact: int) -> int:
        return self.facts[fact].class_id

    def facts_of(self, word: str) -> list[int]:
        """All facts of the classes that answer to `word`."""
        classes = [c.id for c in self.puzzle.classes if c.answers_to(word)]
        return [
            fact for c in classes for a in self._anchors[c] if (fact := self.fact(c, a)) is not None
        ]

    def value_fact(self, slot: int, value: object) -> int | None:
        """The fact "the variable has this value"; None if it is not one of its values."""
        return self._fact_of_value.get((slot, value)) if isinstance(value, (int, str)) else None

    def value_fact_of(self, slot: int, value: int | str) -> int:
        return self._fact_of_value[slot, value]

    # -- cubes --------------------------------------------------------------------------------------

    def cube(self, positive: Iterable[int], negative: Iterable[int] = ()) -> Cube:
        return Cube(frozenset(positive), frozenset(negative))

    def overlap(self, fact: int, other: int) -> bool:
        """Whether two different facts can never hold together: a cell or a variable in common."""
        if self._cell_mask[fact] & self._cell_mask[other]:
            return True
        slot = self.facts[fact].slot
        return slot >= 0 and slot == self.facts[other].slot

    def has_room(self, fact: int, others: Collection[int]) -> bool:
        """Whether the fact's class has a piece left when `others` (different facts) are true."""
        class_id = self.facts[fact].class_id
        count = None if class_id < 0 else self.class_count[class_id]
        return count is None or count > sum(self.facts[f].class_id == class_id for f in others)

    def fits_with(self, fact: int, others: Collection[int]) -> bool:
        """Whether a fact can be true together with these different ones."""
        return not any(self.overlap(fact, f) for f in others) and self.has_room(fact, others)

    def is_consistent(self, cube: Cube) -> bool:
        """Whether some state could be in the cube, by cells, variables and numbers of pieces."""
        if cube.positive & cube.negative:
            return False
        seen: list[int] = []
        for fact in cube.positive:
            if not self.fits_with(fact, seen):
                return False
            seen.append(fact)
        return True

    def product(self, options: list[list[Cube]]) -> list[Cube]:
        """The cubes of a conjunction of disjunctions, inconsistent ones left out."""
        out = [self.cube([])]
        for option in sorted(options, key=len):
            merged: dict[Cube, None] = {}
            for left in out:
                for right in option:
                    cube = Cube(left.positive | right.positive, left.negative | right.negative)
                    if self.is_consistent(cube):
                        merged[cube] = None
                self.check_cubes(len(merged))
            out = list(merged)
        return out

    def split(
        self, decide: Callable[[PartialView], T], cube: Cube | None = None
    ) -> list[tuple[T, Cube]]:
        """What `decide` says, for each way to refine `cube` that it needs to know (disjoint cubes)."""
        todo = [cube or self.cube([])]
        out: list[tuple[T, Cube]] = []
        while todo:
            current = todo.pop()
            try:
                value = decide(PartialView(self, current))
            except UndecidedError as needed:
                for positive, negative in reversed(needed.alternatives):
                    refined = Cube(
                        current.positive | frozenset(positive),
                        current.negative | frozenset(negative),
                    )
                    if self.is_consistent(refined):
                        todo.append(refined)
                continue
            out.append((value, current))
            self.check_cubes(len(out))
        return out

    # -- operators ----------------------------------------------------------------------------------

    def add(
        self, rule: str, cube: Cube, changes: dict[int, tuple[int, int]], *,
        moved: Iterable[tuple[int, int]] = (), removed: Iterable[int] = (),
        created: Iterable[int] = (), direction: Direction | None = None, ring: int = -1,
        words: str = "",
    ) -> None:  # fmt: skip
        """Add one operator: pieces move, vanish and appear, and variables change from old to new."""
        pairs = [pair for pair in moved if pair[0] != pair[1]]
        deleted = {source for source, _ in pairs} | set(removed)
        added = {target for _, target in pairs} | set(created)
        for old, new in changes.values():
            if old != new:
                deleted.add(old)
                added.add(new)
        flip = deleted ^ added
        if not flip:
            return
        refined = Cube(
            cube.positive | (deleted - added), (cube.negative | (added - deleted)) - deleted
        )
        if not self.is_consistent(refined):
            return
        carrier = pairs[-1] if pairs and ring < 0 else (-1, -1)
        draft = _Draft(rule, refined, frozenset(flip), carrier, ring, direction, words)
        self.drafts[draft] = None
        if len(self.drafts) > MAX_OPERATORS:
            self.too_large(f"over {MAX_OPERATORS:,} operators", f"{MAX_OPERATORS:,}")

    def check_cubes(self, number: int) -> None:
        if number > MAX_CUBES:
            self.too_large(
                f"a condition of over {MAX_CUBES:,} cases", f"{MAX_CUBES:,}",
            )  # fmt: skip

    def too_large(self, size: str, limit: str) -> None:
        raise self.error(f"this puzzle is too large: {size}; the limit is {limit}")

    def error(self, message: str) -> FewestError:
        return self.puzzle.blame(
            "task-too-large", message, "smaller parameters, a smaller board, or simpler conditions"
        )


class _Assembly:
    """Drops what can never become true, numbers the rest anew, and builds the task."""

    def __init__(self, grounder: Grounder) -> None:
        self.grounder = grounder
        self.puzzle = grounder.puzzle
        self.initial = frozenset(self._initial())
        self.drafts = list(grounder.drafts)
        self.reached = self._relaxed_reachable()
        kept = sorted(self.reached)
        if len(kept) > MAX_FACTS:
            grounder.too_large(f"{len(kept):,} facts", f"{MAX_FACTS:,}")
        self.new_id = {fact: number for number, fact in enumerate(kept)}
        self.facts = tuple(grounder.facts[fact] for fact in kept)

    def _initial(self) -> Iterable[int]:
        for piece in self.puzzle.pieces:
            fact = self.grounder.fact(piece.class_id, piece.anchor)
            assert fact is not None, "the compiler checked that every piece fits where it stands"
            yield fact
        for slot, variable in enumerate(self.puzzle.variables):
            yield self.grounder.value_fact_of(slot, variable.initial)

    def _relaxed_reachable(self) -> set[int]:
        """Facts that can become true if nothing ever becomes false (Bonet and Geffner 2001)."""
        waiting: dict[int, list[int]] = {}
        missing = [0] * len(self.drafts)
        reached: set[int] = set()
        queue = list(self.initial)

        def fire(index: int) -> None:
            draft = self.drafts[index]
            queue.extend(draft.flip - draft.cube.positive)

        for index, draft in enumerate(self.drafts):
            missing[index] = len(draft.cube.positive)
            for fact in draft.cube.positive:
                waiting.setdefault(fact, []).append(index)
            if not draft.cube.positive:
                fire(index)
        while queue:
            fact = queue.pop()
            if fact in reached:
                continue
            reached.add(fact)
            for index in waiting.get(fact, ()):
                missing[index] -= 1
                if missing[index] == 0:
                    fire(index)
        self.drafts = [d for d, count in zip(self.drafts, missing, strict=True) if count == 0]
        return reached

    def _bits(self, facts: Iterable[int]) -> int:
        bits = 0
        for fact in facts:
            number = self.new_id.get(fact)
            if number is not None:
                bits |= 1 << number
        return bits

    def _cubes(self, cubes: list[Cube]) -> tuple[tuple[int, int], ...]:
        out: dict[tuple[int, int], None] = {}
        for cube in cubes:
            if cube.positive <= self.reached:
                value = self._bits(cube.positive)
                out[self._bits(cube.negative) | value, value] = None
        return tuple(out)

    def task(self, goal: list[Cube], forbid: list[Cube]) -> Task:
        new_id = self.new_id
        negative_bits: dict[frozenset[int], int] = {}
        operators: list[Operator] = []
        for draft in self.drafts:
            value = self._bits(draft.cube.positive)
            negative = negative_bits.get(draft.cube.negative)
            if negative is None:
                negative = negative_bits[draft.cube.negative] = self._bits(draft.cube.negative)
            source, target = draft.moved
            operators.append(
                Operator(
                    rule=draft.rule,
                    mask=value | negative,
                    value=value,
                    flip=self._bits(draft.flip),
                    from_fact=new_id.get(source, -1),
                    to_fact=new_id.get(target, -1),
                    ring=draft.ring,
                    direction=draft.direction,
                    words=draft.words,
                )
            )
        grounder = self.grounder
        covering = [
            tuple(new_id[f] for f in grounder.covering(cell) if f in new_id)
            for cell in (() if self.puzzle.board is None else self.puzzle.board.floors)
        ]
        initial = self._bits(self.initial)
        return Task(
            name=self.puzzle.name,
            facts=self.facts,
            operators=tuple(operators),
            initial=initial,
            goal=self._cubes(goal),
            has_goal=self.puzzle.goal is not None,
            forbid=self._cubes(forbid),
            exactly=exactly_groups(self.facts, operators, initial),
            at_most_one=tuple(facts for facts in covering if len(facts) > 1),
            metrics=self.puzzle.metrics,
            default_metric=self.puzzle.default_metric,
            fact_of_spot={(f.class_id, f.cell): i for i, f in enumerate(self.facts) if f.slot < 0},
            fact_of_value={(f.slot, f.value): i for i, f in enumerate(self.facts) if f.slot >= 0},
        )
