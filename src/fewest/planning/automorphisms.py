"""Automorphisms of a planning task: permutations of facts that map the task to itself.

Examples are a mirrored board and interchangeable colours. Colour refinement with individualisation on facts and moves
finds the automorphisms (after McKay, Practical graph isomorphism, 1981). Each automorphism is verified before it is
used. The search is incomplete: it tries several images only for the first fact that it maps, and never revises later
choices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewest.machine.arrays import unique_rows
from fewest.model.task import Cube, facts_in
from fewest.planning.macros import MacroOperator
from fewest.planning.task import PlanningTask

MAX_FACTS = 2_000
MAX_MOVES = 5_000
MAX_GROUP = 8

Permutation: TypeAlias = tuple[int, ...]
"""Fact f is mapped to fact `permutation[f]`."""


def automorphisms(planning: PlanningTask, keep: Sequence[int] = ()) -> list[Permutation]:
    """Automorphisms of the task, apart from the identity, that map each state of `keep` to itself.

    The result has at most one automorphism for each image of the first fact for which the search finds an automorphism
    that moves it. The result is empty if the task exceeds MAX_FACTS or MAX_MOVES, or has permutations, consequences or
    further goals. The search refines colourings in rounds. Each round takes time linear in the total size of all moves
    and cubes, plus log-linear time for sorting.
    """
    num_facts = len(planning.facts)
    if num_facts > MAX_FACTS or len(planning.moves) + len(planning.free) > MAX_MOVES:
        return []
    if planning.rounds or any(move.image for move in (*planning.moves, *planning.free)):
        return []
    structure = _Structure(planning)
    start = [
        sum((one >> fact & 1) << at for at, one in enumerate(keep)) for fact in range(num_facts)
    ]
    colours = structure.refine(start)
    cells = _cells(colours)
    found: list[Permutation] = []
    for cell in cells:
        if len(cell) == 1:
            continue
        for image in cell[1:]:
            permutation = _match(structure, colours, colours, cell[0], image)
            if permutation is not None and is_automorphism(planning, permutation, keep):
                found.append(permutation)
        if found:
            break
    return found


def automorphism_group(planning: PlanningTask) -> list[Permutation]:
    """Automorphisms of the task that also preserve its invariants, and that form a group together with the identity.
    They need not map the start to itself. The list is empty if the group would have more than MAX_GROUP elements.
    """
    identity = tuple(range(len(planning.facts)))
    found = [identity]
    generators = [one for one in automorphisms(planning) if keeps_invariants(planning, one)]
    for permutation in found:
        for generator in generators:
            both = tuple(generator[fact] for fact in permutation)
            if both not in found:
                found.append(both)
            if len(found) > MAX_GROUP:
                return []
    return found[1:]


def keeps_invariants(planning: PlanningTask, facts: Permutation) -> bool:
    """Whether the permutation maps the groups in `exactly` and `at_most_one` to groups of the same kind."""
    groups = {(frozenset(group.facts), group.count) for group in planning.exactly}
    groups |= {(frozenset(cell), -1) for cell in planning.at_most_one}
    return groups == {(frozenset(facts[f] for f in group), count) for group, count in groups}


def inverse(permutation: Permutation) -> Permutation:
    """The permutation that undoes this permutation."""
    return tuple(sorted(range(len(permutation)), key=permutation.__getitem__))


def is_automorphism(
    planning: PlanningTask, permutation: Permutation, keep: Sequence[int] = ()
) -> bool:
    """Whether this is a permutation of the facts that maps moves to moves and free moves to free moves, and maps the
    goal, `forbid` and each state of `keep` to itself. Returns False for a task with further goals.

    The moves must not have consequences or permutations, because the function does not compare these.
    """
    if sorted(permutation) != list(range(len(planning.facts))) or planning.further_goals:
        return False

    goal, forbid = (_images(permutation, cubes) for cubes in (planning.goal, planning.forbid))
    if goal != set(planning.goal) or forbid != set(planning.forbid):
        return False
    for moves in (planning.moves, planning.free):
        known = {(m.mask, m.value, m.flip, m.avoid) for m in moves}
        if any(_image_of_move(permutation, move) not in known for move in moves):
            return False
    return all(image(permutation, state) == state for state in keep)


def image(permutation: Permutation, facts: int) -> int:
    """The image of a set of facts (for example, of a state); both are bit sets."""
    return sum(1 << permutation[fact] for fact in facts_in(facts))


def _images(permutation: Permutation, cubes: Iterable[Cube]) -> frozenset[Cube]:
    return frozenset((image(permutation, m), image(permutation, v)) for m, v in cubes)


def _image_of_move(
    permutation: Permutation, move: MacroOperator
) -> tuple[int, int, int, frozenset[Cube]]:
    mask, value, flip = (image(permutation, facts) for facts in (move.mask, move.value, move.flip))
    return mask, value, flip, _images(permutation, move.avoid)


class _Structure:
    """A hypergraph of facts. Its hyperedges are the moves, and the cubes of the goal and of `forbid`. Each hyperedge
    has a kind and a set of pairs (fact, role).
    """

    def __init__(self, planning: PlanningTask) -> None:
        self.num_facts = len(planning.facts)
        kinds: list[int] = []
        members: list[
            tuple[int, int, int]
        ] = []  # the number of a hyperedge, a fact in it, and the fact's role
        for kind, moves in enumerate((planning.moves, planning.free)):
            for move in moves:
                members += (
                    (len(kinds), fact, (move.value >> fact & 1) + 2 * (move.flip >> fact & 1))
                    for fact in facts_in(move.mask)
                )
                kinds.append(kind)
        for kind, cubes in enumerate((planning.goal, planning.forbid), start=2):
            for mask, value in cubes:
                members += ((len(kinds), fact, value >> fact & 1) for fact in facts_in(mask))
                kinds.append(kind)
        self._kinds = np.array(kinds, dtype=np.uint64)
        columns = np.array(members, dtype=np.int64).reshape(-1, 3)
        self._edge, self._fact = columns[:, 0], columns[:, 1]
        self._role = columns[:, 2].astype(np.uint64)

    def refine(self, colours: Sequence[int]) -> list[int]:
        """The coarsest stable refinement of a colouring, in which facts of one colour have the same roles in hyperedges
        of the same colours.

        A hash represents each multiset of roles and colours. If two different multisets had the same hash, the result
        would be coarser; the caller verifies every permutation, so it would still be right.
        """
        known = np.array(colours, dtype=np.int64)
        number = len(set(colours))
        while True:
            edges = self._kinds.copy()
            of_member = _mixed(known.astype(np.uint64)[self._fact] * np.uint64(4) + self._role)
            np.add.at(edges, self._edge, of_member)
            facts = np.zeros(self.num_facts, dtype=np.uint64)
            np.add.at(facts, self._fact, _mixed(_mixed(edges)[self._edge] + self._role))
            keys = np.column_stack((known, facts.view(np.int64)))
            distinct, known = unique_rows(keys)
            if len(distinct) == number:
                return [int(colour) for colour in known]
            number = len(distinct)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of each number: a permutation of the 64-bit numbers, the finaliser of SplitMix64 (Steele, Lea and Flood,
    Fast splittable pseudorandom number generators, 2014).
    """
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _cells(colours: list[int]) -> list[list[int]]:
    cells: dict[int, list[int]] = {}
    for fact, colour in enumerate(colours):
        cells.setdefault(colour, []).append(fact)
    return [cells[colour] for colour in sorted(cells)]


def _match(
    structure: _Structure, left: list[int], right: list[int], fact: int, image: int
) -> Permutation | None:
    """A permutation that maps `fact` to `image` and may be an automorphism. The result is None if the colours of the
    facts and of their images differ after some choice.
    """
    while True:
        left = structure.refine([2 * c + (f == fact) for f, c in enumerate(left)])
        right = structure.refine([2 * c + (f == image) for f, c in enumerate(right)])
        if sorted(left) != sorted(right):
            return None
        open_cells = [cell for cell in _cells(left) if len(cell) > 1]
        if not open_cells:
            where = {colour: fact for fact, colour in enumerate(right)}
            return tuple(where[colour] for colour in left)
        fact = open_cells[0][0]
        # If the choices so far do not determine the image of a fact, the fact is mapped to itself where possible.
        alike = [f for f, colour in enumerate(right) if colour == left[fact]]
        image = fact if fact in alike else alike[0]
