"""A lower bound on the number of cases of a slide that takes sticky pieces along, computed before the cases are listed.

Each connected set of sticky pieces that touches the moving piece is a case with its own operator. The number of cases
is the number of connected sets of cells: there are more than 500,000 sets of twelve cells. Counting these sets takes
far less time than listing the cases.
"""

from __future__ import annotations

from collections.abc import Iterator

from fewest.grounding.grounder import MAX_OPERATORS, Grounder
from fewest.grounding.partial import partial
from fewest.grounding.pushing import beside, sticks_to
from fewest.grounding.remedies import FEWER_PIECES
from fewest.grounding.steps import shifted_fact
from fewest.model.board import Direction
from fewest.model.rules import Slide


def check_size(
    rule: Slide, grounder: Grounder, class_id: int, directions: tuple[Direction, ...]
) -> None:
    """Raises DocumentError (`task-too-large`) if the slides of a class certainly have too many cases or operators."""
    if grounder.board.exits or not (rule.sticky or rule.own):
        return
    has_operators = rule.guard.when is None and not rule.guard.assignments
    total = 0
    for direction in directions:
        for anchor in grounder.anchors(class_id):
            total += least_cases(rule, grounder, class_id, anchor, direction)
            if total > MAX_OPERATORS and has_operators:
                size = f"`{rule.name}`, which moves sticky pieces along, has more than {MAX_OPERATORS:,} operators"
                grounder.too_large(size, f"{MAX_OPERATORS:,}", FEWER_PIECES)


def least_cases(
    rule: Slide, grounder: Grounder, class_id: int, anchor: int, direction: Direction
) -> int:
    """A lower bound on the number of cases in which a piece can move.

    If there are more cases than the limit allows, the function refuses the rule, as `Grounder.refuse_cases` does.
    """
    first = grounder.fact(class_id, anchor)
    assert first is not None, "it is an anchor of the class"
    if not _can_move(grounder, first, direction):
        return 0
    most = 0
    for sticky in _sticky_classes(rule, grounder, first):
        own, classes = grounder.class_count[sticky], grounder.puzzle.classes
        count = grounder.board.num_cells if own is None else own
        count -= classes[sticky].family == classes[class_id].family
        if rule.most is not None:
            count = min(count, rule.most)
        number = 0
        for number in _counts(grounder, first, sticky, direction, count):
            if grounder.are_too_many(number):
                grounder.refuse_cases(f"for sets of up to {count:,} pieces that move along")
        most = max(most, number)
    return most


def _sticky_classes(rule: Slide, grounder: Grounder, first: int) -> Iterator[int]:
    """The classes of one-cell pieces that stick to the first piece and to each other."""
    facts = [grounder.facts_of_class(piece.id) for piece in grounder.puzzle.classes]
    sticking = [
        fact
        for of_class in facts
        for fact in of_class
        if fact != first and sticks_to(rule, grounder, fact, first)
    ]
    if not grounder.is_consistent(partial([first], sticking)):
        return  # the count is valid only if these pieces may be absent from the board
    for piece in grounder.puzzle.classes:
        fact = next(iter(facts[piece.id]), None)
        if fact is None or not piece.is_single_cell:
            continue
        if sticks_to(rule, grounder, fact, first) and sticks_to(rule, grounder, fact, fact):
            yield piece.id


def _can_move(grounder: Grounder, fact: int, direction: Direction) -> bool:
    """Whether a piece may be able to move by one cell: it fits at the new place, and in some state no other piece
    blocks it.
    """
    target = shifted_fact(grounder, fact, direction.offset)
    if target is None:
        return False
    ahead = [
        other
        for layer_cell in grounder.layer_cells_of(target)
        if layer_cell not in grounder.layer_cells_of(fact)
        for other in grounder.covering(layer_cell)
    ]
    return grounder.is_consistent(partial([fact], ahead))


def _counts(
    grounder: Grounder, first: int, sticky: int, direction: Direction, most: int
) -> Iterator[int]:
    """Counts the connected sets of at most `most` cells next to the first piece; yields the count after every thousand
    sets and at the end.

    Source: Redelmeier, "Counting polyominoes: yet another attack" (1981), applied to the graph of the board's cells.
    """
    facts = grounder.facts_of_class(sticky)
    taken = grounder.layer_cells_of(first)
    layer_cell_of = {fact: grounder.layer_cells_of(fact)[0] for fact in facts}
    open_ = [
        fact
        for fact in facts
        if layer_cell_of[fact] not in taken and _can_move(grounder, fact, direction)
    ]
    number_of = {layer_cell_of[fact]: number for number, fact in enumerate(open_)}

    def touching(fact: int) -> int:
        near = (number_of.get(layer_cell) for layer_cell in beside(grounder, fact))
        return sum(1 << number for number in near if number is not None)

    neighbours = [touching(fact) for fact in open_]
    start = touching(first)
    total = 1  # this set contains only the first piece
    waiting = [(start, start, 0)] if most > 0 else []
    while waiting:
        untried, seen, size = waiting.pop()
        while untried:
            lowest = untried & -untried
            untried ^= lowest
            total += 1
            if size + 1 < most:
                new = neighbours[lowest.bit_length() - 1] & ~seen
                waiting.append((untried | new, seen | new, size + 1))
            if total % 1000 == 0:
                grounder.step()
                yield total
    yield total
