"""Goals as lists of cubes: a state meets the goal if it is in some cube of every list.

For example, "every tube has one colour" is a condition for each tube. If the goal is multiplied out into one list, this
list has a cube for each combination of the tubes' colours. If each tube has its own list, the total number of cubes is
only the sum over the tubes. A goal with a small product is multiplied out, because every engine supports goals of a
single list.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from fewest.grounding.conditions import ground_condition
from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import PartialState, partial
from fewest.model.conditions import AllOf, Condition, ExpressionHolds
from fewest.model.task import Cube, Group, union

MAX_GOALS = 2_000
"""up to this number of cubes, a goal is one list"""
# two lists that both have several cubes are joined only if they have at most this number of pairs of cubes
_MOST_PAIRS = 4_000

_MOST_MERGED = 16  # cubes are merged only in lists of at most this length

_Cubes = list[PartialState]


def ground_goal(condition: Condition, grounder: Grounder, most: int) -> list[_Cubes]:
    """The lists of a goal; a single list if multiplying them out gives at most `most` cubes."""
    lists = _lists(condition, grounder)
    anywhere = partial()
    lists = [cubes for cubes in lists if anywhere not in cubes]
    if not all(lists):
        return [[]]
    if prod(map(len, lists)) > most:
        lists = [_merged(cubes, grounder) for cubes in lists]
        lists = _joined([cubes for cubes in lists if anywhere not in cubes], grounder)
    if len(lists) < 2 or prod(map(len, lists)) <= most:
        return [grounder.product(lists)]
    return sorted(lists, key=len)


def _lists(condition: Condition, grounder: Grounder) -> list[_Cubes]:
    if isinstance(condition, AllOf):
        return [cubes for part in condition.parts for cubes in _lists(part, grounder)]
    if isinstance(condition, ExpressionHolds):
        from fewest.grounding.alternatives import lists_of

        return lists_of(condition.expression, condition.names, grounder)
    return [ground_condition(condition, grounder)]


def completed(cubes: Sequence[Cube], groups: Sequence[Group]) -> tuple[Cube, ...]:
    """The cubes, extended by facts that the groups imply: if a cube leaves only as many facts of a group as must be
    true, all of these facts are true.

    For example, "no box is off the targets" determines the place of every box if there are as many boxes as targets.
    Lower bounds need such facts. A cube is removed if it allows too few true facts in a group, because then no
    reachable state is in the cube.
    """
    if all(mask == value for mask, value in cubes):
        return tuple(dict.fromkeys(cubes))
    group_masks = [(union(1 << fact for fact in group.facts), group.count) for group in groups]
    found: dict[Cube, None] = {}
    for mask, value in cubes:
        negative = mask ^ value
        is_possible = True
        for facts, count in group_masks:
            if negative & facts:
                possible = facts & ~negative
                is_possible = is_possible and possible.bit_count() >= count
                if possible.bit_count() == count:
                    mask, value = mask | possible, value | possible
        if is_possible:
            found[mask, value] = None
    return tuple(found)


def _merged(cubes: _Cubes, grounder: Grounder) -> _Cubes:
    """An equivalent list in which pairs of cubes are merged where this is possible because some facts exclude each
    other. A list of more than _MOST_MERGED cubes remains unchanged.

    For example, the cases of "the cell has no box" are "the player is there" and "neither the player nor a box is
    there". The player also excludes a box, so both cases together are one cube: "no box is there".
    """
    found = list(dict.fromkeys(cubes))
    if len(found) > _MOST_MERGED:
        return found
    while True:
        pairs = ((one, other) for one in found for other in found if one is not other)
        for one, other in pairs:
            union = _resolved(one, other, grounder)
            if union is not None:
                found = [cube for cube in found if cube not in (one, other)]
                found += [] if union in found else [union]
                break
        else:
            return found


def _resolved(one: PartialState, other: PartialState, grounder: Grounder) -> PartialState | None:
    """The cube that contains exactly the states of both cubes; None if the following condition holds for no fact f.

    Suppose that a fact f is true in `one` and false in `other`. Let R be the cube `other` without f. R contains exactly
    the states of both cubes if every state of R in which f is true is in `one`, and every state of `one` is in R.
    """
    others = grounder.standing(one.positive)
    for fact in one.positive & other.negative:
        negative = other.negative - {fact}
        if one.positive - {fact} != other.positive:
            continue
        if one.negative <= negative and all(
            false_fact in one.negative
            or (false_fact not in one.positive and not grounder.fits_among(false_fact, others))
            for false_fact in negative
        ):
            return PartialState(other.positive, negative)
    return None


def _joined(lists: Sequence[_Cubes], grounder: Grounder) -> list[_Cubes]:
    """An equivalent goal: lists that share subjects, and lists of one cube, are joined with others if this does not
    increase the number of cubes.
    """
    joined: list[tuple[_Cubes, frozenset[int]]] = []
    for cubes in sorted(lists, key=len):
        subjects = _subjects(cubes, grounder)
        for number, (others, other_subjects) in enumerate(joined):
            if len(cubes) > 1 and len(others) > 1 and subjects.isdisjoint(other_subjects):
                continue
            conjunctions = _conjunctions(cubes, others, grounder)
            if conjunctions is not None:
                joined[number] = (conjunctions, subjects | other_subjects)
                break
        else:
            joined.append((cubes, subjects))
    return [cubes for cubes, _ in joined]


def _conjunctions(one: _Cubes, other: _Cubes, grounder: Grounder) -> _Cubes | None:
    """The conjunctions of the cubes of both lists; None if there are more conjunctions than cubes in the longer list,
    or more than _MOST_PAIRS pairs of cubes.
    """
    most = max(len(one), len(other))
    if len(one) * len(other) > _MOST_PAIRS and min(len(one), len(other)) > 1:
        return None
    found: dict[PartialState, None] = {}
    for first in one:
        grounder.step()
        for second in other:
            cube = PartialState(first.positive | second.positive, first.negative | second.negative)
            if cube not in found and grounder.is_consistent(cube):
                found[cube] = None
                if len(found) > most:
                    return None
    return list(found)


def _subjects(cubes: _Cubes, grounder: Grounder) -> frozenset[int]:
    """The subjects of the cubes: slots of variables, and layer cells as negative numbers."""
    facts = {fact for cube in cubes for fact in cube.positive | cube.negative}
    layer_cells = {
        -1 - layer_cell for fact in facts for layer_cell in grounder.layer_cells_of(fact)
    }
    return frozenset(layer_cells | {grounder.facts[fact].slot for fact in facts} - {-1})
