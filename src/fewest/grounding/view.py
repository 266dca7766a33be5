"""Evaluates expressions on partial states.

If the partial state and the invariants do not decide a question of the expression, the view raises `UndecidedError`
with the alternatives. `Grounder.split` then evaluates the expression again on each alternative. The result is a
decision tree; its leaves are disjoint partial states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, product

from fewest.grounding.facts import ProvisionalFacts, UsedResources
from fewest.grounding.partial import PartialState
from fewest.model.board import Board, Offset
from fewest.model.expression import Area, Content, Ground


class UndecidedError(Exception):
    """Raised if the partial state does not decide a question; each alternative adds true facts and false facts."""

    def __init__(self, alternatives: list[tuple[list[int], list[int]]]) -> None:
        super().__init__("the answer depends on the state")
        self.alternatives = alternatives
        self.begun: object = None  # the computation that can continue after the decision


class FactView(ABC):
    """Facts that are true, false or undecided. The class implements the View protocol of expressions; its methods raise
    UndecidedError if the value depends on an undecided fact.

    All methods use only `truth`. A subclass defines `truth` for one point in time: `PartialView` for the position
    before a move, `IntermediateView` for the state after some changes. Therefore, no method can confuse these two
    states.
    """

    facts: ProvisionalFacts

    @abstractmethod
    def truth(self, fact: int) -> bool | None:
        """True if the fact is true in all states of the partial state, False if it is true in none, and None if it is
        undecided.
        """

    @property
    def board(self) -> Board:
        return self.facts.board

    def _open(self, facts: list[int]) -> tuple[int | None, list[int]]:
        """The fact that is known to be true among these mutually exclusive facts; if there is no such fact, None and
        the undecided facts.
        """
        possible: list[int] = []
        for fact in facts:
            truth = self.truth(fact)
            if truth:
                return fact, []
            if truth is None:
                possible.append(fact)
        return None, possible

    def variable(self, slot: int) -> int | str:
        known, possible = self._open_values(slot)
        if known is None:
            raise UndecidedError([([fact], []) for fact in possible])
        return self.facts.facts[known].value

    def _open_values(self, slot: int) -> tuple[int | None, Sequence[int]]:
        """The fact for the value of a variable; if the value is undecided, None and the possible facts."""
        known, possible = self._open([*self.facts.value_facts[slot]])
        return (possible[0], ()) if known is None and len(possible) == 1 else (known, possible)

    def variable_is(self, slot: int, value: object) -> bool:
        if not isinstance(value, (int, str)):  # the content or the terrain of a cell equals words
            return bool(self.variable(slot) == value)
        fact = self.facts.value_fact(slot, value)
        if fact is None:
            return False
        truth = self.truth_of_value(slot, fact)
        if truth is None:
            raise UndecidedError([([fact], []), ([], [fact])])
        return truth

    def truth_of_value(self, slot: int, fact: int) -> bool | None:
        """Like `truth`, but for a fact about the value of a variable."""
        return self.truth(fact)

    def content(self, row: int, column: int, layer: int) -> Content:
        cell = self.board.cell(row, column)
        if cell is None or cell in self.board.walls:
            return Content("wall")
        known = self.exclusive(self.facts.covering(self.facts.layer_cell(cell, layer)))
        if known is None:
            return Content("empty")
        piece = self.facts.puzzle.classes[self.facts.class_of(known)]
        return Content(piece.kind, piece.label, piece.any_colour)

    def ground(self, row: int, column: int) -> Ground:
        cell, terrain = self.board.cell(row, column), self.board.terrain
        if not self.board.floor(cell):
            return Ground(frozenset(["wall"]))
        return Ground(frozenset(t for t in terrain if cell in terrain[t]) or frozenset(["floor"]))

    def exclusive(self, facts: list[int]) -> int | None:
        """The true fact among these mutually exclusive facts; None if all are false. Raises UndecidedError."""
        known, possible = self._open(facts)
        if known is None and possible:
            raise UndecidedError([*(([fact], []) for fact in possible), ([], possible)])
        return known

    def place(self, name: str) -> tuple[int, int]:
        facts = self.facts.facts_of(name)
        if self.facts.is_always_one(
            name
        ):  # so there is no case in which the piece is not on the board
            known, possible = self._open(facts)
            if known is None:
                if len(possible) != 1:
                    raise UndecidedError([([fact], []) for fact in possible])
                known = possible[0]
        else:
            known = self.exclusive(facts)
        return (-1, -1) if known is None else self.board.at(self.facts.facts[known].cell)

    def count(self, name: str, area: Area | None) -> int:
        facts = self._counted(name, area)
        if self.facts.counters is None:
            try:
                return sum(self._is_true(fact) for fact in facts)
            except UndecidedError:
                self._count_split()
                raise
        weights = dict.fromkeys(facts, 1)
        known, once = self._known_count(weights)
        if not once:
            return known
        return self.facts.counters.counter(name, weights).value(self, known, known + len(once))

    def count_is(
        self,
        counted: Sequence[tuple[str, Area | None]],
        holds: Callable[[int], bool],
        less: Sequence[tuple[str, Area | None]] = (),
    ) -> bool:
        """Whether the predicate is true for the number of pieces in `counted` minus the number in `less`. The method
        does not split on facts that cannot change the answer.
        """
        weights = self._weights((*counted,), (*less,))
        known, once = self._known_count(weights)
        least = known + sum(min(0, weights[fact]) for fact in once)
        most = known + sum(max(0, weights[fact]) for fact in once)
        if _is_same(holds, least, most):
            return holds(known)
        if self.facts.counters is not None:
            counter = self.facts.counters.counter(counted[0][0] if counted else "none", weights)
            return holds(counter.value(self, least, most))
        self._count_split()
        # This is a single question: it has one answer for each fact that may be the first true one, and one answer for
        # the case that no fact is true.
        firsts = [([fact], once[:number]) for number, fact in enumerate(once)]
        raise UndecidedError([*firsts, ([], once)])

    def _weights(
        self,
        counted: tuple[tuple[str, Area | None], ...],
        less: tuple[tuple[str, Area | None], ...],
    ) -> Mapping[int, int]:
        """For each fact of a piece, by how much it changes the difference between the two sums of counts."""
        known = self.facts.weights.get((counted, less))
        if known is None:
            found: dict[int, int] = {}
            for pairs, weight in ((counted, 1), (less, -1)):
                for name, area in pairs:
                    for fact in self._counted(name, area):
                        found[fact] = found.get(fact, 0) + weight
            known = {fact: weight for fact, weight in found.items() if weight}
            self.facts.weights[counted, less] = known
        return known

    def _known_count(self, weights: Mapping[int, int]) -> tuple[int, list[int]]:
        """The sum of the weights of the facts that are known to be true, and the undecided facts."""
        known, once = 0, list[int]()
        for fact, weight in weights.items():
            truth = self.truth(fact)
            if truth:
                known += weight
            elif truth is None:
                once.append(fact)
        return known, once

    def _count_split(self) -> None:
        """Count a case split by a number of pieces; see `RuleTestLimit`."""
        limit = self.facts.test_limit
        if limit is not None:
            limit.split_by_count()

    def _counted(self, name: str, area: Area | None) -> list[int]:
        """The facts of pieces that match a name, anchored in an area if one is given."""
        found = self.facts.facts_of(name)
        if area is None:
            return found
        terrain = self.board.terrain
        cells = set().union(*(terrain[word] for word in area.terrains if word != "floor"))
        if "floor" in area.terrains:
            cells |= set(self.board.floors).difference(*terrain.values())
        return [f for f in found if (self.facts.facts[f].cell in cells) != area.is_negated]

    def sees(self, one: str, other: str) -> bool:
        facts = self.facts
        classes = facts.puzzle.classes
        targets = facts.layers_of(other)
        for fact in facts.facts_of(one):
            if not self._is_true(fact):
                continue
            for line in self._lines_from(fact, targets):
                for covering in line:
                    standing = [self.exclusive(here) for here in covering]
                    met = [f for f in standing if f is not None]
                    if any(f != fact and classes[facts.class_of(f)].answers_to(other) for f in met):
                        return True
                    if met:
                        break
        return False

    def _lines_from(self, fact: int, targets: frozenset[int]) -> list[list[list[list[int]]]]:
        """The lines from the cells of a piece in all straight directions: for each cell of a line, and for each of the
        layers `targets` and the layer of the piece, the facts that cover this layer cell.
        """
        facts, board = self.facts, self.board
        found = facts.lines.get((fact, targets))
        if found is None:
            piece = facts.puzzle.classes[facts.class_of(fact)]
            layers = sorted(targets | {piece.layer})
            own = board.cover(piece.shape, facts.facts[fact].cell) or ()
            found = [
                [
                    [facts.covering(facts.layer_cell(there, layer)) for layer in layers]
                    for there in line_of(board, cell, direction.offset)
                ]
                for cell, direction in product(own, board.straight)
            ]
            facts.lines[fact, targets] = found
        return found

    def can(self, rule: str) -> bool:
        fits = self.facts.fits.get(rule)
        if fits is not None:
            return self._is_true(fits)
        known: dict[int, bool | None] = {}
        open_fact: int | None = None
        cases = self.facts.cases_of(rule)
        limit = self.facts.test_limit
        if limit is not None:
            limit.count(len(cases))
        for case in cases:
            first: int | None = None
            for fact in chain(case.positive, case.negative):
                if fact not in known:
                    known[fact] = self.truth(fact)
                if known[fact] is None:
                    first = fact if first is None else first
                elif known[fact] != (fact in case.positive):
                    break
            else:
                if first is None:
                    return True
                open_fact = first if open_fact is None else open_fact
        if open_fact is not None:
            self._raise_undecided(open_fact)
        return False

    def _raise_undecided(self, fact: int) -> None:
        """Raise UndecidedError for an undecided fact; for a piece, the alternatives are the possible contents of its
        first cell.
        """
        layer_cells = self.facts.layer_cells_of(fact)
        if layer_cells:
            self.exclusive(self.facts.covering(layer_cells[0]))
        raise UndecidedError([([fact], []), ([], [fact])])

    def _is_true(self, fact: int) -> bool:
        found = self.truth(fact)
        if found is None:
            raise UndecidedError([([fact], []), ([], [fact])])
        return found


class PartialView(FactView):
    """The view of a partial state. A true fact also decides the facts that cannot be true together with it."""

    def __init__(self, facts: ProvisionalFacts, at: PartialState, begun: object = None) -> None:
        self.facts = facts
        self.at = at
        self._standing: UsedResources | None = None
        self.begun = begun  # the `UndecidedError.begun` of the split that led to this state

    def truth(self, fact: int) -> bool | None:
        at, facts = self.at, self.facts
        if fact in at.positive:
            return True
        if fact in facts.fixed:
            return facts.fixed[fact]
        if fact in at.negative:
            return False
        if not facts.fits_among(fact, self._standing or self.standing()):
            return False
        slot = facts.facts[fact].slot
        if slot >= 0 and all(f == fact or f in at.negative for f in facts.value_facts[slot]):
            return True
        return None

    def truth_of_value(self, slot: int, fact: int) -> bool | None:
        """Like `truth`, but for a fact about the value of a variable. The code is that of `ProvisionalFacts.truth_of`;
        a call of that method would make the compilation of some puzzles 7 % slower.
        """
        at, facts = self.at, self.facts
        if fact in at.positive:
            return True
        if fact in facts.fixed:
            return facts.fixed[fact]
        if fact in at.negative:
            return False
        values = facts.values_of(slot)
        if not values.isdisjoint(at.positive):
            return False
        return True if values - at.negative == {fact} else None

    def standing(self) -> UsedResources:
        """The resources that the true facts use."""
        if self._standing is None:
            self._standing = self.facts.standing(self.at.positive)
        return self._standing

    def value_fact(self, slot: int) -> int | None:
        """The fact about the value of a variable, or None if the value is undecided."""
        return self._open_values(slot)[0]

    def _open_values(self, slot: int) -> tuple[int | None, Sequence[int]]:
        """Like the method of `FactView`, with a fast path for the common cases."""
        at, facts = self.at, self.facts
        known = facts.values_of(slot) & at.positive
        if known:
            (fact,) = known
            return fact, ()
        if not facts.values_of(slot).isdisjoint(facts.fixed):
            return super()._open_values(slot)
        possible = [fact for fact in facts.value_facts[slot] if fact not in at.negative]
        return (possible[0], ()) if len(possible) == 1 else (None, possible)


def _is_same(holds: Callable[[int], bool], least: int, most: int) -> bool:
    first = holds(least)
    return all(holds(number) == first for number in range(least + 1, most + 1))


def line_of(board: Board, cell: int, offset: Offset) -> list[int]:
    """The floor cells beyond a cell in a direction, up to a wall, the edge, or the cell itself."""
    out: list[int] = []
    here = board.step(cell, offset)
    while here is not None and board.floor(here) and here != cell and here not in out:
        out.append(here)
        here = board.step(here, offset)
    return out
