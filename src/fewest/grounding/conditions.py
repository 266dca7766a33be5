"""Grounds conditions: each condition becomes a disjunction of partial states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import PartialState, partial
from fewest.model.conditions import (
    AllOf,
    AnyOf,
    CellsCovered,
    Condition,
    ExpressionHolds,
    PieceCount,
    PiecesAsDrawn,
    PiecesAt,
)


def ground_condition(condition: Condition, grounder: Grounder) -> list[PartialState]:
    """The partial states in which the condition holds."""
    match condition:
        case CellsCovered():
            return _covered(condition, grounder)
        case PiecesAt():
            return _placed(condition, grounder)
        case PieceCount():
            return _counted(condition, grounder)
        case PiecesAsDrawn():
            return _drawn(condition, grounder)
        case ExpressionHolds():
            from fewest.grounding.alternatives import cubes_of

            return cubes_of(condition.expression, condition.names, grounder)
        case AllOf():
            return _all(condition, grounder)
        case AnyOf():
            return _any(condition, grounder)


def _covered(condition: CellsCovered, grounder: Grounder) -> list[PartialState]:
    options = [
        [
            partial([fact])
            for layer_cell in grounder.layer_cells(cell)
            for fact in grounder.covering(layer_cell, condition.word)
        ]
        for cell in condition.cells
    ]
    return grounder.product(options)


def _placed(condition: PiecesAt, grounder: Grounder) -> list[PartialState]:
    there = [
        fact
        for class_id, anchors in condition.anchors.items()
        for anchor in sorted(anchors)
        if (fact := grounder.fact(class_id, anchor)) is not None
    ]
    if condition.is_every:  # the condition holds if no matching piece is elsewhere
        elsewhere = set(grounder.facts_of(condition.word)).difference(there)
        return [partial([], elsewhere)]
    return [partial([fact]) for fact in there]


def _counted(condition: PieceCount, grounder: Grounder) -> list[PartialState]:
    facts = grounder.facts_of(condition.word)
    everything = frozenset(facts)
    out: list[PartialState] = []
    for chosen in _choices(facts, condition.number, grounder):
        cube = partial(chosen, everything.difference(chosen))
        if grounder.is_consistent(cube):
            out.append(cube)
        if grounder.are_too_many(len(out)):
            grounder.refuse_cases(f"which choose {condition.number:,} of {len(facts):,} places")
    return out


def _choices(facts: Sequence[int], number: int, grounder: Grounder) -> Iterator[tuple[int, ...]]:
    """All combinations of this number of facts that can be true together, in the order of the facts.

    A combination is given up at its first fact that does not fit. Most combinations of the facts of distinct pieces
    contain two places of the same piece.
    """
    if number == 0:
        yield ()
        return
    chosen: list[int] = []
    standings = [grounder.standing(())]
    waiting = [0]  # for each chosen fact and the next one, the index of the next candidate
    while waiting:
        index = waiting[-1]
        if index > len(facts) - (number - len(chosen)):
            waiting.pop()
            standings.pop()
            if chosen:
                chosen.pop()
            continue
        waiting[-1] += 1
        grounder.step()
        fact = facts[index]
        if not grounder.fits_among(fact, standings[-1]):
            continue
        if len(chosen) + 1 == number:
            yield (*chosen, fact)
            continue
        chosen.append(fact)
        standings.append(grounder.standing(chosen))
        waiting.append(index + 1)


def _drawn(condition: PiecesAsDrawn, grounder: Grounder) -> list[PartialState]:
    options = [
        [
            partial([fact])
            for class_id in classes
            if (fact := grounder.fact(class_id, anchor)) is not None
        ]
        for classes, anchor in condition.pieces
    ]
    empty = [
        fact
        for cell, layer in condition.empty
        for fact in grounder.covering(grounder.layer_cell(cell, layer))
    ]
    return grounder.product([[partial([], empty)], *options])


def _all(condition: AllOf, grounder: Grounder) -> list[PartialState]:
    return grounder.product([ground_condition(part, grounder) for part in condition.parts])


def _any(condition: AnyOf, grounder: Grounder) -> list[PartialState]:
    found = [cube for part in condition.parts for cube in ground_condition(part, grounder)]
    return list(dict.fromkeys(found))
