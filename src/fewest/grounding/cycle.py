"""Grounding cycles: one operator for each way a ring can be filled."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.partial import partial
from fewest.model.board import Direction
from fewest.model.rules import FORWARD, Cycle, Ring


def ground_cycle(rule: Cycle, grounder: Grounder) -> None:
    """One operator for each way the ring can be filled: a flip must not depend on the state."""
    classes = grounder.puzzle.classes
    for number, ring in enumerate(rule.rings):
        options: list[list[int | None]] = []
        for cell in ring.cells:
            facts = grounder.covering(cell)
            options.append(
                [None, *(f for f in facts if classes[grounder.class_of(f)].is_single_cell)]
            )
        for contents in _fillings(grounder, options):
            free = [
                fact
                for cell, content in zip(ring.cells, contents, strict=True)
                if content is None
                for fact in grounder.covering(cell)
            ]
            for turn in rule.turns:
                _add(rule, grounder, ring, contents, free, turn, number)


def _fillings(
    grounder: Grounder, options: list[list[int | None]]
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
    rule: Cycle,
    grounder: Grounder,
    ring: Ring,
    contents: tuple[int | None, ...],
    free: list[int],
    turn: Direction,
    number: int,
) -> None:
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
            turn=number,
        )
