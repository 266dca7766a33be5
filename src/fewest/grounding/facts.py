"""Provisional facts: one for every class at each anchor where the class fits and which it may reach, and one for every
value of every variable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias

from msgspec import Struct

from fewest.grounding.partial import DraftEffect, PartialState
from fewest.grounding.relaxed_reachability import RelaxedReachability
from fewest.model.board import Board, Direction
from fewest.model.expression import Area
from fewest.model.puzzle import Path, Puzzle
from fewest.model.rules import Pattern
from fewest.model.static_pieces import static_placements
from fewest.model.task import Fact

if TYPE_CHECKING:
    from fewest.grounding.anchors import Step
    from fewest.grounding.rule_test_limit import RuleTestLimit

MAX_FACTS = 16_384

_Counted: TypeAlias = "tuple[tuple[str, Area | None], ...]"
"""The arguments of the calls of `count` in a sum."""


class UsedResources(Struct, frozen=True):
    """The resources that a set of compatible facts uses: layer cells as a bit set, variables, and the number of pieces
    of each family.
    """

    taken: int
    slots: set[int]
    families: Mapping[int, int]


class HiddenNumber(Protocol):
    """A number of pieces that is a hidden fact; see `counters.Counter`."""

    def value(self, view: Any, least: int, most: int) -> int: ...


class HiddenNumbers(Protocol):
    """Numbers of pieces that are hidden facts; see `counters.Counters`."""

    @property
    def facts(self) -> frozenset[int]: ...
    def counter(self, name: str, weights: Mapping[int, int]) -> HiddenNumber: ...
    def places(self, outdated: int) -> Iterator[tuple[DraftEffect, ...]]: ...


class ProvisionalFacts:
    """The facts of a puzzle before it is known which are reachable. The class also determines which facts exclude each
    other.

    A *layer cell* is a cell in one layer, with room for one piece. Layer cells are numbered layer by layer, and within
    each layer in the order of the cells.
    """

    def __init__(self, puzzle: Puzzle, *, may_lack_pieces: bool = False) -> None:
        """`may_lack_pieces`: see `ground`."""
        self.puzzle = puzzle
        self.may_lack_pieces = may_lack_pieces
        self.part: Path = ()  # The part of the document that is being grounded.
        # For a rule's name, the partial states in which the rule fits; `ground` sets this function.
        self.applicability: Callable[[str], Sequence[PartialState]] | None = None
        self.test_limit: RuleTestLimit | None = (
            None  # Limits the tests `can(RULE)`, if there is a limit.
        )
        # For each tested rule, the hidden fact that is true if the rule fits; empty if `can(RULE)` tests the cases of
        # the rule.
        self.fits: Mapping[str, int] = {}
        # The hidden facts that are the numbers of pieces in rules; None if `count(...)` causes case splits.
        self.counters: HiddenNumbers | None = None
        self.facts: list[Fact] = []
        self._layer_cells: list[tuple[int, ...]] = []
        self._layer_cell_mask: list[int] = []
        self._fact_of_spot: dict[tuple[int, int], int] = {}
        self._fact_of_value: dict[tuple[int, int | str], int] = {}
        self._anchors: list[list[int]] = []
        self._facts_of_class: list[range] = []
        self.value_facts: list[tuple[int, ...]] = []
        self._value_sets: list[frozenset[int]] = []
        cells = 0 if puzzle.board is None else puzzle.board.num_cells
        self._num_cells = cells
        self.num_layers = puzzle.num_layers
        self._covering: list[list[int]] = [[] for _ in range(cells * self.num_layers)]
        self._facts_of: dict[str, list[int]] = {}
        self._always_one: dict[str, bool] = {}
        self._covering_any: dict[tuple[int, ...], frozenset[int]] = {}
        # see `FactView.sees`: for each fact of a piece, and for some layers, the facts on the lines from the piece
        self.lines: dict[tuple[int, frozenset[int]], list[list[list[list[int]]]]] = {}
        self._layers_of: dict[str, frozenset[int]] = {}
        # see `FactView.count_is`: for each difference of two sums of counts, the weights of the facts
        self.weights: dict[tuple[_Counted, _Counted], Mapping[int, int]] = {}
        # see `pushing`: the facts that stick to a fact under a rule with these words for `sticky`
        self.stuck_beside: dict[tuple[tuple[str, ...], tuple[str, ...], int], list[list[int]]] = {}
        self._family = [piece.family for piece in puzzle.classes]
        created = {
            class_id
            for rule in (*puzzle.rules, *puzzle.then)
            if isinstance(rule, Pattern)
            for form in rule.forms
            for _, class_id in form.created
        }
        # The maximum number of pieces of a class's family; None if some rule creates such pieces.
        created_families = {self._family[class_id] for class_id in created}
        num_pieces = Counter(self._family[piece.class_id] for piece in puzzle.pieces)
        self.class_count: list[int | None] = [
            None if family in created_families else num_pieces[family] for family in self._family
        ]
        self._reach = RelaxedReachability(puzzle)
        self._add_piece_facts()
        num_values = sum(len(variable.values) for variable in puzzle.variables)
        if num_values > MAX_FACTS:
            self.too_large(f"its variables have {num_values:,} values", f"{MAX_FACTS:,}")
        self._add_variable_facts()
        # the values of static facts, which no move and no consequence changes
        self.fixed: dict[int, bool] = {}
        self._always: set[int] = set()
        self._never: set[int] = set()
        self.fix(
            {
                fact: self.facts[fact].cell in anchors
                for class_id, anchors in static_placements(puzzle).items()
                for fact in self._facts_of_class[class_id]
                if not (may_lack_pieces and self.facts[fact].cell in anchors)
            }
        )

    def fix(self, known: Mapping[int, bool]) -> None:
        """Treat these facts as static, with these values."""
        self.fixed.update(known)
        for fact, holds in known.items():
            (self._always if holds else self._never).add(fact)

    @property
    def board(self) -> Board:
        assert self.puzzle.board is not None
        return self.puzzle.board

    def _add_piece_facts(self) -> None:
        for piece in self.puzzle.classes:
            word = piece.label or piece.kind
            places = self._reach.places(piece)
            first, shift = len(self.facts), self.layer_cell(0, piece.layer)
            if first + len(places) > 16 * MAX_FACTS:
                most = f"{16 * MAX_FACTS:,}"
                self.too_large(f"it has more than {most} facts", f"{most} before reduction")
            for fact_id, place in enumerate(places, first):
                self.facts.append(Fact(f"{word}@{place.text}", piece.id, place.anchor))
                self._fact_of_spot[piece.id, place.anchor] = fact_id
                layer_cells = tuple(cell + shift for cell in place.cells) if shift else place.cells
                self._layer_cells.append(layer_cells)
                self._layer_cell_mask.append(place.mask << shift)
                for layer_cell in layer_cells:
                    self._covering[layer_cell].append(fact_id)
            self._anchors.append([place.anchor for place in places])
            self._facts_of_class.append(range(first, len(self.facts)))

    def _add_variable_facts(self) -> None:
        for slot, variable in enumerate(self.puzzle.variables):
            ids: list[int] = []
            for value in variable.values:
                fact_id = len(self.facts)
                self.facts.append(Fact(f"{variable.name}={value}", slot=slot, value=value))
                self._fact_of_value[slot, value] = fact_id
                self._layer_cells.append(())
                self._layer_cell_mask.append(0)
                ids.append(fact_id)
            self.value_facts.append(tuple(ids))
            self._value_sets.append(frozenset(ids))

    def values_of(self, slot: int) -> frozenset[int]:
        """The facts of a variable's values."""
        return self._value_sets[slot]

    def add_hidden(self, name: str) -> int:
        """Add a fact that is about neither a piece nor a variable, and return its number. The fact is false in every
        position.
        """
        self.facts.append(Fact(name))
        self._layer_cells.append(())
        self._layer_cell_mask.append(0)
        return len(self.facts) - 1

    # -- facts --------------------------------------------------------------------------------------

    def fact(self, class_id: int, anchor: int) -> int | None:
        """The fact "a piece of the class is at the anchor"; None if the class does not fit there, or certainly never
        reaches this anchor.
        """
        return self._fact_of_spot.get((class_id, anchor))

    def anchors(self, class_id: int) -> list[int]:
        """The anchors of the facts of a class, in reading order."""
        return self._anchors[class_id]

    def facts_of_class(self, class_id: int) -> range:
        """The facts of a class, in the order of its anchors."""
        return self._facts_of_class[class_id]

    def steps_of(self, class_id: int, directions: tuple[Direction, ...]) -> tuple[Step, ...]:
        """The steps of a class in a rule's directions; their `start` and `end` are indices into `facts_of_class`."""
        return self._reach.steps(self.puzzle.classes[class_id], directions)

    def layer_cell(self, cell: int, layer: int) -> int:
        """The number of a layer cell; on a board of one layer, the number of the cell."""
        return layer * self._num_cells + cell

    def layer_cells(self, cell: int) -> range:
        """The layer cells of a cell, one in each layer."""
        return range(cell, self._num_cells * self.num_layers, self._num_cells)

    def covering_any(self, layer_cells: tuple[int, ...]) -> frozenset[int]:
        """The facts that cover any of these layer cells."""
        found = self._covering_any.get(layer_cells)
        if found is None:
            found = frozenset().union(*[self._covering[layer_cell] for layer_cell in layer_cells])
            self._covering_any[layer_cells] = found
        return found

    def covering(self, layer_cell: int, word: str = "any") -> list[int]:
        """The facts that cover a layer cell, of the classes that match `word`."""
        if word == "any":
            return self._covering[layer_cell]
        classes = self.puzzle.classes
        return [f for f in self._covering[layer_cell] if classes[self.class_of(f)].answers_to(word)]

    def layer_cells_at(self, class_id: int, anchor: int) -> tuple[int, ...]:
        """The layer cells under a class at an anchor where it fits."""
        return self._layer_cells[self._fact_of_spot[class_id, anchor]]

    def layer_cells_of(self, fact: int) -> tuple[int, ...]:
        """The layer cells that a fact covers; a fact about a variable covers none."""
        return self._layer_cells[fact]

    def class_of(self, fact: int) -> int:
        return self.facts[fact].class_id

    @cached_property
    def variable_facts(self) -> frozenset[int]:
        """All facts of the form "the variable has this value"."""
        return frozenset(fact for facts in self.value_facts for fact in facts)

    def cases_of(self, rule: str) -> Sequence[PartialState]:
        """The partial states in which a rule fits; see `RuleApplicability`."""
        assert self.applicability is not None, (
            "rules need `applicability` before expressions are grounded"
        )
        return self.applicability(rule)

    def facts_of(self, word: str) -> list[int]:
        """All facts of the classes that match `word`."""
        found = self._facts_of.get(word)
        if found is None:
            classes = [c.id for c in self.puzzle.classes if c.answers_to(word)]
            found = [fact for c in classes for fact in self._facts_of_class[c]]
            self._facts_of[word] = found
        return found

    def layers_of(self, word: str) -> frozenset[int]:
        """The layers of the classes that match `word`."""
        found = self._layers_of.get(word)
        if found is None:
            classes = self.puzzle.classes
            found = frozenset(piece.layer for piece in classes if piece.answers_to(word))
            self._layers_of[word] = found
        return found

    def is_always_one(self, word: str) -> bool:
        """Whether exactly one piece matches `word` in every reachable state: one at the start, and no rule creates or
        removes such a piece.
        """
        found = self._always_one.get(word)
        if found is None:
            found = self._always_one[word] = self._is_always_one(word)
        return found

    def _is_always_one(self, word: str) -> bool:
        puzzle = self.puzzle
        if self.may_lack_pieces:
            return False
        classes = [piece for piece in puzzle.classes if piece.answers_to(word)]
        ids = {piece.id for piece in classes}
        if sum(piece.class_id in ids for piece in puzzle.pieces) != 1:
            return False
        if any(self.class_count[class_id] is None for class_id in ids):
            return False
        return not any(
            piece.answers_to_one_of(form.elements[place].alternatives)
            != form.elements[place].is_negated
            for rule in (*puzzle.rules, *puzzle.then)
            if isinstance(rule, Pattern)
            for form in rule.forms
            for place in form.removed
            for piece in classes
        )

    def value_fact(self, slot: int, value: object) -> int | None:
        """The fact "the variable has this value"; None if the variable cannot have this value."""
        return self._fact_of_value.get((slot, value)) if isinstance(value, (int, str)) else None

    def value_fact_of(self, slot: int, value: int | str) -> int:
        return self._fact_of_value[slot, value]

    def truth_of(self, slot: int, fact: int, positive: Set[int], negative: Set[int]) -> bool | None:
        """Whether a fact about the value of a variable is true in a partial state with these facts; None if the partial
        state does not decide this.
        """
        if fact in positive:
            return True
        if fact in self.fixed:
            return self.fixed[fact]
        if fact in negative:
            return False
        values = self._value_sets[slot]
        if not values.isdisjoint(positive):
            return False
        return True if values - negative == {fact} else None

    # -- facts that can hold together --------------------------------------------------------------------

    def has_room(self, fact: int, others: Collection[int]) -> bool:
        """Whether, if the facts `others` are true, the family of the fact's class still has a piece for this fact."""
        class_id = self.facts[fact].class_id
        count = None if class_id < 0 else self.class_count[class_id]
        if count is None or count > len(others):
            return True
        family, facts = self._family, self.facts
        kin = (facts[f].class_id for f in others if facts[f].class_id >= 0)
        return count > sum(family[other] == family[class_id] for other in kin)

    def standing(self, facts: Collection[int]) -> UsedResources:
        """The resources that some compatible facts use."""
        families: dict[int, int] = {}
        taken, slots = 0, set[int]()
        for fact in facts:
            known = self.facts[fact]
            taken |= self._layer_cell_mask[fact]
            if known.slot >= 0:
                slots.add(known.slot)
            elif known.class_id >= 0:
                family = self._family[known.class_id]
                families[family] = families.get(family, 0) + 1
        return UsedResources(taken, slots, families)

    def fits_among(self, fact: int, others: UsedResources) -> bool:
        """Whether a fact can be true together with other facts that use these resources."""
        known = self.facts[fact]
        if self._layer_cell_mask[fact] & others.taken or known.slot in others.slots:
            return False
        count = None if known.class_id < 0 else self.class_count[known.class_id]
        return count is None or count > others.families.get(self._family[known.class_id], 0)

    def subject_of(self, fact: int) -> int | None:
        """The number of the variable or of the only piece that a fact is about; None for other facts. At most one of
        the facts about such a subject is true.
        """
        known = self.facts[fact]
        if known.slot >= 0:
            return known.slot
        is_alone = known.class_id >= 0 and self.class_count[known.class_id] == 1
        return -1 - self._family[known.class_id] if is_alone else None

    def is_consistent(self, at: PartialState) -> bool:
        """Returns False if the cells, the variables, the numbers of pieces or the static facts imply that no state
        satisfies `at`.
        """
        if not at.positive.isdisjoint(at.negative):
            return False
        if not (at.positive.isdisjoint(self._never) and at.negative.isdisjoint(self._always)):
            return False
        taken = 0  # layer cells
        slots, families = set[int](), dict[int, int]()
        for fact in at.positive:
            layer_cells, known = self._layer_cell_mask[fact], self.facts[fact]
            if taken & layer_cells or known.slot in slots:
                return False
            taken |= layer_cells
            if known.slot >= 0:
                slots.add(known.slot)
            elif known.class_id >= 0:
                family, count = self._family[known.class_id], self.class_count[known.class_id]
                pieces = families.get(family, 0)
                if pieces == count:
                    return False
                families[family] = pieces + 1
        return True

    def is_possible(
        self,
        refined: PartialState,
        positive: Collection[int],
        negative: Collection[int],
        others: UsedResources,
    ) -> bool:
        """Like `is_consistent`, but for a consistent partial state to which these facts were added; at most one of the
        added facts is true.

        `others` are the resources of the facts that were true before.
        """
        for fact in negative:
            if fact in refined.positive or fact in self._always:
                return False
        for fact in positive:
            if fact in refined.negative or fact in self._never or not self.fits_among(fact, others):
                return False
        return True

    # -- errors --------------------------------------------------------------------------------------

    def too_large(self, size: str, limit: str, remedy: str = "") -> NoReturn:
        """Raises DocumentError (`task-too-large`), located at the part of the document that is being grounded."""
        message = f"this puzzle is too large: {size}; the limit is {limit}"
        hint = remedy or "choose smaller parameters, a smaller board, or simpler conditions"
        raise self.puzzle.error_for("task-too-large", message, hint, self.part)
