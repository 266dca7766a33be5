"""Grounds cycles: in each direction, a ring has either one operator for each combination of pieces on it, or one
operator that permutes facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.partial import PermutationDraft, partial
from fewest.model.board import Direction
from fewest.model.rules import FORWARD, Cycle, Pattern, Ring

MAX_FLIPS = 20_000
"""the rings that could be permutations become flips, which every engine supports, if an estimate of the total number of
their pairs (contents, direction) is at most this number
"""


def ground_cycle(rule: Cycle, grounder: Grounder) -> None:
    """Add the operators of the rule: permutations for rings that can turn regardless of their contents, if these rings
    have many possible contents in total; flips for all other rings.
    """
    has_permutations = _has_many(grounder)
    for number, ring in enumerate(rule.rings):
        if has_permutations and _is_plain(rule, grounder, ring):
            for turn in ring.directions:
                grounder.permutations.append(_turn(rule, grounder, ring, turn, number))
            continue
        options = _options(grounder, ring)
        for contents in _fillings(grounder, options):
            layer_cells = _layer_cells(grounder, ring)
            free = [
                fact
                for layer_cell, content in zip(layer_cells, contents, strict=True)
                if content is None
                for fact in grounder.covering(layer_cell)
            ]
            for turn in ring.directions:
                _add(rule, grounder, ring, contents, free, turn, number)


def _has_many(grounder: Grounder) -> bool:
    """Whether the rings that can be permutations have too many possible contents for flips. If so, all of these rings
    become permutations.
    """
    many = sum(
        len(ring.directions) * prod(len(option) for option in _options(grounder, ring))
        for rule in grounder.puzzle.rules
        if isinstance(rule, Cycle)
        for ring in rule.rings
        if _is_plain(rule, grounder, ring)
    )
    return many > MAX_FLIPS


def _options(grounder: Grounder, ring: Ring) -> list[list[int | None]]:
    """The possible contents of each layer cell of a ring. If the number of pieces equals the number of layer cells of
    the board, no layer cell is ever empty.
    """
    puzzle, classes = grounder.puzzle, grounder.puzzle.classes
    is_count_fixed = None not in grounder.class_count and not any(
        form.removed
        for rule in (*puzzle.rules, *puzzle.then)
        if isinstance(rule, Pattern)
        for form in rule.forms
    )
    num_layer_cells = grounder.num_layers * len(grounder.board.floors)
    is_full = (
        is_count_fixed and not grounder.may_lack_pieces and len(puzzle.pieces) == num_layer_cells
    )
    nothing: list[int | None] = [] if is_full else [None]
    return [
        [
            *nothing,
            *(f for f in grounder.covering(b) if classes[grounder.class_of(f)].is_single_cell),
        ]
        for b in _layer_cells(grounder, ring)
    ]


def _layer_cells(grounder: Grounder, ring: Ring) -> list[int]:
    """The layer cells of a ring, listed cell by cell."""
    return [layer_cell for cell in ring.cells for layer_cell in grounder.layer_cells(cell)]


def _covering(grounder: Grounder, cell: int) -> list[int]:
    """The facts that cover a cell, in any layer."""
    return [
        fact for layer_cell in grounder.layer_cells(cell) for fact in grounder.covering(layer_cell)
    ]


# -- permutations -------------------------------------------------------------------------------------


def _is_plain(rule: Cycle, grounder: Grounder, ring: Ring) -> bool:
    """Whether a ring can turn regardless of its contents, without any other effects."""
    guard, classes = rule.guard, grounder.puzzle.classes
    if guard.when is not None or guard.assignments or grounder.has_consequences:
        return False
    standing = [{grounder.class_of(fact) for fact in _covering(grounder, c)} for c in ring.cells]
    return all(here == standing[0] for here in standing) and all(
        classes[class_id].is_single_cell for class_id in standing[0]
    )


def _turn(
    rule: Cycle, grounder: Grounder, ring: Ring, turn: Direction, number: int
) -> PermutationDraft:
    """The permutation of the facts of a ring's cells."""
    image: dict[int, int] = {}
    for source, target in zip(ring.cells, ring.targets, strict=True):
        for fact in _covering(grounder, source):
            there = grounder.fact(grounder.class_of(fact), target)
            assert there is not None, "whatever may stand on one of the cells may stand on all"
            image[fact] = there
    if turn is not FORWARD:
        image = {there: fact for fact, there in image.items()}
    return PermutationDraft(rule.name, image, ring.id, turn, words(rule.guard, ring.names), number)


# -- flips --------------------------------------------------------------------------------------------


def _fillings(
    grounder: Grounder, options: list[list[int | None]]
) -> Iterator[tuple[int | None, ...]]:
    """All possible contents of the ring. The pieces of a family (a class and the classes into which its pieces can
    change) occur at most as often as the puzzle has such pieces.
    """

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
    rule: Cycle,
    grounder: Grounder,
    ring: Ring,
    contents: tuple[int | None, ...],
    free: list[int],
    turn: Direction,
    number: int,
) -> None:
    pairs = list(zip(ring.cells, ring.targets, strict=True))
    goes = dict(pairs if turn is FORWARD else [(target, source) for source, target in pairs])
    moved: list[tuple[int, int]] = []
    for fact in contents:
        if fact is None:
            continue
        target = grounder.fact(grounder.class_of(fact), goes[grounder.facts[fact].cell])
        if target is None:
            return
        moved.append((fact, target))
    at = partial([start for start, _ in moved], free)
    for refined, changes in ground_guard(rule.guard, grounder, ring.names, at):
        grounder.add(
            rule.name,
            refined,
            changes,
            moved=moved,
            direction=turn,
            ring=ring.id,
            words=words(rule.guard, ring.names),
            binding=number,
        )
